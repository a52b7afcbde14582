#include "ui/canvas/gif_writer.h"

#ifdef STAGELENS_GIF

#include <gif_lib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <unordered_map>
#include <utility>

namespace stagelens::ui {
namespace {

constexpr std::size_t kColours = 256;

struct Palette {
    std::array<GifColorType, kColours> colours{};
    std::unordered_map<QRgb, GifByteType> indices; ///< of every colour that occurs
};

/// Reduces a colour to 5 bits a channel: antialiased text has more shades than a GIF palette, and they look the same.
QRgb coarse(QRgb colour)
{
    return (colour & 0x00f8f8f8U) | 0xff000000U;
}

GifByteType nearest(const std::vector<QRgb> &chosen, QRgb colour)
{
    int best = std::numeric_limits<int>::max();
    std::size_t found = 0;
    for (std::size_t i = 0; i < chosen.size() && best > 0; ++i) {
        const int red = qRed(chosen[i]) - qRed(colour);
        const int green = qGreen(chosen[i]) - qGreen(colour);
        const int blue = qBlue(chosen[i]) - qBlue(colour);
        const int distance = 2 * red * red + 4 * green * green + 3 * blue * blue;
        if (distance < best) {
            best = distance;
            found = i;
        }
    }
    return static_cast<GifByteType>(found);
}

Palette paletteOf(const std::vector<GifFrame> &frames)
{
    // Exact colours first: the fills cover most of the picture and shall not be changed.
    std::unordered_map<QRgb, std::size_t> counts;
    for (const GifFrame &frame : frames)
        for (int y = 0; y < frame.image.height(); ++y) {
            const auto *line = reinterpret_cast<const QRgb *>(frame.image.constScanLine(y));
            for (int x = 0; x < frame.image.width(); ++x)
                ++counts[line[x] | 0xff000000U];
        }
    std::vector<std::pair<QRgb, std::size_t>> sorted(counts.begin(), counts.end());
    std::ranges::sort(sorted,
                      [](const auto &a, const auto &b) { return std::pair(a.second, a.first) > std::pair(b.second, b.first); });
    std::vector<QRgb> chosen;
    for (const auto &[colour, count] : sorted) {
        const bool isNew = std::ranges::none_of(chosen, [&](QRgb one) { return coarse(one) == coarse(colour); });
        if (chosen.size() < kColours && (isNew || chosen.size() < kColours / 4))
            chosen.push_back(colour);
    }
    Palette palette;
    for (std::size_t i = 0; i < chosen.size(); ++i)
        palette.colours[i] = {static_cast<GifByteType>(qRed(chosen[i])), static_cast<GifByteType>(qGreen(chosen[i])),
                              static_cast<GifByteType>(qBlue(chosen[i]))};
    for (const auto &[colour, count] : sorted)
        palette.indices[colour] = nearest(chosen, colour);
    return palette;
}

int appendBytes(GifFileType *gif, const GifByteType *bytes, int count)
{
    static_cast<std::string *>(gif->UserData)->append(reinterpret_cast<const char *>(bytes), static_cast<std::size_t>(count));
    return count;
}

bool putLoop(GifFileType *gif)
{
    constexpr std::array<GifByteType, 3> kForever{1, 0, 0};
    return EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") == GIF_OK &&
           EGifPutExtensionBlock(gif, static_cast<int>(kForever.size()), kForever.data()) == GIF_OK &&
           EGifPutExtensionTrailer(gif) == GIF_OK;
}

bool putFrame(GifFileType *gif, const GifFrame &frame, const Palette &palette)
{
    GraphicsControlBlock control{DISPOSE_DO_NOT, false, frame.milliseconds / 10, NO_TRANSPARENT_COLOR};
    std::array<GifByteType, 4> extension{};
    EGifGCBToExtension(&control, extension.data());
    const int width = frame.image.width();
    if (EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, 4, extension.data()) != GIF_OK ||
        EGifPutImageDesc(gif, 0, 0, width, frame.image.height(), false, nullptr) != GIF_OK)
        return false;
    std::vector<GifByteType> row(static_cast<std::size_t>(width));
    for (int y = 0; y < frame.image.height(); ++y) {
        const auto *line = reinterpret_cast<const QRgb *>(frame.image.constScanLine(y));
        for (int x = 0; x < width; ++x)
            row[static_cast<std::size_t>(x)] = palette.indices.find(line[x] | 0xff000000U)->second;
        if (EGifPutLine(gif, row.data(), width) != GIF_OK)
            return false;
    }
    return true;
}

} // namespace

bool canWriteGif()
{
    return true;
}

base::Result<std::string> gifOf(const std::vector<GifFrame> &given)
{
    if (given.empty() || given.front().image.isNull())
        return base::Error::invalid("", "an animation needs at least one frame");
    std::vector<GifFrame> frames = given;
    for (GifFrame &frame : frames) {
        frame.image = std::move(frame.image).convertToFormat(QImage::Format_RGB32);
        if (frame.image.size() != given.front().image.size())
            return base::Error::invalid("", "the frames of an animation must have one size");
    }
    const Palette palette = paletteOf(frames);
    std::string bytes;
    int error = 0;
    GifFileType *gif = EGifOpen(&bytes, appendBytes, &error);
    const std::unique_ptr<ColorMapObject, decltype(&GifFreeMapObject)> map(
        GifMakeMapObject(static_cast<int>(kColours), palette.colours.data()), &GifFreeMapObject);
    if (gif == nullptr || map == nullptr)
        return base::Error::failed("there is too little memory for the animation");
    EGifSetGifVersion(gif, true);
    const QSize size = frames.front().image.size();
    bool isGood = EGifPutScreenDesc(gif, size.width(), size.height(), 8, 0, map.get()) == GIF_OK && putLoop(gif);
    for (std::size_t i = 0; isGood && i < frames.size(); ++i)
        isGood = putFrame(gif, frames[i], palette);
    isGood = EGifCloseFile(gif, &error) == GIF_OK && isGood;
    if (!isGood)
        return base::Error::failed("the animation could not be encoded as GIF; export SVG instead");
    return bytes;
}

} // namespace stagelens::ui

#else

namespace stagelens::ui {

bool canWriteGif()
{
    return false;
}

base::Result<std::string> gifOf(const std::vector<GifFrame> &)
{
    return base::Error::failed("this build has no giflib (libgif-dev); export the animation as SVG");
}

} // namespace stagelens::ui

#endif
