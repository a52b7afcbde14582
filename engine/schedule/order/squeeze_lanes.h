// Where squeeze() keeps its passes: for each device the sequences that compete for it.
#pragma once

#include "engine/schedule/order/squeeze.h"

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace stagelens::schedule {

inline constexpr base::Nanos kNever = std::numeric_limits<base::Nanos>::max();

enum LaneKind : std::size_t { Forward, Backward, Weight, kLaneKinds };

/// What a device holds after a pass: F take up, B and W free.
[[nodiscard]] constexpr int heldAfter(int held, PassKind kind)
{
    return held + (kind == PassKind::F ? 1 : kind == PassKind::I ? 0 : -1);
}

/// The passes of one kind and stage of one direction, which run in their order.
struct Lane {
    std::vector<std::uint32_t> places; ///< in the device's order
    std::vector<base::Nanos> ready;    ///< when what each pass needs is there; unused for W, which its own I makes ready
    std::size_t next = 0;
    base::Nanos duration = 0;
    LaneKind kind = Forward;
    Lane *follower = nullptr; ///< its passes need this lane's
    int followerDevice = 0;
    base::Nanos latency = 0; ///< from here to the follower
    // Forwards only:
    std::vector<std::uint32_t> ranks; ///< among the device's forwards
    /// firstRank[n]: while forwards of no other stage have overtaken any, the first n of this lane may have started once the
    /// device's forwards below that rank have: n can then be held beside all that the order has there.
    std::vector<std::uint32_t> firstRank;
    std::size_t overtaken = 0; ///< passes of this lane below the device's first forward that has not started

    [[nodiscard]] bool isDone() const { return next == places.size(); }
};

/// A device, its lanes and how far it has come.
struct LaneDevice {
    std::array<std::vector<Lane *>, kLaneKinds> lanes; ///< in the order of the model
    int held = 0;
    int cap = 0;
    std::size_t forwards = 0; ///< started
    base::Nanos free = 0;
    std::vector<unsigned char> hasRun; ///< by place: 1 if it has
    std::size_t first = 0;             ///< place of the first pass that has not run
    std::size_t full = 0;              ///< place where the order first holds as much as the cap allows
    std::size_t lastForward = 0;
};

struct Lanes {
    int directions = 1;
    int stages = 1;
    std::vector<Lane> all;
    std::vector<LaneDevice> devices;

    [[nodiscard]] Lane &at(LaneKind kind, int direction, int stage)
    {
        const std::size_t row = kind * static_cast<std::size_t>(directions) + static_cast<std::size_t>(direction);
        return all[row * static_cast<std::size_t>(stages) + static_cast<std::size_t>(stage)];
    }
};

/// Nothing has run, and nothing is ready but the first stage's F if there are no barriers. The lanes point to each other: move
/// the result, do not copy it.
[[nodiscard]] Lanes makeLanes(const LayerOrder &order, const Durations &durations, const SqueezeOptions &options);

} // namespace stagelens::schedule
