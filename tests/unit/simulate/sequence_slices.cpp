// Slices of sequences: published orders, makespans, peaks and cuts (Seq1F1B, arXiv 2406.03488; the cuts are derived from the
// FLOPs of a causal layer), vocabulary passes of slices, and the memory of keys and values.
#include "tests/support/simulate_support.h"

#include "engine/model/capabilities.h"
#include "engine/model/family_shape.h"
#include "engine/model/presets.h"
#include "engine/operators/slices.h"
#include "engine/operators/stage_layers.h"
#include "engine/schedule/check/validator.h"
#include "engine/simulate/costs/expert_load.h"
#include "engine/simulate/memory.h"
#include "engine/simulate/metrics.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <fmt/format.h>
#include <random>

namespace unit_simulate_sequence_slices {

using namespace stagelens;
using model::VocabularyMethod;

namespace {

model::Experiment teaching(int devices, int microbatches, int slices, VocabularyMethod method = VocabularyMethod::None,
                           const char *family = "seq1f1b")
{
    model::Experiment experiment = test::teachingExperiment(family, devices, microbatches, method,
                                                            {{"F", 1}, {"B", 2}, {"I", 1}, {"W", 1}, {"S", .25}, {"T", .25}});
    experiment.schedule.sequenceSlices = slices;
    return experiment;
}

std::string orderOf(const schedule::Schedule &schedule, int device)
{
    std::string text;
    for (const schedule::Pass &pass : schedule.device(device))
        text += fmt::format("{}{}{}.{}", text.empty() ? "" : " ", schedule::name(pass.kind),
                            pass.microbatch / schedule.slices(), pass.microbatch % schedule.slices());
    return text;
}

/// A model whose layers have 24 h^2 x + 2 h x^2 forward FLOPs up to token x.
model::Experiment longModel(int sequence, int slices, model::SliceCut cut)
{
    model::Experiment experiment = teaching(4, 4, slices);
    experiment.hasModel = true;
    experiment.model.hidden = 4096;
    experiment.model.ffn = 4 * 4096;
    experiment.model.heads = experiment.model.kvHeads = 32;
    experiment.model.sequence = sequence;
    experiment.model.dtype = model::DataType::Bf16;
    experiment.schedule.sliceCut = cut;
    return experiment;
}

simulate::Metrics metricsOf(const test::Plan &plan)
{
    return simulate::computeMetrics(plan.experiment, plan.schedule, plan.timeline, &plan.costs, 0);
}

} // namespace

class SequenceSlices : public QObject {
    Q_OBJECT

private slots:
    void orderOfFourDevicesAndTwoSlices()
    {
        const test::Plan plan = test::planOf(teaching(4, 4, 2));
        QVERIFY2(plan.error.empty(), plan.error.c_str());
        const std::vector<std::string> expected{
            "F0.0 F0.1 F1.0 F1.1 F2.0 B0.1 F2.1 B0.0 F3.0 B1.1 F3.1 B1.0 B2.1 B2.0 B3.1 B3.0",
            "F0.0 F0.1 F1.0 F1.1 B0.1 F2.0 B0.0 F2.1 B1.1 F3.0 B1.0 F3.1 B2.1 B2.0 B3.1 B3.0",
            "F0.0 F0.1 F1.0 B0.1 F1.1 B0.0 F2.0 B1.1 F2.1 B1.0 F3.0 B2.1 F3.1 B2.0 B3.1 B3.0",
            "F0.0 F0.1 B0.1 F1.0 B0.0 F1.1 B1.1 F2.0 B1.0 F2.1 B2.1 F3.0 B2.0 F3.1 B3.1 B3.0"};
        for (int device = 0; device < 4; ++device)
            QCOMPARE(orderOf(plan.schedule, device), expected[static_cast<std::size_t>(device)]);
    }

