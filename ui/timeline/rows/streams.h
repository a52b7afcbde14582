// The rows below a lane: the communication of the device by kind (its streams), and its ranks.
#pragma once

#include "ui/canvas/geometry.h"
#include "ui/state/timeline_content.h"

#include <QString>

#include <vector>

namespace stagelens::ui {

struct MessageLane;

/// A stretch of pixels in which a stream is busy.
struct StreamPart {
    int x = 0;
    int width = 0;
    double share = 0; ///< of its time, up to 1
};

/// The rows below each lane of a group.
[[nodiscard]] std::vector<LaneRow> rowsBelow(const LaneGroup &group, LaneDetail detail);
/// "tensor", "rank 12: t 1, d 3", "56 more ranks". `device` is that of the lane.
[[nodiscard]] QString nameOf(const LaneRow &row, const LaneGroup &group, int device);

/// Returns when a stream of a device is busy, in pixels of the window. Exchanges inside a pass have their share of all of its
/// time, because a prediction of the pass has no place for them. `messages` are those of the device; may be null.
[[nodiscard]] std::vector<StreamPart> streamParts(const LaneGroup &group, int device, Stream stream,
                                                  const MessageLane *messages, const LaneWindow &window);

} // namespace stagelens::ui
