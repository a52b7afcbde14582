// Trains a model: executes a Schedule on p devices.
#pragma once

#include "engine/base/precision.h"
#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/memory.h"
#include "engine/timeline/kernel_trace.h"
#include "engine/timeline/operator_times.h"
#include "engine/timeline/router_counts.h"
#include "engine/timeline/timeline.h"

#include <filesystem>
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

/// How tensors are exchanged between the devices of a run.
struct TransportOptions {
    /// The processes of the run, one device each; null if all devices are in this process.
    std::shared_ptr<backend::ProcessGroup> processes = {};
    /// Whether tensors are exchanged over NCCL, with one device per GPU; else within this process, or through `processes`.
    bool isOverNccl = false;
};

/// The folders that a run reads and writes. An empty path means none. `dump` and `init` are in Hugging Face layout.
struct RunFolders {
    std::filesystem::path dump;             ///< created and written during the run
    std::filesystem::path init;             ///< its model.safetensors contains the initial parameters
    std::filesystem::path checkpoints = {}; ///< of this run (engine/runtime/training/checkpoint.h)
    int checkpointEvery = 0;                ///< interval in steps, plus one after the last step; 0: none
    std::filesystem::path resume = {};      ///< checkpoints of another run; this run continues from the newest
    bool recordsKernels = false;            ///< in the last step, which makes it slower
};

/// The results of one step.
struct StepReport {
    int step = 0;                    ///< from 0
    double loss = 0;                 ///< mean over all tokens of the step
    std::vector<double> losses = {}; ///< of all steps that ran without a drain, of which `step` is the last
    base::Nanos iteration = 0;       ///< live: wall time; virtual clock: simulated
    timeline::TimelinePtr timeline;
    /// Peak bytes of each device's tensors by category, measured by the allocator.
    std::vector<simulate::MemoryByCategory> peakMemory;
    /// With offload: peak bytes of each device's activations on the host; else empty.
    std::vector<base::Bytes> peakHost = {};
    /// Facts about the measurement by name, "clocks" (how well the device clocks are aligned) and "gpu memory", or about the
    /// initial parameters, "init".
    std::map<std::string, std::string> facts = {};
    timeline::KernelTracePtr kernels = {};     ///< if recorded
    timeline::OperatorTimesPtr operators = {}; ///< of the passes in `timeline`; null on GPUs
    double lossScale = 0;                      ///< factor of the loss in fp16; 0: none
    bool isSkipped = false;                    ///< a gradient was infinite or NaN, so that no rank has updated its parameters
    timeline::RouterStepPtr routers = {};      ///< what the routers chose; null without experts
};

/// Progress within a step (on the virtual clock, after every few passes).
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

/// Callbacks of a run, called on its threads, one call at a time. Any may be empty.
struct TrainingObserver {
    std::function<void(const StepReport &)> onStep;
    std::function<void(const Progress &)> onProgress;
    /// Called before the first and after the last step if tokens are held back.
    std::function<void(const Evaluation &)> onEvaluation = {};
    /// Called after each checkpoint attempt. If writing fails, the previous checkpoint remains and the run continues.
    std::function<void(int steps, const base::Result<> &written)> onCheckpoint = {};
};

/// Trains `experiment.training.steps` steps of a resolved, valid experiment, or the remaining steps after a checkpoint.
/// Cancelled after a stop of `stop`, which interrupts kernels and waits. Failed, with step, microbatch and device, if the loss
/// is not finite (the state before that step is then in the dump, if any) or memory is exhausted. File errors name the file.
/// The iterations of a schedule that does not drain between them are trained so; of any other, its step.
/// Several processes call it with the same arguments: only the first writes files and receives complete reports, and an error
/// of one ends all with its reason.
[[nodiscard]] base::Result<> train(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                   const RunFolders &folders, const TrainingObserver &observer, std::stop_token stop,
                                   const TransportOptions &transport = {});

/// The error of a gradient against the float64 reference.
struct GradientError {
    std::string parameter; ///< Hugging Face name, "transformer.h.0.attn.c_attn.weight"
    double relative = 0;   ///< Frobenius norm of the difference over that of the reference
};
struct Verification {
    int steps = 1;    ///< several with updates if the schedule is asynchronous, or replicas train alone
    int replicas = 1; ///< that train alone
    double loss = 0;  ///< of the last step; the sum over the last steps that run without a drain
    double referenceLoss = 0;
    std::vector<GradientError> gradients;
    [[nodiscard]] double worst() const;
    static constexpr double kTolerance = 1e-5; ///< of a run in fp32
    /// Returns the tolerance of a run of fewer bits: with e the relative error of a rounded tensor
    /// (operators::roundingError()), 2 e sqrt(2 (2 L + 5)). Of L layers, the stream is rounded twice in each layer and at most
    /// 5 tensors between two of these, in the forward and again in the backward; independent errors add as squares. A single
    /// tensor may have twice the expected error.
    [[nodiscard]] static double toleranceOf(const model::Experiment &experiment);
    double tolerance = kTolerance;    ///< of this run
    [[nodiscard]] bool holds() const; ///< loss (relative) and every gradient within the tolerance
};
/// Compares one step with an unpartitioned float64 reference of the same model, parameters (rounded in a run of 16 bits) and
/// batch. Asynchronous schedules: three steps with updates; the reference uses the weight versions of the schedule, and
/// compares the gradient of every update and the weights after it. Replicas that train alone: the last three steps of a period
/// (fewer if it has fewer), of each replica the gradients, the updates, and the weights after the average; the error of a
/// parameter is the greatest of theirs.
[[nodiscard]] base::Result<Verification> verify(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                                std::stop_token stop);

} // namespace stagelens::runtime
