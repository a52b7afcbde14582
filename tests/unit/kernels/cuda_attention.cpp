// The GPU's causal attention, on fibres, against plain loops in double.
#include "kernels/include/attention.h"
#include "tests/support/gpu_on_host.h"
#include "tests/support/test_program.h"

namespace unit_kernels_cuda_attention {

using namespace stagelens::kernels;
using namespace stagelens::test;

namespace {

/// Attention and its gradients in double, one head of queries after another.
class Reference {
public:
    Reference(const AttentionShape &shape, std::vector<double> qkv, std::vector<double> dy)
        : m_shape(shape), m_qkv(std::move(qkv)), m_dy(std::move(dy)), m_gradient(m_qkv.size()), m_out(m_dy.size()),
          m_logSumExp(m_dy.size() / static_cast<std::size_t>(shape.size))
    {
        for (std::int64_t b = 0; b < shape.batch; ++b)
            for (std::int64_t head = 0; head < shape.heads; ++head)
                for (std::int64_t query = 0; query < shape.sequence; ++query)
                    runQuery(b, head, query);
    }
    [[nodiscard]] const std::vector<double> &out() const { return m_out; }
    [[nodiscard]] const std::vector<double> &logSumExp() const { return m_logSumExp; }
    [[nodiscard]] const std::vector<double> &gradient() const { return m_gradient; }

private:
    void runQuery(std::int64_t b, std::int64_t head, std::int64_t query)
    {
        const auto size = static_cast<std::size_t>(m_shape.size);
        const auto keys = static_cast<std::size_t>(query) + 1;
        const std::int64_t own = head / (m_shape.heads / m_shape.kvHeads);
        const auto at = [&](std::int64_t token, std::int64_t column) {
            return static_cast<std::size_t>((b * m_shape.sequence + token) * m_shape.qkvWidth() + column * m_shape.size);
        };
        const std::size_t q = at(query, head);
        const auto k = [&](std::size_t j) { return at(static_cast<std::int64_t>(j), m_shape.heads + own); };
        const auto v = [&](std::size_t j) { return at(static_cast<std::int64_t>(j), m_shape.heads + m_shape.kvHeads + own); };
        const auto y = static_cast<std::size_t>((b * m_shape.sequence + query) * m_shape.width() + head * m_shape.size);
        const double share = 1 / std::sqrt(static_cast<double>(size));
        std::vector<double> weights(keys), slopes(keys);
        double maximum = -HUGE_VAL;
        for (std::size_t j = 0; j < keys; ++j) {
            for (std::size_t d = 0; d < size; ++d)
                weights[j] += share * m_qkv[q + d] * m_qkv[k(j) + d];
            maximum = std::max(maximum, weights[j]);
        }
        double sum = 0;
        for (double &weight : weights)
            sum += weight = std::exp(weight - maximum);
        m_logSumExp[static_cast<std::size_t>((b * m_shape.heads + head) * m_shape.sequence + query)] = maximum + std::log(sum);
        double mean = 0;
        for (std::size_t j = 0; j < keys; ++j) {
            weights[j] /= sum;
            for (std::size_t d = 0; d < size; ++d) {
                m_out[y + d] += weights[j] * m_qkv[v(j) + d];
                slopes[j] += m_dy[y + d] * m_qkv[v(j) + d];
                m_gradient[v(j) + d] += weights[j] * m_dy[y + d];
            }
            mean += weights[j] * slopes[j];
        }
        for (std::size_t j = 0; j < keys; ++j) {
            const double slope = share * weights[j] * (slopes[j] - mean);
            for (std::size_t d = 0; d < size; ++d) {
                m_gradient[q + d] += slope * m_qkv[k(j) + d];
                m_gradient[k(j) + d] += slope * m_qkv[q + d];
            }
        }
    }

