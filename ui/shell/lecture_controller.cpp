#include "ui/shell/lecture_controller.h"

#include "engine/base/file.h"
#include "ui/controllers/window_actions.h"
#include "ui/learn/lectures/lecture_dialog.h"
#include "ui/learn/live_simulation.h"
#include "ui/pages/explore_page.h"
#include "ui/pages/learn_page.h"
#include "ui/pages/lesson_view.h"
#include "ui/state/forecast.h"
#include "ui/state/view_state.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

namespace stagelens::ui {

using namespace Qt::StringLiterals;

LectureController::LectureController(EngineBridge *bridge, WindowActions *actions, Forecast *forecast, ViewState *view,
                                     ExplorePage *explore, LearnPage *learn, bool remember, QWidget *window)
    : QObject(window), m_bridge(bridge), m_actions(actions), m_forecast(forecast), m_view(view), m_explore(explore),
      m_learn(learn), m_remember(remember), m_window(window)
{
    connect(actions->lecture, &QAction::triggered, this, &LectureController::open);
}

void LectureController::open()
{
    if (m_dialog == nullptr) {
        m_dialog = new LectureDialog(m_bridge, m_window);
        m_dialog->setSource([this] { return sceneOfWindow(); });
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

LectureScene LectureController::sceneOfWindow() const
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
    m_actions->learn->trigger();
    m_learn->showOwnTour(tour);
    m_learn->lesson()->showStep(scene);
    m_actions->presentation->setChecked(true);
}

} // namespace stagelens::ui
