// The GPU's layer and root mean square normalisation, on fibres, against plain loops in double.
#include "kernels/include/layernorm.h"
#include "kernels/include/rmsnorm.h"
#include "tests/support/gpu_on_host.h"
#include "tests/support/test_program.h"

namespace unit_kernels_cuda_norms {

using namespace stagelens::kernels;
using namespace stagelens::test;

namespace {

/// A norm in double: of in + residual, rounded to T, and its gradients.
template <class T>
struct Reference {
    bool centred = true;
    std::size_t rows = 0, width = 0;
    std::vector<double> sum, out, mean, rstd, inGradient, weightGradient, biasGradient;

    void run(const std::vector<T> &in, const std::vector<T> *residual, const std::vector<double> &weight,
             const std::vector<double> &bias, const std::vector<double> &dy)
    {
        sum = doublesOf(in);
        if (residual != nullptr) {
            std::vector<float> both(in.size());
            for (std::size_t i = 0; i < in.size(); ++i)
                both[i] = toFloat(in[i]) + toFloat((*residual)[i]);
            sum = doublesOf(as<T>(both));
        }
        out.resize(sum.size());
        inGradient.resize(sum.size());
        weightGradient.assign(width, 0);
        biasGradient.assign(width, 0);
        for (std::size_t row = 0; row < rows; ++row)
            runRow(row, weight, bias, dy);
    }

    void runRow(std::size_t row, const std::vector<double> &weight, const std::vector<double> &bias,
                const std::vector<double> &dy)
    {
        const double *x = sum.data() + row * width;
        const double count = static_cast<double>(width);
        double centre = 0;
        double squares = 0;
        for (std::size_t i = 0; centred && i < width; ++i)
            centre += x[i] / count;
        for (std::size_t i = 0; i < width; ++i)
            squares += (x[i] - centre) * (x[i] - centre) / count;
        const double r = 1 / std::sqrt(squares + (centred ? 1e-5 : 1e-6));
        mean.push_back(centre);
        rstd.push_back(r);
        double gradients = 0;
        double products = 0;
        for (std::size_t i = 0; i < width; ++i) {
            const double g = dy[row * width + i] * weight[i];
            gradients += centred ? g / count : 0;
            products += g * (x[i] - centre) * r / count;
        }
        for (std::size_t i = 0; i < width; ++i) {
            const std::size_t at = row * width + i;
            const double normalised = (x[i] - centre) * r;
            out[at] = normalised * weight[i] + (centred ? bias[i] : 0);
            inGradient[at] = r * (dy[at] * weight[i] - gradients - normalised * products);
            weightGradient[i] += dy[at] * normalised;
            biasGradient[i] += dy[at];
        }
    }
};

template <class T>
void check(bool centred, std::size_t rows, std::size_t width, bool hasResidual)
{
    const auto in = as<T>(randomValues(rows * width, 1, 3.0));
    const auto residual = as<T>(randomValues(rows * width, 2, 2.0));
    const auto weight = as<T>(randomValues(width, 3));
    const auto bias = as<T>(randomValues(width, 4));
    const auto dy = as<T>(randomValues(rows * width, 5));
    const auto before = as<T>(randomValues(rows * width, 6));
    const T *more = hasResidual ? residual.data() : nullptr;
    const auto r = static_cast<std::int64_t>(rows);
    const auto w = static_cast<std::int64_t>(width);
    Reference<T> reference{centred, rows, width, {}, {}, {}, {}, {}, {}, {}};
    reference.run(in, hasResidual ? &residual : nullptr, doublesOf(weight), doublesOf(bias), doublesOf(dy));

    std::vector<T> sum = in;
    std::vector<float> mean(rows, kNaN), rstd(rows, kNaN);
    const auto out = sameBitsInEveryOrder<T>([&] {
        auto y = filledWith<T>(rows * width, kNaN);
        const Status status =
            centred ? gpu::layerNormForward<T>(kStream, y.data(), mean.data(), rstd.data(), sum.data(), in.data(), more,
                                               weight.data(), bias.data(), r, w)
                    : gpu::rmsNormForward<T>(kStream, y.data(), rstd.data(), sum.data(), in.data(), more, weight.data(), r, w);
        if (!went(status))
            y.clear();
        return y;
    });
    QVERIFY(isRight(out, reference.out));
    QVERIFY(isRight(rstd, reference.rstd));
    QVERIFY(!centred || isRight(mean, reference.mean));
    QCOMPARE(doublesOf(sum), reference.sum);

    std::vector<double> expected = doublesOf(before); // gradients are added to what is there
    for (std::size_t i = 0; i < expected.size(); ++i)
        expected[i] += reference.inGradient[i];
    std::vector<float> parameters(2 * width);
    std::vector<T> dx;
    const auto sums = sameBitsInEveryOrder<float>([&] {
        dx = before;
        std::fill(parameters.begin(), parameters.end(), 0.5F);
        std::vector<float> scratch(static_cast<std::size_t>(gpu::normScratch(r, w)), kNaN);
        const Status status =
            centred ? gpu::layerNormBackward<T>(kStream, dx.data(), parameters.data(), parameters.data() + width, dy.data(),
                                                sum.data(), mean.data(), rstd.data(), weight.data(), r, w, scratch.data())
                    : gpu::rmsNormBackward<T>(kStream, dx.data(), parameters.data(), dy.data(), sum.data(), rstd.data(),
                                              weight.data(), r, w, scratch.data());
        return went(status) ? parameters : std::vector<float>{};
    });
    QVERIFY(isRight(dx, expected));
    std::vector<double> parameterGradients(2 * width, 0.5);
    for (std::size_t i = 0; i < width; ++i) {
        parameterGradients[i] += reference.weightGradient[i];
        parameterGradients[width + i] += centred ? reference.biasGradient[i] : 0;
    }
    QVERIFY(isRight(sums, parameterGradients));
}

} // namespace

class KernelsCudaNorms : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { needFibres(); }

