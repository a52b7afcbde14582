// Slow parts, lengths and failures: figures that are known beforehand.
#include "engine/simulate/costs/lengths.h"
#include "engine/simulate/costs/what_if_costs.h"
#include "engine/simulate/metrics.h"
#include "engine/simulate/planned_schedule.h"
#include "engine/simulate/sensitivity/failures.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <fmt/format.h>

namespace unit_simulate_sensitivity {

using namespace stagelens;
using base::kNanosPerMilli;
using model::VocabularyMethod;

namespace {

model::Experiment teaching(const std::string &family, std::map<std::string, double> costs = {{"F", 1}, {"B", 2}})
{
    return test::teachingExperiment(family, 4, 8, VocabularyMethod::None, std::move(costs));
}

double makespan(const model::Experiment &experiment)
{
    const test::Plan plan = test::planOf(experiment);
    if (!plan.error.empty())
        qFatal("%s", plan.error.c_str());
    return static_cast<double>(plan.timeline.makespan()) / kNanosPerMilli;
}

double slowed(const std::string &family, int device, std::map<std::string, double> costs = {{"F", 1}, {"B", 2}})
{
    model::Experiment experiment = teaching(family, std::move(costs));
    experiment.whatIf.slow = fmt::format("{}=1.5", device);
    return makespan(experiment);
}

/// Two replicas of a model on two devices with a price for the reduction.
model::Experiment replicas()
{
    model::Experiment experiment;
    experiment.model = test::gptOf(4, 1024, 8, 1024, 8192, model::DataType::Fp16);
    experiment.parallel = {2, 4, 1, {}};
    experiment.cost.source = model::HardwarePreset{"a100-80gb"};
    return experiment;
}

std::string written(const QTemporaryDir &folder, const char *text)
{
    const QString name = folder.filePath("lengths.csv");
    QFile file(name);
    if (!file.open(QIODevice::WriteOnly))
        qFatal("cannot write");
    file.write(text);
    return name.toStdString();
}

QString problemsOf(std::string_view csv, const model::Experiment &experiment)
{
    const auto lengths = simulate::readLengths(csv, "l.csv", experiment);
    return lengths ? QString() : QString::fromStdString(lengths.error().text());
}

} // namespace

class SimulateSensitivity : public QObject {
    Q_OBJECT

private slots:
    /// 1F1B, 4 devices, 8 microbatches, F = 1, B = 2: the closed form of property.slow_device gives these for 1.5.
    void oneSlowDevice()
    {
        QCOMPARE(makespan(teaching("1f1b")), 33.0);
        const double expected[] = {40.5, 42, 43.5, 45};
        for (int device = 0; device < 4; ++device) {
            QCOMPARE(slowed("1f1b", device), expected[device]);
            QCOMPARE(slowed("gpipe", device), 45.0);
        }
        const double zeroBubble[] = {37.5, 38, 38.5, 39};
        QCOMPARE(makespan(teaching("zb-h1", {{"F", 1}, {"I", 1}, {"W", 1}})), 27.0);
        for (int device = 0; device < 4; ++device)
            QCOMPARE(slowed("zb-h1", device, {{"F", 1}, {"I", 1}, {"W", 1}}), zeroBubble[device]);
    }

    /// The order of the passes is that of equal devices, also where a family looks at durations.
    void ordersDoNotKnowOfSlowDevices()
    {
        for (const char *family : {"zb-auto", "zb-v", "v-half"}) {
            model::Experiment experiment = teaching(family, {{"F", 1}, {"I", 1}, {"W", 1}});
            const auto planned = simulate::orderedSchedule(experiment);
            experiment.whatIf.slow = "1=3";
            const auto slow = simulate::orderedSchedule(experiment);
            QVERIFY(planned.ok() && slow.ok());
            for (int device = 0; device < 4; ++device)
                QVERIFY(std::ranges::equal(planned->device(device), slow->device(device)));
        }
    }

    /// A message of 0.5 between devices 1 and 2 takes 2: twice down, twice up on the path of the last microbatch.
    void slowLinks()
    {
        model::Experiment experiment =
            test::teachingExperiment("gpipe", 3, 1, VocabularyMethod::None, {{"F", 1}, {"B", 2}, {"send", 0.5}});
        QCOMPARE(makespan(experiment), 11.0);
        experiment.whatIf.slowLink = "2-1=4";
        QCOMPARE(makespan(experiment), 14.0);
        experiment.whatIf.slowLink = "0-2=4"; // no message takes it
        QCOMPARE(makespan(experiment), 11.0);
        experiment = test::teachingExperiment("1f1b", 2, 1, VocabularyMethod::Vocab1,
                                              {{"F", 10}, {"B", 20}, {"S", 1}, {"T", 2}, {"c0", 4}, {"c1", 5}, {"c2", 6}});
        const double before = makespan(experiment);
        experiment.whatIf.slowLink = "0-1=2"; // collectives of the ring of devices too
        QCOMPARE(makespan(experiment), before + 4 + 5 + 6);
    }

