// The tails of an adaptive softmax (arXiv 1609.04309), beside the head. One device computes them after it; shards compute
// theirs from narrow rows, which the last stage sends with X, and exchange the statistics of head and tails together.
#include "engine/passes/vocabulary/vocabulary_steps.h"

#include <algorithm>

namespace stagelens::schedule {
namespace {

bool has(const PassSteps &steps, PassStepKind kind)
{
    return std::ranges::count(steps, kind, &PassStep::kind) > 0;
}

/// `makesRows`: S makes the parts of the gradient of X (VOCAB-2).
PassStep tailStatistics(bool makesRows)
{
    using enum PassValue;
    PassStep made = step(PassStepKind::TailStatistics, {OutputInput}, {Exponentials, LocalStatistics});
    if (makesRows)
        made.out.insert(made.out.end(), {WeighedRows, PassValue::LabelRows});
    return made;
}

PassStep rescaledTails(bool makesRows)
{
    using enum PassValue;
    const std::vector<PassValue> values = makesRows ? std::vector{LocalStatistics, WeighedRows} : std::vector{LocalStatistics};
    return step(PassStepKind::RescaleTails, values, values);
}

PassStep tailGradients(PassStep ofHead, bool makesRows)
{
    ofHead.kind = PassStepKind::TailGradients;
    if (!makesRows) {
        ofHead.in.insert(ofHead.in.begin(), PassValue::OutputGradient);
        ofHead.out = {PassValue::OutputGradient};
    }
    return ofHead;
}

/// Puts the statistics of the tails before the logits of the head, whose room they use, and their gradients after its own.
PassSteps withShardedTails(const PassSteps &steps, bool makesRows)
{
    PassSteps made;
    for (const PassStep &each : steps) {
        if (each.kind == PassStepKind::Logits)
            made.push_back(tailStatistics(makesRows));
        made.push_back(each);
        if (each.kind == PassStepKind::Exponentiate)
            made.push_back(rescaledTails(makesRows));
        if (each.kind == PassStepKind::WeightGradient)
            made.push_back(tailGradients(each, makesRows));
    }
    return made;
}

} // namespace

VocabularySteps withTails(VocabularySteps steps)
{
    using enum PassValue;
    if (!steps.s.empty()) {
        const bool makesRows = has(steps.s, PassStepKind::LabelRows);
        for (PassSteps *list : {&steps.s, &steps.u, &steps.t})
            *list = withShardedTails(*list, makesRows);
        steps.mapsOutput = true;
        return steps;
    }
    append(steps.backward,
           apart({step(PassStepKind::Tails, {OutputInput, OutputGradient, Exponentials, LocalStatistics}, {OutputGradient})}));
    steps.evaluation = apart({step(PassStepKind::TailLoss, {OutputInput, Exponentials, LocalStatistics}, {})});
    return steps;
}

} // namespace stagelens::schedule
