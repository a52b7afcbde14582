#include "engine/runtime/processes/nccl.h"

#include "engine/backend/ordered_transport.h"
#include "engine/backend/plugin.h"
#include "engine/base/environment.h"
#include "engine/runtime/executor/message_order.h"
#include "engine/runtime/machine/accelerators.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace stagelens::runtime {
namespace {

using backend::Message;

/// Kind of the messages that open links, in addition to schedule::Transfer and those of ControlChannel.
constexpr std::uint8_t kOpenLink = 253;
constexpr std::int64_t kOpenLinkFloats = 16;

/// Seconds that a run may make no progress; STAGELENS_NCCL_PATIENCE_SECONDS overrides them.
constexpr double kPatience = 10;

base::Error tooFew(std::size_t devices, std::size_t gpus)
{
    return base::Error::invalid("--transport",
                                fmt::format("NCCL puts one device on a GPU, but {} are to train on the {}{} that can train "
                                            "here; choose --transport in-process, fewer devices, or more machines",
                                            devices, gpus, gpus == 1 ? " GPU" : " GPUs"));
}

/// Returns one small message for every link that the messages of the run use.
std::vector<Message> openingMessages(const std::vector<std::vector<Message>> &orders)
{
    std::set<std::pair<int, int>> links;
    for (const auto &order : orders)
        for (const Message &message : order)
            links.emplace(message.from, message.to);
    std::vector<Message> messages;
    for (const auto &[from, to] : links)
        messages.push_back({from, to, {kOpenLink, 0, 0}, kOpenLinkFloats});
    return messages;
}

/// Returns the id by which the ranks connect; the first process creates it.
base::Result<backend::Bytes> sharedId(backend::Gpus &gpus, const ControlChannel &control, const std::stop_token &halt)
{
    backend::Bytes id;
    try {
        if (control.isFirst())
            id = gpus.newNcclId();
    } catch (const std::exception &error) {
        return base::Error::failed(error.what());
    }
    return control.isAlone() ? base::Result<backend::Bytes>(std::move(id)) : control.group()->broadcast(std::move(id), halt);
}

} // namespace

void prepareForNccl()
{
    ::setenv("CUDA_MODULE_LOADING", "EAGER", 0);
}

std::string ncclVersion(std::string &problem)
{
    backend::Gpus *all = backend::cudaGpus(problem);
    return all == nullptr ? std::string() : all->ncclVersion(problem);
}

base::Result<std::vector<int>> ncclPlaces(const model::Experiment &experiment, const ProcessGroupPtr &group)
{
    if (experiment.training.backend != "cuda")
        return base::Error::invalid("training.backend", fmt::format("NCCL carries tensors between GPUs, but the backend is {}; "
                                                                    "choose --backend cuda, or --transport in-process or mpi",
                                                                    experiment.training.backend));
    const GpuList found = gpus();
    if (!found.problem.empty())
        return base::Error::invalid("training.backend", "cuda is not available: " + found.problem + "; choose cpu");
    std::string problem;
    if (ncclVersion(problem).empty())
        return base::Error::invalid("--transport", "nccl is not available: " + problem);
    if (experiment.parallel.ranks(experiment.parallel.devices) > experiment.parallel.devices)
        return base::Error::invalid("--transport", "NCCL carries the messages of one pipeline, but the plan has several ranks of "
                                                   "a device; choose --transport in-process");
    const auto devices = static_cast<std::size_t>(experiment.parallel.devices);
    const auto usable =
        static_cast<std::size_t>(std::ranges::count_if(found.gpus, [](const auto &gpu) { return gpu.problem.empty(); }));
    const std::vector<int> onThisMachine = group ? group->ranksOnThisMachine() : std::vector<int>(devices);
    if (usable < onThisMachine.size())
        return tooFew(onThisMachine.size(), usable);
    const std::vector<int> own = gpuOfRank(found.gpus, static_cast<int>(onThisMachine.size()));
    if (!group)
        return own;
    std::vector<int> places(devices, -1);
    const auto place = std::ranges::find(onThisMachine, group->rank()) - onThisMachine.begin();
    places[size(group->rank())] = own[size(place)];
    return places;
}

base::Result<std::unique_ptr<backend::Transport>> makeNcclTransport(const RunPlan &plan, const ControlChannel &control,
                                                                    const NcclParts &parts, std::stop_token halt)
{
    std::string problem;
    backend::Gpus &gpus = *backend::cudaGpus(problem);
    auto id = sharedId(gpus, control, halt);
    if (!id)
        return id.error();
    backend::OrderedSettings settings;
    settings.ranks = plan.schedule.devices();
    settings.describe = [&plan](const Message &message) { return messageText(plan, message); };
    settings.progress = [passes = parts.passes, group = control.group()] { return passes() + (group ? group->progress() : 0); };
    settings.stallTimeout = base::secondsFromEnvironment("STAGELENS_NCCL_PATIENCE_SECONDS", kPatience);
    settings.stop = std::move(halt);
    for (std::size_t i = 0; i < control.ranks().size(); ++i) {
        const int rank = control.ranks()[i];
        settings.here.push_back(
            {rank, &parts.memories[i]->pool(), [&gpus, id = *id, ranks = settings.ranks, rank, gpu = parts.places[size(rank)]] {
                 return gpus.joinNccl(id, ranks, rank, gpu);
             }});
    }
    return backend::makeOrderedTransport(std::move(settings));
}

base::Result<> openLinks(const RunPlan &plan, const ControlChannel &control, std::vector<backend::Message> copies,
                         const std::vector<DeviceMemory *> &memories, backend::Transport &transport)
{
    const std::vector<Message> messages = openingMessages({messageOrder(plan), forwardMessageOrder(plan), std::move(copies)});
    transport.announce(messages);
    const std::vector<int> &ranks = control.ranks();
    for (std::size_t i = 0; i < ranks.size(); ++i)
        for (const Message &message : messages)
            if (message.from == ranks[i])
                transport.send(message.from, message.to, message.key, memories[i]->allocateMessage(message.floats));
    for (const int rank : ranks)
        for (const Message &message : messages)
            if (message.to == rank && !transport.receive(message.from, message.to, message.key))
                return base::Error::cancelled();
    return {};
}

} // namespace stagelens::runtime
