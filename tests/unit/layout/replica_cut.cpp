// How replicas divide parameters: the example of one GPT layer with hidden 16 and f 64, in blocks of 256.
#include "engine/layout/replica_cut.h"
#include "engine/base/random.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <array>
#include <numeric>

namespace unit_layout_replica_cut {

using namespace stagelens::layout;

namespace {

/// ln1.w, ln1.b, qkv.w, qkv.b, o.w, o.b, ln2.w, ln2.b, up.w, up.b, down.w, down.b.
constexpr std::array<std::int64_t, 12> kLayer{16, 16, 768, 48, 256, 16, 16, 16, 1024, 64, 1024, 16};
constexpr std::int64_t kBlock = 256;
constexpr std::size_t kOutputWeight = 4;
constexpr std::size_t kUpWeight = 8;
constexpr std::size_t kUpBias = 9;
constexpr std::size_t kDownWeight = 10;

} // namespace

class LayoutReplicaCut : public QObject {
    Q_OBJECT

private slots:
    void aLayerInBlocks()
    {
        const ReplicaCut two(kLayer, 2, kBlock);
        constexpr std::array<std::int64_t, 12> kStarts{0, 16, 32, 800, 848, 1104, 1120, 1136, 1152, 2176, 2240, 3264};
        for (std::size_t i = 0; i < kLayer.size(); ++i)
            QCOMPARE(two.place(i).begin, kStarts[i]);
        QCOMPARE(two.extent(), 3328);
        QCOMPARE(two.share(0), (Interval{0, 1792}));
        QCOMPARE(two.share(1), (Interval{1792, 3328}));
        QCOMPARE(two.share(0, kUpWeight), (Interval{0, 640}));
        QCOMPARE(two.share(1, kUpWeight), (Interval{640, 1024}));
        QCOMPARE(two.share(0, kUpBias).size(), 0);

        const ReplicaCut four(kLayer, 4, kBlock);
        constexpr std::array<std::int64_t, 5> kCuts{0, 1024, 2048, 3072, 3328};
        for (int replica = 0; replica < 4; ++replica)
            QCOMPARE(four.share(replica), (Interval{kCuts[std::size_t(replica)], kCuts[std::size_t(replica) + 1]}));
        QCOMPARE(four.share(0, kOutputWeight), (Interval{0, 176}));
        QCOMPARE(four.share(1, kUpWeight), (Interval{0, 896}));
        QCOMPARE(four.share(2, kDownWeight), (Interval{0, 832}));
        QCOMPARE(four.share(3, kDownWeight), (Interval{832, 1024}));
        QCOMPARE(four.fullest(), 0);
    }

    /// Of weights, gradients and two moments of Adam, 4 bytes each, ZeRO-1 shares the moments, ZeRO-2 also gradients, ZeRO-3
    /// all.
    void zeroSharesTheBytesOfALayer()
    {
        const auto bytesOf = [](int replicas, int zero) {
            const ReplicaCut cut(kLayer, replicas, kBlock);
            std::int64_t all = 0;
            for (int replica = 0; replica < replicas; ++replica)
                all += 4 * (4 - zero - (zero > 0 ? 1 : 0)) * cut.extent() +
                       4 * (zero + (zero > 0 ? 1 : 0)) * cut.share(replica).size();
            return all / replicas; // the mean
        };
        QCOMPARE(bytesOf(2, 0), 53248);
        QCOMPARE(bytesOf(2, 1), 39936);
        QCOMPARE(bytesOf(4, 1), 33280);
        QCOMPARE(bytesOf(2, 2), 33280);
        QCOMPARE(bytesOf(4, 2), 23296);
        QCOMPARE(bytesOf(2, 3), 26624);
        QCOMPARE(bytesOf(4, 3), 13312);
    }

