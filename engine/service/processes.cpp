#include "engine/service/processes.h"

#include "engine/runtime/processes/nccl.h"
#include "engine/runtime/training/checkpoint.h"

#include "commit.h"

#include <fmt/format.h>

namespace stagelens::service {

std::vector<BackendInfo> transports()
{
    const std::string problem = runtime::mpiProblem();
    std::string ncclProblem;
    const std::string nccl = runtime::ncclVersion(ncclProblem);
    return {
        {"in-process", "devices are threads of one process; tensors change hands without a copy", true, {}},
        {"mpi", "devices are processes that mpirun starts, on one machine or several", problem.empty(), problem},
        {"nccl",
         fmt::format("NCCL {}: each device has a GPU of its own, in one process or in one a device that mpirun starts", nccl),
         ncclProblem.empty(), ncclProblem}};
}

base::Result<runtime::ProcessGroupPtr> joinProcesses(bool isOverNccl)
{
    if (isOverNccl)
        runtime::prepareForNccl();
    if (const std::string problem = runtime::mpiProblem(); !problem.empty())
        return base::Error::invalid("--transport", "mpi is not available: " + problem);
    auto group = runtime::joinThroughMpi();
    if (!group)
        return base::Error::invalid("--transport", "the processes could not be joined: " + group.error().text());
    if (auto same = runtime::requireSame(**group, "build", STAGELENS_COMMIT, "install the same one everywhere", {}); !same)
        return (*group)->failure().value_or(same.error());
    if (auto same =
            runtime::requireSame(**group, "--transport", isOverNccl ? "nccl" : "mpi", "give all of them the same one", {});
        !same)
        return (*group)->failure().value_or(same.error());
    return group;
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
    base::Problems problems = options.checkpointEvery > 0 ? runtime::checkpointProblems(experiment) : base::Problems();
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
    if (options.checkpointEvery > 0)
        problems.push_back(
            {"--checkpoint-every", "checkpoints are written in process only; leave it out, or use --transport in-process"});
    if (options.resume)
        problems.push_back(
            {"--resume", "a checkpoint is taken up in process only; leave it out, or use --transport in-process"});
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
