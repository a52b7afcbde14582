// `--schedule auto`: the front, the choice within the limit, and what is said where there is none.
#include "engine/model/family_shape.h"
#include "engine/operators/stage_layers.h"
#include "engine/service/engine_service.h"
#include "engine/service/plans/schedule_plan.h"
#include "engine/service/plans/training_check.h"
#include "engine/service/search/search_space.h"
#include "tests/support/gpt_shape.h"
#include "tests/support/sanitized.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <algorithm>
#include <set>

namespace unit_service_search {

using namespace stagelens;
using service::Candidate;
using service::SearchResult;

namespace {

model::Experiment paperPlan(int microbatches)
{
    model::Experiment experiment;
    experiment.model = test::gptOf(16, 2048, 16, 2048, 131072, model::DataType::Fp16);
    experiment.parallel = {4, microbatches, 1, {}};
    experiment.schedule.family = model::kAutomaticFamily;
    experiment.cost.source = model::HardwarePreset{"a100-80gb"};
    return experiment;
}

model::Experiment teachingPlan(int devices, int microbatches)
{
    model::Experiment experiment =
        test::teachingExperiment("auto", devices, microbatches, model::VocabularyMethod::None, {{"F", 1.0}, {"B", 2.0}});
    experiment.parallel.stageLayers.clear();
    return experiment;
}

} // namespace

class ServiceSearch : public QObject {
    Q_OBJECT

private slots:
    void noPlanOfTheFrontBeatsAnother()
    {
        const SearchResult found = service::searchSchedules(paperPlan(16));
        QVERIFY(found.front.size() > 2);
        for (std::size_t i = 1; i < found.front.size(); ++i) {
            QVERIFY(found.front[i - 1].iteration < found.front[i].iteration);
            QVERIFY(found.front[i - 1].memory() > found.front[i].memory());
        }
        for (const Candidate &plan : found.front)
            QVERIFY(plan.lowerBound > 0 && plan.lowerBound <= plan.makespan && plan.makespan <= plan.iteration);
    }

    void theFastestWithinTheLimitIsChosen()
    {
        STAGELENS_NOT_UNDER_TSAN();
        const SearchResult free = service::searchSchedules(paperPlan(16));
        QVERIFY(free.isCapacity);
        QCOMPARE(*free.limit, base::Bytes{80} << 30);
        QCOMPARE(*free.chosen, std::size_t{0});
        for (const Candidate &plan : free.front) {
            if (test::kIsSanitized && &plan != &free.front.back())
                continue; // a search a plan
            model::Experiment limited = paperPlan(16);
            limited.schedule.memoryLimit = plan.peakMemory;
            const SearchResult found = service::searchSchedules(limited);
            const auto chosen = service::chosenOf(found);
            QVERIFY(chosen.ok());
            QVERIFY(!found.isCapacity);
            // Families that adapt may find something better still under a limit, and nothing worse.
            QVERIFY(chosen->iteration <= plan.iteration && *chosen->peakMemory <= *plan.peakMemory);
        }
    }

    /// Eight layers on four devices have few cuts: no 1F1B plan of all of them needs less memory than the front's last. The
    /// even cut leaves the first device, which holds four microbatches, the most.
    void cutsForMemoryAreFound()
    {
        STAGELENS_NOT_UNDER_TSAN();
        model::Experiment plan = paperPlan(8);
        plan.model.layers = 8;
        plan.model.hidden = 4096;
        plan.model.heads = plan.model.kvHeads = 32;
        plan.schedule.family = "1f1b";
        const auto outline = simulate::outlineOf(plan);
        QVERIFY(outline.ok());
        plan.parallel.stageLayers = {2, 2, 2, 2};
        const std::vector<int> cut = service::leastMemoryStageLayers(plan, *outline);
        QVERIFY(!cut.empty());
        const auto peakOf = [&plan](std::vector<int> layers) {
            plan.parallel.stageLayers = std::move(layers);
            const auto prediction = service::predict(plan, 1);
            if (!prediction)
                return std::numeric_limits<double>::infinity();
            return static_cast<double>(std::ranges::max((*prediction)->metrics.peakMemory));
        };
        const double found = peakOf(cut);
        QVERIFY(found < peakOf({2, 2, 2, 2}));
        for (int first = 1; first <= 5; ++first)
            for (int second = 1; first + second <= 6; ++second)
                for (int third = 1; first + second + third <= 7; ++third)
                    QVERIFY(found <= peakOf({first, second, third, 8 - first - second - third}));
        plan.parallel.stageLayers.clear();
        plan.schedule.family = model::kAutomaticFamily;
        QVERIFY(service::searchSchedules(plan).front.back().memory() <= found);
    }

    void aPredictionOfTheChosenPlanSaysTheSame()
    {
        STAGELENS_NOT_UNDER_TSAN();
        const auto prediction = service::predict(paperPlan(16), 2);
        QVERIFY2(prediction.ok(), prediction.ok() ? "" : prediction.error().text().c_str());
        const service::Prediction &made = **prediction;
        QVERIFY(made.search != nullptr);
        const Candidate &chosen = made.search->front[*made.search->chosen];
        QCOMPARE(made.experiment.schedule.family, chosen.schedule.family);
        QCOMPARE(made.experiment.parallel.stageLayers, chosen.parallel.stageLayers);
        QCOMPARE(made.metrics.iteration, chosen.iteration);
        QCOMPARE(*made.metrics.lowerBound, chosen.lowerBound);
        QCOMPARE(*std::ranges::max_element(made.metrics.peakMemory), *chosen.peakMemory);
        // Its document is a plan like any other.
        const auto again = service::predict(made.experiment, 2);
        QVERIFY(again.ok());
        QVERIFY((*again)->search == nullptr);
        QCOMPARE((*again)->metrics.iteration, chosen.iteration);
    }

