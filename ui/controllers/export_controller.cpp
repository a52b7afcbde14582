#include "ui/controllers/export_controller.h"

#include "engine/base/file.h"
#include "engine/service/predictions/export_text.h"
#include "ui/controllers/window_actions.h"
#include "ui/pages/explore_page.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/launch_report.h"
#include "ui/state/forecast.h"
#include "ui/state/run_controller.h"
#include "ui/state/run_database.h"
#include "ui/sweep/sweep_page.h"
#include "ui/sweep/sweep_results_view.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QMenu>
#include <QStackedWidget>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

QString endingOf(const QString &format)
{
    return format == u"chrome-trace"_s ? u"json"_s : format;
}

/// A forbidden action says why in the place of its tip.
void permit(QAction &action, const base::Result<> &permission)
{
    constexpr const char *kTip = "stagelens.tip";
    if (action.isEnabled())
        action.setProperty(kTip, action.toolTip());
    action.setEnabled(permission.ok());
    action.setToolTip(plainTip(permission ? action.property(kTip).toString() : sentence(permission.error())));
}

} // namespace

ExportController::ExportController(EngineBridge *bridge, WindowActions *actions, const Pages &pages, Forecast *forecast,
                                   RunController *runController, RunDatabase *database)
    : m_bridge(bridge), m_actions(actions), m_pages(pages), m_forecast(forecast), m_runController(runController),
      m_database(database)
{
    const auto on = [this](QAction *action, auto run) { connect(action, &QAction::triggered, this, run); };
    on(m_actions->exportPng, [this] { exportPictureAs(u"png"_s); });
    on(m_actions->exportSvg, [this] { exportPictureAs(u"svg"_s); });
    on(m_actions->exportPdf, [this] { exportPictureAs(u"pdf"_s); });
    on(m_actions->exportTrace, [this] { exportDataAs(u"chrome-trace"_s); });
    on(m_actions->exportCsv, [this] { exportDataAs(u"csv"_s); });
    on(m_actions->exportJson, [this] { exportDataAs(u"json"_s); });
    for (QAction *action : m_actions->exportLaunch)
        on(action, [this, action] { exportLaunchAs(action->data().toString()); });
    on(m_actions->copyPicture, [this] { copyPicture(); });
    connect(m_forecast, &Forecast::changed, this, &ExportController::refresh);
    connect(m_runController, &RunController::shownChanged, this, &ExportController::refresh);
    connect(m_pages.explore, &ExplorePage::shownChanged, this, &ExportController::refresh);
    connect(m_pages.sweep, &SweepPage::resultsChanged, this, &ExportController::refresh);
    connect(m_pages.stack, &QStackedWidget::currentChanged, this, &ExportController::refresh);
}

base::Result<Picture> ExportController::pictureInFront()
{
    const QWidget *page = m_pages.stack->currentWidget();
    if (page == m_pages.compare)
        return pictureOf(*m_pages.compare->timeline());
    if (page == m_pages.sweep) {
        if (m_pages.sweep->results()->hasResults())
            return pictureOf(*m_pages.sweep->results()->picture(), u"sweep"_s);
        return base::Error::invalid("sweep", utf8(Words::tr("there are no results to export yet; start the sweep")));
    }
    if (page != m_pages.explore)
        return base::Error::invalid("mode", utf8(Words::tr("Explore, Compare and Sweep have a picture to export")));
    if (const auto valid = planIsShown(); !valid)
        return valid.error();
    return pictureOf(*m_pages.explore->timeline());
}

base::Result<> ExportController::planIsShown() const
{
    if (m_forecast->problems().empty() && m_forecast->plan())
        return {};
    return base::Error::invalid(
        "experiment", utf8(Words::tr("the picture shows the last valid plan; mend the experiment before you export it")));
}

base::Result<> ExportController::hasDataInFront(const QString &format) const
{
    const QWidget *page = m_pages.stack->currentWidget();
    if (page == m_pages.explore)
        return showsRun() ? base::Result<>() : planIsShown();
    if (page != m_pages.sweep)
        return base::Error::invalid("mode", utf8(Words::tr("Explore and Sweep have data to export")));
    if (format == u"chrome-trace"_s)
        return base::Error::invalid("mode",
                                    utf8(Words::tr("a sweep has results and no trace; open one of its plans in Explore")));
    return m_pages.sweep->results()->hasResults()
               ? base::Result<>()
               : base::Error::invalid("sweep", utf8(Words::tr("there are no results to export yet; start the sweep")));
}

bool ExportController::showsRun() const
{
    return m_pages.explore->run() && m_pages.explore->shown() == Shown::Measured;
}

