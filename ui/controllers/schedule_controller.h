// Editing the passes: their order as text or by moving one in the picture, and the times of a device by pulling one longer.
#pragma once

#include "engine/service/engine_service.h"
#include "engine/service/plans/schedule_repair.h"
#include "engine/service/plans/schedule_text.h"
#include "ui/state/latest_job.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <optional>

namespace stagelens::ui {

class ExperimentDocument;
class ExplorePage;
class Forecast;
class NoticeController;
class SchedulePanel;
class WindowActions;

/// Keeps the panel at what the experiment says, and makes what is typed or moved the experiment's custom schedule, as steps of
/// undo. A family's order stays the family's until something in it is changed. Short orders are read and checked at once,
/// others off the GUI thread.
class ScheduleController : public QObject {
    Q_OBJECT
public:
    ScheduleController(EngineBridge *bridge, ExperimentDocument *document, Forecast *forecast, ExplorePage *page,
                       WindowActions *actions, NoticeController *notice);

    /// Returns why a pass cannot be placed there; empty if it can. For a long order a job checks it: the result is empty,
    /// and TimelineView::answerMove() receives the answer.
    [[nodiscard]] QString refusal(const service::PassMove &move);
    void move(const service::PassMove &move);
    /// Makes a what-if of the pull in one step of undo, from the experiment as it was when the pull began.
    void pull(const QString &field, const QString &label, const std::function<void(model::WhatIf &)> &change);
    /// Makes the passes of a device `factor` times as long as they were when the pull began.
    void pullPass(int device, double factor);
    /// The same of the messages between two devices.
    void pullLink(int from, int to, double factor);
    /// The end was let go: keeps the what-if, or takes it back.
    void endPull(bool isKept);

    /// Replaces a faulty order by the nearest valid one, unless it is edited meanwhile.
    void repair();
    /// Says what a custom schedule is that was chosen in the list, and where to change or replace it.
    void offerCustomOrder();
    /// Longer orders are not shown as text.
    static constexpr std::size_t kMostPassesAsText = 200'000;

signals:
    /// The user wants an order from a file.
    void fileAsked();

private:
    /// What is being pulled, and the experiment as it was before.
    struct Pulled {
        model::Experiment before;
        QString field;
    };
    void connectPanel();
    void setEditing(bool on);
    /// What the panel shows of an order.
    struct Analysis {
        std::string text; ///< empty: it stays as it is
        std::vector<service::TextFault> faults;
        std::string_view family; ///< that makes exactly this order; empty: none
    };
    void takeRepaired(const base::Result<service::RepairedOrder> &whole);
    void refresh();
    void show(const Analysis &analysis);
    /// Makes a text the order of the experiment. A long one is read by a job; what is edited meanwhile stays.
    void edit(const QString &text);
    [[nodiscard]] QString wordsOf(bool sound) const;

    ExperimentDocument *m_document;
    Forecast *m_forecast;
    ExplorePage *m_page;
    SchedulePanel *m_panel;
    WindowActions *m_actions;
    NoticeController *m_notice;
    LatestJob m_analysisJob;
    LatestJob m_moveJob;
    LatestJob m_repairJob;
    LatestJob m_textJob;
    LatestJob m_judgeJob;
    bool m_isOfferDue = false; ///< when the order has been made
    bool m_active = false;     ///< only then text and faults are kept up to date
    QTimer m_pause;            ///< a rest in typing ends a step of undo
    std::optional<Pulled> m_pulled;
    service::PredictionPtr m_told; ///< the plan that m_recognised is about
    std::string_view m_recognised;
};

} // namespace stagelens::ui
