// Fitting hardware to a trace: known figures are found again, residuals are those of the passes.
#include "engine/service/predictions/trace_fit.h"
#include "engine/service/plans/schedule_plan.h"
#include "engine/simulate/simulate.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cmath>

namespace unit_service_trace_fit {

using namespace stagelens;
using service::TraceFit;

namespace {

model::Experiment planWith(const model::Hardware &hardware)
{
    model::Experiment experiment;
    experiment.model = *model::modelPreset("llama-3-8b");
    experiment.parallel.devices = 4;
    experiment.parallel.microbatches = 8;
    const auto shared = std::make_shared<const model::Hardware>(hardware);
    experiment.cost.source = model::HardwarePreset{shared->name, shared};
    return experiment;
}

/// The trace that a cluster with these figures would give, each pass off by `noise` in turn.
exchange::ImportedTrace traceOf(const model::Hardware &hardware, double noise = 0)
{
    const auto plan = service::planOf(planWith(hardware), 2);
    if (!plan)
        qFatal("%s", plan.error().text().c_str());
    const auto costs = simulate::makeCostModel(plan->experiment, plan->schedule);
    timeline::Timeline timeline = *simulate::simulate(plan->schedule, *costs);
    timeline.provenance = timeline::Provenance::Imported;
    int sign = 1;
    for (timeline::Lane &lane : timeline.lanes)
        for (std::size_t i = 0; i < lane.size(); ++i, sign = -sign)
            lane.end[i] = lane.begin[i] + std::llround(static_cast<double>(lane.end[i] - lane.begin[i]) * (1 + sign * noise));
    exchange::ImportedTrace trace;
    trace.schedule = plan->schedule;
    trace.steps = {timeline, timeline, timeline};
    return trace;
}

} // namespace

class ServiceTraceFit : public QObject {
    Q_OBJECT

private slots:
    void knownFiguresAreFoundAgain()
    {
        const model::Hardware preset = *model::hardwarePreset("h100-sxm");
        model::Hardware real = preset;
        real.name = "real";
        real.matrixEfficiency = 0.6;
        real.memoryBytesPerSecond = 1.7e12;
        const auto fit = service::fitTrace(planWith(preset), traceOf(real, 0.02));
        QVERIFY2(fit.ok(), fit.ok() ? "" : fit.error().text().c_str());
        QCOMPARE(fit->steps, std::size_t{2});
        QVERIFY2(std::abs(fit->hardware.matrixEfficiency / 0.6 - 1) < 0.08,
                 qPrintable(QString::number(fit->hardware.matrixEfficiency)));
        QCOMPARE(fit->passes.size(), std::size_t{2}); // F and B
        for (const service::PassResidual &pass : fit->passes) {
            QCOMPARE(pass.count, std::size_t{2 * 4 * 8});
            const double after = static_cast<double>(pass.after) / static_cast<double>(pass.measured) - 1;
            const double before = static_cast<double>(pass.before) / static_cast<double>(pass.measured) - 1;
            QVERIFY2(std::abs(after) < 0.03, qPrintable(QString::number(after)));
            QVERIFY2(std::abs(before) > 0.1, qPrintable(QString::number(before)));
            QVERIFY(pass.rms < 0.03);
        }
    }

    void aTraceOfTheSameFiguresChangesNothing()
    {
        const model::Hardware preset = *model::hardwarePreset("a100-80gb");
        const auto fit = service::fitTrace(planWith(preset), traceOf(preset));
        QVERIFY2(fit.ok(), fit.ok() ? "" : fit.error().text().c_str());
        QVERIFY(std::abs(fit->hardware.matrixEfficiency / preset.matrixEfficiency - 1) < 1e-6);
        QVERIFY(std::abs(fit->hardware.memoryBytesPerSecond / preset.memoryBytesPerSecond - 1) < 1e-6);
    }

    void tracesOfOtherPlansAreRefused()
    {
        const model::Hardware preset = *model::hardwarePreset("a100-80gb");
        const exchange::ImportedTrace trace = traceOf(preset);
        const auto refused = [&](auto change, const char *problem) {
            model::Experiment experiment = planWith(preset);
            change(experiment);
            const auto fit = service::fitTrace(experiment, trace);
            QVERIFY(!fit.ok());
            QVERIFY2(fit.error().text().find(problem) != std::string::npos, fit.error().text().c_str());
        };
        refused([](model::Experiment &e) { e.parallel.devices = 2; }, "trace: has 4 devices, and the plan has 2");
        refused([](model::Experiment &e) { e.parallel.microbatches = 4; }, "has 8 microbatches, and the plan has 4");
        refused([](model::Experiment &e) { e.schedule.family = "zb-v"; }, "has 4 stages, and the plan has 8");
        refused([](model::Experiment &e) { e.cost.source = model::UniformCosts{{{"F", 1}}, {}}; }, "cost: gives durations");
        refused([](model::Experiment &e) { e.schedule.vocabulary = model::VocabularyMethod::Vocab1; },
                "no names for; give the plan that was traced");
    }
};

STAGELENS_TEST(ServiceTraceFit)

} // namespace unit_service_trace_fit

#include "service/trace_fit.moc"
