// Replays a step of a measured job with other durations.
#pragma once

#include "engine/base/result.h"
#include "engine/simulate/sensitivity/replay.h"
#include "engine/simulate/stragglers/measured_job.h"

#include <bitset>
#include <cstddef>
#include <span>
#include <vector>

namespace stagelens::simulate {

/// Which operations take their evened duration; the others keep the measured one.
struct Evening {
    enum class Scope : std::uint8_t { None, All, Device, Replica, Workers };
    Scope scope = Scope::None;
    std::size_t index = 0; ///< the device or the replica
    /// For Workers: replica x devices + device of each, ascending. Must outlive the value.
    std::span<const std::size_t> workers = {};
    bool isInverted = false; ///< all workers but these
    std::bitset<kJobOperations> operations = std::bitset<kJobOperations>().set();

    [[nodiscard]] bool includes(std::size_t replica, std::size_t device, std::size_t devices) const;
};

/// The operations of a job as a graph. The passes wait for their messages and requirements as in a simulation, each device runs
/// its passes in the schedule's order, and every operation begins as early as it can. Afterwards each device collects garbage,
/// reduces norms and embedding, reduces gradients, clips and optimizes; with separately reduced gradients, the others are
/// reduced as soon as the last backward of their stage ends. Parameters are gathered from the begin of the step, and the first
/// forward of a stage waits for its parameters. Not thread-safe. The job must outlive it.
class JobReplay {
public:
    /// Fails with InvalidInput if the schedule deadlocks or is too large.
    [[nodiscard]] static base::Result<JobReplay> of(const MeasuredJob &job);

    /// Returns the duration of a step in nanoseconds. O(operations of the step); if the evening affects only some replicas, and
    /// the step is that of the previous call, O(operations of these replicas).
    [[nodiscard]] double run(std::size_t step, const Evening &evening);

    [[nodiscard]] const EvenedDurations &evened() const { return m_evened; }

private:
    /// What the passes of a replica leave behind.
    struct Ends {
        std::vector<double> release; ///< of each stage: its parameters are gathered; what the others were computed from
        std::vector<double> stage;   ///< of each stage: its last backward ends
        std::vector<double> device;  ///< of each device: its last pass ends
        bool isKnown = false;
    };
    /// The durations of a replica under an evening: as measured, all evened, or a mixture, which is not kept.
    enum class Durations : std::uint8_t { Measured, Evened, Mixed };

    JobReplay(const MeasuredJob &job, Replay replay);
    void indexEntries();
    [[nodiscard]] Durations durationsOf(const Evening &evening, std::size_t replica) const;
    [[nodiscard]] double duration(std::size_t replica, std::size_t entry) const;
    void gather();
    void runPasses(std::size_t replica, Ends &ends);
    void reduceDuringPasses();
    /// Runs the operations of one kind on all workers, those of a device in order.
    void runTail(JobOperation operation);
    [[nodiscard]] const std::vector<std::size_t> &entriesOf(JobOperation operation, std::size_t device) const
    {
        return m_chains[static_cast<std::size_t>(operation) * m_devices + device];
    }
    [[nodiscard]] std::size_t worker(std::size_t replica, std::size_t device) const { return replica * m_devices + device; }

    const MeasuredJob *m_job;
    Replay m_replay;
    Replay::State m_state;
    EvenedDurations m_evened;
    std::size_t m_devices;
    std::size_t m_replicas;
    std::vector<std::size_t> m_passOf;              ///< of each unit of the replay
    std::vector<std::int32_t> m_messageOf;          ///< of each pass: the entry of its message; -1: none
    std::vector<std::int32_t> m_firstOf;            ///< of each pass: its stage if it is the stage's first forward; else -1
    std::vector<std::int32_t> m_lastOf;             ///< of each pass: its stage if it is the stage's last backward; else -1
    std::vector<std::vector<std::size_t>> m_chains; ///< by operation and device, in order
    bool m_overlaps = false;                        ///< gradients are reduced during the passes

    // The run in progress.
    std::size_t m_step = 0;
    const Evening *m_evening = nullptr;
    std::vector<std::uint8_t> m_isEvened;       ///< of each worker
    std::vector<std::vector<double>> m_release; ///< of each replica: of each stage
    std::vector<const Ends *> m_ends;           ///< of each replica
    std::vector<Ends> m_measuredEnds;           ///< of each replica of m_step, without evening
    std::vector<Ends> m_evenedEnds;             ///< the same, all evened
    std::vector<Ends> m_mixedEnds;
    std::vector<double> m_time; ///< of each worker
};

} // namespace stagelens::simulate