void ExportController::refresh()
{
    const auto picture = pictureInFront();
    const auto mayPicture = picture ? base::Result<>() : base::Result<>(picture.error());
    for (QAction *action :
         m_actions->exports->actions() + QList<QAction *>{m_actions->exports->menuAction(), m_actions->copyPicture})
        permit(*action, mayPicture);
    permit(*m_actions->exportTrace, hasDataInFront(u"chrome-trace"_s));
    for (QAction *action : {m_actions->exportCsv, m_actions->exportJson, m_actions->dataExports->menuAction()})
        permit(*action, hasDataInFront(u"csv"_s));
    for (QAction *action : m_actions->exportLaunch + QList<QAction *>{m_actions->launchExports->menuAction()})
        permit(*action, hasLaunchInFront());
}

void ExportController::copyPicture()
{
    if (const auto picture = pictureInFront())
        QApplication::clipboard()->setImage(imageOf(*picture));
}

QString ExportController::askForFile(const QString &title, const QString &name, const QString &format) const
{
    const QString ending = endingOf(format);
    return QFileDialog::getSaveFileName(m_pages.stack->window(), title, name + u'.' + ending, u"*."_s + ending);
}

void ExportController::exportPictureAs(const QString &format)
{
    const auto picture = pictureInFront();
    if (!picture)
        return;
    const QString file = askForFile(Words::tr("Export the picture"), picture->name, format);
    if (file.isEmpty())
        return;
    if (const auto exported = exportPicture(*picture, file, format); !exported)
        emit failed(notWritten(file, exported.error()));
}

std::function<base::Result<std::string>()> ExportController::textInFront(const QString &format) const
{
    if (m_pages.stack->currentWidget() == m_pages.sweep)
        return [text = m_pages.sweep->results()->text(format)] { return base::Result<std::string>(text); };
    if (showsRun())
        return [run = m_runController->shown(), name = utf8(format)] { return service::exportText(run->record, name); };
    return [plan = m_forecast->plan(), name = utf8(format)] {
        return service::exportText({plan->experiment, plan->schedule.get(), *plan->timeline, plan->metrics}, name);
    };
}

void ExportController::exportData(const QString &format, const QString &file)
{
    if (const auto there = hasDataInFront(format); !there) {
        emit failed(sentence(there.error()));
        return;
    }
    const auto write = [text = textInFront(format), path = utf8(file)](const std::stop_token &) -> base::Result<> {
        const auto made = text();
        return made ? base::writeFile(path, *made) : base::Result<>(made.error());
    };
    m_bridge->compute(this, write, [this, file](const base::Result<> &exported) {
        if (exported)
            emit written(file);
        else
            emit failed(notWritten(file, exported.error()));
    });
}

void ExportController::exportDataAs(const QString &format)
{
    const QString name = m_pages.stack->currentWidget() == m_pages.sweep ? u"sweep"_s
                         : showsRun() ? u"run-%1"_s.arg(m_runController->shown()->record.summary.id)
                                      : u"timeline"_s;
    const QString file = askForFile(Words::tr("Export the data"), name, format);
    if (!file.isEmpty())
        exportData(format, file);
}

base::Result<> ExportController::hasLaunchInFront() const
{
    if (m_pages.stack->currentWidget() != m_pages.explore)
        return base::Error::invalid("mode", "Explore has a plan to export");
    if (const auto valid = planIsShown(); !valid)
        return valid;
    return m_forecast->plan()->experiment.hasModel
               ? base::Result<>()
               : base::Error::invalid("model", "other frameworks start models, and this plan has none; choose one");
}

void ExportController::exportLaunchAs(const QString &format)
{
    for (const service::LaunchFormat &each : service::launchFormats()) {
        if (qtText(each.format) != format)
            continue;
        const QString ending = qtText(each.ending);
        const QString file =
            QFileDialog::getSaveFileName(m_pages.stack->window(), Words::tr("Export for %1").arg(qtText(each.caption)),
                                         u"launch."_s + ending, u"*."_s + ending);
        if (!file.isEmpty())
            exportLaunch(format, file);
    }
}

void ExportController::exportLaunch(const QString &format, const QString &file)
{
    if (const auto there = hasLaunchInFront(); !there) {
        emit failed(sentence(there.error()));
        return;
    }
    const auto write = [plan = m_forecast->plan(), name = utf8(format), path = utf8(file)](const std::stop_token &) {
        return service::writeLaunch(plan->experiment, *plan->schedule, name, path);
    };
    m_bridge->compute(this, write, [this, file](const base::Result<service::Launch> &launch) {
        if (!launch) {
            emit failed(notWritten(file, launch.error()));
            return;
        }
        auto *report = new LaunchReport(file, *launch, m_pages.stack->window());
        report->setAttribute(Qt::WA_DeleteOnClose);
        report->open();
        emit written(file);
    });
}

void ExportController::exportRun(qint64 run, const QString &format)
{
    const QString file = askForFile(Words::tr("Export run %1").arg(run), u"run-%1"_s.arg(run), format);
    if (!file.isEmpty())
        m_database->exportRun(run, format, file);
}

} // namespace stagelens::ui
