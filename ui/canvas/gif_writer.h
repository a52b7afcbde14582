// Animations as GIF, through giflib where the build found it.
#pragma once

#include "engine/base/result.h"

#include <QImage>

#include <string>
#include <vector>

namespace stagelens::ui {

/// A picture of an animation and how long it is shown.
struct GifFrame {
    QImage image;
    int milliseconds = 40; ///< in steps of 10
};

/// Whether this build can write GIF.
[[nodiscard]] bool canWriteGif();
/// Returns the bytes of an animation that repeats without end. All frames have the size of the first; they share the 256 most
/// frequent of their colours, and other colours become the nearest of those. Fails if the build has no giflib, and if there is
/// no frame or too little memory.
[[nodiscard]] base::Result<std::string> gifOf(const std::vector<GifFrame> &frames);

} // namespace stagelens::ui
