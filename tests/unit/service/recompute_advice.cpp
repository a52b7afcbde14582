// The fewest layers to recompute for a memory limit, by formula and by the byte-exact plan, and the lever board.
#include "engine/service/search/recompute_advice.h"
#include "engine/service/search/advise.h"
#include "engine/service/search/levers.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <stop_token>

namespace unit_service_recompute_advice {

using namespace stagelens;
using model::VocabularyMethod;

namespace {

service::PredictionPtr predictionOf(const model::Experiment &experiment)
{
    auto prediction = service::predict(experiment, 2);
    if (!prediction)
        qFatal("%s", prediction.error().text().c_str());
    return std::move(prediction).value();
}

/// Eight layers of each of four stages, one millisecond a forward and two a backward.
model::Experiment textbook()
{
    model::Experiment experiment;
    experiment.model = test::tinyModel();
    experiment.model.layers = 32;
    experiment.parallel.microbatches = 8;
    experiment.cost.source = model::UniformCosts{{{"F", 1}, {"B", 2}}};
    return experiment;
}

double makespanOf(const model::Experiment &experiment)
{
    return static_cast<double>(predictionOf(experiment)->metrics.makespan) / 1e6;
}

} // namespace

class RecomputeAdvice : public QObject {
    Q_OBJECT
private slots:
    void makespansOfTheTextbook()
    {
        model::Experiment experiment = textbook();
        QCOMPARE(makespanOf(experiment), 33.0);
        experiment.schedule.recomputeLayers = {3, 1, 0, 0};
        QCOMPARE(makespanOf(experiment), 35.125);
        experiment.schedule.recomputeLayers = {3};
        QCOMPARE(makespanOf(experiment), 37.125);
        experiment.schedule.recomputeLayers = {8};
        QCOMPARE(makespanOf(experiment), 44.0);
        experiment.schedule.recomputeLayers.clear();
        experiment.schedule.recompute = model::Recompute::Full;
        QCOMPARE(makespanOf(experiment), 44.0);
    }

    /// Each device fits, and with one layer less in any stage some device does not.
    void leastOfTheBytePlan()
    {
        int found = 0;
        for (const char *family : {"gpipe", "1f1b", "interleaved-1f1b", "zb-h1", "v-half", "chimera"}) {
            model::Experiment experiment = test::tinyExperiment(family, VocabularyMethod::None, 4, 8);
            const auto peaks = [&](const model::Experiment &of) { return predictionOf(of)->metrics.peakMemory; };
            const base::Bytes kept = std::ranges::max(peaks(experiment));
            model::Experiment full = experiment;
            full.schedule.recompute = model::Recompute::Full;
            const base::Bytes least = std::ranges::max(peaks(full));
            for (const double share : {0.0, 0.4, 0.8}) {
                const auto limit =
                    static_cast<base::Bytes>(static_cast<double>(least) + share * static_cast<double>(kept - least));
                const auto advised = service::withLeastRecomputation(experiment, 2, limit);
                QVERIFY2(advised.ok(), advised ? "" : advised.error().text().c_str());
                QVERIFY2(std::ranges::max(peaks(*advised)) <= limit, family);
                std::vector<int> list = advised->schedule.recomputeLayers;
                for (std::size_t stage = 0; stage < list.size(); ++stage) {
                    if (list[stage] == 0)
                        continue;
                    model::Experiment fewer = *advised;
                    --fewer.schedule.recomputeLayers[stage];
                    QVERIFY2(std::ranges::max(peaks(fewer)) > limit, fmt::format("{} {}", family, stage).c_str());
                    ++found;
                }
            }
            const auto none = service::withLeastRecomputation(experiment, 2, kept);
            QVERIFY(none && none->schedule.recomputeLayers.empty());
        }
        QVERIFY(found > 10);
    }

    void whatCannotBeAdvised()
    {
        const auto problem = [](const model::Experiment &experiment, std::optional<base::Bytes> limit) {
            const auto advised = service::withLeastRecomputation(experiment, 2, limit);
            return advised ? std::string() : advised.error().text();
        };
        model::Experiment experiment = test::tinyExperiment("1f1b", VocabularyMethod::None, 4, 8);
        QVERIFY(QString::fromStdString(problem(experiment, 1000)).contains("with all its layers recomputed; raise it"));
        experiment.cost.source = model::UniformCosts{{{"F", 1}, {"B", 2}}};
        QVERIFY(QString::fromStdString(problem(experiment, {})).contains("give --memory-limit"));
        experiment.hasModel = false;
        QVERIFY(QString::fromStdString(problem(experiment, 1000)).contains("name --model or --layers"));
    }

