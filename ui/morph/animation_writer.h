// Writes the animation from one plan to another into a file.
#pragma once

#include "engine/base/result.h"
#include "ui/morph/morph_painter.h"

#include <QString>

namespace stagelens::ui {

/// Returns the file of an animation that is to be called `file`; of "png" the folder, which has no suffix.
[[nodiscard]] QString animationFile(const QString &file, const QString &format);
/// Writes an animation in a format: "gif", "mp4", "png", else SVG. May be called on any thread. "png" makes the folder `file`
/// with a numbered PNG for each thirtieth of a second, complete or not at all; it fails if the folder exists and holds
/// anything.
[[nodiscard]] base::Result<> writeAnimation(const Morph &morph, const MorphLook &look, const QString &file,
                                            const QString &format);

} // namespace stagelens::ui