    void ranksNodesAndReplicas()
    {
        model::Experiment experiment = replicas();
        experiment.parallel.replicas = 2; // ranks: device 0 of replicas 0 and 1, then device 1 of both
        const auto classes = [&](const std::string &slow) {
            experiment.whatIf.slow = slow;
            const test::Plan plan = test::planOf(experiment);
            if (!plan.error.empty())
                qFatal("%s", plan.error.c_str());
            return plan.costs.classes;
        };
        const int devices = experiment.parallel.devices;
        QVERIFY(devices >= 2);
        const auto rank = classes("rank=3:1.5");
        QCOMPARE(rank.size(), std::size_t{2});
        QCOMPARE(rank[1].first, 1);
        QCOMPARE(rank[1].slow[1], 1.5);
        QCOMPARE(rank[1].slow[0], 1.0);
        QCOMPARE(rank[0].slow, std::vector<double>(static_cast<std::size_t>(devices), 1));
        const auto replica = classes("replica=1:1.5,rank=3:2");
        QCOMPARE(replica[1].slow[0], 1.5);
        QCOMPARE(replica[1].slow[1], 3.0);
        QVERIFY(classes("replica=0:1.5,replica=1:1.5").empty()); // equal again
        QVERIFY(classes("node=0:1.5").empty());                  // all ranks
        experiment.whatIf.slow = "node=9:1.5";
        QVERIFY(QString::fromStdString(test::planOf(experiment).error).contains("names node 9, but"));
    }

    /// All replicas wait for the slow one at the reduction; the timeline is the slow replica's.
    void replicasWaitForTheSlowest()
    {
        model::Experiment experiment = replicas();
        experiment.parallel.replicas = 2;
        const test::Plan equal = test::planOf(experiment);
        experiment.whatIf.slow = "rank=3:1.5";
        const test::Plan unequal = test::planOf(experiment);
        experiment.whatIf.slow = "1=1.5"; // both replicas
        const test::Plan both = test::planOf(experiment);
        QVERIFY2(unequal.error.empty(), unequal.error.c_str());
        QCOMPARE(unequal.timeline.replica, 1);
        QVERIFY(unequal.timeline.makespan() > equal.timeline.makespan());
        QCOMPARE(unequal.timeline.lanes, both.timeline.lanes);
        QCOMPARE(unequal.timeline.iteration(), both.timeline.iteration());
        QVERIFY(unequal.timeline.iteration() > equal.timeline.iteration());
        const simulate::CostModel shown = simulate::shownCosts(unequal.costs, unequal.timeline);
        QCOMPARE(shown.pass(1, schedule::PassKind::F, 1).duration, both.costs.pass(1, schedule::PassKind::F, 1).duration);
        const auto metrics = simulate::computeMetrics(experiment, unequal.schedule, unequal.timeline, &shown, 0);
        QVERIFY(*metrics.lowerBound <= metrics.makespan);
    }

    /// Different devices are slow in different replicas: each device reduces after its slowest replica.
    void reductionWaitsForEveryReplica()
    {
        model::Experiment experiment = replicas();
        experiment.parallel.replicas = 2;
        experiment.whatIf.slow = "rank=0:1.2,rank=3:1.5"; // device 0 of replica 0, device 1 of replica 1
        const test::Plan plan = test::planOf(experiment);
        QVERIFY2(plan.error.empty(), plan.error.c_str());
        for (int device = 0; device < plan.timeline.devices(); ++device) {
            base::Nanos latest = 0;
            for (const simulate::ReplicaClass &each : plan.costs.classes) {
                const auto own = simulate::simulate(plan.schedule, plan.costs.ofReplicas(each));
                latest = std::max(latest, own->lanes[static_cast<std::size_t>(device)].end.back());
            }
            const auto &anchored = plan.timeline.lanes[static_cast<std::size_t>(device)].anchored;
            QVERIFY(!anchored.empty());
            QCOMPARE(anchored.front().begin, latest);
        }
    }

    void lengthsScaleTheWorkOfAMicrobatch()
    {
        QTemporaryDir folder;
        model::Experiment experiment = test::teachingExperiment("gpipe", 1, 3, VocabularyMethod::None, {{"F", 1}, {"B", 2}});
        experiment.whatIf.lengths = written(folder, "microbatch,length\n0,100\n1,200\n1,100\n2,200\n"); // mean 200
        const test::Plan plan = test::planOf(experiment);
        QVERIFY2(plan.error.empty(), plan.error.c_str());
        const timeline::Lane &lane = plan.timeline.lanes[0];
        for (std::size_t i = 0; i < lane.size(); ++i) {
            const double work[] = {0.5, 1.5, 1};
            const double whole = lane.pass[i].kind == schedule::PassKind::F ? 1e6 : 2e6;
            QCOMPARE(static_cast<double>(lane.end[i] - lane.begin[i]), whole * work[lane.pass[i].microbatch]);
        }
        QCOMPARE(plan.timeline.makespan(), 9 * kNanosPerMilli);
        QCOMPARE(simulate::lowerBound(plan.schedule, plan.costs), 9 * kNanosPerMilli);
    }

