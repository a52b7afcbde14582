// The CPU kernels at the sizes of a training step (hidden 512, sequence 256, vocabulary 32768): processor time, so that other
// programs on the machine disturb little. FLOP/s of products and attention, bytes/s of the rest.
#include "engine/backend/memory.h"
#include "engine/base/random.h"
#include "kernels/include/activation.h"
#include "kernels/include/adamw.h"
#include "kernels/include/attention.h"
#include "kernels/include/elementwise.h"
#include "kernels/include/embedding.h"
#include "kernels/include/layernorm.h"
#include "kernels/include/matmul.h"
#include "kernels/include/softmax.h"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace {

using namespace stagelens;
using kernels::Form;

constexpr std::int64_t kTokens = 256;
constexpr std::int64_t kHidden = 512;
constexpr std::int64_t kVocabulary = 32768;

/// Memory as a device has it, filled with random numbers: zeros would be flattered by some processors.
class Floats {
public:
    explicit Floats(std::int64_t count, float lowest = -0.5F) : m_buffer(pool().allocate(static_cast<std::size_t>(count), 0))
    {
        base::Random random(static_cast<std::uint64_t>(count));
        for (float &value : m_buffer.values())
            value = static_cast<float>(random.nextUniform()) + lowest;
    }
    operator float *() { return m_buffer.data(); }

private:
    static backend::Pool &pool()
    {
        static backend::Pool shared;
        return shared;
    }
    backend::Buffer m_buffer;
};

template <class Run>
void add(const std::string &name, Run run)
{
    benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMillisecond);
}

void countFlops(benchmark::State &state, double flops)
{
    state.counters["FLOP/s"] = benchmark::Counter(flops, benchmark::Counter::kIsIterationInvariantRate);
}

/// `floats`: those read and those written.
void countBytes(benchmark::State &state, std::int64_t floats)
{
    state.SetBytesProcessed(state.iterations() * floats * static_cast<std::int64_t>(sizeof(float)));
}

struct ProductCase {
    const char *name;
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t inner;
    Form a;
    Form b;
    float beta;
};

void product(benchmark::State &state, const ProductCase &size)
{
    Floats a(size.rows * size.inner), b(size.inner * size.columns), c(size.rows * size.columns);
    kernels::useOneThreadPerCall();
    for (auto step : state)
        kernels::multiply({.rows = size.rows,
                           .columns = size.columns,
                           .inner = size.inner,
                           .a = {a, size.a == Form::Plain ? size.inner : size.rows, size.a},
                           .b = {b, size.b == Form::Plain ? size.columns : size.inner, size.b},
                           .c = c,
                           .stride = size.columns,
                           .beta = size.beta});
    countFlops(state, 2.0 * static_cast<double>(size.rows * size.columns * size.inner));
}

void addProducts()
{
    constexpr auto kPlain = Form::Plain;
    constexpr auto kTurned = Form::Transposed;
    constexpr std::int64_t kInner = 4 * kHidden;
    for (const ProductCase &size : {ProductCase{"peak/768", 768, 768, 768, kPlain, kPlain, 0},
                                    {"peak/1024", 1024, 1024, 1024, kPlain, kPlain, 0},
                                    {"qkv/forward", kTokens, 3 * kHidden, kHidden, kPlain, kPlain, 1},
                                    {"out/forward", kTokens, kHidden, kHidden, kPlain, kPlain, 1},
                                    {"widen/forward", kTokens, kInner, kHidden, kPlain, kPlain, 1},
                                    {"narrow/forward", kTokens, kHidden, kInner, kPlain, kPlain, 1},
                                    {"qkv/input", kTokens, kHidden, 3 * kHidden, kPlain, kTurned, 0},
                                    {"out/input", kTokens, kHidden, kHidden, kPlain, kTurned, 0},
                                    {"widen/input", kTokens, kHidden, kInner, kPlain, kTurned, 0},
                                    {"narrow/input", kTokens, kInner, kHidden, kPlain, kTurned, 0},
                                    {"qkv/weight", kHidden, 3 * kHidden, kTokens, kTurned, kPlain, 1},
                                    {"out/weight", kHidden, kHidden, kTokens, kTurned, kPlain, 1},
                                    {"widen/weight", kHidden, kInner, kTokens, kTurned, kPlain, 1},
                                    {"narrow/weight", kInner, kHidden, kTokens, kTurned, kPlain, 1},
                                    {"logits/forward", kTokens, kVocabulary, kHidden, kPlain, kTurned, 0},
                                    {"logits/input", kTokens, kHidden, kVocabulary, kPlain, kPlain, 0},
                                    {"logits/weight", kVocabulary, kHidden, kTokens, kTurned, kPlain, 1}})
        add(std::string("product/") + size.name, [size](benchmark::State &state) { product(state, size); });
}

