// The requirements of a pass: the only definition, used by simulator, validator and executor.
#pragma once

#include "engine/model/experiment.h"
#include "engine/passes/pass.h"

#include <cstdint>
#include <vector>

namespace stagelens::schedule {

/// How a result travels from the passes that make it to the pass that needs it.
enum class Transfer : std::uint8_t {
    Local,      ///< same device: nothing moves
    Send,       ///< a [b s, h] tensor between neighbouring stages; no transfer if they are on the same device
    BroadcastX, ///< C0: the last stage's output to all devices, before S
    Statistics, ///< C1: softmax statistics of all shards; Vocab2 also reduces dX here. The naive method has it twice (max, sum)
    ReduceGradient, ///< C2: sum of the shards' dX to the last stage's device
    EmbedReduce,    ///< sum of the shards' embeddings to the first stage's device
    EmbedBroadcast, ///< gradient of the embedding from the first stage's device to all
};
inline constexpr int kTransferCount = 7;

/// A pass (or, when `allDevices`, the pass of that kind and microbatch on every device) that must have ended, and the transfer
/// that follows it.
struct Requirement {
    PassKind kind = PassKind::F; ///< B: the stage's B, or its I if that microbatch's backward is split (see provides())
    std::uint16_t stage = 0;     ///< of the pass; unused when allDevices
    bool allDevices = false;
    Transfer transfer = Transfer::Local;
};
inline constexpr std::size_t kMostRequirements = 2; ///< of one pass

/// The inputs of forEachRequirement() beside the pass.
struct RequirementRules {
    int lastStage = 0;
    model::VocabularyMethod vocabulary = model::VocabularyMethod::None;
};

/// Returns the vocabulary passes of a method in topological order.
[[nodiscard]] inline std::vector<PassKind> vocabularyPasses(const model::VocabularyTraits &method)
{
    std::vector<PassKind> kinds;
    if (!method.isSharded)
        return kinds;
    kinds = {PassKind::EF, PassKind::S};
    if (method.hasPassU)
        kinds.push_back(PassKind::U);
    if (!method.joinsSAndT)
        kinds.push_back(PassKind::T);
    kinds.push_back(PassKind::EB);
    return kinds;
}

/// Calls `visit(requirement)` for every requirement of a pass beside its device. All requirements have the microbatch of the
/// pass (and so its direction). Backwards may be split for some stages and microbatches only.
///   F(0)     sharded: EF on all devices, EmbedReduce        F(s>0)  F(s-1), Send
///   S        F(last), BroadcastX        U  S on all devices, Statistics
///   T        hasPassU: U on all devices; else S on all devices; Statistics
///   B/I(last) own F; isGradientFromS: S on all devices, Statistics; joinsSAndT: S on all devices, ReduceGradient; else
///   sharded:
///            T on all devices, ReduceGradient
///   B/I(s)   own F; B/I(s+1), Send      W  own I
///   EB       B/I(0), EmbedBroadcast     EF nothing
/// Three barriers (hasPassU): S makes logits and their local maximum; Statistics (max); U makes exp and its local sum;
/// Statistics (sum); T makes the softmax, dX and dW of the shard; ReduceGradient; B/I(last).
template <class Visit>
void forEachRequirement(const RequirementRules &rules, const Pass &pass, Visit visit)
{
    const model::VocabularyTraits &method = model::traits(rules.vocabulary);
    const auto ofStage = [&visit](PassKind kind, int stage, Transfer transfer) {
        visit(Requirement{kind, static_cast<std::uint16_t>(stage), false, transfer});
    };
    const auto ofAllDevices = [&visit](PassKind kind, Transfer transfer) { visit(Requirement{kind, 0, true, transfer}); };
    switch (pass.kind) {
    case PassKind::F:
        if (pass.stage > 0)
            ofStage(PassKind::F, pass.stage - 1, Transfer::Send);
        else if (method.isSharded)
            ofAllDevices(PassKind::EF, Transfer::EmbedReduce);
        break;
    case PassKind::B:
    case PassKind::I:
        ofStage(PassKind::F, pass.stage, Transfer::Local);
        if (pass.stage != rules.lastStage)
            ofStage(PassKind::B, pass.stage + 1, Transfer::Send);
        else if (method.isGradientFromS)
            ofAllDevices(PassKind::S, Transfer::Statistics);
        else if (method.joinsSAndT)
            ofAllDevices(PassKind::S, Transfer::ReduceGradient);
        else if (method.isSharded)
            ofAllDevices(PassKind::T, Transfer::ReduceGradient);
        break;
    case PassKind::W: ofStage(PassKind::I, pass.stage, Transfer::Local); break;
    case PassKind::S: ofStage(PassKind::F, rules.lastStage, Transfer::BroadcastX); break;
    case PassKind::U: ofAllDevices(PassKind::S, Transfer::Statistics); break;
    case PassKind::T: ofAllDevices(method.hasPassU ? PassKind::U : PassKind::S, Transfer::Statistics); break;
    case PassKind::EB: ofStage(PassKind::B, 0, Transfer::EmbedBroadcast); break;
    case PassKind::EF:
    case PassKind::O: break;
    }
}

} // namespace stagelens::schedule
