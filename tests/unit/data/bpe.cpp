// The byte-pair encoding against a plain reference, and its edges.
#include "engine/runtime/data/bpe.h"
#include "engine/base/random.h"
#include "tests/support/decoded_bpe.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <map>
#include <string>

namespace unit_data_bpe {

using namespace stagelens;
using namespace stagelens::runtime;

namespace {

using Tokens = std::vector<std::int32_t>;

Tokens replaced(const Tokens &tokens, const Merge &merge, std::int32_t by)
{
    Tokens result;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const bool pair = i + 1 < tokens.size() && tokens[i] == merge.left && tokens[i + 1] == merge.right;
        result.push_back(pair ? by : tokens[i]);
        i += pair ? 1 : 0;
    }
    return result;
}

/// Counts all pairs anew before each merge. An overlapping run such as "aaa" counts each neighbouring pair, as the trainer
/// does.
Merges referenceMerges(std::string_view text, std::size_t most)
{
    std::vector<Tokens> words;
    while (!text.empty()) {
        Tokens &word = words.emplace_back();
        for (const char byte : takeWord(text))
            word.push_back(static_cast<unsigned char>(byte));
    }
    Merges merges;
    while (merges.size() < most) {
        std::map<std::pair<int, int>, int> counts;
        for (const Tokens &word : words)
            for (std::size_t i = 0; i + 1 < word.size(); ++i)
                ++counts[{word[i], word[i + 1]}];
        std::pair<std::pair<int, int>, int> best{{0, 0}, 1};
        for (const auto &candidate : counts)
            if (candidate.second > best.second)
                best = candidate;
        if (best.second < 2)
            break;
        merges.push_back({best.first.first, best.first.second});
        for (Tokens &word : words)
            word = replaced(word, merges.back(), kByteTokens + static_cast<std::int32_t>(merges.size()) - 1);
    }
    return merges;
}

std::string sampleText(std::uint64_t seed, std::size_t size)
{
    base::Random random(seed);
    static constexpr std::string_view kAlphabet = "aaabbc de 12,.\n\xc3\xa9";
    std::string text;
    while (text.size() < size)
        text += kAlphabet[static_cast<std::size_t>(random.nextInteger(0, std::ssize(kAlphabet) - 1))];
    return text;
}

} // namespace

class DataBpe : public QObject {
    Q_OBJECT
private slots:
    void wordsCoverTheText()
    {
        const std::string text = "The  quick\n\n  brown fox, 42 apples!\xc3\xa9t\xc3\xa9 ";
        std::vector<std::string> words;
        std::string_view rest = text;
        while (!rest.empty())
            words.emplace_back(takeWord(rest));
        std::string joined;
        for (const std::string &word : words)
            joined += word;
        QCOMPARE(joined, text);
        QCOMPARE(words[0], std::string("The"));
        QCOMPARE(words[1], std::string(" "));
        QCOMPARE(words[2], std::string(" quick"));
        QCOMPARE(words[3], std::string("\n\n "));
        QCOMPARE(words[4], std::string(" brown"));
        QCOMPARE(words[6], std::string(","));
        QCOMPARE(words[7], std::string(" 42"));
    }

    void longRunsAreCut()
    {
        const std::string text(1000, 'x');
        std::string_view rest = text;
        while (!rest.empty())
            QVERIFY(takeWord(rest).size() <= 64);
    }

    void mergesAreTheReferences()
    {
        for (std::uint64_t seed = 0; seed < 8; ++seed) {
            const std::string text = sampleText(seed, 600);
            const auto merges = trainBpe(text, kByteTokens + 60, {});
            QVERIFY(merges.ok());
            QVERIFY2(*merges == referenceMerges(text, 60), qPrintable(QString("seed %1").arg(seed)));
        }
    }

    void encodingComesBack()
    {
        const std::string text = sampleText(99, 20'000);
        const auto merges = trainBpe(text, 400, {});
        QVERIFY(merges.ok());
        const auto tokens = encodeBpe(*merges, text, {});
        QVERIFY(tokens.ok());
        QVERIFY(tokens->size() < text.size() * 3 / 4);
        QVERIFY(std::ranges::all_of(*tokens, [](std::int32_t token) { return token >= 0 && token < 400; }));
        QCOMPARE(test::decodeBpe(*merges, *tokens), text);
        // A text that it was not trained on, with every byte.
        std::string all;
        for (int byte = 0; byte < 256; ++byte)
            all += static_cast<char>(byte);
        const auto other = encodeBpe(*merges, all, {});
        QVERIFY(other.ok());
        QCOMPARE(test::decodeBpe(*merges, *other), all);
    }

    void stopsWhereNothingRepeats()
    {
        const auto merges = trainBpe("abc", 8192, {});
        QVERIFY(merges.ok());
        QVERIFY(merges->empty());
        const auto none = trainBpe("", 8192, {});
        QVERIFY(none.ok() && none->empty());
        const auto noRoom = trainBpe("abababab", 256, {});
        QVERIFY(noRoom.ok() && noRoom->empty());
    }

    void isCancelled()
    {
        std::stop_source stop;
        stop.request_stop();
        const auto merges = trainBpe(sampleText(1, 1000), 512, stop.get_token());
        QVERIFY(!merges.ok());
        QCOMPARE(merges.error().kind, base::ErrorKind::Cancelled);
        const auto tokens = encodeBpe({}, sampleText(1, 1000), stop.get_token());
        QVERIFY(!tokens.ok());
        QCOMPARE(tokens.error().kind, base::ErrorKind::Cancelled);
    }

    void saysHowFarItIs()
    {
        const std::string text = sampleText(3, 100'000);
        std::vector<double> shares;
        const auto note = [&](double share) { shares.push_back(share); };
        const auto merges = trainBpe(text, 512, {}, note);
        QVERIFY(merges.ok() && shares.size() > 100);
        QVERIFY(std::ranges::is_sorted(shares) && shares.front() == 0 && shares.back() < 1);
        shares.clear();
        QVERIFY(encodeBpe(*merges, text, {}, note).ok() && shares.size() > 10);
        QVERIFY(std::ranges::is_sorted(shares) && shares.front() == 0 && shares.back() < 1);
        // Stopped in between, either ends before it is through.
        std::stop_source stop;
        const auto stopLate = [&](double share) {
            if (share > .5)
                stop.request_stop();
        };
        QVERIFY(!trainBpe(text, 512, stop.get_token(), stopLate).ok());
        stop = std::stop_source();
        QVERIFY(!encodeBpe(*merges, text, stop.get_token(), stopLate).ok());
    }

    void takesAMegabyteInSeconds()
    {
        base::Random random(5);
        std::string text;
        while (text.size() < 1'000'000) { // words of a few syllables: many pairs, many repetitions
            for (std::int64_t syllables = random.nextInteger(1, 4); syllables > 0; --syllables) {
                text += "bcdfglmnprst"[random.nextInteger(0, 11)];
                text += "aeiou"[random.nextInteger(0, 4)];
            }
            text += ' ';
        }
        const auto merges = trainBpe(text, 8192, {});
        QVERIFY(merges.ok());
        QCOMPARE(merges->size(), std::size_t{8192 - 256});
    }
};

STAGELENS_TEST(DataBpe)

} // namespace unit_data_bpe

#include "data/bpe.moc"
