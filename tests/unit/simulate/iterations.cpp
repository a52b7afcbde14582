// Timelines of several steps: PipeDream does not drain between them, and every other schedule does.
#include "engine/simulate/steps/iterations.h"
#include "engine/schedule/check/validator.h"
#include "engine/schedule/text_form.h"
#include "engine/simulate/idle_causes.h"
#include "engine/simulate/metrics.h"
#include "engine/simulate/planned_schedule.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace unit_simulate_iterations {

using namespace stagelens;
using base::Nanos;
using model::VocabularyMethod;

namespace {

constexpr Nanos kUnit = 1'000'000;

struct Predicted {
    model::Experiment experiment;
    schedule::Schedule schedule;
    simulate::CostModel costs{1, 1};
    timeline::Timeline timeline;
    simulate::Metrics metrics;
};

/// A plan that cannot be predicted ends the test program.
Predicted predicted(model::Experiment experiment, int iterations)
{
    experiment.schedule.iterations = iterations;
    auto schedule = simulate::plannedSchedule(experiment);
    if (!schedule)
        qFatal("%s", schedule.error().text().c_str());
    auto costs = simulate::makeCostModel(experiment, *schedule);
    if (!costs)
        qFatal("%s", costs.error().text().c_str());
    auto timeline = simulate::simulate(*schedule, *costs);
    if (!timeline)
        qFatal("%s", timeline.error().text().c_str());
    auto metrics = simulate::computeMetrics(experiment, *schedule, *timeline, &*costs, 1e12);
    return {experiment, *std::move(schedule), *std::move(costs), *std::move(timeline), std::move(metrics)};
}

model::Experiment teaching(const char *family, int devices, int microbatches)
{
    return test::teachingExperiment(family, devices, microbatches, VocabularyMethod::None, {{"F", 1.0}, {"B", 2.0}});
}

/// Passes of stages with optimizer steps, from a hardware preset.
model::Experiment withModel(const char *family, int devices = 4, int microbatches = 8)
{
    model::Experiment experiment = test::tinyExperiment(family, VocabularyMethod::None, devices, microbatches);
    experiment.cost.source = model::HardwarePreset{"a100-80gb"};
    return experiment;
}

Nanos busyOf(const timeline::Timeline &timeline)
{
    Nanos busy = 0;
    for (const timeline::Lane &lane : timeline.lanes)
        for (std::size_t i = 0; i < lane.size(); ++i)
            busy += lane.end[i] - lane.begin[i];
    return busy;
}

} // namespace

class SimulateIterations : public QObject {
    Q_OBJECT

private slots:
    /// With free links and equal passes: one fill and drain for all steps, against one for each.
    void haveTheirClosedForms()
    {
        for (const auto &[p, m] : {std::pair(1, 3), std::pair(4, 4), std::pair(4, 8), std::pair(7, 16)}) {
            double last = 1;
            for (const int k : {1, 2, 3, 10, 100}) {
                for (const char *family : {"pipedream", "pipedream-2bw"}) {
                    const Predicted flowing = predicted(teaching(family, p, m), k);
                    QCOMPARE(flowing.metrics.makespan, Nanos{k * m + p - 1} * 3 * kUnit);
                    QCOMPARE(flowing.metrics.bubbleRatio, 1 - static_cast<double>(k * m) / (k * m + p - 1));
                    QCOMPARE(flowing.metrics.iteration, Nanos{k == 1 ? m + p - 1 : m} * 3 * kUnit);
                    if (k > 1)
                        QVERIFY(std::abs(*flowing.metrics.steadyBubbleRatio) < 1e-12);
                }
                const Predicted drained = predicted(teaching("1f1b", p, m), k);
                QCOMPARE(drained.metrics.makespan, Nanos{k} * (m + p - 1) * 3 * kUnit);
                QCOMPARE(drained.metrics.iteration, Nanos{m + p - 1} * 3 * kUnit);
                QCOMPARE(drained.metrics.bubbleRatio, 1 - static_cast<double>(m) / (m + p - 1));
                const double bubble = predicted(teaching("pipedream", p, m), k).metrics.bubbleRatio;
                QVERIFY(bubble < last || p == 1);
                QVERIFY(k == 1 || p == 1 || bubble < drained.metrics.bubbleRatio);
                last = bubble;
            }
            QVERIFY(last < 0.02);
        }
    }

