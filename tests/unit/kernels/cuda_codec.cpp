// The GPU's packed rows, on fibres: the bits of the processor's, for every length of a row and for numbers that are not finite.
#include "kernels/include/codec.h"
#include "tests/support/gpu_on_host.h"
#include "tests/support/test_program.h"

#include <array>

namespace unit_kernels_cuda_codec {

using namespace stagelens::kernels;
using namespace stagelens::test;

namespace {

constexpr std::array kCodecs{Codec::Bf16, Codec::E4m3, Codec::E5m2, Codec::Int8, Codec::E4m3ByPowers};

template <class T>
bool haveSameBits(const std::vector<T> &values, const std::vector<T> &others)
{
    return values.size() == others.size() &&
           (values.empty() || std::memcmp(values.data(), others.data(), values.size() * sizeof(T)) == 0);
}

/// Packs and unpacks rows that begin `shift` numbers after an aligned address.
template <class T>
void check(std::int64_t rows, std::int64_t columns, std::size_t shift, Codec codec)
{
    auto numbers = randomValues(static_cast<std::size_t>(rows * columns) + shift, static_cast<std::uint64_t>(columns), 5);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] *= i % 5 == 0 ? 1e-3F : 1.0F;
    const std::vector<T> from = as<T>(numbers);
    // One more float, which must stay as it is.
    const auto floats = static_cast<std::size_t>(packedFloats(codec, rows, columns));
    std::vector<float> expected(floats + 1, -7.0F);
    pack(expected.data(), from.data() + shift, rows, columns, codec);
    std::vector<float> packed(floats + 1, -7.0F);
    QVERIFY(went(gpu::pack(kStream, packed.data(), from.data() + shift, rows, columns, codec)));
    QVERIFY2(haveSameBits(packed, expected), qPrintable(QString::number(columns)));
    std::vector<T> back(from.size()), same(from.size());
    unpack(same.data() + shift, expected.data(), rows, columns, codec);
    QVERIFY(went(gpu::unpack(kStream, back.data() + shift, packed.data(), rows, columns, codec)));
    QVERIFY2(haveSameBits(back, same), qPrintable(QString::number(columns)));
}

} // namespace

class KernelsCudaCodec : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { needFibres(); }

    void everyLengthHasTheBitsOfTheProcessor()
    {
        for (const Codec codec : kCodecs)
            for (const std::int64_t columns : {1, 2, 3, 4, 31, 32, 33, 100, 127, 128, 129, 130, 256, 264, 1003}) {
                check<float>(3, columns, 0, codec);
                check<Bf16>(3, columns, 0, codec);
                check<Fp16>(3, columns, 0, codec);
                if (QTest::currentTestFailed())
                    return;
            }
        for (const Codec codec : kCodecs) {
            check<float>(2, 128, 1, codec);
            check<Bf16>(2, 128, 1, codec);
            check<Fp16>(2, 128, 1, codec);
            check<float>(0, 16, 0, codec);
            check<float>(20, 8, 0, codec); // more tiles than warps of a block
        }
    }

    /// Numbers that are not finite are unpacked as on the processor, and the factor of their tile is that of the others.
    void numbersThatAreNotFinite()
    {
        std::vector<float> numbers = randomValues(260, 3);
        numbers[1] = kInfinity;
        numbers[140] = -kInfinity;
        numbers[200] = kNaN;
        std::fill_n(numbers.begin() + 256, 4, 0.0F); // a tile of zeros
        for (const Codec codec : kCodecs) {
            const auto floats = static_cast<std::size_t>(packedFloats(codec, 1, 260));
            std::vector<float> packed(floats), expected(floats), back(260), same(260);
            pack(expected.data(), numbers.data(), 1, 260, codec);
            QVERIFY(went(gpu::pack(kStream, packed.data(), numbers.data(), 1, 260, codec)));
            unpack(same.data(), expected.data(), 1, 260, codec);
            QVERIFY(went(gpu::unpack(kStream, back.data(), packed.data(), 1, 260, codec)));
            for (std::size_t i = 0; i < back.size(); ++i)
                QVERIFY(back[i] == same[i] || (std::isnan(back[i]) && std::isnan(same[i])));
        }
    }

    void everyFloatOfAnExponentHasTheBitsOfTheProcessor()
    {
        // Ties and their neighbours: a tile whose largest is 448 (127), so that its factor is 1.
        for (const auto &[codec, largest] : {std::pair{Codec::E4m3, 448.0F}, {Codec::E5m2, 57344.0F}, {Codec::Int8, 127.0F}}) {
            std::vector<float> numbers{largest};
            for (int i = 1; i < 128; ++i) {
                const float middle = static_cast<float>(i) + 0.5F;
                numbers.push_back(middle / 4);
                numbers.push_back(std::nextafter(middle / 64, 0.0F));
                numbers.push_back(-std::nextafter(middle, kInfinity));
            }
            numbers.resize(384);
            for (std::size_t tile = 0; tile < numbers.size(); tile += 128)
                numbers[tile] = largest;
            const auto floats = static_cast<std::size_t>(packedFloats(codec, 1, 384));
            std::vector<float> packed(floats), expected(floats);
            pack(expected.data(), numbers.data(), 1, 384, codec);
            QVERIFY(went(gpu::pack(kStream, packed.data(), numbers.data(), 1, 384, codec)));
            QVERIFY(haveSameBits(packed, expected));
        }
    }
};

STAGELENS_TEST(KernelsCudaCodec)

} // namespace unit_kernels_cuda_codec

#include "kernels/cuda_codec.moc"
