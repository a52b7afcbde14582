// The part of a model's parameters that a device holds.
#pragma once

#include "engine/backend/compute.h"
#include "engine/layout/shard.h"
#include "engine/model/experiment.h"
#include "engine/runtime/plan/parameter_list.h"
#include "kernels/include/adamw.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace stagelens::runtime {

class ParameterPart;

/// The part of a parameter that a rank holds, a matrix [rows, columns], with gradient and the optimizer's state. All are float,
/// except what kernels read in a run of 16 bits.
struct Parameter {
    int index = 0; ///< in parameterList()
    operators::ParameterKind kind = operators::ParameterKind::Matrix;
    layout::MatrixPart held;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t allRows = 0;    ///< of the whole parameter
    std::int64_t matrixRows = 0; ///< see operators::PartShape; 0 also of a part without whole rows
    /// Rows of zeros after `rows` in what passes read; those of the gradients mean nothing (operators::outputMultiple()).
    std::int64_t paddingRows = 0;
    int copies = 1;           ///< consecutive tensor ranks that hold this part
    bool isOfExperts = false; ///< whether it is of experts that are divided over ranks
    /// Of the selection bias of a router, which no optimizer updates: a step moves each element by this much against the sign
    /// of its gradient (arXiv 2408.15664, algorithm 1).
    std::optional<float> biasRate;
    bool isRepeated = false; ///< whether a lower tensor rank holds it
    bool needsSum = false;   ///< whether the gradient is the sum of those of its copies
    backend::Buffer value;
    /// What kernels read if that is not `value`: in a run of 16 bits `value` rounded, and a copy on the device if the host
    /// keeps `value`. refreshRead() must follow whenever `value` is written. Empty otherwise.
    backend::Buffer rounded;
    base::Precision precision = base::Precision::Fp32; ///< of what passes read
    backend::Buffer gradient;
    std::vector<backend::Buffer> state; ///< see operators::Optimizer::state
    /// With tied weights: the gradient of the output projection. It is added to that of the embedding once at the end of the
    /// step, so that the order of EB and T passes does not affect the bits. Empty otherwise.
    backend::Buffer outputGradient;
    /// With WeightUpdate::DoubleBuffered: the weights before the last update, which the passes of a step use (PipeDream-2BW,
    /// arXiv 2006.09503, section 3.1). Empty otherwise.
    backend::Buffer previous;
    int updates = 0; ///< so far
    /// With 1-bit Adam: whether the second moments stay as they are, and whether the gradient is the new momentum.
    kernels::AdamW::Second second = kernels::AdamW::Second::Updated;
    int secondUpdates = 0; ///< of the second moments, so far: as many as `updates` until they stay as they are
    int stage = -1;        ///< the stage that it belongs to; -1: shards of all devices
    /// Whether another device holds the original: in the second direction, the weights of the first; for tied weights without
    /// vocabulary parallelism, on the last stage, the table of the first stage. The end of the step sums the gradients of both.
    bool isCopy = false;
    /// The elements whose gradients this replica sums over all replicas, and that it updates with ZeRO; see
    /// layout::ReplicaCut. All of them if there is one replica; of replicas that train alone, the first has all.
    layout::Interval share;
    bool isStateSharded = false; ///< whether `state` has the elements of the share only (ZeRO)
    // Whether the elements outside of the share are dropped for now (ZeRO-2 and 3); see state/dropped_parts.h.
    bool isGradientDropped = false;
    bool isValueDropped = false;
    bool isOnHostOfGpu = false; ///< whether `value` and `state` are where kernels of the device do not compute
    /// Whether the host keeps what passes read, which LayerWeights copies to the device: `fetched`, null while it is not there.
    bool isFetched = false;
    const float *fetched = nullptr;
    [[nodiscard]] std::int64_t count() const { return rows * columns; }
    [[nodiscard]] std::int64_t paddedRows() const { return rows + paddingRows; }
    [[nodiscard]] std::int64_t paddedCount() const { return paddedRows() * columns; }
    [[nodiscard]] layout::Interval whole() const { return {0, count()}; }
    /// Returns the elements of a gradient or value that exist now.
    [[nodiscard]] layout::Interval live(bool isDropped) const { return isDropped ? share : whole(); }
    /// Returns the gradients that exist now.
    [[nodiscard]] std::span<float> liveGradient()
    {
        const layout::Interval exist = live(isGradientDropped);
        return gradient.values().subspan(static_cast<std::size_t>(exist.begin), static_cast<std::size_t>(exist.size()));
    }
    /// Returns the elements that this replica updates.
    [[nodiscard]] layout::Interval updated() const { return isStateSharded ? share : layout::Interval{0, count()}; }
    [[nodiscard]] operators::PartShape shape() const { return {rows, columns, kind, matrixRows}; }
    /// Returns the updated elements as rows, for optimizers whose state is not elementwise: cuts leave rows whole.
    [[nodiscard]] operators::PartShape updatedPart() const { return {updated().size() / columns, columns, kind, matrixRows}; }
    /// Returns the buffer that passes read, or that is copied to the device for them: `value`, or its copy.
    [[nodiscard]] backend::Buffer &read() { return rounded.size() > 0 ? rounded : value; }
    [[nodiscard]] backend::ConstValues weights() const
    {
        if (isFetched)
            return {fetched, precision};
        return rounded.size() > 0 ? backend::ConstValues(rounded.data(), precision) : value.data();
    }
    /// Returns the numbers of one of the buffers above; null if it is empty.
    [[nodiscard]] backend::Values numbers(const ParameterPart &part);
    /// Returns the same from an element on, which must be one of updated() if the part is optimizer state, with a number for
    /// each element.
    [[nodiscard]] backend::Values numbersFrom(const ParameterPart &part, std::int64_t element);
};

