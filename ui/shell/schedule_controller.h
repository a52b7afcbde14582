// Editing the order of passes: as text, by moving a pass in the picture, from and to files.
#pragma once

#include "engine/service/engine_service.h"
#include "engine/service/schedule_text.h"

#include <QObject>
#include <QTimer>

namespace stagelens::ui {

class ExperimentDocument;
class Forecast;
class SchedulePanel;

/// Keeps the panel at what the experiment says, and makes what is typed or moved the experiment's custom schedule, as steps of
/// undo. A family's order stays the family's until something in it is changed.
class ScheduleController : public QObject {
    Q_OBJECT
public:
    ScheduleController(ExperimentDocument *document, Forecast *forecast, SchedulePanel *panel, QObject *parent);

    /// Only an active controller spends time on text and faults.
    void setActive(bool active);
    [[nodiscard]] bool isActive() const { return m_active; }

    /// Why a pass cannot stand there; empty if it can.
    [[nodiscard]] QString refusal(const service::PassMove &move) const;
    void move(const service::PassMove &move);

    /// A custom schedule from a file (either form), as one step of undo; it stays in its file. One with faults is taken as well
    /// if it is short enough to be mended as text.
    void open(const QString &file);
    /// The plan's order, for another program.
    void write(const QString &file, service::ScheduleFormat format);
    /// Longer orders are not shown as text.
    static constexpr std::size_t kMostPassesAsText = 200'000;

signals:
    void failed(const QString &sentence);
    void warned(const QString &sentence);
    /// The schedule of a file that was opened has faults, which the panel shows.
    void faulty(const QString &sentence);

private:
    void refresh();
    void edit(const QString &text);
    [[nodiscard]] QString wordsOf(bool sound) const;

    ExperimentDocument *m_document;
    Forecast *m_forecast;
    SchedulePanel *m_panel;
    bool m_active = false;
    QTimer m_pause;                ///< a rest in typing ends a step of undo
    service::PredictionPtr m_told; ///< the plan that m_recognised is about
    std::string_view m_recognised;
};

} // namespace stagelens::ui
