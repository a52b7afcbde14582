#include "ui/shell/lecture_controller.h"

#include "engine/base/file.h"
#include "ui/controllers/window_actions.h"
#include "ui/learn/lectures/lecture_dialog.h"
#include "ui/learn/live_simulation.h"
#include "ui/pages/explore_page.h"
#include "ui/pages/learn_page.h"
#include "ui/pages/lesson_view.h"
#include "ui/panels/compare_panel.h"
#include "ui/state/forecast.h"
#include "ui/state/view_state.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QActionGroup>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

/// The longest prediction, so that a faster plan looks shorter; 0 if their units differ.
base::Nanos sharedAxis(const std::vector<CompareItem> &items)
{
    base::Nanos longest = 0;
    for (const CompareItem &item : items) {
        if (inTeachingUnits(item.experiment) != inTeachingUnits(items.front().experiment))
            return 0;
        if (item.kind == timeline::Provenance::Predicted)
            longest = std::max(longest, item.metrics.iteration);
    }
    return longest;
}

} // namespace

LectureController::LectureController(EngineBridge *bridge, WindowActions *actions, Forecast *forecast, ViewState *view,
                                     ExplorePage *explore, ComparePanel *compare, LearnPage *learn, bool remember,
                                     QWidget *window)
    : QObject(window), m_bridge(bridge), m_actions(actions), m_forecast(forecast), m_view(view), m_explore(explore),
      m_compare(compare), m_learn(learn), m_remember(remember), m_window(window)
{
    connect(actions->lecture, &QAction::triggered, this, &LectureController::open);
    connect(actions->compare, &QAction::toggled, this, &LectureController::updateShown);
    connect(compare, &ComparePanel::itemsChanged, this, &LectureController::updateShown);
    connect(compare, &ComparePanel::lectureAsked, this, [this] {
        open();
        m_dialog->add();
    });
}

void LectureController::open()
{
    if (m_dialog == nullptr) {
        m_dialog = new LectureDialog(m_bridge, m_window);
        m_dialog->setSource([this] { return scenesOfWindow(); });
        updateShown();
        if (m_remember)
            m_dialog->keepIn(base::dataFolder() / (u"session."_s + QLatin1StringView(kLectureEnding)).toStdString());
        connect(m_dialog, &LectureDialog::presentAsked, this, &LectureController::present);
    }
    m_dialog->show();
    m_dialog->raise();
    m_dialog->activateWindow();
}

void LectureController::openFile(const QString &file)
{
    open();
    m_dialog->openFile(file);
}

void LectureController::updateShown()
{
    if (m_dialog != nullptr)
        m_dialog->setShown(m_actions->compare->isChecked() ? m_compare->items().size() : 1);
}

std::vector<LectureScene> LectureController::scenesOfWindow() const
{
    if (!m_actions->compare->isChecked() || m_compare->isEmpty())
        return {sceneOfExplore()};
    std::vector<LectureScene> scenes;
    const base::Nanos axis = sharedAxis(m_compare->items());
    const QStringList names = distinctNames(m_compare->items());
    for (qsizetype i = 0; i < names.size(); ++i) {
        LectureScene scene;
        scene.plan.experiment = m_compare->items()[static_cast<std::size_t>(i)].experiment;
        scene.title = names[i];
        scene.plan.axis = axis;
        scenes.push_back(std::move(scene));
    }
    return scenes;
}

LectureScene LectureController::sceneOfExplore() const
{
    LectureScene scene;
    if (!m_forecast->plan())
        return scene;
    const TimelineContent &shown = m_explore->timeline()->content();
    scene.plan.experiment = m_forecast->plan()->experiment;
    scene.plan.colourBy = shown.colourBy;
    scene.plan.critical = shown.critical;
    if (!m_view->isFitted())
        scene.plan.range = {m_view->begin(), m_view->end()};
    scene.title = planCaption(scene.plan.experiment);
    const service::PredictionPtr from = m_explore->isMorphing() ? m_forecast->comparableBaseline() : nullptr;
    if (from && from->experiment != scene.plan.experiment) {
        scene.plan.other = from->experiment;
        scene.plan.morph = true;
        scene.title = Words::tr("%1 → %2").arg(methodName(from->experiment), methodName(scene.plan.experiment));
    }
    return scene;
}

void LectureController::present(const Tour &tour, int scene)
{
    m_dialog->hide();
    QAction *const from = m_actions->modes->checkedAction();
    m_actions->learn->trigger();
    m_learn->showOwnTour(tour);
    m_learn->lesson()->showStep(scene);
    m_actions->presentation->setChecked(true);
    disconnect(m_wayBack); // of a lecture that was left in another way
    m_wayBack = connect(
        m_actions->presentation, &QAction::toggled, this,
        [this, from] {
            if (!m_window->isVisible() || !m_actions->learn->isChecked()) // it closes, or shows another page by now
                return;
            from->trigger();
            open();
        },
        static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::SingleShotConnection));
}

} // namespace stagelens::ui
