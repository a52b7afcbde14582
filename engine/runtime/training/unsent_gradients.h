// What ranks that compress gradients keep from step to step, in checkpoints.
#pragma once

#include "engine/runtime/executor/executor.h"
#include "engine/runtime/processes/control_channel.h"

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::runtime {

struct Checkpoint;

/// The file of a checkpoint with a tensor for each rank: CompressedExchange::kept(). Unlike parameters they are of the ranks of
/// one plan, and no other can continue with them. The names of the tensors tell the parts that their numbers are of.
inline constexpr const char *kUnsentGradients = "unsent-gradients.safetensors";

/// Returns whether checkpoints of an experiment have the file.
[[nodiscard]] bool keepsUnsent(const model::Experiment &experiment);

/// Collects and replaces what the ranks keep. All processes make the same calls, and the first reads and writes files. The
/// arguments must outlive it.
class UnsentGradients {
public:
    UnsentGradients(ControlChannel &control, const Devices &devices) : m_control(control), m_devices(devices) {}

    /// Writes the file of the first process, and returns its checksum; nothing on the others.
    [[nodiscard]] base::Result<std::string> write(const std::filesystem::path &folder, const std::stop_token &stop);
    /// Replaces them by those of a checkpoint, which others do not have. Fails if other ranks have written it.
    [[nodiscard]] base::Result<> read(const Checkpoint *checkpoint);

private:
    /// What a rank keeps.
    struct Kept {
        std::string name;
        std::int64_t numbers = 0;
    };
    [[nodiscard]] static Kept keptBy(Device &device);
    [[nodiscard]] base::Result<std::vector<Kept>> ranks();

    ControlChannel &m_control;
    const Devices &m_devices;
};

/// Fails unless the file of a checkpoint is undamaged.
[[nodiscard]] base::Result<> checkUnsent(const Checkpoint &checkpoint);

} // namespace stagelens::runtime
