// The protocol between a worker and its parent over a local socket.
#pragma once

#include "engine/runtime/training_run.h"
#include "engine/runtime/worker/packing.h"
#include "engine/runtime/worker/worker.h"

#include <mutex>
#include <optional>
#include <string>

namespace stagelens::runtime {

enum class FrameType : std::uint32_t {
    Run,  ///< to the worker, once; closing its input stops it
    Step, ///< this and the following are sent by the worker
    Progress,
    Evaluation,
    Checkpoint, ///< steps, outcome
    End,        ///< outcome; the last
};

struct Frame {
    FrameType type = FrameType::End;
    backend::Bytes bytes;
};

/// Sends and receives frames over file descriptors. put() is thread-safe.
class WorkerLink {
public:
    /// The link does not close the descriptors.
    WorkerLink(int in, int out) : m_in(in), m_out(out) {}
    /// Returns false if the other end is closed.
    bool put(FrameType type, Packer content);
    /// Blocks until the next frame. Returns nothing at the end of the stream or for a malformed frame.
    [[nodiscard]] std::optional<Frame> take();
    /// Returns whether the last frame had another protocol version.
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

/// The arguments of train().
struct PackedRun {
    model::Experiment experiment;
    schedule::Schedule schedule;
    RunFolders folders;
    bool isOverNccl = false;
};
void pack(Packer &packer, const PackedRun &run);
[[nodiscard]] base::Result<PackedRun> unpackRun(Unpacker &packed);

} // namespace stagelens::runtime
