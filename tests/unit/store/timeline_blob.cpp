// Timelines as bytes: there and back, and what damaged ones get.
#include "engine/store/timeline_blob.h"
#include "engine/base/random.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <cstring>
#include <limits>

namespace unit_store_timeline_blob {

using namespace stagelens;
using store::decodeTimeline;
using store::encodeTimeline;

namespace {

timeline::Timeline sample(std::uint64_t seed, int devices)
{
    base::Random random(seed);
    timeline::Timeline timeline;
    timeline.provenance = timeline::Provenance::MeasuredVirtualClock;
    for (int device = 0; device < devices; ++device) {
        timeline::Lane lane;
        base::Nanos now = random.nextInteger(0, 1000);
        const std::int64_t passes = random.nextInteger(0, 40);
        for (std::int64_t i = 0; i < passes; ++i) {
            const base::Nanos end = now + random.nextInteger(0, 5000);
            auto pass =
                schedule::makePass(static_cast<schedule::PassKind>(random.nextInteger(0, 8)), device, static_cast<int>(i));
            pass.pairedWithNext = random.nextInteger(0, 3) == 0;
            lane.begin.push_back(now);
            lane.end.push_back(end);
            lane.pass.push_back(pass);
            if (device % 2 == 0)
                lane.vocabulary.push_back((end - now) / 2);
            now = end + random.nextInteger(0, 100);
        }
        lane.tailBegin = now;
        lane.tailEnd = now + 7;
        timeline.lanes.push_back(std::move(lane));
        timeline.stages.push_back({device, 2 * devices - 1 - device});
        timeline.transfers.push_back({now, now + 5, 3, static_cast<std::int16_t>(device), -1, schedule::Transfer::Statistics});
    }
    return timeline;
}

} // namespace

class StoreTimelineBlob : public QObject {
    Q_OBJECT
private slots:
    void comesBack()
    {
        for (int devices = 0; devices < 9; ++devices) {
            const timeline::Timeline timeline = sample(static_cast<std::uint64_t>(devices), devices);
            const auto decoded = decodeTimeline(encodeTimeline(timeline));
            QVERIFY2(decoded.ok(), decoded.ok() ? "" : decoded.error().text().c_str());
            QVERIFY(**decoded == timeline);
        }
    }

    void anchoredWorkComesBackInVersionTwo()
    {
        timeline::Timeline timeline = sample(3, 4);
        const auto versionOf = [](const std::string &bytes) { return static_cast<int>(bytes[sizeof(std::uint64_t)]); };
        QCOMPARE(versionOf(encodeTimeline(timeline)), 1); // as before there were replicas
        timeline.period = 123'456;
        timeline.lanes[2].anchored = {{10, 25, 4096, timeline::AnchoredKind::ReduceGradients},
                                      {30, 31, 2048, timeline::AnchoredKind::GatherParameters}};
        const std::string bytes = encodeTimeline(timeline);
        QCOMPARE(versionOf(bytes), 2);
        const auto decoded = decodeTimeline(bytes);
        QVERIFY2(decoded.ok(), decoded.ok() ? "" : decoded.error().text().c_str());
        QVERIFY(**decoded == timeline);
        std::string wrongKind = bytes;
        wrongKind.back() = 0; // no lane after the third has anchored work: its count
        QVERIFY(decodeTimeline(store::withChecksum(wrongKind, 2)).ok());
        wrongKind.pop_back();
        QVERIFY(!decodeTimeline(store::withChecksum(wrongKind, 2)).ok());
    }

    void copiesToTheHostComeBackInVersionThree()
    {
        timeline::Timeline timeline = sample(3, 4);
        timeline.lanes[1].anchored = {{10, 25, 4096, timeline::AnchoredKind::Offload, 1, 2},
                                      {30, 31, 4096, timeline::AnchoredKind::Reload, 1, 2},
                                      {40, 50, 64, timeline::AnchoredKind::ReduceGradients}};
        const std::string bytes = encodeTimeline(timeline);
        QCOMPARE(static_cast<int>(bytes[sizeof(std::uint64_t)]), 3);
        const auto decoded = decodeTimeline(bytes);
        QVERIFY2(decoded.ok(), decoded.ok() ? "" : decoded.error().text().c_str());
        QVERIFY(**decoded == timeline);
    }

