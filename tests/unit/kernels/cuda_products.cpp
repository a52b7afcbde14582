// Products as the GPU's contract has them, by the host's loops: forms, types, sums into what is there, epilogues, and what a
// way to compute one depends on. On a GPU the same class is cuBLASLt's.
#include "kernels/cuda/plans.h"
#include "tests/support/activations.h"
#include "tests/support/gpu_on_host.h"
#include "tests/support/test_program.h"

#include <algorithm>
#include <functional>

namespace unit_kernels_cuda_products {

using namespace stagelens::kernels;
using namespace stagelens::test;

namespace {

struct Sizes {
    std::int64_t rows = 5;
    std::int64_t columns = 7;
    std::int64_t inner = 9;
};

/// A matrix as it is stored, its rows `gap` elements apart, and op() of it in double.
template <class T>
struct Matrix {
    std::vector<T> values;
    std::int64_t stride;
    Form form;
    Matrix(std::int64_t rows, std::int64_t columns, Form f, std::int64_t gap, std::uint64_t stream)
        : stride((f == Form::Plain ? columns : rows) + gap), form(f)
    {
        values = as<T>(randomValues(static_cast<std::size_t>((f == Form::Plain ? rows : columns) * stride), stream));
    }
    [[nodiscard]] double at(std::int64_t i, std::int64_t j) const
    {
        const std::int64_t place = form == Form::Plain ? i * stride + j : j * stride + i;
        return static_cast<double>(toFloat(values[static_cast<std::size_t>(place)]));
    }
    [[nodiscard]] gpu::Operand<T> operand() const { return {values.data(), stride, form}; }
};

/// alpha op(A) op(B), [rows, columns].
template <class T>
std::vector<double> productOf(const Matrix<T> &a, const Matrix<T> &b, const Sizes &sizes, double alpha)
{
    std::vector<double> all;
    for (std::int64_t i = 0; i < sizes.rows; ++i)
        for (std::int64_t j = 0; j < sizes.columns; ++j) {
            double sum = 0;
            for (std::int64_t k = 0; k < sizes.inner; ++k)
                sum += a.at(i, k) * b.at(k, j);
            all.push_back(alpha * sum);
        }
    return all;
}

template <class T, class Out>
void checkForms()
{
    const Sizes sizes;
    for (const Form aForm : {Form::Plain, Form::Transposed})
        for (const Form bForm : {Form::Plain, Form::Transposed}) {
            const Matrix<T> a(sizes.rows, sizes.inner, aForm, 2, 1), b(sizes.inner, sizes.columns, bForm, 3, 2);
            const auto before = as<Out>(randomValues(35, 3));
            std::vector<double> plain = productOf(a, b, sizes, 0.5), added = plain;
            for (std::size_t i = 0; i < added.size(); ++i)
                added[i] += doublesOf(before)[i];
            gpu::Products products(nullptr, 0);
            gpu::Product<T, Out> product{sizes.rows, sizes.columns, sizes.inner, a.operand(), b.operand()};
            std::vector<Out> c = filledWith<Out>(35, kNaN), sum = before, apart = c;
            product.stride = sizes.columns;
            product.alpha = 0.5F;
            product.c = c.data();
            QVERIFY(went(products.multiply(kStream, product)));
            product.beta = 1;
            product.c = sum.data();
            QVERIFY(went(products.multiply(kStream, product)));
            product.c = apart.data();
            product.addend = before.data();
            QVERIFY(went(products.multiply(kStream, product)));
            QVERIFY(isRight(c, plain));
            QVERIFY(isRight(sum, added));
            QVERIFY(isRight(apart, added));
        }
}

template <class T>
void checkEpilogues(const ActivationFunction &function, bool hasAddend)
{
    const Sizes sizes;
    const Matrix<T> a(sizes.rows, sizes.inner, Form::Plain, 0, 4), b(sizes.inner, sizes.columns, Form::Plain, 0, 5);
    const auto bias = as<T>(randomValues(7, 6)), addend = as<T>(randomValues(35, 7)), before = as<T>(randomValues(35, 8));
    const auto exact = productOf(a, b, sizes, 1);
    std::vector<double> biased(35), activated(35), slopes(35);
    for (std::size_t i = 0; i < 35; ++i) {
        biased[i] = exact[i] + doublesOf(bias)[i % 7] + (hasAddend ? doublesOf(addend)[i] : 0);
        activated[i] = function.value(biased[i]);
        const double x = doublesOf(before)[i];
        slopes[i] = exact[i] * function.slope(x);
    }
    gpu::Products products(nullptr, 0);
    auto c = filledWith<T>(35, kNaN), between = c;
    gpu::Product<T> product{sizes.rows, sizes.columns, sizes.inner, a.operand(), b.operand(), c.data(), sizes.columns};
    product.bias = bias.data();
    product.addend = hasAddend ? addend.data() : nullptr;
    product.beta = hasAddend ? 1.0F : 0.0F;
    product.epilogue = Epilogue::Bias;
    QVERIFY(went(products.multiply(kStream, product)));
    // What passes through an array of T between product and epilogue is rounded there.
    const auto isNear = [](const std::vector<T> &values, const std::vector<double> &reference) {
        return std::is_same_v<T, float> ? isRight(values, reference) : error(floatsOf(values), reference) < 8e-3;
    };
    QVERIFY(isNear(c, biased));
    product.epilogue = Epilogue::Activation;
    product.activation = function.activation;
    product.between = between.data();
    QVERIFY(went(products.multiply(kStream, product)));
    QVERIFY(isNear(between, biased));
    QVERIFY(isNear(c, activated));
    if (hasAddend)
        return;
    std::copy(before.begin(), before.end(), between.begin());
    product.epilogue = Epilogue::ActivationBackward;
    QVERIFY(went(products.multiply(kStream, product)));
    QVERIFY(isNear(c, slopes));
}

} // namespace

class KernelsCudaProducts : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { needFibres(); }

