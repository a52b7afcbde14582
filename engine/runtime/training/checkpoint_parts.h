// The tensor files of a checkpoint. Internal to checkpoint.
#pragma once

#include "engine/runtime/training/checkpoint.h"
#include "engine/runtime/training/session.h"

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::runtime {

/// A tensor file. Checksums are stored by its name, so that swapped files are detected.
struct CheckpointPart {
    std::string file;
    ParameterPart buffer;
    operators::StateTensor range = {};
    std::optional<int> replica = {}; ///< that it is of, if replicas train alone and have optimizer state of their own
};

/// Returns the parts of every checkpoint of an experiment.
[[nodiscard]] std::vector<CheckpointPart> partsOf(const model::Experiment &experiment);
/// Returns the additional part of PipeDream-2BW.
[[nodiscard]] CheckpointPart previousPart();

/// Writes the tensors of a part and returns the checksum of the file.
[[nodiscard]] base::Result<std::string> writePart(const CheckpointPart &part, const std::filesystem::path &folder,
                                                  const RunPlan &plan, const Tensors &tensors, const std::stop_token &stop);
/// Reads the tensors of a part; fails unless the checksum matches and the values are valid.
[[nodiscard]] base::Result<Tensors> readPart(const CheckpointPart &part, const Checkpoint &checkpoint,
                                             const std::vector<ParameterInfo> &parameters);

} // namespace stagelens::runtime
