// The typical step of a run: equal to its steps where they are equal, and unmoved by what disturbs single ones.
#include "engine/simulate/steps/typical_step.h"
#include "engine/simulate/simulate.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <random>

namespace unit_simulate_typical_step {

using namespace stagelens;
using model::VocabularyMethod;
using timeline::Timeline;
using timeline::TimelinePtr;

namespace {

constexpr int kDevices = 4;

test::Plan planned(const std::string &family, VocabularyMethod method)
{
    std::map<std::string, double> times = family == "zb-h1" || family == "v-half" || family == "dualpipe"
                                              ? std::map<std::string, double>{{"F", 1}, {"I", 1}, {"W", 1}, {"send", 0.1}}
                                              : std::map<std::string, double>{{"F", 1}, {"B", 2}, {"send", 0.1}};
    if (method != VocabularyMethod::None)
        times.insert({{"S", 0.4}, {"T", 0.3}, {"c0", 0.1}, {"c1", 0.2}, {"c2", 0.1}});
    test::Plan plan = test::planOf(test::teachingExperiment(family, kDevices, 8, method, times));
    if (!plan.error.empty())
        qFatal("%s", plan.error.c_str());
    for (int device = 0; device < kDevices; ++device)
        plan.costs.setOptimizer(device, 1'000'000);
    return plan;
}

/// As a run measures it: without transfers.
TimelinePtr stepOf(const test::Plan &plan, const simulate::CostModel &costs)
{
    auto step = std::make_shared<Timeline>(*simulate::simulate(plan.schedule, costs));
    step->transfers.clear();
    return step;
}

std::vector<TimelinePtr> equalSteps(const test::Plan &plan, int count)
{
    return std::vector<TimelinePtr>(static_cast<std::size_t>(count), stepOf(plan, plan.costs));
}

} // namespace

class SimulateTypicalStep : public QObject {
    Q_OBJECT
private slots:
    void equalStepsAreTypical_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("method");
        for (const char *family : {"gpipe", "1f1b", "zb-h1", "v-half", "chimera", "dualpipe"})
            for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2})
                QTest::addRow("%s %s", family, std::string(model::name(method)).c_str())
                    << QString::fromLatin1(family) << static_cast<int>(method);
    }
    void equalStepsAreTypical()
    {
        QFETCH(QString, family);
        QFETCH(int, method);
        const test::Plan plan = planned(family.toStdString(), static_cast<VocabularyMethod>(method));
        const auto typical = simulate::typicalStep(equalSteps(plan, 3), plan.schedule);
        QVERIFY(typical);
        QCOMPARE(typical->timeline, *stepOf(plan, plan.costs));

        // In every step another device is slow: each of them is longer, and none is typical.
        std::vector<TimelinePtr> disturbed;
        for (int device = 0; device < kDevices; ++device) {
            simulate::CostModel slow = plan.costs;
            slow.slowDown(device, 3);
            disturbed.push_back(stepOf(plan, slow));
            QVERIFY(disturbed.back()->iteration() > typical->timeline.iteration());
        }
        const auto calm = simulate::typicalStep(disturbed, plan.schedule);
        QVERIFY(calm);
        for (std::size_t device = 0; device < kDevices; ++device) {
            const timeline::Lane &lane = calm->timeline.lanes[device];
            const timeline::Lane &same = typical->timeline.lanes[device];
            for (std::size_t i = 0; i < same.size(); ++i)
                QCOMPARE(lane.end[i] - lane.begin[i], same.end[i] - same.begin[i]);
        }
        for (const TimelinePtr &step : disturbed)
            QVERIFY(calm->timeline.iteration() < step->iteration());
    }

    /// A pause of a single pass moves nothing, wherever it is.
    void aPauseIsNotTypical()
    {
        const test::Plan plan = planned("1f1b", VocabularyMethod::Vocab1);
        std::mt19937 random(26);
        std::vector<TimelinePtr> steps = equalSteps(plan, 5);
        for (int which = 0; which < 2; ++which) {
            auto paused = std::make_shared<Timeline>(*steps.front());
            const base::Nanos at = static_cast<base::Nanos>(random() % static_cast<unsigned>(paused->makespan()));
            const base::Nanos pause = 50'000'000;
            const auto later = [&](base::Nanos &time) { time += time > at ? pause : 0; };
            for (timeline::Lane &lane : paused->lanes) {
                std::ranges::for_each(lane.begin, later);
                std::ranges::for_each(lane.end, later);
                later(lane.tailBegin);
                later(lane.tailEnd);
            }
            steps[static_cast<std::size_t>(1 + 2 * which)] = paused;
        }
        const auto typical = simulate::typicalStep(steps, plan.schedule);
        QVERIFY(typical);
        QCOMPARE(typical->timeline, *steps.front());
    }

    void whatCannotBeReplayedIsNot()
    {
        const test::Plan plan = planned("1f1b", VocabularyMethod::None);
        QVERIFY(!simulate::typicalStep({}, plan.schedule));
        const std::vector<TimelinePtr> equal = equalSteps(plan, 3);
        const auto with = [&](auto change) {
            std::vector<TimelinePtr> steps = equal;
            auto other = std::make_shared<Timeline>(*steps.back());
            change(*other);
            steps.back() = other;
            steps.front() = other;
            return simulate::typicalStep(steps, plan.schedule).has_value();
        };
        QVERIFY(with([](Timeline &) {}));
        QVERIFY(!with([](Timeline &step) { step.period = 5; }));
        std::vector<TimelinePtr> otherOrder = equal;
        auto swapped = std::make_shared<Timeline>(*equal.front());
        std::swap(swapped->lanes[0].pass[0], swapped->lanes[0].pass[1]);
        otherOrder[1] = swapped;
        QVERIFY(!simulate::typicalStep(otherOrder, plan.schedule));
        // The clock of a device is early by more than a forward.
        QVERIFY(!with([](Timeline &step) {
            for (base::Nanos *time : {step.lanes[3].begin.data(), step.lanes[3].end.data()})
                for (std::size_t i = 0; i < step.lanes[3].size(); ++i)
                    time[i] -= 10'000'000'000;
        }));
        const test::Plan larger =
            test::planOf(test::teachingExperiment("1f1b", 2, 8, VocabularyMethod::None, {{"F", 1}, {"B", 2}}));
        QVERIFY(!simulate::typicalStep(equal, larger.schedule));
    }
};

STAGELENS_TEST(SimulateTypicalStep)

} // namespace unit_simulate_typical_step

#include "simulate/typical_step.moc"
