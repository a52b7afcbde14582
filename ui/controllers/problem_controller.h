// What is said of a plan that is invalid, and the way back to a valid one.
#pragma once

#include "engine/base/result.h"
#include "engine/service/plans/schedule_repair.h"
#include "ui/controllers/plan_repair.h"
#include "ui/controls/message_bar.h"
#include "ui/state/latest_job.h"
#include "ui/words/advice/headline.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <vector>

namespace stagelens::ui {

class EngineBridge;
class ExperimentDocument;
class FieldEditor;
class Forecast;

/// Marks the fields that have problems, says the first in the verdict card with its repair, and offers the way back over the
/// picture. Waits before it complains, so that typing "16" is not stopped at "1".
class ProblemController : public QObject {
    Q_OBJECT
public:
    ProblemController(EngineBridge *bridge, ExperimentDocument *document, Forecast *forecast, MessageBar *bar,
                      std::vector<FieldEditor *> editors);

    /// The schedule's text is shown already; the bar does not offer it.
    void setTextShown(bool shown) { m_isTextShown = shown; }
    /// The verdict card is on the screen; else the bar says what it would.
    void setCardShown(bool shown);
    /// Does what the verdict on the invalid plan proposes.
    void repair();

signals:
    /// The fields with these problems are marked; none if there are no problems.
    void marked(const stagelens::base::Problems &problems);
    /// The verdict on the invalid plan; one without text if the plan is valid.
    void judged(const stagelens::ui::Headline &headline);
    /// The order of the schedule should be repaired.
    void orderRepairAsked();
    /// The schedule's text should be shown.
    void textAsked();
    /// The user wants to choose another schedule file.
    void scheduleFileAsked();

private:
    void update(bool atOnce);
    void show();
    void markFields();
    /// Says the verdict on the problems, in the card or in the bar.
    void say();
    /// Looks for the repair of the first problem and adds it to the verdict: at once for a small plan, else off the GUI thread.
    void findRepair();
    /// What makes the plan valid: another number, or the order of its schedule with its faults mended.
    struct Remedy {
        std::optional<PlanRepair> number;
        std::optional<service::RepairedOrder> order;
    };
    void offer(const Remedy &remedy);
    /// Returns what helps against the first problem, beside its repair.
    [[nodiscard]] std::vector<MessageBar::Action> remedies();
    /// Returns the action that undoes what was done since the plan was valid last.
    [[nodiscard]] MessageBar::Action undoToValid();
    /// A step of undo was made, undone or merged with the one before.
    void stepDone();

    EngineBridge *m_bridge;
    ExperimentDocument *m_document;
    Forecast *m_forecast;
    MessageBar *m_bar;
    std::vector<FieldEditor *> m_editors;
    QTimer m_delay;
    int m_validStep = 0; ///< index of undo at which the plan was valid last
    bool m_isTextShown = false;
    bool m_isCardShown = true;
    Headline m_verdict;             ///< on the problems
    std::function<void()> m_repair; ///< what the verdict proposes; null while it is looked for
    LatestJob m_search;
};

} // namespace stagelens::ui
