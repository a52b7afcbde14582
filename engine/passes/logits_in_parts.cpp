// The output layer on a part of the tokens at a time, so that the exponentials of one part exist.
#include "engine/passes/vocabulary/vocabulary_steps.h"

#include <algorithm>
#include <utility>

namespace stagelens::schedule {
namespace {

/// Returns whether a step computes each token on its own, or sums over tokens, in the matrix products of the output layer.
bool isOfTokens(const PassStep &each)
{
    switch (each.kind) {
    case PassStepKind::Logits:
    case PassStepKind::LocalSoftmax:
    case PassStepKind::RowMaxima:
    case PassStepKind::Exponentiate:
    case PassStepKind::RebuildExponentials:
    case PassStepKind::WeighRows:
    case PassStepKind::ScaleRows:
    case PassStepKind::WeightGradient: return true;
    default: return false;
    }
}

/// Returns whether later steps on parts of the tokens need its result for all of them.
bool isBarrier(const PassStep &each)
{
    return each.kind == PassStepKind::Receive || each.kind == PassStepKind::GatherRows ||
           each.kind == PassStepKind::SumMaxima || each.kind == PassStepKind::SumStatistics;
}

/// Rewrites the lists of the passes of a microbatch, in order.
class InParts {
public:
    [[nodiscard]] PassSteps of(const PassSteps &steps)
    {
        PassSteps made;
        for (auto first = steps.begin(); first != steps.end();) {
            const auto barrier = std::find_if(first, steps.end(), isBarrier);
            append(made, between(first, barrier));
            if (barrier != steps.end())
                made.push_back(*barrier);
            first = barrier == steps.end() ? barrier : barrier + 1;
        }
        return made;
    }

private:
    using Place = PassSteps::const_iterator;

    /// Puts the steps on parts first, so that they follow each other: those between read no result of the others.
    [[nodiscard]] PassSteps between(Place first, Place last)
    {
        PassSteps parts;
        PassSteps rest;
        std::copy_if(first, last, std::back_inserter(parts), isOfTokens);
        std::remove_copy_if(first, last, std::back_inserter(rest), isOfTokens);
        if (parts.empty())
            return rest;
        if (parts.front().kind != PassStepKind::Logits) { // the exponentials of the parts before are gone
            PassSteps again = rebuiltExponentials(m_areExponentials);
            if (parts.front().countsApart)
                again = apart(std::move(again));
            parts.insert(parts.begin(), again.begin(), again.end());
        }
        for (PassStep &each : parts) {
            each.isOfPart = true;
            m_areExponentials = m_areExponentials || exponentiates(each);
        }
        append(parts, rest);
        return parts;
    }

    bool m_areExponentials = false; ///< the maxima of the rows are known
};

/// Moves the output layer from the forward, where it is whole, to the backward, so that its exponentials are computed once.
PassSteps takeForward(VocabularySteps &steps)
{
    const auto logits = std::ranges::find(steps.forward, PassStepKind::Logits, &PassStep::kind);
    PassSteps taken(logits, steps.forward.end());
    steps.forward.erase(logits, steps.forward.end());
    steps.backward.insert(steps.backward.begin(), taken.begin(), taken.end());
    return taken;
}

} // namespace

VocabularySteps withLogitsInParts(VocabularySteps steps)
{
    steps.evaluation = InParts().of(takeForward(steps));
    InParts inParts;
    for (PassSteps *list : {&steps.forward, &steps.s, &steps.u, &steps.t, &steps.backward})
        *list = inParts.of(*list);
    return steps;
}

} // namespace stagelens::schedule
