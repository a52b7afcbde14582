// The naive grouping with three barriers (section 4.1): maxima, sums, gradient.
#include "engine/passes/vocabulary/vocabulary_steps.h"

namespace stagelens::schedule {
namespace {

VocabularySteps naiveSteps(bool isOnLastDevice)
{
    using enum PassValue;
    VocabularySteps steps;
    steps.s = {receiveCopy(LastOutput, OutputInput), step(PassStepKind::Logits, {OutputInput}, {Exponentials}),
               step(PassStepKind::RowMaxima, {Exponentials}, {LocalStatistics}),
               step(PassStepKind::CopyStatistics, {LocalStatistics}, {Maxima}), send(Maxima)};
    steps.u = {receive(Maxima, {LocalStatistics}),
               step(PassStepKind::Exponentiate, {Exponentials, LocalStatistics}, {Exponentials, LocalStatistics}),
               step(PassStepKind::CopyStatistics, {LocalStatistics}, {Sums}), send(Sums)};
    PassStep sums = receive(Sums, {GlobalStatistics});
    sums.in.push_back(LocalStatistics); // the maxima are global since U
    steps.t = {sums};
    append(steps.t, outputGradientSteps(GlobalStatistics));
    if (isOnLastDevice)
        steps.t.push_back(loss(GlobalStatistics));
    steps.t.push_back(send(OutputGradient));
    steps.backward = {receive(OutputGradient, {OutputGradient})};
    return steps;
}

} // namespace

const VocabularyLayer &naive()
{
    static constexpr VocabularyLayer kLayer{.method = "vocab-naive", .steps = naiveSteps};
    return kLayer;
}

} // namespace stagelens::schedule
