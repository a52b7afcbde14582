// The parts between which planners cut a model or a sequence, with their times.
#pragma once

#include "engine/model/experiment.h"
#include "engine/model/presets.h"
#include "engine/schedule/schedule.h"

#include <map>
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

/// The times of slices of a sequence, as a rank computes all layers of the model with the hardware, recomputed as the plan's
/// policy says. A slice costs what a sequence as short costs, but its attention also reads the keys before it.
class SliceTimes {
public:
    /// The arguments must outlive the object.
    SliceTimes(const model::Experiment &experiment, const model::Hardware &hardware);
    /// Returns the seconds of forward and backward of the microbatch's tokens from `before` on, at least one of each sequence.
    [[nodiscard]] double seconds(int tokens, int before) const;
    /// Returns the part of them that does not depend on `before`.
    [[nodiscard]] double linearSeconds(int tokens) const;

private:
    struct Parts {
        double linear = 0;
        double quadratic = 0; ///< grows with the pairs of positions
    };
    /// Returns the times of a sequence as long.
    [[nodiscard]] Parts partsOf(int tokens) const;

    const model::Experiment &m_experiment;
    const model::Hardware &m_hardware;
    Parts m_whole;
    mutable std::map<int, double> m_linear; ///< by tokens; one thread uses an object
};

} // namespace stagelens::simulate
