// Local SGD as predicted: the mean of steps with and without an average of the weights, traffic, memory and documents.
#include "engine/model/experiment_json.h"
#include "engine/model/schema.h"
#include "engine/simulate/costs/collective_costs.h"
#include "engine/simulate/metrics.h"
#include "engine/simulate/steps/step_end.h"
#include "engine/store/timeline_blob.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace unit_simulate_local_sgd {

using namespace stagelens;
using base::kNanosPerMilli;
using base::Nanos;
using timeline::AnchoredKind;

namespace {

/// 1F1B on 4 devices with 8 microbatches, F 1, B 2, which ends at 33, 31, 29 and 27: an optimizer of 1 and an average of 3.
timeline::Timeline stepOf(int every, bool limitsNorm = false, const std::vector<double> &slow = {})
{
    test::Plan plan = test::planOf(test::teachingExperiment("1f1b", 4, 8, model::VocabularyMethod::None, {{"F", 1}, {"B", 2}}));
    plan.costs.replicas = 2;
    plan.costs.averageEvery = every;
    plan.costs.limitsNorm = limitsNorm;
    for (int device = 0; device < 4; ++device) {
        plan.costs.setOptimizer(device, kNanosPerMilli);
        plan.costs.setExchange(device, AnchoredKind::AverageParameters, {3 * kNanosPerMilli, 100});
    }
    if (!slow.empty())
        plan.costs.classes = {{0, 1, {}, nullptr}, {1, 1, slow, nullptr}};
    auto timeline = simulate::simulate(plan.schedule, plan.costs);
    if (!timeline)
        qFatal("%s", timeline.error().text().c_str());
    return std::move(timeline).value();
}

model::Experiment planOf(int every, model::DataType type = model::DataType::Bf16, int replicas = 4)
{
    model::Experiment experiment;
    experiment.model = test::gptOf(4, 1024, 16, 512, 32000, type);
    experiment.parallel.devices = 2;
    experiment.parallel.microbatches = 4;
    experiment.parallel.replicas = replicas;
    experiment.parallel.syncEvery = every;
    experiment.cost.source = model::HardwarePreset{"a100-80gb"};
    return experiment;
}

struct Predicted {
    test::Plan plan;
    simulate::Metrics metrics;
};

Predicted predicted(const model::Experiment &experiment)
{
    test::Plan plan = test::planOf(experiment);
    if (!plan.error.empty())
        qFatal("%s", plan.error.c_str());
    simulate::Metrics metrics = simulate::computeMetrics(plan.experiment, plan.schedule, plan.timeline, &plan.costs, 0);
    return {std::move(plan), std::move(metrics)};
}

std::string problemOf(const model::Experiment &experiment)
{
    const base::Problems problems = model::validate(experiment);
    const auto found = std::ranges::find(problems, "parallel.sync_every", &base::Problem::field);
    return found == problems.end() ? std::string() : found->message;
}

} // namespace

class SimulateLocalSgd : public QObject {
    Q_OBJECT

private slots:
    void anIterationIsTheMeanOfTheSteps()
    {
        // Alone a step takes 33 + 1, with the average 3 more.
        for (const auto &[every, period] : {std::pair(2, 35.5), {3, 35.0}, {4, 34.75}}) {
            const timeline::Timeline step = stepOf(every);
            QCOMPARE(step.period, std::llround(period * static_cast<double>(kNanosPerMilli)));
            QCOMPARE(step.iteration(), step.period);
            QCOMPARE(simulate::exposedExchange(step), 3 * kNanosPerMilli / every);
            constexpr std::array<int, 4> kEnds{33, 31, 29, 27};
            for (std::size_t device = 0; device < 4; ++device) {
                const timeline::Lane &lane = step.lanes[device];
                QCOMPARE(lane.tailBegin, kEnds[device] * kNanosPerMilli); // waits for no other replica
                QCOMPARE(lane.anchored.size(), std::size_t{1});
                QCOMPARE(lane.anchored[0].kind, AnchoredKind::AverageParameters);
                QCOMPARE(lane.anchored[0].begin, lane.tailEnd);
                QCOMPARE(lane.anchored[0].end, lane.tailEnd + 3 * kNanosPerMilli);
            }
        }
    }

    /// The norm is that of a replica, but of all of its devices.
    void theNormWaitsForTheDevicesOfAReplica()
    {
        const timeline::Timeline step = stepOf(2, true);
        for (const timeline::Lane &lane : step.lanes)
            QCOMPARE(lane.tailBegin, 33 * kNanosPerMilli);
        QCOMPARE(step.period, 35 * kNanosPerMilli + kNanosPerMilli / 2);
    }

