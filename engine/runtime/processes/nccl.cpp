#include "engine/runtime/processes/nccl.h"

#include "engine/backend/ordered_transport.h"
#include "engine/backend/plugin.h"
#include "engine/backend/routed_transport.h"
#include "engine/base/environment.h"
#include "engine/runtime/executor/message_order.h"
#include "engine/runtime/machine/accelerators.h"
#include "engine/runtime/processes/packing.h"

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

base::Error tooFew(std::size_t ranks, std::size_t gpus)
{
    return base::Error::invalid("--transport",
                                fmt::format("NCCL puts one rank on a GPU, but {} are to train on the {}{} that can train "
                                            "here; choose --transport in-process, fewer ranks, or more machines",
                                            ranks, gpus, gpus == 1 ? " GPU" : " GPUs"));
}

/// Ranks that exchange messages of one kind over a communicator of their own.
struct NcclGroup {
    layout::Axis axis = layout::Axis::Pipeline; ///< in which its ranks differ
    std::vector<int> ranks;
};

/// Returns the groups in the order in which all processes number them: pipelines, then ranks that share layers, then replicas
/// with their context ranks, which exchange keys among each other and gradients with all; with their tensor ranks too if these
/// have experts of their own. An exchange of experts then uses two communicators, one for the tensor ranks of a replica.
/// Neither waits for the other: a rank sends all its messages before it receives any.
std::vector<NcclGroup> groupsOf(const RunPlan &plan)
{
    const layout::Mesh &mesh = plan.mesh;
    using layout::Axis;
    std::vector<NcclGroup> all;
    const auto add = [&](Axis axis, layout::Axes varying, bool isUsed) {
        if (isUsed)
            for (layout::Group &group : mesh.groups(varying))
                all.push_back({axis, std::move(group.ranks)});
    };
    add(Axis::Pipeline, {Axis::Pipeline}, mesh.size(Axis::Pipeline) > 1 || mesh.ranks() == 1);
    add(Axis::Tensor, {Axis::Tensor}, mesh.size(Axis::Tensor) > 1);
    const bool foldsExperts = plan.experiment.parallel.expert > 1 && mesh.size(Axis::Tensor) > 1;
    const auto ofReplicas =
        foldsExperts ? layout::Axes{Axis::Tensor, Axis::Context, Axis::Data} : layout::Axes{Axis::Context, Axis::Data};
    add(Axis::Data, ofReplicas, mesh.size(Axis::Context) * mesh.size(Axis::Data) > 1);
    return all;
}

/// Returns one small message for every link of the group that the run uses, by numbers of the group.
std::vector<Message> openingMessages(const RunPlan &plan, const NcclGroup &group, const std::vector<Message> &copies)
{
    std::set<std::pair<int, int>> links;
    const auto count = static_cast<int>(group.ranks.size());
    if (group.axis == layout::Axis::Pipeline) {
        for (const auto &order : {messageOrder(plan), forwardMessageOrder(plan), copies})
            for (const Message &message : order)
                links.emplace(message.from, message.to);
    } else {
        for (int from = 0; from < count; ++from)
            for (int to = 0; to < count; ++to)
                if (from != to)
                    links.emplace(from, to);
    }
    std::vector<Message> messages;
    for (const auto &[from, to] : links)
        messages.push_back({from, to, {kOpenLink, 0, 0}, kOpenLinkFloats});
    return messages;
}

std::string textOf(const RunPlan &plan, const NcclGroup &group, const Message &message)
{
    if (group.axis == layout::Axis::Pipeline)
        return messageText(plan, message);
    return fmt::format("a part of {} from rank {} to rank {}",
                       group.axis == layout::Axis::Tensor          ? "a layer's numbers"
                       : plan.experiment.parallel.expert > 1       ? "the rows of experts or the parameters"
                       : plan.mesh.size(layout::Axis::Context) > 1 ? "the keys or the parameters"
                                                                   : "the parameters",
                       group.ranks[size(message.from)], group.ranks[size(message.to)]);
}

