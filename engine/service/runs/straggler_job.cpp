#include "engine/service/runs/straggler_job.h"

#include "engine/base/progress_log.h"
#include "engine/exchange/stragglers/straggler_trace.h"

#include <algorithm>

namespace stagelens::service {

bool isStragglerFile(const std::filesystem::path &file)
{
    return file.extension() == ".csv";
}

base::Result<StragglerAnalysis> importStragglers(const std::filesystem::path &file,
                                                 const std::optional<std::filesystem::path> &database,
                                                 const std::stop_token &stop, const std::function<void(double share)> &progress)
{
    exchange::StragglerTrace trace;
    const auto half = [&progress](double begin) {
        return [&progress, begin](double share) {
            if (progress)
                progress(begin + share / 2);
        };
    };
    const auto read =
        withTraceInputs({file}, stop, half(0), [&trace](const std::vector<exchange::TraceInput> &inputs) -> base::Result<> {
            auto found = exchange::importStragglers(inputs.front());
            if (!found)
                return std::move(found).error();
            trace = *std::move(found);
            return {};
        });
    if (!read)
        return read.error();
    base::ProgressLog log("replaying the job");
    auto report = simulate::analyseStragglers(trace.job, stop, [&log, told = half(0.5)](double share) {
        log.note(share);
        told(share);
    });
    if (!report)
        return std::move(report).error();
    StragglerAnalysis analysis;
    analysis.devices = trace.job.devices();
    analysis.replicas = trace.job.replicas;
    analysis.microbatches = trace.job.schedule.microbatches();
    analysis.operations = trace.job.durations.size();
    analysis.skewedMessages = trace.skewedMessages;
    analysis.report = *std::move(report);
    if (database) {
        exchange::ImportedTrace steps;
        steps.schedule = std::move(trace.job.schedule);
        steps.steps = std::move(trace.steps);
        const auto run = storeTrace(steps, {file}, *database, stop);
        if (!run)
            return run.error();
        analysis.run = *run;
    }
    return analysis;
}

base::Result<ImportedRun> importMeasured(const std::vector<std::filesystem::path> &files, const std::filesystem::path &database,
                                         const std::stop_token &stop, const std::function<void(double share)> &progress)
{
    const auto found = std::ranges::find_if(files, isStragglerFile);
    if (found == files.end())
        return importRun(files, database, stop, progress);
    if (files.size() > 1)
        return base::Error::invalid(found->filename().string(), "is a straggler trace, which has the rows of all workers; "
                                                                "import it alone");
    auto analysis = importStragglers(*found, database, stop, progress);
    if (!analysis)
        return std::move(analysis).error();
    ImportedRun imported;
    imported.run = analysis->run.value_or(0);
    imported.steps = static_cast<int>(analysis->report.steps.size());
    imported.stragglers = std::make_shared<const StragglerAnalysis>(*std::move(analysis));
    return imported;
}

} // namespace stagelens::service
