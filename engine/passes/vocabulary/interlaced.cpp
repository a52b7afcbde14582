// One pass with a barrier inside, on all devices at once (appendix B): S and T of VOCAB-1, one after the other.
#include "engine/passes/vocabulary/vocabulary_steps.h"

namespace stagelens::schedule {
namespace {

constexpr std::string_view kApart = "vocab-1";

VocabularySteps interlacedSteps(bool isOnLastDevice)
{
    VocabularySteps steps = vocabularyLayer(kApart).steps(isOnLastDevice);
    append(steps.s, steps.t);
    steps.t.clear();
    return steps;
}

} // namespace

const VocabularyLayer &interlaced()
{
    static constexpr VocabularyLayer kLayer{.method = "interlaced", .steps = interlacedSteps, .apart = kApart};
    return kLayer;
}

} // namespace stagelens::schedule
