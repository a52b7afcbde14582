#include "app/cli/subject.h"

#include "app/cli/report.h"
#include "engine/base/text.h"
#include "engine/service/engine_service.h"
#include "engine/service/plans/schedule_plan.h"

#include <filesystem>
#include <fmt/format.h>

namespace stagelens::cli {

std::optional<store::RunId> runNumber(const std::string &text)
{
    std::error_code error;
    const auto number = base::parseInteger(text);
    return number && !std::filesystem::exists(text, error) ? number : std::nullopt;
}

base::Result<Subject> runSubject(store::RunId id, const std::string &database, std::optional<int> step)
{
    if (const auto exists = requireDatabase(database); !exists)
        return exists.error();
    auto run = service::StoredRuns(database).load(id, step);
    if (!run)
        return run.error();
    if (!run->timeline || !run->metrics)
        return base::Error::failed(
            fmt::format("run {} has no finished step ({}), so there is nothing to show; choose another run", id,
                        store::name(run->summary.status)));
    auto schedule = service::scheduleOf(run->experiment);
    if (!schedule)
        return schedule.error();
    return Subject{
        fmt::format("run {} ({})", id, runTitle(run->summary)),           run->experiment, *run->metrics, run->timeline,
        std::make_shared<const schedule::Schedule>(*std::move(schedule)), *std::move(run)};
}

base::Result<Subject> subjectOf(const ExperimentArguments &arguments, const std::string &database, std::optional<int> step)
{
    if (const auto run = runNumber(arguments.file)) {
        if (!arguments.given.empty())
            return base::Error::invalid(
                arguments.given.begin()->first,
                fmt::format("cannot change run {}, which has its own plan; leave the option out", *run));
        return runSubject(*run, database, step);
    }
    if (step)
        return base::Error::invalid("--step", "is a step of a stored run, and an experiment has none; leave it out");
    const auto prediction = predictionOf(arguments);
    if (!prediction)
        return prediction.error();
    const service::Prediction &found = **prediction;
    return Subject{arguments.file.empty()  ? "experiment"
                   : arguments.file == "-" ? "standard input"
                                           : arguments.file,
                   found.experiment,
                   found.metrics,
                   found.timeline,
                   found.schedule,
                   std::nullopt};
}

} // namespace stagelens::cli
