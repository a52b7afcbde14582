// What playing draws over the lanes: passes that have not begun are hidden, activations fill a stack, a wait says its reason.
#pragma once

#include "ui/timeline/scene.h"

#include <optional>

namespace stagelens::ui {

/// A moment of an iteration that is played.
struct PlayMoment {
    base::Nanos time = 0;
    std::optional<int> followed; ///< microbatch: its whole way stays visible, see paintFollowed()
    int mostHeld = 0;            ///< activations for which a stack has room
};
/// Clipped to the axis by the caller: the veil over what has not begun, and why devices wait.
void paintPlayedLanes(QPainter &painter, const Scene &scene, const PlayMoment &moment);
/// Clipped to the axis by the caller: a veil over the passes of every other microbatch. While it is played, those that have
/// begun show more, and those that have not are hidden.
void paintFollowed(QPainter &painter, const Scene &scene, int microbatch, std::optional<base::Nanos> playhead);
/// In place of each lane's load bar: the activations that the device holds.
void paintActivationStacks(QPainter &painter, const Scene &scene, const PlayMoment &moment);

} // namespace stagelens::ui
