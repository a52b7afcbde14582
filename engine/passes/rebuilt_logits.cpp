#include "engine/passes/vocabulary/vocabulary_steps.h"

#include <algorithm>

namespace stagelens::schedule {
namespace {

bool reads(const PassStep &each)
{
    return std::ranges::count(each.in, PassValue::Exponentials) > 0;
}

} // namespace

bool exponentiates(const PassStep &each)
{
    return each.kind == PassStepKind::LocalSoftmax || each.kind == PassStepKind::Exponentiate;
}

PassSteps rebuiltExponentials(bool isExponentiated)
{
    PassSteps steps{step(PassStepKind::Logits, {PassValue::OutputInput}, {PassValue::Exponentials})};
    if (isExponentiated)
        steps.push_back(step(PassStepKind::RebuildExponentials, {PassValue::Exponentials, PassValue::LocalStatistics},
                             {PassValue::Exponentials}));
    return steps;
}

VocabularySteps withRebuiltLogits(VocabularySteps steps)
{
    bool isMade = false;
    bool isExponentiated = false; // else they are still the logits
    for (PassSteps *list : {&steps.forward, &steps.backward, &steps.s, &steps.u, &steps.t}) {
        const auto first = std::ranges::find_if(*list, reads);
        if (first != list->end() && isMade &&
            std::none_of(list->begin(), first, [](const PassStep &each) { return each.kind == PassStepKind::Logits; })) {
            PassSteps rebuilt = rebuiltExponentials(isExponentiated);
            if (first->countsApart)
                rebuilt = apart(std::move(rebuilt));
            list->insert(first, rebuilt.begin(), rebuilt.end());
        }
        isMade = isMade || std::ranges::any_of(*list, reads);
        isExponentiated = isExponentiated || std::ranges::any_of(*list, exponentiates);
    }
    return steps;
}

} // namespace stagelens::schedule