    void leversAreThePredictionsOfTheirPlans()
    {
        model::Experiment experiment = test::smallExperiment("1f1b", VocabularyMethod::None, 2, 4);
        experiment.parallel.replicas = 2;
        experiment.parallel.tensor = 2;
        const service::PredictionPtr prediction = predictionOf(experiment);
        std::size_t calls = 0;
        service::SearchOptions options;
        options.progress = [&](const service::SearchProgress &progress) { calls = progress.done; };
        const auto board = service::leverBoard(*prediction, 2, options);
        QVERIFY(board.ok());
        QVERIFY(calls >= board->levers.size() + board->combinations.size());
        std::set<service::LeverKind> kinds;
        for (const auto *levers : {&board->levers, &board->combinations}) {
            for (const service::Lever &lever : *levers) {
                kinds.insert(lever.kind);
                QVERIFY(lever.iteration.has_value() != !lever.refusal.empty());
                if (!lever.iteration)
                    continue;
                const service::PredictionPtr own = predictionOf(lever.experiment);
                QCOMPARE(own->metrics.iteration, *lever.iteration);
                QCOMPARE(std::ranges::max(own->metrics.peakMemory), *lever.peakMemory);
                if (lever.isOnFront)
                    QVERIFY(*lever.iteration <= board->iteration || *lever.peakMemory <= board->peakMemory);
            }
        }
        QVERIFY(kinds.size() >= 8);
        QVERIFY(!board->combinations.empty());
        for (const service::Lever &lever : board->combinations)
            QVERIFY(lever.isOnFront && lever.parts.size() >= 2);
    }

    /// One chunk has the bits of whole logits; sharded output layers would multiply again as recompute-logits does.
    void chunksOfLogitsAreALever()
    {
        using Found = std::map<std::string, service::Numbers>;
        const auto logitsOf = [](const model::Experiment &plan) {
            Found found;
            const auto board = service::leverBoard(*predictionOf(plan), 2);
            for (const service::Lever &lever : board->levers)
                if (lever.kind == service::LeverKind::Logits && lever.iteration)
                    found.emplace(lever.options.substr(lever.options.rfind(' ') + 1), lever.numbers);
            return found;
        };
        using enum service::Numbers;
        auto experiment = test::smallExperiment("gpipe", VocabularyMethod::None, 2, 4); // 6 tokens
        QVERIFY((logitsOf(experiment) ==
                 Found{{"recompute-logits", SameBits}, {"chunked=1", SameBits}, {"chunked=4", SameMathematics}}));
        experiment.schedule.vocabulary = VocabularyMethod::Vocab1;
        QVERIFY((logitsOf(experiment) == Found{{"recompute-logits", SameBits}, {"chunked=4", SameMathematics}}));
        experiment.schedule.vocabularyKind = model::VocabularyKind::Chunked;
        experiment.schedule.logitChunks = 4;
        QVERIFY((logitsOf(experiment) == Found{{"recompute-logits", SameMathematics}, {"full", SameMathematics}}));
    }

    /// Never counted as free: another model is below another mathematics, and is in no combination.
    void narrowerTablesAreAnotherModel()
    {
        auto experiment = test::smallExperiment("1f1b", VocabularyMethod::None, 2, 4);
        const auto widthsOf = [&] {
            std::map<std::string, service::Numbers> found;
            const auto board = service::leverBoard(*predictionOf(experiment), 2);
            for (const service::Lever &lever : board->levers)
                if (lever.kind == service::LeverKind::Width && lever.iteration)
                    found.emplace(lever.options, lever.numbers);
            for (const service::Lever &combination : board->combinations)
                for (const std::size_t part : combination.parts)
                    if (board->levers[part].kind == service::LeverKind::Width)
                        found.emplace("combined", combination.numbers);
            return found;
        };
        using Found = std::map<std::string, service::Numbers>;
        const auto other = service::Numbers::OtherModel;
        QVERIFY((widthsOf() == Found{{"--vocabulary-width 2", other}, {"--vocabulary-width 4", other}}));
        experiment.model.vocabularyWidth = 4;
        QVERIFY((widthsOf() == Found{{"--vocabulary-width 2", other}, {"--vocabulary-width full", other}}));
    }

