// When each pass ran; the same type for predictions and measurements.
#pragma once

#include "engine/base/units.h"
#include "engine/passes/pass.h"
#include "engine/passes/requirements.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace stagelens::timeline {

/// The origin of the times, shown wherever they are.
enum class Provenance : unsigned char {
    Predicted,            ///< simulated from costs
    MeasuredLive,         ///< wall clock, concurrent devices
    MeasuredVirtualClock, ///< each pass measured alone, concurrency simulated
    Published,            ///< from a paper
    Imported,             ///< from another program's trace
};
[[nodiscard]] std::string_view name(Provenance provenance); ///< "predicted", "measured-live", "measured-virtual-clock", ...

/// A message from `device` to `peer`, or a collective (peer -1).
struct TransferSlice {
    base::Nanos begin = 0;
    base::Nanos end = 0;
    std::int32_t microbatch = 0;
    std::int16_t device = 0;
    std::int16_t peer = -1;
    schedule::Transfer transfer = schedule::Transfer::Send;
    friend bool operator==(const TransferSlice &, const TransferSlice &) = default;
};

/// Work beside the order of passes.
enum class AnchoredKind : std::uint8_t {
    ReduceGradients,   ///< sums the gradients of a device over its replicas
    GatherParameters,  ///< sends the parameters that each replica has updated to the others (ZeRO)
    SumReplicated,     ///< sums the gradients that the tensor ranks of a device have parts of; comes first
    Offload,           ///< copies the activations of a microbatch to the host
    Reload,            ///< copies them back
    AverageParameters, ///< averages the weights of replicas that train alone (local SGD)
};
inline constexpr int kAnchoredKinds = 6;
[[nodiscard]] constexpr bool isCopy(AnchoredKind kind)
{
    return kind == AnchoredKind::Offload || kind == AnchoredKind::Reload;
}
[[nodiscard]] std::string_view name(AnchoredKind kind); ///< "reduce-gradients", ...

/// Anchored work of a device, on a lane of its own.
struct AnchoredSlice {
    base::Nanos begin = 0;
    base::Nanos end = 0;
    base::Bytes bytes = 0; ///< that a rank sends
    AnchoredKind kind = AnchoredKind::ReduceGradients;
    std::uint16_t stage = 0;      ///< of a copy
    std::int32_t microbatch = -1; ///< of a copy; -1: all
    friend bool operator==(const AnchoredSlice &, const AnchoredSlice &) = default;
};

/// The passes of one device: structure of arrays, sorted by begin, not overlapping (zero-length slices included).
struct Lane {
    std::vector<base::Nanos> begin;
    std::vector<base::Nanos> end;
    std::vector<schedule::Pass> pass;
    /// Time of each slice in vocabulary layers; empty if unknown.
    std::vector<base::Nanos> vocabulary;
    /// The part of each slice in which its thread had a processor, that is, in which no other program had it; time in which the
    /// rank waits for others of its group counts like the rest of the slice. Empty if it was not measured.
    std::vector<base::Nanos> processor;
    /// Optimizer step after the last pass, if it was timed: [tailBegin, tailEnd).
    base::Nanos tailBegin = 0;
    base::Nanos tailEnd = 0;
    std::vector<AnchoredSlice> anchored; ///< sorted by begin

    [[nodiscard]] std::size_t size() const { return begin.size(); }
    void reserve(std::size_t count);
    void push(schedule::Pass slicePass, base::Nanos sliceBegin, base::Nanos sliceEnd);
    friend bool operator==(const Lane &, const Lane &) = default;
};

