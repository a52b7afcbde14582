// The pure parts of the timeline: boxes, folds, sums, density, the time axis.
#include "engine/base/random.h"
#include "tests/support/test_program.h"
#include "tests/support/ui_test.h"
#include "ui/canvas/geometry.h"
#include "ui/words/time_axis.h"

#include <QFontMetrics>

#include <cinttypes>
#include <numeric>

namespace ui_timeline_geometry {

using namespace stagelens;
using schedule::makePass;
using schedule::PassKind;
using ui::LaneWindow;
using ui::SliceBox;

namespace {

/// Passes of random lengths and gaps.
timeline::Lane randomLane(base::Random &random, int count, base::Nanos longest)
{
    timeline::Lane lane;
    base::Nanos time = 0;
    for (int i = 0; i < count; ++i) {
        time += random.nextInteger(0, 3) == 0 ? random.nextInteger(0, longest) : 0;
        const base::Nanos duration = random.nextInteger(0, longest);
        const PassKind kind = static_cast<PassKind>(random.nextInteger(0, schedule::kPassKindCount - 2));
        lane.push(makePass(kind, 1, i), time, time + duration);
        lane.vocabulary.resize(lane.size());
        lane.vocabulary.back() = random.nextInteger(0, duration);
        time += duration;
    }
    return lane;
}

ui::WorkShares slowWork(const timeline::Lane &lane, base::Nanos from, base::Nanos to)
{
    ui::WorkShares work;
    for (std::size_t i = 0; i < lane.size(); ++i) {
        const base::Nanos inside = std::min(to, lane.end[i]) - std::max(from, lane.begin[i]);
        if (inside <= 0)
            continue;
        const double part = static_cast<double>(inside) / static_cast<double>(lane.end[i] - lane.begin[i]);
        const base::Nanos hidden = schedule::isVocabularyPass(lane.pass[i].kind) ? 0 : lane.vocabulary[i];
        work.kinds[static_cast<std::size_t>(lane.pass[i].kind)] +=
            static_cast<base::Nanos>(part * static_cast<double>(lane.end[i] - lane.begin[i] - hidden));
        work.hiddenVocabulary += static_cast<base::Nanos>(part * static_cast<double>(hidden));
    }
    return work;
}

} // namespace

class TimelineGeometry : public QObject {
    Q_OBJECT
private slots:
    void init() { test::failOnWarnings(); }

    void passesStandOnTheirPixels()
    {
        timeline::Lane lane;
        lane.push(makePass(PassKind::F, 0, 0), 0, 100);
        lane.push(makePass(PassKind::B, 0, 0), 150, 300);
        const auto boxes = ui::laneBoxes(lane, {0, 1000, 500, 2, 3});
        QCOMPARE(boxes.size(), std::size_t{2});
        QCOMPARE(boxes[0].x, 0);
        QCOMPARE(boxes[0].width, 50);
        QCOMPARE(boxes[1].x, 75);
        QCOMPARE(boxes[1].width, 75);
        QCOMPARE(boxes[1].kind, PassKind::B);
        QCOMPARE(ui::boxAt(boxes, 60), nullptr);
        QCOMPARE(ui::boxAt(boxes, 80), &boxes[1]);
        QCOMPARE(ui::boxAt(boxes, 150), nullptr);
    }

    void aZoomedWindowClips()
    {
        timeline::Lane lane;
        lane.push(makePass(PassKind::F, 0, 0), 0, 1000);
        lane.push(makePass(PassKind::B, 0, 0), 5000, 6000);
        const auto boxes = ui::laneBoxes(lane, {400, 500, 100, 2, 0});
        QCOMPARE(boxes.size(), std::size_t{1});
        QVERIFY(boxes[0].x <= 0 && boxes[0].x >= -1);
        QVERIFY(boxes[0].x + boxes[0].width >= 100 && boxes[0].width <= 103);
        QVERIFY(ui::laneBoxes(lane, {2000, 3000, 100, 2, 0}).empty());
        QVERIFY(ui::laneBoxes({}, {0, 10, 100, 2, 0}).empty());
        QVERIFY(ui::laneBoxes(lane, {0, 10, 0, 2, 0}).empty());
    }

