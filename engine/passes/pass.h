// The smallest piece of a schedule.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stagelens::schedule {

/// What a pass computes. The letters are PyTorch's; its `B` is the full backward.
enum class PassKind : std::uint8_t {
    F,  ///< forward of a stage
    B,  ///< full backward of a stage
    I,  ///< input-gradient half of the backward
    W,  ///< weight-gradient half of the backward
    S,  ///< first vocabulary output pass: logits and local softmax statistics
    T,  ///< last vocabulary output pass (arXiv 2411.05288, section 4)
    U,  ///< between S and T, only in the naive method with three barriers
    EF, ///< forward of the sharded input embedding
    EB, ///< backward of the sharded input embedding
    O,  ///< optimizer step; only in the tail of a timeline, never in a schedule
};
inline constexpr int kPassKindCount = 10;

[[nodiscard]] std::string_view name(PassKind kind); ///< "F", "EF", ...
[[nodiscard]] std::optional<PassKind> parsePassKind(std::string_view text);
/// True for S, U, T, EF and EB, which belong to a device's shard of the vocabulary and not to a stage of layers.
[[nodiscard]] constexpr bool isVocabularyPass(PassKind kind)
{
    return kind == PassKind::S || kind == PassKind::T || kind == PassKind::U || kind == PassKind::EF || kind == PassKind::EB;
}

/// True for F, B, I and W, which belong to a stage of layers.
[[nodiscard]] constexpr bool isOfStage(PassKind kind)
{
    return kind == PassKind::F || kind == PassKind::B || kind == PassKind::I || kind == PassKind::W;
}
/// True for the passes that also run in an evaluation, without a backward: EF, F, S and U.
[[nodiscard]] constexpr bool isForward(PassKind kind)
{
    return kind == PassKind::EF || kind == PassKind::F || kind == PassKind::S || kind == PassKind::U;
}

/// Returns whether a pass of kind `made` satisfies a requirement for `needed`: I of a split backward satisfies B as well.
[[nodiscard]] constexpr bool provides(PassKind made, PassKind needed)
{
    return made == needed || (needed == PassKind::B && made == PassKind::I);
}

/// Returns the change in the number of activations of a device by a pass: they live from F to the end of B, or of W if split.
[[nodiscard]] constexpr int activationChange(PassKind kind)
{
    return kind == PassKind::F ? 1 : kind == PassKind::B || kind == PassKind::W ? -1 : 0;
}

/// One unit of work of one device.
struct Pass {
    std::int32_t microbatch = 0;
    std::uint16_t stage = 0; ///< global stage; for vocabulary passes the stage of the device's first chunk
    PassKind kind = PassKind::F;
    /// This pass and the next form an overlapped pair: they start when both are ready and end together.
    bool pairedWithNext = false;
    friend bool operator==(const Pass &, const Pass &) = default;
};
static_assert(sizeof(Pass) == 8);

[[nodiscard]] constexpr Pass makePass(PassKind kind, int stage, int microbatch)
{
    return {microbatch, static_cast<std::uint16_t>(stage), kind, false};
}
/// Returns the passes at the front of `passes` that start together: an overlapped pair or a single pass.
[[nodiscard]] constexpr std::span<const Pass> unitOf(std::span<const Pass> passes)
{
    return passes.first(passes.size() > 1 && passes.front().pairedWithNext ? 2 : 1);
}
/// "F3@1": kind, microbatch (from 0), stage.
[[nodiscard]] std::string text(const Pass &pass);

} // namespace stagelens::schedule
