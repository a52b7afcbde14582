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
                                       {Codec::Int8, "pack int8", "unpack int8"},
                                       {Codec::E4m3ByPowers, "pack e4m3, powers", "unpack e4m3, powers"}};

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

/// Of rows of wider matrices. Every seventh number is small beside the others of its tile.
void runRoundTiles(Bench &bench, const char *name, const TiledMatrix &of)
{
    Case test = bench.begin<Bf16>(name, {of.matrices, of.rows, of.columns});
    auto x = test.random<Bf16>(of.matrices * of.rows * of.stride, 3);
    for (std::size_t i = 0; i < x.size(); i += 7)
        x[i] = toBf16(1e-4F * toFloat(x[i]));
    std::vector<Bf16> expected;
    for (std::int64_t matrix = 0; matrix < of.matrices; ++matrix) {
        std::vector<float> dense;
        for (std::int64_t row = 0; row < of.rows; ++row)
            for (std::int64_t column = 0; column < of.columns; ++column)
                dense.push_back(toFloat(x[size((matrix * of.rows + row) * of.stride + column)]));
        kernels::roundTiles(dense.data(), of.rows, of.columns, of.tile);
        for (const float value : dense)
            expected.push_back(toBf16(value));
    }
    Bf16 *to = test.space<Bf16>(of.numbers());
    const Bf16 *from = test.put(x);
    test.compareBits(
        to, expected, [&] { return roundTiles(test.stream(), to, from, of); }, [] {});
}

} // namespace

void runCodecs(Bench &bench)
{
    for (const NamedCodec &each : kNamedCodecs) {
        runCodec<float>(bench, each, 7, 37);
        runCodec<Bf16>(bench, each, 7, 37);
        runCodec<Fp16>(bench, each, 7, 37);
        const std::int64_t rows = bench.isLarge() ? 4096 : 6;
        const std::int64_t columns = bench.isLarge() ? 4096 : 264;
        runCodec<float>(bench, each, rows, columns);
        runCodec<Bf16>(bench, each, rows, columns);
        runCodec<Fp16>(bench, each, rows, columns);
    }
    constexpr TileShape kRow{1, kCodecTile}, kColumn{kCodecTile, 1}, kSquare{kCodecTile, kCodecTile};
    for (const auto &[rows, columns] :
         {std::pair<std::int64_t, std::int64_t>{5, 37}, bench.isLarge() ? std::pair<std::int64_t, std::int64_t>{4096, 4096}
                                                                        : std::pair<std::int64_t, std::int64_t>{140, 200}}) {
        runRoundTiles(bench, "roundTiles of rows", {rows, columns, columns, kRow, 1});
        runRoundTiles(bench, "roundTiles of columns", {rows, columns, columns + 8, kColumn, 1});
        runRoundTiles(bench, "roundTiles of squares", {rows, columns, columns, kSquare, 3});
    }
}

} // namespace stagelens::kernels::gpu::selftest
