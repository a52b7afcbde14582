// One pass with a barrier inside, on all devices at once (appendix B): S and T of VOCAB-1, one after the other.
#include "engine/passes/vocabulary/vocabulary_steps.h"

namespace stagelens::schedule {

VocabularySteps interlacedSteps(bool isOnLastDevice)
{
    VocabularySteps steps = vocab1Steps(isOnLastDevice);
    append(steps.s, steps.t);
    steps.t.clear();
    return steps;
}

} // namespace stagelens::schedule
