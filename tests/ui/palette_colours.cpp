// The palette: readable labels, and kinds that stay apart for every kind of colour vision.
#include "tests/support/test_program.h"
#include "tests/support/ui_test.h"
#include "ui/canvas/colours.h"
#include "ui/controls/theme.h"

#include <QPalette>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace ui_palette_colours {

using namespace stagelens;
using ui::Colours;

namespace {

using Rgb = std::array<double, 3>;
using Matrix = std::array<Rgb, 3>;

double toLinear(double channel)
{
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

Rgb times(const Matrix &matrix, const Rgb &colour)
{
    Rgb result{};
    for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t i = 0; i < 3; ++i)
            result[row] += matrix[row][i] * colour[i];
    return result;
}

/// Machado, Oliveira and Fernandes 2009, severity 1, on linear light.
constexpr Matrix kNormal{Rgb{1, 0, 0}, Rgb{0, 1, 0}, Rgb{0, 0, 1}};
constexpr Matrix kProtan{Rgb{0.152286, 1.052583, -0.204868}, Rgb{0.114503, 0.786281, 0.099216},
                         Rgb{-0.003882, -0.048116, 1.051998}};
constexpr Matrix kDeutan{Rgb{0.367322, 0.860646, -0.227968}, Rgb{0.280085, 0.672501, 0.047413},
                         Rgb{-0.011820, 0.042940, 0.968881}};
constexpr Matrix kTritan{Rgb{1.255528, -0.076749, -0.178779}, Rgb{-0.078411, 0.930809, 0.147602},
                         Rgb{0.004733, 0.691367, 0.303900}};

constexpr std::pair<const char *, Matrix> kVisions[] = {
    {"normal", kNormal}, {"protan", kProtan}, {"deutan", kDeutan}, {"tritan", kTritan}};
constexpr double kApart = 0.06; ///< least OKLab distance of two colours that must be told apart
constexpr auto kData = static_cast<std::size_t>(layout::Axis::Data);

std::vector<std::pair<const char *, QColor>> axesOf(const Colours &colours)
{
    using layout::Axis;
    return {{"pipeline", ui::axisColour(colours, Axis::Pipeline)}, {"tensor", ui::axisColour(colours, Axis::Tensor)},
            {"context", ui::axisColour(colours, Axis::Context)},   {"expert", ui::axisColour(colours, Axis::Expert)},
            {"data", ui::axisColour(colours, Axis::Data)},         {"copy", colours.copy}};
}

/// OKLab (Ottosson 2020) of a colour seen with that vision.
Rgb okLab(const QColor &colour, const Matrix &vision)
{
    Rgb linear = times(vision, {toLinear(colour.redF()), toLinear(colour.greenF()), toLinear(colour.blueF())});
    for (double &channel : linear)
        channel = std::clamp(channel, 0.0, 1.0);
    constexpr Matrix toCones{Rgb{0.4122214708, 0.5363325363, 0.0514459929}, Rgb{0.2119034982, 0.6806995451, 0.1073969566},
                             Rgb{0.0883024619, 0.2817188376, 0.6299787005}};
    constexpr Matrix toLab{Rgb{0.2104542553, 0.7936177850, -0.0040720468}, Rgb{1.9779984951, -2.4285922050, 0.4505937099},
                           Rgb{0.0259040371, 0.7827717662, -0.8086757660}};
    Rgb cones = times(toCones, linear);
    for (double &cone : cones)
        cone = std::cbrt(cone);
    return times(toLab, cones);
}

double distance(const Rgb &a, const Rgb &b)
{
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

} // namespace

class PaletteColours : public QObject {
    Q_OBJECT
private slots:
    void init() { test::failOnWarnings(); }

