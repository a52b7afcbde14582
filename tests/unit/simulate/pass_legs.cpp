// The operators inside predicted passes.
#include "engine/simulate/costs/pass_legs.h"
#include "engine/model/presets.h"
#include "engine/operators/sizes.h"
#include "engine/operators/stage_layers.h"
#include "engine/schedule/families.h"
#include "engine/simulate/costs/cost_model.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace unit_simulate_pass_legs {

using namespace stagelens;

namespace {

model::Experiment planOf(const char *family, model::VocabularyMethod method, model::Recompute recompute)
{
    model::Experiment experiment;
    const auto preset = model::modelPreset("gpt-4b");
    if (!preset)
        qFatal("%s", preset.error().text().c_str());
    experiment.model = *preset;
    experiment.parallel.devices = 4;
    experiment.parallel.microbatches = 4;
    experiment.schedule.family = family;
    experiment.schedule.vocabulary = method;
    experiment.schedule.recompute = recompute;
    return operators::resolved(experiment, 1);
}

bool has(const std::vector<simulate::PassLeg> &legs, const std::string &name)
{
    return std::ranges::any_of(legs, [&](const simulate::PassLeg &leg) { return leg.name == name; });
}

} // namespace

class PassLegsTest : public QObject {
    Q_OBJECT
private slots:
    void legsFillTheirPass()
    {
        const auto hardware = model::hardwarePreset("a100-80gb");
        QVERIFY(hardware.ok());
        for (const auto &[family, words] : {std::pair("1f1b", 0), {"zb-h1", 0}, {"interlaced", 0}, {"1f1b", 8192}}) {
            for (const model::VocabularyMethod method : {model::VocabularyMethod::None, model::VocabularyMethod::Vocab1,
                                                         model::VocabularyMethod::Vocab2, model::VocabularyMethod::Redis}) {
                for (const model::Recompute recompute : {model::Recompute::None, model::Recompute::Full}) {
                    model::Experiment experiment = planOf(family, method, recompute);
                    if (words > 0)
                        experiment.model.sampledWords = words;
                    const auto schedule = schedule::makeSchedule(experiment);
                    if (!schedule)
                        continue; // a family with its own vocabulary method
                    const simulate::CostModel costs = simulate::analyticCosts(experiment, *hardware, *schedule);
                    simulate::PassLegs legs(experiment, *hardware, *schedule);
                    for (int device = 0; device < schedule->devices(); ++device) {
                        for (const schedule::Pass &pass : schedule->device(device)) {
                            const simulate::PassCost &cost = costs.pass(device, pass.kind, pass.stage);
                            const auto parts = legs.of(device, pass, cost.duration);
                            QVERIFY(!parts.empty());
                            QCOMPARE(parts.front().begin, base::Nanos{0});
                            QCOMPARE(parts.back().end, cost.duration);
                            base::Nanos vocabulary = 0;
                            for (std::size_t i = 0; i < parts.size(); ++i) {
                                QVERIFY(parts[i].begin <= parts[i].end);
                                QVERIFY(i == 0 || parts[i].begin == parts[i - 1].end);
                                vocabulary += parts[i].isVocabulary ? parts[i].end - parts[i].begin : 0;
                            }
                            // Contention and the launch of the pass stretch the legs, by a few per cent of their time.
                            const auto given = static_cast<double>(cost.vocabulary);
                            QVERIFY(std::abs(static_cast<double>(vocabulary) - given) <=
                                    0.15 * given + 0.02 * static_cast<double>(cost.duration));
                        }
                    }
                }
            }
        }
    }

