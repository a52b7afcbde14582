// How MainWindow lets the order of passes be edited: the panel beside the picture, moved passes, files; and costs from a run.
#include "engine/service/runs/run_durations.h"
#include "ui/controls/message_bar.h"
#include "ui/panels/schedule_panel.h"
#include "ui/panels/schedule_text_edit.h"
#include "ui/shell/explore_page.h"
#include "ui/shell/file_controller.h"
#include "ui/shell/import_controller.h"
#include "ui/shell/main_window.h"
#include "ui/shell/notice_controller.h"
#include "ui/shell/run_controller.h"
#include "ui/shell/schedule_controller.h"
#include "ui/shell/window_actions.h"
#include "ui/state/experiment_document.h"
#include "ui/words/words.h"

#include <QFileDialog>
#include <QFileInfo>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
const QString kOwnOrder =
    u"The order is now your own; it begins as it was. Change its text, drag passes in the picture, or take one from a file."_s;
}

void MainWindow::connectSchedule()
{
    SchedulePanel *panel = m_explore->schedulePanel();
    m_schedule = new ScheduleController(m_document, m_forecast, panel, this);
    connect(m_actions->editSchedule, &QAction::toggled, this, &MainWindow::setScheduleEditing);
    connect(panel, &SchedulePanel::closed, this, [this] { m_actions->editSchedule->setChecked(false); });
    connect(m_schedule, &ScheduleController::failed, m_notice.get(), &NoticeController::warn);
    connect(m_schedule, &ScheduleController::warned, m_notice.get(), &NoticeController::warn);
    connect(m_schedule, &ScheduleController::faulty, this, [this](const QString &sentence) {
        m_actions->editSchedule->setChecked(true);
        m_notice->warn(sentence);
    });
    connect(m_explore->timeline(), &TimelineView::passMoved, m_schedule, &ScheduleController::move);
    connect(m_explore->timeline(), &TimelineView::moveRefused, this,
            [this](const QString &why) { m_notice->warn(u"The pass stays where it is. "_s + why); });
    connect(m_actions->openSchedule, &QAction::triggered, this, &MainWindow::askOpenSchedule);
    connect(m_actions->costsFromRun, &QAction::triggered, this, &MainWindow::useCostsOfRun);
    connect(m_runController, &RunController::shownChanged, this, [this] {
        m_actions->costsFromRun->setEnabled(m_runController->shown() && m_runController->shown()->record.timeline);
    });
    connect(m_files, &FileController::scheduleGiven, m_schedule, &ScheduleController::open);
    connect(m_files, &FileController::traceGiven, this, [this](const QString &file) { m_imports->importFiles({file}); });
    connect(m_files, &FileController::told, this,
            [this](const QString &words) { m_notice->say(MessageBar::Tone::Note, words); });
    connect(m_document, &ExperimentDocument::changed, this, [this] {
        if (m_document->experiment().schedule.family != model::kCustomFamily)
            m_notice->clear(kOwnOrder);
    });
    connect(m_actions->writeSchedule, &QAction::triggered, this, &MainWindow::askWriteSchedule);
}

void MainWindow::setScheduleEditing(bool on)
{
    if (on) {
        m_actions->explore->trigger();
        m_actions->asTable->setChecked(false);
    }
    m_schedule->setActive(on);
    m_explore->timeline()->setMoveJudge(on ? [this](const service::PassMove &move) { return m_schedule->refusal(move); }
                                           : TimelineView::MoveJudge());
    m_explore->setEditing(on);
    if (on)
        m_explore->schedulePanel()->edit()->setFocus(Qt::ShortcutFocusReason);
}

void MainWindow::askOpenSchedule()
{
    const QString file =
        QFileDialog::getOpenFileName(this, u"Open a schedule"_s, {}, u"Schedules (*.csv *.txt *.schedule);;All files (*)"_s);
    if (!file.isEmpty())
        m_schedule->open(file);
}

void MainWindow::offerCustomOrder()
{
    if (m_document->experiment().schedule.text.empty())
        return; // the problem's bar or the file says what it is
    std::vector<MessageBar::Action> actions;
    if (!m_actions->editSchedule->isChecked())
        actions.push_back({u"Edit the order"_s, [this] { m_actions->editSchedule->setChecked(true); }});
    actions.push_back({u"Open a file…"_s, [this] { askOpenSchedule(); }});
    m_notice->offer(kOwnOrder, actions);
}

void MainWindow::askWriteSchedule()
{
    const QString csv = u"PyTorch CSV, passes alone (*.csv)"_s;
    const QString comms = u"PyTorch CSV with messages, 2.15 and later (*.csv)"_s;
    const QString early = u"PyTorch CSV with messages, up to 2.14 (*.csv)"_s;
    const QString text = u"Stagelens text (*.txt)"_s;
    QString chosen = csv;
    QString file = QFileDialog::getSaveFileName(this, u"Write the schedule"_s, u"schedule.csv"_s,
                                                QStringList{csv, comms, early, text}.join(u";;"_s), &chosen);
    if (file.isEmpty())
        return;
    using Format = service::ScheduleFormat;
    const Format format = file.endsWith(u".txt"_s) || chosen == text ? Format::Text
                          : chosen == comms                          ? Format::TorchCsvWithMessages
                          : chosen == early                          ? Format::TorchCsvWithMessages2_14
                                                                     : Format::TorchCsv;
    if (QFileInfo(file).suffix().isEmpty())
        file += format == Format::Text ? u".txt"_s : u".csv"_s;
    m_schedule->write(file, format);
}

void MainWindow::useCostsOfRun()
{
    if (!m_runController->shown())
        return;
    const auto file = service::writeDurations(m_runController->shown()->record);
    if (!file) {
        m_notice->warn(sentence(file.error()));
        return;
    }
    model::Experiment next = m_document->experiment();
    next.cost.source = model::DurationsFile{file->string()};
    m_document->closeGesture();
    m_document->edit(u"cost.durations"_s, u"Costs from run %1"_s.arg(m_runController->shown()->record.summary.id),
                     std::move(next));
    m_document->closeGesture();
}

} // namespace stagelens::ui
