#include "ui/canvas/mp4_writer.h"

#include "engine/base/text.h"

#include <QProcess>
#include <QStandardPaths>

#include <filesystem>
#include <fmt/format.h>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPatience = 60'000; ///< milliseconds in which ffmpeg takes a frame or ends
constexpr int kLastWords = 2000;  ///< milliseconds

QString videoProgram()
{
    return QStandardPaths::findExecutable(u"ffmpeg"_s);
}

/// The first line of what the program said, or how it ended.
std::string reasonOf(QProcess &process)
{
    process.waitForFinished(kLastWords); // what it says comes before its end
    const QByteArray said = process.readAllStandardError().trimmed();
    if (!said.isEmpty())
        return said.split('\n').constFirst().left(300).toStdString();
    return process.errorString().toStdString();
}

base::Result<> feed(QProcess &process, int count, const std::function<QImage(int)> &frame)
{
    for (int number = 0; number < count; ++number) {
        const QImage image = frame(number).convertToFormat(QImage::Format_RGB32);
        process.write(reinterpret_cast<const char *>(image.constBits()), image.sizeInBytes());
        while (process.bytesToWrite() > 0)
            if (!process.waitForBytesWritten(kPatience))
                return base::Error::failed(fmt::format("ffmpeg does not take the animation: {}", reasonOf(process)));
    }
    process.closeWriteChannel();
    if (!process.waitForFinished(kPatience) || process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0)
        return base::Error::failed(fmt::format("ffmpeg did not make the animation: {}", reasonOf(process)));
    return {};
}

} // namespace

bool canWriteMp4()
{
    return !videoProgram().isEmpty();
}

base::Result<> writeMp4(const QString &file, QSize size, int framesPerSecond, int count,
                        const std::function<QImage(int)> &frame)
{
    const QString program = videoProgram();
    if (program.isEmpty())
        return base::Error::failed("an MP4 needs the program ffmpeg, which is not installed; install the package ffmpeg, or "
                                   "export a GIF or an SVG animation",
                                   file.toStdString());
    const QString part = file + u".part"_s;
    QProcess process;
    process.start(program, {u"-loglevel"_s,
                            u"error"_s,
                            u"-y"_s,
                            u"-f"_s,
                            u"rawvideo"_s,
                            u"-pix_fmt"_s,
                            u"bgra"_s,
                            u"-s"_s,
                            u"%1x%2"_s.arg(size.width()).arg(size.height()),
                            u"-r"_s,
                            QString::number(framesPerSecond),
                            u"-i"_s,
                            u"-"_s,
                            u"-pix_fmt"_s,
                            u"yuv420p"_s,
                            u"-movflags"_s,
                            u"+faststart"_s,
                            u"-f"_s,
                            u"mp4"_s,
                            part});
    base::Result<> done =
        process.waitForStarted(kPatience)
            ? feed(process, count, frame)
            : base::Result<>(base::Error::failed(fmt::format("ffmpeg does not start: {}", reasonOf(process))));
    std::error_code problem;
    if (done) {
        std::filesystem::rename(part.toStdString(), file.toStdString(), problem);
        if (problem)
            done = base::Error::failed(fmt::format("cannot be written: {}", problem.message()), file.toStdString());
    }
    if (!done) {
        process.kill();
        process.waitForFinished(kPatience);
        std::filesystem::remove(part.toStdString(), problem);
    }
    return done;
}

} // namespace stagelens::ui