    void oneIterationChangesNothing()
    {
        for (const char *family : {"pipedream", "pipedream-2bw", "1f1b", "zb-h1", "chimera"}) {
            const Predicted one = predicted(withModel(family), 1);
            QCOMPARE(one.timeline.iterations, 1);
            QCOMPARE(one.timeline.period, Nanos{0});
            QVERIFY(!one.metrics.iterations && !one.metrics.makespanPerIteration && !one.metrics.steadyBubbleRatio);
            QVERIFY(!one.costs.updates);
            QCOMPARE(schedule::toText(one.schedule).find("iterations"), std::string::npos);
        }
    }

    /// Also two directions, split backwards, vocabulary passes and copies to the host.
    void stepsThatDrainAreCopies()
    {
        std::vector<model::Experiment> plans;
        for (const char *family : {"1f1b", "zb-h1", "chimera", "hanayo", "seq1f1b", "interlaced"})
            plans.push_back(withModel(family));
        plans.push_back(withModel("1f1b"));
        plans.back().schedule.vocabulary = VocabularyMethod::Vocab1;
        plans.push_back(withModel("1f1b"));
        plans.back().schedule.offload.fraction = 0.5;
        plans.push_back(withModel("1f1b"));
        plans.back().parallel.replicas = 2;
        for (const model::Experiment &plan : plans) {
            const Predicted one = predicted(plan, 1);
            const Predicted three = predicted(plan, 3);
            QVERIFY(schedule::findViolations(three.schedule).empty());
            QVERIFY(three.schedule.firstStep() == one.schedule);
            const Nanos interval = std::max(one.timeline.iteration(), one.timeline.makespan());
            for (int device = 0; device < one.timeline.devices(); ++device) {
                const auto d = static_cast<std::size_t>(device);
                const timeline::Lane &step = one.timeline.lanes[d];
                const timeline::Lane &all = three.timeline.lanes[d];
                QCOMPARE(all.size(), 3 * step.size());
                QCOMPARE(all.anchored.size(), 3 * step.anchored.size());
                for (std::size_t i = 0; i < all.size(); ++i) {
                    QCOMPARE(all.begin[i], step.begin[i % step.size()] + static_cast<Nanos>(i / step.size()) * interval);
                    QVERIFY(all.pass[i] == three.schedule.device(device)[i]);
                }
                const auto tails = three.timeline.tails(device);
                QCOMPARE(tails.size(), 3 * one.timeline.tails(device).size());
                for (std::size_t i = 0; i < tails.size(); ++i)
                    QCOMPARE(tails[i].first, step.tailBegin + static_cast<Nanos>(i) * interval);
            }
            QCOMPARE(three.metrics.iteration, one.metrics.iteration);
            QCOMPARE(three.metrics.bubbleRatio, one.metrics.bubbleRatio);
            QCOMPARE(*three.metrics.makespanPerIteration, one.metrics.makespan);
            QCOMPARE(three.metrics.busyPerDevice, one.metrics.busyPerDevice);
            QCOMPARE(three.metrics.tokensPerSecond, one.metrics.tokensPerSecond);
            QCOMPARE(three.metrics.mfu, one.metrics.mfu);
            QCOMPARE(three.metrics.peakMemory, one.metrics.peakMemory);
            QCOMPARE(three.metrics.peakActivationMicrobatches, one.metrics.peakActivationMicrobatches);
            QCOMPARE(three.metrics.pipelineTraffic, one.metrics.pipelineTraffic);
            QCOMPARE(three.metrics.replicaTraffic, one.metrics.replicaTraffic);
            QCOMPARE(three.metrics.exposedExchange, one.metrics.exposedExchange);
        }
    }

