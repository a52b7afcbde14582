// The times of operators that a step reports: of every pass, within its duration, with the names of predictions.
#include "engine/runtime/training/training_run.h"
#include "engine/service/predictions/prediction.h"
#include "engine/service/search/predict.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>

#include <set>

namespace integration_training_operator_times {

using namespace stagelens;
using model::VocabularyMethod;

namespace {

/// The last report of a training of one microbatch, so that medians are the durations themselves.
runtime::StepReport lastReport(model::Experiment experiment)
{
    experiment.training.steps = 2;
    std::optional<runtime::StepReport> last;
    const runtime::TrainingObserver observer{[&last](const runtime::StepReport &report) { last = report; }, {}, {}, {}};
    const auto trained = runtime::train(experiment, test::scheduleOf(experiment), {}, observer, {});
    if (!trained)
        qFatal("%s", trained.error().text().c_str());
    return *last;
}

base::Nanos sumOf(const timeline::PassOperators &pass)
{
    base::Nanos sum = 0;
    for (const timeline::OperatorTime &each : pass.operators)
        sum += each.duration;
    return sum;
}

/// "layer 1 inner" and "layer 1 activated" of "layer 1 inner, activated".
std::set<std::string> namesOf(const std::string &joined)
{
    std::set<std::string> names;
    const auto prefix = joined.starts_with("layer ") ? joined.find(' ', 6) + 1 : 0;
    for (std::size_t at = prefix; at < joined.size();) {
        const std::size_t end = std::min(joined.find(", ", at), joined.size());
        names.insert(joined.substr(0, prefix) + joined.substr(at, end - at));
        at = end + 2;
    }
    return names;
}

} // namespace

class TrainingOperatorTimes : public QObject {
    Q_OBJECT

private slots:
    void everyPassHasItsOperators_data()
    {
        QTest::addColumn<QByteArray>("family");
        QTest::addColumn<VocabularyMethod>("method");
        QTest::addColumn<model::RunMode>("mode");
        const auto add = [](const char *family, VocabularyMethod method, model::RunMode mode) {
            QTest::addRow("%s %s %s", family, std::string(model::name(method)).c_str(),
                          mode == model::RunMode::Live ? "live" : "virtual clock")
                << QByteArray(family) << method << mode;
        };
        add("gpipe", VocabularyMethod::None, model::RunMode::VirtualClock);
        add("1f1b", VocabularyMethod::Vocab1, model::RunMode::Live);
        add("1f1b", VocabularyMethod::Naive, model::RunMode::VirtualClock);
        add("zb-h1", VocabularyMethod::Vocab2, model::RunMode::VirtualClock);
        add("zb-h1", VocabularyMethod::None, model::RunMode::Live);
    }

    void everyPassHasItsOperators()
    {
        QFETCH(QByteArray, family);
        QFETCH(VocabularyMethod, method);
        QFETCH(model::RunMode, mode);
        auto experiment = test::tinyExperiment(family.constData(), method, 2, 1);
        experiment.training.mode = mode;
        const runtime::StepReport report = lastReport(experiment);
        QVERIFY(report.operators);
        std::size_t found = 0;
        for (int device = 0; device < report.timeline->devices(); ++device) {
            const timeline::Lane &lane = report.timeline->lanes[static_cast<std::size_t>(device)];
            for (std::size_t i = 0; i < lane.size(); ++i) {
                const auto *pass = timeline::find(*report.operators, device, lane.pass[i].kind, lane.pass[i].stage);
                QVERIFY2(pass != nullptr && !pass->operators.empty(), schedule::text(lane.pass[i]).c_str());
                ++found;
                // Live, the clock of another device shifts and rounds the pass by some nanoseconds.
                QVERIFY2(sumOf(*pass) <= lane.end[i] - lane.begin[i] + 1000, schedule::text(lane.pass[i]).c_str());
                for (const timeline::OperatorTime &each : pass->operators)
                    QVERIFY2(each.duration >= 0 && (each.isVocabulary || !schedule::isVocabularyPass(pass->kind)),
                             each.name.c_str());
            }
        }
        QCOMPARE(found, report.operators->size());
    }

    /// An operator of a layer has the name that predictions give it, or the names of those that became one kernel.
    void layersAreNamedAsInPredictions()
    {
        auto experiment = test::tinyExperiment("1f1b", VocabularyMethod::None, 2, 1);
        experiment.schedule.recompute = model::Recompute::Full;
        const runtime::StepReport report = lastReport(experiment);
        experiment.cost.source = model::HardwarePreset{"cpu-local"};
        const auto prediction = service::predict(experiment, 2);
        QVERIFY2(prediction.ok(), prediction ? "" : prediction.error().text().c_str());
        const auto legs = service::legsOf(**prediction);
        QVERIFY(legs.ok());
        for (const timeline::PassOperators &pass : *report.operators) {
            std::set<std::string> predicted;
            for (const simulate::PassLeg &leg :
                 (*legs)->of(pass.device, schedule::makePass(pass.kind, pass.stage, 0), 1'000'000))
                predicted.insert(leg.name);
            int layers = 0;
            for (const timeline::OperatorTime &each : pass.operators) {
                if (!each.name.starts_with("layer "))
                    continue;
                ++layers;
                const std::string part = each.name.ends_with(" again") ? " again" : "";
                for (std::string name : namesOf(each.name.substr(0, each.name.size() - part.size())))
                    QVERIFY2(predicted.contains(name + part), (name + part).c_str());
            }
            QVERIFY(layers >= (pass.kind == schedule::PassKind::B ? 20 : 7)); // a layer of GPT or more
        }
    }

    /// Ranks that divide a layer report what one of them computes, without their exchanges.
    void tensorRanksReportTheirOperators()
    {
        auto experiment = test::tinyExperiment("1f1b", VocabularyMethod::Vocab1, 2, 1);
        experiment.parallel.tensor = 2;
        for (const model::RunMode mode : {model::RunMode::VirtualClock, model::RunMode::Live}) {
            experiment.training.mode = mode;
            const runtime::StepReport report = lastReport(experiment);
            QVERIFY(report.operators);
            for (const timeline::PassOperators &pass : *report.operators) {
                QVERIFY(pass.device >= 0 && pass.device < 2);
                for (const timeline::OperatorTime &each : pass.operators)
                    QVERIFY2(each.name.find("gather") == std::string::npos, each.name.c_str());
            }
        }
    }
};

STAGELENS_TEST(TrainingOperatorTimes)

} // namespace integration_training_operator_times

#include "training/operator_times.moc"
