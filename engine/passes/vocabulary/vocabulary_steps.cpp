#include "engine/passes/vocabulary/vocabulary_steps.h"

#include <algorithm>
#include <utility>

namespace stagelens::schedule {

const VocabularyLayer &vocabularyLayer(std::string_view method)
{
    const auto all = vocabularyLayers();
    const auto found = std::ranges::find(all, method, &VocabularyLayer::method);
    return found == all.end() ? whole() : **found;
}

PassStep step(PassStepKind kind, std::vector<PassValue> in, std::vector<PassValue> out)
{
    return {.kind = kind, .in = std::move(in), .out = std::move(out)};
}

PassStep receive(PassValue message, std::vector<PassValue> out)
{
    return step(PassStepKind::Receive, {message}, std::move(out));
}

PassStep receiveCopy(PassValue message, PassValue out)
{
    PassStep made = receive(message, {out});
    made.copies = true;
    return made;
}

PassStep send(PassValue message)
{
    return step(PassStepKind::Send, {message}, {});
}

PassStep loss(PassValue statistics)
{
    return step(PassStepKind::Loss, {statistics}, {});
}

void append(PassSteps &steps, const PassSteps &more)
{
    steps.insert(steps.end(), more.begin(), more.end());
}

PassSteps apart(PassSteps steps)
{
    for (PassStep &each : steps)
        each.countsApart = true;
    return steps;
}

PassStep weightGradient(PassValue statistics)
{
    return step(PassStepKind::WeightGradient,
                {PassValue::OutputInput, PassValue::Exponentials, PassValue::LocalStatistics, statistics}, {});
}

PassSteps outputGradientSteps(PassValue statistics)
{
    const PassStep weigh = step(PassStepKind::WeighRows, {PassValue::Exponentials}, {PassValue::OutputGradient});
    const PassStep scale = step(PassStepKind::ScaleRows, {PassValue::OutputGradient, PassValue::LocalStatistics, statistics},
                                {PassValue::OutputGradient});
    return {weigh, scale, weightGradient(statistics)};
}

} // namespace stagelens::schedule