    void flopsAreThoseOfTheModel()
    {
        const auto hardware = model::hardwarePreset("a100-80gb");
        QVERIFY(hardware.ok());
        for (const char *family : {"1f1b", "zb-h1"}) {
            for (const model::Recompute recompute : {model::Recompute::None, model::Recompute::Full}) {
                const model::Experiment experiment = planOf(family, model::VocabularyMethod::None, recompute);
                const auto schedule = schedule::makeSchedule(experiment);
                QVERIFY(schedule.ok());
                simulate::PassLegs legs(experiment, *hardware, *schedule);
                double sum = 0;
                double again = 0;
                for (int device = 0; device < schedule->devices(); ++device)
                    for (const schedule::Pass &pass : schedule->device(device))
                        for (const simulate::PassLeg &leg : legs.of(device, pass, 1'000'000))
                            (leg.name.ends_with(" again") ? again : sum) += leg.flops;
                const double wanted = operators::iterationFlops(experiment);
                QVERIFY2(std::abs(sum / wanted - 1) < 1e-9, qPrintable(QString::number(sum / wanted)));
                const model::ModelConfig &model = experiment.model;
                const int size = experiment.parallel.microbatchSize;
                const double layers = (operators::layerMatrixFlops(model, size) + operators::attentionFlops(model, size)) *
                                      model.layers * experiment.parallel.microbatches;
                QVERIFY(std::abs(again - (recompute == model::Recompute::Full ? layers : 0)) < 1e-9 * layers);
            }
        }
    }

    void operatorsOfALayer()
    {
        const auto hardware = model::hardwarePreset("a100-80gb");
        QVERIFY(hardware.ok());
        const model::Experiment experiment = planOf("1f1b", model::VocabularyMethod::None, model::Recompute::Full);
        const auto schedule = schedule::makeSchedule(experiment);
        QVERIFY(schedule.ok());
        simulate::PassLegs legs(experiment, *hardware, *schedule);
        const auto forward = legs.of(0, schedule::makePass(schedule::PassKind::F, 0, 0), 1'000'000);
        QCOMPARE(forward.front().name, std::string("embedding look-up"));
        QCOMPARE(forward[1].name, std::string("layer 0 norm1"));
        QVERIFY(has(forward, "layer 1 inner"));
        const int first = experiment.parallel.stageLayers[0];
        QVERIFY(!has(forward, "layer " + std::to_string(first) + " inner"));
        const auto backward = legs.of(0, schedule::makePass(schedule::PassKind::B, 0, 0), 1'000'000);
        const std::string last = "layer " + std::to_string(first - 1);
        QCOMPARE(backward.front().name, last + " norm1 again");
        QCOMPARE(backward.back().name, std::string("embedding scatter"));
        const auto at = [&](const std::string &name) {
            return std::ranges::find(backward, name, &simulate::PassLeg::name) - backward.begin();
        };
        // The weights of a map before its input, and the layers from the last to the first.
        QVERIFY(at(last + " down weight") < at(last + " down input"));
        QVERIFY(at(last + " down input") < at(last + " inner weight"));
        QVERIFY(at(last + " qkv input") < at("layer 0 down input"));
    }

    /// Words are drawn in proportion to log((k + 2) / (k + 1)), so that shards of frequent words compute more logits. Together
    /// they have the N words and, each, the label.
    void drawnWordsAreOfTheirShards()
    {
        const auto hardware = model::hardwarePreset("a100-80gb");
        QVERIFY(hardware.ok());
        model::Experiment experiment = planOf("1f1b", model::VocabularyMethod::Vocab1, model::Recompute::None);
        experiment.model.sampledWords = 8192;
        const auto schedule = schedule::makeSchedule(experiment);
        QVERIFY(schedule.ok());
        const simulate::CostModel costs = simulate::analyticCosts(experiment, *hardware, *schedule);
        simulate::PassLegs legs(experiment, *hardware, *schedule);
        const double flopsOfALogit =
            2.0 * experiment.parallel.microbatchSize * experiment.model.sequence * experiment.model.hidden;
        double columns = 0;
        for (int device = 0; device < 4; ++device) {
            const schedule::Pass pass = schedule::makePass(schedule::PassKind::S, device, 0);
            const base::Nanos duration = costs.pass(device, pass.kind, device).duration;
            QVERIFY(device == 0 || duration < costs.pass(device - 1, pass.kind, device - 1).duration);
            double flops = 0;
            for (const simulate::PassLeg &leg : legs.of(device, pass, duration))
                flops += leg.flops;
            columns += flops / flopsOfALogit;
            if (device == 0) // 1304 words that are drawn each time, and 1304.8 ln(64001 / 1305) others
                QVERIFY(std::abs(columns - 1 - (1304 + 1304.8 * std::log(64001.0 / 1305))) < 0.1);
        }
        QVERIFY(std::abs(columns - (8192 + 4)) < 1e-6);
    }
};

STAGELENS_TEST(PassLegsTest)

} // namespace unit_simulate_pass_legs

#include "simulate/pass_legs.moc"
