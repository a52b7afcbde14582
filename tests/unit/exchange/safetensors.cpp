// Safetensors: there and back, the bytes other programs expect, and hostile files.
#include "engine/exchange/safetensors.h"
#include "engine/base/file.h"
#include "engine/base/random.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <numeric>

namespace unit_exchange_safetensors {

using namespace stagelens;
using exchange::SafetensorsFile;
using exchange::TensorView;

namespace {

/// A file with that header, given or right length, and that many bytes of data.
std::string fileOf(const std::string &header, std::size_t dataBytes, std::uint64_t claimed = UINT64_MAX)
{
    const std::uint64_t length = claimed == UINT64_MAX ? header.size() : claimed;
    std::string content(8, '\0');
    std::memcpy(content.data(), &length, sizeof length);
    return content + header + std::string(dataBytes, '\1');
}

} // namespace

class ExchangeSafetensors : public QObject {
    Q_OBJECT
private:
    QTemporaryDir m_folder;

    [[nodiscard]] std::filesystem::path path(const char *name) const { return m_folder.filePath(name).toStdString(); }
    [[nodiscard]] QString refusal(const std::string &content) const
    {
        if (!base::writeFile(path("bad.safetensors"), content))
            return "the test cannot write its file";
        const auto file = SafetensorsFile::read(path("bad.safetensors"));
        return file ? "accepted" : QString::fromStdString(file.error().text());
    }

private slots:
    void comesBack()
    {
        const std::vector<float> weights{1.5F, -0.0F, 3e-40F, 1e38F, 0.1F, 7};
        const std::vector<std::int64_t> ids{INT64_MIN, -1, 0, INT64_MAX};
        const std::vector<float> scalar{42};
        const std::vector<TensorView> tensors{{"z.weight", {2, 3}, std::span<const float>(weights)},
                                              {"ids", {4}, std::span<const std::int64_t>(ids)},
                                              {"a.scalar", {}, std::span<const float>(scalar)},
                                              {"none", {0, 5}, std::span<const float>()}};
        QVERIFY(exchange::writeSafetensors(path("a.safetensors"), tensors).ok());
        const auto file = SafetensorsFile::read(path("a.safetensors"));
        QVERIFY2(file.ok(), file.ok() ? "" : file.error().text().c_str());
        QCOMPARE(file->entries().size(), std::size_t{4});
        QCOMPARE(file->entries().front().name, std::string("a.scalar"));
        const auto back = file->floats("z.weight", std::array<std::int64_t, 2>{2, 3});
        QVERIFY(back.ok());
        QVERIFY(std::memcmp(back->data(), weights.data(), weights.size() * sizeof(float)) == 0);
        QVERIFY(*file->integers("ids", std::array<std::int64_t, 1>{4}) == ids);
        QVERIFY(*file->floats("a.scalar", {}) == scalar);
        QVERIFY(file->floats("none", std::array<std::int64_t, 2>{0, 5})->empty());
        QVERIFY(!file->floats("z.weight", std::array<std::int64_t, 2>{3, 2}).ok());
        QVERIFY(!file->floats("ids", std::array<std::int64_t, 1>{4}).ok());
        QVERIFY(!file->floats("absent", {}).ok());
        QVERIFY(file->find("absent") == nullptr);
    }

    void codesComeBackAsNumbers()
    {
        const std::vector<std::uint8_t> codes{0, 1, 127, 128, 255};
        const std::vector<float> one{1};
        const std::vector<TensorView> tensors{{"codes", {1, 5}, std::span<const std::uint8_t>(codes)},
                                              {"one", {1}, std::span<const float>(one)}}; // at an odd place
        QVERIFY(exchange::writeSafetensors(path("codes.safetensors"), tensors).ok());
        const auto file = SafetensorsFile::read(path("codes.safetensors"));
        QVERIFY2(file.ok(), file.ok() ? "" : file.error().text().c_str());
        QCOMPARE(file->find("codes")->type, std::string("U8"));
        QVERIFY((*file->bytes("codes", std::array<std::int64_t, 2>{1, 5}) == std::vector<float>{0, 1, 127, 128, 255}));
        QVERIFY(*file->floats("one", std::array<std::int64_t, 1>{1}) == one);
        QVERIFY(!file->floats("codes", std::array<std::int64_t, 2>{1, 5}).ok());
        QVERIFY(!file->bytes("one", std::array<std::int64_t, 1>{1}).ok());
    }

