#include "engine/service/runs/import_job.h"

#include "engine/base/file.h"
#include "engine/base/file_reader.h"
#include "engine/base/progress_log.h"
#include "engine/base/text.h"
#include "engine/exchange/trace_import.h"
#include "engine/schedule/text_form.h"
#include "engine/service/plans/schedule_plan.h"
#include "engine/service/runs/run_writer.h"
#include "engine/simulate/steps/typical_step.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iomanip>
#include <limits>
#include <sstream>

namespace stagelens::service {
namespace {

using base::Result;

constexpr base::Bytes kLargestTrace = base::Bytes{1} << 30;

/// Mean duration of each kind of pass, in milliseconds: with these the imported plan can be predicted, too.
model::UniformCosts costsOf(const std::vector<timeline::Timeline> &steps)
{
    std::map<std::string, std::pair<double, double>> sums;
    for (const timeline::Timeline &step : steps)
        for (const timeline::Lane &lane : step.lanes)
            for (std::size_t i = 0; i < lane.size(); ++i) {
                auto &[total, count] = sums[std::string(schedule::name(lane.pass[i].kind))];
                total += static_cast<double>(lane.end[i] - lane.begin[i]) / 1e6;
                count += 1;
            }
    model::UniformCosts costs;
    for (const auto &[kind, sum] : sums)
        costs.milliseconds[kind] = std::max(sum.first / sum.second, 1e-6);
    return costs;
}

/// Reports the progress of reading to the log and the caller.
class ReadingProgress {
public:
    explicit ReadingProgress(const std::function<void(double)> &tell) : m_tell(tell) {}
    void note(double share)
    {
        m_log.note(share);
        const auto now = std::chrono::steady_clock::now();
        if (!m_tell || now - m_told < base::kProgressInterval)
            return;
        m_told = now;
        m_tell(share);
    }

private:
    const std::function<void(double)> &m_tell;
    base::ProgressLog m_log{"reading the traces"};
    std::chrono::steady_clock::time_point m_told;
};

/// The schedule as text in the experiment, or as a file that it names; the same text goes into the same file.
Result<> keepSchedule(const schedule::Schedule &schedule, const std::filesystem::path &database, model::ScheduleChoice &choice)
{
    std::string text = schedule::toText(schedule);
    if (static_cast<base::Bytes>(text.size()) <= kLongestKeptSchedule) {
        choice.text = std::move(text);
        return {};
    }
    std::ostringstream name;
    name << std::hex << std::setw(16) << std::setfill('0') << std::hash<std::string>{}(text) << ".schedule";
    std::error_code error;
    const auto folder = std::filesystem::absolute(database, error).parent_path() / "imported";
    std::filesystem::create_directories(folder, error);
    const auto file = folder / name.str();
    if (const auto written = base::writeFile(file, text); !written)
        return written.error();
    choice.file = file.string();
    return {};
}

/// Writes the steps of a trace into a run that was begun, and ends it.
Result<> fill(store::RunEditor runs, store::RunId run, const exchange::ImportedTrace &trace,
              const model::Experiment &experiment, const std::stop_token &stop)
{
    std::vector<base::Nanos> iterations;
    std::size_t slices = 0;
    for (std::size_t step = 0; step < trace.steps.size(); ++step) {
        if (stop.stop_requested())
            return base::Error::cancelled();
        const timeline::Timeline &timeline = trace.steps[step];
        iterations.push_back(timeline.iteration());
        slices += timeline.sliceCount();
        const auto metrics = simulate::computeMetrics(experiment, trace.schedule, timeline, nullptr, 0);
        const auto number = static_cast<int>(step);
        constexpr double kNoLoss = std::numeric_limits<double>::quiet_NaN();
        const auto added = slices <= kStoredSlices ? runs.addStep(run, number, kNoLoss, timeline.iteration(), timeline, metrics)
                                                   : runs.addStep(run, number, kNoLoss, timeline.iteration());
        if (!added)
            return added;
    }
    const auto median = std::ranges::find(iterations, store::medianIteration(iterations).value_or(iterations.front()));
    const timeline::Timeline &shown = trace.steps[static_cast<std::size_t>(median - iterations.begin())];
    std::vector<timeline::TimelinePtr> steps;
    for (const timeline::Timeline &step : trace.steps)
        steps.emplace_back(timeline::TimelinePtr(), &step); // not owned: the trace outlives it
    const auto typical = simulate::typicalStep(steps, trace.schedule);
    simulate::Metrics metrics =
        simulate::computeMetrics(experiment, trace.schedule, typical ? typical->timeline : shown, nullptr, 0);
    if (typical)
        metrics.typicalOfSteps = typical->steps;
    const auto kept = runs.setTimeline(run, typical ? typical->timeline : shown, metrics);
    return kept ? runs.finish(run, store::RunStatus::Finished, {}) : kept;
}

Result<store::RunId> store(const exchange::ImportedTrace &trace, const model::Experiment &experiment, const std::string &name,
                           const std::string &source, const std::filesystem::path &database, const std::stop_token &stop)
{
    auto opened = store::RunStore::open(database);
    if (!opened)
        return std::move(opened).error();
    const auto run = opened->edit().begin(experiment, timeline::Provenance::Imported, name, {{"source", source}});
    if (!run)
        return run.error();
    if (const auto filled = fill(opened->edit(), *run, trace, experiment, stop); !filled) {
        // A part of a trace is no run.
        if (opened->edit().finish(*run, store::RunStatus::Failed, filled.error().text()))
            (void)opened->remove(*run);
        return filled.error();
    }
    return *run;
}

} // namespace

Result<> withTraceInputs(const std::vector<std::filesystem::path> &files, const std::stop_token &stop,
                         const std::function<void(double)> &tell,
                         const std::function<Result<>(const std::vector<exchange::TraceInput> &inputs)> &import)
{
    std::vector<base::FileReader> readers;
    base::Bytes whole = 0;
    for (const auto &file : files) {
        auto reader = base::FileReader::open(file, kLargestTrace);
        if (!reader)
            return std::move(reader).error();
        whole += reader->size();
        readers.push_back(*std::move(reader));
    }
    base::Bytes done = 0;
    ReadingProgress progress(tell);
    std::vector<exchange::TraceInput> inputs;
    for (std::size_t i = 0; i < files.size(); ++i)
        inputs.push_back({files[i].filename().string(), [&, i](std::span<char> block) -> Result<std::size_t> {
                              if (stop.stop_requested())
                                  return base::Error::cancelled();
                              progress.note(static_cast<double>(done) / static_cast<double>(std::max<base::Bytes>(whole, 1)));
                              auto count = readers[i].read(block);
                              done += count ? static_cast<base::Bytes>(*count) : 0;
                              return count;
                          }});
    return import(inputs);
}

Result<exchange::ImportedTrace> readTraces(const std::vector<std::filesystem::path> &files, const std::stop_token &stop,
                                           const std::function<void(double)> &tell)
{
    exchange::ImportedTrace read;
    const auto done = withTraceInputs(files, stop, tell, [&read](const std::vector<exchange::TraceInput> &inputs) -> Result<> {
        auto trace = exchange::importTrace(inputs);
        if (!trace)
            return std::move(trace).error();
        read = *std::move(trace);
        return {};
    });
    if (!done)
        return done.error();
    return read;
}

Result<store::RunId> storeTrace(const exchange::ImportedTrace &trace, const std::vector<std::filesystem::path> &files,
                                const std::filesystem::path &database, const std::stop_token &stop)
{
    model::Experiment experiment;
    experiment.hasModel = false;
    experiment.parallel.devices = trace.schedule.devices();
    experiment.parallel.microbatches = trace.schedule.microbatches();
    experiment.schedule.family = model::kCustomFamily;
    if (const auto kept = keepSchedule(trace.schedule, database, experiment.schedule); !kept)
        return kept.error();
    experiment.cost.source = costsOf(trace.steps);
    experiment.training.steps = static_cast<int>(trace.steps.size());
    const auto followedPlan = followed(experiment);
    if (!followedPlan)
        return followedPlan.error();
    std::filesystem::path stem = files.front().filename();
    while (stem.has_extension())
        stem = stem.stem();
    std::vector<std::string> names;
    for (const auto &file : files)
        names.push_back(file.filename().string());
    return store(trace, *followedPlan, stem.string(), base::join(names, ", "), database, stop);
}

Result<ImportedRun> importRun(const std::vector<std::filesystem::path> &files, const std::filesystem::path &database,
                              const std::stop_token &stop, const std::function<void(double share)> &progress)
{
    const auto trace = readTraces(files, stop, progress);
    if (!trace)
        return trace.error();
    if (stop.stop_requested())
        return base::Error::cancelled();
    if (progress)
        progress(1);
    const auto run = storeTrace(*trace, files, database, stop);
    if (!run)
        return run.error();
    return ImportedRun{*run, static_cast<int>(trace->steps.size()), trace->incompleteSteps, trace->otherEvents};
}

} // namespace stagelens::service
