#include "engine/service/runs/run_recorder.h"

#include "engine/base/log.h"
#include "engine/base/progress_log.h"
#include "engine/simulate/steps/typical_step.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace stagelens::service {

namespace {

/// The first steps warm caches and pages; medians leave them out where there are more.
constexpr std::size_t kWarmUpSteps = 2;
/// Timelines kept in memory to choose the median step from, in slices; steps beyond are not candidates.
constexpr std::size_t kKeptSlices = 4'000'000;
/// The last steps, over which the times of operators are medians.
constexpr std::size_t kOperatorSteps = 32;
constexpr auto kStoreInterval = std::chrono::seconds(5);

} // namespace

RunRecorder::RunRecorder(const model::Experiment &experiment, const std::filesystem::path &database, std::size_t mostWaiting,
                         std::stop_token stop, const std::function<void(RunSnapshotPtr)> &publish)
    : m_stop(std::move(stop)), m_publish(publish), m_writer(database, m_stop, mostWaiting)
{
    m_snapshot.record.experiment = experiment;
    m_snapshot.steps = experiment.training.steps;
}

void RunRecorder::beginStored(std::function<base::Result<store::RunId>(store::RunStore &)> begin)
{
    m_writer.begin(std::move(begin));
    noteStored();
}

void RunRecorder::onEvaluation(const runtime::Evaluation &evaluation)
{
    store::RunRecord &record = m_snapshot.record;
    record.evaluations.push_back({evaluation.steps, evaluation.loss});
    record.summary.evaluationLoss = evaluation.loss;
    write(
        [last = record.evaluations.back()](store::RunEditor &runs, store::RunId run) { return runs.addEvaluation(run, last); });
    publish();
}

void RunRecorder::onCheckpoint(int steps, const base::Result<> &written)
{
    m_snapshot.checkpointProblem =
        written ? std::string() : fmt::format("there is no checkpoint after step {}: {}", steps, written.error().text());
    if (!written)
        base::log(base::LogLevel::Warning, m_snapshot.checkpointProblem + "; training goes on");
}

void RunRecorder::write(RunWriter::Change change)
{
    m_writer.write(std::move(change));
    noteStored();
    while (m_writer.isFull() && !m_stop.stop_requested()) {
        if (!std::exchange(m_snapshot.waitsForStore, true))
            publish();
        m_writer.tryAgain();
        noteStored();
    }
    m_snapshot.waitsForStore = false;
}

void RunRecorder::noteStored()
{
    m_snapshot.record.summary.id = m_writer.run();
    m_snapshot.storeProblem = m_writer.problem();
    m_snapshot.stored = m_snapshot.storeProblem.empty();
}

void RunRecorder::onStep(const runtime::StepReport &report)
{
    store::RunRecord &record = m_snapshot.record;
    record.losses.push_back(report.loss);
    record.iterations.push_back(report.iteration);
    if (report.isSkipped)
        record.skipped.push_back(report.step);
    if (report.routers)
        record.routers.push_back(report.routers);
    record.timeline = report.timeline;
    record.metrics = metricsOf(*report.timeline, report.peakMemory, report.peakHost);
    if (report.operators) {
        record.operators = report.operators;
        m_operators.push_back(report.operators);
        if (m_operators.size() > kOperatorSteps)
            m_operators.pop_front();
    }
    if (m_keptSlices < kKeptSlices || m_kept.empty()) {
        m_kept.push_back({report.iteration, report.timeline, report.peakMemory, report.peakHost, record.iterations.size() - 1});
        m_keptSlices += report.timeline->sliceCount();
    }
    m_snapshot.step = report.step + 1;
    m_snapshot.isSkipped = report.isSkipped;
    m_snapshot.passesDone = 0;
    m_snapshot.kernels = report.kernels;
    m_snapshot.kernelTimeline = report.kernels ? report.timeline : nullptr;
    noteFacts(report.facts);
    summarize();
    storeStep(report);
    if (Clock::now() - m_lastStored > kStoreInterval) {
        m_lastStored = Clock::now();
        m_writer.writeIfUpToDate(shownTimeline());
        noteStored();
    }
    publish();
}

