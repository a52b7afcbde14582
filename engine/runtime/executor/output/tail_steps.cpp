#include "engine/runtime/executor/output/tail_steps.h"

#include <algorithm>

namespace stagelens::runtime {

using schedule::PassStepKind;
using schedule::PassValue;

namespace {

/// `gradient`: null if only the loss is computed.
void runWhole(int microbatch, ConstValues x, float *gradient, const TailInputs &inputs)
{
    for (const OutputTail &tail : inputs.model.tails())
        inputs.state.losses[size(microbatch)] += tail.run(
            {microbatch, x, inputs.state.words(microbatch), inputs.state.counted(microbatch), gradient}, inputs.context);
}

bool runShards(PassRun &run, const schedule::PassStep &step, const TailInputs &inputs)
{
    const TailShards &shards = *inputs.model.tailShards();
    const Context &context = inputs.context;
    const int microbatch = run.pass().microbatch;
    const std::vector<TailRows> tails = tailRows(inputs.state, microbatch, context.shape);
    const auto in = [&](std::size_t i) { return run.in(step.in[i], context); };
    const auto made = [&](PassValue value) { return std::ranges::count(step.out, value) > 0 ? inputs.place(value) : Values(); };
    switch (step.kind) {
    case PassStepKind::Narrow: shards.narrow(inputs.place(step.out.front()), in(0), tails, context); return true;
    case PassStepKind::NarrowBackward:
        shards.narrowBackward(inputs.place(step.out.front()), in(0), in(1), tails, context);
        return true;
    case PassStepKind::TailStatistics:
        shards.statistics({made(PassValue::WeighedRows), made(PassValue::LabelRows)}, microbatch, tails, context);
        return true;
    case PassStepKind::RescaleTails: shards.rescale(made(PassValue::WeighedRows), microbatch, tails, context); return true;
    case PassStepKind::TailGradients:
        shards.addGradients(made(PassValue::OutputGradient), run.statistics(step.in.back(), context), microbatch, tails,
                            context);
        return true;
    default: return false;
    }
}

} // namespace

bool runTailStep(PassRun &run, const schedule::PassStep &step, const TailInputs &inputs)
{
    const auto in = [&](std::size_t i) { return run.in(step.in[i], inputs.context); };
    switch (step.kind) {
    case PassStepKind::Tails: runWhole(run.pass().microbatch, in(0), in(1).floats(), inputs); return true;
    case PassStepKind::TailLoss: runWhole(run.pass().microbatch, in(0), nullptr, inputs); return true;
    case PassStepKind::Narrow:
    case PassStepKind::NarrowBackward:
    case PassStepKind::TailStatistics:
    case PassStepKind::RescaleTails:
    case PassStepKind::TailGradients: return inputs.model.tailShards() && runShards(run, step, inputs);
    default: return false;
    }
}

} // namespace stagelens::runtime
