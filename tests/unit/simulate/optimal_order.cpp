// The branch and bound against an exhaustive search that builds every order of every device and simulates all combinations.
#include "tests/support/simulate_support.h"

#include "engine/schedule/check/validator.h"
#include "engine/simulate/optimal_order.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <fmt/format.h>
#include <random>

namespace unit_simulate_optimal_order {

using namespace stagelens;
using model::VocabularyMethod;
using schedule::Pass;

namespace {

using Order = std::vector<Pass>;

/// Appends every order of `left` that begins with `begun`, holds no more than `limit` activations, and has a microbatch's
/// passes of a stage in the order F, B or F, I, W.
void addOrders(std::vector<Order> &all, Order &begun, Order &left, int limit)
{
    if (left.empty())
        return all.push_back(begun);
    int held = 0;
    for (const Pass &pass : begun)
        held += schedule::activationChange(pass.kind);
    for (std::size_t i = 0; i < left.size(); ++i) {
        const Pass pass = left[i];
        const bool isEarly = std::ranges::any_of(left, [&](const Pass &other) {
            return schedule::isOfStage(pass.kind) && schedule::isOfStage(other.kind) && other.microbatch == pass.microbatch &&
                   other.stage == pass.stage && other.kind < pass.kind;
        });
        if (isEarly || (pass.kind == schedule::PassKind::F && held >= limit))
            continue;
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
        begun.push_back(pass);
        addOrders(all, begun, left, limit);
        begun.pop_back();
        left.insert(left.begin() + static_cast<std::ptrdiff_t>(i), pass);
    }
}

/// The least makespan of all orders, microbatches in any order.
base::Nanos exhaustive(const test::Plan &plan, const std::vector<int> &limits)
{
    std::vector<std::vector<Order>> orders;
    for (int device = 0; device < plan.schedule.devices(); ++device) {
        Order begun;
        Order left(plan.schedule.device(device).begin(), plan.schedule.device(device).end());
        addOrders(orders.emplace_back(), begun, left, limits[static_cast<std::size_t>(device)]);
    }
    base::Nanos best = std::numeric_limits<base::Nanos>::max();
    std::vector<Order> chosen(orders.size());
    const auto combine = [&](auto &&self, std::size_t device) -> void {
        if (device < orders.size()) {
            for (const Order &order : orders[device]) {
                chosen[device] = order;
                self(self, device + 1);
            }
            return;
        }
        const schedule::Schedule schedule("custom", plan.schedule.placement(), plan.schedule.microbatches(),
                                          plan.schedule.vocabulary(), chosen);
        if (const auto timeline = simulate::simulate(schedule, plan.costs))
            best = std::min(best, timeline->makespan());
    };
    combine(combine, 0);
    return best;
}

struct Case {
    const char *family;
    int devices;
    int microbatches;
    VocabularyMethod method = VocabularyMethod::None;
};

} // namespace

class OptimalOrder : public QObject {
    Q_OBJECT

private slots:
    void equalsTheExhaustiveSearch_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("devices");
        QTest::addColumn<int>("microbatches");
        QTest::addColumn<int>("method");
        for (const Case &each :
             {Case{"1f1b", 2, 2}, Case{"1f1b", 2, 3}, Case{"1f1b", 3, 2}, Case{"zb-h1", 2, 2}, Case{"zb-h1", 3, 2},
              Case{"v-half", 2, 1}, Case{"1f1b", 2, 1, VocabularyMethod::Vocab1}, Case{"1f1b", 2, 1, VocabularyMethod::Vocab2}})
            QTest::newRow(
                fmt::format("{} {}x{} {}", each.family, each.devices, each.microbatches, model::name(each.method)).c_str())
                << each.family << each.devices << each.microbatches << static_cast<int>(each.method);
    }
    void equalsTheExhaustiveSearch()
    {
        QFETCH(const QString, family);
        QFETCH(const int, devices);
        QFETCH(const int, microbatches);
        QFETCH(const int, method);
        std::random_device device;
        const unsigned seed = device();
        std::mt19937 random(seed);
        const auto number = [&](int least, int most) { return std::uniform_int_distribution(least, most)(random); };
        for (int turn = 0; turn < (test::kIsSanitized ? 1 : 2); ++turn) {
            std::map<std::string, double> costs;
            for (const char *word : {"F", "I", "W", "S", "T", "EF", "EB", "c0", "c1", "c2", "send"})
                costs[word] = number(std::string_view(word).size() == 1 ? 1 : 0, 5);
            costs["B"] = costs["I"] + costs["W"];
            const test::Plan plan = test::planOf(test::teachingExperiment(family.toStdString(), devices, microbatches,
                                                                          static_cast<VocabularyMethod>(method), costs));
            QVERIFY2(plan.error.empty(), plan.error.c_str());
            std::vector<int> limits;
            for (int i = 0; i < devices; ++i)
                limits.push_back(number(schedule::peakActivations(plan.schedule, i), 2 * microbatches));
            const simulate::Optimum found = simulate::optimalOrder(plan.schedule, plan.costs, limits);
            QVERIFY(found.isProven());
            const base::Nanos expected = exhaustive(plan, limits);
            QVERIFY2(found.makespan == expected,
                     fmt::format("seed {}: found {}, expected {}", seed, found.makespan, expected).c_str());
        }
    }