void addAttention(const kernels::AttentionShape &shape)
{
    const std::string size = std::to_string(shape.sequence) + "/heads:" + std::to_string(shape.heads) +
                             "/kv:" + std::to_string(shape.kvHeads) + "/size:" + std::to_string(shape.size);
    const auto run = [shape](benchmark::State &state, bool isForward) {
        const std::int64_t tokens = shape.batch * shape.sequence;
        Floats qkv(tokens * shape.qkvWidth()), out(tokens * shape.width()), sums(tokens * shape.heads);
        Floats outGradient(tokens * shape.width()), qkvGradient(tokens * shape.qkvWidth());
        Floats scratch(kernels::attentionScratch(shape));
        kernels::useOneThreadPerCall();
        kernels::attentionForward(out, sums, qkv, shape, scratch);
        for (auto step : state) {
            if (isForward)
                kernels::attentionForward(out, sums, qkv, shape, scratch);
            else
                kernels::attentionBackward(qkvGradient, outGradient, qkv, out, sums, shape, scratch);
        }
        // Two products of the visible half in the forward, five in the backward.
        const double pairs = 0.5 * static_cast<double>(shape.batch * shape.heads * shape.sequence * (shape.sequence + 1));
        countFlops(state, (isForward ? 2 : 5) * 2.0 * pairs * static_cast<double>(shape.size));
    };
    add("attention/forward/" + size, [run](benchmark::State &state) { run(state, true); });
    add("attention/backward/" + size, [run](benchmark::State &state) { run(state, false); });
}

void addNorms()
{
    add("norm/forward", [](benchmark::State &state) {
        Floats in(kTokens * kHidden), out(kTokens * kHidden), weight(kHidden), bias(kHidden), mean(kTokens), rstd(kTokens);
        for (auto step : state)
            kernels::layerNormForward(out, mean, rstd, in, weight, bias, kTokens, kHidden);
        countBytes(state, 2 * kTokens * kHidden);
    });
    add("norm/backward", [](benchmark::State &state) {
        Floats in(kTokens * kHidden), gradient(kTokens * kHidden), outGradient(kTokens * kHidden), weight(kHidden);
        Floats weightGradient(kHidden), biasGradient(kHidden), mean(kTokens), rstd(kTokens);
        for (auto step : state)
            kernels::layerNormBackward(gradient, weightGradient, biasGradient, outGradient, in, mean, rstd, weight, kTokens,
                                       kHidden);
        countBytes(state, 4 * kTokens * kHidden);
    });
}

void addElementwise()
{
    constexpr std::int64_t kWide = kTokens * 4 * kHidden;
    add("gelu/forward", [](benchmark::State &state) {
        Floats in(kWide), out(kWide);
        for (auto step : state)
            kernels::activationForward(kernels::Activation::Gelu, out, in, kWide);
        countBytes(state, 2 * kWide);
    });
    add("gelu/backward", [](benchmark::State &state) {
        Floats in(kWide), gradient(kWide);
        for (auto step : state)
            kernels::activationBackward(kernels::Activation::Gelu, gradient, in, kWide);
        countBytes(state, 3 * kWide);
    });
    add("bias/fill", [](benchmark::State &state) {
        Floats out(kWide), bias(4 * kHidden);
        for (auto step : state)
            kernels::fillRows(out, bias, nullptr, kTokens, 4 * kHidden);
        countBytes(state, kWide);
    });
    add("bias/gradient", [](benchmark::State &state) {
        Floats in(kWide), sums(4 * kHidden);
        for (auto step : state)
            kernels::addColumnSums(sums, in, kTokens, 4 * kHidden);
        countBytes(state, kWide);
    });
    add("adamw", [](benchmark::State &state) {
        constexpr std::int64_t kCount = 16 * 1024 * 1024;
        Floats value(kCount), gradient(kCount), first(kCount), second(kCount, 0.0F);
        for (auto step : state)
            kernels::adamwStep(value, gradient, first, second, {1e-3F, 0.9F, 0.95F}, kCount);
        countBytes(state, 8 * kCount);
    });
    add("norm-of-gradient", [](benchmark::State &state) {
        constexpr std::int64_t kCount = 16 * 1024 * 1024;
        Floats gradient(kCount);
        for (auto step : state)
            benchmark::DoNotOptimize(kernels::sumOfSquares(gradient, kCount));
        countBytes(state, kCount);
    });
}

void addVocabulary()
{
    add("softmax", [](benchmark::State &state) {
        Floats logits(kTokens * kVocabulary), maximum(kTokens), sum(kTokens), target(kTokens);
        const std::vector<std::int32_t> labels(kTokens, 7);
        for (auto step : state)
            kernels::localSoftmax(maximum, sum, target, {logits, kTokens, kVocabulary, 0}, labels.data());
        countBytes(state, 2 * kTokens * kVocabulary);
    });
    const auto ids = [] {
        std::vector<std::int32_t> all;
        for (std::int32_t token = 0; token < kTokens; ++token)
            all.push_back(token * 127 % static_cast<std::int32_t>(kVocabulary));
        return all;
    };
    add("embedding/gather", [ids](benchmark::State &state) {
        Floats table(kVocabulary * kHidden), out(kTokens * kHidden);
        for (auto step : state)
            kernels::gatherRows(out, table, {0, kVocabulary, kHidden}, ids().data(), kTokens);
        countBytes(state, 2 * kTokens * kHidden);
    });
    add("embedding/scatter", [ids](benchmark::State &state) {
        Floats table(kVocabulary * kHidden), in(kTokens * kHidden);
        for (auto step : state)
            kernels::scatterAddRows(table, {0, kVocabulary, kHidden}, ids().data(), in, 1e-9F, kTokens);
        countBytes(state, 3 * kTokens * kHidden);
    });
}

} // namespace

int main(int argc, char **argv)
{
    addProducts();
    for (const std::int64_t size : {32, 64, 128})
        for (const std::int64_t sequence : {256, 512, 1024, 2048})
            addAttention({1, sequence, 512 / size, 512 / size, size});
    addAttention({1, 1024, 8, 2, 64});
    addNorms();
    addElementwise();
    addVocabulary();
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
