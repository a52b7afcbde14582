// checkpoint.json: which run wrote a checkpoint, after which step, and the checksums of its files. Internal to checkpoint.
#pragma once

#include "engine/model/json_reader.h"
#include "engine/runtime/training/checkpoint.h"
#include "engine/runtime/training/session.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace stagelens::runtime {

inline constexpr const char *kCheckpointDescription = "checkpoint.json";

/// See Checkpoint.
struct UpdateCounts {
    std::vector<int> all;
    std::vector<int> ofSecondMoments;
};

/// Writes the description into the folder of a checkpoint. `lossScale`: null without loss scaling. `checksums`: of each
/// tensor file, by its name.
[[nodiscard]] base::Result<> writeDescription(const std::filesystem::path &folder, const model::Experiment &experiment,
                                              const std::vector<double> &losses, const UpdateCounts &updates,
                                              const LossScale *lossScale, const model::Json &checksums);
/// Reads the description of the checkpoint after `steps` steps; fails if it is damaged.
[[nodiscard]] base::Result<Checkpoint> readDescription(const std::filesystem::path &folder, std::int64_t steps);

} // namespace stagelens::runtime