    void makespansAndPeaks_data()
    {
        QTest::addColumn<int>("devices");
        QTest::addColumn<int>("microbatches");
        QTest::addColumn<int>("slices");
        QTest::addColumn<double>("makespan");
        QTest::newRow("whole") << 4 << 4 << 1 << 21.0;
        QTest::newRow("halves") << 4 << 4 << 2 << 16.5;
        QTest::newRow("quarters") << 4 << 4 << 4 << 14.25;
        QTest::newRow("eight sequences") << 4 << 8 << 2 << 28.5;
        QTest::newRow("eight devices") << 8 << 16 << 4 << 53.25;
    }
    void makespansAndPeaks()
    {
        QFETCH(const int, devices);
        QFETCH(const int, microbatches);
        QFETCH(const int, slices);
        QFETCH(const double, makespan);
        const test::Plan plan = test::planOf(teaching(devices, microbatches, slices));
        QVERIFY2(plan.error.empty(), plan.error.c_str());
        const simulate::Metrics metrics = metricsOf(plan);
        QCOMPARE(static_cast<double>(metrics.makespan) / static_cast<double>(base::kNanosPerMilli), makespan);
        QVERIFY(*metrics.lowerBound <= metrics.makespan);
        for (int device = 0; device < devices; ++device)
            QCOMPARE(metrics.peakActivationMicrobatches[static_cast<std::size_t>(device)] * slices,
                     std::min(devices - device - 1 + slices, microbatches * slices));
    }

    void aSplitBackwardShortensTheWayBack()
    {
        const test::Plan plan = test::planOf(teaching(4, 8, 2, VocabularyMethod::None, "seq1f1b-zb"));
        QVERIFY2(plan.error.empty(), plan.error.c_str());
        const simulate::Metrics metrics = metricsOf(plan);
        // m (F + B) + (p - 1)(F + I - W) / n
        QCOMPARE(static_cast<double>(metrics.makespan) / static_cast<double>(base::kNanosPerMilli), 25.5);
        for (const double peak : metrics.peakActivationMicrobatches)
            QCOMPARE(peak, 2.5); // (p - 1 + n) / n
    }

    void cutsOfEqualWork()
    {
        using Lengths = std::vector<int>;
        // Lengths rounded one by one have a token more than the sequence; here cuts are rounded.
        const auto isWithinAToken = [](const Lengths &found, const Lengths &rounded) {
            return std::ranges::equal(found, rounded, [](int one, int other) { return std::abs(one - other) <= 1; });
        };
        const Lengths found = operators::sliceLengths(longModel(16384, 4, model::SliceCut::Work));
        QCOMPARE(found, (Lengths{4961, 4239, 3764, 3420}));
        QVERIFY(isWithinAToken(found, {4961, 4240, 3764, 3420}));
        QCOMPARE(operators::sliceLengths(longModel(65536, 4, model::SliceCut::Work)), (Lengths{25254, 16216, 12955, 11111}));
        QCOMPARE(operators::sliceLengths(longModel(16384, 4, model::SliceCut::Length)), Lengths(4, 4096));
    }

    void slicesOfEqualLengthTakeLonger()
    {
        for (const auto &[sequence, shares, makespan] : {std::tuple(16384, std::vector{.203, .234, .266, .297}, 16.36),
                                                         std::tuple(65536, std::vector{.143, .214, .286, .357}, 19.07)}) {
            const test::Plan plan = test::planOf(longModel(sequence, 4, model::SliceCut::Length));
            QVERIFY2(plan.error.empty(), plan.error.c_str());
            const auto found = operators::sliceShares(plan.experiment);
            for (std::size_t i = 0; i < shares.size(); ++i)
                QVERIFY(std::abs(found[i].work - shares[i]) < 0.0006);
            const double time = static_cast<double>(plan.timeline.makespan()) / static_cast<double>(base::kNanosPerMilli);
            QVERIFY2(std::abs(time - makespan) < 0.006, fmt::format("{}", time).c_str());
        }
    }

