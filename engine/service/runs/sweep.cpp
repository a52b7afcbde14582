#include "engine/service/runs/sweep.h"

#include "engine/base/exception_text.h"
#include "engine/service/runs/training_job.h"
#include "engine/service/search/predict.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <numeric>

namespace stagelens::service {
namespace {

using Clock = std::chrono::steady_clock;
/// Predictions are reported at most this often, because they finish faster than a person reads. Every run is reported.
constexpr auto kPublishInterval = std::chrono::milliseconds(50);

void describe(SweepPoint &point, const simulate::Metrics &metrics)
{
    point.iteration = metrics.iteration;
    point.work = std::accumulate(metrics.busyPerDevice.begin(), metrics.busyPerDevice.end(), base::Nanos{0});
    point.bubbleRatio = metrics.bubbleRatio;
    point.tokensPerSecond = metrics.tokensPerSecond;
    point.mfu = metrics.mfu;
    if (!metrics.peakMemory.empty())
        point.peakMemory = std::ranges::max(metrics.peakMemory);
}

/// The job's state. One thread calls it.
class Sweep {
public:
    Sweep(const std::vector<model::Experiment> &plans, const std::function<void(SweepSnapshotPtr)> &publish)
        : m_plans(plans), m_publish(publish)
    {
        m_state.points.resize(plans.size());
    }

    template <class Measure>
    void go(const std::stop_token &stop, bool everyPoint, Measure measure)
    {
        m_started = Clock::now();
        publish();
        for (std::size_t i = 0; i < m_plans.size() && !stop.stop_requested(); ++i) {
            m_state.points[i] = measure(m_plans[i]);
            if (!m_state.points[i].done)
                break; // stopped under way
            ++m_state.done;
            if (everyPoint || Clock::now() - m_published >= kPublishInterval)
                publish();
        }
        m_state.finished = true;
        m_state.cancelled = m_state.done < m_plans.size();
        publish();
    }

private:
    void publish()
    {
        m_published = Clock::now();
        const double elapsed = std::chrono::duration<double>(m_published - m_started).count();
        if (m_state.done > 0)
            m_state.secondsLeft =
                elapsed / static_cast<double>(m_state.done) * static_cast<double>(m_plans.size() - m_state.done);
        m_publish(std::make_shared<const SweepSnapshot>(m_state));
    }

    const std::vector<model::Experiment> &m_plans;
    const std::function<void(SweepSnapshotPtr)> &m_publish;
    SweepSnapshot m_state;
    Clock::time_point m_started;
    Clock::time_point m_published;
};

SweepPoint predicted(const model::Experiment &plan, int cores, const std::stop_token &stop)
{
    SweepPoint point;
    const auto prediction = predict(plan, cores, {stop, {}});
    point.done = prediction || prediction.error().kind != base::ErrorKind::Cancelled;
    if (!prediction) {
        point.error = prediction.error();
        return point;
    }
    point.kind = (*prediction)->timeline->provenance;
    point.memoryCapacity = (*prediction)->memoryCapacity;
    describe(point, (*prediction)->metrics);
    return point;
}

SweepPoint trained(const model::Experiment &plan, const std::filesystem::path &database, int cores, const std::stop_token &stop)
{
    RunSnapshotPtr last;
    runTraining(plan, {}, database, cores, stop, [&last](RunSnapshotPtr snapshot) { last = std::move(snapshot); });
    SweepPoint point;
    const store::RunRecord &record = last->record;
    point.done = record.summary.status != store::RunStatus::Cancelled;
    point.kind = record.summary.kind;
    point.run = record.summary.id;
    point.error = last->error;
    if (record.metrics)
        describe(point, *record.metrics);
    return point;
}

} // namespace

void runSweep(const std::vector<model::Experiment> &plans, bool train, const std::filesystem::path &database, int cores,
              std::stop_token stop, const std::function<void(SweepSnapshotPtr)> &publish)
{
    const auto measure = [&](const model::Experiment &plan) {
        try {
            return train ? trained(plan, database, cores, stop) : predicted(plan, cores, stop);
        } catch (const std::exception &exception) {
            SweepPoint point;
            point.done = true;
            point.error = base::Error::failed("this plan failed: " + base::exceptionText(exception));
            return point;
        }
    };
    Sweep(plans, publish).go(stop, train, measure);
}

} // namespace stagelens::service
