#include "engine/service/runs/training_options.h"

#include "engine/base/text.h"
#include "engine/model/experiment_json.h"
#include "engine/runtime/processes/control_channel.h"
#include "engine/runtime/processes/nccl.h"
#include "engine/runtime/training/checkpoint.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stagelens::service {

base::Problems hostProblems(const TrainingOptions &options)
{
    base::Problems problems;
    const auto refuse = [&problems](bool isGiven, const char *option, const char *why) {
        if (isGiven)
            problems.push_back({option, why});
    };
    refuse(!options.dump.empty(), "--dump", "would be written on the other machine; leave it out, or run there");
    refuse(options.checkpointEvery > 0, "--checkpoint-every",
           "checkpoints are written on the machine that trains; leave it out, or run there");
    refuse(options.resume.has_value(), "--resume",
           "a checkpoint is taken up on the machine that wrote it; leave it out, or run there");
    refuse(options.processes != nullptr, "--transport",
           "mpi starts its processes itself; leave out --host, and see run --print-launch");
    return problems;
}
base::Result<ResumedRun> shareResumedRun(const std::shared_ptr<backend::ProcessGroup> &group,
                                         const std::function<base::Result<ResumedRun>()> &find)
{
    if (!group)
        return find();
    const auto text = runtime::shareText(*group, [&find]() -> base::Result<std::string> {
        const auto found = find();
        if (!found)
            return found.error();
        return fmt::format("{}\n{}", found->id, model::toJson(found->experiment).dump());
    });
    if (!text)
        return text.error();
    const std::size_t end = text->find('\n');
    const auto id = base::parseInteger(std::string_view(*text).substr(0, end));
    if (!id)
        return base::Error::failed("process 0 sent no run to resume; start all processes from the same build");
    auto experiment = model::experimentFromJson(text->substr(end + 1), "the resumed run");
    if (!experiment)
        return std::move(experiment).error();
    return ResumedRun{*id, *std::move(experiment)};
}

namespace {

/// Returns the first degree beside the pipeline's that makes more ranks.
std::pair<const char *, int> rankAxis(const model::ParallelPlan &plan)
{
    if (plan.tensor > 1)
        return {"parallel.tensor", plan.tensor};
    return plan.context > 1 ? std::pair("parallel.context", plan.context) : std::pair("parallel.replicas", plan.replicas);
}

} // namespace

base::Problems travelProblems(const model::Experiment &experiment, const TrainingOptions &options)
{
    base::Problems problems = runtime::checkpointProblems(experiment, options.checkpointEvery);
    const backend::ProcessGroup *group = options.processes.get();
    if (experiment.training.mode == model::RunMode::VirtualClock && (group != nullptr || options.isOverNccl))
        problems.push_back({"training.mode", "the virtual clock measures the passes of one process one after another; leave it "
                                             "out over mpi or nccl, or use --transport in-process"});
    if (group == nullptr)
        return problems;
    const int devices = experiment.parallel.devices;
    const std::int64_t ranks = experiment.parallel.ranks(devices);
    const auto [field, degree] = rankAxis(experiment.parallel);
    if (ranks != group->size() && ranks != devices)
        problems.push_back(
            {field,
             fmt::format("is {}, which makes {} ranks of {} devices, but {}{} started, and each trains one; start mpirun -n {}",
                         degree, ranks, devices, group->size(), group->size() == 1 ? " process was" : " processes were",
                         ranks)});
    else if (ranks != group->size())
        problems.push_back(
            {"parallel.devices",
             fmt::format("is {}, but {}{} started, and each trains one device; start mpirun -n {}, or give --devices {}",
                         devices, group->size(), group->size() == 1 ? " process was" : " processes were", devices,
                         group->size())});
    return problems;
}

std::map<std::string, std::string> travelFacts(const TrainingOptions &options)
{
    std::map<std::string, std::string> facts;
    std::string problem;
    const std::string nccl = options.isOverNccl ? fmt::format("nccl {}", runtime::ncclVersion(problem)) : "mpi";
    if (options.isOverNccl)
        facts["transport"] = nccl + ", in one process";
    if (!options.processes)
        return facts;
    facts["transport"] = fmt::format("{}: {}", nccl, options.processes->description());
    if (const double error = options.processes->clockError(); error > 0)
        facts["clocks"] = fmt::format("aligned within {:.1f} us", error / 1000);
    return facts;
}

} // namespace stagelens::service
