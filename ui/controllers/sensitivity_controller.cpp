#include "ui/controllers/sensitivity_controller.h"

#include "ui/pages/explore_page.h"
#include "ui/state/forecast.h"
#include "ui/state/latest_job.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

SensitivityController::SensitivityController(EngineBridge *bridge, Forecast *forecast, ExplorePage *page, QObject *parent)
    : QObject(parent), m_bridge(bridge), m_forecast(forecast), m_page(page), m_job(new LatestJob(bridge, this))
{
    connect(forecast, &Forecast::changed, this, &SensitivityController::follow);
    connect(m_job, &LatestJob::waitChanged, this, &SensitivityController::changed);
}

bool SensitivityController::isComputing() const
{
    return m_job->isRunning();
}

bool SensitivityController::isLate() const
{
    return m_job->wait() != LatestJob::Wait::None;
}

void SensitivityController::follow()
{
    if (m_plan == m_forecast->plan())
        return;
    m_plan = m_forecast->plan();
    if (std::exchange(m_answer, nullptr)) {
        m_page->setSensitivity(nullptr, nullptr);
        emit changed();
    }
    m_job->cancel();
    if (!m_plan || !service::hasWhatIfs(m_plan->experiment))
        return;
    m_job->start(
        [plan = m_plan, cores = m_bridge->cores()](const std::stop_token &stop) {
            return service::sensitivityOf(*plan, cores, {stop, {}});
        },
        [this](base::Result<service::Sensitivity> answer) { take(std::move(answer)); });
}

void SensitivityController::take(base::Result<service::Sensitivity> answer)
{
    if (!answer) {
        if (answer.error().kind != base::ErrorKind::Cancelled)
            emit failed(Words::tr("The what-ifs were not computed. ") + sentence(answer.error()));
        return;
    }
    m_answer = std::make_shared<const service::Sensitivity>(*std::move(answer));
    m_page->setSensitivity(m_plan->timeline, m_answer);
    emit changed();
}

} // namespace stagelens::ui
