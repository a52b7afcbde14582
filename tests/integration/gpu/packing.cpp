// Messages and stored activations in fewer bits on GPUs without a GPU: what they change, bits, and planned memory.
#include "engine/model/capabilities.h"
#include "engine/model/names.h"
#include "tests/support/fibre_gpus.h"
#include "tests/support/fibre_plans.h"
#include "tests/support/held_memory.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"

#include <array>
#include <cmath>

namespace integration_gpu_packing {

using namespace stagelens;
using model::PackedPrecision;
using model::VocabularyMethod;
using test::lossesOf;

namespace {

constexpr std::array kPacked{PackedPrecision::Bf16, PackedPrecision::Fp8, PackedPrecision::Int8};

model::Experiment planOf(const char *family = "1f1b", VocabularyMethod method = VocabularyMethod::Vocab1)
{
    model::Experiment plan = test::onGpu(family, method);
    plan.training.steps = 2;
    return plan;
}

model::Experiment onProcessor(model::Experiment plan)
{
    plan.training.backend = "cpu";
    return plan;
}

} // namespace

class GpuPacking : public QObject, test::OneFibreGpu {
    Q_OBJECT

private slots:
    void initTestCase() { load(); }
    void init() { begin(); }
    void cleanup() { end(); }

    /// The processor packs a few numbers to a neighbouring code, so that the difference is a small part of what packing
    /// changes.
    void messagesChangeWhatTheyChangeOnTheProcessor()
    {
        STAGELENS_NOT_UNDER_TSAN();
        const std::vector<float> exact = test::gradientsOf(planOf());
        for (const PackedPrecision precision : kPacked) {
            model::Experiment plan = planOf();
            plan.parallel.messagePrecision = precision;
            QVERIFY(model::unsupported(plan, model::Use::Run).empty());
            const std::vector<float> gradients = test::gradientsOf(plan);
            const std::vector<float> expected = test::gradientsOf(onProcessor(plan));
            const double changed = test::relativeDifference(gradients, exact);
            const double apart = test::relativeDifference(gradients, expected);
            qInfo("%s: changed %.2e, apart %.2e", model::name(precision).data(), changed, apart);
            QVERIFY(changed > 1e-4 && changed < 0.2);
            QVERIFY(apart < changed / 3);
        }
    }

    void messagesHaveTheSameBitsInEverySchedule()
    {
        STAGELENS_NOT_SANITIZED();
        for (const PackedPrecision precision : {PackedPrecision::Fp8, PackedPrecision::Int8}) {
            const auto planLike = [&](const char *family, model::RunMode mode) {
                model::Experiment plan = planOf(family, VocabularyMethod::None);
                if (precision == PackedPrecision::Fp8)
                    plan = test::inBf16(plan, 2);
                plan.parallel.messagePrecision = precision;
                plan.training.mode = mode;
                return plan;
            };
            const std::vector<double> losses = lossesOf(planLike("1f1b", model::RunMode::VirtualClock));
            QCOMPARE(lossesOf(planLike("1f1b", model::RunMode::Live)), losses);
            QCOMPARE(lossesOf(planLike("zb-h1", model::RunMode::VirtualClock)), losses);
        }
    }

    /// The first loss is that of a run that keeps all bits.
    void storedActivationsChangeGradientsOnly()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const bool isLlama : {false, true}) {
            model::Experiment plan = test::onGpu("zb-h1", VocabularyMethod::None, isLlama);
            plan.training.steps = 2;
            const std::vector<double> losses = lossesOf(plan);
            const std::vector<float> exact = test::gradientsOf(plan);
            for (const PackedPrecision precision : kPacked) {
                plan.schedule.storedActivations = precision;
                QVERIFY(model::unsupported(plan, model::Use::Run).empty());
                const std::vector<double> found = lossesOf(plan);
                QCOMPARE(found[0], losses[0]);
                QVERIFY(found[1] != losses[1]);
                const std::vector<float> gradients = test::gradientsOf(plan);
                const double changed = test::relativeDifference(gradients, exact);
                const double apart = test::relativeDifference(gradients, test::gradientsOf(onProcessor(plan)));
                qInfo("%s: changed %.2e, apart %.2e", model::name(precision).data(), changed, apart);
                QVERIFY(changed > 1e-4 && changed < 0.2);
                QVERIFY(apart < changed / 3);
            }
        }
    }

    void memoryIsPlanned()
    {
        STAGELENS_NOT_SANITIZED();
        for (const auto &[messages, stored] : {std::pair{PackedPrecision::Int8, PackedPrecision::Same},
                                               {PackedPrecision::Same, PackedPrecision::Fp8},
                                               {PackedPrecision::Fp8, PackedPrecision::Int8}}) {
            model::Experiment plan = test::inBf16(planOf(), 2);
            plan.parallel.messagePrecision = messages;
            plan.schedule.storedActivations = stored;
            plan.training.steps = 1;
            test::verifyHeldMemory(plan);
        }
    }
};

STAGELENS_TEST(GpuPacking)

} // namespace integration_gpu_packing

#include "gpu/packing.moc"
