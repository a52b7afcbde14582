// The memory and kernels that the passes of a device use.
#pragma once

#include "engine/backend/compute.h"
#include "engine/runtime/layers/expert_record.h"
#include "engine/runtime/layers/operator_record.h"
#include "engine/runtime/memory/device_memory.h"
#include "engine/runtime/plan/shape.h"

#include <array>

namespace stagelens::runtime {

using backend::ConstValues;
using backend::Values;

/// Scratch memory, which is not preserved between passes, and the constants of the layers.
struct Workspace {
    std::vector<backend::Buffer> scratch; ///< [b s, LayerRecipe::scratch[i]]: two at least, of h or more
    backend::Buffer attention;            ///< kernels::attentionScratch in fp32
    backend::Buffer constants;            ///< Shape::constantFloats
    backend::Buffer recomputed;           ///< what a layer rebuilds
    // With packed activations, in which layers compute:
    backend::Buffer saved;                                                              ///< what a layer keeps
    std::array<backend::Buffer, operators::EngineFloats::kUnpackedInputs - 1> inputs{}; ///< input and output of a layer
    backend::Buffer stageInput;                                                         ///< of a forward

    /// `contextRank` chooses the positions of the rows. `rebuilt`: the floats of `recomputed`, see
    /// simulate::rebuiltFloats().
    Workspace(backend::Pool &pool, const Shape &shape, int contextRank, std::int64_t rebuilt, backend::Compute &compute);
};

class LayerWeights;

/// Used by the thread of its device.
struct Context {
    const Shape &shape;
    DeviceMemory &memory;
    Workspace &workspace;
    backend::Compute &compute;
    int contextRank = 0;                 ///< among the ranks that share each sequence
    ExpertRecord *experts = nullptr;     ///< of the step at hand
    OperatorRecord *operators = nullptr; ///< of the step at hand; notes nothing outside timed passes
    LayerWeights *weights = nullptr;     ///< of layers on the host

    [[nodiscard]] kernels::AttentionShape attention(int hop = 0) const { return shape.attention(contextRank, hop); }
    [[nodiscard]] Values scratch(int index) const { return values(workspace.scratch[size(index)].data()); }
    /// Returns a planned tensor in the precision of the run; see DeviceMemory::at().
    [[nodiscard]] Values at(schedule::PassValue kind, int stage, int microbatch) const
    {
        return values(memory.at(kind, stage, microbatch));
    }
    [[nodiscard]] Values of(const backend::Tensor &message) const { return values(message->data()); }
    [[nodiscard]] Values values(float *address) const { return {address, shape.precision}; }
};

} // namespace stagelens::runtime
