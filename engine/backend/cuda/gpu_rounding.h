// Operands of products in 8 bits on a GPU.
#pragma once

#include "engine/backend/cuda/gpu_optimizers.h"

namespace stagelens::backend {

/// Rounds operands as a processor does (kernels::roundTiles()), into memory of its own. What e4m3 with a power of two
/// represents is a bfloat16, so that the products themselves are those of bfloat16.
class GpuRounding : public GpuOptimizers {
public:
    GpuRounding(int gpu, const kernels::Interrupt &interrupt) : GpuOptimizers(gpu, interrupt), m_operands(deviceMemory()) {}

    void reserveRounded(std::int64_t numbers) final;

protected:
    /// Returns the product of the rounded operands, which are overwritten by the next call; the same product if it rounds none.
    [[nodiscard]] Product rounded(const Product &product);
    /// `scratch` as for the product.
    [[nodiscard]] ExpertProduct rounded(const ExpertProduct &product, void *scratch);

private:
    /// Returns memory for both operands.
    [[nodiscard]] kernels::Bf16 *room(std::int64_t a, std::int64_t b);
    void roundTiles(kernels::Bf16 *to, const Operand &operand, const kernels::gpu::TiledMatrix &of);

    GpuArray<kernels::Bf16> m_operands;
};

} // namespace stagelens::backend
