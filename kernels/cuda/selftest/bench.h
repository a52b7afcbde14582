// Random arrays in both memories and comparisons, shared by the cases of the self-test.
#pragma once

#include "kernels/cuda/selftest/selftest.h"
#include "kernels/include/rounding.h"

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace stagelens::kernels::gpu::selftest {

template <class T>
inline constexpr const char *kTypeName = std::is_same_v<T, float>  ? "float"
                                         : std::is_same_v<T, Bf16> ? "bf16"
                                                                   : "fp16";
/// Of sums in float of numbers of T.
template <class T>
inline const std::string kFloatOf = std::string("float of ") + kTypeName<T>;

/// The greatest relative error of a number that is rounded to T, of 16 bits.
template <class T>
inline constexpr double kRounding = std::is_same_v<T, Bf16> ? 0x1p-8 : 0x1p-11;

/// Tensor cores use probabilities of 16 bits, so norms are compared, not elements.
template <class T>
inline constexpr double kForwardBound = std::is_same_v<T, float> ? 2e-6 : 1.03 * kRounding<T>;
template <class T>
inline constexpr double kBackwardBound = std::is_same_v<T, float> ? 4e-6 : 2.6 * kRounding<T>;

template <class T>
std::vector<float> floatsOf(const std::vector<T> &values)
{
    std::vector<float> all(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        if constexpr (std::is_arithmetic_v<T>)
            all[i] = static_cast<float>(values[i]);
        else
            all[i] = toFloat(values[i]);
    return all;
}

constexpr std::size_t size(std::int64_t count)
{
    return static_cast<std::size_t>(count);
}

inline std::string shapeText(std::initializer_list<std::int64_t> lengths)
{
    std::string text;
    for (const std::int64_t length : lengths)
        text += (text.empty() ? "" : " x ") + std::to_string(length);
    return text;
}

/// One kernel with one shape. Owns its arrays.
class Case {
public:
    Case(Memory &memory, Stream stream, std::vector<Result> &results, std::string kernel, std::string type, std::string shape)
        : m_memory(memory), m_stream(stream), m_results(results)
    {
        m_result.kernel = std::move(kernel);
        m_result.type = std::move(type);
        m_result.shape = std::move(shape);
    }
    ~Case()
    {
        for (void *array : m_arrays)
            m_memory.release(array);
        m_results.push_back(std::move(m_result));
    }
    Case(const Case &) = delete;
    Case &operator=(const Case &) = delete;

    [[nodiscard]] Stream stream() const { return m_stream; }

    /// Returns uniform numbers of variance `deviation`^2, different in each call.
    template <class T>
    std::vector<T> random(std::int64_t count, float deviation = 1)
    {
        std::vector<T> values(size(count));
        for (T &value : values) {
            // SplitMix64 (Steele et al., 2014).
            std::uint64_t x = m_state += 0x9e3779b97f4a7c15ULL;
            x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
            x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
            const float unit = static_cast<float>((x ^ (x >> 31U)) >> 40U) * 0x1p-23F - 1.0F;
            const float number = unit * 1.7320508F * deviation;
            value = rounded<T>(number);
        }
        return values;
    }
    /// Returns device memory with these values; null after a fault.
    template <class T>
    T *put(const std::vector<T> &values)
    {
        const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(T));
        void *array = m_memory.allocate(bytes > 0 ? bytes : 1);
        if (array == nullptr) {
            note("no memory for " + std::to_string(bytes) + " bytes");
            return nullptr;
        }
        m_arrays.push_back(array);
        note(m_memory.upload(array, values.data(), bytes));
        return static_cast<T *>(array);
    }
    /// Returns device memory filled with NaN.
    template <class T>
    T *space(std::int64_t count)
    {
        std::vector<T> values(size(count));
        std::memset(static_cast<void *>(values.data()), 0xff, values.size() * sizeof(T));
        return put(values);
    }

    /// Runs `work`, which returns a Status, and compares `out` with the reference. Then `again` restores what the kernel
    /// changed, and a second run must give equal bits.
    template <class T, class Work, class Again>
    void compare(T *out, const std::vector<float> &reference, const Work &work, const Again &again, double bound = kBound<T>)
    {
        m_result.bound = bound;
        const std::vector<T> first = runOnce<T>(out, reference.size(), work);
        again();
        const std::vector<T> second = runOnce<T>(out, reference.size(), work);
        if (!m_result.fault.empty())
            return;
        m_result.error = bound >= kBound<T> && !std::is_same_v<T, float>
                             ? greatestShare(floatsOf(first), reference, kRounding<T>)
                             : relativeError(floatsOf(first), reference);
        if (std::memcmp(first.data(), second.data(), first.size() * sizeof(T)) != 0)
            note("a second run gave other bits");
    }
    template <class T, class Work>
    void compare(T *out, const std::vector<float> &reference, const Work &work, double bound = kBound<T>)
    {
        compare(
            out, reference, work, [] {}, bound);
    }

    /// As above, but `out` must have the bits of the reference: the error is the share of elements that differ.
    template <class T, class Work, class Again>
    void compareBits(T *out, const std::vector<T> &reference, const Work &work, const Again &again)
    {
        const std::vector<T> first = runOnce<T>(out, reference.size(), work);
        again();
        const std::vector<T> second = runOnce<T>(out, reference.size(), work);
        if (!m_result.fault.empty())
            return;
        std::size_t different = 0;
        for (std::size_t i = 0; i < reference.size(); ++i)
            different += std::memcmp(&first[i], &reference[i], sizeof(T)) != 0 ? 1 : 0;
        m_result.error = static_cast<double>(different) / static_cast<double>(reference.size());
        if (std::memcmp(first.data(), second.data(), first.size() * sizeof(T)) != 0)
            note("a second run gave other bits");
    }

    /// The bounds of most kernels: CPU and GPU may both be 1e-6 from float64. Bounds of 1 and more for 16 bits are in
    /// roundings.
    template <class T>
    static constexpr double kBound = std::is_same_v<T, float> ? 2e-6 : 1.0;

    template <class T>
    void restore(T *array, const std::vector<T> &values)
    {
        if (m_result.fault.empty())
            note(m_memory.upload(array, values.data(), static_cast<std::int64_t>(values.size() * sizeof(T))));
    }
    void note(Status status)
    {
        if (status.failed())
            note(explain(status));
    }

private:
    void note(const std::string &fault)
    {
        if (m_result.fault.empty())
            m_result.fault = fault;
    }
    template <class T, class Work>
    std::vector<T> runOnce(const T *out, std::size_t count, const Work &work)
    {
        std::vector<T> values(count);
        if (m_result.fault.empty())
            note(work());
        if (m_result.fault.empty())
            note(m_memory.download(values.data(), out, static_cast<std::int64_t>(count * sizeof(T))));
        return values;
    }
    static double relativeError(const std::vector<float> &values, const std::vector<float> &reference)
    {
        double difference = 0;
        double squares = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double exact = static_cast<double>(reference[i]);
            difference += (static_cast<double>(values[i]) - exact) * (static_cast<double>(values[i]) - exact);
            squares += exact * exact;
        }
        return difference == 0 ? 0 : std::sqrt(difference / squares);
    }
    static double greatestShare(const std::vector<float> &values, const std::vector<float> &reference, double rounding)
    {
        double squares = 0;
        for (const float value : reference)
            squares += static_cast<double>(value) * static_cast<double>(value);
        const double mean = std::sqrt(squares / static_cast<double>(reference.size()));
        double greatest = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double exact = static_cast<double>(reference[i]);
            if (static_cast<double>(values[i]) == exact)
                continue;
            const double share = std::abs(static_cast<double>(values[i]) - exact) / (rounding * (std::abs(exact) + mean));
            if (std::isnan(share))
                return share;
            greatest = share > greatest ? share : greatest;
        }
        return greatest;
    }

    Memory &m_memory;
    Stream m_stream;
    std::vector<Result> &m_results;
    Result m_result;
    std::vector<void *> m_arrays;
    std::uint64_t m_state = 20261122;
};