    void shortSequencesHaveATokenInEachSlice()
    {
        for (const model::SliceCut cut : {model::SliceCut::Work, model::SliceCut::Length})
            for (int sequence = 1; sequence < 40; ++sequence)
                for (int slices = 1; slices <= sequence; ++slices) {
                    const std::vector<int> lengths = operators::sliceLengths(longModel(sequence, slices, cut));
                    QCOMPARE(std::accumulate(lengths.begin(), lengths.end(), 0), sequence);
                    QVERIFY(std::ranges::min(lengths) >= 1);
                }
    }

    void vocabularyPassesOfSlicesAreSound()
    {
        std::random_device device;
        const unsigned seed = device();
        std::mt19937 random(seed);
        const auto number = [&](int most) { return std::uniform_int_distribution(1, most)(random); };
        for (int turn = 0; turn < 150; ++turn) {
            const auto method = static_cast<VocabularyMethod>(turn % 5);
            const bool splits = turn % 2 == 0;
            const int p = number(9);
            const int m = number(12);
            const int n = number(5);
            const test::Plan plan = test::planOf(teaching(p, m, n, method, splits ? "seq1f1b-zb" : "seq1f1b"));
            const std::string what = fmt::format("seed {}: {} {}x{}x{}", seed, model::name(method), p, m, n);
            QVERIFY2(plan.error.empty(), (what + plan.error).c_str());
            const auto violations = schedule::findViolations(plan.schedule);
            QVERIFY2(violations.empty(), violations.empty() ? "" : (what + violations.front().cause).c_str());
            const int barriers = model::traits(method).barriers;
            const simulate::Metrics metrics = metricsOf(plan);
            for (int r = 0; r < p; ++r)
                QCOMPARE(std::lround(metrics.peakActivationMicrobatches[static_cast<std::size_t>(r)] * n),
                         std::min((splits ? p - 1 : p - r - 1) + n + barriers, m * n));
        }
    }

    void slicesOutOfOrderAreReported()
    {
        const test::Plan plan = test::planOf(teaching(2, 2, 2));
        std::vector<std::vector<schedule::Pass>> orders;
        for (int device = 0; device < 2; ++device)
            orders.emplace_back(plan.schedule.device(device).begin(), plan.schedule.device(device).end());
        const auto swapped = [&](std::size_t one, std::size_t other) {
            auto changed = orders;
            std::swap(changed[0][one], changed[0][other]);
            return schedule::findViolations(schedule::Schedule("seq1f1b", plan.schedule.placement(), 4, VocabularyMethod::None,
                                                               changed, schedule::WeightUpdate::EndOfStep, 2));
        };
        // F0.0 F0.1 F1.0 B0.1 F1.1 B0.0 B1.1 B1.0
        const auto forwards = swapped(0, 1);
        QVERIFY(!forwards.empty());
        QVERIFY(forwards.front().kind == schedule::ViolationKind::OutOfOrder);
        QCOMPARE(forwards.front().cause, std::string("F1@0 needs F0@0, which comes only at position 1"));
        const auto backwards = swapped(6, 7);
        QVERIFY(!backwards.empty());
        QCOMPARE(backwards.front().cause, std::string("B2@0 needs B3@0, which comes only at position 7"));
    }

    void keysAndValuesAreInTheMemoryPlan()
    {
        // One device, one sequence, two slices of equal length: F0 F1 B1 B0. At the begin of B1 both slices, keys and values of
        // the sequence, and the sums of their gradients are held.
        model::Experiment whole = longModel(2048, 1, model::SliceCut::Length);
        whole.parallel.devices = whole.parallel.microbatches = 1;
        whole.model.layers = 3;
        whole.parallel.stageLayers = {3};
        model::Experiment sliced = whole;
        sliced.schedule.sequenceSlices = 2;
        const auto activations = [](const model::Experiment &experiment) {
            const test::Plan plan = test::planOf(experiment);
            return simulate::memoryProfile(experiment, plan.schedule, plan.timeline, 0)
                .atPeak()[static_cast<std::size_t>(simulate::MemoryCategory::Activations)];
        };
        const base::Bytes sums = base::Bytes{3} * 2048 * 2 * 4096 * 4; // layers x tokens x keys and values x fp32
        QCOMPARE(activations(sliced), activations(whole) + sums);
    }