    void nanosecondsFarFromZeroStayExact()
    {
        timeline::Lane lane;
        const base::Nanos far = base::kLongestPass;
        lane.push(makePass(PassKind::F, 0, 0), far, far + 100);
        const auto boxes = ui::laneBoxes(lane, {far, far + 1000, 1000, 2, 0});
        QCOMPARE(boxes.size(), std::size_t{1});
        QCOMPARE(boxes[0].x, 0);
        QCOMPARE(boxes[0].width, 100);
    }

    void vocabularyStandsWhereItIsComputed()
    {
        const LaneWindow window{0, 100, 100, 2, 3};
        const auto place = [&](PassKind kind, int stage) {
            timeline::Lane lane;
            lane.push(makePass(kind, stage, 0), 10, 60);
            lane.vocabulary = {20};
            return ui::laneBoxes(lane, window).front();
        };
        QCOMPARE(place(PassKind::F, 3).vocabularyX, 40); // the output layer ends the last stage's forward
        QCOMPARE(place(PassKind::F, 3).vocabularyWidth, 20);
        QCOMPARE(place(PassKind::B, 3).vocabularyX, 10);
        QCOMPARE(place(PassKind::F, 0).vocabularyX, 10); // the embedding begins the first stage's
        QCOMPARE(place(PassKind::B, 0).vocabularyX, 40);
        QCOMPARE(place(PassKind::S, 0).vocabularyWidth, 0); // S is vocabulary as a whole: no share to mark
    }

    void everyVisiblePassIsInExactlyOneBox()
    {
        const std::uint64_t seed = 20240611;
        qInfo("seed %" PRIu64, seed);
        base::Random random(seed);
        for (int round = 0; round < 60; ++round) {
            const timeline::Lane lane = randomLane(random, 400, 1 << random.nextInteger(1, 12));
            const base::Nanos begin = random.nextInteger(0, lane.end.back());
            const LaneWindow window{begin, begin + random.nextInteger(100, lane.end.back() + 100),
                                    static_cast<int>(random.nextInteger(1, 900)), 2, 1};
            std::vector<int> seen(lane.size());
            int right = -2;
            for (const SliceBox &box : ui::laneBoxes(lane, window)) {
                QVERIFY(box.width >= 1);
                QVERIFY(box.x >= right - 1); // a box of less than a pixel still gets one, and no more
                right = box.x + box.width;
                if (box.isFold())
                    QVERIFY(box.width <= window.fold + 1);
                for (std::size_t i = box.first; i < box.first + box.count; ++i)
                    ++seen[i];
            }
            for (std::size_t i = 0; i < lane.size(); ++i) {
                const bool visible = lane.end[i] > window.begin && lane.begin[i] < window.end && lane.end[i] > lane.begin[i];
                QVERIFY(seen[i] <= 1);
                if (visible)
                    QCOMPARE(seen[i], 1);
            }
        }
    }

