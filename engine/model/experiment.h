// The experiment: everything that a user edits, and nothing that is derived from it.
#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/model/hardware.h"
#include "engine/model/loss_scale.h"
#include "engine/model/model_config.h"
#include "engine/model/vocabulary_method.h"
#include "engine/operators/compression/choice.h"
#include "engine/operators/optimizers/choice.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace stagelens::model {

enum class VocabularyOrder : unsigned char { Published, Best };

/// What the output layer keeps of a microbatch until its gradient: the exponentials of its logits (`Full`), or only the
/// statistics of each row, from which they are computed again. `Chunked` also computes them for a part of the tokens at a time.
enum class VocabularyKind : unsigned char { Full, RecomputeLogits, Chunked };
enum class Recompute : unsigned char { None, Selective, Full };

/// Operators of a layer whose outputs the backward computes again instead of keeping them.
struct RecomputeModules {
    bool norms = false;
    bool activation = false;
    bool attention = false;
    [[nodiscard]] constexpr bool any() const { return norms || activation || attention; }
    friend bool operator==(const RecomputeModules &, const RecomputeModules &) = default;
};

/// Which activations are offloaded to the host until their backward: those whose copies delay no pass, or a fraction of all.
struct OffloadChoice {
    bool isAuto = false;
    double fraction = 0; ///< of a device's activations; 0: none
    [[nodiscard]] constexpr bool isOn() const { return isAuto || fraction > 0; }
    friend bool operator==(const OffloadChoice &, const OffloadChoice &) = default;
};
/// Whether the copies to the host and back take turns on the link of a device, or run at the same time.
enum class OffloadLanes : unsigned char { Half, Full };

/// How a layer computes attention. `Flash` never stores its probabilities: the backward computes them again. `Materialised`
/// keeps them from F to B, [a, s, s] for each sequence.
enum class Attention : unsigned char { Flash, Materialised };

/// When the replicas of ZeRO-2 reduce gradients: once at the end of the step (they hold whole gradients until then), or after
/// every backward.
enum class ZeroGradients : unsigned char { Deferred, Eager };
/// How long the replicas of ZeRO-3 keep gathered parameters: for the step, for a pass, or from a forward to the next end of a
/// backward.
enum class ZeroParameters : unsigned char { Resident, Reshard, KeepUntilBackward };
/// How a sequence is cut into slices: with the same work in each slice (attention of later tokens reads more keys), or the same
/// number of tokens.
enum class SliceCut : unsigned char { Work, Length };

/// How context ranks get the keys and values of other ranks: in one all-gather, in a ring of c - 1 messages, or by exchanging
/// tokens for heads.
enum class ContextMethod : unsigned char { AllGather, Ring, Ulysses };

/// What the tensor ranks of a device divide in vocabulary layers: the device's rows of the vocabulary, or the tokens, of which
/// each then computes its own against all rows of the device.
enum class VocabularySharding : unsigned char { Rank, Device };

/// How tokens travel to the ranks of their experts: a copy for each chosen expert, or one for each node, which ranks of the
/// node forward to others (as DeepEP does).
enum class ExpertDispatch : unsigned char { PerExpert, PerNode };
/// Precision of tokens and gradients on their way to experts; the way back has that of the model.
enum class DispatchPrecision : unsigned char { Same, Fp8 };
/// Precision of numbers that are packed between two uses (kernels/include/codec.h): unchanged, 16 bits, or 8 bits with a factor
/// for every tile of a row. Fp8 is e4m3 for activations and e5m2 for gradients.
enum class PackedPrecision : unsigned char { Same, Bf16, Fp8, Int8 };

/// Returns the product of two degrees, limited to what an int holds: fields are also read before they are checked.
[[nodiscard]] constexpr int degreeProduct(int a, int b)
{
    using Limits = std::numeric_limits<int>;
    return static_cast<int>(std::clamp<std::int64_t>(std::int64_t{a} * b, Limits::min(), Limits::max()));
}

