// One pass with a barrier inside, on all devices at once (appendix B): S and T of VOCAB-1, one after the other.
#include "engine/passes/vocabulary/vocabulary_steps.h"

namespace stagelens::schedule {
namespace {

VocabularySteps interlacedSteps(bool isOnLastDevice)
{
    VocabularySteps steps = vocabularySteps("vocab-1", isOnLastDevice);
    append(steps.s, steps.t);
    steps.t.clear();
    return steps;
}

} // namespace

const VocabularyLayer &interlaced()
{
    static constexpr VocabularyLayer kLayer{.method = "interlaced", .steps = interlacedSteps};
    return kLayer;
}

} // namespace stagelens::schedule