    void slicesComeBackInVersionFour()
    {
        timeline::Timeline timeline = sample(3, 4);
        timeline.slices = 4;
        const std::string bytes = encodeTimeline(timeline);
        QCOMPARE(static_cast<int>(bytes[sizeof(std::uint64_t)]), 4);
        const auto decoded = decodeTimeline(bytes);
        QVERIFY2(decoded.ok(), decoded.ok() ? "" : decoded.error().text().c_str());
        QVERIFY(**decoded == timeline);
        std::string none = bytes;
        std::fill_n(none.end() - sizeof(std::int32_t), sizeof(std::int32_t), '\0');
        QVERIFY(!decodeTimeline(store::withChecksum(none, 4)).ok());
    }

    void averagesOfWeightsComeBackInVersionFive()
    {
        timeline::Timeline timeline = sample(3, 4);
        timeline.period = 90;
        timeline.lanes[1].anchored = {{10, 25, 4096, timeline::AnchoredKind::AverageParameters}};
        for (const int slices : {1, 4}) {
            timeline.slices = slices;
            const std::string bytes = encodeTimeline(timeline);
            QCOMPARE(static_cast<int>(bytes[sizeof(std::uint64_t)]), 5); // older versions say that it is newer
            const auto decoded = decodeTimeline(bytes);
            QVERIFY2(decoded.ok(), decoded.ok() ? "" : decoded.error().text().c_str());
            QVERIFY(**decoded == timeline);
        }
    }

    void processorTimesComeBackInVersionSix()
    {
        timeline::Timeline timeline = sample(3, 4);
        timeline::Lane &lane = timeline.lanes[1]; // the others were not measured
        for (std::size_t i = 0; i < lane.size(); ++i)
            lane.processor.push_back((lane.end[i] - lane.begin[i]) / 2);
        const std::string bytes = encodeTimeline(timeline);
        QCOMPARE(static_cast<int>(bytes[sizeof(std::uint64_t)]), 6);
        const auto decoded = decodeTimeline(bytes);
        QVERIFY2(decoded.ok(), decoded.ok() ? "" : decoded.error().text().c_str());
        QVERIFY(**decoded == timeline);
        lane.processor[0] = lane.end[0] - lane.begin[0] + 1; // more than the slice
        QVERIFY(!decodeTimeline(encodeTimeline(timeline)).ok());
    }

    void iterationsAndWeightVersionsComeBackInVersionSeven()
    {
        timeline::Timeline timeline = sample(3, 4);
        timeline.weightVersions = {{0, 0, 1}, {}, {0, 1, 2}};
        for (const int iterations : {1, 20}) {
            timeline.iterations = iterations;
            timeline.stepMicrobatches = iterations > 1 ? 2 : 0;
            timeline.period = iterations > 1 ? 500 : 0;
            const std::string bytes = encodeTimeline(timeline);
            QCOMPARE(static_cast<int>(bytes[sizeof(std::uint64_t)]), 7);
            const auto decoded = decodeTimeline(bytes);
            QVERIFY2(decoded.ok(), decoded.ok() ? "" : decoded.error().text().c_str());
            QVERIFY(**decoded == timeline);
        }
        timeline.iterations = 2; // there are passes of later steps
        QVERIFY(!decodeTimeline(encodeTimeline(timeline)).ok());
        timeline.iterations = 20;
        timeline.weightVersions.back().back() = -1;
        QVERIFY(!decodeTimeline(encodeTimeline(timeline)).ok());
    }

    void everyChangedByteIsNoticed()
    {
        const std::string sound = encodeTimeline(sample(1, 2));
        for (std::size_t i = 0; i < sound.size(); ++i) {
            std::string bad = sound;
            bad[i] = static_cast<char>(bad[i] ^ 0x10);
            const bool reserved = i >= 12 && i < 16;
            QVERIFY2(!decodeTimeline(bad).ok() || reserved, qPrintable(QString("byte %1").arg(i)));
        }
        for (std::size_t size = 0; size < sound.size(); ++size)
            QVERIFY(!decodeTimeline(std::string_view(sound).substr(0, size)).ok());
        QVERIFY(!decodeTimeline(sound + "x").ok());
    }

