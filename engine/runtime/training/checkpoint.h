// Saves the state of a run, from which another run continues with the same bits.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/runtime/training/session.h"

#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::runtime {

/// The description of a checkpoint. restore() reads its tensors: parameters and the optimizer's state, unsharded, so that any
/// partition of the model can load them.
struct Checkpoint {
    std::filesystem::path folder;
    model::Experiment experiment; ///< of the run that wrote it
    std::vector<double> losses;   ///< of every step before it
    /// Updates per parameter; differs from the number of steps if a schedule updates after each microbatch.
    std::vector<int> updates;
    std::vector<int> secondUpdates;     ///< of their second moments, which 1-bit Adam stops updating
    std::optional<LossScale> lossScale; ///< of a run in fp16
    /// base::hashText() of each tensor file, by its name; empty in checkpoints of older versions.
    std::map<std::string, std::string> checksums;
    /// A warning that a newer checkpoint is damaged or that this one has no checksums; may be empty.
    std::string note;
    /// Returns the steps done: the index of the next step, and the position in the data.
    [[nodiscard]] int steps() const { return static_cast<int>(losses.size()); }
};

/// Returns the newest valid checkpoint in the folder of a run: the checksums of its files match and their values are valid.
/// Reads all files. InvalidInput if there is none.
[[nodiscard]] base::Result<Checkpoint> newestCheckpoint(const std::filesystem::path &runFolder);
/// Returns why no run of an experiment can write checkpoints every `every` steps; nothing for 0, which writes none. Replicas
/// that train alone are stored when they have been averaged, each with its own state of the optimizer. Replicas that compress
/// gradients are stored with what each has not sent yet.
[[nodiscard]] base::Problems checkpointProblems(const model::Experiment &experiment, int every);
/// Returns every reason why an experiment cannot continue from a checkpoint, with its field: another model, other tokens, or no
/// steps left. Devices, schedule, mode and the options of the optimizer may differ, and replicas unless they train alone. With
/// compressed gradients, the ranks and the method must be the same.
[[nodiscard]] base::Problems resumeProblems(const Checkpoint &checkpoint, const model::Experiment &experiment);
/// Loads the tensors of the checkpoint into a session for which resumeProblems() is empty.
[[nodiscard]] base::Result<> restore(const Checkpoint &checkpoint, Session &session);
/// Continues from the newest checkpoint in the folder of a run and returns its losses. With several processes all call it, and
/// only the first reads files.
[[nodiscard]] base::Result<std::vector<double>> resume(const std::filesystem::path &runFolder, Session &session);
/// Writes the checkpoint after as many steps as there are losses. Keeps the previous checkpoint, and removes older ones once
/// this one is complete. On Cancelled after a stop of `stop` or a lost process, all older ones remain. Fails if a value is not
/// finite. With several processes all call it; only the first writes, and only it returns how that went.
[[nodiscard]] base::Result<> writeCheckpoint(const std::filesystem::path &runFolder, Session &session,
                                             const std::vector<double> &losses, const std::stop_token &stop);

} // namespace stagelens::runtime
