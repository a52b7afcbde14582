// Causal attention in tiles against plain loops in double.
#include "kernels/include/attention.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/kernel_numbers.h"
#include "tests/support/test_program.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

namespace unit_kernels_attention {

using namespace stagelens::kernels;
using namespace stagelens::test;

namespace {

std::vector<double> attentionOf(const std::vector<double> &qkv, const AttentionShape &shape)
{
    enum Part { Query, Key, Value };
    const auto at = [&](std::int64_t token, Part part, std::int64_t head, std::int64_t d) {
        const std::int64_t group = shape.heads / shape.kvHeads;
        const std::int64_t column = part == Query ? head : shape.heads + (part - Key) * shape.kvHeads + head / group;
        return qkv[static_cast<std::size_t>(token * shape.qkvWidth() + column * shape.size + d)];
    };
    std::vector<double> out(static_cast<std::size_t>(shape.batch * shape.sequence * shape.width()));
    for (std::int64_t b = 0; b < shape.batch; ++b)
        for (std::int64_t head = 0; head < shape.heads; ++head)
            for (std::int64_t i = 0; i < shape.sequence; ++i) {
                const std::int64_t first = b * shape.sequence;
                std::vector<double> weights;
                double sum = 0;
                for (std::int64_t j = 0; j <= i; ++j) {
                    double score = 0;
                    for (std::int64_t d = 0; d < shape.size; ++d)
                        score += at(first + i, Query, head, d) * at(first + j, Key, head, d);
                    weights.push_back(std::exp(score / std::sqrt(static_cast<double>(shape.size))));
                    sum += weights.back();
                }
                for (std::int64_t j = 0; j <= i; ++j)
                    for (std::int64_t d = 0; d < shape.size; ++d)
                        out[static_cast<std::size_t>((first + i) * shape.width() + head * shape.size + d)] +=
                            weights[static_cast<std::size_t>(j)] / sum * at(first + j, Value, head, d);
            }
    return out;
}

} // namespace

class KernelsAttention : public QObject {
    Q_OBJECT

private slots:
    void initTestCase_data() { addInstructionSets(); }
    void init() { useInstructionSetOfRow(); }

    void attention_data()
    {
        QTest::addColumn<int>("sequence");
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("kvHeads");
        for (const int sequence : {1, 7, 64, 65, 200}) // below, at and above a tile of queries, of keys
            for (const auto &[heads, kvHeads] : {std::pair(2, 2), {4, 2}, {3, 1}})
                QTest::addRow("%d, %d on %d", sequence, heads, kvHeads) << sequence << heads << kvHeads;
    }
    void attention()
    {
        QFETCH(int, sequence);
        QFETCH(int, heads);
        QFETCH(int, kvHeads);
        const AttentionShape shape{2, sequence, heads, kvHeads, 5};
        const std::size_t tokens = 2 * static_cast<std::size_t>(sequence);
        const auto width = static_cast<std::size_t>(shape.width());
        const auto qkv = randomValues(tokens * static_cast<std::size_t>(shape.qkvWidth()), 11);
        const auto dOut = randomValues(tokens * width, 12);
        std::vector<float> out(tokens * width), logSumExp(tokens * static_cast<std::size_t>(heads)), dQkv(qkv.size(), 7.0F);
        std::vector<float> scratch(static_cast<std::size_t>(attentionScratch(shape)));
        attentionForward(out.data(), logSumExp.data(), qkv.data(), shape, scratch.data());
        QVERIFY(error(out, attentionOf(doubles(qkv), shape)) < 1e-6);
        attentionBackward(dQkv.data(), dOut.data(), qkv.data(), out.data(), logSumExp.data(), shape, scratch.data());
        // A directional derivative stands for the whole gradient where the sequence is long.
        const auto direction = randomValues(qkv.size(), 13);
        std::vector<double> above = doubles(qkv), below = above;
        double along = 0;
        for (std::size_t i = 0; i < qkv.size(); ++i) {
            above[i] += 1e-6 * static_cast<double>(direction[i]);
            below[i] -= 1e-6 * static_cast<double>(direction[i]);
            along += static_cast<double>(dQkv[i]) * static_cast<double>(direction[i]);
        }
        const auto up = attentionOf(above, shape);
        const auto down = attentionOf(below, shape);
        double expected = 0;
        double size = 0;
        for (std::size_t i = 0; i < up.size(); ++i) {
            const double change = static_cast<double>(dOut[i]) * (up[i] - down[i]) / 2e-6;
            expected += change;
            size += change * change;
        }
        QVERIFY(std::abs(along - expected) < 1e-5 * std::sqrt(size) + 1e-7);
        if (sequence <= 7)
            QVERIFY(error(dQkv, numericGradient([&](const std::vector<double> &at) { return attentionOf(at, shape); },
                                                doubles(qkv), dOut)) < 1e-6);
    }