    void norms_data()
    {
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("width");
        QTest::addColumn<bool>("hasResidual");
        QTest::addRow("one element") << 3 << 1 << false;
        QTest::addRow("odd") << 5 << 37 << true;
        QTest::addRow("wide") << 5 << 128 << true;
        QTest::addRow("several warps") << 3 << 1544 << false; // no whole number of turns
        QTest::addRow("several rows a block") << 520 << 8 << true;
        QTest::addRow("no rows") << 0 << 16 << false;
    }
    void norms()
    {
        QFETCH(int, rows);
        QFETCH(int, width);
        QFETCH(bool, hasResidual);
        for (const bool centred : {true, false}) {
            check<float>(centred, static_cast<std::size_t>(rows), static_cast<std::size_t>(width), hasResidual);
            check<Bf16>(centred, static_cast<std::size_t>(rows), static_cast<std::size_t>(width), hasResidual);
            check<Fp16>(centred, static_cast<std::size_t>(rows), static_cast<std::size_t>(width), hasResidual);
        }
    }

    /// On a GPU with little shared memory rows are read again, in the same order: the same bits.
    void rowsThatDoNotFitTheChip()
    {
        for (const bool centred : {true, false})
            for (const std::size_t width : {std::size_t{77}, std::size_t{512}}) {
                const SharedLimit few(1024);
                check<float>(centred, width == 77 ? 300 : 3, width, true);
                check<Bf16>(centred, 3, width, false);
            }
        const auto in = randomValues(4 * 300, 1), weight = randomValues(300, 2);
        const auto outOf = [&] {
            std::vector<float> out(1200), rstd(4);
            const Status status = gpu::rmsNormForward<float>(kStream, out.data(), rstd.data(), nullptr, in.data(), nullptr,
                                                             weight.data(), 4, 300);
            return went(status) ? out : std::vector<float>{};
        };
        const auto onChip = outOf();
        const SharedLimit few(1024);
        QCOMPARE(outOf(), onChip);
    }
};

STAGELENS_TEST(KernelsCudaNorms)

} // namespace unit_kernels_cuda_norms

#include "kernels/cuda_norms.moc"
