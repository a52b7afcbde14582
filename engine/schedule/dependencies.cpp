#include "engine/schedule/dependencies.h"

namespace stagelens::schedule {

namespace {

using model::VocabularyMethod;

Requirement ofStage(PassKind kind, int stage, Transfer transfer)
{
    return {kind, static_cast<std::uint16_t>(stage), false, transfer};
}

Requirement ofAllDevices(PassKind kind, Transfer transfer)
{
    return {kind, 0, true, transfer};
}

/// B and I: the kept activations, and the gradient of the stage's output.
Requirements backwardRequirements(const Schedule &schedule, const Pass &pass, PassKind upstream)
{
    Requirements all;
    all.add(ofStage(PassKind::F, pass.stage, Transfer::Local));
    if (pass.stage != schedule.placement().lastStage())
        all.add(ofStage(upstream, pass.stage + 1, Transfer::Send));
    else if (schedule.vocabulary() == VocabularyMethod::Vocab2)
        all.add(ofAllDevices(PassKind::S, Transfer::Statistics));
    else if (model::isSharded(schedule.vocabulary()))
        all.add(ofAllDevices(PassKind::T, Transfer::ReduceGradient));
    return all;
}

} // namespace

Requirements requirementsOf(const Schedule &schedule, const Pass &pass, bool splitBackward)
{
    const PassKind backward = splitBackward ? PassKind::I : PassKind::B;
    Requirements all;
    switch (pass.kind) {
    case PassKind::F:
        if (pass.stage > 0)
            all.add(ofStage(PassKind::F, pass.stage - 1, Transfer::Send));
        else if (model::isSharded(schedule.vocabulary()))
            all.add(ofAllDevices(PassKind::EF, Transfer::EmbedReduce));
        break;
    case PassKind::B:
    case PassKind::I: return backwardRequirements(schedule, pass, backward);
    case PassKind::W: all.add(ofStage(PassKind::I, pass.stage, Transfer::Local)); break;
    case PassKind::S: all.add(ofStage(PassKind::F, schedule.placement().lastStage(), Transfer::BroadcastX)); break;
    case PassKind::U: all.add(ofAllDevices(PassKind::S, Transfer::Statistics)); break;
    case PassKind::T: {
        const bool naive = schedule.vocabulary() == VocabularyMethod::Naive;
        all.add(ofAllDevices(naive ? PassKind::U : PassKind::S, Transfer::Statistics));
        break;
    }
    case PassKind::EB: all.add(ofStage(backward, 0, Transfer::EmbedBroadcast)); break;
    case PassKind::EF:
    case PassKind::O: break;
    }
    return all;
}

} // namespace stagelens::schedule
