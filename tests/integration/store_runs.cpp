// What the run database keeps.
#include "engine/store/migrations.h"
#include "tests/support/store_samples.h"
#include "tests/support/test_program.h"

#include <cmath>
#include <limits>

namespace integration_store_runs {

using namespace stagelens;
using namespace stagelens::test;

class StoreRuns : public StoreTest {
    Q_OBJECT
private slots:
    void init() { makeFolder(); }

    void runComesBackAsItWas()
    {
        RunId id = 0;
        const std::map<std::string, std::string> environment{{"cpu", "Test 9000"}, {"host", "hôte"}};
        {
            RunStore store = open();
            const auto run = store.edit().begin(sampleExperiment(), Provenance::MeasuredLive, "my run", environment);
            QVERIFY(run.ok());
            id = *run;
            const std::array<base::Nanos, 5> times{9000, 8000, 300, 100, 200};
            for (int step = 0; step < 5; ++step)
                QVERIFY(store.edit().addStep(id, step, 9.0 - step / 3.0, times[static_cast<std::size_t>(step)]).ok());
            QVERIFY(store.edit().setTimeline(id, sampleTimeline(1), {}).ok());
            QVERIFY(store.edit().setTimeline(id, sampleTimeline(), sampleMetrics()).ok());
            QVERIFY(store.edit().setTags(id, {"zeta", " alpha ", "", "zeta"}).ok());
            QVERIFY(store.edit().finish(id, RunStatus::Finished, "").ok());
        }
        RunStore store = open();
        const auto record = store.read().load(id);
        QVERIFY2(record.ok(), record.ok() ? "" : record.error().text().c_str());
        QVERIFY(record->experiment == sampleExperiment());
        QVERIFY(record->environment == environment);
        QVERIFY(record->losses == (std::vector<double>{9.0, 9.0 - 1 / 3.0, 9.0 - 2 / 3.0, 8.0, 9.0 - 4 / 3.0}));
        QVERIFY(record->iterations == (std::vector<base::Nanos>{9000, 8000, 300, 100, 200}));
        QVERIFY(record->timeline && *record->timeline == sampleTimeline());
        QVERIFY(record->metrics.has_value());
        QCOMPARE(record->metrics->tokensPerSecond, sampleMetrics().tokensPerSecond);
        QVERIFY(record->metrics->peakMemoryByCategory == sampleMetrics().peakMemoryByCategory);
        QVERIFY(record->metrics->bubbleRatioPerDevice == sampleMetrics().bubbleRatioPerDevice);
        QVERIFY(!record->metrics->mfu && !record->metrics->lowerBound);

        const auto runs = store.read().list();
        QVERIFY(runs.ok());
        QCOMPARE(runs->size(), std::size_t{1});
        const store::RunSummary &summary = runs->front();
        QCOMPARE(summary.name, std::string("my run"));
        QCOMPARE(summary.status, RunStatus::Finished);
        QCOMPARE(summary.kind, Provenance::MeasuredLive);
        QCOMPARE(summary.vocabulary, model::VocabularyMethod::Vocab2);
        QCOMPARE(summary.stepsDone, 5);
        QCOMPARE(summary.stepsPlanned, 5);
        QCOMPARE(summary.iteration, std::optional<base::Nanos>(200)); // the first two apart
        QCOMPARE(summary.firstLoss, std::optional<double>(9.0));
        QCOMPARE(summary.bubbleRatio, std::optional<double>(0.25));
        QCOMPARE(summary.peakMemory, std::optional<base::Bytes>(30));
        QVERIFY(summary.tags == (std::vector<std::string>{"alpha", "zeta"}));
        QVERIFY(summary.startedUnixMs > 1'500'000'000'000);
        QVERIFY(store.check()->faults.empty());
        QCOMPARE(store.check()->schemaVersion, static_cast<int>(store::migrations().size()));
    }

