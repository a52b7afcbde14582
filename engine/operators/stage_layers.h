// Which layers a stage has.
#pragma once

#include "engine/model/experiment.h"

#include <vector>

namespace stagelens::operators {

/// Layers of each of `stages` stages, as even as possible; the remainder goes to the stages before the last, from the back,
/// because the last stage also computes the output layer.
[[nodiscard]] std::vector<int> evenStageLayers(int layers, int stages);
/// The cut of `redis`: the number of layers of the last stage is chosen so that the greatest FLOPs of a stage are least
/// (within 3 %: then the cut that moves the fewest layers); the others share the rest evenly, the remainder from the stage
/// before the last downwards (arXiv 2411.05288, section 6.2).
[[nodiscard]] std::vector<int> redistributedStageLayers(const model::ModelConfig &model, int stages);
/// The cut that an experiment means: its own, or one of the two above.
[[nodiscard]] std::vector<int> stageLayers(const model::Experiment &experiment);

/// The experiment with every absent choice filled in: stage layers, mode (for `cores` cores), and the model of a teaching
/// example. Call it on a valid experiment only.
[[nodiscard]] model::Experiment resolved(model::Experiment experiment, int cores);

} // namespace stagelens::operators