    /// Boundaries move to the nearer end of a row or a matrix.
    void piecesStayWhole()
    {
        std::array<std::int64_t, 12> rows{};
        rows.fill(1);
        rows[kUpWeight] = 64; // the boundary at 640 lies between two rows
        QCOMPARE(ReplicaCut(kLayer, 2, kBlock, rows).share(0, kUpWeight), (Interval{0, 640}));
        rows[kUpWeight] = 96; // 640 = 6 x 96 + 64, nearer to the seventh row's end
        QCOMPARE(ReplicaCut(kLayer, 2, kBlock, rows).share(0, kUpWeight), (Interval{0, 672}));
        const ReplicaCut four(kLayer, 4, kBlock, kLayer); // whole parameters
        QCOMPARE(four.share(0), (Interval{0, 1104}));     // 1024 lies in o.w, from 848 to 1104
        QCOMPARE(four.share(1), (Interval{1104, 2176}));
        QCOMPARE(four.share(2), (Interval{2176, 3264}));
        QCOMPARE(four.share(3), (Interval{3264, 3328}));
        QCOMPARE(four.largestShare(), 1104);
    }

    void randomPiecesStayWhole()
    {
        constexpr std::uint64_t kSeed = 11;
        qInfo("seed %llu", static_cast<unsigned long long>(kSeed));
        stagelens::base::Random random(kSeed);
        for (int turn = 0; turn < 200; ++turn) {
            std::vector<std::int64_t> counts(1 + random.next() % 9);
            std::vector<std::int64_t> pieces;
            for (std::int64_t &count : counts) {
                const auto piece = static_cast<std::int64_t>(1 + random.next() % 300);
                count = piece * static_cast<std::int64_t>(random.next() % 60);
                pieces.push_back(random.next() % 3 == 0 ? std::max<std::int64_t>(count, 1) : piece);
            }
            const int replicas = 1 + static_cast<int>(random.next() % 12);
            const ReplicaCut cut(counts, replicas, ReplicaCut::kBlock, pieces);
            for (std::size_t i = 0; i < counts.size(); ++i) {
                std::int64_t next = 0;
                for (int replica = 0; replica < replicas; ++replica) {
                    QVERIFY(cut.share(replica).size() <= cut.largestShare());
                    const Interval share = cut.share(replica, i);
                    if (share.size() == 0)
                        continue;
                    QCOMPARE(share.begin, next);
                    QCOMPARE(share.begin % pieces[i], 0);
                    QCOMPARE(share.size() % pieces[i], 0);
                    next = share.end;
                }
                QCOMPARE(next, counts[i]);
            }
        }
    }

    /// Every element belongs to exactly one replica, for random parameters and more replicas than blocks.
    void sharesPartitionEveryParameter()
    {
        constexpr std::uint64_t kSeed = 7;
        qInfo("seed %llu", static_cast<unsigned long long>(kSeed));
        stagelens::base::Random random(kSeed);
        for (int turn = 0; turn < 200; ++turn) {
            std::vector<std::int64_t> counts(1 + random.next() % 9);
            for (std::int64_t &count : counts)
                count = static_cast<std::int64_t>(random.next() % 20'000);
            const int replicas = 1 + static_cast<int>(random.next() % 12);
            const ReplicaCut cut(counts, replicas);
            std::int64_t all = 0;
            for (int replica = 0; replica < replicas; ++replica) {
                all += cut.owned(replica);
                QVERIFY(cut.owned(replica) <= cut.owned(cut.fullest()));
                QCOMPARE(cut.share(replica).begin % ReplicaCut::kBlock, 0);
            }
            QCOMPARE(all, std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
            for (std::size_t i = 0; i < counts.size(); ++i) {
                std::int64_t next = 0;
                for (int replica = 0; replica < replicas; ++replica) {
                    const Interval share = cut.share(replica, i);
                    if (share.size() == 0)
                        continue;
                    QCOMPARE(share.begin, next);
                    QCOMPARE(share.begin % ReplicaCut::kAlignment, 0);
                    next = share.end;
                }
                QCOMPARE(next, counts[i]);
            }
        }
    }
};

STAGELENS_TEST(LayoutReplicaCut)

} // namespace unit_layout_replica_cut

#include "layout/replica_cut.moc"