    void newerIsSaidToBeNewer()
    {
        std::string bytes = encodeTimeline(sample(1, 2));
        bytes[8] = 8;
        const auto decoded = decodeTimeline(bytes);
        QVERIFY(!decoded.ok());
        QVERIFY(decoded.error().text().find("newer") != std::string::npos);
    }

    /// Readers add times up and index by stage and microbatch.
    void valuesOutOfBoundsAreRefused()
    {
        const timeline::Timeline sound = sample(4, 3);
        QVERIFY(decodeTimeline(encodeTimeline(sound)).ok());
        const auto refuses = [&](auto change) {
            timeline::Timeline bad = sound;
            change(bad);
            return !decodeTimeline(encodeTimeline(bad)).ok();
        };
        constexpr base::Nanos kFar = std::numeric_limits<base::Nanos>::max();
        QVERIFY(!sound.lanes[0].begin.empty() && !sound.lanes[0].vocabulary.empty());
        QVERIFY(refuses([](timeline::Timeline &bad) { bad.lanes[0].begin.front() = -1; }));
        QVERIFY(refuses([](timeline::Timeline &bad) { bad.lanes[0].begin.front() = -kFar; }));
        QVERIFY(refuses([](timeline::Timeline &bad) { bad.lanes[0].end.back() = kFar; }));
        QVERIFY(refuses([](timeline::Timeline &bad) { bad.lanes[0].vocabulary.front() = -1; }));
        QVERIFY(refuses([](timeline::Timeline &bad) { bad.lanes[0].tailEnd = kFar; }));
        QVERIFY(refuses([](timeline::Timeline &bad) { std::ranges::fill(bad.lanes[0].end, base::Nanos{1} << 52); }));
        QVERIFY(refuses([](timeline::Timeline &bad) { bad.lanes[0].pass.front().microbatch = -1; }));
        QVERIFY(refuses([](timeline::Timeline &bad) { bad.lanes[0].pass.front().microbatch = 1 << 30; }));
        QVERIFY(refuses([](timeline::Timeline &bad) { bad.transfers.front().begin = -1; }));
        QVERIFY(refuses([](timeline::Timeline &bad) { bad.transfers.front().microbatch = 1 << 30; }));
        QVERIFY(refuses([](timeline::Timeline &bad) { bad.stages[0][0] = -1; }));
        QVERIFY(refuses([](timeline::Timeline &bad) { bad.stages[0][0] = 1 << 30; }));
        QVERIFY(refuses([](timeline::Timeline &bad) { bad.stages.emplace_back(); }));
        QVERIFY(refuses([](timeline::Timeline &bad) { bad.lanes.resize(2000); }));
    }

    /// The checksum is right and the content hostile: counts and enumerations must be bounded of themselves.
    void hostileContentIsSafe()
    {
        const std::string sound = encodeTimeline(sample(4, 3));
        const std::uint64_t seed = 20240601;
        qInfo("seed %llu", static_cast<unsigned long long>(seed));
        base::Random random(seed);
        for (int round = 0; round < 3000; ++round) {
            std::string bad = sound;
            for (std::int64_t changes = random.nextInteger(1, 6); changes > 0; --changes) {
                const auto place = static_cast<std::size_t>(random.nextInteger(32, std::ssize(bad) - 1));
                bad[place] = static_cast<char>(random.nextInteger(-128, 127));
            }
            if (const auto decoded = decodeTimeline(store::withChecksum(bad)); decoded.ok())
                for (const timeline::Lane &lane : (*decoded)->lanes)
                    QVERIFY(lane.end.size() == lane.size() && lane.pass.size() == lane.size() &&
                            (lane.vocabulary.empty() || lane.vocabulary.size() == lane.size()));
        }
    }
};

STAGELENS_TEST(StoreTimelineBlob)

} // namespace unit_store_timeline_blob

#include "store/timeline_blob.moc"