    void everyFormAndType()
    {
        checkForms<float, float>();
        checkForms<Bf16, Bf16>();
        checkForms<Fp16, Fp16>();
        checkForms<Bf16, float>();
        checkForms<Fp16, float>();
    }

    void epiloguesFollowTheProduct()
    {
        for (const bool hasAddend : {false, true}) {
            for (const ActivationFunction &function : kActivationFunctions) {
                checkEpilogues<float>(function, hasAddend);
                checkEpilogues<Bf16>(function, hasAddend);
                checkEpilogues<Fp16>(function, hasAddend);
            }
        }
    }

    /// A shard without rows: nothing is multiplied, and what is there is cleared or stays.
    void emptyProducts()
    {
        gpu::Products products(nullptr, 0);
        std::vector<float> c(6, 2.0F);
        gpu::Product<float> product{2, 3, 0, {nullptr, 0}, {nullptr, 3}, c.data(), 3};
        product.beta = 1;
        QVERIFY(went(products.multiply(kStream, product)));
        QCOMPARE(c, std::vector<float>(6, 2.0F));
        product.beta = 0;
        QVERIFY(went(products.multiply(kStream, product)));
        QCOMPARE(c, std::vector<float>(6, 0.0F));
        product.rows = 0;
        product.inner = 4;
        QVERIFY(products.multiply(kStream, product).failed()); // no A, and its rows would have a stride of 4
        product.a = {c.data(), 4};
        product.b = {c.data(), 3};
        QVERIFY(went(products.multiply(kStream, product)));
        QCOMPARE(products.plans(), 0);
    }

    void whatCannotBeIsRefused()
    {
        gpu::Products products(nullptr, 0);
        std::vector<float> x(64);
        const gpu::Product<float> sound{4, 4, 4, {x.data(), 4}, {x.data(), 4}, x.data(), 4};
        QVERIFY(went(products.multiply(kStream, sound)));
        const auto isRefused = [&](const std::function<void(gpu::Product<float> &)> &change) {
            gpu::Product<float> product = sound;
            change(product);
            return products.multiply(kStream, product).failed();
        };
        QVERIFY(isRefused([](auto &p) { p.a.stride = 3; }));
        QVERIFY(isRefused([](auto &p) { p.b.data = nullptr; }));
        QVERIFY(isRefused([](auto &p) { p.stride = 3; }));
        QVERIFY(isRefused([](auto &p) { p.c = nullptr; }));
        QVERIFY(isRefused([](auto &p) { p.epilogue = Epilogue::Bias; }));
        QVERIFY(isRefused([](auto &p) { p.epilogue = Epilogue::ActivationBackward; }));
    }

    /// One way for the first product into a gradient and all that add to it, wherever the arrays lie; another for other shapes.
    void plansAreKept()
    {
        gpu::Products products(nullptr, 0);
        alignas(16) float x[128] = {};
        gpu::Product<float> product{4, 4, 4, {x, 4}, {x + 16, 4}, x + 32, 4};
        const auto plansAfter = [&] { return went(products.multiply(kStream, product)) ? products.plans() : -1; };
        QCOMPARE(plansAfter(), 1);
        product.beta = 1;
        product.alpha = 0.25F;
        QCOMPARE(plansAfter(), 1);
        product.a.data = x + 64;
        product.addend = x + 80;
        QCOMPARE(plansAfter(), 1);
        product.a.data = x + 65; // aligned to 4 bytes alone
        QCOMPARE(plansAfter(), 2);
        product.a.stride = 5;
        QCOMPARE(plansAfter(), 3);
        product.b.form = Form::Transposed;
        QCOMPARE(plansAfter(), 4);
        product.rows = 3;
        QCOMPARE(plansAfter(), 5);
    }

    void keysHoldWhatAWayDependsOn()
    {
        alignas(16) Bf16 x[64] = {};
        alignas(16) float y[64] = {};
        const gpu::Product<Bf16, float> product{4, 4, 4, {x, 4}, {x + 8, 4}, y, 4};
        const gpu::PlanKey key = gpu::callOf(product).key;
        QCOMPARE(int{key.alignment}, 16);
        QVERIFY(key.operands == gpu::Number::Bf16 && key.out == gpu::Number::Float);
        auto other = product;
        other.epilogue = Epilogue::Bias;
        other.bias = y + 1;
        QVERIFY(gpu::callOf(other).key != key);
        QCOMPARE(int{gpu::callOf(other).key.alignment}, 4);
        other = product;
        other.b.data = x + 1;
        QCOMPARE(int{gpu::callOf(other).key.alignment}, 2);
        QVERIFY(gpu::callOf(gpu::Product<Bf16>{4, 4, 4, {x, 4}, {x + 8, 4}, x, 4}).key != key);
        const auto *half = reinterpret_cast<const Fp16 *>(x);
        QVERIFY(gpu::callOf(gpu::Product<Fp16, float>{4, 4, 4, {half, 4}, {half + 8, 4}, y, 4}).key != key);
    }
};

STAGELENS_TEST(KernelsCudaProducts)

} // namespace unit_kernels_cuda_products

#include "kernels/cuda_products.moc"