    void bytesAreTheFormats()
    {
        const std::vector<float> one{1};
        const TensorView tensor{"w", {1}, std::span<const float>(one)};
        QVERIFY(exchange::writeSafetensors(path("b.safetensors"), std::span(&tensor, 1)).ok());
        const auto content = base::readFile(path("b.safetensors"), 1 << 20);
        QVERIFY(content.ok());
        std::uint64_t length = 0;
        std::memcpy(&length, content->data(), sizeof length);
        QCOMPARE(length % 8, std::uint64_t{0});
        QCOMPARE(content->size(), 8 + length + 4);
        QVERIFY(content->substr(8).starts_with(
            R"({"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})"));
    }

    void wrongTensorsAreNotWritten()
    {
        const std::vector<float> values(6);
        const std::span<const float> span(values);
        const auto written = [&](const std::vector<TensorView> &tensors) {
            return exchange::writeSafetensors(path("c.safetensors"), tensors).ok();
        };
        QVERIFY(!written({{"w", {2, 2}, span}}));
        QVERIFY(!written({{"w", {-2, -3}, span}}));
        QVERIFY(!written({{"w", {6}, span}, {"w", {6}, span}}));
        QVERIFY(!written({{"__metadata__", {6}, span}}));
        QVERIFY(!written({{"w", {INT64_MAX, INT64_MAX}, span}}));
        QVERIFY(!std::filesystem::exists(path("c.safetensors")));
        QVERIFY(written({{"w", {6}, span}}));
        const std::vector<TensorView> fine{{"w", {6}, span}};
        QVERIFY(!exchange::writeSafetensors(path("no/folder.safetensors"), fine).ok());
    }

