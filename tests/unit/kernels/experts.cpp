// The kernels of a mixture of experts: a worked example, finite differences, and routes under which an expert has no token, all
// tokens, or ties.
#include "kernels/include/experts.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/kernel_numbers.h"
#include "tests/support/test_program.h"

#include <QtTest>
#include <algorithm>
#include <numeric>

namespace unit_kernels_experts {

using namespace stagelens::kernels;
using namespace stagelens::test;

namespace {

/// Four tokens, four experts, two a token.
const std::vector<float> kLogits{2, 1, 0, -1, 1.5F, 1, 0.5F, 0, 0, 2, 1, -1, 1, 0, 0, 2};
constexpr RoutingShape kExample{4, 4, 2};

struct Routed {
    std::vector<float> gates;
    std::vector<std::int32_t> routes;
    Routed(const std::vector<float> &logits, const RoutingShape &shape, const RouterRule &rule = {},
           const std::vector<float> &bias = {})
        : gates(static_cast<std::size_t>(shape.rows())), routes(3 * gates.size())
    {
        routeForward(gates.data(), routes.data(), logits.data(), bias.empty() ? nullptr : bias.data(), shape, rule);
    }
    /// Returns the choices that are dropped, as t k + j.
    [[nodiscard]] std::vector<std::size_t> dropped() const
    {
        std::vector<std::size_t> missing;
        for (std::size_t slot = 0; slot < gates.size(); ++slot)
            if (routes[gates.size() + slot] < 0)
                missing.push_back(slot);
        return missing;
    }
    [[nodiscard]] std::vector<std::int32_t> choices() const
    {
        return {routes.begin(), routes.begin() + static_cast<std::ptrdiff_t>(gates.size())};
    }
};

std::vector<std::int64_t> rowsOf(const Routed &routed, const RoutingShape &shape)
{
    std::vector<std::int64_t> rows(static_cast<std::size_t>(shape.experts));
    forEachExpert(routed.routes.data(), shape, [&](std::int64_t expert, std::int64_t, std::int64_t count) {
        rows[static_cast<std::size_t>(expert)] += count;
    });
    return rows;
}

/// The gates of given choices, and both losses, in double.
struct Exact {
    std::vector<double> gates;
    double balance = 0;
    double size = 0;
};
Exact exactOf(const std::vector<double> &logits, const std::vector<std::int32_t> &choices, const RoutingShape &shape)
{
    const auto experts = static_cast<std::size_t>(shape.experts);
    const auto k = static_cast<std::size_t>(shape.topK);
    const auto tokens = static_cast<double>(shape.tokens);
    std::vector<double> counts(experts), sums(experts);
    for (const std::int32_t choice : choices)
        ++counts[static_cast<std::size_t>(choice)];
    Exact exact;
    for (std::size_t t = 0; t < static_cast<std::size_t>(shape.tokens); ++t) {
        double all = 0;
        double chosen = 0;
        for (std::size_t e = 0; e < experts; ++e)
            all += std::exp(logits[t * experts + e]);
        for (std::size_t e = 0; e < experts; ++e)
            sums[e] += std::exp(logits[t * experts + e]) / all;
        for (std::size_t j = 0; j < k; ++j)
            chosen += std::exp(logits[t * experts + static_cast<std::size_t>(choices[t * k + j])]);
        for (std::size_t j = 0; j < k; ++j)
            exact.gates.push_back(std::exp(logits[t * experts + static_cast<std::size_t>(choices[t * k + j])]) /
                                  (k == 1 ? all : chosen));
        exact.size += std::pow(std::log(all), 2) / tokens;
    }
    for (std::size_t e = 0; e < experts; ++e)
        exact.balance += counts[e] * sums[e] * static_cast<double>(shape.experts) / (static_cast<double>(k) * tokens * tokens);
    return exact;
}

bool areClose(float value, double expected)
{
    return std::abs(static_cast<double>(value) - expected) < 1e-6;
}

} // namespace

class KernelsExperts : public QObject {
    Q_OBJECT

private slots:
    void initTestCase_data() { addInstructionSets(); }
    void init() { useInstructionSetOfRow(); }

