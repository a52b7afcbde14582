// `--schedule auto`: which family, vocabulary method and cut of the layers is the fastest within a device's memory.
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

/// A plan that the search has predicted.
struct Candidate {
    model::ScheduleChoice schedule;
    std::vector<int> stageLayers;
    base::Nanos iteration = 0;
    base::Nanos makespan = 0;
    base::Nanos lowerBound = 0;            ///< of the makespan, whatever the order
    std::optional<base::Bytes> peakMemory; ///< greatest of a device; absent without a model
    double peakActivations = 0;            ///< greatest of a device, in microbatches of its whole share of layers

    /// What the search compares: bytes, or microbatches' activations without a model.
    [[nodiscard]] double memory() const { return peakMemory ? static_cast<double>(*peakMemory) : peakActivations; }
};

struct SearchProgress {
    std::size_t done = 0; ///< plans looked at
    std::size_t total = 0;
    std::optional<base::Nanos> shortest; ///< iteration so far
};

struct SearchOptions {
    std::stop_token stop;
    std::function<void(const SearchProgress &)> progress; ///< after each plan, on the searching thread; may be empty
};

/// Everything that a search found out.
struct SearchResult {
    /// Plans that no other beats in both iteration time and memory, the fastest first: the Pareto front.
    std::vector<Candidate> front;
    std::optional<std::size_t> chosen; ///< in the front: the fastest within the limit; absent if nothing fits
    std::optional<base::Bytes> limit;  ///< of a device: the plan's, else the hardware's capacity; absent: unknown
    bool isCapacity = false;           ///< the limit is the hardware's
    std::size_t tried = 0;             ///< put in order and simulated
    std::size_t refused = 0;           ///< that a family or the purpose cannot carry
    std::size_t beaten = 0;            ///< whose bounds of time and memory a plan found before already kept
    std::size_t duplicates = 0;        ///< the same passes and layers as another
    std::size_t leftOut = 0;           ///< too many passes for the whole search
    base::Problems firstRefusal;
    bool cancelled = false; ///< the rest was not looked at
};

/// What the plan is for.
enum class Purpose : unsigned char {
    Predict,
    Train, ///< only what the executor can train (trainingProblems())
};

/// Searches synchronous families x vocabulary methods (published and best order) x cuts of the layers (even, redis', balanced
/// for the costs at hand, least memory) x chunks (1, 2, 4 and two waves, where a family has them). What the experiment says of
/// vocabulary (other than none), order `best`, chunks, groups, waves and stage layers is kept, and so is recomputation. Given
/// durations are those of one stage and one vocabulary method, so that neither chunks nor methods are varied with them. Plans
/// whose bounds are beaten are not put in order, and no more than about 60 million passes are. Does not fail: see chosenOf().
[[nodiscard]] SearchResult searchSchedules(const model::Experiment &experiment, Purpose purpose = Purpose::Predict,
                                           const SearchOptions &options = {});

/// The chosen plan. Cancelled if the search was; InvalidInput at schedule.memory_limit with the least memory found where
/// nothing fits, and with the first refusal where no family accepts the plan.
[[nodiscard]] base::Result<Candidate> chosenOf(const SearchResult &result);

/// A plan that names its family, and the search that chose it (null where it did so itself).
struct ChosenPlan {
    model::Experiment experiment;
    std::shared_ptr<const SearchResult> search;
};
/// The one place that turns family `auto` into another; every other plan stays as it is. The experiment is valid.
[[nodiscard]] base::Result<ChosenPlan> withChosenSchedule(const model::Experiment &experiment, Purpose purpose,
                                                          const SearchOptions &options = {});

} // namespace stagelens::service
