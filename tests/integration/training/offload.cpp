// Activation offload: runs that copy activations to the host and back have the bits of runs that do not, and hold on devices
// and host exactly what is planned.
#include "engine/model/family_shape.h"
#include "engine/runtime/memory/memory_plan.h"
#include "engine/runtime/plan/lowering.h"
#include "engine/runtime/training/run_check.h"
#include "engine/simulate/offload/offload_plan.h"
#include "engine/simulate/planned_schedule.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/trained.h"

#include <QtTest>

#include <algorithm>
#include <set>
#include <string_view>

namespace integration_training_offload {

using namespace stagelens;
using model::VocabularyMethod;
using test::scheduleOf;
using test::smallExperiment;

namespace {

schedule::Schedule offloaded(const model::Experiment &experiment)
{
    auto schedule = simulate::withOffload(experiment, scheduleOf(experiment));
    if (!schedule || !schedule->hasCopies())
        qFatal("%s: no copies", experiment.schedule.family.c_str());
    return *std::move(schedule);
}

/// Another combination of model, recomputation, part, lanes and mode each turn.
model::Experiment sample(const std::string &family, VocabularyMethod method, int turn)
{
    auto experiment = smallExperiment(family, method, 4, 6);
    if (turn % 2 == 1)
        experiment = test::asLlama(experiment, 1);
    if (turn % 3 == 1)
        experiment.schedule.recompute = model::Recompute::Full;
    if (turn % 3 == 2)
        test::recomputeParts(experiment, turn);
    if (turn % 5 == 0)
        experiment.schedule.attention = model::Attention::Materialised;
    if (model::offloadOf(experiment.schedule).isOn()) // PipeOffload's families bring their own, which delays no pass
        experiment.schedule.hostBandwidth = 1000;
    else
        experiment.schedule.offload.fraction = turn % 4 == 0 ? 0.5 : 1;
    experiment.schedule.offloadLanes = turn % 4 < 2 ? model::OffloadLanes::Half : model::OffloadLanes::Full;
    experiment.training.mode = turn / 2 % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
    return experiment;
}

model::Experiment resident(model::Experiment experiment)
{
    experiment.schedule.offload = {};
    return experiment;
}

std::size_t copiesOf(const timeline::Lane &lane, timeline::AnchoredKind kind)
{
    return static_cast<std::size_t>(std::ranges::count(lane.anchored, kind, &timeline::AnchoredSlice::kind));
}

} // namespace

class TrainingOffload : public QObject {
    Q_OBJECT

private slots:
    void changesNoBitOfAnyFamily()
    {
        int turn = 0;
        for (const auto &[family, method] : test::allPlans()) {
            if (++turn % 4 != 0 && test::kIsSanitized)
                continue;
            const model::Experiment experiment = sample(family, method, turn);
            const std::vector<float> expected = test::gradientsOf(resident(experiment));
            QVERIFY2(test::sameBits(test::gradientsOf(experiment, offloaded(experiment)), expected),
                     qPrintable(QString("%1, turn %2").arg(family.c_str()).arg(turn)));
        }
    }

