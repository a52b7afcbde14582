#include "ui/shell/picture_export.h"

#include "engine/base/text.h"
#include "ui/bridge/words.h"
#include "ui/timeline/timeline_view.h"

#include <QImage>
#include <QPainter>
#include <QPalette>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPdfResolution = 96; ///< so that one pixel of the picture is one unit of the page

void paintSvg(TimelineView &timeline, QIODevice &device, QSize size)
{
    QSvgGenerator generator;
    generator.setOutputDevice(&device);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    generator.setTitle(u"Stagelens timeline"_s);
    QPainter painter(&generator);
    timeline.render(&painter, size);
}

void paintPdf(TimelineView &timeline, QIODevice &device, QSize size)
{
    QPdfWriter writer(&device);
    writer.setResolution(kPdfResolution);
    writer.setTitle(u"Stagelens timeline"_s);
    writer.setPageSize(QPageSize(QSizeF(size) * 72.0 / kPdfResolution, QPageSize::Point));
    writer.setPageMargins({});
    QPainter painter(&writer);
    timeline.render(&painter, size);
}

} // namespace

QImage makePicture(TimelineView &timeline, QSize size)
{
    QImage image(size, QImage::Format_RGB32);
    image.fill(timeline.palette().color(QPalette::Base));
    QPainter painter(&image);
    painter.setRenderHint(QPainter::TextAntialiasing);
    timeline.render(&painter, size);
    return image;
}

base::Result<> exportPicture(TimelineView &timeline, const QString &file, const QString &format, QSize size)
{
    if (size.width() < 100 || size.height() < 50 || size.width() > 20'000 || size.height() > 20'000)
        return base::Error::invalid("--size", base::concat("a picture of ", size.width(), "x", size.height(),
                                                           " cannot be drawn; use between 100x50 and 20000x20000"));
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly))
        return base::Error::failed("cannot write: " + utf8(out.errorString()), utf8(file));
    if (format == u"png"_s)
        makePicture(timeline, size).save(&out, "PNG");
    else if (format == u"svg"_s)
        paintSvg(timeline, out, size);
    else if (format == u"pdf"_s)
        paintPdf(timeline, out, size);
    else
        return base::Error::invalid("--format", "the format '" + utf8(format) + "' is unknown; use png, svg or pdf");
    if (!out.commit())
        return base::Error::failed("cannot write: " + utf8(out.errorString()), utf8(file));
    return {};
}

} // namespace stagelens::ui
