#include "engine/simulate/costs/traffic.h"

#include "engine/model/calibration.h"

namespace stagelens::simulate {

namespace {

/// Logits are copied to fp32 and traversed once an operation; look-up through masks, index and zero fill; the embedding's
/// gradient is made dense and then added. Collectives carry fp32 and occupy multiprocessors: measured F and B are longer by
/// about a third of the time of a microbatch's collectives. A layer of the 22B GPT of Korthikanti et al. 2022 (arXiv
/// 2205.05198, table 4) takes 1.4 ms longer with selective recomputation: two products, and 8 traversals of the scores. Mask,
/// softmax, dropout and the product after them are 4 traversals if each kernel is fused with the next, and their gradients 7,
/// so the backward counts 14. Published implementations of experts sort, weigh and sum rows in one fused kernel each, which
/// moves what it reads and writes, in 16 bit, without dropout or copies in fp32 (Megatron Core: fused permutation, weighted
/// SwiGLU). The backward of SwiGLU reads gate, up and a gradient, and writes two: 5 numbers for 3 of the forward.
constexpr Traffic kGpuTraffic{.residual = 54,
                              .activation = 11,
                              .backward = 1,
                              .routed = 1,
                              .gated = 1,
                              .gatedBackward = 5.0 / 3,
                              .attentionBackward = 2,
                              .scoresForward = 8,
                              .scoresBackward = 14,
                              .shardCopies = 35,
                              .logitsForward = 56,
                              .logitsBackward = 19.5,
                              .logitsCast = 1,
                              .lookUp = 80,
                              .scatter = 42,
                              .denseGradient = 4.8,
                              .packing = 1,
                              .collective = 4,
                              .contention = 0.35};
/// The same with kernels that read and write 16 bits once, counted for a GPT (Megatron-LM with its fusions). Forward: two norms
/// 4 tensors [b s, h], two additions with bias and dropout 7; bias and GELU 8. Backward: norms 10, dropout 5, sums of gradients
/// 6, of biases 9, GELU 12: 42 for 19.
constexpr Traffic kFusedTraffic = [] {
    Traffic fused = kGpuTraffic;
    fused.residual = 11;
    fused.activation = 2;
    fused.backward = 42.0 / 19;
    return fused;
}();
/// The project's own CPU engine: fused rows, gradients scattered in place. Packing in 8 bits runs at about a third of the speed
/// of a copy: measured with AVX-512 on one core.
constexpr Traffic kHostTraffic{.residual = 10,
                               .activation = 3,
                               .backward = 2,
                               .routed = 1,
                               .gated = 1.5,
                               .gatedBackward = 2,
                               .attentionBackward = 2,
                               .scoresForward = 3,
                               .scoresBackward = 1,
                               .shardCopies = 2,
                               .logitsForward = 20,
                               .logitsBackward = 8,
                               .logitsCast = 1,
                               .lookUp = 3,
                               .scatter = 3,
                               .denseGradient = 0,
                               .packing = 3,
                               .collective = 0,
                               .contention = 0};
/// The project's own GPU engine, counted from its kernels (kernels/cuda) for a GPT. Residuals are added by products, which read
/// them; GELU is computed by the product before it, which writes its input. The backward of the elementwise work reads and
/// writes 29 tensors [b s, h] (norms 8, sums of biases 9, GELU 12) for 10 of the forward. Softmax reads and writes the logits
/// once, and exponentials are not normalised. The gradients of frequent tokens are added one after another: measured on an
/// H200.
constexpr Traffic kEngineGpuTraffic{.residual = 6,
                                    .activation = 1,
                                    .backward = 2.9,
                                    .routed = 1,
                                    .gated = 1,
                                    .gatedBackward = 5.0 / 3,
                                    .attentionBackward = 3.6,
                                    .scoresForward = 8,
                                    .scoresBackward = 14,
                                    .shardCopies = 2,
                                    .logitsForward = 4.5,
                                    .logitsBackward = 0,
                                    .logitsCast = 0,
                                    .lookUp = 4,
                                    .scatter = 42,
                                    .denseGradient = 0,
                                    .packing = 1,
                                    .collective = 0,
                                    .contention = 0.35};

} // namespace

const Traffic &trafficOf(const model::Hardware &hardware)
{
    if (hardware.name == model::kLocalGpu || hardware.derivedFrom == model::kLocalGpu)
        return kEngineGpuTraffic;
    if (hardware.insideNode.name == kHostLink)
        return kHostTraffic;
    return hardware.hasFusedKernels ? kFusedTraffic : kGpuTraffic;
}

} // namespace stagelens::simulate
