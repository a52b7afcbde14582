// Every family with stages and shards of nothing, and within the memory that is planned for it.
#include "engine/operators/sizes.h"
#include "engine/runtime/memory/memory_check.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>
#include <numeric>

namespace integration_verify_families {

using namespace stagelens;
using model::VocabularyMethod;
using test::scheduleOf;
using test::smallExperiment;
using test::tinyExperiment;

class VerifyFamilies : public QObject {
    Q_OBJECT

private slots:
    /// Stages of no layers have nothing for W but the table of tokens, and shards may be empty.
    void emptyStagesAndShards()
    {
        for (const auto &[family, method] : test::allPlans()) {
            auto experiment = smallExperiment(family, method, 4, 5);
            const int stages = scheduleOf(experiment).stages();
            experiment.parallel.stageLayers.assign(static_cast<std::size_t>(stages), 0);
            experiment.parallel.stageLayers[1] = 3;
            experiment.parallel.stageLayers[2] = 5;
            experiment.model.vocabularySize = 5; // two rows a shard: 2, 2, 1, 0
            const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
            QVERIFY2(found->holds(), qPrintable(QString("%1: %2").arg(family.c_str()).arg(found->worst())));
        }
    }

    void memoryStaysWithinThePlan()
    {
        for (const auto &[family, method] : test::allPlans()) {
            auto experiment = tinyExperiment(family, method, 4, 12);
            experiment.model.tied = method == VocabularyMethod::None || method == VocabularyMethod::Vocab1;
            experiment.training.steps = 1;
            const base::Bytes kept = measuredWithinThePlan(experiment, simulate::MemoryCategory::Activations);
            experiment.schedule.recompute = model::Recompute::Full;
            const base::Bytes recomputed = measuredWithinThePlan(experiment, simulate::MemoryCategory::Activations);
            QVERIFY2(recomputed < kept, qPrintable(QString("%1: %2 and %3").arg(family.c_str()).arg(kept).arg(recomputed)));
        }
    }

    /// Two directions hold the weights twice, PipeDream-2BW in two versions, PipeDream in p - r of them on device r.
    void copiesAndVersionsOfTheWeightsAreHeld()
    {
        const auto weightsOf = [](const char *family) {
            auto experiment = tinyExperiment(family, VocabularyMethod::None, 4, 12);
            experiment.parallel.stageLayers = {2, 2, 2, 2};
            experiment.training.steps = 1;
            return measuredWithinThePlan(experiment, simulate::MemoryCategory::Parameters);
        };
        const base::Bytes once = weightsOf("1f1b");
        QCOMPARE(weightsOf("chimera"), 2 * once);
        QCOMPARE(weightsOf("dualpipe"), 2 * once);
        QCOMPARE(weightsOf("pipedream-2bw"), 2 * once);
        const model::ModelConfig model = test::tinyModel();
        const base::Bytes layers = 2 * operators::layerParameters(model) * 4;
        const base::Bytes first = layers + (operators::embeddingParameters(model) + operators::positionParameters(model)) * 4;
        const base::Bytes last = layers + (operators::embeddingParameters(model) + operators::finalNormParameters(model)) * 4;
        QCOMPARE(once, first + 2 * layers + last);
        QCOMPARE(weightsOf("pipedream"), 4 * first + (3 + 2) * layers + last);
    }

private:
    /// Bytes of that category at the devices' peaks, all devices together.
    static base::Bytes measuredWithinThePlan(const model::Experiment &experiment, simulate::MemoryCategory category)
    {
        base::Bytes measured = 0;
        base::Bytes ofCategory = 0;
        const auto onStep = [&](const runtime::StepReport &report) {
            for (const auto &device : report.peakMemory) {
                measured = std::accumulate(device.begin(), device.end(), measured);
                ofCategory += device[static_cast<std::size_t>(category)];
            }
        };
        const auto trained = runtime::train(experiment, scheduleOf(experiment), {}, {onStep, {}}, {});
        const base::Bytes planned = runtime::requiredBytes(experiment);
        if (!trained.ok() || measured > planned || planned > 2 * measured)
            qFatal("%s: %lld planned, %lld measured", experiment.schedule.family.c_str(), static_cast<long long>(planned),
                   static_cast<long long>(measured));
        return ofCategory;
    }
};

STAGELENS_TEST(VerifyFamilies)

} // namespace integration_verify_families

#include "verify_families.moc"