    void choicesAndGates()
    {
        const Routed routed(kLogits, kExample);
        QCOMPARE(routed.choices(), (std::vector<std::int32_t>{0, 1, 0, 1, 1, 2, 3, 0}));
        QCOMPARE(rowsOf(routed, kExample), (std::vector<std::int64_t>{3, 3, 1, 1}));
        const std::vector<double> expected{.731059, .268941, .622459, .377541, .731059, .268941, .731059, .268941};
        for (std::size_t i = 0; i < expected.size(); ++i)
            QVERIFY(areClose(routed.gates[i], expected[i]));
        // Of each expert its tokens in order: 0 has tokens 0, 1, 3.
        const std::vector<std::int32_t> order(routed.routes.end() - 8, routed.routes.end());
        QCOMPARE(order, (std::vector<std::int32_t>{0, 2, 7, 1, 3, 4, 5, 6}));
    }

    void lossesOfTheExample()
    {
        const Routed routed(kLogits, kExample);
        const Exact exact = exactOf(doubles(kLogits), routed.choices(), kExample);
        QVERIFY(std::abs(1e-2 * exact.balance - 0.01162506) < 1e-8);
        QVERIFY(std::abs(1e-3 * exact.size - 0.00584002) < 1e-8);
        const std::vector<float> none(8);
        auto balance = kLogits;
        routeBackward(balance.data(), none.data(), routed.gates.data(), routed.routes.data(), kExample, {}, {1e-2F, 0, 1});
        auto size = kLogits;
        routeBackward(size.data(), none.data(), routed.gates.data(), routed.routes.data(), kExample, {}, {0, 1e-3F, 1});
        const std::vector<double> ofBalance{.000192, .000071, -.000192, -.000071};
        const std::vector<double> ofSize{.000786, .000289, .000106, .000039};
        for (std::size_t i = 0; i < 4; ++i) {
            QVERIFY(areClose(balance[i], ofBalance[i]));
            QVERIFY(areClose(size[i], ofSize[i]));
        }
    }

    /// Of the example with a bias of expert 2, which changes what is chosen, not how it is weighed.
    void sigmoidAndBias()
    {
        std::vector<float> bias{0, 0, 0.3F, 0};
        const Routed routed(kLogits, kExample, {.isSigmoid = true}, bias);
        QCOMPARE(routed.choices(), (std::vector<std::int32_t>{0, 2, 2, 0, 2, 1, 3, 2}));
        QVERIFY(areClose(routed.gates[0], .637890));
        QVERIFY(areClose(routed.gates[1], .362110));
        QCOMPARE(rowsOf(routed, kExample), (std::vector<std::int64_t>{2, 1, 4, 1}));
        std::vector<float> excess(4);
        addExcess(excess.data(), routed.routes.data(), kExample);
        QCOMPARE(excess, (std::vector<float>{0, -4, 8, -4}));
        balanceStep(bias.data(), excess.data(), 1e-3F, 4);
        const std::vector<double> next{0, .001, .299, .001};
        for (std::size_t e = 0; e < 4; ++e)
            QVERIFY(areClose(bias[e], next[e]));
    }

    /// Of four groups of two experts a token chooses from the two with the greatest sums of their k / 2 best.
    void groupsOfExperts()
    {
        const RoutingShape shape{2, 8, 2};
        // By single scores token 0 would choose 0 and 6; its best groups are those of the greatest single scores, 0 and 3.
        const std::vector<float> logits{3, -3, 1, 1, 0, 0, 2, -3, -1, -1, 2, 1.5F, 0, 0, 1, -3};
        const Routed one(logits, shape, {.isSigmoid = true, .groups = 4, .chosenGroups = 1});
        QCOMPARE(one.choices(), (std::vector<std::int32_t>{2, 3, 2, 3}));
        const Routed two(logits, shape, {.isSigmoid = true, .groups = 4, .chosenGroups = 2});
        QCOMPARE(two.choices(), (std::vector<std::int32_t>{0, 6, 2, 3}));
        const Routed all(logits, shape, {.isSigmoid = true, .groups = 4, .chosenGroups = 4});
        QCOMPARE(all.choices(), Routed(logits, shape, {.isSigmoid = true}).choices());
    }

