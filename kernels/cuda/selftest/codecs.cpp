// Packed rows of numbers.
#include "kernels/cuda/selftest/bench.h"
#include "kernels/include/codec.h"

namespace stagelens::kernels::gpu::selftest {
namespace {

struct NamedCodec {
    Codec codec;
    const char *pack;
    const char *unpack;
};
constexpr NamedCodec kNamedCodecs[] = {{Codec::Bf16, "pack bf16", "unpack bf16"},
                                       {Codec::E4m3, "pack e4m3", "unpack e4m3"},
                                       {Codec::E5m2, "pack e5m2", "unpack e5m2"},
                                       {Codec::Int8, "pack int8", "unpack int8"}};

template <class T>
void runCodec(Bench &bench, const NamedCodec &of, std::int64_t rows, std::int64_t columns)
{
    const std::int64_t floats = packedFloats(of.codec, rows, columns);
    std::vector<float> packed(size(floats));
    {
        Case test = bench.begin<T>(of.pack, {rows, columns});
        const auto x = test.random<T>(rows * columns, 3);
        kernels::pack(packed.data(), x.data(), rows, columns, of.codec);
        float *to = test.space<float>(floats);
        const T *from = test.put(x);
        test.compareBits(
            to, packed, [&] { return pack(test.stream(), to, from, rows, columns, of.codec); }, [] {});
    }
    Case test = bench.begin<T>(of.unpack, {rows, columns});
    std::vector<T> expected(size(rows * columns));
    kernels::unpack(expected.data(), packed.data(), rows, columns, of.codec);
    T *to = test.space<T>(rows * columns);
    const float *from = test.put(packed);
    test.compareBits(
        to, expected, [&] { return unpack(test.stream(), to, from, rows, columns, of.codec); }, [] {});
}

} // namespace

void runCodecs(Bench &bench)
{
    for (const NamedCodec &each : kNamedCodecs) {
        runCodec<float>(bench, each, 7, 37);
        runCodec<Bf16>(bench, each, 7, 37);
        const std::int64_t rows = bench.isLarge() ? 4096 : 6;
        const std::int64_t columns = bench.isLarge() ? 4096 : 264;
        runCodec<float>(bench, each, rows, columns);
        runCodec<Bf16>(bench, each, rows, columns);
    }
}

} // namespace stagelens::kernels::gpu::selftest
