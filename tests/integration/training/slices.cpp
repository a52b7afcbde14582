// Slices of sequences: gradients against the unpartitioned reference, the bits that depend on the cuts only, memory, and the
// loss on held-back tokens.
#include "engine/model/names.h"
#include "engine/runtime/memory/memory_plan.h"
#include "engine/runtime/plan/lowering.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/trained.h"
#include "tests/support/verify_matrix.h"

#include <QtTest>
#include <algorithm>
#include <cmath>

namespace integration_training_slices {

using namespace stagelens;
using model::SliceCut;
using model::VocabularyMethod;
using test::scheduleOf;

namespace {

constexpr VocabularyMethod kMethods[] = {VocabularyMethod::None, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2};
constexpr const char *kFamilies[] = {"seq1f1b", "seq1f1b-zb"};

/// Sequences of 20 tokens, so that 3 slices of either cut differ in length.
model::Experiment sliced(const char *family, VocabularyMethod method, int slices, SliceCut cut = SliceCut::Work)
{
    model::Experiment experiment = test::smallExperiment(family, method, 2, 3);
    experiment.model.sequence = 20;
    experiment.schedule.sequenceSlices = slices;
    experiment.schedule.sliceCut = cut;
    experiment.parallel.microbatchSize = 2;
    return experiment;
}

/// The largest difference relative to the largest number.
double differenceOf(const std::vector<float> &a, const std::vector<float> &b)
{
    double most = 0;
    double difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        most = std::max<double>(most, std::abs(a[i]));
        difference = std::max<double>(difference, std::abs(a[i] - b[i]));
    }
    return difference / most;
}

} // namespace

class SlicesTraining : public QObject {
    Q_OBJECT

private slots:
    void gradientsAreThoseOfTheReference()
    {
        int turn = 0;
        for (const char *family : kFamilies)
            for (const VocabularyMethod method : kMethods)
                for (const int slices : {2, 3, 20}) {
                    ++turn;
                    if (test::kIsSanitized && turn % 3 != 0)
                        continue;
                    model::Experiment experiment = sliced(family, method, slices, turn % 2 ? SliceCut::Work : SliceCut::Length);
                    if (turn % 4 < 2)
                        experiment = test::asLlama(experiment, 1); // two heads of queries for one of keys
                    experiment.model.tied = turn % 3 == 0;
                    experiment.training.mode = turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
                    test::verifyPlan(experiment);
                    if (QTest::currentTestFailed())
                        return;
                }
    }

    /// Schedule, mode, number of devices and recomputation change no bit; cuts do.
    void bitsDependOnTheCutsOnly()
    {
        for (const bool isLlama : {false, true}) {
            const auto made = [&](const char *family, SliceCut cut) {
                const model::Experiment experiment = sliced(family, VocabularyMethod::None, 3, cut);
                return isLlama ? test::asLlama(experiment, 1) : experiment;
            };
            const std::vector<float> expected = test::gradientsOf(made("seq1f1b", SliceCut::Work));
            for (const char *family : kFamilies) {
                model::Experiment experiment = made(family, SliceCut::Work);
                experiment.training.mode = model::RunMode::Live;
                QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment)), family);
                for (int turn = 0; turn < 3; ++turn) {
                    test::recomputeParts(experiment, 2 * turn + 1);
                    QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment)), family);
                }
                experiment.schedule.recomputeLayers.clear();
                experiment.schedule.recomputeModules = {};
                experiment.schedule.recompute = model::Recompute::Full;
                QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment)), family);
            }
            const std::vector<float> other = test::gradientsOf(made("seq1f1b", SliceCut::Length));
            QVERIFY(!test::sameBits(expected, other));
            QVERIFY(differenceOf(expected, other) < 1e-5);
            model::Experiment whole = made("1f1b", SliceCut::Work);
            whole.schedule.sequenceSlices.reset();
            QVERIFY(differenceOf(expected, test::gradientsOf(whole)) < 1e-5);
        }
    }

    void replicasShareTheBatch()
    {
        model::Experiment experiment = sliced("seq1f1b", VocabularyMethod::Vocab1, 3);
        experiment.parallel.replicas = 2;
        test::verifyPlan(experiment);
    }

    void memoryIsPlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        int turn = 0;
        for (const char *family : kFamilies)
            for (const VocabularyMethod method : kMethods)
                for (const model::Recompute recompute : {model::Recompute::None, model::Recompute::Full}) {
                    model::Experiment experiment = sliced(family, method, 3, ++turn % 2 ? SliceCut::Work : SliceCut::Length);
                    if (turn % 3 == 0)
                        experiment = test::asLlama(experiment, 1);
                    experiment.schedule.recompute = recompute;
                    experiment.training.steps = 1;
                    experiment.training.mode = turn / 2 % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
                    compareMemory(experiment);
                }
    }

    /// Slices read the keys and values of those before them in an evaluation too.
    void heldBackLossIsThatOfWholeSequences()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Naive, VocabularyMethod::Vocab2}) {
            model::Experiment experiment = sliced("seq1f1b", method, 3);
            experiment.training.steps = 1;
            const double loss = heldBackLoss(experiment);
            experiment.schedule.family = "1f1b";
            experiment.schedule.sequenceSlices.reset();
            QVERIFY(std::abs(loss - heldBackLoss(experiment)) < 1e-5);
        }
    }

private:
    /// Returns the loss before the first step.
    static double heldBackLoss(const model::Experiment &experiment)
    {
        std::vector<double> losses;
        const auto note = [&losses](const runtime::Evaluation &evaluation) { losses.push_back(evaluation.loss); };
        const auto trained =
            runtime::train(experiment, scheduleOf(experiment), {}, {.onStep = {}, .onProgress = {}, .onEvaluation = note}, {});
        if (!trained || losses.size() != 2)
            qFatal("%s", trained ? "no evaluation" : trained.error().text().c_str());
        return losses.front();
    }

    static void compareMemory(const model::Experiment &experiment)
    {
        const schedule::Schedule schedule = scheduleOf(experiment);
        const auto plans = runtime::memoryPlan(experiment, runtime::lowered(schedule));
        QVERIFY2(plans.ok(), plans ? "" : plans.error().text().c_str());
        const auto onStep = [&](const runtime::StepReport &report) {
            QCOMPARE(report.timeline->slices, 3);
            for (int device = 0; device < 2; ++device) {
                const auto &measured = report.peakMemory[static_cast<std::size_t>(device)];
                const auto &planned = (*plans)[static_cast<std::size_t>(device)].peak;
                const auto predicted = simulate::memoryPeak(experiment, schedule, *report.timeline, device).byCategory;
                for (std::size_t i = 0; i < measured.size(); ++i) {
                    const bool areMessages = i == static_cast<std::size_t>(simulate::MemoryCategory::Communication);
                    QVERIFY(areMessages ? measured[i] <= planned[i] : measured[i] == planned[i]);
                    QVERIFY(areMessages || predicted[i] == planned[i]);
                }
            }
        };
        const auto trained = runtime::train(experiment, schedule, {}, {onStep, {}}, {});
        QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
    }
};

STAGELENS_TEST(SlicesTraining)

} // namespace integration_training_slices

#include "training/slices.moc"
