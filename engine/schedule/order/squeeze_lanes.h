// The passes of squeeze(): for each device, the sequences (lanes) that compete for it.
#pragma once

#include "engine/schedule/order/squeeze.h"

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace stagelens::schedule {

inline constexpr base::Nanos kNever = std::numeric_limits<base::Nanos>::max();

enum LaneKind : std::size_t { Forward, Backward, Weight, kLaneKinds };

/// Passes of the same kind, stage and direction. They run in this order.
struct Lane {
    std::vector<std::uint32_t> places; ///< in the device's order
    std::vector<base::Nanos>
        ready; ///< when the inputs of each pass are available; unused for W, which depends on its own I only
    std::size_t next = 0;
    base::Nanos duration = 0;
    LaneKind kind = Forward;
    Lane *follower = nullptr; ///< its passes need this lane's
    int followerDevice = 0;
    base::Nanos latency = 0; ///< from here to the follower
    // Forwards only:
    std::vector<std::uint32_t> ranks; ///< among the device's forwards
    /// firstRank[n]: if no forward of another stage has overtaken any, the first n passes of this lane may start once all
    /// forwards of the device below that rank have started. Their activations then fit beside those of the order.
    std::vector<std::uint32_t> firstRank;
    std::size_t overtaken = 0; ///< passes of this lane below the device's first forward that has not started

    [[nodiscard]] bool isDone() const { return next == places.size(); }
};

/// A device, its lanes and its progress.
struct LaneDevice {
    std::array<std::vector<Lane *>, kLaneKinds> lanes; ///< in the order of the model
    int held = 0;
    int cap = 0;
    std::size_t forwards = 0; ///< started
    base::Nanos free = 0;
    std::vector<unsigned char> hasRun; ///< by place: 1 if the pass has run
    std::size_t first = 0;             ///< place of the first pass that has not run
    std::size_t full = 0;              ///< place at which the order first reaches the cap
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

/// Returns the initial state: without barriers F of the first stage is ready, otherwise nothing is. The lanes point to each
/// other: move the result, do not copy it.
[[nodiscard]] Lanes makeLanes(const LayerOrder &order, const Durations &durations, const SqueezeOptions &options);

} // namespace stagelens::schedule