    /// With a model the whole sequence is the plan's, and attention grows with the square.
    void attentionGrowsWithTheSquare()
    {
        QTemporaryDir folder;
        model::Experiment experiment = replicas();
        experiment.parallel.microbatches = 3;
        const int whole = experiment.model.sequence;
        const test::Plan planned = test::planOf(experiment);
        const std::string text =
            fmt::format("microbatch,length\n0,{}\n1,{}\n1,{}\n2,{}\n", whole, whole / 2, whole / 2, whole / 2);
        experiment.whatIf.lengths = written(folder, text.c_str());
        const test::Plan plan = test::planOf(experiment);
        QVERIFY2(plan.error.empty(), plan.error.c_str());
        const simulate::PassCost full = planned.costs.pass(0, schedule::PassKind::F, 0);
        QVERIFY(full.quadratic > 0 && full.quadratic < full.duration);
        const auto of = [&](int microbatch) {
            return plan.costs.of(0, schedule::makePass(schedule::PassKind::F, 0, microbatch)).duration;
        };
        QCOMPARE(of(0), full.duration);
        QVERIFY(std::abs(of(1) - (full.duration - full.quadratic / 2)) <= 1);
        QVERIFY(std::abs(of(2) - (full.duration - full.quadratic) / 2 - full.quadratic / 4) <= 1);
        const auto metrics = simulate::computeMetrics(experiment, plan.schedule, plan.timeline, &plan.costs, 1e12);
        const auto before = simulate::computeMetrics(experiment, planned.schedule, planned.timeline, &planned.costs, 1e12);
        const double seconds = static_cast<double>(metrics.iteration) / 1e9;
        QVERIFY(std::abs(*metrics.tokensPerSecond * seconds - 2.5 * whole) < 1e-6 * whole);
        QVERIFY(*metrics.modelFlops < *before.modelFlops);
        QVERIFY(*metrics.lowerBound <= metrics.makespan);
    }

    void wrongLengthsAreExplained()
    {
        model::Experiment experiment = test::teachingExperiment("gpipe", 1, 2, VocabularyMethod::None, {{"F", 1}});
        QCOMPARE(problemsOf("microbatch,length\n0,5\n1,7\n", experiment), QString());
        QVERIFY(problemsOf("", experiment).contains("line 1: the header is"));
        QVERIFY(problemsOf("length\n5\n", experiment).contains("it must be microbatch,length or replica,microbatch,length"));
        QVERIFY(problemsOf("microbatch,length\n0,5\n", experiment).contains("microbatch 1 is missing"));
        QVERIFY(problemsOf("microbatch,length\n0,5\n2,7\n", experiment).contains("line 3: the microbatch is '2'; give 0 to 1"));
        QVERIFY(problemsOf("microbatch,length\n0,0\n1,7\n", experiment).contains("line 2: the length is '0'"));
        QVERIFY(problemsOf("microbatch,length\n0,5,1\n1,7\n", experiment).contains("line 2: there are 3 columns; give the 2"));
        experiment.parallel.replicas = 2;
        QVERIFY(problemsOf("replica,microbatch,length\n0,0,5\n0,1,5\n1,0,5\n", experiment)
                    .contains("microbatch 1 of replica 1 is missing"));
        model::Experiment withModel = replicas();
        withModel.parallel.microbatches = 1;
        const std::string text = fmt::format("microbatch,length\n0,{}\n0,1\n", withModel.model.sequence);
        QVERIFY(problemsOf(text, withModel).contains("but the plan has room for"));
        withModel.whatIf.lengths = "nowhere.csv";
        QVERIFY(QString::fromStdString(test::planOf(withModel).error).startsWith("what_if.lengths: nowhere.csv"));
    }

    /// Checkpoints of 30 s, a failure a day: sqrt(2 x 30 x 86400) = 2277 s.
    void youngsOptimum()
    {
        const auto forecast = simulate::failureForecast(86'400, 30, 0, 10);
        QVERIFY(std::abs(forecast.optimum - 2276.84) < 0.01);
        QCOMPARE(forecast.steps, std::int64_t{228});
        QCOMPARE(forecast.period, 2280.0);
        QCOMPARE(forecast.lostPerFailure, 1140.0);
        // First order: 1 - C / period - period / (2 M).
        QVERIFY(std::abs(forecast.goodput - (1 - 30 / 2280.0 - 1140.0 / 86'400)) < 1e-3);
        QVERIFY(simulate::failureForecast(86'400, 30, 600, 10).goodput < forecast.goodput);
        // No other number of steps makes more progress, but for the terms of second order.
        for (const double steps : {114.0, 456.0}) {
            const double period = 10 * steps;
            QVERIFY(period / (86'400 * std::expm1((period + 30) / 86'400)) < forecast.goodput);
        }
        QCOMPARE(simulate::failureForecast(100, 30, 0, 1000).steps, std::int64_t{1}); // a step is longer than the optimum
        QVERIFY(!simulate::failureForecast(model::WhatIf(), 1));
    }
};

STAGELENS_TEST(SimulateSensitivity)

} // namespace unit_simulate_sensitivity

#include "simulate/sensitivity.moc"
