// Inserts the vocabulary passes S, U, T, EF and EB into an order of layer passes, for every synchronous family.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/order/layer_order.h"

#include <optional>
#include <string_view>

namespace stagelens::schedule {

/// Returns the schedule of a family's order under the experiment's vocabulary method: the order itself if the vocabulary is not
/// sharded, otherwise the result of withBarriers() and placeVocabulary().
[[nodiscard]] Schedule withVocabulary(std::string_view family, const LayerOrder &order, const model::Experiment &experiment,
                                      const Durations &durations);

/// As withVocabulary(), for the order whose schedule is shorter under these durations; `first` if both are equal.
[[nodiscard]] Schedule withVocabularyOfShorter(std::string_view family, const LayerOrder &first, const LayerOrder &second,
                                               const model::Experiment &experiment, const Durations &durations);

/// Inserts the vocabulary passes between the layer passes without moving these, for families that insert the intervals of the
/// barriers by their own rule. Every device runs its next vocabulary pass as early as possible. All devices share one order of
/// vocabulary passes, so collectives neither cross nor deadlock: the order in which they complete if every kind runs as early
/// as possible, with T before U before S. EF runs at most two microbatches before the first stage needs it, and EB after the
/// next backward of the first stage. With order `best`, returns the shortest of several placements for these durations.
[[nodiscard]] Schedule placeVocabulary(std::string_view family, const LayerOrder &order, const model::Experiment &experiment,
                                       const Durations &durations);

/// Returns the shorter of two schedules of the same passes under these durations.
[[nodiscard]] Schedule shorterOf(Schedule first, Schedule second, const Durations &durations);

/// Returns the makespan of a schedule under these durations; nothing if it deadlocks.
[[nodiscard]] std::optional<base::Nanos> makespanOf(const Schedule &schedule, const Durations &durations);

} // namespace stagelens::schedule