    /// With room for two rows of each expert: by gate and by position.
    void capacity()
    {
        const Routed byGate(kLogits, kExample, {.capacity = 2});
        QCOMPARE(byGate.dropped(), (std::vector<std::size_t>{1, 7})); // (token 0, expert 1), (3, 0)
        const Routed byPosition(kLogits, kExample, {.capacity = 2, .dropsLast = true});
        QCOMPARE(byPosition.dropped(), (std::vector<std::size_t>{4, 7})); // (2, 1), (3, 0)
        QCOMPARE(rowsOf(byGate, kExample), (std::vector<std::int64_t>{2, 2, 1, 1}));
        QCOMPARE(byGate.gates, Routed(kLogits, kExample).gates); // not normalised again
        QCOMPARE(byGate.choices(), Routed(kLogits, kExample).choices());
        std::vector<float> combined(4);
        const std::vector<float> rows(8, 1.0F);
        combineRows(combined.data(), rows.data(), nullptr, byGate.routes.data(), kExample, 1);
        QCOMPARE(combined, (std::vector<float>{1, 2, 2, 1}));
        // Equal gates: the later tokens of an overfull expert are dropped, whichever the rule.
        const RoutingShape shape{5, 4, 2};
        for (const bool dropsLast : {false, true}) {
            const Routed routed(std::vector<float>(20, 1.0F), shape, {.capacity = 3, .dropsLast = dropsLast});
            QCOMPARE(routed.dropped(), (std::vector<std::size_t>{6, 7, 8, 9}));
            QCOMPARE(rowsOf(routed, shape), (std::vector<std::int64_t>{3, 3, 0, 0}));
        }
    }

    void switchRule()
    {
        const RoutingShape shape{4, 4, 1};
        const Routed routed(kLogits, shape);
        QCOMPARE(rowsOf(routed, shape), (std::vector<std::int64_t>{2, 1, 0, 1}));
        QVERIFY(areClose(routed.gates[0], .643914)); // of all logits
        QVERIFY(std::abs(1e-2 * exactOf(doubles(kLogits), routed.choices(), shape).balance - 0.01209150) < 1e-8);
    }

    /// The gradient of sum(c gate) and of both losses, by central differences.
    void gradientOfLogits_data()
    {
        QTest::addColumn<int>("topK");
        for (const int k : {1, 2, 3, 7})
            QTest::addRow("%d of 7", k) << k;
    }
    void gradientOfLogits()
    {
        QFETCH(int, topK);
        const RoutingShape shape{13, 7, topK};
        const auto logits = randomValues(13 * 7, 1);
        const Routed routed(logits, shape);
        auto outGradient = randomValues(routed.gates.size(), 2);
        outGradient.insert(outGradient.end(), {0.3F * 0.5F, 0.2F * 0.5F});
        const auto f = [&](const std::vector<double> &at) {
            const Exact exact = exactOf(at, routed.choices(), shape);
            auto out = exact.gates;
            out.insert(out.end(), {exact.balance, exact.size});
            return out;
        };
        auto gradient = logits;
        routeBackward(gradient.data(), outGradient.data(), routed.gates.data(), routed.routes.data(), shape, {},
                      {0.3F, 0.2F, 0.5F});
        QVERIFY(error(gradient, numericGradient(f, doubles(logits), outGradient)) < 1e-6);
    }