/// How the work is divided. Devices and microbatches may be 0 for a schedule from a file, which then defines them.
struct ParallelPlan {
    int devices = 4;        ///< p
    int microbatches = 16;  ///< m
    int microbatchSize = 1; ///< b
    /// Layers of each stage; empty: as even as possible (or as `redis` redistributes them).
    std::vector<int> stageLayers;
    // The axes of the mesh beside the pipeline (engine/layout/mesh.h); capabilities.h says which values are supported.
    int tensor = 1;               ///< t, tensor ranks of a layer
    bool sequenceParallel = true; ///< each tensor rank computes only its own tokens outside attention and MLP
    int context = 1;              ///< c, ranks that share the tokens of a sequence
    ContextMethod contextMethod = ContextMethod::AllGather;
    VocabularySharding vocabularySharding = VocabularySharding::Rank;
    int replicas = 1; ///< d, data-parallel copies of the model
    int expert = 1;   ///< e, ranks that share the experts of a layer, folded over tensor and replicas
    /// Token rows for which an expert rank plans memory, relative to balanced experts.
    double expertHeadroom = kExpertHeadroom;
    static constexpr double kExpertHeadroom = 2;
    ExpertDispatch expertDispatch = ExpertDispatch::PerExpert;
    DispatchPrecision dispatchPrecision = DispatchPrecision::Same;
    PackedPrecision messagePrecision = PackedPrecision::Same; ///< of messages between stages on different devices
    int zero = 0; ///< what replicas shard (ZeRO): 0 nothing, 1 optimizer state, 2 also gradients, 3 also parameters
    ZeroGradients zero2 = ZeroGradients::Deferred;   ///< of zero 2
    ZeroParameters zero3 = ZeroParameters::Resident; ///< of zero 3
    int shardReplicas = 0;                           ///< adjacent replicas that shard among themselves (ZeRO); 0: all
    int syncEvery = 1; ///< H: replicas sum their gradients in every step (1), or train alone and average weights every H steps
    std::string rankOrder = "tp-cp-dp-pp"; ///< axes from adjacent ranks to the slowest

    /// Returns the ranks of a plan of that many devices. The number is limited for degrees that are too large.
    [[nodiscard]] std::int64_t ranks(int devicesOfPlan) const
    {
        return std::int64_t{degreeProduct(devicesOfPlan, tensor)} * gradientRanks();
    }
    /// Returns the number of ranks that hold the same weights but compute other tokens. They sum their gradients, and ZeRO
    /// shards over them. With local SGD they average their weights instead.
    [[nodiscard]] int gradientRanks() const { return degreeProduct(replicas, context); }
    /// Returns whether replicas train alone, and average their weights every `syncEvery` steps (local SGD).
    [[nodiscard]] bool averagesWeights() const { return syncEvery > 1; }
    /// Returns whether they do so at the end of a step, counted from 0.
    [[nodiscard]] bool averagesAfter(std::int64_t step) const { return averagesWeights() && (step + 1) % syncEvery == 0; }
    /// Returns the number of consecutive replicas that share the experts of each layer: an expert group has all their tensor
    /// ranks.
    [[nodiscard]] int replicasPerExpertGroup() const { return std::max(1, expert / tensor); }
    /// Returns the number of ranks that hold the same experts and sum their gradients.
    [[nodiscard]] int expertReplicas() const { return gradientRanks() / replicasPerExpertGroup(); }
    /// Returns whether tensor ranks have experts of their own. Each then routes its own tokens (sequence parallelism), and
    /// holds whole experts; otherwise they route the same tokens and divide the matrices of every expert.
    [[nodiscard]] bool foldsExperts() const { return expert > 1 && tensor > 1; }
    /// Returns whether messages between stages on different devices have fewer bits than what the stages compute.
    [[nodiscard]] bool packsMessages() const { return messagePrecision != PackedPrecision::Same; }
    [[nodiscard]] bool hasSequenceParallel() const { return tensor > 1 && sequenceParallel; }
    /// Returns whether tensor ranks hold the same rows of the token tables. Each then computes the vocabulary layers of its own
    /// tokens (sequence parallelism).
    [[nodiscard]] bool dividesVocabularyByTokens() const
    {
        return hasSequenceParallel() && vocabularySharding == VocabularySharding::Device;
    }
    /// Returns over how many ranks of a device the rows of a token table are divided.
    [[nodiscard]] int tableRanks() const { return dividesVocabularyByTokens() ? 1 : tensor; }
    /// Returns the number of ranks in a shard group: replicas and their context ranks.
    [[nodiscard]] int shardGroup() const { return degreeProduct(shardReplicas > 0 ? shardReplicas : replicas, context); }
    [[nodiscard]] int shardGroups() const { return gradientRanks() / shardGroup(); }
    /// Returns whether every backward ends with a reduction of its gradients (ZeRO).
    [[nodiscard]] bool reducesEagerly() const
    {
        return (zero == 2 && zero2 == ZeroGradients::Eager) || (zero == 3 && zero3 != ZeroParameters::Resident);
    }
    /// Returns whether a step ends with a reduction of gradients: unless passes have reduced all of it.
    [[nodiscard]] bool reducesAtStepEnd() const
    {
        return gradientRanks() > 1 && !averagesWeights() && (!reducesEagerly() || shardGroups() > 1);
    }
    /// Returns whether the replicas gather the parameters at the begin of the step, rather than at its end (ZeRO-3, resident).
    [[nodiscard]] bool gathersFirst() const { return zero == 3 && zero3 == ZeroParameters::Resident; }
    /// Returns the microbatches of a step in all replicas.
    [[nodiscard]] std::int64_t stepMicrobatches() const { return std::int64_t{microbatches} * replicas; }
    friend bool operator==(const ParallelPlan &, const ParallelPlan &) = default;
};