    void fillsAreTheDocumentedOnes()
    {
        const Colours &colours = ui::colours(false);
        using schedule::PassKind;
        QCOMPARE(colours.pass(PassKind::F), QColor(QStringLiteral("#2B6CB0")));
        QCOMPARE(colours.pass(PassKind::B), QColor(QStringLiteral("#EE9A3A")));
        QCOMPARE(colours.pass(PassKind::I), colours.pass(PassKind::B));
        QCOMPARE(colours.pass(PassKind::W), QColor(QStringLiteral("#0F6B50")));
        QCOMPARE(colours.pass(PassKind::S), QColor(QStringLiteral("#FBE552")));
        QCOMPARE(colours.pass(PassKind::U), colours.pass(PassKind::S));
        QCOMPARE(colours.pass(PassKind::T), QColor(QStringLiteral("#9C8412")));
        QCOMPARE(colours.pass(PassKind::EF), QColor(QStringLiteral("#D9A6DB")));
        QCOMPARE(colours.pass(PassKind::O), QColor(QStringLiteral("#6B7280")));
        QCOMPARE(ui::colours(true).passes, colours.passes);
    }

    void kindsStayApart()
    {
        using schedule::PassKind;
        constexpr std::array kinds{PassKind::F, PassKind::B, PassKind::W, PassKind::S, PassKind::T, PassKind::EF, PassKind::O};
        for (const auto &[name, vision] : kVisions) {
            for (std::size_t i = 0; i < kinds.size(); ++i) {
                for (std::size_t j = i + 1; j < kinds.size(); ++j) {
                    const double apart = distance(okLab(ui::colours(false).pass(kinds[i]), vision),
                                                  okLab(ui::colours(false).pass(kinds[j]), vision));
                    const auto message = QStringLiteral("%1: kinds %2 and %3 are %4 apart")
                                             .arg(QString::fromLatin1(name))
                                             .arg(static_cast<int>(kinds[i]))
                                             .arg(static_cast<int>(kinds[j]))
                                             .arg(apart);
                    QVERIFY2(apart >= kApart, qPrintable(message));
                }
            }
        }
    }

    /// What fills a device's memory: apart for every kind of colour vision, and seen on the plot's ground.
    void memoryStaysApart()
    {
        for (const bool dark : {false, true}) {
            const Colours &colours = ui::colours(dark);
            for (std::size_t i = 0; i < colours.memory.size(); ++i) {
                QVERIFY2(distance(okLab(colours.memory[i], kNormal), okLab(colours.background, kNormal)) >= 2 * kApart,
                         qPrintable(colours.memory[i].name()));
                for (std::size_t j = i + 1; j < colours.memory.size(); ++j)
                    for (const auto &[name, vision] : kVisions) {
                        const double apart = distance(okLab(colours.memory[i], vision), okLab(colours.memory[j], vision));
                        const auto message =
                            QStringLiteral("%1: %2 and %3 are %4 apart")
                                .arg(QLatin1StringView(name), colours.memory[i].name(), colours.memory[j].name())
                                .arg(apart);
                        QVERIFY2(apart >= kApart, qPrintable(message));
                    }
            }
        }
    }

    void axesStayApart_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }

    /// What the axes exchange: apart for every kind of colour vision, and seen on the lanes.
    void axesStayApart()
    {
        QFETCH(const bool, dark);
        const Colours &colours = ui::colours(dark);
        for (const auto &[name, vision] : kVisions) {
            const auto axes = axesOf(colours);
            for (std::size_t i = 0; i < axes.size(); ++i) {
                QVERIFY2(ui::contrast(axes[i].second, colours.lane) >= 2.5, axes[i].first);
                for (std::size_t j = i + 1; j < axes.size(); ++j) {
                    const double apart = distance(okLab(axes[i].second, vision), okLab(axes[j].second, vision));
                    const auto message =
                        QStringLiteral("%1: %2 and %3 are %4 apart")
                            .arg(QLatin1StringView(name), QLatin1StringView(axes[i].first), QLatin1StringView(axes[j].first))
                            .arg(apart);
                    QVERIFY2(apart >= kApart, qPrintable(message));
                }
            }
            std::vector<QColor> bar(colours.causes.begin(), colours.causes.end()); // of the bubble
            bar.push_back(colours.expert);
            for (std::size_t i = 0; i < bar.size(); ++i)
                for (std::size_t j = i + 1; j < bar.size(); ++j)
                    QVERIFY2(distance(okLab(bar[i], vision), okLab(bar[j], vision)) >= kApart, qPrintable(bar[i].name()));
        }
    }

