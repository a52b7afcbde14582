// Attention of parts of sequences, whose keys are separate: slices, chunks of context ranks, and hops of a ring.
#include "kernels/cuda/selftest/bench.h"
#include "kernels/include/attention.h"

#include <algorithm>

namespace stagelens::kernels::gpu::selftest {
namespace {

/// What a call reads, and what it adds to.
template <class T>
struct Inputs {
    std::vector<T> qkv, keys, dy, out, gradient, keyGradient;
    std::vector<float> logSumExp;
    Inputs(Case &test, const AttentionShape &shape)
        : qkv(test.random<T>(rows(shape) * shape.qkvWidth())), keys(test.random<T>(ofKeys(shape))),
          dy(test.random<T>(rows(shape) * shape.width())), out(test.random<T>(rows(shape) * shape.width())),
          gradient(test.random<T>(rows(shape) * shape.qkvWidth())), keyGradient(test.random<T>(ofKeys(shape))),
          logSumExp(test.random<float>(rows(shape) * shape.heads))
    {}
    static std::int64_t rows(const AttentionShape &shape) { return shape.batch * shape.sequence; }
    static std::int64_t ofKeys(const AttentionShape &shape) { return shape.batch * shape.keys * 2 * shape.kvWidth(); }
};

/// The same on the processor.
struct Expected {
    std::vector<float> out, logSumExp, gradient, keyGradient;
    template <class T>
    Expected(const Inputs<T> &in, const AttentionShape &shape)
        : out(floatsOf(in.out)), logSumExp(in.logSumExp), gradient(floatsOf(in.gradient)), keyGradient(floatsOf(in.keyGradient))
    {
        const auto qkv = floatsOf(in.qkv), keys = floatsOf(in.keys), dy = floatsOf(in.dy);
        std::vector<float> scratch(size(attentionScratch(shape)));
        kernels::attentionForward(out.data(), logSumExp.data(), qkv.data(), shape, scratch.data(), {}, nullptr,
                                  {keys.data(), nullptr});
        kernels::attentionBackward(gradient.data(), dy.data(), qkv.data(), out.data(), logSumExp.data(), shape, scratch.data(),
                                   {}, nullptr, {keys.data(), keyGradient.data()});
    }
};

/// Compares the array that `wanted` names: 0 the outputs, 1 the sums of exponentials, 2 and 3 the gradients.
template <class T>
void runPart(Bench &bench, const char *name, const AttentionShape &shape, int wanted)
{
    constexpr const char *kWanted[] = {"forward", "sums of exponentials", "gradients of queries", "gradients of keys"};
    Case test = bench.begin<T>(std::string("attention of ") + name + ", " + kWanted[wanted],
                               {shape.batch, shape.sequence, shape.keys, shape.heads, shape.kvHeads, shape.size});
    const Inputs<T> in(test, shape);
    const Expected expected(in, shape);
    T *out = test.put(in.out), *gradient = test.put(in.gradient), *keyGradient = test.put(in.keyGradient);
    float *sums = test.put(in.logSumExp), *scratch = test.space<float>(attentionBackwardScratch(shape));
    const T *qkv = test.put(in.qkv), *keys = test.put(in.keys), *dy = test.put(in.dy);
    const auto work = [&] {
        const Status status = attentionForward<T>(test.stream(), out, sums, qkv, shape, {keys, nullptr});
        return status.failed() || wanted < 2
                   ? status
                   : attentionBackward<T>(test.stream(), gradient, dy, qkv, out, sums, shape, scratch, {keys, keyGradient});
    };
    const auto again = [&] {
        test.restore(out, in.out);
        test.restore(sums, in.logSumExp);
        test.restore(gradient, in.gradient);
        test.restore(keyGradient, in.keyGradient);
    };
    switch (wanted) {
    case 0: return test.compare(out, expected.out, work, again, kForwardBound<T>);
    case 1: return test.compare(sums, expected.logSumExp, work, again, 1e-5);
    case 2: return test.compare(gradient, expected.gradient, work, again, kBackwardBound<T>);
    default: return test.compare(keyGradient, expected.keyGradient, work, again, kBackwardBound<T>);
    }
}

/// Chunks of `chunk` tokens: the middle one of three slices, rank 1 of 2 context ranks, and two hops of a ring.
template <class T>
void runParts(Bench &bench, const AttentionShape &whole, std::int64_t chunk)
{
    AttentionShape slice = whole;
    slice.sequence = chunk;
    slice.keys = 3 * chunk;
    slice.firstChunk = chunk;
    slice.visibleKeys = 2 * chunk;
    slice.isOneChunk = slice.addsKeyGradients = true;
    AttentionShape rank = whole;
    rank.sequence = 2 * chunk;
    rank.keys = 4 * chunk;
    rank.firstChunk = chunk;
    rank.secondChunk = 2 * chunk;
    AttentionShape hop = whole;
    hop.sequence = hop.keys = hop.firstChunk = hop.secondChunk = 2 * chunk;
    hop.extends = true;
    AttentionShape earlier = hop, later = hop;
    earlier.visibleKeys = chunk;
    later.skipsFirst = true;
    for (int wanted = 0; wanted < 4; ++wanted) {
        runPart<T>(bench, "a slice", slice, wanted);
        runPart<T>(bench, "two chunks", rank, wanted);
        runPart<T>(bench, "a ring, earlier keys", earlier, wanted);
        runPart<T>(bench, "a ring, later keys", later, wanted);
    }
}

} // namespace

void runAttentionParts(Bench &bench)
{
    const bool isLarge = bench.isLarge();
    runParts<float>(bench, {2, 0, 4, 2, 12}, 9);
    runParts<Bf16>(bench, {1, 0, 2, 1, 20}, 9);
    runParts<Bf16>(bench, {1, 0, 2, 1, 64}, 37);
    runParts<Bf16>(bench, {1, 0, 1, 1, 128}, 33);
    runParts<Fp16>(bench, {1, 0, 1, 1, 64}, 9);
    if (!isLarge)
        return;
    runParts<Bf16>(bench, {1, 0, 6, 2, 64}, 500);
    runParts<Bf16>(bench, {2, 0, 4, 4, 128}, 512);
    runParts<Fp16>(bench, {2, 0, 4, 4, 128}, 512);
}

} // namespace stagelens::kernels::gpu::selftest
