// What products in 8 bits cost a layer, and what they leave as it is.
#include "engine/model/capabilities.h"
#include "engine/model/presets.h"
#include "engine/operators/architecture.h"
#include "engine/operators/recipe.h"
#include "engine/operators/sizes.h"
#include "engine/operators/stage_layers.h"
#include "engine/schedule/families.h"
#include "engine/simulate/costs/device_share.h"
#include "engine/simulate/costs/layer_costs.h"
#include "engine/simulate/static_memory.h"
#include "tests/support/test_program.h"

#include <QtTest>
#include <algorithm>
#include <cmath>

namespace unit_simulate_eight_bit_costs {

using namespace stagelens;
using model::DataType;
using simulate::PassHalf;
using simulate::Rebuilds;

namespace {

constexpr double kCastBytes = 4.0625; ///< of a number: 2 read, 2 written, and two floats for each tile of 128

model::Experiment planOf(const char *preset, DataType type)
{
    model::Experiment experiment;
    experiment.model = model::modelPreset(preset).value();
    experiment.model.dtype = type;
    experiment.cost.source = model::HardwarePreset{"h100-sxm"};
    return experiment;
}

/// Returns by how much a half is shorter than in bf16.
double saved(const char *preset, const model::Hardware &hardware, PassHalf half)
{
    const model::Experiment narrow = planOf(preset, DataType::Fp8);
    const model::Experiment wide = planOf(preset, DataType::Bf16);
    return simulate::LayerCosts(wide, hardware).seconds(half, Rebuilds::Nothing) -
           simulate::LayerCosts(narrow, hardware).seconds(half, Rebuilds::Nothing);
}

} // namespace

class EightBitCosts : public QObject {
    Q_OBJECT

private slots:
    void layersOfALlama()
    {
        const model::Hardware hardware = model::hardwarePreset("h100-sxm").value();
        const model::ModelConfig model = model::modelPreset("llama-3-8b").value();
        const double tokens = model.sequence;
        const double kv = static_cast<double>(model.keyValueWidth());
        const double h = model.hidden;
        const double f = model.ffn;
        const double smallest = std::min(tokens, h);
        const double flops = 2 * tokens * (2 * h * h + 2 * h * kv + 3 * h * f);
        const double rate = hardware.matrixEfficiency * smallest / (smallest + hardware.halfSpeedDimension);
        const double faster = flops / rate * (1 / hardware.peakFlops - 1 / hardware.peakFlopsOf8Bits);
        const auto casts = [&](double numbers) { return kCastBytes * tokens * numbers / hardware.memoryBytesPerSecond; };
        const auto isNear = [](double value, double expected) { return std::abs(value - expected) < 1e-9 * expected; };
        QVERIFY(isNear(saved("llama-3-8b", hardware, PassHalf::Forward), faster - casts(3 * h + f)));
        QVERIFY(isNear(saved("llama-3-8b", hardware, PassHalf::InputGradient), faster - casts(3 * h + 2 * kv + 2 * f)));
        QVERIFY(isNear(saved("llama-3-8b", hardware, PassHalf::WeightGradient), faster));
    }

    /// Routers stay in 16 bits.
    void productsOfExperts()
    {
        const model::ModelConfig model = model::modelPreset("qwen3-30b-a3b").value();
        const operators::OperatorWork work = operators::workOf(operators::blockOf(model));
        QCOMPARE(work.matrixEntries - work.eightBitEntries, static_cast<double>(model.hidden) * model.experts);
        const double inner = static_cast<double>(model.innerWidth());
        const double attention = model.hidden + static_cast<double>(model.queryWidth());
        QCOMPARE(work.castNumbers, attention + model.topK * static_cast<double>(model.hidden) + inner);
        QCOMPARE(work.castGradients, static_cast<double>(model.queryWidth() + 2 * model.keyValueWidth()) + model.hidden +
                                         2 * inner + model.topK * static_cast<double>(model.hidden));
    }

    /// Weights have a copy of a byte a number; what only products read again is kept in 8 bits.
    void memory()
    {
        const auto plan = [](DataType type) { return operators::resolved(planOf("llama-3-8b", type), 2); };
        const auto schedule = schedule::makeSchedule(plan(DataType::Fp8));
        QVERIFY(schedule.ok());
        const auto parameters = [&](DataType type) {
            return simulate::staticBytes(plan(type), *schedule, 1)[simulate::at(simulate::MemoryCategory::Parameters)];
        };
        const auto held = simulate::deviceParameters(plan(DataType::Fp8), *schedule, 1);
        QVERIFY(held.ofEightBits > 0 && held.ofEightBits < held.count);
        QCOMPARE(parameters(DataType::Fp8) - parameters(DataType::Bf16), held.ofEightBits);

        const model::ModelConfig wide = plan(DataType::Bf16).model;
        const model::ModelConfig narrow = plan(DataType::Fp8).model;
        const auto kept = [](const model::ModelConfig &model) {
            return operators::layerActivationBytes(model, 1, model::Recompute::None);
        };
        // The two norms, and what SwiGLU gives to the last product; attention reads its own output again.
        const std::int64_t numbers = std::int64_t{wide.sequence} * (2 * wide.hidden + wide.ffn);
        QCOMPARE(kept(wide) - kept(narrow), numbers - numbers / 32);
        QCOMPARE(operators::layerActivationBytes(narrow, 1, model::Recompute::Full),
                 operators::layerActivationBytes(wide, 1, model::Recompute::Full));
    }

    void hardware()
    {
        const auto problems = [](const char *name) {
            model::Experiment experiment = planOf("llama-3-8b", DataType::Fp8);
            experiment.cost.source = model::HardwarePreset{name};
            return model::validate(experiment);
        };
        QVERIFY(problems("h100-sxm").empty());
        QVERIFY(problems("gb300-nvl72").empty());
        QVERIFY(problems("cpu-local").empty()); // emulates them
        const base::Problems found = problems("a100-80gb");
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].field, std::string("model.dtype"));
        const model::Hardware hardware = model::hardwarePreset("h100-sxm").value();
        QCOMPARE(simulate::peakFlops(planOf("llama-3-8b", DataType::Fp8), hardware), 1979e12);
        QCOMPARE(simulate::peakFlops(planOf("llama-3-8b", DataType::Bf16), hardware), 989e12);
    }
};

STAGELENS_TEST(EightBitCosts)

} // namespace unit_simulate_eight_bit_costs

#include "simulate/eight_bit_costs.moc"
