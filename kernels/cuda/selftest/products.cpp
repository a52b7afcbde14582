// Matrix products of every form and type, with each epilogue, against plain loops in double.
#include "kernels/cuda/selftest/bench.h"
#include "kernels/include/elementwise.h"
#include "kernels/include/matmul.h"

namespace stagelens::kernels::gpu::selftest {
namespace {

struct Sizes {
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t inner;
};

const char *text(Form form)
{
    return form == Form::Plain ? "n" : "t";
}

/// op(A) op(B) of dense operands.
std::vector<double> productOf(const std::vector<float> &a, Form aForm, const std::vector<float> &b, Form bForm,
                              const Sizes &sizes)
{
    std::vector<double> all(size(sizes.rows * sizes.columns));
    for (std::int64_t row = 0; row < sizes.rows; ++row)
        for (std::int64_t k = 0; k < sizes.inner; ++k) {
            const double x = static_cast<double>(a[size(aForm == Form::Plain ? row * sizes.inner + k : k * sizes.rows + row)]);
            for (std::int64_t column = 0; column < sizes.columns; ++column)
                all[size(row * sizes.columns + column)] +=
                    x *
                    static_cast<double>(b[size(bForm == Form::Plain ? k * sizes.columns + column : column * sizes.inner + k)]);
        }
    return all;
}

/// The rounding error of a float sum of `inner` products grows with the root of `inner`.
template <class Out>
double boundOf(std::int64_t inner)
{
    // cuBLASLt rounds a product to 16 bits, and the sum with C again (1.35 on an H200).
    return std::is_same_v<Out, float> ? 1e-6 + 1e-7 * std::sqrt(static_cast<double>(inner)) : 2.0;
}

template <class T, class Out>
void setSizes(Product<T, Out> &product, const Sizes &sizes)
{
    product.rows = sizes.rows;
    product.columns = sizes.columns;
    product.inner = sizes.inner;
    product.stride = sizes.columns;
}

/// C += op(A) op(B).
template <class T, class Out>
void runForm(Bench &bench, Products &products, const Sizes &sizes, Form aForm, Form bForm)
{
    const std::string type = std::is_same_v<T, Out> ? kTypeName<T> : kFloatOf<T>;
    Case test = bench.beginTyped(std::string("product ") + text(aForm) + text(bForm), type,
                                 shapeText({sizes.rows, sizes.columns, sizes.inner}));
    const auto a = test.random<T>(sizes.rows * sizes.inner), b = test.random<T>(sizes.inner * sizes.columns);
    const auto before = test.random<Out>(sizes.rows * sizes.columns);
    const auto exact = productOf(floatsOf(a), aForm, floatsOf(b), bForm, sizes);
    auto expected = floatsOf(before);
    for (std::size_t i = 0; i < expected.size(); ++i)
        expected[i] = static_cast<float>(static_cast<double>(expected[i]) + exact[i]);
    Out *c = test.put(before);
    Product<T, Out> product;
    setSizes(product, sizes);
    product.a = {test.put(a), aForm == Form::Plain ? sizes.inner : sizes.rows, aForm};
    product.b = {test.put(b), bForm == Form::Plain ? sizes.columns : sizes.inner, bForm};
    product.c = c;
    product.beta = 1;
    test.compare(
        c, expected, [&] { return products.multiply(test.stream(), product); }, [&] { test.restore(c, before); },
        boundOf<Out>(sizes.inner));
}

/// `ofBetween` compares the input of the activation function, which the product keeps, instead of its output.
template <class T>
void runEpilogue(Bench &bench, Products &products, const Sizes &sizes, Epilogue epilogue, const char *name,
                 bool ofBetween = false)
{
    Case test = bench.begin<T>(name, {sizes.rows, sizes.columns, sizes.inner});
    const std::int64_t count = sizes.rows * sizes.columns;
    const float deviation = 1 / std::sqrt(static_cast<float>(sizes.inner));
    const auto a = test.random<T>(sizes.rows * sizes.inner), b = test.random<T>(sizes.inner * sizes.columns, deviation);
    const auto bias = test.random<T>(sizes.columns), between = test.random<T>(count);
    const auto exact = productOf(floatsOf(a), Form::Plain, floatsOf(b), Form::Plain, sizes);
    std::vector<float> expected(exact.begin(), exact.end());
    if (epilogue == Epilogue::ActivationBackward) {
        kernels::activationBackward(Activation::Gelu, expected.data(), floatsOf(between).data(), count);
    } else {
        const auto product = expected;
        kernels::fillRows(expected.data(), floatsOf(bias).data(), product.data(), sizes.rows, sizes.columns);
    }
    if (epilogue == Epilogue::Activation && !ofBetween) {
        const auto in = expected;
        kernels::activationForward(Activation::Gelu, expected.data(), in.data(), count);
    }
    T *c = test.space<T>(count);
    Product<T> product;
    setSizes(product, sizes);
    product.a = {test.put(a), sizes.inner};
    product.b = {test.put(b), sizes.columns};
    product.c = c;
    product.epilogue = epilogue;
    product.bias = test.put(bias);
    product.between = test.put(between);
    // If separate kernels apply the epilogue, the product is rounded to T first, so norms are compared.
    const double bound = std::is_same_v<T, float> ? boundOf<float>(sizes.inner) : 2.1 * kRounding<T>;
    test.compare(
        ofBetween ? product.between : c, expected, [&] { return products.multiply(test.stream(), product); }, bound);
}

template <class T>
void runOf(Bench &bench, Products &products, const Sizes &sizes)
{
    for (const Form aForm : {Form::Plain, Form::Transposed})
        for (const Form bForm : {Form::Plain, Form::Transposed}) {
            runForm<T, T>(bench, products, sizes, aForm, bForm);
            if constexpr (!std::is_same_v<T, float>)
                runForm<T, float>(bench, products, sizes, aForm, bForm);
        }
    runEpilogue<T>(bench, products, sizes, Epilogue::Bias, "product + bias");
    runEpilogue<T>(bench, products, sizes, Epilogue::Activation, "GELU of product + bias");
    runEpilogue<T>(bench, products, sizes, Epilogue::Activation, "product + bias before GELU", true);
    runEpilogue<T>(bench, products, sizes, Epilogue::ActivationBackward, "product times GELU's derivative");
}

} // namespace

void runProducts(Bench &bench)
{
    Case room = bench.beginTyped("workspace of products", "bytes", std::to_string(kProductWorkspace));
    void *workspace = room.put(std::vector<float>(size(kProductWorkspace) / sizeof(float)));
    Products products(workspace, workspace == nullptr ? 0 : kProductWorkspace);
    for (const Sizes &sizes : {Sizes{5, 7, 9}, bench.isLarge() ? Sizes{512, 768, 1024} : Sizes{16, 24, 40}}) {
        runOf<float>(bench, products, sizes);
        runOf<Bf16>(bench, products, sizes);
        runOf<Fp16>(bench, products, sizes);
    }
}

std::vector<Result> run(Memory &memory, Stream stream, Shapes shapes)
{
    Bench bench(memory, stream, shapes);
    runElements(bench);
    runLayers(bench);
    runAttentionParts(bench);
    runVocabulary(bench);
    runProducts(bench);
    runCombinations(bench);
    runOptimizers(bench);
    runCodecs(bench);
    runCompression(bench);
    runExperts(bench);
    return bench.takeResults();
}

} // namespace stagelens::kernels::gpu::selftest