    /// The families that offload themselves: in a run as it is planned, with the bits of the same stages in another order.
    void familiesThatOffloadChangeNoBit()
    {
        const auto planned = [](const model::Experiment &experiment) {
            auto schedule = simulate::plannedSchedule(experiment);
            if (!schedule)
                qFatal("%s", schedule.error().text().c_str());
            return *std::move(schedule);
        };
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab2}) {
            const std::vector<float> expected = test::gradientsOf(smallExperiment("interleaved-1f1b", method, 4, 10));
            for (const char *family : {"po-h", "po-f"})
                for (const model::RunMode mode : {model::RunMode::VirtualClock, model::RunMode::Live}) {
                    auto experiment = smallExperiment(family, method, 4, 10);
                    experiment.training.mode = mode;
                    experiment.schedule.hostBandwidth = 1000;
                    const auto schedule = planned(experiment);
                    std::set<int> offloaded;
                    for (const schedule::Copy &copy : schedule.copies(1))
                        offloaded.insert(copy.stage);
                    QCOMPARE(offloaded, family == std::string_view("po-h") ? std::set{1} : (std::set{1, 5}));
                    QVERIFY2(test::sameBits(test::gradientsOf(experiment, schedule), expected), family);
                }
        }
        // Two devices with two chunks have the stages of four devices.
        auto whole = smallExperiment("1f1b", VocabularyMethod::None, 4, 10);
        auto chunked = smallExperiment("po-h", VocabularyMethod::None, 2, 10);
        QCOMPARE(chunked.parallel.stageLayers, whole.parallel.stageLayers);
        QVERIFY(test::sameBits(test::gradientsOf(chunked, planned(chunked)), test::gradientsOf(whole)));
    }

    /// Ranks copy their own parts.
    void changesNoBitWithRanks()
    {
        const auto compare = [](const char *what, auto change) {
            auto experiment = smallExperiment("zb-h1", VocabularyMethod::Vocab2, 2, 4);
            experiment.model.sequence = 8;
            experiment.schedule.offload.fraction = 1;
            change(experiment);
            experiment = operators::resolved(experiment, 2);
            const std::vector<float> expected = test::gradientsOf(resident(experiment));
            QVERIFY2(test::sameBits(test::gradientsOf(experiment, offloaded(experiment)), expected), what);
        };
        compare("tensor", [](model::Experiment &each) { each.parallel.tensor = 2; });
        compare("context", [](model::Experiment &each) { each.parallel.context = 2; });
        compare("experts", [](model::Experiment &each) {
            each = test::asLlama(each, 2);
            each.model.experts = 4;
            each.model.expertFfn = 24;
            each.parallel.replicas = 2;
            each.parallel.expert = 2;
            each.parallel.expertHeadroom = 4;
        });
        compare("replicas", [](model::Experiment &each) {
            each.parallel.replicas = 2;
            each.parallel.zero = 2;
            each.training.mode = model::RunMode::Live;
        });
    }

    void bytesAreThoseOfThePlan()
    {
        int turn = 0;
        for (const char *family :
             {"1f1b", "gpipe", "v-half", "zb-h1", "interleaved-1f1b", "dualpipe", "interlaced", "po-h", "po-f"}) {
            const bool isInterlaced = std::string_view(family) == "interlaced";
            for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab2})
                if (method == VocabularyMethod::None || !isInterlaced)
                    compareBytes(sample(family, method, turn++));
        }
    }

    /// A live run copies on threads: both copies of each activation, no faster than the link, which each begins after the
    /// forward and ends before the backward.
    void threadsCopyBesideThePasses()
    {
        auto experiment = sample("1f1b", VocabularyMethod::Vocab1, 6);
        experiment.schedule.offload.fraction = 1;
        experiment.schedule.hostBandwidth = 0.1;
        experiment.training.mode = model::RunMode::Live;
        experiment.training.steps = 2;
        const auto schedule = offloaded(experiment);
        std::vector<timeline::TimelinePtr> timelines;
        const auto onStep = [&](const runtime::StepReport &report) { timelines.push_back(report.timeline); };
        QVERIFY(runtime::train(experiment, schedule, {}, {onStep, {}}, {}).ok());
        QCOMPARE(timelines.size(), std::size_t{2});
        for (int device = 0; device < schedule.devices(); ++device) {
            const timeline::Lane &lane = timelines.back()->lanes[static_cast<std::size_t>(device)];
            const std::size_t half = schedule.copies(device).size() / 2;
            QCOMPARE(copiesOf(lane, timeline::AnchoredKind::Offload), half);
            QCOMPARE(copiesOf(lane, timeline::AnchoredKind::Reload), half);
            for (const timeline::AnchoredSlice &slice : lane.anchored) {
                QVERIFY(slice.bytes > 0 &&
                        static_cast<double>(slice.end - slice.begin) >= static_cast<double>(slice.bytes) * 9);
                for (std::size_t i = 0; i < lane.size(); ++i) {
                    const bool isOwn = lane.pass[i].stage == slice.stage && lane.pass[i].microbatch == slice.microbatch;
                    if (isOwn && lane.pass[i].kind == schedule::PassKind::F)
                        QVERIFY(slice.begin >= lane.end[i]);
                    if (isOwn && lane.pass[i].kind == schedule::PassKind::B)
                        QVERIFY(slice.end <= lane.begin[i]);
                }
            }
        }
    }

    void tooLittleHostMemoryIsRefused()
    {
        auto experiment = sample("1f1b", VocabularyMethod::None, 4);
        experiment.schedule.offload.fraction = 1;
        const auto schedule = offloaded(experiment);
        base::Bytes need = 0;
        for (const runtime::DevicePlan &plan : runtime::memoryPlan(experiment, schedule).value())
            need += plan.hostPeak;
        experiment.schedule.hostMemory = need;
        QVERIFY(runtime::checkRun(experiment, schedule).ok());
        experiment.schedule.hostMemory = need - 1;
        const auto refused = runtime::checkRun(experiment, schedule);
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().problems.front().field, std::string("schedule.host_memory"));
    }

private:
    /// Compares the peaks of every device and its host with the plan and with the prediction.
    static void compareBytes(const model::Experiment &experiment)
    {
        const auto schedule = offloaded(experiment);
        const auto plans = runtime::memoryPlan(experiment, runtime::lowered(schedule)).value();
        const auto onStep = [&](const runtime::StepReport &report) {
            for (int device = 0; device < schedule.devices(); ++device) {
                const auto at = static_cast<std::size_t>(device);
                for (std::size_t i = 0; i < report.peakMemory[at].size(); ++i)
                    if (i != simulate::at(simulate::MemoryCategory::Communication))
                        QCOMPARE(report.peakMemory[at][i], plans[at].peak[i]);
                QCOMPARE(report.peakHost[at], plans[at].hostPeak);
                QCOMPARE(report.peakHost[at], simulate::peakHostBytes(experiment, schedule, device));
                QVERIFY(report.peakHost[at] <= plans[at].hostBytes());
            }
        };
        auto one = experiment;
        one.training.steps = 2;
        const auto trained = runtime::train(one, schedule, {}, {onStep, {}}, {});
        QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
    }
};

STAGELENS_TEST(TrainingOffload)

} // namespace integration_training_offload

#include "training/offload.moc"