/// Returns the ids by which the ranks of each group connect; the first process creates them.
base::Result<std::vector<backend::Bytes>> sharedIds(backend::Gpus &gpus, std::size_t groups, const ControlChannel &control,
                                                    const std::stop_token &halt)
{
    std::vector<backend::Bytes> ids;
    for (std::size_t i = 0; i < groups; ++i) {
        backend::Bytes id;
        try {
            if (control.isFirst())
                id = gpus.newNcclId();
        } catch (const std::exception &error) {
            return base::Error::failed(error.what());
        }
        if (!control.isAlone()) {
            auto shared = control.group()->broadcast(std::move(id), halt);
            if (!shared)
                return shared.error();
            id = std::move(shared).value();
        }
        ids.push_back(std::move(id));
    }
    return ids;
}

/// Returns the GPU of this process's rank at its place among all ranks, where the others are -1.
base::Result<std::vector<int>> placesInProcesses(backend::ProcessGroup &group, const std::vector<backend::Gpu> &gpus,
                                                 std::size_t ranks, const std::stop_token &halt)
{
    std::vector<int> own;
    for (std::size_t i = 0; i < gpus.size(); ++i)
        if (gpus[i].problem.empty())
            own.push_back(static_cast<int>(i));
    Packer addresses;
    addresses.put(own.size());
    for (const int gpu : own)
        addresses.put(gpus[size(gpu)].address);
    const auto all = allGather(group, addresses.take(), halt);
    if (!all)
        return all.error();
    std::vector<std::vector<std::string>> visible;
    std::set<std::string> distinct;
    std::size_t process = 0;
    for (const int rank : group.ranksOnThisMachine()) {
        process = rank == group.rank() ? visible.size() : process;
        std::vector<std::string> &seen = visible.emplace_back();
        Unpacker packed((*all)[size(rank)]);
        for (std::size_t left = packed.count(1); left > 0; --left)
            seen.push_back(packed.text());
        distinct.insert(seen.begin(), seen.end());
    }
    const auto chosen = gpuOfProcess(visible)[process];
    if (!chosen)
        return tooFew(visible.size(), distinct.size());
    std::vector<int> places(ranks, -1);
    places[size(group.rank())] = own[size(*chosen)];
    return places;
}