    void someRunsAreRefused()
    {
        model::Experiment experiment = longModel(2048, 2, model::SliceCut::Work);
        QVERIFY(model::unsupported(experiment, model::Use::Run).empty());
        experiment.parallel.tensor = 2;
        const base::Problems problems = model::unsupported(experiment, model::Use::Run);
        QCOMPARE(problems.size(), std::size_t{1});
        QCOMPARE(problems.front().field, std::string("parallel.tensor"));
        QVERIFY(problems.front().message.find("tensor ranks do not yet share the keys of slices") != std::string::npos);
        QVERIFY(model::unsupported(experiment, model::Use::Predict).empty());
        experiment.schedule.attention = model::Attention::Materialised;
        QCOMPARE(model::unsupported(experiment, model::Use::Predict).size(), std::size_t{1});
    }

    /// The slices of a sequence send the bytes of the whole in their all-to-alls, and each has the latency of its own. They
    /// compute no faster than the whole. Fewer tokens are divided less evenly over experts.
    void allToAllsOfSlices()
    {
        const auto experimentOf = [](const char *family, bool isPerNode) {
            model::Experiment experiment;
            experiment.model = model::modelPreset("qwen3-30b-a3b").value();
            experiment.model.dtype = model::DataType::Bf16;
            experiment.parallel.devices = 4;
            experiment.parallel.microbatches = 8;
            experiment.parallel.replicas = experiment.parallel.expert = 16;
            if (isPerNode)
                experiment.parallel.expertDispatch = model::ExpertDispatch::PerNode;
            model::chooseFamily(experiment.schedule, family);
            if (model::cutsSequences(family))
                experiment.schedule.sequenceSlices = 4;
            experiment.cost.source = model::HardwarePreset{"h100-sxm"};
            return operators::resolved(experiment, 2);
        };
        for (const bool isPerNode : {false, true}) {
            const test::Plan whole = test::planOf(experimentOf("1f1b", isPerNode));
            QVERIFY2(whole.error.empty(), whole.error.c_str());
            const test::Plan sliced = test::planOf(experimentOf("seq1f1b", isPerNode));
            QVERIFY2(sliced.error.empty(), sliced.error.c_str());
            for (const schedule::PassKind kind : {schedule::PassKind::F, schedule::PassKind::B}) {
                const simulate::PassCost all = whole.costs.of(1, schedule::makePass(kind, 1, 0));
                simulate::PassCost sum;
                for (int slice = 0; slice < 4; ++slice) {
                    const simulate::PassCost each = sliced.costs.of(1, schedule::makePass(kind, 1, slice));
                    sum.duration += each.duration;
                    sum.expert += each.expert;
                    sum.expertBytes += each.expertBytes;
                }
                QVERIFY(all.latency > 0 && all.latency < all.expert);
                const auto isNear = [](std::int64_t one, std::int64_t other) { return std::abs(one - other) <= 4; };
                QVERIFY(isNear(sum.expertBytes, all.expertBytes));
                QVERIFY(isNear(sum.expert, all.expert + 3 * all.latency));
                QVERIFY(sum.duration >= all.duration + 3 * all.latency - 4);
                QVERIFY(static_cast<double>(sum.duration) < 1.5 * static_cast<double>(all.duration));
            }
        }
        model::Experiment whole = experimentOf("1f1b", false);
        model::Experiment sliced = experimentOf("seq1f1b", false);
        whole.whatIf.expertSkew = sliced.whatIf.expertSkew = 0.0;
        QVERIFY(simulate::busiestRank(sliced) > simulate::busiestRank(whole));
    }
};

STAGELENS_TEST(SequenceSlices)

} // namespace unit_simulate_sequence_slices

#include "simulate/sequence_slices.moc"
