#include "engine/runtime/evaluation.h"

#include "engine/base/text.h"

#include <algorithm>

namespace stagelens::runtime {
namespace {

using schedule::Pass;
using schedule::PassKind;

/// A forward pass and the place of the device that runs it among those of this process.
struct Step {
    std::size_t device = 0;
    Pass pass;
};

/// Place of a forward pass's kind in the order in which they need one another; nothing for the kinds of the backward.
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

/// The forward passes of microbatch 0, each after what it needs.
std::vector<Step> forwardPasses(const schedule::Schedule &schedule, const Devices &devices)
{
    std::vector<Step> steps;
    for (std::size_t device = 0; device < devices.size(); ++device)
        for (const Pass &pass : schedule.device(devices[device]->rank()))
            if (pass.microbatch == 0 && rankOf(pass.kind))
                steps.push_back({device, pass});
    std::ranges::stable_sort(steps, {}, [](const Step &step) { return std::pair(rankOf(step.pass.kind), step.pass.stage); });
    return steps;
}

base::Result<> runForward(const std::vector<Step> &steps, const Devices &devices, const std::stop_token &halt)
{
    for (const auto &[index, pass] : steps) {
        Device &device = *devices[index];
        auto mail = device.receive(pass);
        if (!mail)
            return base::Error::cancelled();
        auto made = device.computeNewest(pass, *std::move(mail));
        if (halt.stop_requested()) // what the kernels left is worthless then
            return base::Error::cancelled();
        if (!made)
            return made.error();
        device.publish(pass, std::move(made).value());
    }
    for (const auto &device : devices) {
        const auto ended = device->endForward(0);
        if (halt.stop_requested())
            return base::Error::cancelled();
        if (!ended)
            return ended;
    }
    return {};
}

} // namespace

base::Result<std::optional<double>> evaluateHeldBack(const RunPlan &plan, const Devices &devices, const TokenSource &tokens,
                                                     int steps, const std::stop_token &halt)
{
    const int microbatches = tokens.heldBackMicrobatches();
    if (microbatches == 0)
        return std::optional<double>();
    Shape shape = plan.shape;
    shape.microbatches = 1;
    Batch batch(shape);
    const std::vector<Step> passes = forwardPasses(plan.schedule, devices);
    double sum = 0;
    for (int microbatch = 0; microbatch < microbatches; ++microbatch) {
        batch.loadHeldBack(tokens, microbatch);
        for (const auto &device : devices)
            device->beginStep(batch, steps, StepUse::Evaluation);
        if (auto done = runForward(passes, devices, halt); !done) {
            if (done.error().kind != base::ErrorKind::Failed)
                return done.error();
            return base::Error::failed(
                base::concat("evaluation on held-back tokens after ", steps, " steps: ", done.error().text()));
        }
        for (const auto &device : devices)
            sum += device->lossSum();
    }
    return std::optional(sum / static_cast<double>(microbatches * shape.tokens()));
}

} // namespace stagelens::runtime
