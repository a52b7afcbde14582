// Experiment > Levers: what each change of the plan saves and costs, with one click to apply it.
#pragma once

#include "engine/service/search/levers.h"

#include <QDialog>
#include <QTimer>

#include <memory>

class QCheckBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace stagelens::ui {

class EngineBridge;
class LatestJob;

/// Stays open beside the plan and computes the board of each plan that it is given, off the GUI thread. GUI thread only.
class LeversDialog : public QDialog {
    Q_OBJECT
public:
    LeversDialog(EngineBridge *bridge, QWidget *parent);

    /// Computes the board of a plan; null: there is none at the moment.
    void setPlan(const service::PredictionPtr &plan);
    [[nodiscard]] bool isComputing() const;

signals:
    /// A lever or combination was chosen.
    void applied(const QString &words, const model::Experiment &experiment);

private:
    struct Progress;
    QWidget *makeButtons();
    void compute();
    void cancel();
    void take(const base::Result<service::LeverBoard> &board);
    void showProgress();
    void fill();
    void addLever(QTreeWidgetItem *group, const service::Lever &lever, int number);
    /// Gives the rows the height that the levers' names need in their column.
    void fitRows();
    void hideOthers();
    void apply();
    [[nodiscard]] const service::Lever *selected() const;

    EngineBridge *m_bridge;
    LatestJob *m_job;
    service::PredictionPtr m_plan;
    service::LeverBoard m_board;
    std::shared_ptr<Progress> m_progress; ///< of the running job, which writes it
    QTimer m_clock;
    QLabel *m_heading;
    QTreeWidget *m_tree;
    QCheckBox *m_onlyFront;
    QProgressBar *m_bar;
    QPushButton *m_cancel;
    QPushButton *m_apply = nullptr;
};

} // namespace stagelens::ui
