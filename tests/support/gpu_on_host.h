// What the tests of the GPU kernels share: fibres instead of a GPU, and numbers of either compute type.
#pragma once

#include "kernels/include/rounding.h"
#include "kernels/include/stream.h"
#include "tests/cuda_emulator/fibres.h"
#include "tests/support/kernel_numbers.h"

#include <QtTest>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

namespace stagelens::test {

using kernels::Bf16;
using kernels::Fp16;
using kernels::gpu::Status;
using kernels::gpu::Stream;

inline const Stream kStream{};
inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// To be called by initTestCase().
inline void needFibres()
{
#if defined(__SANITIZE_THREAD__)
    QSKIP("the threads of a block are fibres of one thread here: there is nothing for ThreadSanitizer to find");
#endif
}

/// Seeds of the order of fibres; STAGELENS_SEED adds one.
inline std::vector<std::uint64_t> fibreSeeds()
{
    std::vector<std::uint64_t> seeds{1, 2};
    if (qEnvironmentVariableIsSet("STAGELENS_SEED"))
        seeds.push_back(qEnvironmentVariable("STAGELENS_SEED").toULongLong());
    return seeds;
}

/// A GPU with less shared memory, as long as it lives.
class SharedLimit {
public:
    explicit SharedLimit(std::size_t bytes) { kernels::gpu::host::setSharedLimit(bytes); }
    ~SharedLimit() { kernels::gpu::host::setSharedLimit(m_before); }
    SharedLimit(const SharedLimit &) = delete;
    SharedLimit &operator=(const SharedLimit &) = delete;

private:
    std::size_t m_before = kernels::gpu::host::sharedLimit();
};

/// Fails the test with the fault of a launch.
inline bool went(Status status)
{
    if (status.failed())
        qWarning("status %d: %s", status.code, kernels::gpu::host::lastFault().c_str());
    return !status.failed();
}

template <class T>
std::vector<T> as(const std::vector<float> &values)
{
    if constexpr (std::is_same_v<T, float>) {
        return values;
    } else {
        std::vector<T> rounded(values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            rounded[i] = kernels::rounded<T>(values[i]);
        return rounded;
    }
}
template <class T>
std::vector<double> doublesOf(const std::vector<T> &values)
{
    std::vector<double> all(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        all[i] = static_cast<double>(kernels::toFloat(values[i]));
    return all;
}
template <class T>
std::vector<float> floatsOf(const std::vector<T> &values)
{
    std::vector<float> all(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        all[i] = kernels::toFloat(values[i]);
    return all;
}
template <class T>
std::vector<T> filledWith(std::size_t count, float value)
{
    return as<T>(std::vector<float>(count, value));
}

/// Whether each value is right: floats as those of the CPU kernels, |x - reference| <= u (|reference| + root mean square) for
/// others, where u is 2^-8 for bf16 and 2^-11 for fp16.
template <class T>
bool isRight(const std::vector<T> &values, const std::vector<double> &reference)
{
    if (values.size() != reference.size())
        return false;
    double squares = 0;
    for (const double value : reference)
        squares += value * value;
    const double mean = reference.empty() ? 0 : std::sqrt(squares / static_cast<double>(reference.size()));
    constexpr double kRounding = std::is_same_v<T, Fp16> ? 0x1p-11 : 0x1p-8;
    double difference = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double miss = std::abs(static_cast<double>(kernels::toFloat(values[i])) - reference[i]);
        difference += miss * miss;
        const bool isOff = !(miss <= kRounding * (std::abs(reference[i]) + mean));
        if (isOff) {
            qWarning("element %zu of %zu is %g instead of %g", i, values.size(),
                     static_cast<double>(kernels::toFloat(values[i])), reference[i]);
            return false;
        }
    }
    if constexpr (std::is_same_v<T, float>) {
        const bool isClose = std::sqrt(difference) <= 1e-6 * std::sqrt(squares);
        if (!isClose)
            qWarning("relative error %g", std::sqrt(difference / squares));
        return isClose;
    }
    return true;
}

/// Returns the vector that `work` fills under one order of fibres; the test fails if another order gives other bits.
template <class T>
std::vector<T> sameBitsInEveryOrder(const std::function<std::vector<T>()> &work)
{
    std::vector<T> first;
    for (const std::uint64_t seed : fibreSeeds()) {
        kernels::gpu::host::setSeed(seed);
        std::vector<T> values = work();
        if (first.empty())
            first = values;
        const bool isSame = values.size() == first.size() &&
                            (values.empty() || std::memcmp(values.data(), first.data(), values.size() * sizeof(T)) == 0);
        if (!isSame)
            QTest::qFail(qPrintable(QStringLiteral("other bits with seed %1").arg(seed)), __FILE__, __LINE__);
    }
    return first;
}

} // namespace stagelens::test
