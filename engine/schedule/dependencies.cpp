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
Requirements backwardRequirements(const DependencyRules &rules, const Pass &pass)
{
    Requirements all;
    all.add(ofStage(PassKind::F, pass.stage, Transfer::Local));
    if (pass.stage != rules.lastStage)
        all.add(ofStage(PassKind::B, pass.stage + 1, Transfer::Send));
    else if (rules.vocabulary == VocabularyMethod::Vocab2)
        all.add(ofAllDevices(PassKind::S, Transfer::Statistics));
    else if (rules.vocabulary == VocabularyMethod::Interlaced)
        all.add(ofAllDevices(PassKind::S, Transfer::ReduceGradient));
    else if (model::isSharded(rules.vocabulary))
        all.add(ofAllDevices(PassKind::T, Transfer::ReduceGradient));
    return all;
}

} // namespace

Requirements requirementsOf(const DependencyRules &rules, const Pass &pass)
{
    Requirements all;
    switch (pass.kind) {
    case PassKind::F:
        if (pass.stage > 0)
            all.add(ofStage(PassKind::F, pass.stage - 1, Transfer::Send));
        else if (model::isSharded(rules.vocabulary))
            all.add(ofAllDevices(PassKind::EF, Transfer::EmbedReduce));
        break;
    case PassKind::B:
    case PassKind::I: return backwardRequirements(rules, pass);
    case PassKind::W: all.add(ofStage(PassKind::I, pass.stage, Transfer::Local)); break;
    case PassKind::S: all.add(ofStage(PassKind::F, rules.lastStage, Transfer::BroadcastX)); break;
    case PassKind::U: all.add(ofAllDevices(PassKind::S, Transfer::Statistics)); break;
    case PassKind::T: {
        const bool naive = rules.vocabulary == VocabularyMethod::Naive;
        all.add(ofAllDevices(naive ? PassKind::U : PassKind::S, Transfer::Statistics));
        break;
    }
    case PassKind::EB: all.add(ofStage(PassKind::B, 0, Transfer::EmbedBroadcast)); break;
    case PassKind::EF:
    case PassKind::O: break;
    }
    return all;
}

} // namespace stagelens::schedule
