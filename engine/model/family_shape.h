// What must be known of a schedule family before there is a schedule: how many stages it puts on a device.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"

#include <string_view>

namespace stagelens::model {

/// The word in place of a family that asks for a search of all of them (service/schedule_search.h).
inline constexpr std::string_view kAutomaticFamily = "auto";

/// Stages of a device, which a microbatch meets one after another: the choice's chunks, else what the family has (2 for
/// interleaved and V-shaped ones, two a wave for hanayo, else 1). The two stages of a device with two directions count once.
[[nodiscard]] int stagesPerDevice(const ScheduleChoice &choice);

/// Chooses a family; another one does not take over the file, chunks, groups and waves of the former.
void chooseFamily(ScheduleChoice &choice, std::string_view family);

/// Whether a person may choose the stages of a device, and the microbatches of a group.
[[nodiscard]] bool leavesChunksOpen(std::string_view family);
[[nodiscard]] bool leavesGroupsOpen(std::string_view family);

/// Chunks, groups and waves that the family does not have.
[[nodiscard]] base::Problems shapeProblems(const ScheduleChoice &choice);

} // namespace stagelens::model
