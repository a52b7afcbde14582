// Serialises timelines, and what routers and operators did in a step.
#pragma once

#include "engine/runtime/layers/expert_record.h"
#include "engine/runtime/processes/packing.h"
#include "engine/timeline/operator_times.h"
#include "engine/timeline/router_counts.h"
#include "engine/timeline/timeline.h"

#include <algorithm>
#include <cstddef>

namespace stagelens::runtime {

inline void pack(Packer &packer, const timeline::Lane &lane)
{
    for (const auto *times : {&lane.begin, &lane.end, &lane.vocabulary, &lane.processor})
        packer.put(*times);
    packer.put(lane.pass);
    packer.put(lane.tailBegin);
    packer.put(lane.tailEnd);
    packer.put(lane.anchored);
}

/// Returns whether kind and flag are valid. Checks the byte of the flag, because reading it as a bool is undefined otherwise.
[[nodiscard]] inline bool isPossible(const schedule::Pass &pass)
{
    const std::byte flag = std::as_bytes(std::span(&pass, 1))[offsetof(schedule::Pass, pairedWithNext)];
    return static_cast<int>(pass.kind) < schedule::kPassKindCount && std::to_integer<int>(flag) <= 1;
}

[[nodiscard]] inline bool isPossible(const timeline::TransferSlice &slice, int devices)
{
    return slice.device >= 0 && slice.device < devices && slice.peer >= -1 && slice.peer < devices &&
           static_cast<int>(slice.transfer) < schedule::kTransferCount;
}

/// Bytes of an empty lane: six counts and its tail.
inline constexpr std::size_t kLeastLaneBytes = 6 * sizeof(std::size_t) + 2 * sizeof(base::Nanos);

[[nodiscard]] inline timeline::Lane unpackLane(Unpacker &packed)
{
    timeline::Lane lane;
    for (auto *times : {&lane.begin, &lane.end, &lane.vocabulary, &lane.processor})
        *times = packed.values<base::Nanos>();
    lane.pass = packed.values<schedule::Pass>();
    lane.tailBegin = packed.value<base::Nanos>();
    lane.tailEnd = packed.value<base::Nanos>();
    lane.anchored = packed.values<timeline::AnchoredSlice>();
    packed.require(std::ranges::all_of(lane.anchored, [](const timeline::AnchoredSlice &slice) {
        return static_cast<int>(slice.kind) < timeline::kAnchoredKinds;
    }));
    const bool isEven = lane.end.size() == lane.size() && lane.pass.size() == lane.size() &&
                        (lane.vocabulary.empty() || lane.vocabulary.size() == lane.size()) &&
                        (lane.processor.empty() || lane.processor.size() == lane.size());
    packed.require(isEven && std::ranges::all_of(lane.pass, [](const schedule::Pass &pass) { return isPossible(pass); }));
    if (!packed.isWhole())
        return {};
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
    packer.put(timeline.microbatchDirection);
    packer.put(timeline.slices);
    packer.put(timeline.period);
    packer.put(timeline.iterations);
    packer.put(timeline.stepMicrobatches);
    packer.put(timeline.weightVersions.size());
    for (const std::vector<std::int32_t> &versions : timeline.weightVersions)
        packer.put(versions);
}

[[nodiscard]] inline timeline::Timeline unpackTimeline(Unpacker &packed)
{
    timeline::Timeline timeline;
    timeline.provenance = packed.value<timeline::Provenance>(static_cast<int>(timeline::Provenance::Imported) + 1);
    timeline.lanes.resize(packed.count(kLeastLaneBytes));
    for (timeline::Lane &lane : timeline.lanes)
        lane = unpackLane(packed);
    timeline.transfers = packed.values<timeline::TransferSlice>();
    packed.require(std::ranges::all_of(
        timeline.transfers, [&](const timeline::TransferSlice &slice) { return isPossible(slice, timeline.devices()); }));
    timeline.stages.resize(packed.count(sizeof(std::size_t)));
    for (std::vector<int> &stages : timeline.stages)
        stages = packed.values<int>();
    timeline.microbatchDirection = packed.values<std::uint8_t>();
    timeline.slices = packed.value<int>();
    packed.require(timeline.slices >= 1);
    timeline.period = packed.value<base::Nanos>();
    timeline.iterations = packed.value<int>();
    timeline.stepMicrobatches = packed.value<int>();
    packed.require(timeline.iterations >= 1 && timeline.stepMicrobatches >= 0);
    timeline.weightVersions.resize(packed.count(sizeof(std::size_t)));
    for (std::vector<std::int32_t> &versions : timeline.weightVersions)
        versions = packed.values<std::int32_t>();
    return timeline;
}

inline void pack(Packer &packer, const timeline::RouterCounts &counts)
{
    packer.put(counts.rows);
    packer.put(counts.dropped);
    packer.put(counts.entropy);
    packer.put(counts.tokens);
}

/// Bytes of the counts of a layer without experts.
inline constexpr std::size_t kLeastCountsBytes = sizeof(std::size_t) + 3 * sizeof(std::int64_t);

[[nodiscard]] inline timeline::RouterCounts unpackCounts(Unpacker &packed)
{
    timeline::RouterCounts counts;
    counts.rows = packed.values<std::int64_t>();
    counts.dropped = packed.value<std::int64_t>();
    counts.entropy = packed.value<double>();
    counts.tokens = packed.value<std::int64_t>();
    return counts;
}

inline void pack(Packer &packer, const ExpertRecord::Layers &routers)
{
    packer.put(routers.size());
    for (const auto &[place, counts] : routers) {
        packer.put(place.first);
        packer.put(place.second);
        pack(packer, counts);
    }
}

[[nodiscard]] inline ExpertRecord::Layers unpackRouters(Unpacker &packed)
{
    ExpertRecord::Layers routers;
    for (auto count = packed.count(2 * sizeof(int) + kLeastCountsBytes); count > 0; --count) {
        const int stage = packed.value<int>();
        const int layer = packed.value<int>();
        routers[{stage, layer}] = unpackCounts(packed);
    }
    return routers;
}

inline void pack(Packer &packer, const timeline::OperatorTimes &times)
{
    packer.put(times.size());
    for (const timeline::PassOperators &pass : times) {
        packer.put(pass.device);
        packer.put(pass.kind);
        packer.put(pass.stage);
        packer.put(pass.operators.size());
        for (const timeline::OperatorTime &each : pass.operators) {
            packer.put(each.name);
            packer.put(each.duration);
            packer.put(each.isVocabulary);
        }
    }
}

[[nodiscard]] inline timeline::OperatorTimes unpackOperators(Unpacker &packed)
{
    timeline::OperatorTimes times;
    for (auto count = packed.count(2 * sizeof(int) + sizeof(std::size_t)); count > 0; --count) {
        timeline::PassOperators &pass = times.emplace_back();
        pass.device = packed.value<int>();
        pass.kind = packed.value<schedule::PassKind>(schedule::kPassKindCount);
        pass.stage = packed.value<int>();
        for (auto left = packed.count(sizeof(std::size_t) + sizeof(base::Nanos)); left > 0; --left) {
            std::string name = packed.text();
            const auto duration = packed.value<base::Nanos>();
            pass.operators.push_back({std::move(name), duration, packed.value<bool>()});
        }
    }
    return times;
}

} // namespace stagelens::runtime
