#include "ui/controllers/runs/measured_controller.h"

#include "ui/pages/explore_page.h"
#include "ui/panels/shown_switch.h"
#include "ui/state/forecast.h"
#include "ui/state/run_controller.h"
#include "ui/state/run_database.h"
#include "ui/words/run_words.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QMenu>
#include <QPointer>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr std::size_t kRunsInMenu = 10;
QString noRunWords()
{
    return Words::tr("None yet: Train (F5) makes one");
}

/// A run in the list at Measured.
QString measuredWords(const store::RunSummary &run)
{
    return Words::tr("Run %1 · %2 · %3 steps · %4")
        .arg(run.id)
        .arg(caption(run.kind))
        .arg(run.stepsDone)
        .arg(whenText(run.startedUnixMs));
}
} // namespace

MeasuredController::MeasuredController(Forecast *forecast, RunController *runController, RunDatabase *database,
                                       ShownSwitch *shownSwitch, ExplorePage *page)
    : m_forecast(forecast), m_runController(runController), m_database(database), m_switch(shownSwitch), m_page(page)
{
    connect(m_switch, &ShownSwitch::shownChanged, this, &MeasuredController::showChosen);
    connect(m_switch, &ShownSwitch::measuredMenuOpens, this, &MeasuredController::fill);
}

void MeasuredController::showChosen()
{
    showNewest();
    m_page->setShown(m_switch->shown());
}

void MeasuredController::showNewest()
{
    const auto needsRun = [this] {
        return m_switch->shown() != Shown::Predicted && !m_page->run() && !m_runController->isTraining();
    };
    if (!needsRun())
        return;
    if (!m_forecast->isCurrent()) {
        connect(m_forecast, &Forecast::changed, this, &MeasuredController::showNewest, Qt::SingleShotConnection);
        return;
    }
    const auto show = [this, needsRun, plan = m_forecast->plan()](const std::vector<store::RunSummary> &runs) {
        if (needsRun() && plan == m_forecast->plan() && !runs.empty())
            m_runController->show(runs.front().id);
    };
    m_database->findRunsOf(m_forecast->plan()->experiment, 1, show);
}

QAction *MeasuredController::add(QMenu *menu, const QString &words, store::RunId run, std::optional<int> step, bool isShown)
{
    QAction *action = menu->addAction(words, this, [this, run, step] {
        m_runController->show(run, step, [this] {
            if (m_switch->shown() == Shown::Predicted)
                m_switch->setShown(Shown::Both);
        });
    });
    action->setCheckable(true);
    action->setChecked(isShown);
    return action;
}

void MeasuredController::fill(QMenu *menu)
{
    menu->clear();
    addRuns(menu);
    const service::RunSnapshotPtr shown = m_page->run();
    if (shown && shown->finished && !shown->record.iterations.empty())
        addSteps(menu, *shown);
}

void MeasuredController::addRuns(QMenu *menu)
{
    menu->addSection(Words::tr("Runs of this plan"));
    QAction *none = menu->addAction(noRunWords());
    none->setEnabled(false);
    if (!m_forecast->plan())
        return;
    none->setText(Words::tr("Looking for runs…"));
    const auto take = [this, menu, shown = m_page->run(), place = QPointer(none)](const std::vector<store::RunSummary> &runs) {
        if (!place) // the menu was filled again
            return;
        for (const store::RunSummary &run : runs)
            menu->insertAction(place, add(menu, measuredWords(run), run.id, {}, shown && shown->record.summary.id == run.id));
        place->setText(noRunWords());
        place->setVisible(runs.empty());
    };
    m_database->findRunsOf(m_forecast->plan()->experiment, kRunsInMenu, take);
}

void MeasuredController::addSteps(QMenu *menu, const service::RunSnapshot &run)
{
    const std::vector<base::Nanos> &times = run.record.iterations;
    menu->addSection(Words::tr("Step of run %1").arg(run.record.summary.id));
    const int before = run.record.summary.resumedSteps;
    const auto entry = [&](const QString &name, std::ptrdiff_t index, bool isMedian) {
        const int step = before + static_cast<int>(index);
        const auto chosen = isMedian ? std::nullopt : std::optional(step);
        add(menu,
            Words::tr("%1: step %2, %3").arg(name).arg(step + 1).arg(durationText(times[static_cast<std::size_t>(index)])),
            run.record.summary.id, chosen, m_runController->shownStep() == chosen);
    };
    const bool hasTypical = m_runController->hasTypicalStep();
    if (hasTypical)
        add(menu, Words::tr("Typical: each pass at its median"), run.record.summary.id, {}, !m_runController->shownStep());
    if (const auto median = medianStep(run.record))
        entry(Words::tr("Median"), *median - 1 - before, !hasTypical);
    entry(Words::tr("Fastest"), std::ranges::min_element(times) - times.begin(), false);
    entry(Words::tr("Slowest"), std::ranges::max_element(times) - times.begin(), false);
    entry(Words::tr("First"), 0, false);
    entry(Words::tr("Last"), std::ssize(times) - 1, false);
}

} // namespace stagelens::ui
