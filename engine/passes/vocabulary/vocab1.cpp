// VOCAB-1: two barriers (algorithm 1).
#include "engine/passes/vocabulary/vocabulary_steps.h"

namespace stagelens::schedule {
namespace {

VocabularySteps vocab1Steps(bool isOnLastDevice)
{
    using enum PassValue;
    VocabularySteps steps;
    steps.s = {receiveCopy(LastOutput, OutputInput), step(PassStepKind::Logits, {OutputInput}, {Exponentials}),
               step(PassStepKind::LocalSoftmax, {Exponentials}, {Exponentials, LocalStatistics}),
               step(PassStepKind::CopyStatistics, {LocalStatistics}, {Statistics}), send(Statistics)};
    steps.t = {receive(Statistics, {GlobalStatistics})};
    append(steps.t, outputGradientSteps(GlobalStatistics));
    if (isOnLastDevice)
        steps.t.push_back(loss(GlobalStatistics));
    steps.t.push_back(send(OutputGradient));
    steps.backward = {receive(OutputGradient, {OutputGradient})};
    return steps;
}

} // namespace

const VocabularyLayer &vocab1()
{
    static constexpr VocabularyLayer kLayer{.method = "vocab-1", .steps = vocab1Steps};
    return kLayer;
}

} // namespace stagelens::schedule
