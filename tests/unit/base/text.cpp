// Text helpers on their edges.
#include "engine/base/text.h"
#include "engine/base/count.h"
#include "engine/base/printable.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <fmt/format.h>

namespace unit_base_text {

using namespace stagelens::base;

class BaseText : public QObject {
    Q_OBJECT
private slots:
    void bytes()
    {
        QCOMPARE(bytesText(0), std::string("0 B"));
        QCOMPARE(bytesText(1023), std::string("1023 B"));
        QCOMPARE(bytesText(1536), std::string("1.50 KiB"));
        QCOMPARE(bytesText(-1536), std::string("-1.50 KiB"));
        QCOMPARE(bytesText(12LL << 30), std::string("12.0 GiB"));
        QCOMPARE(bytesText(999LL << 20), std::string("999 MiB"));
        QCOMPARE(bytesText(INT64_MAX), std::string("8192 PiB"));
    }
    void fixed()
    {
        QCOMPARE(fixedText(1.005, 1), std::string("1.0"));
        QCOMPARE(fixedText(-0.25, 2), std::string("-0.25"));
        QCOMPARE(fixedText(1e308, 0).size(), std::size_t{309});
        QCOMPARE(fixedText(1e308, 200).size(), std::size_t{399}); // as much as has room
    }
    void splitting()
    {
        QCOMPARE(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
        QCOMPARE(split("", ','), (std::vector<std::string_view>{""}));
        QCOMPARE(split(",", ','), (std::vector<std::string_view>{"", ""}));
        QCOMPARE(trim(" \t a b\r\n"), std::string_view("a b"));
        QCOMPARE(trim(" \n"), std::string_view());
        QCOMPARE(join({"a", "b"}, ", "), std::string("a, b"));
        QCOMPARE(join({"", "b"}, ","), std::string(",b"));
        QCOMPARE(fmt::format("x {}/{}", 3, 2.5), std::string("x 3/2.5"));
    }
    void numbers()
    {
        QCOMPARE(parseInteger("-12"), std::optional<std::int64_t>(-12));
        QCOMPARE(parseInteger("9223372036854775807"), std::optional<std::int64_t>(INT64_MAX));
        for (const char *wrong : {"", " 1", "1 ", "1.0", "0x1", "+1", "9223372036854775808", "--1"})
            QVERIFY2(!parseInteger(wrong), wrong);
        QCOMPARE(parseNumber("2.5e-3"), std::optional<double>(2.5e-3));
        for (const char *wrong : {"", "nan", "inf", "-inf", "1e999", "1,5", "2.5ms"})
            QVERIFY2(!parseNumber(wrong), wrong);
    }
    void counts_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qint64>("count");
        const auto row = [](const char *text, qint64 count) { QTest::newRow(text) << QByteArray(text) << count; };
        row("0", 0);
        row("8192", 8192);
        row("-4", -4);
        row("262,144", 262'144);
        row("1,000,000", 1'000'000);
        row("32k", 32'000);
        row("32K", 32'000);
        row("32Ki", 32'768);
        row("32ki", 32'768);
        row("2M", 2'000'000);
        row("2Mi", 2'097'152);
        row("2G", 2'000'000'000);
        row("2Gi", 2'147'483'648);
        row("2B", 2'000'000'000);
        row("2T", 2'000'000'000'000);
        row("2.5t", 2'500'000'000'000);
        row("1Ti", 1LL << 40);
        row("2e12", 2'000'000'000'000);
        row("1.5E+3", 1500);
        row("1.123456789e18", 1'123'456'789'000'000'000);
        row("1e3", 1000);
        row("1.5k", 1500);
        row("1.5Ki", 1536);
        row("2.50", -1); // not whole
        row("1.0", 1);
        row("1,024k", 1'024'000);
        row(" 7 ", 7);
        row("9223372036854775807", INT64_MAX);
    }
    void counts()
    {
        QFETCH(QByteArray, text);
        QFETCH(qint64, count);
        const auto read = parseCount(text.toStdString());
        QCOMPARE(read.value_or(-1), count);
    }
    void countsThatAreNone()
    {
        for (const char *wrong : {"",
                                  " ",
                                  "k",
                                  "Ki",
                                  "i",
                                  "3i",
                                  "3 k",
                                  "32kk",
                                  "1,2",
                                  "1,2345",
                                  ",123",
                                  "1234,567",
                                  "1,,234",
                                  "0x10",
                                  "+1",
                                  "1e",
                                  "1e-3",
                                  "1e19",
                                  "2Bi",
                                  "1e3k",
                                  ".5k",
                                  "1.",
                                  "1.0001k",
                                  "1.1Ki",
                                  "--1",
                                  "9223372036854775808",
                                  "9223372036854776k",
                                  "8589934592Gi",
                                  "nan",
                                  "12a",
                                  "1.0000000001G",
                                  "1.2.3k"})
            QVERIFY2(!parseCount(wrong), wrong);
    }
    void quantities()
    {
        QCOMPARE(parseQuantity(" 2T "), std::optional(2e12));
        QCOMPARE(parseQuantity("2e12"), std::optional(2e12));
        QCOMPARE(parseQuantity("15,000B"), std::optional(15e12));
        QCOMPARE(parseQuantity("0.125"), std::optional(0.125));
        QCOMPARE(parseQuantity("1.0001k"), std::optional(1000.1));
        QCOMPARE(parseQuantity("1e-3"), std::optional(1e-3));
        QCOMPARE(parseQuantity("-1"), std::optional(-1.0)); // the field says what it may be
        for (const char *wrong : {"", "T", "2 T", "2TB", "nan", "1,2"})
            QVERIFY2(!parseQuantity(wrong), wrong);
    }
    void countsAreGrouped()
    {
        QCOMPARE(countText(0), std::string("0"));
        QCOMPARE(countText(999), std::string("999"));
        QCOMPARE(countText(-999), std::string("-999"));
        QCOMPARE(countText(8192), std::string("8,192"));
        QCOMPARE(countText(-1'234'567), std::string("-1,234,567"));
        for (const std::int64_t count : {std::int64_t{262'144}, std::int64_t{100'000}, INT64_MAX})
            QCOMPARE(parseCount(countText(count)), std::optional(count));
    }
    void utf8()
    {
        for (const char *good : {"", "abc", "Straße", "日本語", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"})
            QVERIFY2(isUtf8(good), good);
        for (const char *wrong :
             {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5", "a\xe2\x82"})
            QVERIFY2(!isUtf8(wrong), wrong);
    }
    void printsWhatCameFromOutside()
    {
        // What a person wrote stays readable, whatever the script; the joiner of a family emoji is no override.
        for (const char *good :
             {"", "abc", "Straße", "日本語", "שלום", "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7", "a\\b <i>"})
            QCOMPARE(printable(good), std::string(good));
        QCOMPARE(printable(std::string_view("\0\xff\xfe", 3)), std::string("\\x00\\xff\\xfe"));
        QCOMPARE(printable("a\nb\r\tc\x1b[31m\x7f"), std::string("a\\nb\\r\\tc\\x1b[31m\\x7f"));
        QCOMPARE(printable("\u009b31m"), std::string("\\x9b31m")); // CSI, which a terminal takes for ESC [
        QCOMPARE(printable("x\u202egnp.exe\u2066\ufeff"), std::string("x\\u{202e}gnp.exe\\u{2066}\\u{feff}"));
        QCOMPARE(printable("\U000e0041"), std::string("\\u{e0041}"));
        QCOMPARE(printable("cut \xe6\x97"), std::string("cut \\xe6\\x97"));
        QCOMPARE(printable("日本語", 2), std::string("日本..."));
        QCOMPARE(printable("日本", 2), std::string("日本"));
        const std::string once = printable("\xff\x1b\u202e");
        QCOMPARE(printable(once), once);
        QCOMPARE(stagelens::base::quoted("Straße\n"), std::string("'Straße\\n'"));
        QCOMPARE(stagelens::base::quoted(std::string(50, 'x')), "'" + std::string(40, 'x') + "...'");
        // A line break in a message is the file's, not the one between problems.
        const Error error = Error::invalid(Problems{{"a\x1b", "one\nfake: two"}, {"", "three"}});
        QCOMPARE(printable(error), std::string("a\\x1b: one\\nfake: two\nthree"));
        QVERIFY(printable(Error::failed(std::string(1'000'000, 'x'))).size() < 10'000);
        QCOMPARE(printableJson("{\n \"é\u009b\u202e\U000e0041\"}"), std::string("{\n \"é\\u009b\\u202e\\udb40\\udc41\"}"));
    }
    void closest()
    {
        const std::vector<std::string> words{"hidden", "heads", "F", "gpt", "llama"};
        QCOMPARE(closestWord("hiden", words), std::string("hidden"));
        QCOMPARE(closestWord("gtp", words), std::string("gpt"));
        QCOMPARE(closestWord("HIDDEN", words), std::string("hidden"));
        QCOMPARE(closestWord("Q", words), std::string());
        QCOMPARE(closestWord("h", words), std::string()); // one letter says too little
        QCOMPARE(closestWord("", words), std::string());
        QCOMPARE(closestWord("entirely else", words), std::string());
        // What begins with the word comes before what merely looks like it, the shortest first.
        const std::vector<std::string> presets{"a100-80gb", "b200", "h100-sxm-long", "h100-sxm", "h200"};
        QCOMPARE(closestWord("a100", presets), std::string("a100-80gb"));
        QCOMPARE(closestWord("h100", presets), std::string("h100-sxm"));
        QCOMPARE(closestWord("H200", presets), std::string("h200"));
        QCOMPARE(closestWord(std::string(100'000, 'h'), words), std::string());
    }
};

STAGELENS_TEST(BaseText)

} // namespace unit_base_text

#include "base/text.moc"
