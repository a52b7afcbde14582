// Elementwise and row kernels.
#include "kernels/cuda/selftest/bench.h"
#include "kernels/include/activation.h"
#include "kernels/include/adamw.h"
#include "kernels/include/elementwise.h"
#include "kernels/include/lion.h"
#include "kernels/include/rotary.h"
#include "kernels/include/sgd.h"
#include "kernels/include/swiglu.h"

namespace stagelens::kernels::gpu::selftest {
namespace {

template <class T>
void runSums(Bench &bench, std::int64_t count)
{
    Case test = bench.begin<T>("addScaled", {count});
    const auto x = test.random<T>(count), y = test.random<T>(count);
    auto expected = floatsOf(x);
    kernels::addScaled(expected.data(), floatsOf(y).data(), 0.3F, count);
    T *to = test.put(x);
    const T *from = test.put(y);
    test.compare(
        to, expected, [&] { return addScaled(test.stream(), to, from, 0.3F, count); }, [&] { test.restore(to, x); });
}

template <class T>
void runParts(Bench &bench, std::int64_t rows, std::int64_t width)
{
    constexpr int kCount = 3;
    const std::int64_t count = rows * width;
    Case test = bench.begin<T>("sumScaledParts", {kCount, rows, width});
    const auto factors = test.random<float>(kCount * rows);
    std::vector<float> expected(size(count));
    Parts<T> parts;
    for (; parts.count < kCount; ++parts.count) {
        const auto values = test.random<T>(count);
        const auto exact = floatsOf(values);
        for (std::int64_t row = 0; row < rows; ++row)
            kernels::addScaled(expected.data() + row * width, exact.data() + row * width,
                               factors[size(parts.count * rows + row)], width);
        parts.at[parts.count] = test.put(values);
    }
    T *out = test.space<T>(count);
    const float *scale = test.put(factors);
    test.compare(out, expected, [&] { return sumScaledParts(test.stream(), out, parts, scale, rows, width); });
}

template <class T>
void runRows(Bench &bench, std::int64_t rows, std::int64_t width)
{
    const std::int64_t count = rows * width;
    {
        Case test = bench.begin<T>("fillRows", {rows, width});
        const auto bias = test.random<T>(width), residual = test.random<T>(count);
        std::vector<float> expected(size(count));
        kernels::fillRows(expected.data(), floatsOf(bias).data(), floatsOf(residual).data(), rows, width);
        T *out = test.space<T>(count);
        const T *row = test.put(bias), *more = test.put(residual);
        test.compare(out, expected, [&] { return fillRows(test.stream(), out, row, more, rows, width); });
    }
    Case test = bench.begin<T>("addColumnSums", {rows, width});
    const auto x = test.random<T>(count);
    const auto before = test.random<float>(width);
    auto expected = before;
    kernels::addColumnSums(expected.data(), floatsOf(x).data(), rows, width);
    float *sums = test.put(before), *scratch = test.space<float>(columnSumsScratch(rows, width));
    const T *in = test.put(x);
    test.compare(
        sums, expected, [&] { return addColumnSums(test.stream(), sums, in, rows, width, scratch); },
        [&] { test.restore(sums, before); });
}

template <class T>
void runActivations(Bench &bench, std::int64_t count)
{
    {
        Case test = bench.begin<T>("geluForward", {count});
        const auto x = test.random<T>(count, 2);
        std::vector<float> expected(size(count));
        kernels::activationForward(Activation::Gelu, expected.data(), floatsOf(x).data(), count);
        T *out = test.space<T>(count);
        const T *in = test.put(x);
        test.compare(out, expected, [&] { return activationForward(test.stream(), Activation::Gelu, out, in, count); });
    }
    {
        Case test = bench.begin<T>("geluBackward", {count});
        const auto x = test.random<T>(count, 2), dy = test.random<T>(count);
        auto expected = floatsOf(dy);
        kernels::activationBackward(Activation::Gelu, expected.data(), floatsOf(x).data(), count);
        T *gradient = test.put(dy);
        const T *in = test.put(x);
        test.compare(
            gradient, expected, [&] { return activationBackward(test.stream(), Activation::Gelu, gradient, in, count); },
            [&] { test.restore(gradient, dy); });
    }
    {
        Case test = bench.begin<T>("swigluForward", {count});
        const auto gate = test.random<T>(count, 2), up = test.random<T>(count);
        std::vector<float> expected(size(count));
        kernels::swigluForward(expected.data(), floatsOf(gate).data(), floatsOf(up).data(), count);
        T *out = test.space<T>(count);
        const T *a = test.put(gate), *b = test.put(up);
        test.compare(out, expected, [&] { return swigluForward(test.stream(), out, a, b, count); });
    }
    Case test = bench.begin<T>("swigluBackward", {count});
    const auto gate = test.random<T>(count, 2), up = test.random<T>(count), dy = test.random<T>(count);
    auto expected = floatsOf(gate), other = floatsOf(up);
    kernels::swigluBackward(expected.data(), other.data(), floatsOf(dy).data(), count);
    T *a = test.put(gate), *b = test.put(up);
    const T *gradient = test.put(dy);
    test.compare(
        a, expected, [&] { return swigluBackward(test.stream(), a, b, gradient, count); },
        [&] {
            test.restore(a, gate);
            test.restore(b, up);
        });
}

template <class T>
void runRotary(Bench &bench, const RotaryShape &shape)
{
    Case test = bench.begin<T>("rotate", {shape.rows, shape.heads, shape.size});
    const auto x = test.random<T>(shape.rows * shape.stride);
    std::vector<float> angles(size(shape.sequence * shape.size));
    rotaryAngles(angles.data(), shape.sequence, shape.size);
    auto expected = floatsOf(x);
    kernels::rotate(expected.data(), angles.data(), shape, Turn::Forwards);
    T *rows = test.put(x);
    const float *table = test.put(angles);
    test.compare(
        rows, expected, [&] { return rotate(test.stream(), rows, table, shape, Turn::Forwards); },
        [&] { test.restore(rows, x); });
}

void runAdamw(Bench &bench, const char *name, std::int64_t count, AdamW::Second moments)
{
    Case test = bench.begin<float>(name, {count});
    const AdamW settings{0.01F, 0.9F, 0.95F, 1e-8F, 0.1F, 0.5F, 0.1F, 0.05F, moments};
    const auto value = test.random<float>(count), gradient = test.random<float>(count), first = test.random<float>(count);
    std::vector<float> second(size(count), 0.5F);
    auto expected = value, g = gradient, m = first, v = second;
    kernels::adamwStep(expected.data(), g.data(), m.data(), v.data(), settings, count);
    float *values = test.put(value), *dv = test.put(gradient), *moment = test.put(first), *square = test.put(second);
    Bf16 *rounded = test.space<Bf16>(count);
    test.compare(
        values, expected, [&] { return adamwStep(test.stream(), values, rounded, dv, moment, square, settings, count); },
        [&] {
            test.restore(values, value);
            test.restore(dv, gradient);
            test.restore(moment, first);
            test.restore(square, second);
        });
}

/// An optimizer with one moment; `onGpu` and `onProcessor` are its steps.
template <class Settings>
void runMomentum(Bench &bench, const char *name, std::int64_t count, const Settings &settings,
                 Status (*onGpu)(Stream, float *, float *, float *, const Settings &, std::int64_t),
                 void (*onProcessor)(float *, float *, float *, const Settings &, std::int64_t))
{
    const auto checks = [&](bool isMoment) {
        Case test = bench.begin<float>(name, {count});
        const auto value = test.random<float>(count), gradient = test.random<float>(count), first = test.random<float>(count);
        auto expected = value, g = gradient, m = first;
        onProcessor(expected.data(), g.data(), m.data(), settings, count);
        float *values = test.put(value), *dv = test.put(gradient), *moment = test.put(first);
        test.compare(
            isMoment ? moment : values, isMoment ? m : expected,
            [&] { return onGpu(test.stream(), values, dv, moment, settings, count); },
            [&] {
                test.restore(values, value);
                test.restore(dv, gradient);
                test.restore(moment, first);
            });
    };
    checks(false);
    checks(true);
}

template <class T>
void runOf(Bench &bench)
{
    const bool isLarge = bench.isLarge();
    for (const std::int64_t count : {std::int64_t{1003}, isLarge ? std::int64_t{1} << 26 : std::int64_t{4096}}) {
        runSums<T>(bench, count);
        runActivations<T>(bench, count);
    }
    const auto runShape = [&](std::int64_t rows, std::int64_t width) {
        runRows<T>(bench, rows, width);
        runParts<T>(bench, rows, width);
    };
    runShape(7, 37);
    runShape(isLarge ? 4096 : 45, isLarge ? 16384 : 264);
    runRotary<T>(bench, {14, 7, 3, 10, 41});
    const std::int64_t rows = isLarge ? 4096 : 6;
    runRotary<T>(bench, {rows, rows / 2, 5, 128, 7 * 128});
}

} // namespace

void runElements(Bench &bench)
{
    runOf<float>(bench);
    runOf<Bf16>(bench);
    runOf<Fp16>(bench);
    for (const std::int64_t count : {std::int64_t{1003}, bench.isLarge() ? std::int64_t{1} << 26 : 4096}) {
        runAdamw(bench, "adamwStep", count, AdamW::Second::Updated);
        runAdamw(bench, "adamwStep, frozen", count, AdamW::Second::Frozen);
    }
    for (const std::int64_t count : {std::int64_t{1003}, bench.isLarge() ? std::int64_t{1} << 22 : std::int64_t{4096}}) {
        runMomentum(bench, "sgdStep", count, Sgd{0.01F, 0.9F, 0.1F, 0.5F}, sgdStep, kernels::sgdStep);
        runMomentum(bench, "lionStep", count, Lion{0.01F, 0.9F, 0.99F, 0.1F, 0.5F}, lionStep, kernels::lionStep);
    }
}

} // namespace stagelens::kernels::gpu::selftest
