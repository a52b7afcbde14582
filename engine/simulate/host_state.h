// What a rank keeps in the memory of its host for the whole run: the optimizer's state, the weights that the optimizer updates,
// and with offloaded parameters the weights of layers that passes read (resources/docs/offload.md).
#pragma once

#include "engine/base/precision.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"

#include <cstdint>
#include <optional>

namespace stagelens::simulate {

/// Bytes of a rank on its host; all 0 without --offload-optimizer.
struct HostState {
    base::Bytes weights = 0;   ///< that the optimizer updates, and in 16 bits the rounded ones that are copied to the device
    base::Bytes optimizer = 0; ///< state
    base::Bytes gradient = 0;  ///< of the parameter that is updated: the largest
    [[nodiscard]] base::Bytes total() const { return weights + optimizer + gradient; }
};
/// With ZeRO, of the given replica; without one, of the replica with the most state.
[[nodiscard]] HostState hostState(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                                  std::optional<int> replica = {}, int tensor = 0);

/// The weights of some layers on a rank; those of a layer of experts are of all experts that the rank has.
struct LayerWeightSizes {
    int layers = 0;
    std::int64_t count = 0;  ///< parameters
    std::int64_t floats = 0; ///< memory of what passes read of them
    std::int64_t slot = 0;   ///< floats of a place on the device for any of the layers: each parameter begins at a multiple of
                             ///< kWeightLine
};
/// Returns those of the layers of a stage, and of a device; directions of a stage share them.
[[nodiscard]] LayerWeightSizes weightsOfStage(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                              int stage, base::Precision precision);
[[nodiscard]] LayerWeightSizes weightsOfDevice(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                               int device, base::Precision precision);
inline constexpr std::int64_t kWeightLine = 16;
/// Returns the floats of a parameter's place in such a slot.
[[nodiscard]] constexpr std::int64_t weightPlaceFloats(std::int64_t floats)
{
    return (floats + kWeightLine - 1) / kWeightLine * kWeightLine;
}

/// Returns how many layers' weights a device holds at a time: one that computes, and one that is copied.
[[nodiscard]] constexpr int weightSlots(int layers)
{
    return layers < 2 ? layers : 2;
}

/// Returns the bytes of what a rank's passes read of all parameters, which become fewer on the device: the layers' weights but
/// for the slots. 0 unless parameters are offloaded.
[[nodiscard]] base::Bytes offloadedWeightBytes(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                               int device);

} // namespace stagelens::simulate
