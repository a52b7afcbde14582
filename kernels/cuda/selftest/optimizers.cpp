// The kernels of optimizers whose state is not one number for each element.
#include "kernels/cuda/selftest/bench.h"
#include "kernels/include/adafactor.h"
#include "kernels/include/adam8bit.h"

namespace stagelens::kernels::gpu::selftest {
namespace {

/// The arrays of a matrix whose moments have 8 bits, in either memory.
struct CodedMatrix {
    std::vector<float> values, gradient;
    std::vector<std::uint8_t> first, second;
    std::vector<float> firstScales, secondScales;
    [[nodiscard]] CodedMoments moments() { return {first.data(), firstScales.data(), second.data(), secondScales.data()}; }
};

void runAdam8bit(Bench &bench, std::int64_t rows, std::int64_t columns)
{
    const AdamW settings{0.01F, 0.9F, 0.95F, 1e-8F, 0.1F, 0.5F, 0.1F, 0.05F};
    const std::int64_t count = rows * columns;
    const std::int64_t blocks = rows * blocksOfRow(columns);
    const auto checks = [&](const char *name, auto CodedMatrix::*member) {
        Case test = bench.begin<float>(name, {rows, columns});
        CodedMatrix begin{test.random<float>(count), test.random<float>(count), {}, {}, {}, {}};
        for (std::int64_t i = 0; i < count; ++i) {
            begin.first.push_back(static_cast<std::uint8_t>(i * 7 % 256));
            begin.second.push_back(static_cast<std::uint8_t>(i * 11 % 256));
        }
        begin.firstScales.assign(size(blocks), 0.75F);
        begin.secondScales.assign(size(blocks), 0.5F);
        CodedMatrix expected = begin;
        kernels::adam8bitStep(expected.values.data(), expected.gradient.data(), expected.moments(), rows, columns, settings);
        float *values = test.put(begin.values), *gradient = test.put(begin.gradient);
        const CodedMoments moments{test.put(begin.first), test.put(begin.firstScales), test.put(begin.second),
                                   test.put(begin.secondScales)};
        const auto compare = [&](auto *out) {
            test.compareBits(
                out, expected.*member,
                [&] { return adam8bitStep(test.stream(), values, gradient, moments, rows, columns, settings); },
                [&] {
                    test.restore(values, begin.values);
                    test.restore(gradient, begin.gradient);
                    test.restore(moments.first, begin.first);
                    test.restore(moments.firstScales, begin.firstScales);
                    test.restore(moments.second, begin.second);
                    test.restore(moments.secondScales, begin.secondScales);
                });
        };
        if constexpr (std::is_same_v<decltype(member), std::vector<float> CodedMatrix::*>)
            compare(member == &CodedMatrix::values ? values : moments.secondScales);
        else
            compare(member == &CodedMatrix::first ? moments.first : moments.second);
    };
    checks("adam8bitStep", &CodedMatrix::values);
    checks("adam8bitStep, scales", &CodedMatrix::secondScales);
    checks("adam8bitStep, first codes", &CodedMatrix::first);
    checks("adam8bitStep, second codes", &CodedMatrix::second);
}

constexpr Adafactor kAdafactor{0.01F, 0.4F, 1e-30F, 1e-3F, 0.1F, 0.5F, true};

std::vector<float> meansOf(Case &test, std::int64_t count)
{
    auto means = test.random<float>(count);
    for (float &mean : means)
        mean = 0.1F + std::abs(mean);
    return means;
}

void runAdafactor(Bench &bench, std::int64_t rows, std::int64_t columns)
{
    const std::int64_t count = rows * columns;
    const std::int64_t sums = kernels::adafactorSums(columns);
    // Sums of doubles in another order, and what they give.
    for (const bool isStep : {false, true}) {
        Case test = bench.beginTyped(isStep ? "adafactorStep" : "adafactorSums", isStep ? "float" : "double of float",
                                     shapeText({rows, columns}));
        const auto value = test.random<float>(count), gradient = test.random<float>(count);
        const auto rowMeans = meansOf(test, rows), columnMeans = meansOf(test, columns);
        auto expected = value, g = gradient, r = rowMeans, c = columnMeans;
        const AdafactorRows onHost{expected.data(), g.data(), r.data(), c.data(), rows, columns, rows};
        std::vector<double> all(size(sums));
        kernels::adafactorSums(all.data(), onHost, kAdafactor);
        const AdafactorRows part{
            test.put(value), test.put(gradient), test.put(rowMeans), test.put(columnMeans), rows, columns, rows};
        double *place = test.space<double>(sums), *scratch = test.space<double>(adafactorScratch(rows, columns));
        const auto restore = [&] {
            test.restore(part.values, value);
            test.restore(part.gradient, gradient);
            test.restore(part.rowMeans, rowMeans);
            test.restore(part.columnMeans, columnMeans);
        };
        if (!isStep) {
            test.compare(
                place, floatsOf(all), [&] { return adafactorSums(test.stream(), place, part, kAdafactor, scratch); }, restore,
                1e-7);
            continue;
        }
        kernels::adafactorStep(onHost, all.data(), kAdafactor);
        test.compare(
            part.values, expected,
            [&] {
                const Status status = adafactorSums(test.stream(), place, part, kAdafactor, scratch);
                return status.failed() ? status : adafactorStep(test.stream(), part, place, kAdafactor);
            },
            restore, 1e-7);
    }
}

void runAdafactorOfVector(Bench &bench, std::int64_t count)
{
    Case test = bench.begin<float>("adafactorVectorStep", {count});
    const auto value = test.random<float>(count), gradient = test.random<float>(count);
    const auto moments = meansOf(test, count);
    auto expected = value, g = gradient, m = moments;
    std::vector<double> sums(size(kAdafactorVectorSums));
    kernels::adafactorVectorSums(sums.data(), expected.data(), g.data(), m.data(), count, kAdafactor);
    kernels::adafactorVectorStep(expected.data(), g.data(), m.data(), count, sums.data(), kAdafactor);
    float *values = test.put(value), *gradients = test.put(gradient), *moment = test.put(moments);
    double *place = test.space<double>(kAdafactorVectorSums);
    test.compare(
        values, expected,
        [&] {
            const Status status = adafactorVectorSums(test.stream(), place, values, gradients, moment, count, kAdafactor);
            return status.failed() ? status
                                   : adafactorVectorStep(test.stream(), values, gradients, moment, count, place, kAdafactor);
        },
        [&] {
            test.restore(values, value);
            test.restore(gradients, gradient);
            test.restore(moment, moments);
        },
        1e-7);
}

void runAddDoubles(Bench &bench, std::int64_t count)
{
    Case test = bench.beginTyped("addDoubles", "double", shapeText({count}));
    const auto x = test.random<float>(count), y = test.random<float>(count);
    const std::vector<double> before(x.begin(), x.end()), more(y.begin(), y.end());
    std::vector<double> expected = before;
    for (std::size_t i = 0; i < expected.size(); ++i)
        expected[i] += more[i];
    double *to = test.put(before);
    const double *from = test.put(more);
    test.compareBits(
        to, expected, [&] { return addDoubles(test.stream(), to, from, count); }, [&] { test.restore(to, before); });
}

} // namespace

void runOptimizers(Bench &bench)
{
    const bool isLarge = bench.isLarge();
    runAdam8bit(bench, 5, 37);
    runAdam8bit(bench, isLarge ? 4096 : 3, isLarge ? 4096 : 2056);
    runAdafactor(bench, 13, 37);
    runAdafactor(bench, isLarge ? 4096 : 90, isLarge ? 4096 : 136);
    runAdafactorOfVector(bench, 37);
    runAdafactorOfVector(bench, isLarge ? 16'384 : 2000);
    runAddDoubles(bench, 300);
}

} // namespace stagelens::kernels::gpu::selftest
