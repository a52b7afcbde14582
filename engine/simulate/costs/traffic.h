// The bytes that memory-bound work moves, for each kind of work.
#pragma once

#include "engine/model/experiment.h"
#include "engine/model/presets.h"

#include <string_view>

namespace stagelens::simulate {

/// Bytes that memory-bound work moves, per byte or element of its tensor, unless said otherwise. The values for GPUs were
/// fitted to the published pass times of 8 x A100 and iteration times of 8 and 32 x A100 (arXiv 2411.05288, table 5), together
/// with the preset a100-80gb: changing one requires refitting the other.
struct Traffic {
    double residual;   ///< norms and residual additions, per ten bytes that they read and write: a byte of a layer's [b s, h]
    double activation; ///< activation function, per two bytes that it reads and writes: a byte of a GPT's [b s, ffn]
    double backward;   ///< elementwise work of a layer's backward, relative to its forward
    double routed;     ///< sorting rows by expert and summing them, per byte that a fused kernel reads and writes
    double gated;      ///< activation function of routed rows, likewise
    double gatedBackward;     ///< its backward, relative to its forward
    double attentionBackward; ///< time of fused attention's backward, relative to its forward
    double scoresForward;     ///< traversals of the scores [b a, s, s] of materialised attention
    double scoresBackward;
    double shardCopies;    ///< X and dX of S and of T, each per byte of [b s, h]
    double logitsForward;  ///< softmax statistics and softmax, bytes a logit
    double logitsBackward; ///< gradient of the logits, bytes a logit
    double logitsCast;     ///< copy of the exponentials in the compute type for the product of S, relative to fp32 to it
    double lookUp;         ///< embedding's forward, per byte of [b s, h]
    double scatter;        ///< embedding's backward, per byte of [b s, h]
    double denseGradient;  ///< its dense gradient, per byte of the shard's matrix
    double packing;        ///< packing or unpacking in 8 bits, per byte that it reads and writes
    double collective;     ///< bytes an element of [b s, h] in a collective; 0: the compute type's
    double contention;     ///< share of a collective's time by which it slows concurrent passes

    /// Returns the bytes that count for each byte that packing in that precision reads and writes; 0 if nothing is packed.
    [[nodiscard]] double packingOf(model::PackedPrecision precision) const
    {
        const bool isOf16Bits = precision == model::PackedPrecision::Bf16;
        return precision == model::PackedPrecision::Same ? 0 : isOf16Bits ? 1 : packing;
    }
};
/// Returns the traffic of the usual framework kernels; of the project's CPU engine if the devices share one memory; and of its
/// GPU engine for the GPU measured with it (model::kLocalGpu).
[[nodiscard]] const Traffic &trafficOf(const model::Hardware &hardware);
/// Name of the link between devices that share one memory, which the CPU engine runs on.
inline constexpr std::string_view kHostLink = "host";

} // namespace stagelens::simulate
