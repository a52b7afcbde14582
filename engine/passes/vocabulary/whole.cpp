// The whole vocabulary layers inside F and B of the first and the last stage (methods none and redis).
#include "engine/passes/vocabulary/vocabulary_steps.h"

namespace stagelens::schedule {
namespace {

VocabularySteps wholeSteps(bool /*isOnLastDevice*/)
{
    using enum PassValue;
    VocabularySteps steps;
    steps.normOutput = OutputInput;
    steps.sendsNormOutput = false;
    steps.shardsEmbedding = false;
    // The only shard is the whole vocabulary, so its local statistics are the global ones.
    steps.forward =
        apart({step(PassStepKind::Logits, {OutputInput}, {Exponentials}),
               step(PassStepKind::LocalSoftmax, {Exponentials}, {Exponentials, LocalStatistics}), loss(LocalStatistics)});
    // Not split by I and W: W would need the gradient of the logits, [b s, V] for each microbatch in flight.
    steps.backward = apart(outputGradientSteps(LocalStatistics));
    return steps;
}

} // namespace

const VocabularyLayer &whole()
{
    static constexpr VocabularyLayer kLayer{.method = "none", .steps = wholeSteps};
    return kLayer;
}

} // namespace stagelens::schedule
