#include "engine/service/machine/backends.h"

#include "engine/runtime/machine/accelerators.h"
#include "engine/runtime/processes/nccl.h"

#include "commit.h"

#include <fmt/format.h>

namespace stagelens::service {

std::vector<BackendInfo> backends()
{
    const runtime::GpuList found = runtime::gpus();
    return {
        {"cpu", "this machine's processor, fp32, or bf16 and fp16 emulated, one thread a device", true, {}},
        {"cuda",
         "NVIDIA GPUs, fp32, bf16 or fp16, or fp8 emulated" + (found.gpus.empty() ? "" : ": " + runtime::gpusText(found.gpus)),
         found.problem.empty(), found.problem}};
}

std::vector<BackendInfo> transports()
{
    const std::string problem = runtime::mpiProblem();
    std::string ncclProblem;
    const std::string nccl = runtime::ncclVersion(ncclProblem);
    return {{"in-process", "ranks are threads of one process; tensors change hands without a copy", true, {}},
            {"mpi", "ranks are processes that mpirun starts, on one machine or several", problem.empty(), problem},
            {"nccl",
             fmt::format("NCCL {}: each rank has a GPU of its own, all in one process or each in one that mpirun starts", nccl),
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

} // namespace stagelens::service
