// Training for real: the executor interprets a Schedule on p devices.
#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/model/experiment.h"
#include "engine/runtime/state/run_folders.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/memory.h"
#include "engine/timeline/kernel_trace.h"
#include "engine/timeline/timeline.h"

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::backend {
class ProcessGroup;
}

namespace stagelens::runtime {

/// How tensors travel between the devices of a run.
struct Travel {
    /// That train it together, with a device each; null: all devices are in this process.
    std::shared_ptr<backend::ProcessGroup> processes = {};
    /// From GPU to GPU over NCCL, each device on a GPU of its own; else within this process, or through `processes`.
    bool isOverNccl = false;
};

/// What one step did.
struct StepReport {
    int step = 0;              ///< from 0
    double loss = 0;           ///< mean over all tokens of the step
    base::Nanos iteration = 0; ///< live: wall time; virtual clock: simulated
    timeline::TimelinePtr timeline;
    /// Peak of the bytes that the device's tensors held, by category, measured by the allocator.
    std::vector<simulate::MemoryByCategory> peakMemory;
    /// What was found out about the measurement itself, by name: "clocks" (how well the devices' are aligned), "gpu memory"; or
    /// of what the run starts from: "init".
    std::map<std::string, std::string> facts = {};
    timeline::KernelTracePtr kernels = {}; ///< where they were recorded (RunFolders::recordsKernels)
};

/// How far a run is, more often than once a step (virtual clock: after every few passes).
struct Progress {
    int step = 0;
    int steps = 0;
    std::size_t passesDone = 0; ///< of the current step
    std::size_t passCount = 0;  ///< of a step
};

/// Mean loss on the tokens held back from training.
struct Evaluation {
    int steps = 0; ///< done before it
    double loss = 0;
    friend bool operator==(const Evaluation &, const Evaluation &) = default;
};

/// Where a run tells what happens; called on the run's own threads, one call at a time. Any may be empty.
struct TrainingObserver {
    std::function<void(const StepReport &)> onStep;
    std::function<void(const Progress &)> onProgress;
    /// Before the first step and after the last one, where tokens are held back.
    std::function<void(const Evaluation &)> onEvaluation = {};
    /// After that many steps a checkpoint was due; one that could not be written leaves the former one and stops nothing.
    std::function<void(int steps, const base::Result<> &written)> onCheckpoint = {};
};

/// Bytes that a real run of the plan takes on this machine, all devices together, before anything is allocated.
[[nodiscard]] base::Bytes requiredBytes(const model::Experiment &experiment);
[[nodiscard]] base::Bytes requiredBytes(const model::Experiment &experiment, const schedule::Schedule &schedule);
/// Free memory of this machine now; 0: unknown.
[[nodiscard]] base::Bytes availableBytes();

/// Trains `experiment.training.steps` steps of a resolved, valid experiment, or those that a checkpoint leaves of them.
/// Cancelled where the token asks for it (between a pass's kernels; every blocked wait wakes); Failed with step, microbatch and
/// device where the loss is not finite (the state before that step is in the dump then, if there is one) or memory is missing;
/// a file of the folders that cannot be read or written is named. Several processes all call it with the same arguments: the
/// first one alone writes files and hears whole reports, and what ends one ends all with its reason.
[[nodiscard]] base::Result<> train(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                   const RunFolders &folders, const TrainingObserver &observer, std::stop_token stop,
                                   const Travel &travel = {});

/// Error of one parameter's gradient against the float64 reference.
struct GradientError {
    std::string parameter; ///< Hugging Face name, "transformer.h.0.attn.c_attn.weight"
    double relative = 0;   ///< Frobenius norm of the difference over that of the reference
};
struct Verification {
    int steps = 1;   ///< of an asynchronous schedule several, so that weights of several versions are used
    double loss = 0; ///< of the last step
    double referenceLoss = 0;
    std::vector<GradientError> gradients;
    [[nodiscard]] double worst() const;
    static constexpr double kTolerance = 1e-5;     ///< of a run in fp32
    static constexpr double kBf16Tolerance = 1e-2; ///< its operands have 8 bits
    double tolerance = kTolerance;                 ///< of this one
    [[nodiscard]] bool holds() const;              ///< loss (relative) and every gradient within the tolerance
};
/// One step under the schedule against an unpartitioned float64 reference of the same model, parameters (in a run of bf16
/// rounded to that) and batch. Asynchronous schedules: three steps with their updates; the reference replays the schedule's
/// versions of the weights, and compared are the gradient of every update and the weights after it.
[[nodiscard]] base::Result<Verification> verify(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                std::stop_token stop);

/// Every gradient of one step as raw bits, parameter after parameter in Hugging Face order, for the determinism tests.
[[nodiscard]] base::Result<std::vector<float>> stepGradients(const model::Experiment &experiment,
                                                             const schedule::Schedule &schedule);

} // namespace stagelens::runtime