/// The family of a schedule that comes from a file.
inline constexpr std::string_view kCustomFamily = "custom";

/// Which order the passes run in. `family` is a name of the schedule registry (engine/schedule/families.h), or kCustomFamily.
struct ScheduleChoice {
    std::string family = "1f1b";
    std::string file; ///< of a custom schedule (Stagelens' text or PyTorch's CSV); empty for every other family
    std::string text; ///< the custom schedule itself, in either format, if it is stored in the document
    VocabularyMethod vocabulary = VocabularyMethod::None;
    VocabularyOrder vocabularyOrder = VocabularyOrder::Published;
    VocabularyKind vocabularyKind = VocabularyKind::Full;
    int logitChunks = 1; ///< of Chunked: parts of a microbatch's tokens; otherwise 1
    /// Stages of a device; absent: the default of the family (stagesPerDevice()).
    std::optional<int> chunks;
    std::optional<int> groupSize;      ///< interleaved families: consecutive microbatches in a chunk; absent: p
    std::optional<int> waves;          ///< hanayo: waves, two chunks each; absent: 1
    std::optional<int> sequenceSlices; ///< seq1f1b families: slices of each sequence; absent: 2
    SliceCut sliceCut = SliceCut::Work;
    /// 1f1b and interleaved-1f1b: a forward and a backward of the steady phase run as an overlapped pair.
    bool overlappedPairs = false;
    int iterations = 1;                     ///< consecutive steps of the plan; asynchronous families do not drain between them
    std::optional<base::Bytes> memoryLimit; ///< of a device; families that adapt respect it
    Recompute recompute = Recompute::None;
    /// Unless all layers are recomputed: how many of the first layers of each stage are recomputed as a whole. A single number
    /// applies to every stage, up to the number of its layers; empty: none.
    std::vector<int> recomputeLayers;
    RecomputeModules recomputeModules;                         ///< of the layers that are not recomputed as a whole
    PackedPrecision storedActivations = PackedPrecision::Same; ///< of what layers keep from forward to backward
    Attention attention = Attention::Flash;
    OffloadChoice offload;
    OffloadLanes offloadLanes = OffloadLanes::Half;
    std::optional<double> hostBandwidth;   ///< GB/s of a device's link to its host, each way; absent: that of the hardware
    std::optional<base::Bytes> hostMemory; ///< of a node; absent: that of the hardware
    bool offloadOptimizer = false;         ///< the host keeps the optimizer's state and updates the parameters
    bool offloadParameters = false;        ///< the host keeps the weights of the layers, too; passes copy them layer by layer
    /// Returns the parts of the tokens of a pass that the output layer computes one after another. The sizes of two parts
    /// differ by one token at most.
    [[nodiscard]] constexpr std::int64_t logitParts(std::int64_t tokens) const
    {
        return std::clamp<std::int64_t>(logitChunks, 1, std::max<std::int64_t>(tokens, 1));
    }
    /// Returns the tokens of the greatest part.
    [[nodiscard]] constexpr std::int64_t logitTokens(std::int64_t tokens) const
    {
        return (tokens + logitParts(tokens) - 1) / logitParts(tokens);
    }
    /// Returns whether layers of any stage are recomputed as a whole.
    [[nodiscard]] bool recomputesLayers() const { return recompute == Recompute::Full || !recomputeLayers.empty(); }
    /// Returns whether what layers keep is packed between the forward and the backward.
    [[nodiscard]] bool packsActivations() const { return storedActivations != PackedPrecision::Same; }
    /// Returns whether passes recompute values that a forward has dropped.
    [[nodiscard]] bool rebuilds() const { return recomputesLayers() || recomputeModules.any(); }
    /// Returns whether the schedule is a custom one.
    [[nodiscard]] bool hasOwnOrder() const { return !file.empty() || !text.empty(); }
    friend bool operator==(const ScheduleChoice &, const ScheduleChoice &) = default;
};

/// Whether uniform durations of F, B, I, W and FB are for one stage or for all stages of a device together.
enum class UniformPer : unsigned char { Stage, Device };