/// Creates cases.
class Bench {
public:
    Bench(Memory &memory, Stream stream, Shapes shapes) : m_memory(memory), m_stream(stream), m_shapes(shapes) {}
    [[nodiscard]] bool isLarge() const { return m_shapes == Shapes::Large; }
    template <class T>
    Case begin(std::string kernel, std::initializer_list<std::int64_t> lengths)
    {
        return Case(m_memory, m_stream, m_results, std::move(kernel), kTypeName<T>, shapeText(lengths));
    }
    Case beginTyped(std::string kernel, std::string type, std::string shape)
    {
        return Case(m_memory, m_stream, m_results, std::move(kernel), std::move(type), std::move(shape));
    }
    [[nodiscard]] std::vector<Result> takeResults() { return std::move(m_results); }

private:
    Memory &m_memory;
    Stream m_stream;
    Shapes m_shapes;
    std::vector<Result> m_results;
};

// The cases, one file each.
void runElements(Bench &bench);
void runLayers(Bench &bench);
void runAttentionParts(Bench &bench);
void runVocabulary(Bench &bench);
void runProducts(Bench &bench);
void runCombinations(Bench &bench);
void runOptimizers(Bench &bench);
void runCodecs(Bench &bench);
void runCompression(Bench &bench);
void runExperts(Bench &bench);

} // namespace stagelens::kernels::gpu::selftest
