// The GPU kernels of experts, on fibres: choices under ties and without numbers, experts with all rows or none, and bits that
// depend on nothing but a row. The self-test compares their numbers with those of the processor.
#include "kernels/include/experts.h"
#include "tests/support/gpu_on_host.h"
#include "tests/support/test_program.h"

#include <algorithm>
#include <numeric>

namespace unit_kernels_cuda_experts {

using namespace stagelens::kernels;
using namespace stagelens::test;

namespace {

std::size_t size(std::int64_t count)
{
    return static_cast<std::size_t>(count);
}

std::vector<std::byte> scratchOf(const RoutingShape &shape)
{
    return std::vector<std::byte>(size(gpu::expertScratch(shape)));
}

template <class T>
std::vector<std::int32_t> routesOnGpu(const std::vector<T> &logits, const RoutingShape &shape, const RouterRule &rule = {})
{
    std::vector<std::int32_t> routes(size(3 * shape.rows()), -7);
    std::vector<float> gates(size(shape.rows()));
    auto scratch = scratchOf(shape);
    if (!went(gpu::routeForward<T>(kStream, gates.data(), routes.data(), logits.data(), nullptr, shape, rule, scratch.data())))
        return {};
    return routes;
}

std::vector<std::int32_t> routesOfProcessor(const std::vector<float> &logits, const RoutingShape &shape,
                                            const RouterRule &rule = {})
{
    std::vector<std::int32_t> routes(size(3 * shape.rows()));
    std::vector<float> gates(size(shape.rows()));
    routeForward(gates.data(), routes.data(), logits.data(), nullptr, shape, rule);
    return routes;
}

/// Routes of tokens with one expert each.
std::vector<std::int32_t> routesTo(const std::vector<std::int32_t> &experts)
{
    std::vector<std::int32_t> routes = experts;
    const auto count = static_cast<std::int32_t>(experts.size());
    for (int table = 0; table < 2; ++table)
        for (std::int32_t row = 0; row < count; ++row) // sorted already
            routes.push_back(row);
    return routes;
}

/// Rows of experts, [rows, 24] times [24, 16] each.
template <class T>
std::vector<T> productOf(const std::vector<T> &rows, const std::vector<T> &matrices, const std::vector<std::int32_t> &experts)
{
    constexpr std::int64_t kIn = 24;
    constexpr std::int64_t kOut = 16;
    const auto routes = routesTo(experts);
    std::vector<T> out(experts.size() * size(kOut));
    gpu::ExpertProduct<T, T> product;
    product.shape = {static_cast<std::int64_t>(experts.size()), 3, 1};
    product.matrix = kIn * kOut;
    product.routes = routes.data();
    product.each.columns = product.each.stride = kOut;
    product.each.inner = kIn;
    product.each.a = {rows.data(), kIn};
    product.each.b = {matrices.data(), kIn, Form::Transposed};
    product.each.c = out.data();
    auto scratch = scratchOf(product.shape);
    if (!went(gpu::multiplyExperts(kStream, product, scratch.data())))
        return {};
    return out;
}

template <class T>
void checkRowsAlone()
{
    const auto matrices = as<T>(randomValues(3 * 24 * 16, 2));
    const auto many = as<T>(randomValues(200 * 24, 1));
    std::vector<std::int32_t> experts(200, 0);
    std::fill(experts.begin() + 37, experts.end(), 2); // expert 1 has none, expert 2 more than a tile
    const auto all = productOf<T>(many, matrices, experts);
    const std::vector<T> few(many.begin() + 150 * 24, many.begin() + 155 * 24);
    const auto alone = productOf<T>(few, matrices, std::vector<std::int32_t>(5, 2));
    QCOMPARE(alone.size(), std::size_t{5 * 16});
    QVERIFY(std::memcmp(alone.data(), all.data() + 150 * 16, alone.size() * sizeof(T)) == 0);
}

} // namespace

class KernelsCudaExperts : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { needFibres(); }

