// How layers are cut into stages and vocabulary rows into shards.
#pragma once

#include "engine/model/experiment.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace stagelens::model {

/// Layers of each of `stages` stages, as even as possible; the remainder goes to the stages before the last, from the back,
/// because the last one bears the output layer.
[[nodiscard]] std::vector<int> evenStageLayers(int layers, int stages);
/// The cut of `redis`: the number of layers of the last stage is chosen so that the greatest FLOPs of a stage are least
/// (within 3 %: then the cut that moves the fewest layers); the others share the rest evenly, the remainder from the stage
/// before the last downwards (arXiv 2411.05288, section 6.2).
[[nodiscard]] std::vector<int> redistributedStageLayers(const ModelConfig &model, int stages);
/// The cut that an experiment means: its own, or one of the two above.
[[nodiscard]] std::vector<int> stageLayers(const Experiment &experiment);

/// Vocabulary rows [first, second) of a device: the vocabulary is padded to a multiple of the devices, and the last shards may
/// be short or empty of real rows.
[[nodiscard]] std::pair<int, int> vocabularyShard(int vocabularySize, int devices, int device);

} // namespace stagelens::model