    /// Ranks with two chunks each and the keys of all have the rows of the whole, and their gradients add up to it.
    void chunksOfASequence()
    {
        for (const auto &[chunk, ranks] : {std::pair(1, 2), {7, 2}, {70, 2}, {33, 4}}) {
            const std::int64_t sequence = std::int64_t{2} * ranks * chunk;
            const AttentionShape whole{2, sequence, 4, 2, 5};
            const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
            const auto qkv = randomValues(size(2 * sequence * whole.qkvWidth()), 21);
            const auto dOut = randomValues(size(2 * sequence * whole.width()), 22);
            std::vector<float> scratch(size(attentionScratch(whole)));
            std::vector<float> out(dOut.size()), logSumExp(size(2 * 4 * sequence)), dQkv(qkv.size());
            attentionForward(out.data(), logSumExp.data(), qkv.data(), whole, scratch.data());
            attentionBackward(dQkv.data(), dOut.data(), qkv.data(), out.data(), logSumExp.data(), whole, scratch.data());

            std::vector<float> keys;
            for (std::int64_t token = 0; token < 2 * sequence; ++token) {
                const auto row = qkv.begin() + token * whole.qkvWidth();
                keys.insert(keys.end(), row + whole.width(), row + whole.qkvWidth());
            }
            std::vector<float> sum(dQkv.size());
            for (int rank = 0; rank < ranks; ++rank) {
                AttentionShape part{2, 2 * chunk, 4, 2, 5};
                part.keys = sequence;
                part.firstChunk = rank * chunk;
                part.secondChunk = (2 * ranks - 1 - rank) * chunk;
                const auto tokenOf = [&](std::int64_t row) {
                    const std::int64_t inSequence = row % (2 * chunk);
                    return row / (2 * chunk) * sequence +
                           (inSequence < chunk ? part.firstChunk + inSequence : part.secondChunk + inSequence - chunk);
                };
                const std::int64_t rows = std::int64_t{4} * chunk;
                const auto take = [&](const std::vector<float> &from, std::int64_t width) {
                    std::vector<float> taken;
                    for (std::int64_t row = 0; row < rows; ++row) {
                        const auto first = from.begin() + tokenOf(row) * width;
                        taken.insert(taken.end(), first, first + width);
                    }
                    return taken;
                };
                const auto ownQkv = take(qkv, whole.qkvWidth());
                const auto ownDOut = take(dOut, whole.width());
                for (const bool keeps : {false, true}) {
                    std::vector<float> kept(keeps ? size(2 * 4 * 2 * chunk * sequence) : 0);
                    float *const probabilities = keeps ? kept.data() : nullptr;
                    std::vector<float> ownOut(ownDOut.size()), ownSums(size(4 * rows)), ownDQkv(ownQkv.size());
                    std::vector<float> dKeys(keys.size(), 7.0F);
                    attentionForward(ownOut.data(), ownSums.data(), ownQkv.data(), part, scratch.data(), {}, probabilities,
                                     {keys.data(), nullptr});
                    QVERIFY(error(ownOut, doubles(take(out, whole.width()))) < 1e-6);
                    attentionBackward(ownDQkv.data(), ownDOut.data(), ownQkv.data(), ownOut.data(), ownSums.data(), part,
                                      scratch.data(), {}, probabilities, {keys.data(), dKeys.data()});
                    if (keeps)
                        continue;
                    for (std::int64_t row = 0; row < rows; ++row)
                        for (std::int64_t i = 0; i < whole.width(); ++i)
                            sum[size(tokenOf(row) * whole.qkvWidth() + i)] = ownDQkv[size(row * whole.qkvWidth() + i)];
                    const std::int64_t width = 2 * whole.kvWidth();
                    for (std::int64_t token = 0; token < 2 * sequence; ++token)
                        for (std::int64_t i = 0; i < width; ++i)
                            sum[size(token * whole.qkvWidth() + whole.width() + i)] += dKeys[size(token * width + i)];
                }
            }
            QVERIFY(error(sum, doubles(dQkv)) < 1e-6);
        }
    }

