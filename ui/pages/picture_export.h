// Views as files or on the clipboard, painted by the window's own code.
#pragma once

#include "engine/base/result.h"
#include "ui/controls/save_dialog.h"

#include <QColor>
#include <QSize>
#include <QString>

#include <functional>

class QImage;
class QPainter;
class QWidget;

namespace stagelens::ui {

class TimelineView;

/// Something that can be painted once, into pixels or as text and lines.
struct Picture {
    QString name; ///< of the view: "timeline"; offered as the file's name
    QSize size;
    QColor background;
    qreal scale = 1; ///< pixels of an image per unit of `size`
    std::function<void(QPainter &)> paint;
};

inline constexpr QSize kPictureSize{1600, 900};
[[nodiscard]] Picture pictureOf(TimelineView &timeline, QSize size = kPictureSize);
/// A widget with its children as they stand on the screen.
[[nodiscard]] Picture pictureOf(QWidget &view, const QString &name);

/// `format` is png, svg or pdf. A file that cannot be written leaves the old one as it was.
[[nodiscard]] base::Result<> exportPicture(const Picture &picture, const QString &file, const QString &format);
[[nodiscard]] QImage imageOf(const Picture &picture);
/// As PNG; the same holds of the old file.
[[nodiscard]] base::Result<> saveImage(const QImage &image, const QString &file);

/// The formats of exportPicture(), for the dialog that asks for a file.
[[nodiscard]] QList<SaveKind> pictureKinds();

/// "Copy picture" and "Export picture…" in a view's context menu; `say` is told why a file was not written.
void offerPicture(QWidget &view, const QString &name, std::function<void(const QString &)> say);

} // namespace stagelens::ui
