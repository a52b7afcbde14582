// The number of stages per device of each schedule family, which is needed before a schedule exists.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"

#include <string_view>

namespace stagelens::model {

/// The word that requests a search over all families (service/search/schedule_search.h).
inline constexpr std::string_view kAutomaticFamily = "auto";

/// Returns the number of stages of a device: the choice's chunks, or else the family's default (2 for interleaved and V-shaped
/// families, 2 per wave for hanayo, otherwise 1). The two stages of a device with two directions count once.
[[nodiscard]] int stagesPerDevice(const ScheduleChoice &choice);

/// Returns which activations are offloaded: the choice's, or else the family's own. po-h offloads those of half of the stages,
/// po-f all; other families none. A family's own copies delay no pass.
[[nodiscard]] OffloadChoice offloadOf(const ScheduleChoice &choice);

/// Returns the method whose passes a schedule of this choice has: the family's own method, if any, or the chosen one.
[[nodiscard]] VocabularyMethod methodOf(const ScheduleChoice &choice);
/// Returns whether that method shards the vocabulary layers over the devices.
[[nodiscard]] bool shardsVocabulary(const ScheduleChoice &choice);

/// Return whether the family schedules slices of sequences, and how many of each sequence (1 for other families).
[[nodiscard]] bool cutsSequences(std::string_view family);
[[nodiscard]] int slicesOf(const ScheduleChoice &choice);

/// Chooses a family. A different family resets the file, chunks, groups, waves and slices, and the pairs if it has none.
void chooseFamily(ScheduleChoice &choice, std::string_view family);

/// Return whether the user can choose the stages of a device, and the microbatches of a group.
[[nodiscard]] bool leavesChunksOpen(std::string_view family);
[[nodiscard]] bool leavesGroupsOpen(std::string_view family);
/// Returns whether the user can choose overlapped pairs. Other families have them in their order, or none.
[[nodiscard]] bool leavesPairsOpen(std::string_view family);

/// Returns whether the user can choose the order of vocabulary passes: the schedule has such passes, and a family places them.
[[nodiscard]] bool leavesVocabularyOrderOpen(const ScheduleChoice &choice);

/// Returns the approximate number of passes per microbatch on a device, if backwards are split.
[[nodiscard]] double passesOfMicrobatch(const ScheduleChoice &choice);

/// Returns the minimum number of layers of a stage. If layers are redistributed, stages with vocabulary layers may have none.
[[nodiscard]] int leastStageLayers(const ScheduleChoice &choice);

/// Returns the problems of chunks, groups, waves, slices and pairs that the family does not support.
[[nodiscard]] base::Problems shapeProblems(const ScheduleChoice &choice);

} // namespace stagelens::model