    void aResumedRunHoldsTheLossesOfAllSteps()
    {
        RunStore store = open();
        const auto before = store.edit().begin(sampleExperiment(), Provenance::MeasuredLive, "", {});
        const auto run = store.edit().begin(sampleExperiment(), Provenance::MeasuredLive, "", {});
        QVERIFY(before.ok() && run.ok());
        const std::vector<double> earlier{9.0, 8.0};
        QVERIFY(store.edit().setBeginning(*run, *before, earlier, std::vector{1}).ok());
        QVERIFY(store.edit().addEvaluation(*run, {2, 8.5}).ok());
        QVERIFY(store.edit().addStep(*run, 2, 7.0, 100).ok());
        QVERIFY(store.edit().addStep(*run, 3, 6.0, 300).ok());
        QVERIFY(store.edit().addSkipped(*run, 3).ok());
        QVERIFY(store.edit().addEvaluation(*run, {4, 6.5}).ok());
        QVERIFY(store.edit().finish(*before, RunStatus::Finished, "").ok() &&
                store.edit().finish(*run, RunStatus::Finished, "").ok());
        const auto record = store.read().load(*run);
        QVERIFY(record.ok());
        QCOMPARE(record->losses, (std::vector<double>{9.0, 8.0, 7.0, 6.0}));
        QCOMPARE(record->skipped, (std::vector{1, 3}));
        QCOMPARE(record->iterations, (std::vector<base::Nanos>{100, 300}));
        QVERIFY(record->evaluations == (std::vector<store::EvaluationLoss>{{2, 8.5}, {4, 6.5}}));
        QCOMPARE(store.remove(*before).ok(), true); // the later one stays whole without it
        const auto runs = store.read().list();
        QVERIFY(runs.ok());
        const auto row = std::ranges::find(*runs, *run, &store::RunSummary::id);
        QVERIFY(row != runs->end());
        QCOMPARE(row->stepsDone, 4);
        QCOMPARE(row->resumedSteps, 2);
        QCOMPARE(row->resumed, std::optional(*before));
        QCOMPARE(row->evaluationLoss, std::optional(6.5));
        QCOMPARE(row->firstLoss, std::optional(9.0));
        QVERIFY(store.check()->faults.empty());
        QVERIFY(store.remove(*run).ok());
    }

    void timesOfOperatorsAreStored()
    {
        RunStore store = open();
        const auto run = store.edit().begin(sampleExperiment(), Provenance::MeasuredLive, "", {});
        QVERIFY(run.ok());
        QCOMPARE(store.read().load(*run)->operators, nullptr);
        using schedule::PassKind;
        timeline::OperatorTimes times{{0, PassKind::F, 0, {{"embedding look-up", 7, true}, {"layer 0 qkv", 300, false}}},
                                      {0, PassKind::B, 0, {{"layer 0 qkv weight", 400, false}}},
                                      {1, PassKind::EF, 3, {{"embedding look-up", 9, true}}}}; // B before F by name
        QVERIFY(store.edit().setOperators(*run, times).ok());
        QVERIFY(*store.read().load(*run)->operators == times);
        times[0].operators.pop_back();
        QVERIFY(store.edit().setOperators(*run, times).ok()); // replaces them
        QVERIFY(*store.read().load(*run)->operators == times);
        QVERIFY(store.edit().finish(*run, RunStatus::Finished, "").ok());
        QVERIFY(store.check()->faults.empty());
        QVERIFY(store.remove(*run).ok());
        auto database = store::Database::open(path());
        QCOMPARE(*database->queryInteger("SELECT count(*) FROM operator_time"), 0);
    }

    void choicesOfRoutersAreStored()
    {
        RunStore store = open();
        auto experiment = sampleExperiment();
        experiment.model.experts = 3;
        const auto run = store.edit().begin(experiment, Provenance::MeasuredLive, "", {});
        QVERIFY(run.ok());
        std::vector<timeline::RouterStep> steps;
        for (int step = 0; step < 2; ++step) {
            steps.push_back({step, {{}, {{5, 0, 7 + step}, 2, 3.25, 6}, {}, {{4, 4, 4}, 0, 1.0 / 3, 6}}}); // two are dense
            QVERIFY(store.edit().addStep(*run, step, 9.0, 100).ok());
            QVERIFY(store.edit().addRouters(*run, steps.back()).ok());
        }
        QVERIFY(!store.edit().addRouters(*run, {7, steps[0].layers}).ok()); // there is no such step
        QVERIFY(store.edit().finish(*run, RunStatus::Finished, "").ok());
        const auto record = store.read().load(*run);
        QVERIFY2(record.ok(), record ? "" : record.error().text().c_str());
        QCOMPARE(record->routers.size(), steps.size());
        for (std::size_t step = 0; step < steps.size(); ++step) {
            QCOMPARE(record->routers[step]->step, steps[step].step);
            QVERIFY(record->routers[step]->layers == steps[step].layers);
        }
        QVERIFY(store.check()->faults.empty());
        for (const char *damage : {"choices = '5 0'", "choices = '5 -1 7'", "choices = '5 x 7'", "tokens = -1"}) {
            {
                auto database = store::Database::open(path());
                QVERIFY(database->execute(std::string("UPDATE router SET ") + damage + " WHERE step = 1 AND layer = 1").ok());
            }
            const auto refused = store.read().load(*run);
            QVERIFY2(!refused.ok(), damage);
            QVERIFY2(refused.error().text().find("the choices of step 1") != std::string::npos, refused.error().text().c_str());
            auto database = store::Database::open(path());
            QVERIFY(database->execute("UPDATE router SET choices = '5 0 8', tokens = 6 WHERE step = 1 AND layer = 1").ok());
        }
        QVERIFY(store.read().load(*run).ok());
        QVERIFY(store.remove(*run).ok());
        auto database = store::Database::open(path());
        QCOMPARE(*database->queryInteger("SELECT count(*) FROM router"), 0);
    }

