// The prediction of stored activations in fewer bits: what layers keep, and the time of packing and unpacking it.
#include "engine/model/presets.h"
#include "engine/operators/sizes.h"
#include "engine/simulate/costs/pass_legs.h"
#include "engine/simulate/metrics.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>

namespace unit_simulate_stored_costs {

using namespace stagelens;
using model::PackedPrecision;
using model::Recompute;
using schedule::PassKind;
using simulate::MemoryCategory;

namespace {

constexpr std::int64_t kTensor = std::int64_t{2} * 512 * 1024; ///< numbers of [b s, h]

model::Experiment planOf(PackedPrecision precision, const char *family = "1f1b")
{
    model::Experiment experiment;
    experiment.model = test::gptOf(8, 1024, 16, 512, 32000, model::DataType::Bf16);
    experiment.schedule.family = family;
    experiment.schedule.storedActivations = precision;
    experiment.parallel.devices = 4;
    experiment.parallel.microbatches = 6;
    experiment.parallel.microbatchSize = 2;
    experiment.cost.source = model::HardwarePreset{"a100-80gb"};
    return experiment;
}

simulate::MemoryByCategory memoryOf(const model::Experiment &experiment, std::size_t device)
{
    const test::Plan plan = test::predicted(experiment);
    return simulate::computeMetrics(plan.experiment, plan.schedule, plan.timeline, &plan.costs, 0).peakMemoryByCategory[device];
}

} // namespace

class SimulateStoredCosts : public QObject {
    Q_OBJECT

private slots:
    /// Of the 34 bytes of a GPT in 16 bits, 32 are numbers, and two are masks of dropout.
    void aLayerKeepsWhatTheFormulaSays()
    {
        const auto model = planOf(PackedPrecision::Same).model;
        const auto kept = [&model](Recompute recompute, PackedPrecision stored) {
            return operators::layerActivationBytes(model, 2, recompute, model::Attention::Flash, {}, {}, stored);
        };
        QCOMPARE(kept(Recompute::None, PackedPrecision::Same), 34 * kTensor);
        for (const PackedPrecision precision : {PackedPrecision::Fp8, PackedPrecision::Int8}) {
            QCOMPARE(kept(Recompute::None, precision), 16 * (kTensor + kTensor / 32) + 2 * kTensor);
            QCOMPARE(kept(Recompute::Full, precision), kTensor + kTensor / 32);
        }
        auto narrow = model;
        narrow.dtype = model::DataType::Fp32;
        const auto whole = operators::layerActivationBytes(narrow, 2, Recompute::None);
        const auto half =
            operators::layerActivationBytes(narrow, 2, Recompute::None, model::Attention::Flash, {}, {}, PackedPrecision::Bf16);
        QVERIFY(2 * half > whole && 2 * half < whole + whole / 50); // statistics keep their bits
    }

    void activationsAreFewerAndTheWorkspaceLarger()
    {
        const auto activations = static_cast<std::size_t>(MemoryCategory::Activations);
        const auto workspace = static_cast<std::size_t>(MemoryCategory::Workspace);
        const auto whole = memoryOf(planOf(PackedPrecision::Same), 0);
        const auto packed = memoryOf(planOf(PackedPrecision::Fp8), 0);
        // Two layers, and four microbatches in flight on the first of four devices.
        QCOMPARE(whole[activations] - packed[activations], 4 * 2 * (16 * (kTensor - kTensor / 32)));
        QCOMPARE(packed[workspace] - whole[workspace], 34 * kTensor);
        // I unpacks for W.
        const auto splitWhole = memoryOf(planOf(PackedPrecision::Same, "zb-h1"), 0);
        const auto split = memoryOf(planOf(PackedPrecision::Fp8, "zb-h1"), 0);
        QVERIFY(split[activations] > packed[activations] && split[activations] < splitWhole[activations]);
    }

    void passesTakeLongerByTheirBytes()
    {
        const auto whole = test::predicted(planOf(PackedPrecision::Same, "zb-h1"));
        const auto packed = test::predicted(planOf(PackedPrecision::Int8, "zb-h1"));
        const model::Hardware hardware = *model::hardwarePreset("a100-80gb");
        const double bytes = 2.0 * static_cast<double>(34 * kTensor + 16 * (kTensor + kTensor / 32) + 2 * kTensor);
        const double expected = 1e9 * bytes / hardware.memoryBytesPerSecond;
        for (const PassKind kind : {PassKind::F, PassKind::I, PassKind::W}) {
            const schedule::Pass pass = schedule::makePass(kind, 1, 0);
            const auto longer = static_cast<double>(packed.costs.of(1, pass).duration - whole.costs.of(1, pass).duration);
            QVERIFY2(std::abs(longer - (kind == PassKind::W ? 0 : expected)) < 3,
                     qPrintable(QString("%1, expected %2").arg(longer).arg(expected)));
        }
        auto again = planOf(PackedPrecision::Int8, "zb-h1");
        again.schedule.recompute = Recompute::Full; // the inputs of two layers
        const auto exact = test::predicted([&again] {
            auto plain = again;
            plain.schedule.storedActivations = PackedPrecision::Same;
            return plain;
        }());
        const schedule::Pass forward = schedule::makePass(PassKind::F, 1, 0);
        const auto longer =
            static_cast<double>(test::predicted(again).costs.of(1, forward).duration - exact.costs.of(1, forward).duration);
        const double inputs =
            1e9 * 2 * static_cast<double>(2 * kTensor + kTensor + kTensor / 32) / hardware.memoryBytesPerSecond;
        QVERIFY(std::abs(longer - inputs) < 3);
    }

    void passesHaveLegsOfPacking()
    {
        const test::Plan plan = test::predicted(planOf(PackedPrecision::Fp8));
        simulate::PassLegs legs(plan.experiment, *model::hardwarePreset("a100-80gb"), plan.schedule);
        const auto has = [&legs](PassKind kind, std::string_view name) {
            return std::ranges::count(legs.of(1, schedule::makePass(kind, 1, 0), 1'000'000), name, &simulate::PassLeg::name) ==
                   1;
        };
        QVERIFY(has(PassKind::F, "activations pack") && !has(PassKind::F, "activations unpack"));
        QVERIFY(has(PassKind::B, "activations unpack") && !has(PassKind::B, "activations pack"));
        QVERIFY(!has(PassKind::W, "activations unpack"));
    }

    void impossiblePlansAreRefused()
    {
        const auto problemOf = [](const model::Experiment &experiment) {
            const auto problems = model::validate(experiment);
            return problems.empty() ? std::string() : problems.front().field + ": " + problems.front().message;
        };
        QCOMPARE(problemOf(planOf(PackedPrecision::Bf16)),
                 std::string("schedule.stored_activations: is bf16, but the activations of a model in bf16 have 16 bits "
                             "already; choose same, fp8 or int8"));
        auto experiment = planOf(PackedPrecision::Int8);
        QCOMPARE(problemOf(experiment), std::string());
        experiment.hasModel = false;
        QVERIFY(problemOf(experiment).find("there is no model whose activations it packs") != std::string::npos);
    }
};

STAGELENS_TEST(SimulateStoredCosts)

} // namespace unit_simulate_stored_costs

#include "simulate/stored_costs.moc"
