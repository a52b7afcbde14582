// Timelines in a row of bytes.
#pragma once

#include "engine/runtime/packing.h"
#include "engine/timeline/timeline.h"

namespace stagelens::runtime {

inline void pack(Packer &packer, const timeline::Lane &lane)
{
    for (const auto *times : {&lane.begin, &lane.end, &lane.vocabulary})
        packer.put(*times);
    packer.put(lane.pass);
    packer.put(lane.tailBegin);
    packer.put(lane.tailEnd);
}

/// Of a lane without passes: four counts and its tail.
inline constexpr std::size_t kLeastLaneBytes = 4 * sizeof(std::size_t) + 2 * sizeof(base::Nanos);

[[nodiscard]] inline timeline::Lane unpackLane(Unpacker &packed)
{
    timeline::Lane lane;
    for (auto *times : {&lane.begin, &lane.end, &lane.vocabulary})
        *times = packed.values<base::Nanos>();
    lane.pass = packed.values<schedule::Pass>();
    lane.tailBegin = packed.value<base::Nanos>();
    lane.tailEnd = packed.value<base::Nanos>();
    return lane;
}

inline void pack(Packer &packer, const timeline::Timeline &timeline)
{
    packer.put(timeline.provenance);
    packer.put(timeline.lanes.size());
    for (const timeline::Lane &lane : timeline.lanes)
        pack(packer, lane);
    packer.put(timeline.transfers);
    packer.put(timeline.stages.size());
    for (const std::vector<int> &stages : timeline.stages)
        packer.put(stages);
    packer.put(timeline.microbatchReplica);
}

[[nodiscard]] inline timeline::Timeline unpackTimeline(Unpacker &packed)
{
    timeline::Timeline timeline;
    timeline.provenance = packed.value<timeline::Provenance>();
    timeline.lanes.resize(packed.count(kLeastLaneBytes));
    for (timeline::Lane &lane : timeline.lanes)
        lane = unpackLane(packed);
    timeline.transfers = packed.values<timeline::TransferSlice>();
    timeline.stages.resize(packed.count(sizeof(std::size_t)));
    for (std::vector<int> &stages : timeline.stages)
        stages = packed.values<int>();
    timeline.microbatchReplica = packed.values<std::uint8_t>();
    return timeline;
}

} // namespace stagelens::runtime
