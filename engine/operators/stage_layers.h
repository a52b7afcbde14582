// The number of layers of each stage.
#pragma once

#include "engine/model/experiment.h"

#include <vector>

namespace stagelens::operators {

/// Layers of each of `stages` stages, as even as possible; the remainder goes to the stages before the last, from the back,
/// because the last stage also computes the output layer.
[[nodiscard]] std::vector<int> evenStageLayers(int layers, int stages);
/// Returns the cut of `redis`: the number of layers of the last stage minimises the greatest FLOPs of a stage (among cuts
/// within 3 %, the one that moves the fewest layers). The other stages share the rest evenly; the remainder goes to the stages
/// before the last, from the back (arXiv 2411.05288, section 6.2).
[[nodiscard]] std::vector<int> redistributedStageLayers(const model::ModelConfig &model, int stages);
/// Returns the cut of an experiment: its own, or one of the two above.
[[nodiscard]] std::vector<int> stageLayers(const model::Experiment &experiment);

/// Returns the experiment with every absent choice filled in: stage layers, mode (for `cores` cores), and the model of a
/// teaching example. The experiment must be valid.
[[nodiscard]] model::Experiment resolved(model::Experiment experiment, int cores);

} // namespace stagelens::operators
