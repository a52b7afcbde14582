// The figures of cpu-local: other programs on the machine move them little, or nothing is stored.
#include "engine/base/file.h"
#include "engine/base/random.h"
#include "engine/operators/stage_layers.h"
#include "engine/schedule/families.h"
#include "engine/service/machine/calibration_fit.h"
#include "engine/simulate/costs/cost_model.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <map>

namespace unit_service_calibration {

using namespace stagelens;

namespace {

model::Hardware trueHardware()
{
    model::Hardware hardware;
    hardware.name = "cpu-local";
    hardware.description = "one core, measured here";
    hardware.peakFlops = 9e10;
    hardware.matrixEfficiency = 0.7;
    hardware.attentionEfficiency = 0.3;
    hardware.halfSpeedDimension = 10;
    hardware.memoryBytesPerSecond = 1.2e10;
    hardware.passOverhead = 3'000;
    return hardware;
}

model::Experiment planOf(int hidden, int vocabulary, model::VocabularyMethod method)
{
    model::Experiment plan;
    plan.model.preset = "custom";
    plan.model.layers = 2;
    plan.model.hidden = hidden;
    plan.model.ffn = 4 * hidden;
    plan.model.vocabularySize = vocabulary;
    plan.parallel.devices = 2;
    plan.parallel.microbatches = 4;
    plan.schedule.vocabulary = method;
    return operators::resolved(plan, 1);
}

/// Times of passes on that hardware: each is longer by up to `noise`, and those of a step together by up to `unrest`.
std::vector<service::MeasuredPlan> measuredOn(const model::Hardware &hardware, double noise, double unrest, double share,
                                              std::uint64_t seed)
{
    base::Random random(seed);
    std::vector<service::MeasuredPlan> plans;
    for (const model::Experiment &experiment :
         {planOf(128, 8192, model::VocabularyMethod::None), planOf(256, 1024, model::VocabularyMethod::None),
          planOf(128, 4096, model::VocabularyMethod::Vocab2)}) {
        const auto schedule = schedule::makeSchedule(experiment);
        if (!schedule)
            qFatal("%s", schedule.error().text().c_str());
        const simulate::CostModel costs = simulate::analyticCosts(experiment, hardware, *schedule);
        service::MeasuredPlan &plan = plans.emplace_back(service::MeasuredPlan{experiment, *schedule, {}});
        for (int step = 0; step < 12; ++step) {
            service::MeasuredStep &measured = plan.steps.emplace_back();
            measured.processorShare = share;
            const double slower = 1 + unrest * random.nextUniform();
            for (int device = 0; device < schedule->devices(); ++device) {
                std::map<schedule::PassKind, std::vector<base::Nanos>> times;
                for (const schedule::Pass &pass : schedule->device(device)) {
                    auto time = static_cast<double>(costs.pass(device, pass.kind, pass.stage).duration);
                    time *= slower * (1 + noise * random.nextUniform());
                    times[pass.kind].push_back(std::llround(time));
                }
                for (auto &[kind, all] : times)
                    measured.typical.emplace(std::pair(device, kind), service::median(all));
            }
        }
    }
    return plans;
}

} // namespace

class ServiceCalibration : public QObject {
    Q_OBJECT

private slots:
    void findsTheLaunchInterval()
    {
        model::Hardware hardware = trueHardware();
        model::Experiment plan = planOf(16, 64, model::VocabularyMethod::None);
        plan.model.layers = 6;
        plan.model.sequence = 16;
        plan.parallel.devices = 3;
        plan.parallel.stageLayers.clear();
        plan = operators::resolved(plan, 1);
        const auto schedule = schedule::makeSchedule(plan);
        QVERIFY(schedule.ok());
        for (const base::Nanos interval : {0, 3'900, 54'000}) {
            hardware.launchInterval = interval;
            const simulate::CostModel costs = simulate::analyticCosts(plan, hardware, *schedule);
            service::MeasuredPlan measured{plan, *schedule, {}};
            service::MeasuredStep &step = measured.steps.emplace_back();
            for (int device = 0; device < 3; ++device)
                for (const schedule::Pass &pass : schedule->device(device))
                    step.typical[{device, pass.kind}] = costs.pass(device, pass.kind, pass.stage).duration;
            hardware.launchInterval = 77;
            const base::Nanos found = service::fittedLaunchInterval(hardware, measured);
            hardware.launchInterval = found;
            const simulate::CostModel again = simulate::analyticCosts(plan, hardware, *schedule);
            QVERIFY2(std::abs(again.pass(1, schedule::PassKind::F, 1).duration - step.typical[{1, schedule::PassKind::F}]) <=
                         100,
                     std::to_string(found).c_str());
            if (interval > 0)
                QVERIFY(std::abs(found - interval) <= 10);
        }
    }

