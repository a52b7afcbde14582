// The self-test of the GPU kernels, on fibres: it passes, it covers every type, and it tells what is wrong.
#include "kernels/cuda/selftest/selftest.h"
#include "tests/support/gpu_on_host.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"

#include <cstdlib>
#include <set>

namespace unit_kernels_cuda_selftest {

using namespace stagelens::kernels;
using namespace stagelens::test;
using gpu::selftest::Result;

namespace {

class HostMemory : public gpu::selftest::Memory {
public:
    void *allocate(std::int64_t bytes) override
    {
        const bool hasRoom = bytes <= m_most;
        m_arrays += hasRoom ? 1 : 0;
        return hasRoom ? std::aligned_alloc(256, (static_cast<std::size_t>(bytes) + 255) / 256 * 256) : nullptr;
    }
    void release(void *array) override
    {
        --m_arrays;
        std::free(array);
    }
    Status upload(void *to, const void *from, std::int64_t bytes) override { return move(to, from, bytes); }
    Status download(void *to, const void *from, std::int64_t bytes) override
    {
        const Status status = move(to, from, bytes);
        if (m_spoils && bytes >= 4)
            static_cast<std::byte *>(to)[1] ^= std::byte{0x40};
        return status;
    }
    [[nodiscard]] int arrays() const { return m_arrays; }
    std::int64_t m_most = std::int64_t{1} << 30;
    bool m_spoils = false; ///< changes what comes back

private:
    static Status move(void *to, const void *from, std::int64_t bytes)
    {
        if (bytes > 0)
            std::memcpy(to, from, static_cast<std::size_t>(bytes));
        return {};
    }
    int m_arrays = 0;
};

bool allPass(const std::vector<Result> &results)
{
    bool all = true;
    for (const Result &result : results)
        if (!result.passed()) {
            qWarning("%s, %s, %s: %g of %g %s", result.kernel.c_str(), result.type.c_str(), result.shape.c_str(), result.error,
                     result.bound, result.fault.c_str());
            all = false;
        }
    return all;
}

} // namespace

class KernelsCudaSelftest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { needFibres(); }

    void everyKernelPasses()
    {
        HostMemory memory;
        const auto results = run(memory, kStream, gpu::selftest::Shapes::Small);
        QVERIFY(allPass(results));
        QCOMPARE(memory.arrays(), 0);
        std::set<std::string> kernels, types;
        for (const Result &result : results) {
            kernels.insert(result.kernel);
            types.insert(result.type);
        }
        QVERIFY(kernels.size() >= 20);
        for (const char *type : {"float", "bf16", "fp16", "float of bf16", "float of fp16"})
            QVERIFY(types.contains(type));
    }

    void whatIsWrongIsTold()
    {
        if (stagelens::test::kIsSanitized)
            QSKIP("the same kernels again");
        HostMemory spoiling;
        spoiling.m_spoils = true;
        int failed = 0;
        const auto results = run(spoiling, kStream, gpu::selftest::Shapes::Small);
        for (const Result &result : results)
            failed += result.passed() ? 0 : 1;
        QVERIFY(failed > static_cast<int>(results.size()) / 2);
        HostMemory little;
        little.m_most = 1000;
        bool told = false;
        for (const Result &result : run(little, kStream, gpu::selftest::Shapes::Small))
            told = told || result.fault.find("no memory for") != std::string::npos;
        QVERIFY(told);
        QCOMPARE(little.arrays(), 0);
    }
};

STAGELENS_TEST(KernelsCudaSelftest)

} // namespace unit_kernels_cuda_selftest

#include "kernels/cuda_selftest.moc"