    /// Only where experts are on several ranks, and the family leaves them open.
    void overlappedPairsAreALever()
    {
        auto experiment = test::asLlama(test::smallExperiment("1f1b", VocabularyMethod::None, 2, 6), 2);
        const auto pairsOf = [&] {
            std::vector<std::string> found;
            const auto board = service::leverBoard(*predictionOf(experiment), 2);
            for (const service::Lever &lever : board->levers)
                if (lever.kind == service::LeverKind::Pairs && lever.iteration && lever.numbers == service::Numbers::SameBits)
                    found.push_back(lever.options);
            return found;
        };
        using Found = std::vector<std::string>;
        QCOMPARE(pairsOf(), Found());
        experiment.model.experts = 4;
        experiment.parallel.replicas = experiment.parallel.expert = 2;
        QCOMPARE(pairsOf(), Found{"--overlapped-pairs"});
        experiment.schedule.overlappedPairs = true;
        QCOMPARE(pairsOf(), Found{"--no-overlapped-pairs"});
    }

    void theHostOfAGpuIsALever()
    {
        model::Experiment experiment;
        experiment.model = *model::modelPreset("gpt-4b");
        experiment.parallel = {8, 16, 1, {}};
        experiment.cost.source = model::HardwarePreset{"a100-80gb"};
        const auto optionsOf = [](const model::Experiment &plan, service::LeverKind kind) {
            std::vector<std::string> found;
            const auto board = service::leverBoard(*predictionOf(plan), 2);
            for (const service::Lever &lever : board->levers)
                if (lever.kind == kind) {
                    found.push_back(lever.options);
                    // What fits already needs no copies.
                    const bool saves = lever.options.find("--no-") == std::string::npos && lever.options != "--offload auto";
                    if (!lever.iteration || lever.numbers != service::Numbers::SameBits ||
                        (saves && *lever.peakMemory >= board->peakMemory))
                        found.emplace_back("saves nothing");
                }
            return found;
        };
        using Found = std::vector<std::string>;
        QCOMPARE(optionsOf(experiment, service::LeverKind::Offload), (Found{"--offload 0.5", "--offload auto"}));
        QCOMPARE(optionsOf(experiment, service::LeverKind::Host),
                 (Found{"--offload-optimizer", "--offload-optimizer --offload-parameters"}));
        experiment.schedule.offloadOptimizer = true;
        QCOMPARE(optionsOf(experiment, service::LeverKind::Host),
                 (Found{"--no-offload-optimizer --no-offload-parameters", "--offload-optimizer --offload-parameters"}));
        experiment.schedule.family = "po-h";
        QVERIFY(optionsOf(experiment, service::LeverKind::Offload).empty()); // the family has its own
    }

    void averagesOfWeightsAreALever()
    {
        model::Experiment experiment = test::smallExperiment("1f1b", VocabularyMethod::None, 2, 4);
        const auto averagesOf = [](const model::Experiment &plan) {
            std::vector<service::Lever> found;
            const auto board = service::leverBoard(*predictionOf(plan), 2);
            for (const service::Lever &lever : board->levers)
                if (lever.kind == service::LeverKind::Averaging)
                    found.push_back(lever);
            return found;
        };
        QVERIFY(averagesOf(experiment).empty()); // no other replica
        experiment.parallel.replicas = 2;
        experiment.parallel.zero = 1;
        const std::vector<service::Lever> levers = averagesOf(experiment);
        QCOMPARE(levers.size(), std::size_t{3});
        QCOMPARE(levers[1].options, std::string("--sync-every 16 --zero 0"));
        for (const service::Lever &lever : levers) {
            QVERIFY(lever.iteration.has_value());
            QCOMPARE(lever.numbers, service::Numbers::OtherMathematics);
            QCOMPARE(predictionOf(lever.experiment)->metrics.iteration, *lever.iteration);
        }
        // The verdict weighs such a plan against the sum in every step.
        const service::Advice advice = service::advise(*predictionOf(levers[1].experiment), 2);
        experiment.parallel.zero = 0;
        const service::PredictionPtr summed = predictionOf(experiment);
        QVERIFY(advice.everyStep.has_value());
        QCOMPARE(advice.everyStep->iteration, summed->metrics.iteration);
        QCOMPARE(advice.everyStep->exposedExchange, *summed->metrics.exposedExchange);
        QVERIFY(!service::advise(*summed, 2).everyStep);
    }

    void stoppedBoardHasNoResult()
    {
        std::stop_source stop;
        service::SearchOptions options{stop.get_token(), [&stop](const service::SearchProgress &) { stop.request_stop(); }};
        const auto board =
            service::leverBoard(*predictionOf(test::smallExperiment("1f1b", VocabularyMethod::None, 2, 4)), 2, options);
        QVERIFY(!board && board.error().kind == base::ErrorKind::Cancelled);
    }
};

STAGELENS_TEST(RecomputeAdvice)

} // namespace unit_service_recompute_advice

#include "service/recompute_advice.moc"