    /// Two parts of the tokens, each with the choices of both, have the gradients of all.
    void gradientOfPartsOfTheTokens()
    {
        constexpr std::int64_t kExperts = 7;
        const RoutingShape whole{12, kExperts, 2};
        const RoutingShape half{6, kExperts, 2};
        const auto logits = randomValues(12 * 7, 1);
        const auto outGradient = randomValues(24, 2);
        for (const bool isSigmoid : {false, true}) {
            const RouterRule rule{.isSigmoid = isSigmoid};
            const std::vector<float> none(kExperts);
            const Routed all(logits, whole, rule, none);
            auto expected = logits;
            routeBackward(expected.data(), outGradient.data(), all.gates.data(), all.routes.data(), whole, rule,
                          {0.3F, 0.2F, 0.5F});
            std::vector<float> excess(kExperts);
            std::vector<Routed> parts;
            for (const std::ptrdiff_t first : {0, 42}) {
                parts.emplace_back(std::vector<float>(logits.begin() + first, logits.begin() + first + 42), half, rule, none);
                addExcess(excess.data(), parts.back().routes.data(), half);
            }
            auto gradient = logits;
            for (std::size_t part = 0; part < 2; ++part)
                routeBackward(gradient.data() + 42 * part, outGradient.data() + 12 * part, parts[part].gates.data(),
                              parts[part].routes.data(), half, rule, {0.3F, 0.2F, 0.5F, 2, excess.data()});
            QVERIFY(gradient == expected);
        }
    }

    /// The same of a sigmoid router, some of whose rows are dropped.
    void gradientOfSigmoidLogits()
    {
        for (const int k : {1, 3}) {
            const RoutingShape shape{13, 6, k};
            const RouterRule rule{.isSigmoid = true, .scale = 2.5F, .groups = 3, .chosenGroups = 2, .capacity = 4};
            const auto logits = randomValues(13 * 6, 1);
            const Routed routed(logits, shape, rule, {0.1F, 0, -0.2F, 0, 0, 0.3F});
            QVERIFY(k == 1 || !routed.dropped().empty());
            auto outGradient = randomValues(routed.gates.size(), 2);
            outGradient.insert(outGradient.end(), {0.3F * 0.5F, 0.2F * 0.5F});
            const auto choices = routed.choices();
            const auto f = [&](const std::vector<double> &at) {
                std::vector<double> out(choices.size() + 2), counts(6), sums(6);
                for (const std::int32_t choice : choices)
                    counts[static_cast<std::size_t>(choice)] += 1;
                for (std::size_t t = 0; t < 13; ++t) {
                    const auto score = [&](std::size_t e) { return 1 / (1 + std::exp(-at[t * 6 + e])); };
                    double all = 0, chosen = 0, exponentials = 0;
                    for (std::size_t e = 0; e < 6; ++e) {
                        all += score(e);
                        exponentials += std::exp(at[t * 6 + e]);
                    }
                    for (std::size_t e = 0; e < 6; ++e)
                        sums[e] += score(e) / all;
                    const auto each = static_cast<std::size_t>(k);
                    for (std::size_t j = 0; j < each; ++j)
                        chosen += score(static_cast<std::size_t>(choices[t * each + j]));
                    for (std::size_t j = 0; j < each; ++j)
                        if (routed.routes[choices.size() + t * each + j] >= 0)
                            out[t * each + j] =
                                2.5 * score(static_cast<std::size_t>(choices[t * each + j])) / (k == 1 ? 1 : chosen);
                    out.back() += std::pow(std::log(exponentials), 2) / 13;
                }
                for (std::size_t e = 0; e < 6; ++e)
                    out[out.size() - 2] += counts[e] * sums[e] * 6 / (k * 13.0 * 13.0);
                return out;
            };
            auto gradient = logits;
            routeBackward(gradient.data(), outGradient.data(), routed.gates.data(), routed.routes.data(), shape, rule,
                          {0.3F, 0.2F, 0.5F});
            QVERIFY(error(gradient, numericGradient(f, doubles(logits), outGradient)) < 1e-6);
        }
    }