    /// Four calls on a loaded machine gave 1.2 GB/s, 10 TB/s, 10 TB/s and 2.1 GB/s.
    void noiseMovesTheFiguresLittle()
    {
        const model::Hardware truth = trueHardware();
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
            constexpr double kNoise = 0.2;
            const auto plans = measuredOn(truth, kNoise, 0, 0.8, seed);
            const auto fitted = service::fitHardware(truth, plans);
            QVERIFY2(fitted, fitted ? "" : fitted.error().text().c_str());
            const double memory = fitted->hardware.memoryBytesPerSecond / truth.memoryBytesPerSecond;
            QVERIFY2(memory > 0.5 && memory < 2, qPrintable(QString::number(memory)));
            for (const service::MeasuredPlan &plan : plans) {
                const auto expected = simulate::analyticCosts(plan.experiment, truth, plan.schedule);
                const auto predicted = simulate::analyticCosts(plan.experiment, fitted->hardware, plan.schedule);
                for (int device = 0; device < 2; ++device) {
                    const auto of = [device](const simulate::CostModel &costs) {
                        return static_cast<double>(costs.pass(device, schedule::PassKind::F, device).duration);
                    };
                    const double ratio = of(predicted) / (of(expected) * (1 + kNoise / 2)); // a typical pass, not the shortest
                    QVERIFY2(std::abs(ratio - 1) < 0.15, qPrintable(QString::number(ratio)));
                }
            }
        }
    }

    void theSpreadIsSaid()
    {
        const auto fitted = service::fitHardware(trueHardware(), measuredOn(trueHardware(), 0.05, 0, 1, 7));
        QVERIFY(fitted);
        const std::string &description = fitted->hardware.description;
        QVERIFY2(description.find("measured here, within ") != std::string::npos, description.c_str());
        QVERIFY2(fitted->spread > 0 && fitted->spread <= 0.05, qPrintable(QString::number(fitted->spread)));
    }

    /// It was in the description alone.
    void theSpreadIsStored()
    {
        const QTemporaryDir folder;
        qputenv("STAGELENS_DATA_DIR", folder.path().toUtf8());
        QVERIFY(!model::calibrationSpread());
        const std::filesystem::path file = folder.filePath("cpu-local.json").toStdString();
        QVERIFY(base::writeFile(file, model::hardwareToJson(trueHardware())).ok()); // of a version that stored none
        QVERIFY(!model::calibrationSpread());
        QVERIFY(base::writeFile(file, model::calibrationToJson({trueHardware(), 0.0625})).ok());
        QCOMPARE(model::calibrationSpread(), std::optional(0.0625));
        QCOMPARE(model::hardwarePreset("cpu-local")->memoryBytesPerSecond, trueHardware().memoryBytesPerSecond);
        QVERIFY(base::writeFile(file, model::calibrationToJson({trueHardware(), 7})).ok());
        QVERIFY(!model::calibrationSpread());
    }

    void whatSpreadsIsRefused()
    {
        const auto fitted = service::fitHardware(trueHardware(), measuredOn(trueHardware(), 0.05, 12, 0.9, 3));
        QVERIFY(!fitted);
        QCOMPARE(fitted.error().kind, base::ErrorKind::Failed);
        QVERIFY2(fitted.error().text().find("differ by") != std::string::npos, fitted.error().text().c_str());
    }

    void aBusyProcessorIsRefused()
    {
        const auto fitted = service::fitHardware(trueHardware(), measuredOn(trueHardware(), 0.05, 0, 0.3, 5));
        QVERIFY(!fitted);
        QVERIFY2(fitted.error().text().find("other programs took 70 % of the processor") != std::string::npos,
                 fitted.error().text().c_str());
        QVERIFY(!service::fitHardware(trueHardware(), {}));
    }
};

STAGELENS_TEST(ServiceCalibration)

} // namespace unit_service_calibration

#include "service/calibration.moc"