    void provesSmallPlansWithinTheMemoryOfTheFamily_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("method");
        QTest::newRow("1f1b") << "1f1b" << 0;
        QTest::newRow("zb-h1") << "zb-h1" << 0;
        QTest::newRow("1f1b vocab-1") << "1f1b" << static_cast<int>(VocabularyMethod::Vocab1);
    }
    /// The order that is found is one: it is valid, it holds no more, and takes as long as is said.
    void provesSmallPlansWithinTheMemoryOfTheFamily()
    {
        QFETCH(const QString, family);
        QFETCH(const int, method);
        const test::Plan plan = test::planOf(test::teachingExperiment(
            family.toStdString(), 3, 4, static_cast<VocabularyMethod>(method),
            {{"F", 1}, {"B", 2.5}, {"I", 1}, {"W", 1.5}, {"S", .5}, {"T", .5}, {"EF", .1}, {"EB", .1}, {"send", .25}}));
        QVERIFY2(plan.error.empty(), plan.error.c_str());
        std::vector<int> limits;
        for (int device = 0; device < 3; ++device)
            limits.push_back(schedule::peakActivations(plan.schedule, device));
        const simulate::Optimum found =
            simulate::optimalOrder(plan.schedule, plan.costs, limits, {.timeLimit = std::chrono::seconds(5)});
        QVERIFY(found.lowerBound <= found.makespan && found.makespan <= plan.timeline.makespan());
        QVERIFY(found.lowerBound >= simulate::lowerBound(plan.schedule, plan.costs));
        if (method == 0)
            QVERIFY(found.isProven());
        if (found.devices.empty()) {
            QCOMPARE(found.makespan, plan.timeline.makespan());
            return;
        }
        const schedule::Schedule made("custom", plan.schedule.placement(), 4, plan.schedule.vocabulary(), found.devices);
        QVERIFY(schedule::findViolations(made).empty());
        for (int device = 0; device < 3; ++device)
            QVERIFY(schedule::peakActivations(made, device) <= limits[static_cast<std::size_t>(device)]);
        const auto timeline = simulate::simulate(made, plan.costs);
        QVERIFY(timeline.ok());
        QCOMPARE(timeline->makespan(), found.makespan);
    }

    void aStopLeavesTheBestSoFar()
    {
        const test::Plan plan = test::planOf(test::teachingExperiment(
            "zb-h1", 4, 12, VocabularyMethod::None, {{"F", 1}, {"I", 1.3}, {"W", .7}, {"B", 2}, {"send", .1}}));
        std::stop_source stop;
        stop.request_stop();
        const simulate::Optimum found =
            simulate::optimalOrder(plan.schedule, plan.costs, std::vector(4, 3), {.stop = stop.get_token()});
        QVERIFY(found.makespan <= plan.timeline.makespan());
        QVERIFY(found.lowerBound <= found.makespan);
    }

    void unequalPassesAreRefused()
    {
        const auto planOf = [](const char *family) {
            return test::planOf(test::teachingExperiment(family, 2, 4, VocabularyMethod::None, {{"F", 1}, {"B", 2}})).schedule;
        };
        QVERIFY(simulate::canBeOptimized(planOf("1f1b")));
        for (const char *family : {"dualpipe", "pipedream", "seq1f1b", "dualpipe-v"})
            QVERIFY(!simulate::canBeOptimized(planOf(family)));
    }
};

STAGELENS_TEST(OptimalOrder)

} // namespace unit_simulate_optimal_order

#include "simulate/optimal_order.moc"
