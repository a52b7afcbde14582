// Results of papers beside predictions: found for exactly the plans they were measured with, and near what is predicted.
#include "engine/model/experiment_json.h"
#include "engine/service/engine_service.h"
#include "engine/service/plans/published.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>

namespace integration_published_results {

using namespace stagelens;

class PublishedResults : public QObject {
    Q_OBJECT
private slots:
    void theExampleHasOne();
    void everyResultIsFoundForItsPlan();
    void anotherPlanHasNone();
};

void PublishedResults::theExampleHasOne()
{
    const auto example = model::loadExperiment(base::resourceFolder() / "examples" / "gpt-4b-8xa100-256k.stagelens.json");
    QVERIFY(example);
    const auto prediction = service::predict(*example, 2);
    QVERIFY(prediction);
    const service::PublishedResult *published = service::publishedFor((*prediction)->experiment);
    QVERIFY(published != nullptr);
    QCOMPARE(published->iteration, base::Nanos{23'959'400'000});
    QVERIFY(published->source.find("2411.05288") != std::string::npos);
}

void PublishedResults::everyResultIsFoundForItsPlan()
{
    const auto &results = service::publishedResults();
    QVERIFY2(results.ok(), results ? "" : results.error().text().c_str());
    QCOMPARE(results->size(), test::measuredRuns().size()); // the same figures as the tests of the simulator
    for (const test::MeasuredRun &run : test::measuredRuns()) {
        const auto method = test::methodOf(run);
        model::Experiment experiment = test::measuredExperiment(run, method.value_or(model::VocabularyMethod::None));
        if (!method)
            experiment.schedule.family = "interlaced";
        experiment.training.steps = 3; // how it would be trained here does not matter
        const auto prediction = service::predict(experiment, 2);
        QVERIFY2(prediction.ok(), prediction ? "" : prediction.error().text().c_str());
        const service::PublishedResult *published = service::publishedFor((*prediction)->experiment);
        QVERIFY2(published != nullptr, run.method.c_str());
        QCOMPARE(static_cast<double>(published->iteration) / 1e6, run.iterationMs);
        QCOMPARE(static_cast<double>(published->peakMemory >> 20), run.mostAllocatedMib);
    }
}

void PublishedResults::anotherPlanHasNone()
{
    const auto &results = service::publishedResults();
    QVERIFY(results && !results->empty());
    const model::Experiment plan = results->front().experiment;
    QVERIFY(service::publishedFor(plan) != nullptr);
    model::Experiment other = plan;
    other.parallel.microbatches = 64;
    QVERIFY(service::publishedFor(other) == nullptr);
    other = plan;
    other.cost.source = model::HardwarePreset{"h100-sxm"};
    QVERIFY(service::publishedFor(other) == nullptr);
    other = plan;
    other.model.vocabularySize = 255'999;
    QVERIFY(service::publishedFor(other) == nullptr);
}

STAGELENS_TEST(PublishedResults)

} // namespace integration_published_results

#include "published_results.moc"