    /// Ties go to the lower expert, so with equal logits the first k have all tokens and the others none.
    void tiesAndEmptyExperts()
    {
        const RoutingShape shape{5, 4, 2};
        const Routed routed(std::vector<float>(20, 1.0F), shape);
        QCOMPARE(rowsOf(routed, shape), (std::vector<std::int64_t>{5, 5, 0, 0}));
        for (std::size_t slot = 0; slot < 10; ++slot) {
            QCOMPARE(routed.routes[slot], static_cast<std::int32_t>(slot % 2));
            QCOMPARE(routed.gates[slot], 0.5F);
        }
    }

    /// Every choice has one row, and dispatch and combine are each other's transpose.
    void rowsAreAPermutation()
    {
        const RoutingShape shape{17, 5, 3};
        const Routed routed(randomValues(17 * 5, 3), shape);
        const auto rows = rowsOf(routed, shape);
        QCOMPARE(std::accumulate(rows.begin(), rows.end(), std::int64_t{0}), shape.rows());
        std::vector<std::int32_t> order(routed.routes.end() - 51, routed.routes.end());
        for (std::int32_t row = 0; row < 51; ++row)
            QCOMPARE(routed.routes[static_cast<std::size_t>(51 + order[static_cast<std::size_t>(row)])], row);
        std::ranges::sort(order);
        for (std::int32_t slot = 0; slot < 51; ++slot)
            QCOMPARE(order[static_cast<std::size_t>(slot)], slot);
        const auto x = randomValues(17 * 6, 4);
        const auto y = randomValues(51 * 6, 5);
        std::vector<float> dispatched(y.size()), combined(x), plain(x.size());
        dispatchRows(dispatched.data(), x.data(), routed.routes.data(), shape, 6);
        combineRows(combined.data(), y.data(), combined.data(), routed.routes.data(), shape, 6);
        combineRows(plain.data(), y.data(), nullptr, routed.routes.data(), shape, 6);
        double left = 0;
        double right = 0;
        for (std::size_t i = 0; i < y.size(); ++i)
            left += static_cast<double>(dispatched[i]) * static_cast<double>(y[i]);
        for (std::size_t i = 0; i < x.size(); ++i) {
            right += static_cast<double>(x[i]) * static_cast<double>(plain[i]);
            QVERIFY(std::abs(combined[i] - plain[i] - x[i]) < 1e-5F);
        }
        QVERIFY(std::abs(left - right) < 1e-4);
    }

    void gatedActivation()
    {
        const RoutingShape shape{3, 4, 2};
        constexpr std::int64_t kWidth = 37;
        const Routed routed(randomValues(12, 6), shape);
        auto gate = randomValues(6 * kWidth, 7, 2.0);
        auto up = randomValues(6 * kWidth, 8, 2.0);
        const auto dy = randomValues(6 * kWidth, 9);
        std::vector<double> x = doubles(gate);
        x.insert(x.end(), up.begin(), up.end());
        x.insert(x.end(), routed.gates.begin(), routed.gates.end());
        const auto f = [&](const std::vector<double> &at) {
            std::vector<double> out(6 * kWidth);
            for (std::size_t i = 0; i < out.size(); ++i) {
                const auto slot = static_cast<std::size_t>(routed.routes[12 + i / kWidth]);
                out[i] = at[2 * out.size() + slot] * at[i] / (1 + std::exp(-at[i])) * at[out.size() + i];
            }
            return out;
        };
        std::vector<float> out(dy.size()), all;
        expertSwigluForward(out.data(), gate.data(), up.data(), routed.gates.data(), routed.routes.data(), shape, kWidth);
        QVERIFY(error(out, f(x)) < 1e-6);
        std::vector<float> gates(6);
        expertSwigluBackward(gate.data(), up.data(), gates.data(), dy.data(), routed.gates.data(), routed.routes.data(), shape,
                             kWidth);
        for (const auto *part : {&gate, &up, &gates})
            all.insert(all.end(), part->begin(), part->end());
        QVERIFY(error(all, numericGradient(f, x, dy)) < 1e-6);
    }
};

STAGELENS_TEST(KernelsExperts)

} // namespace unit_kernels_experts

#include "kernels/experts.moc"