    /// The average waits for the slowest replica; the mean is that of its steps.
    void aSlowReplicaCountsInEveryStep()
    {
        const timeline::Timeline slow = stepOf(4, false, {2, 2, 2, 2});
        QCOMPARE(slow.replica, 1);
        QCOMPARE(slow.period, 68 * kNanosPerMilli + 3 * kNanosPerMilli / 4);
    }

    void trafficIsSharedByTheSteps()
    {
        const auto sent = [](int every, model::DataType type) {
            return static_cast<double>(predicted(planOf(every, type)).metrics.replicaTraffic.front());
        };
        const double sums = sent(1, model::DataType::Fp32);
        for (const int every : {2, 8, 100}) // in fp32 weights are as long as gradients
            QVERIFY(std::abs(sent(every, model::DataType::Fp32) - sums / every) <= 1);
        // The average is of the fp32 weights that the optimizer updates.
        QVERIFY(std::abs(sent(8, model::DataType::Bf16) - sent(8, model::DataType::Fp32)) <= 1);
    }

    void timesAreThoseOfTheAllReduce()
    {
        const Predicted summed = predicted(planOf(1, model::DataType::Fp32));
        const Predicted averaged = predicted(planOf(4, model::DataType::Fp32));
        for (int device = 0; device < 2; ++device) {
            QCOMPARE(averaged.plan.costs.exchange(device, AnchoredKind::ReduceGradients).duration, Nanos{0});
            QCOMPARE(averaged.plan.costs.exchange(device, AnchoredKind::AverageParameters).duration,
                     summed.plan.costs.exchange(device, AnchoredKind::ReduceGradients).duration);
        }
        QVERIFY(averaged.metrics.iteration < summed.metrics.iteration);
        QVERIFY(*averaged.metrics.exposedExchange > 0);
        QVERIFY(*averaged.metrics.tokensPerSecond > *summed.metrics.tokensPerSecond);
        QCOMPARE(averaged.metrics.makespan, summed.metrics.makespan);
    }

    void memoryIsThatOfWholeReplicas()
    {
        QCOMPARE(predicted(planOf(8)).metrics.peakMemoryByCategory, predicted(planOf(1)).metrics.peakMemoryByCategory);
    }

    void timelinesAreStored()
    {
        const timeline::Timeline step = stepOf(2);
        const auto read = store::decodeTimeline(store::encodeTimeline(step));
        QVERIFY2(read.ok(), read ? "" : read.error().text().c_str());
        QVERIFY(**read == step);
    }

    void documentsKeepIt()
    {
        const model::Experiment experiment = planOf(16);
        const std::string text = model::toJson(experiment).dump();
        const auto read = model::experimentFromJson(text, "test");
        QVERIFY2(read.ok(), read ? "" : read.error().text().c_str());
        QCOMPARE(read->parallel.syncEvery, 16);
        QCOMPARE(model::toJson(*read).dump(), text);
        QVERIFY(!model::toJson(planOf(1))["parallel"].contains("sync_every")); // as in documents of older versions
        auto old = model::toJson(experiment);
        old["parallel"].erase("sync_every");
        QCOMPARE(model::experimentFromJson(old.dump(), "test")->parallel.syncEvery, 1);
        QCOMPARE(model::schemaField("parallel.sync_every").option, std::string_view("--sync-every"));
    }

    void whatCannotWorkIsRefused()
    {
        QCOMPARE(problemOf(planOf(16)), std::string());
        QCOMPARE(problemOf(planOf(4, model::DataType::Bf16, 1)),
                 std::string("is 4, but one replica has no other to average weights with; choose 1, or at least 2 replicas"));
        const auto with = [](auto change) {
            model::Experiment experiment = planOf(4);
            change(experiment);
            return problemOf(experiment);
        };
        QVERIFY(with([](model::Experiment &e) { e.parallel.syncEvery = 0; }).find("choose 1") != std::string::npos);
        for (const int zero : {1, 2, 3})
            QVERIFY(with([zero](model::Experiment &e) { e.parallel.zero = zero; }).ends_with("choose 1, or zero 0"));
        QVERIFY(with([](model::Experiment &e) { e.parallel.context = 2; }).ends_with("choose 1, or one context rank"));
        QVERIFY(with([](model::Experiment &e) {
                    e.training.compression = {"sign", 0};
                }).ends_with("choose 1, or the compression none"));
        QVERIFY(with([](model::Experiment &e) { e.whatIf.jitter = 0.1; }).ends_with("choose 1, or leave what_if.jitter out"));
        QVERIFY(with([](model::Experiment &e) {
                    e.model.family = model::ModelFamily::Llama;
                    e.model.experts = 4;
                    e.parallel.expert = 2;
                }).ends_with("choose 1, or as many expert ranks as tensor ranks"));
    }
};

STAGELENS_TEST(SimulateLocalSgd)

} // namespace unit_simulate_local_sgd

#include "simulate/local_sgd.moc"