    void whereNothingFitsTheLeastMemoryIsNamed()
    {
        STAGELENS_NOT_UNDER_TSAN();
        model::Experiment experiment = paperPlan(8);
        experiment.schedule.memoryLimit = 1'000'000;
        const SearchResult found = service::searchSchedules(experiment);
        QVERIFY(!found.chosen);
        const auto refused = service::chosenOf(found);
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().kind, base::ErrorKind::InvalidInput);
        const base::Problem &problem = refused.error().problems.front();
        QCOMPARE(problem.field, std::string("schedule.memory_limit"));
        const Candidate &least = found.front.back();
        QVERIFY(problem.message.find(std::to_string(*least.peakMemory)) != std::string::npos);
        QVERIFY(problem.message.find(least.schedule.family) != std::string::npos);
        experiment.schedule.memoryLimit = least.peakMemory;
        QVERIFY(service::predict(experiment, 2).ok());
    }

    void theSameScheduleIsTriedOnce()
    {
        // On one device 1F1B, eager 1F1B and interleaved 1F1B with a chunk are the same.
        const SearchResult found = service::searchSchedules(teachingPlan(1, 4));
        QVERIFY(found.duplicates >= 2);
        std::set<std::pair<base::Nanos, double>> figures;
        for (const Candidate &plan : found.front)
            QVERIFY(figures.emplace(plan.iteration, plan.memory()).second);
        QCOMPARE(found.front.front().iteration, 12 * base::kNanosPerMilli);
    }

    void givenChoicesAreKept()
    {
        model::Experiment experiment = paperPlan(8);
        experiment.schedule.vocabulary = model::VocabularyMethod::Vocab2;
        experiment.schedule.vocabularyOrder = model::VocabularyOrder::Best;
        experiment.schedule.chunks = 2;
        experiment.schedule.recompute = model::Recompute::Full;
        const SearchResult found = service::searchSchedules(experiment);
        QVERIFY(!found.front.empty());
        for (const Candidate &plan : found.front) {
            QCOMPARE(plan.schedule.vocabulary, model::VocabularyMethod::Vocab2);
            QCOMPARE(plan.schedule.vocabularyOrder, model::VocabularyOrder::Best);
            QCOMPARE(plan.schedule.recompute, model::Recompute::Full);
            QCOMPARE(plan.parallel.stageLayers.size(), std::size_t{8});
        }
    }

    void givenDurationsAreComparedForOneNumberOfStages()
    {
        // A duration is a stage's: with two chunks the same numbers would mean a model twice as deep.
        const SearchResult found = service::searchSchedules(teachingPlan(4, 8));
        QVERIFY(!found.front.empty());
        for (const Candidate &plan : found.front) {
            QVERIFY(!plan.peakMemory);
            QVERIFY(plan.peakActivations >= 1);
            QCOMPARE(model::stagesPerDevice(plan.schedule), 1);
            QCOMPARE(plan.schedule.vocabulary, model::VocabularyMethod::None);
        }
        QVERIFY(found.front.front().iteration < (8 + 3) * 3 * base::kNanosPerMilli);
    }

    void aStopIsObeyed()
    {
        std::stop_source source;
        std::size_t seen = 0;
        const service::SearchOptions options{source.get_token(), [&](const service::SearchProgress &progress) {
                                                 seen = progress.done;
                                                 QVERIFY(progress.total > 3);
                                                 if (seen == 3)
                                                     source.request_stop();
                                             }};
        const SearchResult found = service::searchSchedules(paperPlan(8), service::Purpose::Predict, options);
        QCOMPARE(seen, std::size_t{3});
        QVERIFY(found.cancelled && !found.chosen);
        QCOMPARE(service::chosenOf(found).error().kind, base::ErrorKind::Cancelled);
    }

    void trainingChoosesWhatCanBeTrained()
    {
        STAGELENS_NOT_UNDER_TSAN();
        model::Experiment experiment;
        experiment.schedule.family = model::kAutomaticFamily;
        const auto chosen = service::withChosenSchedule(experiment, service::Purpose::Train);
        QVERIFY2(chosen.ok(), chosen.ok() ? "" : chosen.error().text().c_str());
        const auto schedule = service::scheduleOf(operators::resolved(chosen->experiment, 2));
        QVERIFY(schedule.ok());
        QVERIFY(service::trainingProblems(chosen->experiment, *schedule).empty());
    }

    void whatNobodyCanTrainIsSaid()
    {
        STAGELENS_NOT_UNDER_TSAN();
        model::Experiment experiment;
        experiment.schedule.family = model::kAutomaticFamily;
        experiment.training.backend = "cuda";
        const auto refused = service::withChosenSchedule(experiment, service::Purpose::Train);
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().problems.size(), std::size_t{1});
        QCOMPARE(refused.error().problems.front().field, std::string("training.backend"));
    }

    void plansThatNameTheirFamilyStayAsTheyAre()
    {
        const model::Experiment experiment;
        const auto chosen = service::withChosenSchedule(experiment, service::Purpose::Predict);
        QVERIFY(chosen.ok());
        QVERIFY(chosen->experiment == experiment && chosen->search == nullptr);
    }
};

STAGELENS_TEST(ServiceSearch)

} // namespace unit_service_search

#include "service/search.moc"
