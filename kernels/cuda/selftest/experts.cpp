// Routers, the rows of experts, and their products: with ties of capacity, experts without rows and dropped rows.
#include "kernels/include/experts.h"
#include "kernels/cuda/selftest/bench.h"
#include "kernels/include/codec.h"

#include <type_traits>

namespace stagelens::kernels::gpu::selftest {
namespace {

struct Rule {
    const char *name;
    std::int64_t topK;
    RouterRule rule;
};

std::vector<Rule> rulesFor(std::int64_t tokens, std::int64_t experts)
{
    const std::int64_t mean = tokens * 2 / experts;
    return {{"softmax", 2, {}},
            {"switch", 1, {}},
            {"sigmoid", 2, {.isSigmoid = true, .scale = 2.5F}},
            {"groups", 2, {.isSigmoid = true, .groups = experts / 2, .chosenGroups = 2}},
            {"drops gates", 2, {.capacity = mean}},
            {"drops last", 2, {.capacity = mean, .dropsLast = true}}};
}

/// What the processor's router chooses.
struct Routed {
    std::vector<float> logits;
    std::vector<float> gates;
    std::vector<std::int32_t> routes;

    template <class T>
    Routed(const RoutingShape &shape, const RouterRule &rule, const std::vector<T> &from, const float *bias = nullptr)
        : logits(floatsOf(from)), gates(size(shape.rows())), routes(3 * gates.size())
    {
        kernels::routeForward(gates.data(), routes.data(), logits.data(), bias, shape, rule);
    }
};

std::vector<float> numbersOf(const std::vector<std::int32_t> &values)
{
    return {values.begin(), values.end()};
}

template <class T>
void runRouter(Bench &bench, std::int64_t tokens, std::int64_t experts, const Rule &each)
{
    const RoutingShape shape{tokens, experts, each.topK};
    const auto begin = [&](const char *what) {
        return bench.beginTyped(std::string(what) + ", " + each.name, kTypeName<T>, shapeText({tokens, experts, each.topK}));
    };
    const auto forward = [&](Case test, bool ofRoutes) {
        const auto x = test.random<T>(tokens * experts);
        const auto bias = test.random<float>(experts, 0.1F);
        const float *own = each.rule.isSigmoid ? bias.data() : nullptr;
        const Routed routed(shape, each.rule, x, own);
        const T *logits = test.put(x);
        const float *biases = each.rule.isSigmoid ? test.put(bias) : nullptr;
        float *gates = test.space<float>(shape.rows());
        std::int32_t *routes = test.space<std::int32_t>(3 * shape.rows());
        std::byte *scratch = test.space<std::byte>(expertScratch(shape));
        const auto run = [&] { return routeForward(test.stream(), gates, routes, logits, biases, shape, each.rule, scratch); };
        if (ofRoutes)
            test.compare(routes, numbersOf(routed.routes), run, 0.0);
        else
            test.compare(gates, routed.gates, run);
    };
    forward(begin("routeForward"), true);
    forward(begin("gates of routeForward"), false);

    const auto backward = [&](Case test, int parts) {
        const auto x = test.random<T>(tokens * experts), dy = test.random<T>(shape.rows());
        const Routed routed(shape, each.rule, x);
        std::vector<float> excess(size(experts));
        for (int part = 0; part < parts; ++part) // as if all had the same choices
            kernels::addExcess(excess.data(), routed.routes.data(), shape);
        RouterLosses losses{1e-2F, 1e-3F, 0.5F, parts, parts > 1 ? excess.data() : nullptr};
        auto expected = floatsOf(x);
        kernels::routeBackward(expected.data(), floatsOf(dy).data(), routed.gates.data(), routed.routes.data(), shape,
                               each.rule, losses);
        T *logits = test.put(x);
        const T *gradient = test.put(dy);
        const float *gates = test.put(routed.gates);
        const std::int32_t *routes = test.put(routed.routes);
        if (parts > 1)
            losses.excess = test.put(excess);
        std::byte *scratch = test.space<std::byte>(expertScratch(shape));
        test.compare(
            logits, expected,
            [&] { return routeBackward(test.stream(), logits, gradient, gates, routes, shape, each.rule, losses, scratch); },
            [&] { test.restore(logits, x); });
    };
    backward(begin("routeBackward"), 1);
    backward(begin("routeBackward of two parts"), 2);
}

template <class T>
void runTotals(Bench &bench, std::int64_t tokens, std::int64_t experts, bool isSigmoid)
{
    const RoutingShape shape{tokens, experts, 2};
    Case test = bench.beginTyped(isSigmoid ? "addRouterTotals, sigmoid" : "addRouterTotals", kTypeName<T>,
                                 shapeText({tokens, experts, 2}));
    const auto x = test.random<T>(tokens * experts);
    const Routed routed(shape, {.capacity = tokens / experts}, x);
    const std::vector<double> before(size(experts + 2), 1);
    auto expected = before;
    kernels::addRouterTotals(expected.data(), routed.routes.data(), routed.logits.data(), shape, isSigmoid);
    double *totals = test.put(before);
    const std::int32_t *routes = test.put(routed.routes);
    const T *logits = test.put(x);
    std::byte *scratch = test.space<std::byte>(expertScratch(shape));
    test.compare(
        totals, std::vector<float>(expected.begin(), expected.end()),
        [&] { return addRouterTotals(test.stream(), totals, routes, logits, shape, isSigmoid, scratch); },
        [&] { test.restore(totals, before); }, 1e-7);
}

void runBalance(Bench &bench, std::int64_t tokens, std::int64_t experts)
{
    const RoutingShape shape{tokens, experts, 2};
    {
        Case test = bench.begin<float>("addExcess", {tokens, experts, 2});
        const Routed routed(shape, {}, test.random<float>(tokens * experts));
        const std::vector<float> before(size(experts), 3);
        auto expected = before;
        kernels::addExcess(expected.data(), routed.routes.data(), shape);
        float *excess = test.put(before);
        const std::int32_t *routes = test.put(routed.routes);
        test.compare(
            excess, expected, [&] { return addExcess(test.stream(), excess, routes, shape); },
            [&] { test.restore(excess, before); }, 0.0);
    }
    Case test = bench.begin<float>("balanceStep", {experts});
    const auto before = test.random<float>(experts);
    auto excess = test.random<float>(experts);
    excess[0] = 0;
    auto expected = before;
    kernels::balanceStep(expected.data(), excess.data(), 1e-3F, experts);
    float *bias = test.put(before);
    const float *of = test.put(excess);
    test.compare(
        bias, expected, [&] { return balanceStep(test.stream(), bias, of, 1e-3F, experts); },
        [&] { test.restore(bias, before); }, 0.0);
}

template <class T>
void runRows(Bench &bench, const RoutingShape &shape, std::int64_t width)
{
    const std::int64_t rows = shape.rows();
    const RouterRule rule{.capacity = rows / shape.experts};
    {
        Case test = bench.begin<T>("dispatchRows", {shape.tokens, shape.experts, shape.topK, width});
        const Routed routed(shape, rule, test.random<float>(shape.tokens * shape.experts));
        const auto x = test.random<T>(shape.tokens * width), before = test.random<T>(rows * width);
        auto expected = floatsOf(before);
        kernels::dispatchRows(expected.data(), floatsOf(x).data(), routed.routes.data(), shape, width);
        T *out = test.put(before);
        const T *in = test.put(x);
        const std::int32_t *routes = test.put(routed.routes);
        test.compare(out, expected, [&] { return dispatchRows(test.stream(), out, in, routes, shape, width); });
    }
    for (const bool hasAddend : {false, true}) {
        Case test = bench.begin<T>(hasAddend ? "combineRows to others" : "combineRows",
                                   {shape.tokens, shape.experts, shape.topK, width});
        const Routed routed(shape, rule, test.random<float>(shape.tokens * shape.experts));
        const auto x = test.random<T>(rows * width), before = test.random<T>(shape.tokens * width);
        auto expected = floatsOf(before);
        kernels::combineRows(expected.data(), floatsOf(x).data(), hasAddend ? expected.data() : nullptr, routed.routes.data(),
                             shape, width);
        T *out = test.put(before);
        const T *in = test.put(x);
        const std::int32_t *routes = test.put(routed.routes);
        test.compare(
            out, expected,
            [&] { return combineRows<T>(test.stream(), out, in, hasAddend ? out : nullptr, routes, shape, width); },
            [&] { test.restore(out, before); });
    }
}

template <class T>
void runSwiglu(Bench &bench, const RoutingShape &shape, std::int64_t width)
{
    const std::int64_t rows = shape.rows();
    const RouterRule rule{.capacity = rows / shape.experts};
    {
        Case test = bench.begin<T>("expertSwigluForward", {shape.tokens, shape.experts, shape.topK, width});
        const Routed routed(shape, rule, test.random<float>(shape.tokens * shape.experts));
        const auto a = test.random<T>(rows * width, 2), b = test.random<T>(rows * width), before = test.random<T>(rows * width);
        auto expected = floatsOf(before);
        kernels::expertSwigluForward(expected.data(), floatsOf(a).data(), floatsOf(b).data(), routed.gates.data(),
                                     routed.routes.data(), shape, width);
        T *out = test.put(before);
        const T *gate = test.put(a), *up = test.put(b);
        const float *gates = test.put(routed.gates);
        const std::int32_t *routes = test.put(routed.routes);
        test.compare(out, expected,
                     [&] { return expertSwigluForward(test.stream(), out, gate, up, gates, routes, shape, width); });
    }
    for (const char *const of : {"gate", "up", "gates"}) {
        Case test = bench.beginTyped(std::string("expertSwigluBackward of ") + of, kTypeName<T>,
                                     shapeText({shape.tokens, shape.experts, shape.topK, width}));
        const Routed routed(shape, rule, test.random<float>(shape.tokens * shape.experts));
        const auto a = test.random<T>(rows * width, 2), b = test.random<T>(rows * width), dy = test.random<T>(rows * width);
        const auto before = test.random<T>(rows);
        auto expectedGate = floatsOf(a), expectedUp = floatsOf(b), expectedGates = floatsOf(before);
        kernels::expertSwigluBackward(expectedGate.data(), expectedUp.data(), expectedGates.data(), floatsOf(dy).data(),
                                      routed.gates.data(), routed.routes.data(), shape, width);
        T *gate = test.put(a), *up = test.put(b), *gateGradient = test.put(before);
        const T *gradient = test.put(dy);
        const float *gates = test.put(routed.gates);
        const std::int32_t *routes = test.put(routed.routes);
        const std::string name = of;
        test.compare(
            name == "gate" ? gate
            : name == "up" ? up
                           : gateGradient,
            name == "gate" ? expectedGate
            : name == "up" ? expectedUp
                           : expectedGates,
            [&] { return expertSwigluBackward(test.stream(), gate, up, gateGradient, gradient, gates, routes, shape, width); },
            [&] {
                test.restore(gate, a);
                test.restore(up, b);
                test.restore(gateGradient, before);
            });
    }
}

struct Layer {
    RoutingShape shape;
    std::int64_t in;
    std::int64_t width;
};

/// C = op(A) op(B) + beta C with sums in double. Not kernels::multiply(): the plug-in needs no BLAS.
void multiplyPlainly(const kernels::Product &product)
{
    for (std::int64_t row = 0; row < product.rows; ++row)
        for (std::int64_t column = 0; column < product.columns; ++column) {
            float &c = product.c[row * product.stride + column];
            double sum = static_cast<double>(product.beta) * static_cast<double>(c);
            for (std::int64_t k = 0; k < product.inner; ++k) {
                const bool isPlainA = product.a.form == Form::Plain;
                const bool isPlainB = product.b.form == Form::Plain;
                sum += static_cast<double>(product.a.data[isPlainA ? row * product.a.stride + k : k * product.a.stride + row]) *
                       static_cast<double>(
                           product.b.data[isPlainB ? k * product.b.stride + column : column * product.b.stride + k]);
            }
            c = static_cast<float>(sum);
        }
}

/// Rows in [rows, from] times the experts' matrices, plainly [from, to] or transposed [to, from]; or the sum of the products of
/// rows, [from, to]. Adds to the output if `adds`.
template <class T, class Out>
void runProduct(Bench &bench, const Layer &layer, ExpertResult result, Form form, bool adds)
{
    const RoutingShape &shape = layer.shape;
    const std::int64_t matrix = layer.in * layer.width;
    const bool isOfRows = result == ExpertResult::Rows;
    const std::string name = std::string(isOfRows ? "rows of experts" : "weights of experts") +
                             (form == Form::Transposed ? " nt"
                              : isOfRows               ? " nn"
                                                       : "") +
                             (adds ? ", added" : "");
    Case test = bench.beginTyped(name, std::is_same_v<T, Out> ? kTypeName<T> : kFloatOf<T>,
                                 shapeText({shape.tokens, shape.experts, shape.topK, layer.in, layer.width}));
    // Expert 1 has no rows, and some rows are dropped.
    auto logits = test.random<float>(shape.tokens * shape.experts);
    for (std::int64_t t = 0; t < shape.tokens; ++t)
        logits[size(t * shape.experts + 1)] = -100;
    const Routed routed(shape, {.capacity = shape.rows() * 2 / shape.experts}, logits);
    const float deviation = 1 / std::sqrt(static_cast<float>(layer.in));
    const auto a = test.random<T>(shape.rows() * layer.in);
    const auto b =
        isOfRows ? test.random<T>(shape.experts * matrix, deviation) : test.random<T>(shape.rows() * layer.width, deviation);
    const auto before = test.random<Out>(isOfRows ? shape.rows() * layer.width : shape.experts * matrix);
    auto expected = floatsOf(before);
    const auto left = floatsOf(a), right = floatsOf(b);
    kernels::forEachExpert(routed.routes.data(), shape, [&](std::int64_t expert, std::int64_t first, std::int64_t count) {
        kernels::Product product;
        product.columns = product.stride = layer.width;
        product.beta = adds ? 1.0F : 0.0F;
        const float *rows = left.data() + first * layer.in;
        if (isOfRows) {
            product.rows = count;
            product.inner = layer.in;
            product.a = {rows, layer.in};
            product.b = {right.data() + expert * matrix, form == Form::Plain ? layer.width : layer.in, form};
            product.c = expected.data() + first * layer.width;
        } else {
            product.rows = layer.in;
            product.inner = count;
            product.a = {rows, layer.in, Form::Transposed};
            product.b = {right.data() + first * layer.width, layer.width};
            product.c = expected.data() + expert * matrix;
        }
        multiplyPlainly(product);
    });
    Out *c = test.put(before);
    ExpertProduct<T, Out> product{result, {}, matrix, test.put(routed.routes), shape};
    product.each.rows = isOfRows ? 0 : layer.in;
    product.each.columns = layer.width;
    product.each.inner = isOfRows ? layer.in : 0;
    product.each.a = {test.put(a), layer.in, isOfRows ? Form::Plain : Form::Transposed};
    product.each.b = {test.put(b), isOfRows && form == Form::Transposed ? layer.in : layer.width, form};
    product.each.c = c;
    product.each.stride = layer.width;
    product.each.beta = adds ? 1.0F : 0.0F;
    std::byte *scratch = test.space<std::byte>(expertScratch(shape));
    // As of other products: the error of a float sum grows with the root of its length, here of all rows at most.
    const auto length = static_cast<double>(isOfRows ? layer.in : shape.rows());
    const double bound = std::is_same_v<Out, float> ? 1e-6 + 1e-7 * std::sqrt(length) : Case::kBound<Out>;
    test.compare(
        c, expected, [&] { return multiplyExperts(test.stream(), product, scratch); }, [&] { test.restore(c, before); }, bound);
}

/// Rows of no expert keep what the array holds.
void runRoundedRows(Bench &bench, const RoutingShape &shape, std::int64_t width)
{
    Case test = bench.begin<Bf16>("roundExpertRows", {shape.tokens, shape.experts, shape.topK, width});
    const Routed routed(shape, {.capacity = shape.rows() / shape.experts}, test.random<float>(shape.tokens * shape.experts));
    const auto x = test.random<Bf16>(shape.rows() * width, 3);
    std::vector<Bf16> expected(x.size(), Bf16{0xffff});
    auto numbers = floatsOf(x);
    kernels::forEachExpert(routed.routes.data(), shape, [&](std::int64_t, std::int64_t first, std::int64_t count) {
        kernels::roundTiles(numbers.data() + first * width, count, width, {kCodecTile, 1});
        for (std::int64_t i = first * width; i < (first + count) * width; ++i)
            expected[size(i)] = toBf16(numbers[size(i)]);
    });
    Bf16 *to = test.space<Bf16>(shape.rows() * width);
    const Bf16 *from = test.put(x);
    const std::int32_t *routes = test.put(routed.routes);
    std::byte *scratch = test.space<std::byte>(expertScratch(shape));
    test.compareBits(
        to, expected, [&] { return roundExpertRows(test.stream(), to, from, routes, shape, width, scratch); }, [] {});
}

template <class T>
void runOf(Bench &bench)
{
    const bool isLarge = bench.isLarge();
    const std::int64_t tokens = isLarge ? 2048 : 45;
    const std::int64_t experts = isLarge ? 128 : 6;
    for (const Rule &rule : rulesFor(tokens, experts))
        runRouter<T>(bench, tokens, experts, rule);
    for (const bool isSigmoid : {false, true})
        runTotals<T>(bench, tokens, experts, isSigmoid);
    const Layer odd{{19, 4, 2}, 7, 5};
    const Layer wide = isLarge ? Layer{{512, 16, 4}, 512, 384} : Layer{{83, 3, 2}, 72, 136};
    for (const Layer &layer : {odd, wide}) {
        runRows<T>(bench, layer.shape, layer.in);
        runSwiglu<T>(bench, layer.shape, layer.width);
        for (const Form form : {Form::Plain, Form::Transposed})
            for (const bool adds : {false, true})
                runProduct<T, T>(bench, layer, ExpertResult::Rows, form, adds);
        runProduct<T, float>(bench, layer, ExpertResult::Weights, Form::Plain, true);
    }
}

} // namespace

void runExperts(Bench &bench)
{
    runOf<float>(bench);
    runOf<Bf16>(bench);
    runOf<Fp16>(bench);
    runRoundedRows(bench, {45, 4, 2}, 7);
    runRoundedRows(bench, {bench.isLarge() ? 4096 : 300, 3, 2}, 136);
    runBalance(bench, bench.isLarge() ? 2048 : 45, bench.isLarge() ? 128 : 6);
}

} // namespace stagelens::kernels::gpu::selftest