void RunRecorder::noteFacts(const std::map<std::string, std::string> &facts)
{
    store::RunRecord &record = m_snapshot.record;
    for (const auto &[name, text] : facts) {
        std::string &known = record.environment[name];
        if (known == text)
            continue;
        known = text;
        write([name = name, text = text](store::RunEditor &runs, store::RunId run) { return runs.setFact(run, name, text); });
    }
}

void RunRecorder::storeStep(const runtime::StepReport &report)
{
    m_storedSlices += report.timeline->sliceCount();
    const auto figures = [step = report.step, loss = report.loss,
                          iteration = report.iteration](store::RunEditor &runs, store::RunId run, const auto &...rest) {
        return runs.addStep(run, step, loss, iteration, rest...);
    };
    if (m_storedSlices > kStoredSlices)
        write(figures);
    else
        write([figures, timeline = report.timeline, metrics = *m_snapshot.record.metrics](
                  store::RunEditor &runs, store::RunId run) { return figures(runs, run, *timeline, metrics); });
    if (report.isSkipped)
        write([step = report.step](store::RunEditor &runs, store::RunId run) { return runs.addSkipped(run, step); });
    if (report.routers)
        write([routers = report.routers](store::RunEditor &runs, store::RunId run) { return runs.addRouters(run, *routers); });
}

void RunRecorder::onProgress(const runtime::Progress &progress)
{
    m_snapshot.passesDone = progress.passesDone;
    m_snapshot.passCount = progress.passCount;
    if (Clock::now() - m_lastPublished >= base::kProgressInterval)
        publish();
}

simulate::Metrics RunRecorder::metricsOf(const timeline::Timeline &timeline,
                                         const std::vector<simulate::MemoryByCategory> &peakMemory,
                                         const std::vector<base::Bytes> &peakHost) const
{
    simulate::Metrics metrics =
        simulate::computeMetrics(m_snapshot.record.experiment, *m_snapshot.schedule, timeline, nullptr, m_peakFlops);
    metrics.peakMemoryByCategory = peakMemory;
    metrics.peakHost = peakHost;
    metrics.peakMemory.clear();
    for (const simulate::MemoryByCategory &bytes : peakMemory)
        metrics.peakMemory.push_back(simulate::MemoryStep{0, bytes}.total());
    return metrics;
}

const RunRecorder::Kept *RunRecorder::medianStep(const std::function<bool(const Kept &)> &isOne) const
{
    std::vector<const Kept *> found = candidates();
    std::erase_if(found, [&isOne](const Kept *kept) { return !isOne(*kept); });
    if (found.empty())
        return nullptr;
    const auto middle = found.begin() + static_cast<std::ptrdiff_t>((found.size() - 1) / 2);
    std::ranges::nth_element(found, middle, {}, [](const Kept *kept) { return kept->iteration; });
    return *middle;
}

std::vector<const RunRecorder::Kept *> RunRecorder::candidates() const
{
    std::vector<const Kept *> found;
    for (const Kept &kept : m_kept)
        if (kept.step >= kWarmUpSteps || m_kept.size() <= kWarmUpSteps)
            found.push_back(&kept);
    return found;
}

bool RunRecorder::showTypicalStep()
{
    if (m_snapshot.record.experiment.parallel.averagesWeights()) // its steps are of two sorts
        return false;
    std::vector<timeline::TimelinePtr> steps;
    for (const Kept *kept : candidates())
        steps.push_back(kept->timeline);
    const Kept *median = medianStep([](const Kept &) { return true; });
    const auto typical = simulate::typicalStep(steps, *m_snapshot.schedule);
    if (!typical)
        return false;
    store::RunRecord &record = m_snapshot.record;
    record.timeline = std::make_shared<const timeline::Timeline>(typical->timeline);
    record.metrics = metricsOf(*record.timeline, median->peakMemory, median->peakHost);
    record.metrics->typicalOfSteps = typical->steps;
    summarize();
    return true;
}