    void causesAndSlackOfCopiesAreThoseOfTheStep()
    {
        for (const char *family : {"1f1b", "zb-h1", "chimera"}) {
            const Predicted one = predicted(withModel(family), 1);
            const Predicted three = predicted(withModel(family), 3);
            const simulate::Explanation step = simulate::explain(one.timeline, one.schedule, one.costs);
            const simulate::Explanation all = simulate::explain(three.timeline, three.schedule, three.costs);
            for (std::size_t cause = 0; cause < step.idle.total.size(); ++cause)
                QCOMPARE(all.idle.total[cause], 3 * step.idle.total[cause]);
            for (std::size_t device = 0; device < step.path.lanes.size(); ++device)
                for (std::size_t i = 0; i < all.path.lanes[device].slack.size(); ++i)
                    QCOMPARE(all.path.lanes[device].slack[i],
                             step.path.lanes[device].slack[i % step.path.lanes[device].slack.size()]);
            Nanos length = 0;
            for (const simulate::PathStep &piece : all.path.steps)
                length += piece.end - piece.begin;
            QCOMPARE(length, three.timeline.makespan());
        }
    }

    void theBubbleOfStepsThatFlowIsExplained()
    {
        for (const char *family : {"pipedream", "pipedream-2bw"}) {
            const Predicted plan = predicted(withModel(family), 4);
            const simulate::Explanation why = simulate::explain(plan.timeline, plan.schedule, plan.costs);
            const Nanos bubble = plan.timeline.makespan() * plan.timeline.devices() - busyOf(plan.timeline);
            QCOMPARE(std::accumulate(why.idle.total.begin(), why.idle.total.end(), Nanos{0}), bubble);
        }
    }

    /// PipeDream updates after each backward, PipeDream-2BW after that of a step's last microbatch: in the time of the pass.
    void updatesAreInTheBackward()
    {
        for (const char *family : {"pipedream", "pipedream-2bw"}) {
            const Predicted plan = predicted(withModel(family), 3);
            for (int device = 0; device < plan.timeline.devices(); ++device) {
                const timeline::Lane &lane = plan.timeline.lanes[static_cast<std::size_t>(device)];
                QVERIFY(plan.costs.optimizer(device) > 0);
                QVERIFY(plan.timeline.tails(device).empty());
                for (std::size_t i = 0; i < lane.size(); ++i) {
                    const Nanos plain = plan.costs.pass(device, lane.pass[i].kind, lane.pass[i].stage).duration;
                    const bool isLast = (lane.pass[i].microbatch + 1) % 8 == 0 || family == std::string_view("pipedream");
                    const bool updates = lane.pass[i].kind == schedule::PassKind::B && isLast;
                    QCOMPARE(lane.end[i] - lane.begin[i], plain + (updates ? plan.costs.optimizer(device) : 0));
                }
            }
        }
    }

    void refusesWhatIsTooLong()
    {
        model::Experiment experiment = teaching("pipedream", 4, 1'000'000);
        experiment.schedule.iterations = 900;
        const auto made = schedule::makeSchedule(experiment);
        QVERIFY(!made);
        QCOMPARE(made.error().problems.front().field, std::string("schedule.iterations"));
    }

    void textsComeBack()
    {
        for (const char *family : {"pipedream", "1f1b"}) {
            const schedule::Schedule schedule = predicted(teaching(family, 3, 4), 2).schedule;
            const auto read = schedule::scheduleFromText(schedule::toText(schedule));
            QVERIFY(read);
            QVERIFY(*read == schedule);
        }
        const auto uneven =
            schedule::scheduleFromText("schedule x devices 1 microbatches 3 iterations 2 vocabulary none\n0: F0\n");
        QVERIFY(!uneven && uneven.error().text().find("divisor") != std::string::npos);
    }

    /// Two versions of the weights are not enough if a step begins before the one before the last has ended.
    void doubleBufferedOrdersAreChecked()
    {
        const auto read = schedule::scheduleFromText(
            "schedule x devices 1 microbatches 3 iterations 3 vocabulary none updates double-buffered\n0: F0 F1 F2 B0 B1 B2\n");
        QVERIFY(read);
        const auto found = schedule::findViolations(*read);
        QCOMPARE(found.size(), std::size_t{1});
        QVERIFY(found.front().kind == schedule::ViolationKind::StaleWeights);
    }
};

STAGELENS_TEST(SimulateIterations)

} // namespace unit_simulate_iterations

#include "simulate/iterations.moc"
