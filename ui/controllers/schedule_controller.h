// Editing the order of passes: as text, by moving a pass in the picture, from and to files.
#pragma once

#include "engine/service/engine_service.h"
#include "engine/service/schedule_text.h"
#include "ui/state/latest_job.h"

#include <QObject>
#include <QTimer>

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

    /// Returns why a pass cannot be placed there; empty if it can.
    [[nodiscard]] QString refusal(const service::PassMove &move) const;
    void move(const service::PassMove &move);

    /// Lets the user choose a schedule's file to open.
    void askOpen();
    /// Opens a custom schedule from a file (either form), as one step of undo; it stays in its file. One with faults is opened
    /// as well if it is short enough to be mended as text.
    void open(const QString &file);
    /// A file is being opened.
    [[nodiscard]] bool isOpening() const { return m_openJob.isRunning(); }
    /// Writes the plan's order for another program.
    void write(const QString &file, service::ScheduleFormat format);
    /// Says what a custom schedule is that was chosen in the list, and where to change or replace it.
    void offerCustomOrder();
    /// Longer orders are not shown as text.
    static constexpr std::size_t kMostPassesAsText = 200'000;

private:
    void connectPanel();
    void setEditing(bool on);
    /// What the panel shows of an order.
    struct Analysis {
        std::string text; ///< empty: it stays as it is
        std::vector<service::TextFault> faults;
        std::string_view family; ///< that makes exactly this order; empty: none
    };
    /// A schedule's file as it would be opened.
    struct Opened {
        model::Experiment experiment;
        bool isFaulty = false;
    };
    /// Replaces a faulty text by the nearest valid order.
    void repair();
    void refresh();
    void show(const Analysis &analysis);
    void take(const QString &file, const Opened &opened);
    void edit(const QString &text);
    void askWrite();
    [[nodiscard]] QString wordsOf(bool sound) const;

    ExperimentDocument *m_document;
    Forecast *m_forecast;
    ExplorePage *m_page;
    SchedulePanel *m_panel;
    WindowActions *m_actions;
    NoticeController *m_notice;
    LatestJob m_analysisJob;
    LatestJob m_openJob;
    LatestJob m_moveJob;
    LatestJob m_writeJob;
    bool m_active = false;         ///< only then text and faults are kept up to date
    QTimer m_pause;                ///< a rest in typing ends a step of undo
    service::PredictionPtr m_told; ///< the plan that m_recognised is about
    std::string_view m_recognised;
};

} // namespace stagelens::ui
