// The state of a run on disk, so that another run goes on from it to the same bits.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/runtime/session.h"

#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::runtime {

/// What a checkpoint says of itself. Its tensors (parameters and AdamW's two moments, whole, so that any split of the model can
/// take them) are read by restore().
struct Checkpoint {
    std::filesystem::path folder;
    model::Experiment experiment; ///< of the run that wrote it
    std::vector<double> losses;   ///< of every step up to it
    /// AdamW's updates of each parameter. They differ from the number of steps where a schedule updates with each microbatch.
    std::vector<int> updates;
    /// base::hashText() of each file with tensors, by its name; empty in checkpoints of versions that wrote none.
    std::map<std::string, std::string> checksums;
    /// What to tell: that a newer checkpoint is damaged, or that this one has no checksums. Empty if neither.
    std::string note;
    /// Steps done: the number of the step to go on with, which is the position in the data as well.
    [[nodiscard]] int steps() const { return static_cast<int>(losses.size()); }
};

/// The newest sound checkpoint in a run's folder: its files have the checksums that were stored with it, and their values are
/// possible ones. Reads all of it. InvalidInput where there is none.
[[nodiscard]] base::Result<Checkpoint> newestCheckpoint(const std::filesystem::path &runFolder);
/// Every reason why an experiment cannot go on from a checkpoint, each with its field: another model, other tokens, or no step
/// left to do. Devices, schedule, mode and the optimizer's settings may differ.
[[nodiscard]] base::Problems resumeProblems(const Checkpoint &checkpoint, const model::Experiment &experiment);
/// Puts the checkpoint's tensors into a session of an experiment that may go on from it.
[[nodiscard]] base::Result<> restore(const Checkpoint &checkpoint, Session &session);
/// Writes the checkpoint of a session after so many steps as there are losses. The run's former checkpoint is kept beside it,
/// older ones are removed once this one is whole. Cancelled, with all older ones left, where `stop` asks for it; refused where
/// a value is not finite.
[[nodiscard]] base::Result<> writeCheckpoint(const std::filesystem::path &runFolder, const Session &session,
                                             const std::vector<double> &losses, const std::stop_token &stop);

} // namespace stagelens::runtime