    /// In a ring the rows of a rank see the keys of one rank after the other.
    void partsOfARing()
    {
        for (const auto &[chunk, ranks] : {std::pair(1, 2), {7, 2}, {70, 2}, {33, 4}}) {
            const std::int64_t sequence = std::int64_t{2} * ranks * chunk;
            const AttentionShape whole{2, sequence, 4, 2, 5};
            const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
            const auto qkv = randomValues(size(2 * sequence * whole.qkvWidth()), 23);
            const auto dOut = randomValues(size(2 * sequence * whole.width()), 24);
            std::vector<float> scratch(size(attentionScratch(whole)));
            std::vector<float> out(dOut.size()), logSumExp(size(2 * 4 * sequence)), dQkv(qkv.size());
            attentionForward(out.data(), logSumExp.data(), qkv.data(), whole, scratch.data());
            attentionBackward(dQkv.data(), dOut.data(), qkv.data(), out.data(), logSumExp.data(), whole, scratch.data());

            // The columns [first, first + count) of the rows of a rank.
            const auto take = [&](int rank, const std::vector<float> &from, std::int64_t width, std::int64_t first,
                                  std::int64_t count) {
                std::vector<float> taken;
                for (const std::int64_t begin : {std::int64_t{0}, sequence})
                    for (const int each : {rank, 2 * ranks - 1 - rank})
                        for (std::int64_t token = begin + each * chunk; token < begin + (each + 1) * chunk; ++token) {
                            const auto row = from.begin() + token * width + first;
                            taken.insert(taken.end(), row, row + count);
                        }
                return taken;
            };
            const std::int64_t keyWidth = 2 * whole.kvWidth();
            std::vector<std::vector<float>> sums(size(ranks), std::vector<float>(size(4 * chunk * keyWidth)));
            for (int rank = 0; rank < ranks; ++rank) {
                const auto own = take(rank, qkv, whole.qkvWidth(), 0, whole.qkvWidth());
                const auto ownDOut = take(rank, dOut, whole.width(), 0, whole.width());
                std::vector<float> ownOut(ownDOut.size(), 7.0F), ownSums(size(4 * 4 * chunk), 7.0F);
                std::vector<float> ownDQkv(own.size(), 7.0F);
                for (const bool isBackward : {false, true})
                    for (int hop = 0; hop < ranks; ++hop) {
                        const int from = (rank - hop + ranks) % ranks;
                        const std::size_t source = size(from);
                        AttentionShape part{2, 2 * chunk, 4, 2, 5};
                        part.keys = 2 * chunk;
                        part.extends = hop > 0;
                        part.secondChunk = chunk;
                        if (from < rank) { // their first chunk is before both of this rank
                            part.visibleKeys = chunk;
                            part.firstChunk = chunk;
                        } else if (from > rank) { // both are before the second chunk of this rank
                            part.skipsFirst = true;
                            part.secondChunk = 2 * chunk;
                        }
                        const auto keys = take(from, qkv, whole.qkvWidth(), whole.width(), keyWidth);
                        if (!isBackward) {
                            attentionForward(ownOut.data(), ownSums.data(), own.data(), part, scratch.data(), {}, nullptr,
                                             {keys.data(), nullptr});
                            continue;
                        }
                        std::vector<float> dKeys(keys.size(), 7.0F);
                        attentionBackward(ownDQkv.data(), ownDOut.data(), own.data(), ownOut.data(), ownSums.data(), part,
                                          scratch.data(), {}, nullptr, {keys.data(), dKeys.data()});
                        std::ranges::transform(dKeys, sums[source], sums[source].begin(), std::plus());
                    }
                QVERIFY(error(ownOut, doubles(take(rank, out, whole.width(), 0, whole.width()))) < 1e-6);
                std::vector<float> dQueries;
                for (std::size_t row = 0; row < size(4 * chunk); ++row)
                    dQueries.insert(dQueries.end(), ownDQkv.begin() + static_cast<long>(row * size(whole.qkvWidth())),
                                    ownDQkv.begin() + static_cast<long>(row * size(whole.qkvWidth()) + size(whole.width())));
                QVERIFY(error(dQueries, doubles(take(rank, dQkv, whole.qkvWidth(), 0, whole.width()))) < 1e-6);
            }
            for (int rank = 0; rank < ranks; ++rank)
                QVERIFY(error(sums[size(rank)], doubles(take(rank, dQkv, whole.qkvWidth(), whole.width(), keyWidth))) < 1e-6);
        }
    }

