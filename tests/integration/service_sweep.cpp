// Sweeps and imports as jobs of the service.
#include "engine/base/text.h"
#include "engine/model/schema.h"
#include "engine/service/engine_service.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QTemporaryDir>
#include <QTest>

namespace integration_service_sweep {

using namespace stagelens;

namespace {

template <class Answer>
std::shared_ptr<const Answer> last(service::EngineService &service, service::JobId job)
{
    service.waitIdle();
    std::shared_ptr<const Answer> found;
    for (const service::Event &event : service.drain())
        if (const auto *answer = std::get_if<std::shared_ptr<const Answer>>(&event.answer); answer && event.job == job)
            found = *answer;
    return found;
}

} // namespace

class ServiceSweep : public QObject {
    Q_OBJECT
private slots:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }
    void everyPlanIsPredicted();
    void stepsBetweenAveragesAreSwept();
    void trainingStoresEveryRun();
    void cancelledSweepKeepsItsPoints();
    void aMissingTraceIsAnError();

private:
    service::ServiceOptions options() { return {m_folder->filePath(QStringLiteral("runs.db")).toStdString(), 2}; }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void ServiceSweep::everyPlanIsPredicted()
{
    service::EngineService service(options());
    model::Experiment impossible;
    impossible.parallel.devices = 1000;
    const auto state = last<service::SweepSnapshot>(service, service.submitSweep({{}, impossible, {}}, false));
    QVERIFY(state && state->finished && !state->cancelled);
    QCOMPARE(state->done, std::size_t{3});
    QVERIFY(state->points[0].iteration > 0 && state->points[0].peakMemory > 0);
    QCOMPARE(state->points[0].iteration, state->points[2].iteration);
    QVERIFY(state->points[1].error && !state->points[1].error->problems.empty());
}

/// The values that the window offers, of which one replica takes only the first.
void ServiceSweep::stepsBetweenAveragesAreSwept()
{
    const model::Field &field = model::schemaField("parallel.sync_every");
    std::vector<model::Experiment> plans;
    for (const int replicas : {1, 4})
        for (const std::string_view word : base::split(field.sweep.values, ',')) {
            model::Experiment &plan = plans.emplace_back();
            plan.parallel.replicas = replicas;
            plan.cost.source = model::HardwarePreset{"a100-80gb"};
            QVERIFY(
                field.assign(plan, model::FieldValue(*base::parseInteger(word.substr(word.find_first_not_of(' '))))).empty());
        }
    service::EngineService service(options());
    const auto state = last<service::SweepSnapshot>(service, service.submitSweep(plans, false));
    QVERIFY(state && state->done == plans.size());
    const std::size_t values = plans.size() / 2;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        QCOMPARE(state->points[i].error.has_value(), i > 0 && i < values);
        QVERIFY(i <= values || state->points[i].iteration < state->points[i - 1].iteration);
    }
}

void ServiceSweep::trainingStoresEveryRun()
{
    service::EngineService service(options());
    model::Experiment plan = test::tinyExperiment("1f1b", model::VocabularyMethod::None, 2, 4);
    plan.training.steps = 2;
    model::Experiment other = plan;
    other.parallel.microbatches *= 2;
    const auto state = last<service::SweepSnapshot>(service, service.submitSweep({plan, other}, true));
    QVERIFY(state && state->finished);
    QCOMPARE(state->done, std::size_t{2});
    QVERIFY2(!state->points[0].error, state->points[0].error ? state->points[0].error->text().c_str() : "");
    QVERIFY(state->points[0].kind != timeline::Provenance::Predicted);
    QCOMPARE(service::StoredRuns(options().database).find({})->total, std::size_t{2});
    QCOMPARE(service::StoredRuns(options().database).summaries(std::vector{state->points[1].run})->front().microbatches,
             other.parallel.microbatches);
}

void ServiceSweep::cancelledSweepKeepsItsPoints()
{
    service::EngineService service(options());
    model::Experiment plan = test::tinyExperiment("1f1b", model::VocabularyMethod::None, 2, 4);
    plan.training.steps = 2;
    model::Experiment endless = plan;
    endless.training.steps = 1'000'000;
    const service::JobId job = service.submitSweep({plan, endless, plan}, true);
    service::SweepSnapshotPtr state;
    while (!state || state->done < 1) // the first is done, the second goes on
        for (const service::Event &event : service.drain())
            if (const auto *sweep = std::get_if<service::SweepSnapshotPtr>(&event.answer))
                state = *sweep;
    service.cancel(job);
    state = last<service::SweepSnapshot>(service, job);
    QVERIFY(state && state->finished && state->cancelled);
    QCOMPARE(state->done, std::size_t{1});
    QVERIFY(state->points[0].done && state->points[0].iteration > 0);
    QVERIFY(!state->points[1].done && !state->points[2].done);
}

void ServiceSweep::aMissingTraceIsAnError()
{
    service::EngineService service(options());
    const auto answer = last<base::Result<service::ImportedRun>>(
        service, service.submitImport({m_folder->filePath(QStringLiteral("none.json")).toStdString()}));
    QVERIFY(answer && !answer->ok());
    QVERIFY(!answer->error().problems.empty());
}

STAGELENS_TEST(ServiceSweep)

} // namespace integration_service_sweep

#include "service_sweep.moc"
