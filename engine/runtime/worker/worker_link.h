// What a worker and its master say to each other over a local socket.
#pragma once

#include "engine/runtime/training_run.h"
#include "engine/runtime/worker/packing.h"
#include "engine/runtime/worker/worker.h"

#include <mutex>
#include <optional>
#include <string>

namespace stagelens::runtime {

enum class Word : std::uint32_t {
    Run,  ///< to the worker, once; the end of its input asks it to stop
    Step, ///< from here on from the worker
    Progress,
    Evaluation,
    Checkpoint, ///< steps, outcome
    End,        ///< outcome; the last
};

struct Frame {
    Word word = Word::End;
    backend::Bytes bytes;
};

/// A descriptor that frames go through. Writing is thread-safe.
class WorkerLink {
public:
    /// Neither is closed.
    WorkerLink(int in, int out) : m_in(in), m_out(out) {}
    /// False where nobody is there any more.
    bool put(Word word, Packer content);
    /// Waits for the next one; nothing at the end, or where it makes no sense.
    [[nodiscard]] std::optional<Frame> take();
    /// Whether the last frame was of another version of what they say.
    [[nodiscard]] bool isForeign() const { return m_isForeign; }

private:
    int m_in;
    int m_out;
    std::mutex m_writing;
    bool m_isForeign = false;
};

void pack(Packer &packer, const base::Result<> &outcome);
[[nodiscard]] base::Result<> unpackOutcome(Unpacker &packed);
void pack(Packer &packer, const StepReport &report);
[[nodiscard]] StepReport unpackReport(Unpacker &packed);

/// A run as train() takes it.
struct PackedRun {
    model::Experiment experiment;
    schedule::Schedule schedule;
    RunFolders folders;
    bool isOverNccl = false;
};
void pack(Packer &packer, const PackedRun &run);
[[nodiscard]] base::Result<PackedRun> unpackRun(Unpacker &packed);

} // namespace stagelens::runtime
