#include "ui/sweep/sweep_estimate.h"

#include "ui/state/quick_prediction.h"

#include <chrono>
#include <utility>

namespace stagelens::ui {

namespace {

constexpr int kPauseMilliseconds = 300;

} // namespace

SweepEstimate::SweepEstimate(EngineBridge *bridge, QObject *parent) : QObject(parent), m_bridge(bridge), m_timing(bridge)
{
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMilliseconds);
    connect(&m_pause, &QTimer::timeout, this, &SweepEstimate::submit);
    connect(m_bridge, &EngineBridge::sweepArrived, this, &SweepEstimate::take);
    timeOnePrediction();
}

void SweepEstimate::timeOnePrediction()
{
    const auto time = [cores = m_bridge->cores()](const std::stop_token &stop) -> base::Result<double> {
        const model::Experiment small; // the default plan: a few milliseconds
        const auto begin = std::chrono::steady_clock::now();
        if (const auto predicted = service::predict(small, cores, {stop, {}}); !predicted)
            return predicted.error();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / simulatedPasses(small);
    };
    m_timing.start(time, [this](const base::Result<double> &seconds) {
        if (!seconds)
            return;
        m_secondsOfPass = *seconds;
        emit changed();
    });
}

std::optional<double> SweepEstimate::secondsToPredict(const std::vector<SweepEntry> &entries) const
{
    if (!m_secondsOfPass)
        return std::nullopt;
    double seconds = 0;
    for (const SweepEntry &entry : entries)
        seconds += simulatedPasses(entry.plan) * *m_secondsOfPass;
    return seconds;
}

std::optional<double> SweepEstimate::secondsToTrain(const std::vector<SweepEntry> &entries) const
{
    if (!m_estimate || !m_estimate->finished || m_estimated != entries)
        return std::nullopt;
    double seconds = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const service::SweepPoint &point = m_estimate->points[i];
        const bool live = model::runMode(entries[i].plan, m_bridge->cores()) == model::RunMode::Live;
        seconds += static_cast<double>(live ? point.iteration : point.work) / 1e9 * entries[i].plan.training.steps;
    }
    return seconds;
}

void SweepEstimate::estimateTraining(std::vector<SweepEntry> entries)
{
    m_asked = std::move(entries);
    m_pause.start();
}

void SweepEstimate::submit()
{
    if (m_job != 0)
        m_bridge->service().cancel(m_job);
    m_estimated = m_asked;
    m_estimate.reset();
    std::vector<model::Experiment> plans;
    for (const SweepEntry &entry : m_estimated) {
        plans.push_back(entry.plan);
        if (plans.back().hasModel)
            plans.back().cost.source = model::HardwarePreset{}; // training happens on this computer
    }
    m_job = m_bridge->service().submitSweep(std::move(plans), false);
}

void SweepEstimate::take(quint64 job, const service::SweepSnapshotPtr &snapshot)
{
    if (job != m_job)
        return;
    m_estimate = snapshot;
    if (snapshot->finished)
        emit changed();
}

} // namespace stagelens::ui
