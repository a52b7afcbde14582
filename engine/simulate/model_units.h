// The parts of a model between which a pipeline can be cut, with their times, for planners.
#pragma once

#include "engine/model/experiment.h"
#include "engine/model/presets.h"
#include "engine/schedule/schedule.h"

#include <string>
#include <vector>

namespace stagelens::simulate {

/// A part of the model that stays on one device.
struct ModelUnit {
    std::string name;           ///< "embedding", "layer 3", "layer 3 attention", "layer 3 mlp", "output"
    bool isOfLayers = false;    ///< no vocabulary layer
    double seconds = 0;         ///< forward and backward of a microbatch
    double activationBytes = 0; ///< of a microbatch, to the next unit
    double weightBytes = 0;     ///< gradients that replicas of the unit exchange
};

/// What a unit is.
enum class UnitSize : unsigned char { Layer, HalfLayer };

/// Returns the units in order, as a rank computes them with the hardware: embedding, layers or their two halves, output layer.
/// Where methods shard the vocabulary, all devices compute a share of its layers, and only what is left of them on the first
/// and the last device is in their units. Layers are recomputed as the plan's policy says, as a whole if it is full.
[[nodiscard]] std::vector<ModelUnit> modelUnits(const model::Experiment &experiment, const model::Hardware &hardware,
                                                const schedule::Schedule &schedule, UnitSize size);

} // namespace stagelens::simulate