    void axesHaveTheDesignedColours_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<QString>("axis");
        QTest::addColumn<QColor>("designed");
        QTest::addColumn<QString>("whyOther"); // empty: the palette has the designed colour
        for (const bool dark : {false, true}) {
            const auto row = [dark](const char *axis, const char *designed, const char *whyOther) {
                QTest::addRow("%s, %s", axis, dark ? "dark" : "light")
                    << dark << QString::fromLatin1(axis) << QColor(QLatin1StringView(designed))
                    << QString::fromLatin1(whyOther);
            };
            row("pipeline", "#B83280", "0.041 from data for protan, 0.052 from copy for deutan");
            row("tensor", "#319795", "");
            row("expert", "#805AD5", "");
            row("data", "#4A5568", dark ? "contrast 1.9 with a dark lane" : "");
            row("copy", "#2F855A", "");
        }
    }

    /// Where the palette differs from the design, the designed colour breaks one of the rules above.
    void axesHaveTheDesignedColours()
    {
        QFETCH(const bool, dark);
        QFETCH(const QString, axis);
        QFETCH(const QColor, designed);
        QFETCH(const QString, whyOther);
        const Colours &colours = ui::colours(dark);
        auto axes = axesOf(colours);
        const auto own = std::ranges::find(axes, axis, [](const auto &each) { return QString::fromLatin1(each.first); });
        QVERIFY(own != axes.end());
        QCOMPARE(own->second == designed, whyOther.isEmpty());
        if (whyOther.isEmpty())
            return;
        bool breaks = ui::contrast(designed, colours.lane) < 2.5;
        for (auto other = axes.begin(); other != axes.end(); ++other) {
            // The design has one colour of data, for both themes.
            const QColor theirs =
                QLatin1StringView(other->first) == QLatin1StringView("data") ? ui::colours(false).axes[kData] : other->second;
            for (const auto &[name, vision] : kVisions)
                breaks = breaks || (other != own && distance(okLab(designed, vision), okLab(theirs, vision)) < kApart);
        }
        QVERIFY2(breaks, qPrintable(whyOther));
    }

    /// Focus, filled buttons and links are of one colour, which can be read as text and under text.
    void thereIsOneAccent()
    {
        for (const bool dark : {false, true}) {
            const QPalette palette = ui::paletteOf(dark);
            const QColor accent = ui::colours(dark).focus;
            QCOMPARE(palette.color(QPalette::Highlight), accent);
            QCOMPARE(palette.color(QPalette::Link), accent);
            QVERIFY(ui::contrast(accent, palette.color(QPalette::HighlightedText)) >= 4.5);
            QVERIFY(ui::contrast(accent, palette.color(QPalette::Window)) >= 4.5);
            QVERIFY(ui::contrast(accent, palette.color(QPalette::Base)) >= 4.5);
        }
    }

    void inkReadsOnEveryFill()
    {
        for (const bool dark : {false, true}) {
            const Colours &colours = ui::colours(dark);
            for (const QColor &fill : colours.passes)
                QVERIFY2(ui::contrast(fill, ui::inkOn(fill)) >= 4.5, qPrintable(fill.name()));
            QVERIFY(ui::contrast(colours.vocabulary, ui::inkOn(colours.vocabulary)) >= 4.5);
            for (const QColor &paper : {colours.background, colours.band, colours.lane, colours.panel}) {
                QVERIFY2(ui::contrast(paper, colours.ink) >= 7, qPrintable(paper.name()));
                QVERIFY2(ui::contrast(paper, colours.muted) >= 4.5, qPrintable(paper.name()));
            }
            QVERIFY(ui::contrast(colours.background, colours.alarm) >= 4.5);
        }
    }

    void contrastIsThatOfWcag()
    {
        QCOMPARE(ui::contrast(Qt::white, Qt::black), 21.0);
        QVERIFY(std::abs(ui::contrast(QColor(QStringLiteral("#777777")), Qt::white) - 4.48) < 0.01);
    }

    void themeFollowsTheWindow()
    {
        QPalette palette;
        palette.setColor(QPalette::Window, Qt::black);
        QCOMPARE(&ui::coloursFor(palette), &ui::colours(true));
        palette.setColor(QPalette::Window, Qt::white);
        QCOMPARE(&ui::coloursFor(palette), &ui::colours(false));
    }
};

STAGELENS_TEST(PaletteColours)

} // namespace ui_palette_colours

#include "palette_colours.moc"