/// Of replicas that train alone: a step that ends with an average, with the mean time over the steps up to the next one.
void RunRecorder::showMedianStep()
{
    const model::ParallelPlan &plan = m_snapshot.record.experiment.parallel;
    const auto averages = [&plan](const Kept &kept) { return plan.averagesAfter(static_cast<std::int64_t>(kept.step)); };
    const Kept *shown = plan.averagesWeights() ? medianStep(averages) : nullptr;
    const Kept *const alone = medianStep([&](const Kept &kept) { return !averages(kept); });
    timeline::TimelinePtr timeline = shown != nullptr ? shown->timeline : nullptr;
    if (shown != nullptr && alone != nullptr) {
        auto mean = std::make_shared<timeline::Timeline>(*timeline);
        mean->period = alone->iteration + (shown->iteration - alone->iteration) / plan.syncEvery;
        timeline = std::move(mean);
    } else if (shown == nullptr && alone != nullptr) {
        shown = alone;
        timeline = alone->timeline;
    }
    if (shown == nullptr)
        return;
    m_snapshot.record.timeline = timeline;
    m_snapshot.record.metrics = metricsOf(*timeline, shown->peakMemory, shown->peakHost);
    summarize();
}

void RunRecorder::summarize()
{
    store::RunRecord &record = m_snapshot.record;
    store::RunSummary &summary = record.summary;
    summary.stepsDone = static_cast<int>(record.losses.size());
    if (!record.losses.empty()) {
        summary.firstLoss = record.losses.front();
        summary.lastLoss = record.losses.back();
    }
    if (!record.metrics)
        return;
    summary.iteration = record.metrics->iteration;
    summary.bubbleRatio = record.metrics->bubbleRatio;
    summary.tokensPerSecond = record.metrics->tokensPerSecond;
    if (!record.metrics->peakMemory.empty())
        summary.peakMemory = *std::ranges::max_element(record.metrics->peakMemory);
}

RunWriter::Change RunRecorder::shownTimeline() const
{
    const store::RunRecord &record = m_snapshot.record;
    return [timeline = record.timeline, metrics = *record.metrics](store::RunEditor &runs, store::RunId run) {
        return runs.setTimeline(run, *timeline, metrics);
    };
}

void RunRecorder::finish(const base::Result<> &outcome, bool isConnectionLost)
{
    store::RunSummary &summary = m_snapshot.record.summary;
    if (!showTypicalStep())
        showMedianStep();
    if (!m_operators.empty()) {
        m_snapshot.record.operators = timeline::medianOf({m_operators.begin(), m_operators.end()});
        m_operators.clear();
        write([operators = m_snapshot.record.operators](store::RunEditor &runs, store::RunId run) {
            return runs.setOperators(run, *operators);
        });
    }
    summary.status = store::RunStatus::Finished;
    if (!outcome) {
        const base::Error &error = outcome.error();
        const bool cancelled = error.kind == base::ErrorKind::Cancelled;
        summary.status = cancelled          ? store::RunStatus::Cancelled
                         : isConnectionLost ? store::RunStatus::Interrupted
                                            : store::RunStatus::Failed;
        summary.reason =
            cancelled ? fmt::format("stopped after {} of {} steps", m_snapshot.step, m_snapshot.steps) : error.text();
        if (!cancelled)
            m_snapshot.error = error;
    }
    const bool hasTimeline = m_snapshot.record.timeline && m_snapshot.record.metrics;
    if (hasTimeline && outcome)
        m_writer.write(shownTimeline());
    m_writer.finish(summary.status, summary.reason);
    if (hasTimeline && !outcome) // the reason first: mpirun kills a process soon after another one
        m_writer.write(shownTimeline());
    noteStored();
    if (!m_snapshot.stored)
        publish(); // before the wait
    m_writer.settle();
    noteStored();
    if (!outcome && outcome.error().kind == base::ErrorKind::InvalidInput && m_snapshot.record.iterations.empty())
        forget();
    m_snapshot.finished = true;
    publish();
}

void RunRecorder::forget()
{
    if (m_writer.remove())
        m_snapshot.record.summary.id = 0;
}

void RunRecorder::publish()
{
    m_lastPublished = Clock::now();
    if (m_started != Clock::time_point{}) {
        m_snapshot.secondsElapsed = std::chrono::duration<double>(m_lastPublished - m_started).count();
        const double done = m_snapshot.step + (m_snapshot.passCount == 0 ? 0.0
                                                                         : static_cast<double>(m_snapshot.passesDone) /
                                                                               static_cast<double>(m_snapshot.passCount));
        const double own = done - m_snapshot.record.summary.resumedSteps;
        if (own > 0)
            m_snapshot.secondsLeft = m_snapshot.secondsElapsed / own * (m_snapshot.steps - done);
    }
    m_publish(std::make_shared<const RunSnapshot>(m_snapshot));
}

} // namespace stagelens::service
