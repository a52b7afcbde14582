// Result, Mailbox, the log and random numbers.
#include "engine/base/hash.h"
#include "engine/base/log.h"
#include "engine/base/mailbox.h"
#include "engine/base/random.h"
#include "engine/base/result.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <atomic>
#include <memory>
#include <set>
#include <thread>

namespace unit_base_values {

using namespace stagelens::base;

class BaseValues : public QObject {
    Q_OBJECT
private slots:
    void resultHoldsValueOrError()
    {
        const Result<int> good(3);
        QVERIFY(good.ok() && good);
        QCOMPARE(*good, 3);
        const Result<int> bad(Error::invalid({{"a", "is 1"}, {"", "and more"}}));
        QVERIFY(!bad);
        QCOMPARE(bad.error().text(), std::string("a: is 1\nand more"));
        QCOMPARE(bad.error().kind, ErrorKind::InvalidInput);
        QCOMPARE(Error::failed("x").kind, ErrorKind::Failed);
        QCOMPARE(Error::cancelled().kind, ErrorKind::Cancelled);
        QVERIFY(Result<>().ok());
    }

    /// The values of the reference implementation (xxhsum -H64) with seed 0.
    void xxh64HasThePublishedValues()
    {
        QCOMPARE(hashText(""), std::string("ef46db3751d8e999"));
        QCOMPARE(hashText("a"), std::string("d24ec4f1a98c6e5b"));
        QCOMPARE(hashText("abc"), std::string("44bc2cf5ad770999"));
        QCOMPARE(hashText("Nobody inspects the spammish repetition"), std::string("fbcea83c8a378bf1"));
        std::string text;
        for (int i = 0; i < 500; ++i)
            text += static_cast<char>(i * 7 + i / 13);
        for (std::size_t piece = 1; piece < 100; ++piece) {
            Xxh64 hash;
            for (std::size_t begin = 0; begin < text.size(); begin += piece)
                hash.add(std::string_view(text).substr(begin, piece));
            hash.add({});
            QCOMPARE(hash.text(), hashText(text));
        }
    }

    void temporaryResultsMayBeWalkedThrough()
    {
        const auto list = [] {
            return Result<std::vector<std::string>>(std::vector<std::string>{"first long enough for the heap", "second"});
        };
        std::string all;
        for (const std::string &word : list().value())
            all += word[0];
        for (const std::string &word : *list())
            all += word[0];
        QCOMPARE(all, std::string("fsfs"));
        Result<std::unique_ptr<int>> owner(std::make_unique<int>(7));
        QCOMPARE(*std::move(owner).value(), 7);
    }

    void mailboxKeepsOrderAndWakesOnce()
    {
        int wakes = 0;
        Mailbox<int> box([&] { ++wakes; });
        box.post(1);
        box.post(2);
        QCOMPARE(wakes, 1);
        QCOMPARE(box.drain(), (std::vector<int>{1, 2}));
        QVERIFY(box.drain().empty());
        box.post(3);
        QCOMPARE(wakes, 2);
    }

    void mailboxLosesNothingBetweenThreads()
    {
        Mailbox<int> box;
        {
            std::vector<std::jthread> writers;
            for (int writer = 0; writer < 4; ++writer)
                writers.emplace_back([&box, writer] {
                    for (int i = 0; i < 500; ++i)
                        box.post(writer * 1000 + i);
                });
        }
        std::array<int, 4> next{};
        for (const int message : box.drain())
            QCOMPARE(message % 1000, next[static_cast<std::size_t>(message / 1000)]++);
        QCOMPARE(next, (std::array<int, 4>{500, 500, 500, 500}));
    }

    void logGoesToTheSink()
    {
        std::string heard;
        setLogSink([&](LogLevel level, std::string_view text) {
            heard = std::to_string(static_cast<int>(level)) + std::string(text);
        });
        log(LogLevel::Warning, "beware");
        setLogSink({});
        log(LogLevel::Warning, "unheard");
        QCOMPARE(heard, std::string("2beware"));
    }

    void randomNumbersDependOnTheirPlaceAlone()
    {
        Random walk(7, 3);
        const Random access(7, 3);
        for (std::uint64_t n = 0; n < 100; ++n)
            QCOMPARE(walk.next(), access.bits(n));
        QVERIFY(Random(7, 3).bits(0) != Random(7, 4).bits(0));
        QVERIFY(Random(7, 3).bits(0) != Random(8, 3).bits(0));
        // These bits are the parameters and data of stored experiments: they may not change.
        QCOMPARE(mix64(0), std::uint64_t{0xe220a8397b1dcdaf});
    }

    void randomNumbersAreSpreadWell()
    {
        const Random random(1);
        double sum = 0;
        double squares = 0;
        constexpr int kCount = 20'000;
        std::set<std::int64_t> seen;
        for (std::uint64_t n = 0; n < kCount; ++n) {
            const double uniform = random.uniform(n);
            QVERIFY(uniform >= 0 && uniform < 1);
            const double normal = random.normal(n);
            QVERIFY(std::isfinite(normal));
            sum += normal;
            squares += normal * normal;
            const std::int64_t die = random.integer(n, -2, 3);
            QVERIFY(die >= -2 && die <= 3);
            seen.insert(die);
        }
        QCOMPARE(seen.size(), std::size_t{6});
        QVERIFY(std::abs(sum / kCount) < 0.03);
        QVERIFY(std::abs(squares / kCount - 1) < 0.05);
    }
};

STAGELENS_TEST(BaseValues)

} // namespace unit_base_values

#include "base/values.moc"
