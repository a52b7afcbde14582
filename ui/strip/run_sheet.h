// What a run is: opened by the arrow of the Train button.
#pragma once

#include <QFrame>

#include <vector>

class QAction;
class QLabel;

namespace stagelens::ui {

class ExperimentDocument;
class FieldEditor;

/// Steps, data, optimizer, learning rate, seed, precision and backend, and where and how long the run will take.
class RunSheet : public QFrame {
    Q_OBJECT
public:
    RunSheet(ExperimentDocument *document, QAction *train, QAction *trainCopy, QWidget *parent = nullptr);
    [[nodiscard]] const std::vector<FieldEditor *> &editors() const { return m_editors; }
    /// Opens below the widget, aligned with its right edge.
    void openBelow(const QWidget &button);

signals:
    /// The settings of training were asked for.
    void settingsAsked();

protected:
    void showEvent(QShowEvent *event) override;

private:
    void describe();

    QAction *m_train;
    QAction *m_trainCopy;
    std::vector<FieldEditor *> m_editors;
    QLabel *m_where;
};

} // namespace stagelens::ui