/// One of the buffers of a parameter.
class ParameterPart {
public:
    // NOLINTNEXTLINE(google-explicit-constructor): callers name the member
    constexpr ParameterPart(backend::Buffer Parameter::*buffer) : m_buffer(buffer) {}
    /// Returns a tensor of the optimizer's state.
    [[nodiscard]] static constexpr ParameterPart state(std::size_t tensor)
    {
        ParameterPart part(nullptr);
        part.m_state = tensor;
        return part;
    }
    [[nodiscard]] backend::Buffer &of(Parameter &parameter) const
    {
        return m_buffer != nullptr ? parameter.*m_buffer : parameter.state[m_state];
    }
    [[nodiscard]] constexpr bool isState() const { return m_buffer == nullptr; }
    /// Returns the index of a tensor of the optimizer's state.
    [[nodiscard]] constexpr std::size_t stateTensor() const { return m_state; }
    friend constexpr bool operator==(const ParameterPart &, const ParameterPart &) = default;

private:
    backend::Buffer Parameter::*m_buffer;
    std::size_t m_state = 0;
};

inline backend::Values Parameter::numbers(const ParameterPart &part)
{
    const bool isRead = part == &Parameter::rounded || part == &Parameter::previous;
    return {part.of(*this).data(), isRead ? precision : base::Precision::Fp32};
}

inline backend::Values Parameter::numbersFrom(const ParameterPart &part, std::int64_t element)
{
    const backend::Values all = numbers(part);
    return all ? all + (part.isState() ? element - updated().begin : element) : all;
}

/// The memory of the buffers of a parameter.
struct ParameterPools {
    backend::Pool &device;
    backend::Pool *host = nullptr;       ///< of `value` and `state`, if the host updates them
    bool isFetched = false;              ///< see Parameter::isFetched; needs a host
    backend::Compute *kernels = nullptr; ///< of the host, if kernels of the device do not compute there
    [[nodiscard]] backend::Pool &updated() const { return host != nullptr ? *host : device; }
    [[nodiscard]] backend::Pool &read() const { return isFetched ? *host : device; }
};
/// Allocates and initialises a part of a parameter, padded to a multiple of `multiple` rows. With ZeRO its optimizer state has
/// no memory until shareState().
[[nodiscard]] Parameter makeParameter(const ParameterPools &pools, const std::vector<ParameterInfo> &list, int index,
                                      const model::Experiment &experiment, layout::MatrixPart part, std::int64_t multiple,
                                      backend::Compute &compute);
/// Sets the share of a replica, and allocates its optimizer state.
void shareState(backend::Pool &pool, Parameter &parameter, const layout::Interval &share, const model::TrainingPlan &training,
                backend::Compute &compute);
/// Writes what passes read from `value`, if that is another buffer.
void refreshRead(Parameter &parameter, backend::Compute &compute);
/// Allocates memory for another version of what passes read, with its padding.
[[nodiscard]] backend::Buffer allocateVersion(backend::Pool &pool, Parameter &parameter, backend::Compute &compute);

/// Adds the gradients of tied output projections to those of the embedding.
void addOutputGradients(const std::vector<std::unique_ptr<Parameter>> &parameters, backend::Compute &compute);

} // namespace stagelens::runtime
