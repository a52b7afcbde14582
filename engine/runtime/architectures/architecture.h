// What tells a model family from another one: its parameters, and what its layers compute and keep. The rest of the runtime is
// the same for all of them.
#pragma once

#include "engine/runtime/architectures/layer.h"
#include "engine/runtime/state/parameters.h"

#include <memory>
#include <span>
#include <vector>

namespace stagelens::runtime {

/// Which parameters a model of a family has. Their list begins with the token table, then come the table of learned positions,
/// the layers, the final norm's weight and bias, and at last the output projection of an untied model.
struct Anatomy {
    int layerParameters = 0;
    bool hasPositionTable = false;
    bool normsHaveBias = false; ///< LayerNorm; without it RMSNorm
};

/// A family, without state.
class Architecture {
public:
    virtual ~Architecture() = default;
    [[nodiscard]] virtual Anatomy anatomy() const = 0;
    /// Every parameter, in the order, layout and with the names of Hugging Face's state_dict().
    [[nodiscard]] virtual std::vector<ParameterInfo> parameters(const model::ModelConfig &model) const = 0;
    /// Place of a layer's first parameter in that list; the one after the last layer is the final norm's weight.
    [[nodiscard]] int firstOfLayer(int layer) const
    {
        return (anatomy().hasPositionTable ? kPositionTable : kTokenTable) + 1 + layer * anatomy().layerParameters;
    }

    /// Floats that a layer keeps from F to B beside its input.
    [[nodiscard]] virtual std::int64_t savedFloats(const Shape &shape) const = 0;
    /// A layer with its part of the list, in the list's order.
    [[nodiscard]] virtual std::unique_ptr<const Layer> makeLayer(std::span<Parameter *const> parameters) const = 0;

    /// Numbers that the layers read in Context::workspace beside their parameters; a device has them once.
    [[nodiscard]] virtual std::int64_t constantFloats(const Shape &) const { return 0; }
    virtual void fillConstants(float *, const Shape &) const {}
};

/// Of the shape's own family.
[[nodiscard]] inline std::int64_t savedFloats(const Shape &shape)
{
    return shape.architecture->savedFloats(shape);
}

[[nodiscard]] const Architecture &gptArchitecture();
[[nodiscard]] const Architecture &llamaArchitecture();

} // namespace stagelens::runtime
