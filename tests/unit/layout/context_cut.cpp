// How context ranks divide a sequence: each token on one rank, and equally many visible pairs on all.
#include "engine/layout/context_cut.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace unit_layout_context_cut {

using namespace stagelens::layout;

class LayoutContextCut : public QObject {
    Q_OBJECT

private slots:
    void ranksHaveAllTokensOnceAndEqualPairs()
    {
        for (const int ranks : {1, 2, 3, 4, 8})
            for (const int chunk : {1, 3, 16}) {
                const std::int64_t sequence = std::int64_t{2} * ranks * chunk;
                std::vector<int> owners(static_cast<std::size_t>(sequence), -1);
                for (int rank = 0; rank < ranks; ++rank) {
                    const ContextCut cut(sequence, ranks, rank);
                    std::int64_t pairs = 0; // a query at position i sees i + 1 keys
                    std::int64_t next = 0;
                    std::int64_t last = -1;
                    cut.eachRun({0, cut.rows()}, [&](std::int64_t row, std::int64_t position, std::int64_t rows) {
                        QCOMPARE(row, next);
                        QVERIFY(position > last);
                        for (std::int64_t i = position; i < position + rows; ++i) {
                            QCOMPARE(std::exchange(owners[static_cast<std::size_t>(i)], rank), -1);
                            pairs += i + 1;
                        }
                        next = row + rows;
                        last = position + rows - 1;
                    });
                    QCOMPARE(next, cut.rows());
                    QCOMPARE(pairs * ranks, sequence * (sequence + 1) / 2);
                }
                QVERIFY(std::ranges::find(owners, -1) == owners.end());
            }
    }

    void chunksOfFourRanks()
    {
        const ContextCut cut(32, 4, 1);
        QCOMPARE(cut.chunks()[0], (Interval{4, 8}));
        QCOMPARE(cut.chunks()[1], (Interval{24, 28}));
    }

    /// Runs of a part of a microbatch, as tensor ranks have it: rows from the middle of one sequence to that of the next.
    void runsOfAPart()
    {
        const ContextCut cut(16, 2, 1); // positions 4 to 7 and 8 to 11
        std::vector<std::array<std::int64_t, 3>> runs;
        cut.eachRun({2, 11}, [&](std::int64_t row, std::int64_t position, std::int64_t rows) {
            runs.push_back({row, position, rows});
        });
        const std::vector<std::array<std::int64_t, 3>> expected{{2, 6, 2}, {4, 8, 4}, {8, 4, 3}};
        QCOMPARE(runs, expected);
    }
};

STAGELENS_TEST(LayoutContextCut)

} // namespace unit_layout_context_cut

#include "layout/context_cut.moc"