    void tiesAreThoseOfTheProcessor()
    {
        for (const std::int64_t capacity : {0, 3})
            for (const bool dropsLast : {false, true}) {
                const RoutingShape shape{19, 40, 3};
                const RouterRule rule{.capacity = capacity, .dropsLast = dropsLast};
                std::vector<float> logits(size(shape.tokens * shape.experts), 0.5F);
                logits[3] = -0.0F;
                logits[7] = 0.0F;
                QCOMPARE(routesOnGpu<float>(logits, shape, rule), routesOfProcessor(logits, shape, rule));
                const RouterRule groups{.isSigmoid = true, .groups = 8, .chosenGroups = 2, .capacity = capacity};
                QCOMPARE(routesOnGpu<float>(logits, shape, groups), routesOfProcessor(logits, shape, groups));
            }
    }

    void oneExpertMayHaveAll()
    {
        const RoutingShape shape{300, 2, 1};
        std::vector<float> logits;
        for (std::int64_t t = 0; t < shape.tokens; ++t)
            logits.insert(logits.end(), {-1.0F - static_cast<float>(t % 5), 1.0F});
        for (const std::int64_t capacity : {0, 7}) {
            const RouterRule rule{.capacity = capacity};
            QCOMPARE(routesOnGpu<float>(logits, shape, rule), routesOfProcessor(logits, shape, rule));
        }
        const RoutingShape single{5, 1, 1};
        QCOMPARE(routesOnGpu<float>({1, 2, 3, 4, 5}, single), routesOfProcessor({1, 2, 3, 4, 5}, single));
    }

    /// Whatever the logits are, a token has k experts, and every row a place: a run that has lost its numbers does not write
    /// beyond its memory.
    void noNumbersChooseExpertsToo_data()
    {
        QTest::addColumn<float>("number");
        QTest::newRow("NaN") << kNaN;
        QTest::newRow("infinity") << kInfinity;
        QTest::newRow("minus infinity") << -kInfinity;
    }
    void noNumbersChooseExpertsToo()
    {
        QFETCH(float, number);
        const RoutingShape shape{6, 8, 3};
        auto logits = randomValues(size(shape.tokens * shape.experts), 4);
        std::fill(logits.begin(), logits.begin() + 20, number);
        for (const RouterRule &rule :
             {RouterRule{}, RouterRule{.capacity = 2}, RouterRule{.isSigmoid = true, .groups = 4, .chosenGroups = 1}}) {
            const auto routes = routesOnGpu<float>(logits, shape, rule);
            QCOMPARE(routes.size(), size(3 * shape.rows()));
            for (std::int64_t t = 0; t < shape.tokens; ++t) {
                std::vector<std::int32_t> own(routes.begin() + t * 3, routes.begin() + t * 3 + 3);
                std::sort(own.begin(), own.end());
                QVERIFY(own.front() >= 0 && own.back() < 8 && std::unique(own.begin(), own.end()) == own.end());
            }
            for (std::int64_t slot = 0; slot < shape.rows(); ++slot)
                if (const std::int32_t row = routes[size(shape.rows() + slot)]; row >= 0)
                    QCOMPARE(routes[size(2 * shape.rows() + row)], static_cast<std::int32_t>(slot));
        }
    }

    void everyOrderOfThreadsGivesTheSame()
    {
        const RoutingShape shape{61, 5, 2};
        const auto logits = as<Bf16>(randomValues(size(shape.tokens * shape.experts), 5));
        (void)sameBitsInEveryOrder<std::int32_t>([&] { return routesOnGpu<Bf16>(logits, shape, {.capacity = 20}); });
    }

    void aRowHasItsBitsWhateverTheOthersAre()
    {
        checkRowsAlone<float>();
        checkRowsAlone<Bf16>();
        checkRowsAlone<Fp16>();
    }

    void otherFormsAreRefused()
    {
        gpu::ExpertProduct<float, float> product;
        product.shape = {4, 2, 1};
        product.each.a.form = Form::Transposed;
        auto scratch = scratchOf(product.shape);
        QCOMPARE(gpu::multiplyExperts(kStream, product, scratch.data()).code, gpu::kUnsupported.code);
        product.each.a.form = Form::Plain;
        product.each.beta = 0.5F;
        QCOMPARE(gpu::multiplyExperts(kStream, product, scratch.data()).code, gpu::kUnsupported.code);
    }
};

STAGELENS_TEST(KernelsCudaExperts)

} // namespace unit_kernels_cuda_experts

#include "kernels/cuda_experts.moc"
