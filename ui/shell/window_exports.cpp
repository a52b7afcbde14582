// What the window gives away: pictures and data of the mode in front, and stored runs.
#include "engine/base/file.h"
#include "ui/panels/compare_panel.h"
#include "ui/shell/explore_page.h"
#include "ui/shell/main_window.h"
#include "ui/shell/notice_controller.h"
#include "ui/shell/run_controller.h"
#include "ui/shell/sweep_page.h"
#include "ui/shell/window_actions.h"
#include "ui/state/forecast.h"
#include "ui/words/plain_text.h"
#include "ui/words/words.h"

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

QString askForFile(MainWindow *window, const QString &title, const QString &name, const QString &format)
{
    const QString ending = endingOf(format);
    return QFileDialog::getSaveFileName(window, title, name + u'.' + ending, u"*."_s + ending);
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

base::Result<Picture> MainWindow::pictureInFront()
{
    const QWidget *page = m_pages->currentWidget();
    if (page == m_compare)
        return pictureOf(*m_compare->timeline());
    if (page == m_sweep) {
        if (m_sweep->hasResults())
            return pictureOf(*m_sweep->results(), u"sweep"_s);
        return base::Error::invalid("sweep", "there are no results to export yet; start the sweep");
    }
    if (page != m_explore)
        return base::Error::invalid("mode", "Explore, Compare and Sweep have a picture to export");
    if (const auto valid = planIsShown(); !valid)
        return valid.error();
    return pictureOf(*m_explore->timeline());
}

base::Result<> MainWindow::planIsShown() const
{
    if (m_forecast->problems().empty() && m_forecast->plan())
        return {};
    return base::Error::invalid("experiment",
                                "the picture shows the last valid plan; mend the experiment before you export it");
}

base::Result<> MainWindow::hasDataInFront(const QString &format) const
{
    const QWidget *page = m_pages->currentWidget();
    if (page == m_explore)
        return showsRun() ? base::Result<>() : planIsShown();
    if (page != m_sweep)
        return base::Error::invalid("mode", "Explore and Sweep have data to export");
    if (format == u"chrome-trace"_s)
        return base::Error::invalid("mode", "a sweep has results and no trace; open one of its plans in Explore");
    return m_sweep->hasResults() ? base::Result<>()
                                 : base::Error::invalid("sweep", "there are no results to export yet; start the sweep");
}

bool MainWindow::showsRun() const
{
    return m_explore->run() && m_strip->shown() == Shown::Measured;
}

void MainWindow::updateExports()
{
    const auto picture = pictureInFront();
    const auto mayPicture = picture ? base::Result<>() : base::Result<>(picture.error());
    for (QAction *action :
         m_actions->exports->actions() + QList<QAction *>{m_actions->exports->menuAction(), m_actions->copyPicture})
        permit(*action, mayPicture);
    permit(*m_actions->exportTrace, hasDataInFront(u"chrome-trace"_s));
    for (QAction *action : {m_actions->exportCsv, m_actions->exportJson, m_actions->dataExports->menuAction()})
        permit(*action, hasDataInFront(u"csv"_s));
}

void MainWindow::exportAs(const QString &format)
{
    const auto picture = pictureInFront();
    if (!picture)
        return;
    const QString file = askForFile(this, u"Export the picture"_s, picture->name, format);
    if (file.isEmpty())
        return;
    if (const auto exported = exportPicture(*picture, file, format); !exported)
        m_notice->warn(sentence(exported.error()));
}

base::Result<> MainWindow::exportData(const QString &format, const QString &file)
{
    if (auto there = hasDataInFront(format); !there)
        return there;
    if (m_pages->currentWidget() == m_sweep)
        return base::writeFile(utf8(file), m_sweep->resultsText(format));
    const service::PredictionPtr &plan = m_forecast->plan();
    const auto text = showsRun() ? service::exportText(m_runController->shown()->record, utf8(format))
                                 : service::exportText({plan->experiment, plan->schedule.get(), *plan->timeline, plan->metrics},
                                                       utf8(format));
    return text ? base::writeFile(utf8(file), *text) : base::Result<>(text.error());
}

void MainWindow::askAndExportData(const QString &format)
{
    const QString name = m_pages->currentWidget() == m_sweep ? u"sweep"_s
                         : showsRun()                        ? u"run-%1"_s.arg(m_runController->shown()->record.summary.id)
                                                             : u"timeline"_s;
    const QString file = askForFile(this, u"Export the data"_s, name, format);
    if (file.isEmpty())
        return;
    if (const auto exported = exportData(format, file); !exported)
        m_notice->warn(sentence(exported.error()));
}

void MainWindow::exportRun(qint64 run, const QString &format)
{
    const QString file = askForFile(this, u"Export run %1"_s.arg(run), u"run-%1"_s.arg(run), format);
    if (file.isEmpty())
        return;
    m_runController->exportRun(run, format, file);
}

} // namespace stagelens::ui