    /// Probabilities kept from the forward to the backward change no bit of either; masked ones are 0.
    void keptProbabilities()
    {
        for (const int sequence : {1, 7, 64, 130, 200}) {
            const AttentionShape shape{2, sequence, 4, 2, 20};
            const auto rows = static_cast<std::size_t>(2 * 4 * sequence);
            const auto tokens = static_cast<std::size_t>(2 * sequence);
            const auto width = static_cast<std::size_t>(shape.width());
            const auto qkv = randomValues(tokens * static_cast<std::size_t>(shape.qkvWidth()), 21);
            const auto dOut = randomValues(tokens * width, 22);
            std::vector<float> scratch(static_cast<std::size_t>(attentionScratch(shape)));
            std::vector<float> kept(rows * static_cast<std::size_t>(sequence), std::numeric_limits<float>::quiet_NaN());
            std::vector<std::vector<float>> results;
            for (float *probabilities : {static_cast<float *>(nullptr), kept.data()}) {
                std::vector<float> out(tokens * width), logSumExp(rows), dQkv(qkv.size());
                attentionForward(out.data(), logSumExp.data(), qkv.data(), shape, scratch.data(), {}, probabilities);
                std::fill(scratch.begin(), scratch.end(), std::numeric_limits<float>::quiet_NaN());
                attentionBackward(dQkv.data(), dOut.data(), qkv.data(), out.data(), logSumExp.data(), shape, scratch.data(), {},
                                  probabilities);
                out.insert(out.end(), logSumExp.begin(), logSumExp.end());
                out.insert(out.end(), dQkv.begin(), dQkv.end());
                results.push_back(std::move(out));
            }
            QCOMPARE(results[1], results[0]);
            for (std::size_t row = 0; row < rows; ++row) {
                const float *line = kept.data() + row * static_cast<std::size_t>(sequence);
                const std::size_t visible = row % static_cast<std::size_t>(sequence) + 1;
                QVERIFY(std::abs(std::accumulate(line, line + visible, 0.0) - 1) < 1e-5);
                QVERIFY(std::all_of(line + visible, line + sequence, [](float value) { return value == 0; }));
            }
        }
    }

    void neverReadsWhatNobodyWrote()
    {
        // A scratch of NaN, and a head and a sequence that fill no panel.
        const AttentionShape shape{1, 70, 2, 1, 20};
        const auto qkv = randomValues(static_cast<std::size_t>(70 * shape.qkvWidth()), 14);
        const auto dOut = randomValues(70 * 40, 15);
        std::vector<std::vector<float>> results;
        for (const float filling : {0.0F, std::numeric_limits<float>::quiet_NaN()}) {
            std::vector<float> scratch(static_cast<std::size_t>(attentionScratch(shape)), filling);
            std::vector<float> out(70 * 40, filling), logSumExp(140, filling), dQkv(qkv.size(), filling);
            attentionForward(out.data(), logSumExp.data(), qkv.data(), shape, scratch.data());
            std::fill(scratch.begin(), scratch.end(), filling);
            attentionBackward(dQkv.data(), dOut.data(), qkv.data(), out.data(), logSumExp.data(), shape, scratch.data());
            out.insert(out.end(), dQkv.begin(), dQkv.end());
            results.push_back(std::move(out));
        }
        QCOMPARE(results[1], results[0]);
    }

    void stopsBetweenTiles()
    {
        const AttentionShape shape{1, 300, 1, 1, 16};
        const auto qkv = randomValues(300 * 48, 16);
        std::vector<float> scratch(static_cast<std::size_t>(attentionScratch(shape))), out(300 * 16, -1.0F), logSumExp(300);
        int asked = 0;
        const Interrupt interrupt{[](const void *count) { return ++*static_cast<int *>(const_cast<void *>(count)) > 3; },
                                  &asked};
        attentionForward(out.data(), logSumExp.data(), qkv.data(), shape, scratch.data(), interrupt);
        QCOMPARE(asked, 4);
        QCOMPARE(out.back(), -1.0F);
    }
};

STAGELENS_TEST(KernelsAttention)

} // namespace unit_kernels_attention

#include "kernels/attention.moc"
