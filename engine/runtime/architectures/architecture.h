// A model architecture: its parameters, and what its layers compute and save. The rest of the runtime does not depend on it.
#pragma once

#include "engine/runtime/architectures/layer.h"
#include "engine/runtime/state/parameters.h"

#include <memory>
#include <span>
#include <vector>

namespace stagelens::runtime {

/// The parameter list of an architecture: the token table, the position table, the layers, weight and bias of the final norm,
/// and the output projection of an untied model.
struct Anatomy {
    int layerParameters = 0;
    bool hasPositionTable = false;
    bool normsHaveBias = false; ///< LayerNorm if true, else RMSNorm
};

/// An architecture. Stateless.
class Architecture {
public:
    virtual ~Architecture() = default;
    [[nodiscard]] virtual Anatomy anatomy() const = 0;
    /// Returns every parameter, in the order and layout and with the names of Hugging Face's state_dict().
    [[nodiscard]] virtual std::vector<ParameterInfo> parameters(const model::ModelConfig &model) const = 0;
    /// Returns the index of a layer's first parameter in that list; layer == layers gives the weight of the final norm.
    [[nodiscard]] int firstOfLayer(int layer) const
    {
        return (anatomy().hasPositionTable ? kPositionTable : kTokenTable) + 1 + layer * anatomy().layerParameters;
    }

    /// Returns the floats that a layer saves from F to B in addition to its input.
    [[nodiscard]] virtual std::int64_t savedFloats(const Shape &shape) const = 0;
    /// Creates a layer from its part of the list, in the order of the list.
    [[nodiscard]] virtual std::unique_ptr<const Layer> makeLayer(std::span<Parameter *const> parameters) const = 0;

    /// Returns the number of constants in Context::workspace that the layers read; allocated once per device.
    [[nodiscard]] virtual std::int64_t constantFloats(const Shape &) const { return 0; }
    virtual void fillConstants(float *, const Shape &) const {}
};

/// Uses the architecture of the shape.
[[nodiscard]] inline std::int64_t savedFloats(const Shape &shape)
{
    return shape.architecture->savedFloats(shape);
}

[[nodiscard]] const Architecture &gptArchitecture();
[[nodiscard]] const Architecture &llamaArchitecture();

} // namespace stagelens::runtime
