// Predictions of vocabulary layers whose tensor ranks divide the tokens: what they no longer exchange in passes, what they sum
// once a step, and what they hold.
#include "engine/model/experiment.h"
#include "engine/model/names.h"
#include "engine/simulate/costs/collective_costs.h"
#include "engine/simulate/costs/device_share.h"
#include "engine/simulate/metrics.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace unit_simulate_vocabulary_by_tokens {

using namespace stagelens;
using model::VocabularyMethod;
using model::VocabularySharding;
using schedule::PassKind;

namespace {

constexpr std::int64_t kHidden = 4096;
constexpr std::int64_t kVocabulary = 131072;
constexpr int kDevices = 2;
constexpr int kLayers = 8; // of a device

/// A Llama-like model in bf16 on 2 devices.
model::Experiment planOf(VocabularyMethod method, int tensor, VocabularySharding sharding)
{
    model::Experiment experiment;
    experiment.model = test::gptOf(kDevices * kLayers, kHidden, 32, 8192, kVocabulary, model::DataType::Bf16);
    experiment.model.family = model::ModelFamily::Llama;
    experiment.model.kvHeads = 8;
    experiment.model.tied = false;
    experiment.parallel = {kDevices, 8, 1, {kLayers, kLayers}};
    experiment.parallel.tensor = tensor;
    experiment.parallel.vocabularySharding = sharding;
    experiment.schedule.vocabulary = method;
    experiment.cost.source = model::HardwarePreset{"a100-80gb"};
    return experiment;
}

} // namespace

class VocabularyByTokens : public QObject {
    Q_OBJECT
private slots:
    void passesExchangeNothing_data()
    {
        QTest::addColumn<int>("method");
        QTest::addColumn<int>("tensor");
        for (const auto method : {VocabularyMethod::Naive, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2})
            for (const int tensor : {2, 4, 8})
                QTest::addRow("%s, t %d", model::name(method).data(), tensor) << static_cast<int>(method) << tensor;
    }
    /// Once a step the ranks sum the gradients of the tables, 4 (2 V h / p) bytes each, and those of the norms.
    void passesExchangeNothing()
    {
        QFETCH(const int, method);
        QFETCH(const int, tensor);
        const auto of = [&](VocabularySharding sharding) {
            return test::planOf(planOf(static_cast<VocabularyMethod>(method), tensor, sharding));
        };
        const test::Plan rows = of(VocabularySharding::Rank);
        const test::Plan tokens = of(VocabularySharding::Device);
        QVERIFY2(tokens.error.empty(), tokens.error.c_str());
        const auto vocabulary = simulate::at(simulate::MemoryCategory::Vocabulary);
        const auto byTokens = simulate::computeMetrics(tokens.experiment, tokens.schedule, tokens.timeline, &tokens.costs, 0);
        const auto byRows = simulate::computeMetrics(rows.experiment, rows.schedule, rows.timeline, &rows.costs, 0);
        for (int device = 0; device < kDevices; ++device) {
            const int last = kDevices - 1;
            QCOMPARE(tokens.costs.pass(device, PassKind::S, device).tensorBytes, 0);
            QCOMPARE(tokens.costs.pass(device, PassKind::EF, device).tensorBytes, 0);
            QVERIFY(rows.costs.pass(device, PassKind::S, device).tensorBytes > 0);
            QVERIFY(rows.costs.pass(device, PassKind::EF, device).tensorBytes > 0);

            const std::int64_t norms = (2 * kLayers + (device == last ? 1 : 0)) * kHidden;
            const std::int64_t tables = 2 * kVocabulary / kDevices * kHidden;
            const auto parametersOf = [&](const test::Plan &plan) {
                return simulate::deviceParameters(plan.experiment, plan.schedule, device);
            };
            QCOMPARE(parametersOf(tokens).summed, norms + tables);
            QCOMPARE(parametersOf(rows).summed, norms);
            QCOMPARE(parametersOf(tokens).count - parametersOf(rows).count, tables - tables / tensor);
            const auto sum = timeline::AnchoredKind::SumReplicated;
            QCOMPARE(tokens.costs.exchange(device, sum).bytes, 2 * (tensor - 1) * 4 * (norms + tables) / tensor);
            QVERIFY(tokens.costs.exchange(device, sum).duration > rows.costs.exchange(device, sum).duration);
            // As many logits of fewer tokens, of which a rank holds X.
            const auto place = static_cast<std::size_t>(device);
            QVERIFY(byTokens.peakMemoryByCategory[place][vocabulary] < byRows.peakMemoryByCategory[place][vocabulary]);
        }
        QCOMPARE(byTokens.modelFlops, byRows.modelFlops);
    }

    /// A model without tensor ranks computes what the ranks do, of as many tokens.
    void ranksAreShardsOfTheirTokens()
    {
        for (const auto method : {VocabularyMethod::None, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2}) {
            auto half = planOf(method, 1, VocabularySharding::Rank);
            half.model.sequence /= 2;
            const test::Plan alone = test::planOf(half);
            const test::Plan divided = test::planOf(planOf(method, 2, VocabularySharding::Device));
            QVERIFY2(divided.error.empty(), divided.error.c_str());
            for (const PassKind kind : {PassKind::S, PassKind::T, PassKind::EF, PassKind::EB})
                QCOMPARE(divided.costs.pass(0, kind, 0).duration, alone.costs.pass(0, kind, 0).duration);
            if (method != VocabularyMethod::None)
                QVERIFY(divided.costs.pass(0, PassKind::S, 0).duration > 0);
            using schedule::Transfer;
            for (const Transfer transfer : {Transfer::BroadcastX, Transfer::Statistics, Transfer::ReduceGradient,
                                            Transfer::EmbedReduce, Transfer::EmbedBroadcast})
                QCOMPARE(divided.costs.transfer(transfer, 0, 1), alone.costs.transfer(transfer, 0, 1));
        }
    }

    /// Ranks that divide the tokens need no row each.
    void smallVocabularies()
    {
        auto experiment = planOf(VocabularyMethod::Vocab1, 4, VocabularySharding::Rank);
        experiment.model.vocabularySize = 5;
        const base::Problems refused = model::validate(experiment);
        QCOMPARE(refused.size(), 1U);
        QCOMPARE(refused.front().field, std::string("parallel.tensor"));
        experiment.parallel.vocabularySharding = VocabularySharding::Device;
        QVERIFY(model::validate(experiment).empty());
    }
};

STAGELENS_TEST(VocabularyByTokens)

} // namespace unit_simulate_vocabulary_by_tokens

#include "simulate/vocabulary_by_tokens.moc"
