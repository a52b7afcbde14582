#include "ui/canvas/colours.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPalette>

#include <algorithm>
#include <cmath>

// Qt registers a static library's resources only on demand, by a function in the global namespace.
static void initPaletteResource()
{
    Q_INIT_RESOURCE(stagelens_palette);
}

namespace stagelens::ui {
namespace {

QString word(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QColor colourAt(const QJsonObject &object, const QString &key)
{
    const QColor colour(object.value(key).toString());
    Q_ASSERT_X(colour.isValid(), "resources/palette.json", qPrintable(key));
    return colour;
}

QJsonObject paletteFile()
{
    initPaletteResource();
    QFile file(QStringLiteral(":/stagelens/palette.json"));
    const bool opened = file.open(QIODevice::ReadOnly);
    Q_ASSERT(opened);
    return opened ? QJsonDocument::fromJson(file.readAll()).object() : QJsonObject();
}

Colours read(const QJsonObject &file, const QString &theme)
{
    Colours result;
    const QJsonObject passes = file.value(QStringLiteral("passes")).toObject();
    for (std::size_t kind = 0; kind < result.passes.size(); ++kind)
        result.passes[kind] = colourAt(passes, word(schedule::name(static_cast<schedule::PassKind>(kind))));
    result.vocabulary = colourAt(file, QStringLiteral("vocabulary"));
    result.vocabularyHatch = colourAt(file, QStringLiteral("vocabularyHatch"));
    static constexpr std::array causes{"fillAndDrain", "unequalStages", "vocabularyLayers", "communication", "slowParts"};
    const QJsonObject causeColours = file.value(QStringLiteral("causes")).toObject();
    for (std::size_t i = 0; i < causes.size(); ++i)
        result.causes[i] = colourAt(causeColours, QString::fromLatin1(causes[i]));
    const std::pair<const char *, std::vector<QColor> *> lists[] = {
        {"curves", &result.curves}, {"microbatches", &result.microbatches}, {"slack", &result.slack}};
    for (const auto &[name, list] : lists)
        for (const QJsonValue value : file.value(QLatin1StringView(name)).toArray())
            list->emplace_back(value.toString());
    Q_ASSERT(result.slack.size() == kSlackShares.size() + 1);
    Q_ASSERT(result.microbatches.size() < schedule::kPassKindCount); // WorkShares counts them
    const QJsonObject shades = file.value(theme).toObject();
    static constexpr std::array categories{"parameters", "gradients",     "optimizer", "activations",
                                           "vocabulary", "communication", "workspace"};
    static_assert(categories.size() == simulate::kMemoryCategoryCount);
    const QJsonObject memory = shades.value(QStringLiteral("memory")).toObject();
    for (std::size_t i = 0; i < categories.size(); ++i)
        result.memory[i] = colourAt(memory, QString::fromLatin1(categories[i]));
    const QJsonObject axes = file.value(QStringLiteral("axes")).toObject();
    const auto axis = [&result](layout::Axis which) -> QColor & { return result.axes[static_cast<std::size_t>(which)]; };
    result.message = axis(layout::Axis::Pipeline) = colourAt(axes, QStringLiteral("pipeline"));
    axis(layout::Axis::Tensor) = colourAt(axes, QStringLiteral("tensor"));
    axis(layout::Axis::Context) = colourAt(axes, QStringLiteral("context"));
    axis(layout::Axis::Data) = colourAt(shades, QStringLiteral("data"));
    result.expert = axis(layout::Axis::Expert) = axis(layout::Axis::ExpertData) = colourAt(axes, QStringLiteral("expert"));
    result.copy = colourAt(axes, QStringLiteral("copy"));
    const std::pair<const char *, QColor *> named[] = {
        {"background", &result.background},
        {"band", &result.band},
        {"lane", &result.lane},
        {"grid", &result.grid},
        {"ink", &result.ink},
        {"muted", &result.muted},
        {"rail", &result.rail},
        {"focus", &result.focus},
        {"alarm", &result.alarm},
        {"panel", &result.panel},
        {"idle", &result.idle},
        {"panelEdge", &result.panelEdge},
    };
    for (const auto &[name, colour] : named)
        *colour = colourAt(shades, QString::fromLatin1(name));
    return result;
}

double luminance(const QColor &colour)
{
    const auto linear = [](double channel) {
        return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

} // namespace

const Colours &colours(bool dark)
{
    static const QJsonObject file = paletteFile();
    static const Colours lightColours = read(file, QStringLiteral("light"));
    static const Colours darkColours = read(file, QStringLiteral("dark"));
    return dark ? darkColours : lightColours;
}

const Colours &coloursFor(const QPalette &palette)
{
    return colours(palette.color(QPalette::Window).lightnessF() < 0.5);
}

std::size_t slackLevel(base::Nanos slack, base::Nanos makespan)
{
    std::size_t level = 0;
    while (level < kSlackShares.size() &&
           static_cast<double>(slack) > kSlackShares[level] * static_cast<double>(std::max<base::Nanos>(makespan, 1)))
        ++level;
    return level;
}

QColor axisColour(const Colours &colours, layout::Axis axis)
{
    return colours.axes[static_cast<std::size_t>(axis)];
}

QColor chunkShade(const QColor &colour, int chunk)
{
    constexpr double kStep = 0.78;
    constexpr int kMostSteps = 4;
    return chunk <= 0 ? colour : mix(colour, Qt::white, std::pow(kStep, std::min(chunk, kMostSteps)));
}

QColor recomputedShade(const QColor &colour)
{
    constexpr double kShare = 0.5;
    return mix(colour, Qt::white, kShare);
}

QChar chunkLetter(int chunk)
{
    return QChar(static_cast<char16_t>(u'a' + chunk % 26));
}

double contrast(const QColor &a, const QColor &b)
{
    const double first = luminance(a);
    const double second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

QColor inkOn(const QColor &fill)
{
    return contrast(fill, Qt::white) > contrast(fill, Qt::black) ? QColor(Qt::white) : QColor(Qt::black);
}

QColor mix(const QColor &colour, const QColor &under, double share)
{
    const auto channel = [share](float a, float b) { return static_cast<float>(a * share + b * (1 - share)); };
    return QColor::fromRgbF(channel(colour.redF(), under.redF()), channel(colour.greenF(), under.greenF()),
                            channel(colour.blueF(), under.blueF()));
}

QColor edgeOf(const QColor &fill)
{
    return fill.darker(135);
}

} // namespace stagelens::ui
