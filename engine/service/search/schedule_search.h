// `--schedule auto`: finds the fastest family, vocabulary method and cut of the layers that fits a device's memory.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace stagelens::service {

/// A predicted plan of the search.
struct Candidate {
    model::ScheduleChoice schedule;
    model::ParallelPlan parallel; ///< with the layers of each stage
    base::Nanos iteration = 0;
    base::Nanos makespan = 0;
    base::Nanos lowerBound = 0;            ///< of the makespan, for every order
    std::optional<base::Bytes> peakMemory; ///< greatest of a device; absent without a model
    double peakActivations = 0;            ///< greatest of a device, in microbatches of its whole share of layers

    /// Returns the memory that the search compares: bytes or, without a model, activations in microbatches.
    [[nodiscard]] double memory() const { return peakMemory ? static_cast<double>(*peakMemory) : peakActivations; }
};

struct SearchProgress {
    std::size_t done = 0; ///< examined plans
    std::size_t total = 0;
    std::optional<base::Nanos> shortest; ///< iteration so far
};

struct SearchOptions {
    std::stop_token stop;
    std::function<void(const SearchProgress &)> progress; ///< after each plan, on the searching thread; may be empty
};

/// The result of a search.
struct SearchResult {
    /// The Pareto front of iteration time and memory, fastest first.
    std::vector<Candidate> front;
    std::optional<std::size_t> chosen; ///< in the front: the fastest within the limit; absent if nothing fits
    std::optional<base::Bytes> limit;  ///< of a device: the plan's, else the hardware's capacity; absent: unknown
    bool isCapacity = false;           ///< the limit is the hardware's
    std::size_t tried = 0;             ///< ordered and simulated
    std::size_t refused = 0;           ///< rejected by a family or the purpose
    std::size_t beaten = 0;            ///< with bounds of time and memory that an earlier plan already satisfied
    std::size_t duplicates = 0;        ///< with the same passes and layers as another plan
    std::size_t leftOut = 0;           ///< beyond the pass limit of the whole search
    std::size_t tooLarge = 0;          ///< whose parameters and one microbatch alone exceed the limit (searchPlans() only)
    base::Problems firstRefusal;
    bool cancelled = false; ///< the remaining plans were not examined
};

/// The purpose of the plan.
enum class Purpose : unsigned char {
    Predict,
    Train, ///< only what the executor can train (trainingProblems())
};

/// Searches synchronous families x vocabulary methods (published and best order) x cuts of the layers (even, redis', balanced
/// for the costs, least memory) x chunks (1, 2, 4 and two waves, if a family has them). Keeps the experiment's vocabulary
/// method (other than none), order `best`, chunks, groups, waves, stage layers and recomputation. Given durations are for one
/// stage and one vocabulary method, so neither chunks nor methods vary with them. Does not order plans whose bounds are beaten,
/// and orders at most about 60 million passes in all. Does not fail: see chosenOf().
[[nodiscard]] SearchResult searchSchedules(const model::Experiment &experiment, Purpose purpose = Purpose::Predict,
                                           const SearchOptions &options = {});

/// Returns the front of given plans, each with every cut of its layers as above and those that cannot fit left out. The plans
/// train the same model on the same hardware under the same limit.
[[nodiscard]] SearchResult searchPlans(const std::vector<model::Experiment> &plans, const SearchOptions &options = {});

/// Returns the chosen plan. Fails with Cancelled if the search was cancelled. Fails with InvalidInput at schedule.memory_limit
/// and the least memory found if nothing fits, and with the first refusal if no family accepts the plan.
[[nodiscard]] base::Result<Candidate> chosenOf(const SearchResult &result);

/// A plan that names its family, and the search that chose it (null if the plan named it).
struct ChosenPlan {
    model::Experiment experiment;
    std::shared_ptr<const SearchResult> search;
};
/// The only function that replaces family `auto` by another; other plans are returned unchanged. The experiment must be valid.
[[nodiscard]] base::Result<ChosenPlan> withChosenSchedule(const model::Experiment &experiment, Purpose purpose,
                                                          const SearchOptions &options = {});

} // namespace stagelens::service
