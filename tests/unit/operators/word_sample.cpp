// The words of a sampled softmax: all different, with exact expected counts, and of the microbatch alone.
#include "engine/operators/word_sample.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace unit_operators_word_sample {

using stagelens::operators::WordSample;

class WordSampleTest : public QObject {
    Q_OBJECT

private slots:
    void expectedCountsAddUpToTheSample()
    {
        for (const auto &[words, count] : {std::pair(97, 1), {97, 20}, {97, 96}, {97, 97}, {8192, 64}, {256000, 8192}}) {
            const WordSample sample(words, count);
            double sum = 0;
            for (int word = 0; word < words; ++word) {
                const double expected = sample.expectedCount(word);
                QVERIFY(expected > 0 && expected <= 1);
                QVERIFY(word == 0 || expected <= sample.expectedCount(word - 1));
                sum += expected;
            }
            QVERIFY(std::abs(sum - count) < 1e-8 * words);
        }
    }

    /// One word of three, in proportion to log 2, log 3/2 and log 4/3, which add up to log 4.
    void oneWordOfThree()
    {
        const WordSample sample(3, 1);
        QVERIFY(std::abs(sample.expectedCount(0) - 0.5) < 1e-12);
        QVERIFY(std::abs(sample.expectedCount(1) - std::log(1.5) / std::log(4)) < 1e-12);
        QCOMPARE(sample.at(0.49), std::vector<std::int32_t>{0});
        QCOMPARE(sample.at(0.51), std::vector<std::int32_t>{1});
        QCOMPARE(sample.at(0.79), std::vector<std::int32_t>{1});
        QCOMPARE(sample.at(0.80), std::vector<std::int32_t>{2});
    }

    void wordsAreDrawnAsOftenAsExpected()
    {
        constexpr int kWords = 50;
        constexpr int kDraws = 20000;
        const WordSample sample(kWords, 12);
        std::vector<int> counts(kWords);
        for (int i = 0; i < kDraws; ++i)
            for (const std::int32_t word : sample.at((i + 0.5) / kDraws))
                ++counts[static_cast<std::size_t>(word)];
        for (int word = 0; word < kWords; ++word)
            QVERIFY(std::abs(counts[static_cast<std::size_t>(word)] - kDraws * sample.expectedCount(word)) < 2);
    }

    void wordsAreDifferent()
    {
        for (const auto &[words, count] : {std::pair(97, 20), {97, 96}, {97, 97}, {1, 1}, {256000, 8192}}) {
            const WordSample sample(words, count);
            for (const double u : {0.0, 0.3, 0.999999999999}) {
                const std::vector<std::int32_t> drawn = sample.at(u);
                QCOMPARE(drawn.size(), static_cast<std::size_t>(count));
                QVERIFY(std::ranges::is_sorted(drawn, std::less_equal()));
                QVERIFY(drawn.front() >= 0 && drawn.back() < words);
            }
        }
        std::vector<std::int32_t> all(97);
        std::iota(all.begin(), all.end(), 0);
        QCOMPARE(WordSample(97, 97).draw(3, 4), all);
    }

    /// Draws have at most one word more in a part than expected there, so that room for them can be planned.
    void partsHaveTheirShare()
    {
        for (const auto &[words, count] : {std::pair(97, 20), {97, 97}, {8192, 300}, {13, 5}}) {
            const WordSample sample(words, count);
            for (const int parts : {1, 2, 4, 7}) {
                const int each = (words + parts - 1) / parts;
                for (int begin = 0; begin < words; begin += each) {
                    const int end = std::min(begin + each, words);
                    double expected = 0;
                    for (int word = begin; word < end; ++word)
                        expected += sample.expectedCount(word);
                    QVERIFY(std::abs(sample.expectedBefore(end) - sample.expectedBefore(begin) - expected) < 1e-8 * words);
                    std::int64_t most = 0;
                    for (int i = 0; i < 500; ++i)
                        most = std::max(most, std::ranges::count_if(sample.at(i / 500.0), [&, b = begin](std::int32_t word) {
                                            return word >= b && word < end;
                                        }));
                    QVERIFY(most <= sample.mostIn(begin, end));
                    QVERIFY(static_cast<double>(sample.mostIn(begin, end)) <= expected + 1 + 1e-5);
                }
            }
        }
    }

    void drawsDependOnSeedAndMicrobatch()
    {
        const WordSample sample(8192, 64);
        QCOMPARE(sample.draw(1, 7), WordSample(8192, 64).draw(1, 7));
        std::set<std::vector<std::int32_t>> draws;
        for (std::uint64_t seed = 1; seed < 4; ++seed)
            for (std::int64_t microbatch = 0; microbatch < 100; ++microbatch)
                draws.insert(sample.draw(seed, microbatch));
        QVERIFY(draws.size() > 250); // of about as many as there are words
    }
};

STAGELENS_TEST(WordSampleTest)

} // namespace unit_operators_word_sample

#include "operators/word_sample.moc"