/// Returns the index among the ranks of this process, or nothing.
std::optional<std::size_t> indexHere(const ControlChannel &control, int rank)
{
    const auto found = std::ranges::find(control.ranks(), rank);
    return found == control.ranks().end() ? std::nullopt : std::optional(size(found - control.ranks().begin()));
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

base::Result<std::vector<int>> ncclPlaces(const model::Experiment &experiment, const ProcessGroupPtr &group,
                                          const std::stop_token &halt)
{
    if (experiment.training.backend != "cuda")
        return base::Error::invalid("training.backend", fmt::format("NCCL carries tensors between GPUs, but the backend is {}; "
                                                                    "choose --backend cuda, or --transport in-process or mpi",
                                                                    experiment.training.backend));
    if (experiment.parallel.expert > 1 && experiment.parallel.expertDispatch == model::ExpertDispatch::PerNode)
        return base::Error::invalid("--transport",
                                    "is nccl, to which ranks do not yet tell how many tokens they forward within "
                                    "a node; choose --transport in-process, or --expert-dispatch expert");
    const GpuList found = gpus();
    if (!found.problem.empty())
        return base::Error::invalid("training.backend", "cuda is not available: " + found.problem + "; choose cpu");
    std::string problem;
    if (ncclVersion(problem).empty())
        return base::Error::invalid("--transport", "nccl is not available: " + problem);
    const auto ranks = static_cast<std::size_t>(experiment.parallel.ranks(experiment.parallel.devices));
    if (group)
        return placesInProcesses(*group, found.gpus, ranks, halt);
    const auto usable =
        static_cast<std::size_t>(std::ranges::count_if(found.gpus, [](const auto &gpu) { return gpu.problem.empty(); }));
    return usable < ranks ? base::Result<std::vector<int>>(tooFew(ranks, usable))
                          : gpuOfRank(found.gpus, static_cast<int>(ranks));
}

base::Result<std::unique_ptr<backend::Transport>> makeNcclTransport(const RunPlan &plan, const ControlChannel &control,
                                                                    const NcclParts &parts, std::stop_token halt)
{
    if (plan.sumsOverDevices(kTokenTable))
        return base::Error::invalid(
            "--transport", fmt::format("NCCL does not yet carry the sums of {} over the rows of sharded tables; choose "
                                       "--transport in-process, another optimizer, or a vocabulary that is not sharded",
                                       plan.experiment.training.optimizer.name));
    std::string problem;
    backend::Gpus &gpus = *backend::cudaGpus(problem);
    const std::vector<NcclGroup> groups = groupsOf(plan);
    const auto ids = sharedIds(gpus, groups.size(), control, halt);
    if (!ids)
        return ids.error();
    std::vector<backend::RoutedGroup> routed;
    for (std::size_t number = 0; number < groups.size(); ++number) {
        const NcclGroup &group = groups[number];
        backend::OrderedSettings settings;
        settings.ranks = static_cast<int>(group.ranks.size());
        for (int member = 0; member < settings.ranks; ++member) {
            const int rank = group.ranks[size(member)];
            const auto index = indexHere(control, rank);
            if (!index)
                continue;
            settings.here.push_back({member, &parts.memories[*index]->pool(),
                                     [&gpus, id = (*ids)[number], ranks = settings.ranks, member,
                                      gpu = parts.places[size(rank)]] { return gpus.joinNccl(id, ranks, member, gpu); }});
            if (plan.mesh.ranks() > plan.schedule.devices())
                settings.here.back().name = fmt::format("rank {}", rank);
        }
        if (settings.here.empty())
            continue;
        settings.describe = [&plan, group](const Message &message) { return textOf(plan, group, message); };
        settings.progress = [passes = parts.passes, group = control.group()] {
            return passes() + (group ? group->progress() : 0);
        };
        settings.stallTimeout = base::secondsFromEnvironment("STAGELENS_NCCL_PATIENCE_SECONDS", kPatience);
        settings.stop = halt;
        routed.push_back({group.ranks, backend::makeOrderedTransport(std::move(settings))});
    }
    return std::unique_ptr<backend::Transport>(
        std::make_unique<backend::RoutedTransport>(plan.mesh.ranks(), std::move(routed)));
}

base::Result<> openLinks(const RunPlan &plan, const ControlChannel &control, const std::vector<backend::Message> &copies,
                         const std::vector<DeviceMemory *> &memories, backend::Transport &transport)
{
    const auto eachMessage = [&](const auto &visit) -> base::Result<> { // of a rank of this process, by numbers of the mesh
        for (const NcclGroup &group : groupsOf(plan)) {
            std::vector<Message> messages = openingMessages(plan, group, copies);
            for (Message &message : messages) {
                message.from = group.ranks[size(message.from)];
                message.to = group.ranks[size(message.to)];
            }
            for (const int rank : group.ranks)
                if (const auto index = indexHere(control, rank))
                    if (!visit(rank, *index, messages))
                        return base::Error::cancelled();
        }
        return {};
    };
    const auto send = [&](int rank, std::size_t index, const std::vector<Message> &messages) {
        transport.announce(rank, messages);
        for (const Message &message : messages)
            if (message.from == rank)
                transport.send(rank, message.to, message.key, memories[index]->allocateMessage(message.floats));
        return true;
    };
    const auto receive = [&](int rank, std::size_t /*index*/, const std::vector<Message> &messages) {
        return std::ranges::all_of(messages, [&](const Message &message) {
            return message.to != rank || transport.receive(message.from, rank, message.key) != nullptr;
        });
    };
    const auto sent = eachMessage(send);
    return sent ? eachMessage(receive) : sent;
}

} // namespace stagelens::runtime
