// The timeline as a file or on the clipboard, painted by the window's own code.
#pragma once

#include "engine/base/result.h"

#include <QSize>
#include <QString>

class QImage;

namespace stagelens::ui {

class TimelineView;

inline constexpr QSize kPictureSize{1600, 900};

/// `format` is png, svg or pdf. A file that cannot be written leaves the old one as it was.
[[nodiscard]] base::Result<> exportPicture(TimelineView &timeline, const QString &file, const QString &format, QSize size);
[[nodiscard]] QImage makePicture(TimelineView &timeline, QSize size);

} // namespace stagelens::ui
