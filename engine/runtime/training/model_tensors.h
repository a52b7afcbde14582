// The tensors of the whole model, read from and written to the devices that hold parts of them.
#pragma once

#include "engine/runtime/executor/executor.h"
#include "engine/runtime/processes/control_channel.h"
#include "engine/runtime/training/unsent_gradients.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace stagelens::runtime {

/// Parameters, gradients and optimizer state; codes as numbers. With several processes, all of them make the same calls of
/// collect(), addOthers(), distribute() and collectUpdates(), and the first one gets or gives the whole tensors.
class ModelTensors {
public:
    /// The arguments must outlive it.
    ModelTensors(const RunPlan &plan, ControlChannel &control, const Devices &devices)
        : m_plan(plan), m_control(control), m_devices(devices), m_unsent(control, devices)
    {}

    /// Returns a part of the whole model, if all of it is in this process. `replica`: as that replica has it, which must hold
    /// all of it; otherwise each replica's share.
    [[nodiscard]] Tensors read(const ParameterPart &part, std::optional<int> replica = {}) const;
    /// Returns the same from all processes, on the first one only.
    [[nodiscard]] base::Result<Tensors> collect(const ParameterPart &part);
    /// Adds what other processes hold to what the first one has read(). Others pass no tensors.
    [[nodiscard]] base::Result<> addOthers(const ParameterPart &part, Tensors &tensors, std::optional<int> replica = {});
    /// Replaces the tensors of a part, as read() returns them, on all replicas or on one. Skips parameters without that part.
    void write(const ParameterPart &part, const Tensors &tensors, std::optional<int> replica = {});
    /// Does the same in all processes with the tensors of the first one. Others pass no tensors.
    [[nodiscard]] base::Result<> distribute(std::span<const ParameterPart> parts, const Tensors &tensors,
                                            std::optional<int> replica = {});
    /// Returns the number of updates of each parameter, or of its second moments, on the first process only.
    [[nodiscard]] base::Result<std::vector<int>> collectUpdates(int Parameter::*counter = &Parameter::updates);
    void setUpdates(const std::vector<int> &counts, const std::vector<int> &ofSecondMoments);
    /// What ranks that compress gradients keep.
    [[nodiscard]] UnsentGradients &unsent() { return m_unsent; }
    /// Returns Parameter::stage of each parameter.
    [[nodiscard]] std::vector<int> stages() const;

private:
    void writeOne(const ParameterPart &part, int index, const std::vector<float> &whole, std::optional<int> replica);
    /// Returns the numbers that each of these tensors has.
    [[nodiscard]] std::vector<std::int64_t> sizes(const ParameterPart &part) const;
    /// Returns what the only device of this process contributes to such a tensor.
    [[nodiscard]] TensorPieces pieces(const ParameterPart &part, int index, std::optional<int> replica) const;
    /// Returns the numbers of a part of a whole parameter.
    [[nodiscard]] std::int64_t numbersOf(const ParameterInfo &info, const ParameterPart &part) const;
    // Of optimizer state that has not a float for each element. Its rows are whole: such optimizers are refused with tensor
    // ranks.
    /// Returns whether a part has a float for each element.
    [[nodiscard]] bool isPlain(const ParameterPart &part) const;
    /// Returns the place of the numbers of a rank in the tensor of the whole parameter.
    [[nodiscard]] layout::Interval numbersOf(const ParameterPart &part, const Parameter &rows) const;
    void writeState(backend::Compute &compute, const ParameterPart &part, Parameter &rows,
                    std::span<const float> numbers) const;
    void readState(backend::Compute &compute, const ParameterPart &part, Parameter &rows, std::span<float> numbers) const;
    [[nodiscard]] const operators::StateTensor &stateTensor(const ParameterPart &part) const;

    const RunPlan &m_plan;
    ControlChannel &m_control;
    const Devices &m_devices;
    UnsentGradients m_unsent;
};

} // namespace stagelens::runtime