/// Cost of a pass by its kind in milliseconds, for teaching: keys are pass kinds ("F", "B", ...), "FB", "send", "c0", "c1",
/// "c2".
struct UniformCosts {
    std::map<std::string, double> milliseconds;
    UniformPer per = UniformPer::Stage;
    friend bool operator==(const UniformCosts &, const UniformCosts &) = default;
};
/// Measured durations from a CSV file with the header device,stage,pass,duration_us.
struct DurationsFile {
    std::string file;
    friend bool operator==(const DurationsFile &, const DurationsFile &) = default;
};
/// A hardware preset, or the user's own cluster, which the experiment then contains.
struct HardwarePreset {
    std::string name = "cpu-local";
    std::shared_ptr<const Hardware> cluster = {}; ///< has that name; null: the preset of that name
    /// Returns whether it is the processors of this machine.
    [[nodiscard]] bool isThisMachine() const { return !cluster && name == "cpu-local"; }
    friend bool operator==(const HardwarePreset &one, const HardwarePreset &other)
    {
        const bool isSame = one.cluster == other.cluster || (one.cluster && other.cluster && *one.cluster == *other.cluster);
        return one.name == other.name && isSame;
    }
};

/// Whether collectives run concurrently with passes or block their devices.
enum class Collectives : unsigned char { Overlapped, Blocking };

struct CostChoice {
    std::variant<HardwarePreset, UniformCosts, DurationsFile> source;
    Collectives collectives = Collectives::Overlapped;
    friend bool operator==(const CostChoice &, const CostChoice &) = default;
};

/// How a run computes time: `Live` on concurrent threads with the wall clock; `VirtualClock` runs each pass alone, measures it
/// and simulates the concurrency.
enum class RunMode : unsigned char { Live, VirtualClock };

using operators::CompressionChoice;
using operators::OptimizerChoice;

struct TrainingPlan {
    std::string backend = "cpu";
    std::optional<RunMode> mode; ///< absent: live if ranks <= cores, otherwise virtual clock
    int steps = 50;
    std::uint64_t seed = 1;
    std::string data = "synthetic"; ///< "synthetic", a text file (byte-level BPE) or a .bin token file
    CompressionChoice compression;  ///< of the gradients that replicas exchange
    int compressionAfter = 0;       ///< steps that come before the first compressed one
    LossScaleChoice lossScale;      ///< in fp16
    OptimizerChoice optimizer;
    friend bool operator==(const TrainingPlan &, const TrainingPlan &) = default;
};

/// What-ifs of a prediction. They do not change the order of passes, and runs refuse them. what_if.h parses the texts.
struct WhatIf {
    std::string slow;     ///< "3=1.5,rank=7:1.2,node=0:1.1,replica=1:1.3": times as long; empty: none
    std::string slowLink; ///< "2-3=4"
    /// Coefficient of variation of every pass: standard deviation / mean of a log-normal factor of mean 1.
    std::optional<double> jitter;
    std::optional<int> draws; ///< of the jitter; absent: kDefaultDraws
    /// Popularity of a layer's experts: the i-th most popular one gets a share of i^-z of the tokens. Absent: all are equal.
    std::optional<double> expertSkew;
    std::string lengths;                     ///< CSV file of sequence lengths by microbatch; empty: all microbatches are equal
    std::optional<double> failureInterval;   ///< mean hours between failures of the whole job
    std::optional<double> checkpointSeconds; ///< for which a checkpoint stops the job
    std::optional<double> restartSeconds;    ///< from a failure until the job continues from its checkpoint
    friend bool operator==(const WhatIf &, const WhatIf &) = default;
};
inline constexpr int kDefaultDraws = 200;

/// The document of the window and of the command line (`*.stagelens.json`).
struct Experiment {
    ModelConfig model;
    /// False for a teaching example: uniform or file costs without a model. Bytes, FLOPs and MFU are then unknown, and each
    /// stage has one layer.
    bool hasModel = true;
    ParallelPlan parallel;
    ScheduleChoice schedule;
    CostChoice cost;
    TrainingPlan training;
    WhatIf whatIf;
    friend bool operator==(const Experiment &, const Experiment &) = default;
};

/// Returns every problem of the fields of a plan, each with its JSON field ("parallel.devices"); empty if valid. Independent of
/// the machine. What only the schedule shows (a family's conditions, too many passes) is reported by service::planOf().
[[nodiscard]] base::Problems validate(const Experiment &experiment);

/// Returns the mode that `training.mode` selects on a machine with that number of cores.
[[nodiscard]] RunMode runMode(const Experiment &experiment, int cores);

} // namespace stagelens::model
