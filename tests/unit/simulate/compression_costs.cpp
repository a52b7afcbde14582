// The prediction of compressed gradients: bytes that a rank sends and holds, and the time of the exchange.
#include "engine/simulate/costs/compression_costs.h"
#include "engine/simulate/costs/device_share.h"
#include "engine/simulate/metrics.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>

namespace unit_simulate_compression_costs {

using namespace stagelens;
using simulate::MemoryCategory;

namespace {

/// Layers of 12 h^2 elements in four matrices, and 13 h in vectors; two tables of V rows and the positions.
model::Experiment planOf(const model::CompressionChoice &choice, int replicas = 4)
{
    model::Experiment experiment;
    experiment.model = test::gptOf(4, 1024, 16, 512, 32000, model::DataType::Bf16);
    experiment.parallel.devices = 1;
    experiment.parallel.microbatches = 4;
    experiment.parallel.replicas = replicas;
    experiment.cost.source = model::HardwarePreset{"a100-80gb"};
    experiment.training.compression = choice;
    return experiment;
}

simulate::Metrics metricsOf(const model::Experiment &experiment)
{
    const test::Plan plan = test::planOf(experiment);
    if (!plan.error.empty())
        qFatal("%s", plan.error.c_str());
    return simulate::computeMetrics(plan.experiment, plan.schedule, plan.timeline, &plan.costs, 0);
}

constexpr double kHidden = 1024;
constexpr double kLayers = 4;
constexpr double kOfLayers = kLayers * 12 * kHidden * kHidden;
constexpr double kMatrices = kOfLayers + (2 * 32000 + 512) * kHidden;
constexpr double kVectors = kLayers * 13 * kHidden + 2 * kHidden;

} // namespace

class SimulateCompressionCosts : public QObject {
    Q_OBJECT

private slots:
    void aRankSendsWhatTheFormulaSays()
    {
        constexpr double kRank = 4;
        // Of every matrix rows + columns: qkv 1 + 3, projection 1 + 1, up 1 + 4, down 4 + 1 times h.
        const double thin = kLayers * 16 * kHidden + (32000 + kHidden) * 2 + 512 + kHidden;
        const auto power = static_cast<double>(metricsOf(planOf({"powersgd", kRank})).replicaTraffic.front());
        QCOMPARE(std::round(power / 16), std::round(2 * 0.75 * 4 * (kVectors + kRank * thin) / 16));
        const auto whole = static_cast<double>(metricsOf(planOf({})).replicaTraffic.front());
        QCOMPARE(std::round(whole / 16), std::round(2 * 0.75 * 4 * (kVectors + kMatrices) / 16));
        QVERIFY(power < whole / 100);
        const auto signs = static_cast<double>(metricsOf(planOf({"sign", 0})).replicaTraffic.front());
        const double matrices = kLayers * 4 + 3;
        QVERIFY(std::abs(signs - 3 * 4 * (kMatrices / 32 + matrices) - 2 * 0.75 * 4 * kVectors) < 16);
        // 1-bit Adam: to the server and from it, of d = 4 parts; tables are sent whole.
        const auto momentum = static_cast<double>(metricsOf(planOf({"one-bit-adam", 0})).replicaTraffic.front());
        const double parts = 2 * 3 * 4 * (kOfLayers / 32 / 4 + kLayers * 4);
        QVERIFY(std::abs(momentum - parts - 2 * 0.75 * 4 * (kVectors + kMatrices - kOfLayers)) < 16);
        const auto top = static_cast<double>(metricsOf(planOf({"top-k", 0.01})).replicaTraffic.front());
        QVERIFY(std::abs(top - 3 * 8 * 0.01 * kMatrices - 2 * 0.75 * 4 * kVectors) < 3 * 8 * matrices);
    }

    void aRankHoldsAResidual()
    {
        const auto optimizer = [](const simulate::Metrics &metrics) {
            return metrics.peakMemoryByCategory.front()[static_cast<std::size_t>(MemoryCategory::Optimizer)];
        };
        const auto none = optimizer(metricsOf(planOf({})));
        QCOMPARE(optimizer(metricsOf(planOf({"sign", 0}))) - none, static_cast<base::Bytes>(4 * kMatrices));
        QCOMPARE(optimizer(metricsOf(planOf({"top-k", 0.01}))) - none, static_cast<base::Bytes>(4 * kMatrices));
        QCOMPARE(optimizer(metricsOf(planOf({"one-bit-adam", 0}))) - none, static_cast<base::Bytes>(4 * kOfLayers * 1.25));
        const double columns = kLayers * (3 + 1 + 4 + 1) * kHidden + 3 * kHidden;
        QCOMPARE(optimizer(metricsOf(planOf({"powersgd", 4}))) - none, static_cast<base::Bytes>(4 * (kMatrices + 4 * columns)));
    }

    /// Between nodes the exchange of whole gradients takes longer than to compress them.
    void theStepIsShorterOverASlowNetwork()
    {
        auto whole = planOf({}, 64);
        whole.parallel.microbatches = 1;
        auto compressed = whole;
        compressed.training.compression = {"powersgd", 4};
        QVERIFY(metricsOf(compressed).iteration < metricsOf(whole).iteration);
    }
};

STAGELENS_TEST(SimulateCompressionCosts)

} // namespace unit_simulate_compression_costs

#include "simulate/compression_costs.moc"
