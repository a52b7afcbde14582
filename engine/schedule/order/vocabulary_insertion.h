// Inserts the vocabulary passes S, U, T, EF and EB into an order of layer passes, for every synchronous family.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/order/layer_order.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace stagelens::schedule {

/// Returns the schedule of a family's order under the experiment's vocabulary method: the order itself if the vocabulary is not
/// sharded, otherwise the result of withBarriers() and placeVocabulary().
[[nodiscard]] Schedule withVocabulary(std::string_view family, const LayerOrder &order, const model::Experiment &experiment,
                                      const Durations &durations);

/// As withVocabulary(), for the order whose schedule is shorter under these durations; `first` if both are equal.
[[nodiscard]] Schedule withVocabularyOfShorter(std::string_view family, const LayerOrder &first, const LayerOrder &second,
                                               const model::Experiment &experiment, const Durations &durations);

/// Builds an order of the layer passes that has the intervals of that many barriers (see withBarriers()).
using OrderOfBarriers = std::function<LayerOrder(int barriers)>;
/// Builds the orders of all devices, with the vocabulary passes of a method with that many barriers; without any for 0.
using PublishedOrder = std::function<std::vector<std::vector<Pass>>(int barriers)>;

/// As withVocabulary(), for families that insert the intervals of the barriers by their own rule.
[[nodiscard]] Schedule withVocabulary(std::string_view family, const OrderOfBarriers &order,
                                      const model::Experiment &experiment, const Durations &durations);

/// Returns the schedule of an order in which the family itself places the vocabulary passes. If the experiment asks for the
/// best order of vocabulary passes, returns `placed` under the experiment's method instead if that is shorter.
[[nodiscard]] Schedule publishedOrShorter(std::string_view family, const Placement &placement, const PublishedOrder &published,
                                          const OrderOfBarriers &placed, const model::Experiment &experiment,
                                          const Durations &durations);

/// Returns how many activations an order may hold on each device before it gets the intervals of the barriers, each of which
/// holds one more; empty if durations set no limit.
[[nodiscard]] std::vector<std::int64_t> roomBesideBarriers(const model::Experiment &experiment, const Durations &durations);

/// Returns the makespan of a schedule under these durations; nothing if it deadlocks.
[[nodiscard]] std::optional<base::Nanos> makespanOf(const Schedule &schedule, const Durations &durations);

} // namespace stagelens::schedule
