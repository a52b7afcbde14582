// Animations as MP4, through the program ffmpeg where it is installed.
#pragma once

#include "engine/base/result.h"

#include <QImage>

#include <functional>

namespace stagelens::ui {

/// Whether ffmpeg is found in PATH. Looks each time: it may be installed while the window is open.
[[nodiscard]] bool canWriteMp4();
/// Encodes `count` frames of one size, each made when its turn comes. Blocks until the file is complete, so not on the GUI
/// thread. A file that cannot be written leaves the old one as it was. Fails without ffmpeg, and with its words if it fails.
[[nodiscard]] base::Result<> writeMp4(const QString &file, QSize size, int framesPerSecond, int count,
                                      const std::function<QImage(int)> &frame);

} // namespace stagelens::ui
