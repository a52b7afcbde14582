// The rows below a lane: the communication of the device by kind (its streams), and its ranks.
#pragma once

#include "engine/simulate/costs/cost_model.h"
#include "ui/canvas/geometry.h"
#include "ui/state/timeline_content.h"

#include <QColor>
#include <QString>

#include <optional>
#include <vector>

namespace stagelens::ui {

struct Colours;
struct MessageLane;

/// A stretch of pixels in which a stream is busy.
struct StreamPart {
    int x = 0;
    int width = 0;
    double share = 0; ///< of its time, up to 1
};

/// The rows below each lane of a group.
[[nodiscard]] std::vector<LaneRow> rowsBelow(const LaneGroup &group, LaneDetail detail);
/// What a click on the sign beside a lane shows: streams, then ranks, then the lanes alone. Nothing where messages of the
/// pipeline, which have their strip under each lane, are all there is.
[[nodiscard]] std::optional<LaneDetail> nextDetail(const LaneGroup &group, LaneDetail detail);
/// "tensor", "rank 12: t 1, d 3", "56 more ranks". `device` is that of the lane.
[[nodiscard]] QString nameOf(const LaneRow &row, const LaneGroup &group, int device);

[[nodiscard]] Stream streamOf(timeline::AnchoredKind kind);
/// The colour of what a stream carries: that of its axis.
[[nodiscard]] QColor colourOf(Stream stream, const Colours &colours);
/// The time of a pass in which a stream is busy.
[[nodiscard]] base::Nanos timeIn(const simulate::PassCost &cost, Stream stream);
/// How long a stream of a device is busy in the whole iteration. `messages` as for streamParts().
[[nodiscard]] base::Nanos streamTime(const LaneGroup &group, int device, Stream stream, const MessageLane *messages);
/// Returns when a stream of a device is busy, in pixels of the window. Exchanges inside a pass have their share of all of its
/// time, because a prediction of the pass has no place for them. `messages` are those of the device; may be null.
[[nodiscard]] std::vector<StreamPart> streamParts(const LaneGroup &group, int device, Stream stream,
                                                  const MessageLane *messages, const LaneWindow &window);

} // namespace stagelens::ui
