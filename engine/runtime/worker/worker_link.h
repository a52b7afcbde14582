// The protocol between a worker and its parent over a local socket.
#pragma once

#include "engine/runtime/processes/packing.h"
#include "engine/runtime/training/training_run.h"
#include "engine/runtime/worker/worker.h"

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace stagelens::runtime {

enum class FrameType : std::uint32_t {
    Run,  ///< to the worker, once; closing its input stops it
    Step, ///< this one and those below are sent by the worker
    Progress,
    Evaluation,
    Checkpoint, ///< steps, outcome
    Describe,   ///< to a worker on another machine, first: asks for kMachineMark and Machine
    Machine,    ///< MachineReport
    Heartbeat,  ///< to a worker on another machine, every kHeartbeat
    End,        ///< outcome; the last
};

/// Comes before the first frame of a worker on another machine, whose login shell may print first.
inline constexpr std::string_view kMachineMark = "\n\x02stagelens worker\x03\n";

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
    /// Sends kMachineMark.
    bool putMark();
    /// Blocks until kMachineMark, at most 64 KiB. Appends what came before it to `before`. Returns false if it did not come.
    [[nodiscard]] bool takeMark(std::string &before);
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
