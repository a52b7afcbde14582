// What a run is: opened by the arrow of the Train button.
#pragma once

#include <QFrame>

#include <vector>

class QAction;
class QFormLayout;
class QLabel;

namespace stagelens::ui {

class ExperimentDocument;
class FieldEditor;
class RunPlace;
class StripButton;

/// Steps, data, optimizer, learning rate, seed, precision and backend, and where and how long the run will take.
class RunSheet : public QFrame {
    Q_OBJECT
public:
    RunSheet(ExperimentDocument *document, QAction *train, QAction *trainCopy, QAction *stop, QWidget *parent = nullptr);
    [[nodiscard]] const std::vector<FieldEditor *> &editors() const { return m_editors; }
    /// Adds the choice of the machine. Call once.
    void setPlace(RunPlace *place);
    /// Opens below the widget, aligned with its right edge.
    void openBelow(const QWidget &button);

signals:
    /// The settings of training were asked for.
    void settingsAsked();
    /// The plan should be predicted for the chosen machine.
    void predictionAsked();

protected:
    void showEvent(QShowEvent *event) override;

private:
    void describe();
    /// The button does what can be done now: train, train a scaled copy, or stop.
    void offer();

    QAction *m_train;
    QAction *m_trainCopy;
    QAction *m_stop;
    StripButton *m_start;
    std::vector<FieldEditor *> m_editors;
    QLabel *m_title;
    QLabel *m_where;
    QFormLayout *m_form;
};

} // namespace stagelens::ui
