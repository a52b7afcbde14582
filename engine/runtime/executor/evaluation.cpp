#include "engine/runtime/executor/evaluation.h"

#include "engine/runtime/executor/gang.h"
#include "engine/runtime/executor/message_order.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <tuple>

namespace stagelens::runtime {
namespace {

using schedule::Pass;
using schedule::PassKind;

/// Returns the position of a pass kind in the order of forward dependencies; nothing for backward passes.
std::optional<int> rankOf(PassKind kind)
{
    switch (kind) {
    case PassKind::EF: return 0;
    case PassKind::F: return 1;
    case PassKind::S: return 2;
    case PassKind::U: return 3;
    default: return std::nullopt;
    }
}

bool isOfGang(const Device &one, const Device &other)
{
    const RankPlace &a = one.place();
    const RankPlace &b = other.place();
    return a.device == b.device && (a.tensor != b.tensor || a.context != b.context || a.replica != b.replica);
}

base::Result<> runGang(const std::vector<Device *> &gang, std::vector<PassRun> &runs, const std::stop_token &halt)
{
    std::vector<PassRun *> begun;
    for (std::size_t rank = 0; rank < gang.size(); ++rank) {
        if (!gang[rank]->receive(runs[rank]))
            return base::Error::cancelled();
        gang[rank]->beginNewest(runs[rank]);
        begun.push_back(&runs[rank]);
    }
    const auto made = computeTogether(gang, begun);
    for (Device *device : gang)
        device->endNewest();
    if (halt.stop_requested()) // interrupted kernels leave undefined results
        return base::Error::cancelled();
    if (!made)
        return made.error();
    for (std::size_t rank = 0; rank < gang.size(); ++rank)
        gang[rank]->publish(runs[rank]);
    return {};
}

base::Result<> endForward(const std::vector<Device *> &devices, int microbatch, const std::stop_token &halt)
{
    for (Device *device : devices) {
        const auto ended = device->endForward(microbatch);
        if (halt.stop_requested())
            return base::Error::cancelled();
        if (!ended)
            return ended;
    }
    return {};
}

base::Result<> runForward(const std::vector<ForwardPass> &passes, const std::vector<Device *> &devices,
                          const std::stop_token &halt)
{
    for (auto first = passes.begin(); first != passes.end();) {
        const int microbatch = first->pass.microbatch;
        std::vector<Device *> gang; // all ranks of a device in this process
        std::vector<PassRun> runs;
        for (; first != passes.end() && first->pass.microbatch == microbatch &&
               (gang.empty() || isOfGang(*devices[first->device], *gang.front()));
             ++first) {
            gang.push_back(devices[first->device]);
            runs.push_back(gang.back()->makeRun(first->pass));
        }
        if (auto made = runGang(gang, runs, halt); !made)
            return made;
        if (first == passes.end() || first->pass.microbatch != microbatch)
            if (auto ended = endForward(devices, microbatch, halt); !ended)
                return ended;
    }
    return {};
}

} // namespace

std::vector<ForwardPass> forwardPasses(const schedule::Schedule &schedule, const std::vector<int> &devices)
{
    std::vector<ForwardPass> passes;
    for (std::size_t place = 0; place < devices.size(); ++place)
        for (const Pass &pass : schedule.device(devices[place]))
            if (pass.microbatch < schedule.slices() && rankOf(pass.kind))
                passes.push_back({place, pass});
    std::ranges::stable_sort(passes, {}, [](const ForwardPass &each) {
        return std::tuple(each.pass.microbatch, rankOf(each.pass.kind), each.pass.stage);
    });
    return passes;
}

base::Result<std::optional<double>> evaluateHeldBack(const RunPlan &plan, const std::vector<Device *> &devices,
                                                     const TokenSource &tokens, int steps, const std::stop_token &halt)
{
    if (tokens.heldBackSequences() == 0)
        return std::optional<double>();
    if (devices.empty())
        return std::optional(0.0);
    Shape shape = plan.shape;
    shape.microbatches = shape.replicas = shape.iterations = 1;
    const int together = plan.replicasPerExpertGroup(); // replicas that share experts compute a microbatch each
    std::vector<Batch> batches(size(together), Batch(shape));
    std::vector<int> ranks;
    for (Device *device : devices)
        ranks.push_back(device->place().device);
    const std::vector<ForwardPass> passes = forwardPasses(plan.schedule, ranks);
    const std::vector<backend::Message> messages = forwardMessageOrder(plan);
    const std::int64_t counted = tokens.heldBackSequences() * shape.wholeSequence();
    std::vector<double> sums(devices.size()); // of each rank, so that processes add them in the same order
    for (int first = 0; first * shape.wholeTokens() < counted; first += together) {
        for (int i = 0; i < together; ++i) {
            const std::int64_t left = counted - (first + i) * shape.wholeTokens();
            batches[size(i)].loadHeldBack(tokens, left > 0 ? first + i : first,
                                          std::clamp<std::int64_t>(left, 0, shape.wholeTokens()));
        }
        for (Device *device : devices)
            device->beginStep(batches[size(device->place().replica)], steps, StepUse::Evaluation);
        for (Device *device : devices)
            device->transport().announce(device->place().device, messages);
        if (auto done = runForward(passes, devices, halt); !done) {
            if (done.error().kind != base::ErrorKind::Failed)
                return done.error();
            return base::Error::failed(
                fmt::format("evaluation on held-back tokens after {} steps: {}", steps, done.error().text()));
        }
        for (std::size_t i = 0; i < devices.size(); ++i)
            sums[i] += plan.hasOwnLosses(devices[i]->place()) ? devices[i]->lossSums().front() : 0;
    }
    return std::optional(std::accumulate(sums.begin(), sums.end(), 0.0));
}

} // namespace stagelens::runtime
