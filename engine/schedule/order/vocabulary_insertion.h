// Vocabulary passes for every synchronous family: S, U, T, EF and EB are put into an order of layer passes.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/order/layer_order.h"

#include <optional>
#include <string_view>

namespace stagelens::schedule {

/// The schedule that a family's order makes under the experiment's vocabulary method: the order itself where nothing is
/// sharded; else withBarriers() and placeVocabulary().
[[nodiscard]] Schedule withVocabulary(std::string_view family, const LayerOrder &order, const model::Experiment &experiment,
                                      const Durations &durations);

/// As withVocabulary(), of whichever order makes the shorter schedule under these durations; `first` if both are as long.
[[nodiscard]] Schedule withVocabularyOfShorter(std::string_view family, const LayerOrder &first, const LayerOrder &second,
                                               const model::Experiment &experiment, const Durations &durations);

/// Puts the vocabulary passes in, between the layer passes as they stand, for families that open the barriers' intervals by
/// their own rule. Every device takes its next vocabulary pass as soon as it can, in one order that all devices share, so that
/// collectives can neither cross nor dead-lock: in the order in which they come to pass where every kind runs as early as it
/// can, T before U before S; EF at most two microbatches before the first stage needs it, EB once the first stage's next
/// backward is through. With the order `best` several such placements are made for these durations, and the shortest is taken.
[[nodiscard]] Schedule placeVocabulary(std::string_view family, const LayerOrder &order, const model::Experiment &experiment,
                                       const Durations &durations);

/// The shorter of two schedules of the same passes under these durations.
[[nodiscard]] Schedule shorterOf(Schedule first, Schedule second, const Durations &durations);

/// The time that a schedule takes under these durations; nothing if it dead-locks.
[[nodiscard]] std::optional<base::Nanos> makespanOf(const Schedule &schedule, const Durations &durations);

} // namespace stagelens::schedule
