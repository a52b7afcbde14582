// A deadlocked run ends with an error that names the waiting passes. Such schedules are refused earlier, so the tests call the
// executor directly.
#include "engine/backend/compute.h"
#include "engine/runtime/executor/executor.h"
#include "engine/schedule/text_form.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>
#include <chrono>

namespace integration_watchdog {

using namespace stagelens;
using model::VocabularyMethod;
using runtime::size;

namespace {

/// Returns the error of one step in that mode.
QString errorOf(const char *text, model::RunMode mode)
{
    const auto schedule = schedule::scheduleFromText(text);
    if (!schedule)
        qFatal("%s", schedule.error().text().c_str());
    const model::Experiment experiment =
        test::tinyExperiment("1f1b", schedule->vocabulary(), schedule->devices(), schedule->microbatches());
    const runtime::RunPlan plan(experiment, *schedule);
    std::stop_source halt;
    const auto plans = runtime::memoryPlan(experiment, plan.schedule);
    if (!plans)
        qFatal("%s", plans.error().text().c_str());
    std::vector<std::unique_ptr<runtime::DeviceMemory>> memories;
    const auto transport = backend::makeInProcessTransport(schedule->devices(), halt.get_token());
    const runtime::Batch batch(plan.shape);
    const auto compute = backend::makeCpuCompute();
    runtime::Devices devices;
    for (int rank = 0; rank < schedule->devices(); ++rank) {
        memories.push_back(std::make_unique<runtime::DeviceMemory>((*plans)[size(rank)], plan.schedule.device(rank), rank));
        devices.push_back(
            std::make_unique<runtime::Device>(plan, plan.placeOf(rank), *memories.back(),
                                              runtime::Device::Transports{*transport, *transport, *transport, *transport,
                                                                          *transport, *transport, *transport, *transport},
                                              *compute));
        devices.back()->beginStep(batch, 0, runtime::StepUse::Gradients);
    }
    const runtime::StepHooks hooks{.afterPass = [] {}};
    const auto run = mode == model::RunMode::Live ? runLive(plan, devices, hooks, halt, std::chrono::steady_clock::now())
                                                  : runVirtualClock(plan, devices, hooks, halt.get_token());
    if (run)
        return {};
    return run.error().kind == base::ErrorKind::Failed ? QString::fromStdString(run.error().text())
                                                       : QStringLiteral("wrong kind");
}

} // namespace

class Watchdog : public QObject {
    Q_OBJECT

private slots:
    void saysWhoWaitsForWhat_data()
    {
        QTest::addColumn<QByteArray>("schedule");
        QTest::addColumn<QStringList>("parts");
        QTest::newRow("circle")
            << QByteArray("schedule custom devices 2 microbatches 2 vocabulary none\n"
                          "0: F0 B0 F1 B1\n"
                          "1: F1 B1 F0 B0\n")
            << QStringList{QStringLiteral("after 1 of 8 passes"),
                           QStringLiteral("device 0 waits at position 1 (B0@0) for the gradient of B0@1 from device 1, "
                                          "which has it at position 3"),
                           QStringLiteral("device 1 waits at position 0 (F1@1) for the output of F1@0 from device 0, "
                                          "which has it at position 2")};
        QTest::newRow("missing") << QByteArray("schedule custom devices 2 microbatches 2 vocabulary none\n"
                                               "0: F0 F1 B0 B1\n"
                                               "1: F0 B0\n")
                                 << QStringList{QStringLiteral("after 5 of 6 passes"),
                                                QStringLiteral(
                                                    "device 0 waits at position 3 (B1@0) for the gradient of B1 from device 1, "
                                                    "which does not have that pass")};
        QTest::newRow("collective")
            << QByteArray("schedule custom devices 2 microbatches 2 vocabulary interlaced\n"
                          "0: EF0 EF1 F0 F1 S0 S1 B0 B1 EB0 EB1\n"
                          "1: EF0 EF1 F0 F1 S1 S0 B0 B1 EB0 EB1\n")
            << QStringList{QStringLiteral("device 0 waits at position 5 (T0@0) for the softmax statistics of S0@1 "
                                          "from device 1"),
                           QStringLiteral("device 1 waits at position 5 (T1@1) for the softmax statistics of S1@0 "
                                          "from device 0")};
    }
    void saysWhoWaitsForWhat()
    {
        QFETCH(QByteArray, schedule);
        QFETCH(QStringList, parts);
        for (const model::RunMode mode : {model::RunMode::Live, model::RunMode::VirtualClock}) {
            const QString error = errorOf(schedule.constData(), mode);
            for (const QString &part : parts)
                QVERIFY2(error.contains(part), qPrintable(error));
        }
    }

    void isSilentWhereAllGoesWell()
    {
        const char *const sound = "schedule custom devices 2 microbatches 2 vocabulary none\n"
                                  "0: F0 F1 B0 B1\n"
                                  "1: F0 B0 F1 B1\n";
        for (int i = 0; i < 50; ++i)
            QCOMPARE(errorOf(sound, model::RunMode::Live), QString());
        QCOMPARE(errorOf(sound, model::RunMode::VirtualClock), QString());
    }

    /// A bug: the plan marks a message as sent that never arrives.
    void aMessageThatNobodySends()
    {
        std::stop_source stop;
        const auto transport = backend::makeInProcessTransport(2, stop.get_token());
        transport->join(0);
        QVERIFY(!transport->receive(1, 0, {0, 0, 0}));
        QVERIFY(transport->isDeadlocked());
        QVERIFY(!stop.stop_requested());
    }
};

STAGELENS_TEST(Watchdog)

} // namespace integration_watchdog

#include "watchdog.moc"
