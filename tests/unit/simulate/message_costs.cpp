// The prediction of messages between stages in fewer bits: their time, that of packing them, what a rank sends and holds.
#include "engine/model/presets.h"
#include "engine/simulate/costs/pass_legs.h"
#include "engine/simulate/metrics.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>

namespace unit_simulate_message_costs {

using namespace stagelens;
using model::PackedPrecision;
using schedule::PassKind;
using simulate::MemoryCategory;

namespace {

constexpr std::int64_t kTokens = 2 * 512;
constexpr std::int64_t kHidden = 1024;

model::Experiment planOf(PackedPrecision precision, const char *family = "1f1b", model::DataType type = model::DataType::Bf16)
{
    model::Experiment experiment;
    experiment.model = test::gptOf(8, kHidden, 16, 512, 32000, type);
    experiment.schedule.family = family;
    experiment.parallel.devices = 4;
    experiment.parallel.microbatches = 6;
    experiment.parallel.microbatchSize = 2;
    experiment.parallel.messagePrecision = precision;
    experiment.cost.source = model::HardwarePreset{"a100-80gb"};
    return experiment;
}

simulate::Metrics metricsOf(const model::Experiment &experiment)
{
    const test::Plan plan = test::predicted(experiment);
    return simulate::computeMetrics(plan.experiment, plan.schedule, plan.timeline, &plan.costs, 0);
}

} // namespace

class SimulateMessageCosts : public QObject {
    Q_OBJECT

private slots:
    /// A byte for each number, and a factor of 4 bytes for every 128 of a row; 6 microbatches there, back, or both.
    void aRankSendsWhatTheFormulaSays()
    {
        const auto sent = [](const model::Experiment &experiment) { return metricsOf(experiment).pipelineTraffic; };
        for (const auto &[precision, bytes] : {std::pair(PackedPrecision::Same, 2 * kTokens * kHidden),
                                               {PackedPrecision::Fp8, kTokens * (kHidden + 4 * 8)},
                                               {PackedPrecision::Int8, kTokens * (kHidden + 4 * 8)}})
            QCOMPARE(sent(planOf(precision)), (std::vector<base::Bytes>{6 * bytes, 12 * bytes, 12 * bytes, 6 * bytes}));
        const auto narrow = sent(planOf(PackedPrecision::Bf16, "1f1b", model::DataType::Fp32));
        QCOMPARE(narrow.front(), base::Bytes{6 * 2 * kTokens * kHidden});
        // Of the two stages of device 3 only the second sends activations to another device, and only the first gradients.
        const base::Bytes message = kTokens * (kHidden + 4 * 8);
        QCOMPARE(sent(planOf(PackedPrecision::Fp8, "v-half")),
                 (std::vector<base::Bytes>{12 * message, 24 * message, 24 * message, 12 * message}));
        auto ranks = planOf(PackedPrecision::Fp8);
        ranks.parallel.tensor = 2; // each sends its own tokens
        QCOMPARE(sent(ranks).front(), base::Bytes{6 * kTokens / 2 * (kHidden + 4 * 8)});
    }

    void messagesAreFasterAndPassesSlower()
    {
        const auto whole = test::predicted(planOf(PackedPrecision::Same));
        const auto packed = test::predicted(planOf(PackedPrecision::Fp8));
        const model::Hardware hardware = *model::hardwarePreset("a100-80gb");
        constexpr double kNumbers = kTokens * kHidden;
        constexpr double kLess = kTokens * (kHidden + 4 * 8);
        const double packSeconds = (2 * kNumbers + kLess) / hardware.memoryBytesPerSecond;
        const auto nanos = [](double seconds) { return seconds * 1e9; };
        const double saved = nanos((2 * kNumbers - kLess) / hardware.insideNode.bytesPerSecond);
        const double expected = saved - nanos(packSeconds);
        const auto sendOf = [](const test::Plan &plan) { return plan.costs.transfer(schedule::Transfer::Send, 0, 1); };
        QVERIFY2(std::abs(static_cast<double>(sendOf(whole) - sendOf(packed)) - expected) < 3,
                 qPrintable(QString("%1 %2").arg(sendOf(whole) - sendOf(packed)).arg(expected)));
        const auto longer = [&](PassKind kind, int device) {
            const schedule::Pass pass = schedule::makePass(kind, device, 0);
            return static_cast<double>(packed.costs.of(device, pass).duration - whole.costs.of(device, pass).duration);
        };
        for (const auto &[kind, device] : {std::pair(PassKind::F, 0), {PassKind::F, 2}, {PassKind::B, 3}, {PassKind::B, 1}})
            QVERIFY(std::abs(longer(kind, device) - nanos(packSeconds)) < 3);
        QCOMPARE(longer(PassKind::F, 3), 0.0); // the last stage sends no activations, the first no gradients
        QCOMPARE(longer(PassKind::B, 0), 0.0);
    }

    void aPassHasALegOfPacking()
    {
        const auto legOf = [](PackedPrecision precision, PassKind kind, int stage) {
            const test::Plan plan = test::predicted(planOf(precision));
            simulate::PassLegs legs(plan.experiment, *model::hardwarePreset("a100-80gb"), plan.schedule);
            return legs.of(stage, schedule::makePass(kind, stage, 0), 1'000'000).back().name;
        };
        QCOMPARE(legOf(PackedPrecision::Int8, PassKind::F, 0), std::string("message pack"));
        QVERIFY(legOf(PackedPrecision::Int8, PassKind::F, 3) != "message pack");
        QVERIFY(legOf(PackedPrecision::Same, PassKind::F, 0) != "message pack");
    }

    /// The message beside what it is packed from.
    void aRankHoldsBoth()
    {
        const auto held = [](PackedPrecision precision) {
            return metricsOf(planOf(precision))
                .peakMemoryByCategory[1][static_cast<std::size_t>(MemoryCategory::Communication)];
        };
        QCOMPARE(held(PackedPrecision::Fp8) - held(PackedPrecision::Same), base::Bytes{kTokens * (kHidden + 4 * 8)});
    }

    void impossiblePlansAreRefused()
    {
        const auto problemOf = [](const model::Experiment &experiment) {
            const auto problems = model::validate(experiment);
            return problems.empty() ? std::string() : problems.front().field + ": " + problems.front().message;
        };
        auto experiment = planOf(PackedPrecision::Bf16);
        QCOMPARE(problemOf(experiment), std::string("parallel.message_precision: is bf16, but the messages of a model in bf16 "
                                                    "have 16 bits already; choose same, fp8 or int8"));
        experiment = planOf(PackedPrecision::Fp8);
        QCOMPARE(problemOf(experiment), std::string());
        experiment.parallel.devices = 1;
        QVERIFY(problemOf(experiment).find("one device has no other to send to") != std::string::npos);
        experiment = planOf(PackedPrecision::Int8);
        experiment.hasModel = false;
        QVERIFY(problemOf(experiment).find("there is no model whose messages it packs") != std::string::npos);
    }
};

STAGELENS_TEST(SimulateMessageCosts)

} // namespace unit_simulate_message_costs

#include "simulate/message_costs.moc"