/// All devices' lanes on one time axis that begins at 0. With replicas, those of one, for all that are equal to it.
/// Immutable once shared.
struct Timeline {
    Provenance provenance = Provenance::Predicted;
    std::vector<Lane> lanes;              ///< one a device
    std::vector<TransferSlice> transfers; ///< sorted by begin; may be empty (computed on demand)
    std::vector<std::vector<int>> stages; ///< of each device
    int slices = 1;                       ///< of a sequence; the microbatch numbers of passes count slices (schedule::Schedule)
    std::vector<std::uint8_t> microbatchDirection; ///< of each microbatch; empty if there is one direction
    /// Time from the begin of a step to that of the next in a steady state, if anchored work may run into the next step;
    /// otherwise 0. With local SGD the mean over the steps from one average to the next, of which the lanes show the last.
    base::Nanos period = 0;
    int replica = 0;          ///< whose lanes they are; others may be faster
    int iterations = 1;       ///< consecutive steps; the period is then that of one
    int stepMicrobatches = 0; ///< of a step, if there are several (schedule::Schedule)
    /// By stage and microbatch: after how many updates its passes use the weights; empty if the schedule is synchronous.
    std::vector<std::vector<std::int32_t>> weightVersions;

    [[nodiscard]] int devices() const { return static_cast<int>(lanes.size()); }
    /// Returns the earliest begin and the latest end of all passes; equal if there are none.
    [[nodiscard]] std::pair<base::Nanos, base::Nanos> extent() const;
    /// Returns the latest end of a pass minus the earliest begin.
    [[nodiscard]] base::Nanos makespan() const;
    /// Returns the period; without one, the makespan including anchored work and the tail (optimizer step).
    [[nodiscard]] base::Nanos iteration() const;
    [[nodiscard]] std::size_t sliceCount() const;
    /// Returns the step of a pass, counted from 0.
    [[nodiscard]] int stepOf(const schedule::Pass &pass) const
    {
        return iterations > 1 && stepMicrobatches > 0 ? pass.microbatch / stepMicrobatches : 0;
    }
    /// Returns the weight version of a pass; nothing if it is not known, or all passes of a step use the same.
    [[nodiscard]] std::optional<int> weightVersionOf(const schedule::Pass &pass) const;
    /// Returns the earliest begin and the latest end of each step's passes.
    [[nodiscard]] std::vector<std::pair<base::Nanos, base::Nanos>> stepExtents() const;
    /// Returns the optimizer steps of a device: one, or one for each step after which the pipeline drains.
    [[nodiscard]] std::vector<std::pair<base::Nanos, base::Nanos>> tails(int device) const;
    /// Returns the part of the passes' time in which their threads had a processor: 1 on an idle machine. Nothing if it was not
    /// measured.
    [[nodiscard]] std::optional<double> processorShare() const;
    friend bool operator==(const Timeline &, const Timeline &) = default;
};
using TimelinePtr = std::shared_ptr<const Timeline>;

/// The position of a slice.
struct SliceId {
    int device = 0;
    std::size_t index = 0;
    friend bool operator==(const SliceId &, const SliceId &) = default;
};

/// Whether a slice is one of an overlapped pair.
[[nodiscard]] inline bool isPaired(const Lane &lane, std::size_t index)
{
    return lane.pass[index].pairedWithNext || (index > 0 && lane.pass[index - 1].pairedWithNext);
}
/// Returns the index of the first slice of a lane that ends after `time`; lane.size() if none. O(log n).
[[nodiscard]] std::size_t firstEndingAfter(const Lane &lane, base::Nanos time);
/// The slice of a lane that covers `time`, or the nearest within `slack`; nothing in a gap.
[[nodiscard]] std::optional<std::size_t> sliceAt(const Lane &lane, base::Nanos time, base::Nanos slack = 0);
/// The slice of that kind, stage and microbatch, or nothing. O(n) in the lane.
[[nodiscard]] std::optional<SliceId> findSlice(const Timeline &timeline, const schedule::Pass &pass, int device);

/// A pass of both timelines, with its durations in each.
struct PassDifference {
    int device = 0;
    schedule::Pass pass;
    base::Nanos first = 0;  ///< duration in the first
    base::Nanos second = 0; ///< duration in the second
    base::Nanos shift = 0;  ///< begin in the second minus begin in the first
};
/// Passes matched by (device, kind, stage, microbatch), and the number of passes that only one timeline has.
struct Difference {
    std::vector<PassDifference> passes;
    std::size_t onlyInFirst = 0;
    std::size_t onlyInSecond = 0;
};
[[nodiscard]] Difference difference(const Timeline &first, const Timeline &second);

} // namespace stagelens::timeline
