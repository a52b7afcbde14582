#include "ui/morph/animation_writer.h"

#include "engine/base/exception_text.h"
#include "engine/base/file.h"
#include "ui/canvas/gif_writer.h"
#include "ui/canvas/mp4_writer.h"
#include "ui/words/words.h"

#include <QBuffer>
#include <QFile>
#include <QFileInfo>
#include <QPainter>
#include <QTemporaryDir>

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kGifFrameMilliseconds = 60;
constexpr QSize kSvgSize{1200, 500};
constexpr QSize kGifSize{960, 400};
constexpr QSize kVideoSize{1280, 536}; ///< even, as the encoder needs them
constexpr int kVideoRate = 30;

/// Paints on any thread: an image, a value and a font are all that it touches.
base::Result<std::string> gifText(const Morph &morph, const MorphLook &look)
{
    std::vector<GifFrame> frames;
    const auto add = [&](double progress, int milliseconds) {
        QImage image(kGifSize, QImage::Format_RGB32);
        QPainter painter(&image);
        paintMorph(painter, morph, look, image.rect(), progress);
        painter.end();
        frames.push_back({image, milliseconds});
    };
    const double moving = 1000 * kMorphSeconds * (1 - kMorphHoldBefore - kMorphHoldAfter);
    const int count = static_cast<int>(moving / kGifFrameMilliseconds);
    add(0, static_cast<int>(1000 * kMorphSeconds * kMorphHoldBefore));
    for (int frame = 1; frame < count; ++frame)
        add(static_cast<double>(frame) / count, kGifFrameMilliseconds);
    add(1, static_cast<int>(1000 * kMorphSeconds * kMorphHoldAfter));
    return gifOf(frames);
}

/// Returns how far the passes are at a share of the animation's time: they rest before and after the flight.
double progressAt(double share)
{
    return std::clamp((share - kMorphHoldBefore) / (1 - kMorphHoldBefore - kMorphHoldAfter), 0.0, 1.0);
}

constexpr int kVideoFrames = static_cast<int>(kMorphSeconds * kVideoRate);

/// Returns a frame of a video, counted from 0.
QImage videoFrame(const Morph &morph, const MorphLook &look, int number)
{
    QImage image(kVideoSize, QImage::Format_RGB32);
    QPainter painter(&image);
    paintMorph(painter, morph, look, image.rect(), progressAt(static_cast<double>(number) / (kVideoFrames - 1)));
    return image;
}

base::Result<> writeVideo(const Morph &morph, const MorphLook &look, const QString &file)
{
    return writeMp4(file, kVideoSize, kVideoRate, kVideoFrames, [&](int number) { return videoFrame(morph, look, number); });
}

base::Result<> writeFrames(const Morph &morph, const MorphLook &look, const std::filesystem::path &folder)
{
    std::error_code problem;
    if (std::filesystem::exists(folder, problem) &&
        !(std::filesystem::is_directory(folder, problem) && std::filesystem::is_empty(folder, problem)))
        return base::Error::failed("the frames need a new or empty folder; choose another name", folder.string());
    QTemporaryDir part(QString::fromStdString(folder.string()) + u"-XXXXXX"_s); // renamed when it is complete
    if (!part.isValid())
        return base::Error::failed(fmt::format("the folder cannot be made: {}", utf8(part.errorString())), folder.string());
    for (int number = 0; number < kVideoFrames; ++number) {
        QByteArray png; // in memory first: an error while it is written is then the file's, with its cause
        QBuffer buffer(&png);
        if (!videoFrame(morph, look, number).save(&buffer, "PNG"))
            return base::Error::failed("a frame cannot be encoded", folder.string());
        QFile file(part.filePath(u"%1.png"_s.arg(number + 1, 4, 10, QChar(u'0'))));
        if (!file.open(QIODevice::WriteOnly) || file.write(png) != png.size() || !file.flush())
            return base::Error::failed(fmt::format("a frame cannot be written: {}", utf8(file.errorString())), folder.string());
    }
    std::filesystem::permissions(utf8(part.path()),
                                 std::filesystem::perms::group_read | std::filesystem::perms::group_exec |
                                     std::filesystem::perms::others_read | std::filesystem::perms::others_exec,
                                 std::filesystem::perm_options::add, problem);
    std::filesystem::rename(utf8(part.path()), folder, problem);
    if (problem)
        return base::Error::failed(fmt::format("cannot be written: {}", problem.message()), folder.string());
    part.setAutoRemove(false);
    return {};
}

} // namespace

QString animationFile(const QString &file, const QString &format)
{
    const QFileInfo chosen(file);
    const bool namesFolder = format == u"png"_s && chosen.suffix().toLower() == format;
    return namesFolder ? chosen.path() + u'/' + chosen.completeBaseName() : file;
}

base::Result<> writeAnimation(const Morph &morph, const MorphLook &look, const QString &file, const QString &format)
{
    try {
        if (format == u"mp4"_s)
            return writeVideo(morph, look, file);
        if (format == u"png"_s)
            return writeFrames(morph, look, utf8(file));
        if (format != u"gif"_s)
            return base::writeFile(utf8(file), morphSvg(morph, look, kSvgSize).toStdString());
        const auto bytes = gifText(morph, look);
        return bytes ? base::writeFile(utf8(file), *bytes) : base::Result<>(bytes.error());
    } catch (const std::exception &exception) { // out of memory, say
        return base::Error::failed("the animation was not made: " + base::exceptionText(exception), utf8(file));
    }
}

} // namespace stagelens::ui