    void costFollowsPixels()
    {
        timeline::Lane lane;
        for (int i = 0; i < 300'000; ++i)
            lane.push(makePass(i % 2 == 0 ? PassKind::F : PassKind::B, 0, i / 2), i * 10, i * 10 + 10);
        const auto boxes = ui::laneBoxes(lane, {0, 3'000'000, 1000, 2, 0});
        QVERIFY(boxes.size() <= 1000);
        QCOMPARE(std::accumulate(boxes.begin(), boxes.end(), std::size_t{0},
                                 [](std::size_t sum, const SliceBox &box) { return sum + box.count; }),
                 lane.size());
    }

    void sumsAreThoseOfTheSlices()
    {
        base::Random random(7);
        const timeline::Lane lane = randomLane(random, 1000, 500);
        const ui::LaneSums sums(lane);
        for (const auto &[first, count] :
             {std::pair<std::size_t, std::size_t>{0, 1000}, {0, 1}, {63, 130}, {64, 128}, {1, 999}, {500, 300}, {640, 360}}) {
            const ui::WorkShares work = sums.work(lane, first, count);
            ui::WorkShares slow;
            for (std::size_t i = first; i < first + count; ++i) {
                const PassKind kind = lane.pass[i].kind;
                const base::Nanos duration = lane.end[i] - lane.begin[i];
                const base::Nanos hidden = lane.vocabulary.empty() || schedule::isVocabularyPass(kind)
                                               ? 0
                                               : std::clamp<base::Nanos>(lane.vocabulary[i], 0, duration);
                slow.kinds[static_cast<std::size_t>(kind)] += duration - hidden;
                slow.hiddenVocabulary += hidden;
            }
            QCOMPARE(work.kinds, slow.kinds);
            QCOMPARE(work.hiddenVocabulary, slow.hiddenVocabulary);
        }
        QCOMPARE(sums.total().kinds, sums.work(lane, 0, lane.size()).kinds);
    }

    /// Durations of more than 32 bits, 4.3 s.
    void longSlicesAreAddedToo()
    {
        timeline::Lane lane;
        for (int i = 0; i < 300; ++i)
            lane.push(makePass(i % 2 == 0 ? PassKind::F : PassKind::B, 0, i / 2), i * base::Nanos{6'000'000'000},
                      i * base::Nanos{6'000'000'000} + 5'000'000'000 + i);
        const ui::WorkShares work = ui::LaneSums(lane).work(lane, 10, 200);
        QCOMPARE(work.kinds[static_cast<std::size_t>(PassKind::F)], base::Nanos{100 * 5'000'000'000 + 100 * 109});
        QCOMPARE(work.kinds[static_cast<std::size_t>(PassKind::B)], base::Nanos{100 * 5'000'000'000 + 100 * 110});
    }

    void densityCutsAtTheColumns()
    {
        base::Random random(11);
        const timeline::Lane lane = randomLane(random, 300, 400);
        const ui::LaneSums sums(lane);
        const LaneWindow window{lane.end.back() / 5, lane.end.back() / 2, 240, 2, 1};
        for (const ui::DensityColumn &column : ui::densityColumns(lane, sums, window, 6)) {
            const base::Nanos from = ui::timeAt(window, column.x);
            const ui::WorkShares slow = slowWork(lane, from, from + column.span);
            for (std::size_t kind = 0; kind < slow.kinds.size(); ++kind)
                QVERIFY(std::abs(slow.kinds[kind] - column.work.kinds[kind]) <= 8); // rounding of parts
            QVERIFY(std::abs(slow.hiddenVocabulary - column.work.hiddenVocabulary) <= 8);
        }
    }

    void aPeriodicLaneHasTheSameWorkInEachColumn()
    {
        // 1F1B with a wait in each round: warm-up, 200 rounds of 9.4 pixels, cool-down.
        timeline::Lane lane;
        base::Nanos time = 0;
        const auto run = [&](PassKind kind, base::Nanos duration) {
            lane.push(makePass(kind, 0, 0), time, time + duration);
            time += duration;
        };
        for (int i = 0; i < 8; ++i)
            run(PassKind::F, 310);
        const base::Nanos steady = time;
        for (int i = 0; i < 200; ++i) {
            run(PassKind::F, 310);
            time += 30;
            run(PassKind::B, 600);
        }
        const base::Nanos cooling = time;
        for (int i = 0; i < 8; ++i)
            run(PassKind::B, 600);
        time += 100'000; // a long wait is no part of a repetition
        run(PassKind::B, 600);
        const ui::LaneSums sums(lane);
        for (const int nanosOfPixel : {100, 131, 417, 2900}) {
            const LaneWindow window{0, time, static_cast<int>(time / nanosOfPixel), 2, 1};
            int inside = 0;
            for (const ui::DensityColumn &column : ui::densityColumns(lane, sums, window, 2, 12 * nanosOfPixel)) {
                const base::Nanos from = ui::timeAt(window, column.x);
                const base::Nanos to = ui::timeAt(window, column.x + column.width);
                const auto share = [&](PassKind kind) {
                    return static_cast<double>(column.work.kinds[static_cast<std::size_t>(kind)]) /
                           static_cast<double>(column.span);
                };
                QVERIFY(share(PassKind::F) + share(PassKind::B) <= 1 + 1e-9);
                if (from < steady - 400 - 2 * nanosOfPixel)
                    QCOMPARE(share(PassKind::F), 1.0); // the warm-up keeps its end
                if (from < steady || to > cooling - 2 * 940)
                    continue;
                ++inside;
                QVERIFY2(std::abs(share(PassKind::F) - 310.0 / 940) < 1e-9 && std::abs(share(PassKind::B) - 600.0 / 940) < 1e-9,
                         qPrintable(QStringLiteral("%1 at %2").arg(share(PassKind::F)).arg(column.x)));
            }
            QVERIFY(inside > 20);
        }
    }

    void narrowPassesAreToldFromWideOnesAndFromGaps()
    {
        const auto lane = [](int width, int gap, int count) {
            std::vector<SliceBox> boxes(static_cast<std::size_t>(count));
            for (int i = 0; i < count; ++i) {
                boxes[static_cast<std::size_t>(i)].x = i * (width + gap);
                boxes[static_cast<std::size_t>(i)].width = width;
            }
            return boxes;
        };
        const auto isNarrow = [](const std::vector<SliceBox> &boxes) { return ui::areNarrow({&boxes}, 6); };
        QVERIFY(isNarrow(lane(4, 0, 100)));
        QVERIFY(isNarrow(lane(4, 2, 100)));
        QVERIFY(!isNarrow(lane(7, 0, 100)));
        QVERIFY(!isNarrow(lane(3, 10, 100))); // gaps tell the passes apart
        QVERIFY(!isNarrow(lane(4, 0, 5)));    // too few for a rhythm
        QVERIFY(!ui::areNarrow({}, 6));
        std::vector<SliceBox> folds = lane(2, 0, 100);
        for (SliceBox &box : folds)
            box.count = 50;
        QVERIFY(!isNarrow(folds)); // what a fold cuts off at its ends does not show
    }

    void timesAreWrittenForPeople()
    {
        using ui::durationText;
        QCOMPARE(durationText(0), QStringLiteral("0 ns"));
        QCOMPARE(durationText(412 * base::kNanosPerMilli), QStringLiteral("412 ms"));
        QCOMPARE(durationText(350'000), QStringLiteral("350 µs"));
        QCOMPARE(durationText(12'340'000'000), QStringLiteral("12.3 s"));
        QCOMPARE(durationText(1'500'000), QStringLiteral("1.5 ms"));
        QCOMPARE(durationText(1'500'000, true), QStringLiteral("1.5"));
        QCOMPARE(durationText(800), QStringLiteral("800 ns"));
        const auto seconds = [](base::Nanos count) { return durationText(count * base::kNanosPerSecond); };
        QCOMPARE(seconds(999), QStringLiteral("999 s"));
        QCOMPARE(seconds(1000), QStringLiteral("16.7 min"));
        QCOMPARE(seconds(7199), QStringLiteral("120 min"));
        QCOMPARE(seconds(7200), QStringLiteral("2 h"));
        QCOMPARE(seconds(100'000), QStringLiteral("27.8 h"));
        QCOMPARE(seconds(280'329), QStringLiteral("3.24 d"));
        QCOMPARE(durationText(280'329'000'000'000, true), QStringLiteral("280329000"));
        QCOMPARE(ui::percentText(-0.468), QStringLiteral("−47 %"));
        QCOMPARE(ui::percentText(0.0312), QStringLiteral("+3.1 %"));
        QCOMPARE(ui::percentText(0.0001), QStringLiteral("0.0 %"));
    }

    /// An axis of days has marks at whole hours or days, and one that is far from its begin at parts of them.
    void longAxesCountHours()
    {
        const auto texts = [](base::Nanos begin, base::Nanos end) {
            const ui::TimeScale scale =
                ui::timeScale(begin * base::kNanosPerSecond, end * base::kNanosPerSecond, 900, 90, false);
            QStringList all;
            for (const base::Nanos time : ui::marks(scale, begin * base::kNanosPerSecond, end * base::kNanosPerSecond))
                all << ui::markText(scale, time);
            return all.join(u' ');
        };
        QCOMPARE(texts(0, 280'329), QStringLiteral("0 10 h 20 h 30 h 40 h 50 h 60 h 70 h"));
        QCOMPARE(texts(0, 1800), QStringLiteral("0 200 s 400 s 600 s 800 s 1000 s 1200 s 1400 s 1600 s 1800 s"));
        QCOMPARE(texts(7200, 7800),
                 QStringLiteral("120 min 121 min 122 min 123 min 124 min 125 min 126 min 127 min 128 min 129 min 130 min"));
    }

    void marksAreNiceAndFarEnoughApart()
    {
        for (base::Nanos span = 100; span < base::kLongestPass; span = span * 7 / 3) {
            for (const bool units : {false, true}) {
                const ui::TimeScale scale = ui::timeScale(0, span, 900, 90, units);
                base::Nanos lead = scale.step;
                while (lead % scale.unit != 0)
                    lead *= 10;
                lead /= scale.unit;
                while (lead % 10 == 0)
                    lead /= 10;
                QVERIFY(lead == 1 || lead == 2 || lead == 5);
                QVERIFY(static_cast<double>(scale.step) * 900 / static_cast<double>(span) >= 89.9);
                const auto times = ui::marks(scale, 0, span);
                QVERIFY(times.size() <= 11);
                QStringList texts;
                for (const base::Nanos time : times)
                    texts << ui::markText(scale, time);
                QCOMPARE(texts.removeDuplicates(), 0);
            }
        }
        const ui::TimeScale scale = ui::timeScale(0, 160 * base::kNanosPerMilli, 900, 90, false);
        QCOMPARE(ui::markText(scale, 20 * base::kNanosPerMilli), QStringLiteral("20 ms"));
        QCOMPARE(ui::markText(scale, 0), QStringLiteral("0"));
    }

    void textsOfMarksStandApartInAnyType()
    {
        constexpr int kPixels = 1800;
        for (const int size : {12, 13, 18, 24, 32}) {
            QFont font;
            font.setPixelSize(size);
            const QFontMetrics metrics(font);
            for (base::Nanos span = 100; span < base::kLongestPass; span = span * 7 / 3) {
                for (const base::Nanos begin : {base::Nanos{0}, span * 37}) {
                    const ui::TimeScale scale = ui::timeScale(begin, begin + span, kPixels, font, false);
                    const double apart = static_cast<double>(scale.step) * kPixels / static_cast<double>(span);
                    for (const base::Nanos time : ui::marks(scale, begin, begin + span)) {
                        const QString text = ui::markText(scale, time);
                        QVERIFY2(metrics.horizontalAdvance(text) + 4 <= apart,
                                 qPrintable(QStringLiteral("%1 px: %2, %3 px apart").arg(size).arg(text).arg(apart)));
                    }
                }
            }
        }
    }
};

STAGELENS_TEST(TimelineGeometry)

} // namespace ui_timeline_geometry

#include "timeline_geometry.moc"