    void stepsAreLoadedByTheirNumber()
    {
        RunStore store = open();
        const auto run = store.edit().begin(sampleExperiment(), Provenance::MeasuredLive, "", {});
        QVERIFY(run.ok());
        simulate::Metrics metrics = sampleMetrics();
        for (int step = 0; step < 3; ++step) {
            metrics.makespan = 100 * (step + 1);
            QVERIFY(store.edit().addStep(*run, step, 9.0, metrics.makespan, sampleTimeline(step + 1), metrics).ok());
        }
        QVERIFY(store.edit().addStep(*run, 3, 9.0, 400).ok()); // its timeline is not kept
        QVERIFY(store.edit().setTimeline(*run, sampleTimeline(), sampleMetrics()).ok());
        QVERIFY(store.edit().finish(*run, RunStatus::Finished, "").ok());

        const auto second = store.read().load(*run, 1);
        QVERIFY(second.ok());
        QVERIFY(*second->timeline == sampleTimeline(2));
        QCOMPARE(second->metrics->makespan, base::Nanos{200});
        QCOMPARE(second->losses.size(), std::size_t{4});
        QVERIFY(*store.read().load(*run)->timeline == sampleTimeline());
        for (const int absent : {3, 99, -1}) {
            const auto refused = store.read().load(*run, absent);
            QVERIFY(!refused.ok());
            QCOMPARE(refused.error().kind, base::ErrorKind::InvalidInput);
            QVERIFY(refused.error().text().find("steps 0 to 2") != std::string::npos);
        }
        QVERIFY(store.check()->faults.empty());
        {
            auto database = store::Database::open(path());
            QVERIFY(database->execute("UPDATE step_timeline SET data = x'00' WHERE step = 2").ok());
        }
        const auto report = store.check();
        QCOMPARE(report->faults.size(), std::size_t{1});
        QVERIFY(report->faults[0].find("step 2") != std::string::npos);
    }

    void aRunWithoutStepsAndWithoutNumbers()
    {
        RunStore store = open();
        const auto run = store.edit().begin(sampleExperiment(), Provenance::MeasuredVirtualClock, "", {});
        QVERIFY(run.ok());
        QVERIFY(store.edit().addStep(*run, 0, std::numeric_limits<double>::quiet_NaN(), 5).ok());
        QCOMPARE(store.read().list()->front().stepsDone, 1); // a running run's figures are up to date
        QVERIFY(store.edit().finish(*run, RunStatus::Failed, "loss is not finite").ok());
        const auto record = store.read().load(*run);
        QVERIFY(record.ok());
        QVERIFY(std::isnan(record->losses.at(0)));
        QVERIFY(!record->timeline && !record->metrics && !record->summary.firstLoss);
        QCOMPARE(record->summary.kind, Provenance::MeasuredVirtualClock);
        QCOMPARE(record->summary.reason, std::string("loss is not finite"));
    }

    void changesOfARun()
    {
        RunStore store = open();
        const RunId run = finishedRun(store);
        QVERIFY(store.edit().rename(run, "Zoë's").ok());
        QCOMPARE(store.read().list()->front().name, std::string("Zoë's"));
        for (const auto &answer : {store.edit().rename(99, "x"), store.edit().setTags(99, {}), store.remove(99),
                                   store.edit().finish(99, RunStatus::Failed, ""), store.edit().addStep(99, 0, 1, 1),
                                   store.edit().setTimeline(99, sampleTimeline(), sampleMetrics())})
            QVERIFY(!answer.ok());
        QVERIFY(QString::fromStdString(store.read().load(99).error().text()).contains("no run 99"));
        QVERIFY(!store.edit().addStep(run, 0, 1, 1).ok()); // that step is there
        const auto running = store.edit().begin(sampleExperiment(), Provenance::MeasuredLive, "", {});
        QVERIFY(QString::fromStdString(store.remove(*running).error().text()).contains("stop that run first"));
        QVERIFY(store.edit().finish(*running, RunStatus::Cancelled, "").ok());
        QVERIFY(store.remove(*running).ok());
        QVERIFY(store.remove(run).ok());
        QVERIFY(store.read().list()->empty());
        auto database = store::Database::open(path());
        QCOMPARE(*database->queryInteger("SELECT (SELECT count(*) FROM step) + (SELECT count(*) FROM timeline) +"
                                         " (SELECT count(*) FROM metrics) + (SELECT count(*) FROM environment) +"
                                         " (SELECT count(*) FROM step_timeline)"),
                 0);
        const auto next = store.edit().begin(sampleExperiment(), Provenance::MeasuredLive, "", {});
        QVERIFY(*next > *running); // numbers are never used again
    }
};

STAGELENS_TEST(StoreRuns)

} // namespace integration_store_runs

#include "store_runs.moc"
