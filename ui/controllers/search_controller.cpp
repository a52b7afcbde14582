#include "ui/controllers/search_controller.h"

#include "engine/model/family_shape.h"
#include "engine/model/schema.h"
#include "ui/controllers/notice_controller.h"
#include "ui/controllers/plan_controller.h"
#include "ui/controllers/window_actions.h"
#include "ui/state/experiment_document.h"
#include "ui/state/forecast.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QCoreApplication>
#include <QPointer>

#include <chrono>
#include <utility>

namespace stagelens::ui {

namespace {
constexpr auto kShownEvery = std::chrono::milliseconds(100);
}

SearchController::SearchController(const Parts &parts, WindowActions *actions) : m_parts(parts), m_job(parts.bridge)
{
    connect(actions->searchSchedules, &QAction::triggered, this, &SearchController::start);
    connect(m_parts.document, &ExperimentDocument::changed, this, [this] {
        if (m_job.isRunning())
            end(Words::tr("The plan was edited, so the search for a schedule has ended."));
    });
    connect(m_parts.forecast, &Forecast::changed, actions->searchSchedules, [this, actions] {
        actions->searchSchedules->setEnabled(m_parts.forecast->plan() && m_parts.forecast->problems().empty());
    });
}

void SearchController::start()
{
    const service::PredictionPtr &plan = m_parts.forecast->plan();
    if (!plan)
        return;
    m_before = plan->metrics.iteration;
    m_inUnits = inTeachingUnits(plan->experiment);
    m_said.clear();
    model::Experiment wanted = m_parts.document->experiment();
    model::chooseFamily(wanted.schedule, std::string(model::kAutomaticFamily));
    model::followStages(wanted);
    // Told on a thread of the engine, which may still search when the window closes.
    const auto told = [self = QPointer(this),
                       last = std::chrono::steady_clock::time_point()](const service::SearchProgress &progress) mutable {
        const auto now = std::chrono::steady_clock::now();
        if (now - std::exchange(last, now - last < kShownEvery ? last : now) < kShownEvery)
            return;
        const auto show = [self, progress] {
            if (self)
                self->show(progress);
        };
        QMetaObject::invokeMethod(qApp, show, Qt::QueuedConnection);
    };
    m_job.start(
        [wanted, told, cores = m_parts.bridge->cores()](const std::stop_token &stop) {
            return service::predict(wanted, cores, {stop, told});
        },
        [this](const base::Result<service::PredictionPtr> &answer) { take(answer); });
}

void SearchController::show(const service::SearchProgress &progress)
{
    if (!m_job.isRunning())
        return;
    const QString before = m_said;
    m_said = Words::tr("Searching schedules: %1 of %2 plans").arg(progress.done).arg(progress.total);
    if (progress.shortest)
        m_said += Words::tr(", the fastest %1").arg(durationText(*progress.shortest, m_inUnits));
    if (!m_parts.notice->change(before, m_said) && before.isEmpty())
        m_parts.notice->offer(m_said, {{Words::tr("Cancel"), [this] { m_job.cancel(); }}});
}

void SearchController::end(const QString &sentence)
{
    m_job.cancel();
    m_parts.notice->clear(m_said);
    m_said.clear();
    m_parts.notice->say(MessageBar::Tone::Note, sentence);
}

void SearchController::take(const base::Result<service::PredictionPtr> &answer)
{
    m_parts.notice->clear(m_said);
    m_said.clear();
    if (!answer) {
        if (answer.error().kind != base::ErrorKind::Cancelled)
            m_parts.notice->warn(Words::tr("No schedule was found. ") + sentence(answer.error()));
        return;
    }
    const service::Prediction &found = **answer;
    const std::size_t tried = found.search ? found.search->tried : 0;
    if (found.metrics.iteration >= m_before) {
        end(Words::tr("None of %1 schedules is faster than this plan.").arg(tried));
        return;
    }
    const QString words = Words::tr("%1, the fastest of %2 schedules: %3 instead of %4.")
                              .arg(planCaption(found.experiment))
                              .arg(tried)
                              .arg(durationText(found.metrics.iteration, m_inUnits), durationText(m_before, m_inUnits));
    m_parts.plan->applyLever(Words::tr("Use the fastest schedule"), found.experiment);
    m_parts.notice->offerUndo(words, Words::tr("Undo"));
}

} // namespace stagelens::ui