    AttentionShape m_shape;
    std::vector<double> m_qkv, m_dy, m_gradient, m_out, m_logSumExp;
};

/// Norm of the difference over that of the reference, which must be below `bound`.
template <class T>
bool isNear(const std::vector<T> &values, const std::vector<double> &reference, double bound)
{
    const double miss = values.size() == reference.size() ? error(floatsOf(values), reference) : HUGE_VAL;
    const bool isBelow = miss < bound;
    if (!isBelow)
        qWarning("relative error %g", miss);
    return isBelow;
}

/// What a kernel leaves in an array that begins `shift` elements behind a multiple of 16 bytes.
template <class T>
std::vector<T> made(std::size_t count, std::size_t shift, const std::function<Status(T *)> &work)
{
    return sameBitsInEveryOrder<T>([&] {
        auto all = filledWith<T>(count + shift, kNaN);
        if (!went(work(all.data() + shift)))
            return std::vector<T>{};
        return std::vector<T>(all.begin() + static_cast<std::ptrdiff_t>(shift), all.end());
    });
}

/// Probabilities are bfloat16 before they meet the values, so an element is off by more than its own rounding.
template <class T>
constexpr double kForwardBound = std::is_same_v<T, float>  ? 1e-6
                                 : std::is_same_v<T, Fp16> ? 5e-4
                                                           : 4e-3;
template <class T>
constexpr double kBackwardBound = std::is_same_v<T, float>  ? 2e-6
                                  : std::is_same_v<T, Fp16> ? 1.25e-3
                                                            : 1e-2;

template <class T>
void check(const AttentionShape &shape, double scale, std::size_t shift = 0)
{
    const auto tokens = static_cast<std::size_t>(shape.batch * shape.sequence);
    const std::size_t width = tokens * static_cast<std::size_t>(shape.width());
    const auto qkv = as<T>(randomValues(tokens * static_cast<std::size_t>(shape.qkvWidth()), 1, scale));
    const auto dy = as<T>(randomValues(width, 2));
    const Reference reference(shape, doublesOf(qkv), doublesOf(dy));

    std::vector<float> logSumExp(tokens * static_cast<std::size_t>(shape.heads));
    const auto out = made<T>(width, shift, [&](T *y) {
        std::fill(logSumExp.begin(), logSumExp.end(), kNaN);
        return gpu::attentionForward<T>(kStream, y, logSumExp.data(), qkv.data(), shape);
    });
    QVERIFY(isNear(out, reference.out(), kForwardBound<T>));
    for (std::size_t i = 0; i < logSumExp.size(); ++i)
        QVERIFY(std::abs(static_cast<double>(logSumExp[i]) - reference.logSumExp()[i]) <
                1e-5 * (1 + std::abs(reference.logSumExp()[i])));

    const auto gradient = made<T>(qkv.size(), shift, [&](T *dx) {
        std::vector<float> scratch(static_cast<std::size_t>(gpu::attentionBackwardScratch(shape)), kNaN);
        return gpu::attentionBackward<T>(kStream, dx, dy.data(), qkv.data(), out.data(), logSumExp.data(), shape,
                                         scratch.data());
    });
    QVERIFY(isNear(gradient, reference.gradient(), kBackwardBound<T>));
}

} // namespace

class KernelsCudaAttention : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { needFibres(); }

    void tensorCores_data()
    {
        QTest::addColumn<int>("sequence");
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("kvHeads");
        QTest::addColumn<int>("size");
        QTest::addColumn<double>("scale"); // of queries, keys and values
        QTest::addRow("one token") << 1 << 1 << 1 << 64 << 1.0;
        QTest::addRow("a part of a tile") << 37 << 3 << 1 << 64 << 1.0;
        QTest::addRow("whole tiles") << 128 << 1 << 1 << 64 << 1.0;
        QTest::addRow("three tiles, shared keys") << 150 << 2 << 1 << 64 << 1.0;
        QTest::addRow("heads of 128") << 131 << 1 << 1 << 128 << 1.0;
        QTest::addRow("large scores") << 70 << 1 << 1 << 64 << 6.0;
    }
    void tensorCores()
    {
        QFETCH(int, sequence);
        QFETCH(int, heads);
        QFETCH(int, kvHeads);
        QFETCH(int, size);
        QFETCH(double, scale);
        check<Bf16>({sequence > 100 ? 1 : 2, sequence, heads, kvHeads, size}, scale);
        if (sequence == 131 || sequence == 70)
            check<Fp16>({1, sequence, heads, kvHeads, size}, scale);
    }

    void otherSizesAndTypes()
    {
        check<float>({1, 1, 1, 1, 4}, 1.0);
        check<float>({2, 37, 4, 2, 12}, 1.0); // shared keys, a part of 32 keys
        check<float>({1, 70, 1, 1, 64}, 3.0);
        check<float>({1, 33, 2, 1, 128}, 1.0);
        check<float>({1, 5, 1, 1, 256}, 1.0);
        check<Bf16>({2, 37, 4, 2, 20}, 1.0);
        check<Fp16>({2, 37, 4, 2, 20}, 1.0);
        check<Bf16>({1, 33, 1, 1, 64}, 1.0, 1); // where loads of 16 bytes cannot begin
    }

    void otherShapesAreRefused()
    {
        std::vector<Bf16> values(4096);
        std::vector<float> floats(64);
        for (const AttentionShape &shape :
             {AttentionShape{1, 2, 1, 1, 260}, {1, 2, 3, 2, 64}, {1, 2, 1, 0, 64}, {1, 2, 1, 1, 0}}) {
            QVERIFY(gpu::attentionForward(kStream, values.data(), floats.data(), values.data(), shape).failed());
            QVERIFY(gpu::attentionBackward(kStream, values.data(), values.data(), values.data(), values.data(), floats.data(),
                                           shape, floats.data())
                        .failed());
        }
    }
};

STAGELENS_TEST(KernelsCudaAttention)

} // namespace unit_kernels_cuda_attention

#include "kernels/cuda_attention.moc"
