// `plan`: which division of a cluster trains a model fastest, or with the least memory.
#pragma once

#include "engine/service/search/predict.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::service {

enum class Objective : unsigned char {
    Time,   ///< the fastest plan that fits
    Memory, ///< the plan with the least memory among those at most `atMost` slower than the fastest
};

struct PlanQuery {
    /// The model, the hardware, the memory limit, and what the search keeps: the vocabulary method (other than none), chunks.
    model::Experiment experiment;
    int gpus = 1;
    std::int64_t globalBatch = 1; ///< sequences of a step
    /// Values that are not searched, by their names in planFixes().
    std::map<std::string, std::int64_t> fixed;
    bool keepsFamily = false;    ///< of the experiment
    bool keepsRecompute = false; ///< of the experiment
    Objective objective = Objective::Time;
    double atMost = 0.05;
    bool mayFitNothing = false; ///< an answer without plans, whose shapes say what they need, is no failure
};

/// Context ranks are searched for long sequences; "context" of PlanQuery::fixed overrides the limit.
inline constexpr int kLeastTokensOfContextRank = 4096;

/// The names that PlanQuery::fixed may have: "devices", "replicas", "tensor", "context", "expert", "microbatch_size", "zero".
[[nodiscard]] const std::vector<std::string> &planFixes();

/// A plan of the answer, predicted in full.
struct PlannedRun {
    PredictionPtr prediction;
    std::optional<base::Bytes> headroom; ///< below the limit
};

/// The best plan found with one division of the GPUs into devices, tensor, context ranks and replicas; of a division into which
/// nothing fits, the one that needs the least memory.
struct PlannedShape {
    model::Experiment experiment; ///< complete
    /// Of the plan: absent if it cannot be predicted, or if its parameters and one microbatch do not fit.
    std::optional<simulate::Metrics> metrics;
    std::optional<base::Bytes> memory; ///< of the fullest rank: peak, or what every order needs; absent if refused
    bool fits = false;                 ///< within the limit
    std::string refusal;               ///< why the plan is impossible; empty if it is not
};

/// Why plans were left out, and how many.
struct PlanRejection {
    std::string reason;
    std::size_t count = 0;
};

struct PlanAnswer {
    std::vector<PlannedRun> plans;    ///< the front of step time and memory: the chosen one, then the others by time
    std::vector<PlannedShape> shapes; ///< every division that was examined: those that fit by time, then the others
    std::vector<PlanRejection> rejected;
    std::size_t tried = 0;  ///< simulated
    std::size_t beaten = 0; ///< with bounds of time and memory that an earlier plan already satisfied
    std::optional<base::Bytes> limit;
    bool isCapacity = false;   ///< the limit is the hardware's
    std::size_t onFront = 0;   ///< plans of which none is faster and holds less; `plans` has the first of them
    std::string whySecondLost; ///< a sentence; empty if there is no second
    std::string notSearched;   ///< a sentence
};

/// Searches in two stages. First every division of the GPUs into devices, tensor ranks, context ranks (if each has at least
/// kLeastTokensOfContextRank tokens, with microbatches of one sequence) and replicas, microbatch size (powers of two),
/// recomputation (none, full) and ZeRO (1 if there are replicas; on one device also 3, gathered for every pass as FSDP does),
/// with 1F1B and the methods none, redis and VOCAB-2; then every synchronous schedule, its methods, chunks and orders for the
/// divisions of the first front that fit, and for those whose bound with V-shaped chunks is least. Divisions into which nothing
/// fits by then are searched with everything that saves memory (searchShapes()). At most `most` plans are returned. Fails with
/// InvalidInput if nothing fits or the query contradicts itself, and with Cancelled.
[[nodiscard]] base::Result<PlanAnswer> searchPlan(const PlanQuery &query, std::size_t most, const SearchOptions &options = {});

} // namespace stagelens::service