    void othersFilesAreRead()
    {
        // An unaligned header, members in another order, a type that is only listed.
        const std::string header =
            R"({"h":{"data_offsets":[4,8],"shape":[2],"dtype":"BF16"},"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}} )";
        QVERIFY(base::writeFile(path("d.safetensors"), fileOf(header, 8)).ok());
        const auto file = SafetensorsFile::read(path("d.safetensors"));
        QVERIFY2(file.ok(), file.ok() ? "" : file.error().text().c_str());
        QVERIFY(file->floats("w", std::array<std::int64_t, 1>{1}).ok());
        const auto half = file->floats("h", std::array<std::int64_t, 1>{2});
        QVERIFY(half.ok());
        QCOMPARE(half->size(), std::size_t{2});
        const auto whole = file->integers("w", std::array<std::int64_t, 1>{1});
        QVERIFY(!whole && whole.error().text().find("as F32 but I64") != std::string::npos);
        QVERIFY(base::writeFile(path("e.safetensors"), fileOf("{}", 0)).ok());
        QVERIFY(SafetensorsFile::read(path("e.safetensors"))->entries().empty());
    }

    /// Every number of 16 bits: binary16 by its definition, bfloat16 as the upper half of a float.
    void sixteenBitsAreWidenedExactly()
    {
        constexpr std::size_t kAll = 1 << 16;
        std::vector<std::uint16_t> bits(kAll);
        std::iota(bits.begin(), bits.end(), std::uint16_t{0});
        const std::string data(reinterpret_cast<const char *>(bits.data()), 2 * kAll);
        for (const bool isHalf : {true, false}) {
            const std::string header = fmt::format(
                "{{\"x\":{{\"dtype\":\"{}\",\"shape\":[256,256],\"data_offsets\":[0,131072]}}}}", isHalf ? "F16" : "BF16");
            QVERIFY(base::writeFile(path("f.safetensors"), fileOf(header, 0) + data).ok());
            const auto read = SafetensorsFile::read(path("f.safetensors"))->floats("x", std::array<std::int64_t, 2>{256, 256});
            QVERIFY(read.ok());
            for (std::size_t i = 0; i < kAll; ++i) {
                const int fractionBits = isHalf ? 10 : 7;
                const int fraction = static_cast<int>(i) & ((1 << fractionBits) - 1);
                const int highest = isHalf ? 31 : 255;
                const int exponent = static_cast<int>(i) >> fractionBits & highest;
                const int bias = isHalf ? 15 : 127;
                const double size = exponent == 0 ? std::ldexp(fraction, 1 - bias - fractionBits)
                                                  : std::ldexp(fraction + (1 << fractionBits), exponent - bias - fractionBits);
                const float value = (*read)[i];
                QCOMPARE(std::signbit(value), i >= kAll / 2);
                if (exponent == highest)
                    QVERIFY(fraction == 0 ? std::isinf(value) : std::isnan(value));
                else
                    QCOMPARE(std::abs(static_cast<double>(value)), size);
            }
        }
    }

    void hostileFilesAreRefused()
    {
        const auto tensor = [](const char *dtype, const char *shape, const char *offsets) {
            return std::string("{\"w\":{\"dtype\":\"") + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets +
                   "}}";
        };
        QVERIFY(!SafetensorsFile::read(path("absent.safetensors")).ok());
        QVERIFY(refusal("").contains("only 0 bytes"));
        QVERIFY(refusal("1234567").contains("only 7 bytes"));
        QVERIFY(refusal(fileOf("{}", 0, 3)).contains("claims 3 bytes"));
        QVERIFY(refusal(fileOf("{}", 0, UINT64_MAX - 1)).contains("claims"));
        QVERIFY(refusal(fileOf("{}", 0, std::uint64_t{1} << 40U)).contains("claims"));
        QVERIFY(refusal(fileOf("", 0)).contains("header is empty"));
        QVERIFY(refusal(fileOf("[1]", 0)).contains("not a JSON object"));
        QVERIFY(refusal(fileOf("{\"w\":", 0)).contains("ends in the middle"));
        QVERIFY(refusal(fileOf("{\"w\":3}", 0)).contains("lacks"));
        QVERIFY(refusal(fileOf(std::string(1'000'000, '['), 0)).contains("nested deeper"));
        QVERIFY(refusal(fileOf(tensor("F32", "[1]", "[0,4]").insert(1, R"("w":{},)"), 4)).contains("twice"));
        QVERIFY(refusal(fileOf(tensor("Q4", "[1]", "[0,4]"), 4)).contains("not known"));
        QVERIFY(refusal(fileOf(tensor("F32", "[2]", "[0,4]"), 4)).contains("does not fill"));
        QVERIFY(refusal(fileOf(tensor("F32", "[1]", "[0,8]"), 4)).contains("bytes 0 to 8 of 4"));
        QVERIFY(refusal(fileOf(tensor("F32", "[1]", "[4,0]"), 4)).contains("bytes 4 to 0"));
        QVERIFY(refusal(fileOf(tensor("F32", "[1]", "[0]"), 4)).contains("another type"));
        QVERIFY(refusal(fileOf(tensor("F32", "[1]", "[-4,0]"), 4)).contains("another type"));
        QVERIFY(refusal(fileOf(tensor("F32", "[-1]", "[0,4]"), 4)).contains("another type"));
        QVERIFY(refusal(fileOf(tensor("F32", "[1.0]", "[0,4]"), 4)).contains("another type"));
        QVERIFY(refusal(fileOf(tensor("F32", "[4294967296,4294967296]", "[0,0]"), 0)).contains("does not fill"));
        QVERIFY(refusal(fileOf(tensor("F32", "[9223372036854775807,4]", "[0,4]"), 4)).contains("does not fill"));
        QVERIFY(refusal(fileOf(tensor("F32", "[18446744073709551615]", "[0,4]"), 4)).contains("another type"));
        QVERIFY(refusal(fileOf(tensor("F32", "[1]", "[0,4]"), 8)).contains("end at byte 4 of 8"));
        const std::string overlap =
            R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})";
        QVERIFY(refusal(fileOf(overlap, 12)).contains("begins at byte 4"));
        QVERIFY(refusal(fileOf("{\"\xff\xfe\":{}}", 0)).contains("not JSON at line 1"));
    }

    void damagedFilesNeverCrash()
    {
        const std::vector<float> values(16, 2.0F);
        const std::vector<TensorView> tensors{{"a", {4, 4}, std::span<const float>(values)},
                                              {"b", {2}, std::span<const float>(values).first(2)}};
        QVERIFY(exchange::writeSafetensors(path("f.safetensors"), tensors).ok());
        const auto sound = base::readFile(path("f.safetensors"), 1 << 20);
        constexpr std::uint64_t kSeed = 77;
        qInfo("seed %llu", static_cast<unsigned long long>(kSeed));
        base::Random random(kSeed);
        for (int round = 0; round < 300; ++round) {
            std::string bad = *sound;
            for (std::int64_t changes = random.nextInteger(1, 4); changes > 0; --changes)
                bad[static_cast<std::size_t>(random.nextInteger(0, std::ssize(bad) - 1))] =
                    static_cast<char>(random.nextInteger(0, 255) - 128);
            bad.resize(static_cast<std::size_t>(random.nextInteger(std::ssize(bad) / 2, std::ssize(bad))));
            std::ofstream(path("g.safetensors"), std::ios::binary) << bad; // not flushed to the disk each time
            if (const auto file = SafetensorsFile::read(path("g.safetensors")))
                for (const auto &entry : file->entries())
                    (void)file->floats(entry.name, entry.shape);
        }
    }
};

STAGELENS_TEST(ExchangeSafetensors)

} // namespace unit_exchange_safetensors

#include "exchange/safetensors.moc"
