// What is said of a plan that is invalid, and the way back to a valid one.
#pragma once

#include "engine/base/result.h"
#include "ui/controls/message_bar.h"

#include <QObject>
#include <QTimer>

#include <vector>

namespace stagelens::ui {

class ExperimentDocument;
class FieldEditor;
class Forecast;

/// Marks the fields that have problems and fills the bar over the picture. Waits before it complains, so that typing "16" is
/// not stopped at "1".
class ProblemController : public QObject {
    Q_OBJECT
public:
    ProblemController(ExperimentDocument *document, Forecast *forecast, MessageBar *bar, std::vector<FieldEditor *> editors);

    /// The schedule's text is shown already; the bar does not offer it.
    void setTextShown(bool shown) { m_isTextShown = shown; }

signals:
    /// The fields with these problems are marked; none if there are no problems.
    void marked(const stagelens::base::Problems &problems);
    /// The schedule's text should be shown.
    void textAsked();
    /// The user wants to choose another schedule file.
    void scheduleFileAsked();

private:
    void update(bool atOnce);
    void show();
    void markFields();
    /// Returns what helps against the first problem.
    [[nodiscard]] std::vector<MessageBar::Action> remedies();
    /// Returns the action that undoes what was done since the plan was valid last.
    [[nodiscard]] MessageBar::Action undoToValid();
    /// A step of undo was made, undone or merged with the one before.
    void stepDone();

    ExperimentDocument *m_document;
    Forecast *m_forecast;
    MessageBar *m_bar;
    std::vector<FieldEditor *> m_editors;
    QTimer m_delay;
    int m_validStep = 0; ///< index of undo at which the plan was valid last
    bool m_isTextShown = false;
};

} // namespace stagelens::ui
