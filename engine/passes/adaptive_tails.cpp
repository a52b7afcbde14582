// The tails of an adaptive softmax (arXiv 1609.04309), after the head.
#include "engine/passes/vocabulary/vocabulary_steps.h"

namespace stagelens::schedule {

VocabularySteps withTails(VocabularySteps steps)
{
    using enum PassValue;
    append(steps.backward,
           apart({step(PassStepKind::Tails, {OutputInput, OutputGradient, Exponentials, LocalStatistics}, {OutputGradient})}));
    steps.evaluation = apart({step(PassStepKind::TailLoss, {OutputInput, Exponentials, LocalStatistics}, {})});
    return steps;
}

} // namespace stagelens::schedule
