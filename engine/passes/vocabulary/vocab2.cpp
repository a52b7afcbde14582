// VOCAB-2: one barrier (algorithm 2). S makes the parts of dX as well, so that B of the last stage waits for S, and T makes dW
// only.
#include "engine/passes/vocabulary/vocabulary_steps.h"

namespace stagelens::schedule {
namespace {

VocabularySteps vocab2Steps(bool isOnLastDevice)
{
    using enum PassValue;
    VocabularySteps steps;
    steps.s = {receiveCopy(LastOutput, OutputInput),
               step(PassStepKind::Logits, {OutputInput}, {Exponentials}),
               step(PassStepKind::LocalSoftmax, {Exponentials}, {Exponentials, LocalStatistics}),
               step(PassStepKind::CopyStatistics, {LocalStatistics}, {Statistics}),
               step(PassStepKind::WeighRows, {Exponentials}, {WeighedRows}),
               step(PassStepKind::LabelRows, {}, {PassValue::LabelRows}),
               send(Statistics),
               send(WeighedRows),
               send(PassValue::LabelRows)};
    PassStep statistics = receive(Statistics, {GlobalStatistics});
    if (isOnLastDevice)
        statistics.out.push_back(ShardFactors);
    steps.t = {statistics, weightGradient(GlobalStatistics)};
    PassStep rows = receive(WeighedRows, {OutputGradient});
    rows.in.push_back(ShardFactors); // scales each shard's part
    statistics.out = {GlobalStatistics, ShardFactors};
    steps.backward = {statistics, receive(PassValue::LabelRows, {PassValue::LabelRows}), rows,
                      step(PassStepKind::SubtractLabels, {OutputGradient, PassValue::LabelRows}, {OutputGradient}),
                      loss(GlobalStatistics)};
    return steps;
}

} // namespace

const VocabularyLayer &vocab2()
{
    static constexpr VocabularyLayer kLayer{.method = "vocab-2", .steps = vocab2Steps};
    return kLayer;
}

} // namespace stagelens::schedule
