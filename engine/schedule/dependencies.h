// What a pass waits for. The one definition that the simulator, the validator and the executor share.
#pragma once

#include "engine/schedule/schedule.h"

#include <array>
#include <cstdint>

namespace stagelens::schedule {

/// How a result travels from the passes that make it to the pass that needs it.
enum class Transfer : std::uint8_t {
    Local,      ///< same device: nothing moves
    Send,       ///< a [b s, h] tensor between neighbouring stages; pure latency where the device is the same
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
    PassKind kind = PassKind::F; ///< B: the stage's B, or its I where that microbatch's backward is split (see provides())
    std::uint16_t stage = 0;     ///< of the pass; unused when allDevices
    bool allDevices = false;
    Transfer transfer = Transfer::Local;
};

/// At most three requirements, by value.
class Requirements {
public:
    void add(const Requirement &requirement) { m_items[m_count++] = requirement; }
    [[nodiscard]] auto begin() const { return m_items.begin(); }
    [[nodiscard]] auto end() const { return m_items.begin() + static_cast<std::ptrdiff_t>(m_count); }

private:
    std::array<Requirement, 3> m_items{};
    std::size_t m_count = 0;
};

/// What a pass's requirements follow from, beside the pass.
struct DependencyRules {
    int lastStage = 0;
    model::VocabularyMethod vocabulary = model::VocabularyMethod::None;
};

/// All requirements have the pass's own microbatch (and so its replica). Whether a backward is split may differ by stage and
/// microbatch.
///   F(0)     sharded: EF on all devices, EmbedReduce        F(s>0)  F(s-1), Send
///   S        F(last), BroadcastX        U (naive)  S on all devices, Statistics
///   T        Naive: U on all; Vocab1, Vocab2: S on all; Statistics
///   B/I(last) own F; Naive, Vocab1: T on all devices, ReduceGradient; Vocab2: S on all devices, Statistics;
///            Interlaced: S on all devices, ReduceGradient
///   B/I(s)   own F; B/I(s+1), Send      W  own I
///   EB       B/I(0), EmbedBroadcast     EF nothing
/// The three barriers of Naive: S makes logits and their local maximum; Statistics (max); U makes exp and its local sum;
/// Statistics (sum); T makes the softmax, dX and dW of the shard; ReduceGradient; B/I(last).
[[nodiscard]] Requirements requirementsOf(const DependencyRules &rules, const Pass &pass);
[[nodiscard]] inline Requirements requirementsOf(const Schedule &schedule, const Pass &pass)
{
    return requirementsOf({schedule.placement().lastStage(), schedule.vocabulary()}, pass);
}

} // namespace stagelens::schedule
