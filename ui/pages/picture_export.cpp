#include "ui/pages/picture_export.h"

#include "engine/base/file.h"
#include "ui/timeline/timeline_view.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QAction>
#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QImage>
#include <QPainter>
#include <QPalette>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <fmt/format.h>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPdfResolution = 96; ///< so that one pixel of the picture is one unit of the page
constexpr qreal kWidgetScale = 2;  ///< a view as small as on the screen would be coarse on a slide

void paintOn(QPaintDevice &device, const Picture &picture)
{
    QPainter painter(&device);
    painter.setRenderHint(QPainter::TextAntialiasing);
    painter.fillRect(QRect(QPoint(0, 0), picture.size), picture.background);
    picture.paint(painter);
}

void paintSvg(QIODevice &device, const Picture &picture)
{
    QSvgGenerator generator;
    generator.setOutputDevice(&device);
    generator.setSize(picture.size);
    generator.setViewBox(QRect(QPoint(0, 0), picture.size));
    generator.setTitle(u"Stagelens "_s + picture.name);
    paintOn(generator, picture);
}

void paintPdf(QIODevice &device, const Picture &picture)
{
    QPdfWriter writer(&device);
    writer.setResolution(kPdfResolution);
    writer.setTitle(u"Stagelens "_s + picture.name);
    writer.setPageSize(QPageSize(QSizeF(picture.size) * 72.0 / kPdfResolution, QPageSize::Point));
    writer.setPageMargins({});
    paintOn(writer, picture);
}

} // namespace

Picture pictureOf(TimelineView &timeline, QSize size)
{
    return {u"timeline"_s, size, timeline.palette().color(QPalette::Base), 1,
            [&timeline, size](QPainter &painter) { timeline.render(&painter, size); }};
}

Picture pictureOf(QWidget &view, const QString &name)
{
    return {name, view.size(), view.palette().color(QPalette::Window), kWidgetScale,
            [&view](QPainter &painter) { view.render(&painter, {}, {}, QWidget::DrawChildren); }};
}

QImage imageOf(const Picture &picture)
{
    QImage image(picture.size * picture.scale, QImage::Format_RGB32);
    image.setDevicePixelRatio(picture.scale);
    paintOn(image, picture);
    return image;
}

base::Result<> exportPicture(const Picture &picture, const QString &file, const QString &format)
{
    const QSize size = picture.size;
    if (size.width() < 100 || size.height() < 50 || size.width() > 20'000 || size.height() > 20'000)
        return base::Error::invalid(
            "--size",
            fmt::format("a picture of {}x{} cannot be drawn; use between 100x50 and 20000x20000", size.width(), size.height()));
    if (format == u"png"_s)
        return saveImage(imageOf(picture), file);
    // Qt's writers do not say when a disk is full: they draw into memory.
    QBuffer drawn;
    drawn.open(QIODevice::WriteOnly);
    if (format == u"svg"_s)
        paintSvg(drawn, picture);
    else if (format == u"pdf"_s)
        paintPdf(drawn, picture);
    else
        return base::Error::invalid("--format", "the format '" + utf8(format) + "' is unknown; use png, svg or pdf");
    return base::writeFile(utf8(file), drawn.data().toStdString());
}

base::Result<> saveImage(const QImage &image, const QString &file)
{
    QBuffer encoded;
    encoded.open(QIODevice::WriteOnly);
    if (!image.save(&encoded, "PNG"))
        return base::Error::failed("the picture is too large for the machine's memory; choose a smaller one", utf8(file));
    return base::writeFile(utf8(file), encoded.data().toStdString());
}

QList<SaveKind> pictureKinds()
{
    return {{Words::tr("PNG picture (*.png)"), u"png"_s},
            {Words::tr("SVG drawing (*.svg)"), u"svg"_s},
            {Words::tr("PDF page (*.pdf)"), u"pdf"_s}};
}

void offerPicture(QWidget &view, const QString &name, std::function<void(const QString &)> say)
{
    view.setContextMenuPolicy(Qt::ActionsContextMenu);
    auto *copy = new QAction(Words::tr("&Copy picture"), &view);
    auto *save = new QAction(Words::tr("&Export picture…"), &view);
    view.addActions({copy, save});
    QObject::connect(copy, &QAction::triggered, &view,
                     [&view, name] { QApplication::clipboard()->setImage(imageOf(pictureOf(view, name))); });
    QObject::connect(save, &QAction::triggered, &view, [&view, name, say = std::move(say)] {
        const QList<SaveKind> kinds = pictureKinds();
        const auto [file, kind] = askWhereToSave(view.window(), Words::tr("Export the picture"), name + u".png"_s, kinds);
        if (file.isEmpty())
            return;
        if (const auto saved = exportPicture(pictureOf(view, name), file, kinds[kind].suffix); !saved)
            say(notWritten(file, saved.error()));
    });
}

} // namespace stagelens::ui
