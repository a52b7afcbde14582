// The launch layer of the GPU kernels on the host: fibres as the threads of a block, and what they must find.
#include "kernels/cuda/gpu.h"
#include "kernels/cuda/rows.h"
#include "tests/support/gpu_on_host.h"
#include "tests/support/test_program.h"

namespace unit_kernels_cuda_layer {

using namespace stagelens::kernels;
using namespace stagelens::kernels::gpu;
using namespace stagelens::test;

namespace {

void placeKernel(int *seen)
{
    const int block = (blockIndexZ() * 3 + blockIndexY()) * gridBlocks() + blockIndex();
    seen[block * blockThreads() + threadIndex()] += 1;
}

void sumKernel(float *out, const float *in)
{
    out[threadIndex()] = blockSum(in[threadIndex()], reinterpret_cast<float *>(sharedBytes()));
}

/// Each thread reads what another one writes; without Guarded nothing sees to it that it is there.
template <bool Guarded>
void neighbourKernel(float *out)
{
    auto *shared = reinterpret_cast<float *>(sharedBytes());
    const int other = (threadIndex() + 37) % blockThreads();
    shared[threadIndex()] = static_cast<float>(threadIndex());
    if constexpr (Guarded)
        syncBlock();
    out[threadIndex()] = shared[other];
}

/// A second value is written where slow threads may still read the first.
template <bool Guarded>
void reuseKernel(float *out)
{
    auto *shared = reinterpret_cast<float *>(sharedBytes());
    for (int round = 0; round < 4; ++round) {
        if (threadIndex() == round)
            *shared = static_cast<float>(round);
        syncBlock();
        out[round * blockThreads() + threadIndex()] = *shared;
        if constexpr (Guarded)
            syncBlock();
    }
}

void divergentKernel()
{
    if (threadIndex() < 40)
        syncBlock();
    else
        syncBlock();
}

void earlyEndKernel()
{
    if (threadIndex() >= 64)
        return;
    syncBlock();
}

void divergentWarpKernel(float *out)
{
    if (threadIndex() % 2 == 0)
        out[threadIndex()] = shuffleXor(1.0F, 2);
    else
        out[threadIndex()] = shuffleXor(2.0F, 2);
}

template <bool Waits>
void copyKernel(float *out, const float *in)
{
    auto *shared = reinterpret_cast<float *>(sharedBytes());
    copyAsync16(shared, 16 * threadIndex(), in + 4 * threadIndex(), threadIndex() % 2 == 0);
    commitCopies();
    if constexpr (Waits)
        waitForCopies<0>();
    store16(out + 4 * threadIndex(), load16(shared + 4 * threadIndex()));
}

void crookedKernel(const float *in)
{
    static_cast<void>(load16(in + 1));
}

/// c[16, 8] = a[16, 16] b[16, 8]; a row-major, b either as [8, 16] or, to be transposed, as [16, 8].
template <class T, bool Transposed>
void productKernel(float *c, const T *a, const T *b)
{
    auto *shared = reinterpret_cast<T *>(sharedBytes());
    for (int i = threadIndex(); i < 256; i += 32)
        shared[i] = a[i];
    for (int i = threadIndex(); i < 128; i += 32)
        shared[256 + i] = b[i];
    syncBlock();
    const int lane = threadIndex();
    std::uint32_t as[4], bs[4];
    loadMatrices(as, shared, lane % 16 * 32 + lane / 16 * 16);
    if constexpr (Transposed)
        loadMatricesTransposed(bs, shared, 512 + lane % 16 * 16);
    else
        loadMatrices(bs, shared, 512 + lane % 8 * 32 + lane / 8 % 2 * 16);
    float sums[4] = {};
    multiplyMatrices<T>(sums, as, bs[0], bs[1]);
    for (int i = 0; i < 4; ++i)
        c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = sums[i];
}

template <class T>
void checkMatrices()
{
    const auto a = as<T>(randomValues(256, 2));
    const auto b = as<T>(randomValues(128, 3)); // [8, 16]
    std::vector<T> turned(128);
    std::vector<double> expected(128);
    for (std::size_t i = 0; i < 16; ++i)
        for (std::size_t j = 0; j < 8; ++j) {
            turned[i * 8 + j] = b[j * 16 + i];
            for (std::size_t k = 0; k < 16; ++k)
                expected[i * 8 + j] +=
                    static_cast<double>(toFloat(a[i * 16 + k])) * static_cast<double>(toFloat(b[j * 16 + k]));
        }
    std::vector<float> c(128);
    QVERIFY(went(launch<productKernel<T, false>>({.sharedBytes = 768}, c.data(), a.data(), b.data())));
    QVERIFY(isRight(c, expected));
    QVERIFY(went(launch<productKernel<T, true>>({.sharedBytes = 768}, c.data(), a.data(), turned.data())));
    QVERIFY(isRight(c, expected));
}

std::string faultOf(Status status)
{
    return status.failed() ? host::lastFault() : std::string("no fault");
}

bool hasIn(const std::string &text, std::initializer_list<const char *> words)
{
    for (const char *word : words)
        if (text.find(word) == std::string::npos) {
            qWarning("not in \"%s\": %s", text.c_str(), word);
            return false;
        }
    return true;
}

} // namespace

class KernelsCudaLayer : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        needFibres();
        for (const std::uint64_t seed : fibreSeeds())
            qInfo("order of fibres: seed %llu", static_cast<unsigned long long>(seed));
    }
    void init() { host::setSeed(1); }

    void bfloat16RoundsToNearestEven()
    {
        QCOMPARE(toBf16(1.0F).bits, 0x3f80);
        QCOMPARE(toBf16(1.00390625F).bits, 0x3f80); // half way: to the even one
        QCOMPARE(toBf16(1.01171875F).bits, 0x3f82);
        QCOMPARE(toFloat(toBf16(kInfinity)), kInfinity);
        QCOMPARE(toFloat(toBf16(3.4e38F)), kInfinity);
        QVERIFY(std::isnan(toFloat(toBf16(kNaN))));
        QVERIFY(std::isnan(toFloat(toBf16(std::bit_cast<float>(0x7f800001U)))));
    }

    void everyThreadRunsOnce()
    {
        std::vector<int> seen(5 * 3 * 2 * 64);
        QVERIFY(went(launch<placeKernel>({.blocks = 5, .threads = 64, .blocksY = 3, .blocksZ = 2}, seen.data())));
        QCOMPARE(seen, std::vector<int>(seen.size(), 1));
        QVERIFY(went(launch<placeKernel>({.blocks = 0}, seen.data()))); // nothing to do is no fault
        QVERIFY(launch<placeKernel>({.threads = 33}, seen.data()).failed());
        const SharedLimit few(1024);
        QVERIFY(hasIn(faultOf(launch<placeKernel>({.sharedBytes = 1025}, seen.data())), {"placeKernel", "1025", "1024"}));
    }

    void sumsAreTheSameInEveryThreadAndOrder()
    {
        const auto in = randomValues(256, 1);
        const auto out = sameBitsInEveryOrder<float>([&] {
            std::vector<float> sums(256);
            if (!went(launch<sumKernel>({.threads = 256, .sharedBytes = 32}, sums.data(), in.data())))
                sums.clear();
            return sums;
        });
        double exact = 0;
        for (const float value : in)
            exact += static_cast<double>(value);
        QVERIFY(std::abs(static_cast<double>(out[0]) - exact) < 1e-5);
        QCOMPARE(out, std::vector<float>(256, out[0]));
    }

    void aMissingBarrierShows()
    {
        for (const std::uint64_t seed : fibreSeeds()) {
            host::setSeed(seed);
            std::vector<float> guarded(128), bare(128), reused(512), overwritten(512);
            QVERIFY(went(launch<neighbourKernel<true>>({.threads = 128, .sharedBytes = 512}, guarded.data())));
            QVERIFY(went(launch<neighbourKernel<false>>({.threads = 128, .sharedBytes = 512}, bare.data())));
            QCOMPARE(guarded[0], 37.0F);
            QVERIFY(std::any_of(bare.begin(), bare.end(), [](float value) { return std::isnan(value); }));
            QVERIFY(went(launch<reuseKernel<true>>({.threads = 128, .sharedBytes = 4}, reused.data())));
            QCOMPARE(reused[511], 3.0F);
            QVERIFY(went(launch<reuseKernel<false>>({.threads = 128, .sharedBytes = 4}, overwritten.data())));
            QVERIFY(overwritten != reused);
        }
    }

    void divergenceIsAFault()
    {
        QVERIFY(hasIn(faultOf(launch<divergentKernel>({.threads = 64})),
                      {"divergentKernel", "block 0", "threads 0-39 wait at the barrier of cuda_layer.cpp:", "threads 40-63"}));
        QVERIFY(hasIn(faultOf(launch<earlyEndKernel>({.threads = 128})),
                      {"threads 0-63 wait at the barrier", "threads 64-127 wait no more: they have ended"}));
        std::vector<float> out(32);
        QVERIFY(hasIn(faultOf(launch<divergentWarpKernel>({}, out.data())), {"divergentWarpKernel", "of its warp is at"}));
        // What follows a fault is not disturbed by it.
        std::vector<float> guarded(128);
        QVERIFY(went(launch<neighbourKernel<true>>({.threads = 128, .sharedBytes = 512}, guarded.data())));
        QCOMPARE(guarded[0], 37.0F);
    }

    void copiesArriveWhenTheyAreWaitedFor()
    {
        alignas(16) float in[128];
        alignas(16) float out[128];
        std::fill_n(in, 128, 5.0F);
        QVERIFY(went(launch<copyKernel<true>>({.sharedBytes = 512}, out, in)));
        QCOMPARE(out[0], 5.0F);
        QCOMPARE(out[4], 0.0F); // an invalid source counts as zeros
        // Without waiting, a copy has arrived or not: with odd seeds it has.
        for (const std::uint64_t seed : {1, 2}) {
            host::setSeed(seed);
            QVERIFY(went(launch<copyKernel<false>>({.sharedBytes = 512}, out, in)));
            QVERIFY(seed == 1 ? out[0] == 5.0F : std::isnan(out[0]));
        }
        QVERIFY(hasIn(faultOf(launch<crookedKernel>({}, in)), {"crookedKernel", "no multiple of 16", "cuda_layer.cpp:"}));
    }

    void matricesAreMultiplied()
    {
        checkMatrices<Bf16>();
        checkMatrices<Fp16>();
    }
};

STAGELENS_TEST(KernelsCudaLayer)

} // namespace unit_kernels_cuda_layer

#include "kernels/cuda_layer.moc"
