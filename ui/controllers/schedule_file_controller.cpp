#include "ui/controllers/schedule_file_controller.h"

#include "engine/service/plans/schedule_plan.h"
#include "ui/controllers/notice_controller.h"
#include "ui/controllers/window_actions.h"
#include "ui/controls/save_dialog.h"
#include "ui/state/experiment_document.h"
#include "ui/state/forecast.h"
#include "ui/state/quick_prediction.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QFileDialog>
#include <QFileInfo>

#include <array>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

ScheduleFileController::ScheduleFileController(EngineBridge *bridge, ExperimentDocument *document, Forecast *forecast,
                                               WindowActions *actions, NoticeController *notice, QWidget *window)
    : m_document(document), m_forecast(forecast), m_actions(actions), m_notice(notice), m_window(window), m_openJob(bridge),
      m_writeJob(bridge)
{
    connect(m_actions->openSchedule, &QAction::triggered, this, &ScheduleFileController::askOpen);
    connect(m_actions->writeSchedule, &QAction::triggered, this, &ScheduleFileController::askWrite);
}

void ScheduleFileController::open(const QString &file)
{
    const model::Experiment before = m_document->experiment();
    const auto read = [before, path = utf8(file)](const std::stop_token &) -> base::Result<Opened> {
        Opened opened{service::withScheduleFile(before, path)};
        const auto followed = service::followed(opened.experiment);
        const auto text = service::editableText(opened.experiment.schedule);
        if (!followed && !text)
            return followed.error();
        opened.isFaulty = !followed || (text && !service::faultsOfText(*text).empty());
        return opened;
    };
    m_openJob.run(isShortSchedule(utf8(file)), read, [this, before, file](const base::Result<Opened> &opened) {
        if (!opened)
            m_notice->warn(notOpened(file, opened.error()));
        else if (m_document->experiment() != before)
            open(file); // it was edited meanwhile
        else
            take(file, *opened);
    });
}

void ScheduleFileController::take(const QString &file, const Opened &opened)
{
    const QString name = QFileInfo(file).fileName();
    m_document->closeGesture();
    m_document->edit(u"schedule.file"_s, Words::tr("Schedule from %1").arg(name), opened.experiment);
    m_document->closeGesture();
    if (!opened.isFaulty)
        return;
    m_actions->editSchedule->setChecked(true);
    m_notice->warnUntilEdit(
        Words::tr("%1 has faults, which are marked in its text. What you change stays in the experiment.").arg(name));
}

void ScheduleFileController::write(const QString &file, service::ScheduleFormat format)
{
    if (m_forecast->isComputing()) {
        m_notice->warn(Words::tr("The plan is being computed."));
        return;
    }
    if (!m_forecast->isCurrent()) {
        m_notice->warn(Words::tr("The picture shows the last valid plan; mend the experiment before its order is written."));
        return;
    }
    const service::PredictionPtr &plan = m_forecast->plan();
    const auto write = [plan, format, path = utf8(file)](const std::stop_token &) {
        return service::writeSchedule(plan->experiment, *plan->schedule, format, path);
    };
    m_writeJob.run(plan->schedule->passCount() <= kPassesAtOnce, write, [this, file](const base::Result<std::string> &left) {
        if (!left)
            m_notice->warn(Words::tr("The schedule was not written. ") + sentence(left.error()));
        else if (!left->empty())
            m_notice->warn(Words::tr("%1 was written without a part: %2.").arg(QFileInfo(file).fileName(), qtText(*left)));
    });
}

void ScheduleFileController::askOpen()
{
    const QString file = QFileDialog::getOpenFileName(m_window, Words::tr("Import schedule"), {},
                                                      Words::tr("Schedules (*.csv *.txt *.schedule);;All files (*)"));
    if (!file.isEmpty())
        open(file);
}

void ScheduleFileController::askWrite()
{
    using Format = service::ScheduleFormat;
    constexpr std::array kFormats{Format::TorchCsv, Format::TorchCsvWithMessages, Format::TorchCsvWithMessages2_14,
                                  Format::Text};
    const SaveChoice choice = askWhereToSave(m_window, Words::tr("Export schedule"), u"schedule.csv"_s,
                                             {{Words::tr("PyTorch CSV, passes alone (*.csv)"), u"csv"_s},
                                              {Words::tr("PyTorch CSV with messages, 2.15 and later (*.csv)"), u"csv"_s},
                                              {Words::tr("PyTorch CSV with messages, up to 2.14 (*.csv)"), u"csv"_s},
                                              {Words::tr("Stagelens text (*.txt)"), u"txt"_s}});
    if (!choice.file.isEmpty())
        write(choice.file, kFormats[static_cast<std::size_t>(choice.number)]);
}

} // namespace stagelens::ui
