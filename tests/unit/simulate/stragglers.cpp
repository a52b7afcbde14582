// The what-if analysis of measured jobs: replays against closed forms, an independent generator and hand-made steps.
#include "engine/base/random.h"
#include "engine/exchange/stragglers/straggler_trace.h"
#include "engine/schedule/families.h"
#include "engine/simulate/stragglers/job_replay.h"
#include "engine/simulate/stragglers/straggler_report.h"
#include "tests/support/simulate_support.h"
#include "tests/support/straggler_csv.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <cmath>
#include <numeric>

namespace unit_simulate_stragglers {

using namespace stagelens;
using schedule::Pass;
using schedule::PassKind;

namespace {

exchange::StragglerTrace imported(const std::string &csv)
{
    auto trace = exchange::importStragglers(exchange::TraceText{"job.csv", csv});
    if (!trace)
        qFatal("%s", trace.error().text().c_str());
    return *std::move(trace);
}

simulate::StragglerReport analysed(const simulate::MeasuredJob &job)
{
    const auto report = simulate::analyseStragglers(job);
    if (!report)
        qFatal("%s", report.error().text().c_str());
    return *report;
}

schedule::Schedule oneForwardOneBackward(int devices, int microbatches)
{
    return test::predicted(
               test::teachingExperiment("1f1b", devices, microbatches, model::VocabularyMethod::None, {{"F", 1}, {"B", 2}}))
        .schedule;
}

/// Of 1F1B with m >= p in which device r takes `sigma` times as long, as in tests/property/slow_device.cpp.
double oneSlowDevice(double p, double m, double r, double forward, double backward, double sigma)
{
    const double both = forward + backward;
    const double delayed = (m + p - 1) * both + (sigma - 1) * both * (m - (p - 1 - r));
    const double busy = sigma * m * both + r * both + (p - 1 - r) * std::max(0.0, both - sigma * forward);
    return std::max(delayed, busy);
}

bool isNear(double found, double expected, double tolerance = 1e-9)
{
    if (std::abs(found - expected) <= tolerance * std::abs(expected))
        return true;
    qWarning("found %.12g, expected %.12g", found, expected);
    return false;
}

} // namespace

class SimulateStragglers : public QObject {
    Q_OBJECT

private slots:
    /// A job from the simulator, through the CSV and back.
    void oneSlowDeviceHasAClosedForm_data()
    {
        QTest::addColumn<int>("devices");
        QTest::addColumn<int>("microbatches");
        QTest::addColumn<int>("slow");
        QTest::addColumn<double>("sigma");
        for (const int slow : {0, 1, 2, 3})
            QTest::addRow("4 devices, %d slow", slow) << 4 << 8 << slow << 1.5;
        QTest::newRow("8 devices, the last slow") << 8 << 24 << 7 << 1.25;
        QTest::newRow("2 devices, much slower") << 2 << 2 << 0 << 4.0;
    }
    void oneSlowDeviceHasAClosedForm()
    {
        QFETCH(int, devices);
        QFETCH(int, microbatches);
        QFETCH(int, slow);
        QFETCH(double, sigma);
        model::Experiment experiment =
            test::teachingExperiment("1f1b", devices, microbatches, model::VocabularyMethod::None, {{"F", 20}, {"B", 40}});
        experiment.whatIf.slow = fmt::format("{}={}", slow, sigma);
        const test::Plan plan = test::predicted(experiment);
        std::string csv = test::stragglerHeader();
        for (int step = 0; step < 3; ++step)
            csv += test::stragglerRows(plan.timeline, 0, 10 + step, 1e9 * (17 + 5 * step));
        const exchange::StragglerTrace trace = imported(csv);
        QCOMPARE(trace.steps.size(), std::size_t{3});
        QCOMPARE(trace.steps[2].lanes[1].begin, plan.timeline.lanes[1].begin);
        const simulate::StragglerReport report = analysed(trace.job);

        const double p = devices;
        const double m = microbatches;
        const auto step = [&](double factor) { return oneSlowDevice(p, m, slow, 20e6, 40e6, factor); };
        const double mean = (p - 1 + sigma) / p;
        const double ideal = (m + p - 1) * 60e6 * mean;
        QVERIFY(isNear(report.measured, step(sigma)));
        QVERIFY(isNear(report.actual, step(sigma)));
        QVERIFY(isNear(report.ideal, ideal));
        QVERIFY(isNear(report.slowdown, step(sigma) / ideal));
        // Fixed, the slow device takes the mean, and the others what they took.
        const simulate::StragglerPart &fixed = report.devices[static_cast<std::size_t>(slow)];
        QVERIFY(isNear(fixed.fixed, step(mean)));
        QVERIFY(isNear(fixed.recovered.value_or(0), (step(sigma) - step(mean)) / (step(sigma) - ideal)));
        QCOMPARE(report.lastDeviceRecovered().has_value(), true);
        if (slow == devices - 1)
            QVERIFY(isNear(*report.lastDeviceRecovered(), fixed.recovered.value_or(0)));
        // The one replica holds every worker.
        QVERIFY(isNear(report.replicas[0].fixed, ideal));
        QVERIFY(isNear(report.replicas[0].slowdown, report.slowdown));
        QCOMPARE(report.slowestWorkers, std::size_t{1});
        QCOMPARE(report.workers.front().device, slow);
        QVERIFY(isNear(report.workers.front().part.fixed, fixed.fixed));
        QVERIFY(isNear(report.slowestRecovered.value_or(0), fixed.recovered.value_or(0)));
        QCOMPARE(report.steps.size(), std::size_t{3});
        QCOMPARE(report.steps[1].number, std::int64_t{11});
        QVERIFY(isNear(report.steps[1].ideal, ideal));
    }

    /// Nothing is lost if all is equal: there is no share to recover.
    void equalWorkersLoseNothing()
    {
        const test::Plan plan =
            test::predicted(test::teachingExperiment("gpipe", 3, 4, model::VocabularyMethod::None, {{"F", 10}, {"B", 20}}));
        const auto report = analysed(imported(test::stragglerHeader() + test::stragglerRows(plan.timeline, 0, 0, 0)).job);
        QVERIFY(isNear(report.slowdown, 1));
        QVERIFY(!report.lastDeviceRecovered() && !report.slowestRecovered);
        for (const simulate::StragglerPart &device : report.devices)
            QVERIFY(isNear(device.slowdown, 1) && isNear(device.fixed, report.actual) && !device.recovered);
    }

    /// The shape of the artifact's job ST (PP 4, DP 2, a slow last stage), generated: 1F1B, noise of 1 %, every operation.
    void slowLastStageOfTwoReplicas()
    {
        constexpr double kForward = 30e6;
        constexpr double kExtra = 0.33; // of the last stage
        constexpr int kMicrobatches = 16;
        base::Random random(5);
        test::GeneratedJob job;
        job.schedule = oneForwardOneBackward(4, kMicrobatches);
        job.replicas = 2;
        job.steps = 32;
        job.duration = [&random](int, int, int device, const Pass &pass) {
            const double noise = 0.98 + 0.04 * random.nextUniform();
            return (pass.kind == PassKind::F ? kForward : 2 * kForward) * (device == 3 ? 1 + kExtra : 1) * noise;
        };
        job.message = 200e3;
        job.gather = 5e6;
        job.reduce = 20e6;
        job.embedding = 3e6;
        job.clip = 1e6;
        job.optimizer = 8e6;
        test::JobGenerator generator(job);
        const exchange::StragglerTrace trace = imported(generator.csv());
        QCOMPARE(trace.job.replicas, 2);
        QCOMPARE(trace.skewedMessages, std::size_t{0});
        const auto report = analysed(trace.job);
        const double generated = std::accumulate(generator.steps.begin(), generator.steps.end(), 0.0) / 32;
        QVERIFY(isNear(report.measured, generated, 1e-7));
        QVERIFY(isNear(report.actual, generated, 1e-6)); // starts are written to the nanosecond
        for (std::size_t step = 0; step < report.steps.size(); ++step)
            QVERIFY(isNear(report.steps[step].actual, generator.steps[step], 1e-6));
        // Noise and messages are small, so a step takes about the time of the closed form and that of the other operations.
        const double beside = 5e6 + 20e6 + 3e6 + 1e6 + 8e6;
        const double mean = (3 + 1 + kExtra) / 4;
        const double ideal = (kMicrobatches + 3) * 3 * kForward * mean + beside;
        const double fixed = oneSlowDevice(4, kMicrobatches, 3, kForward, 2 * kForward, mean) + beside;
        const double actual = oneSlowDevice(4, kMicrobatches, 3, kForward, 2 * kForward, 1 + kExtra) + beside;
        QVERIFY(isNear(report.actual, actual, 0.02));
        QVERIFY(isNear(report.ideal, ideal, 0.005));
        QVERIFY(isNear(report.devices[3].fixed, fixed, 0.02));
        QVERIFY(isNear(report.slowdown, actual / ideal, 0.02));
        // As in ST: fixing the last stage takes its extra work away, which the ideal step only spreads.
        QVERIFY(report.devices[3].fixed < report.ideal);
        QVERIFY2(*report.lastDeviceRecovered() > 1 && *report.lastDeviceRecovered() < 1.2,
                 qPrintable(QString::number(*report.lastDeviceRecovered())));
        QVERIFY(report.devices[3].slowdown > 1.15 && report.devices[1].slowdown < 1);
        // One worker of eight is not enough: the other replica's last stage still delays all.
        QCOMPARE(report.slowestWorkers, std::size_t{1});
        QCOMPARE(report.workers.front().device, 3);
        QVERIFY(*report.slowestRecovered > 0 && *report.slowestRecovered < 0.2);
        QVERIFY(isNear(*report.evened[static_cast<std::size_t>(simulate::JobOperation::ForwardTransfer)], 200e3, 1e-3));
        QVERIFY(isNear(*report.evened[static_cast<std::size_t>(simulate::JobOperation::ReduceGradients)], 20e6, 1e-3));
    }

    /// Whatever the order, messages and operations: the replay takes as long as the generator did.
    void replaysAreTheGeneratedSteps()
    {
        base::Random random(11);
        for (const char *family : {"1f1b", "gpipe", "interleaved-1f1b", "1f1b-v"}) {
            model::Experiment experiment =
                test::teachingExperiment(family, 4, 8, model::VocabularyMethod::None, {{"F", 1}, {"B", 2}});
            if (std::string(family) != "1f1b" && std::string(family) != "gpipe") {
                experiment.model.layers = 8;
                experiment.schedule.chunks = 2;
                experiment.parallel.stageLayers.assign(8, 1);
            }
            const auto schedule = schedule::makeSchedule(experiment);
            QVERIFY2(schedule.ok(), schedule ? "" : schedule.error().text().c_str());
            test::GeneratedJob job;
            job.schedule = *schedule;
            job.replicas = 3;
            job.steps = 4;
            job.duration = [&random](int, int, int, const Pass &) {
                return 1e6 * static_cast<double>(random.nextInteger(1, 50));
            };
            // The rows of messages do not name chunks, so only plans of one chunk have them here.
            job.message = schedule->stages() == 4 ? 1e6 : 0;
            job.gather = schedule->stages() == 4 ? 3e6 : 0;
            job.reduce = 7e6;
            job.clip = 2e6;
            job.optimizer = 1e6;
            test::JobGenerator generator(job);
            std::string csv = generator.csv();
            if (std::string(family) == "1f1b-v") // its second chunks run back: chunk 1 of device d is stage 7 - d
                csv = withGlobalChunks(csv);
            const auto report = analysed(imported(csv).job);
            for (std::size_t step = 0; step < 4; ++step)
                QVERIFY2(isNear(report.steps[step].actual, generator.steps[step]), family);
        }
    }

    /// What is kept of one evening for the next does not change it.
    void reusedReplaysAreNewOnes()
    {
        base::Random random(3);
        test::GeneratedJob job;
        job.schedule = oneForwardOneBackward(3, 4);
        job.replicas = 4;
        job.steps = 3;
        job.duration = [&random](int, int, int, const Pass &) { return 1e6 * static_cast<double>(random.nextInteger(1, 9)); };
        job.message = 1e6;
        job.gather = 1e6;
        job.reduce = 1e6;
        job.optimizer = 1e6;
        test::JobGenerator generator(job);
        simulate::MeasuredJob measured = imported(generator.csv()).job;
        for (double &duration : measured.durations)
            duration *= 0.5 + random.nextUniform(); // gathers and reductions, too
        auto reused = simulate::JobReplay::of(measured);
        QVERIFY(reused.ok());
        const std::vector<std::size_t> workers{1, 5, 9};
        for (int round = 0; round < 300; ++round) {
            simulate::Evening evening;
            evening.scope = static_cast<simulate::Evening::Scope>(random.nextInteger(0, 4));
            evening.index = static_cast<std::size_t>(random.nextInteger(0, 2));
            evening.workers = workers;
            evening.isInverted = random.nextInteger(0, 1) == 1;
            if (random.nextInteger(0, 2) == 0)
                evening.operations = static_cast<unsigned long long>(random.nextInteger(0, 4095));
            const auto step = static_cast<std::size_t>(random.nextInteger(0, 2));
            auto fresh = simulate::JobReplay::of(measured);
            QVERIFY(fresh.ok());
            QCOMPARE(reused->run(step, evening), fresh->run(step, evening));
        }
    }

    /// Two workers of two replicas, by hand: reductions that overlap the passes wait for the last backward of their stage in
    /// both replicas, and what is left for afterwards follows.
    void overlappedReductionsByHand()
    {
        std::string csv = test::stragglerHeader();
        const auto add = [&csv](int replica, const std::string &operation, double start, double duration, int microbatch = -1) {
            csv += test::stragglerRow(replica, 0, 0, operation, start * 1e6, duration * 1e6, microbatch);
        };
        for (const int replica : {0, 1}) {
            const double slower = replica == 1 ? 10 : 0;
            add(replica, "params-all-gather", 0, 5);
            add(replica, "forward-compute", 5, 10, 0);
            add(replica, "backward-compute", 15, 20 + slower, 0);
            add(replica, "grads-reduce-scatter", 35 + slower, 12 - slower);
            add(replica, "gc", 35 + slower, 1);
            add(replica, "layernorm-grads-all-reduce", 47, 2);
            add(replica, "separate-grads-all-reduce", 49, 3);
            add(replica, "optimizer-clip-main-grad", 52, 1);
            add(replica, "optimizer", 53, 4);
        }
        const auto trace = imported(csv);
        const auto report = analysed(trace.job);
        QVERIFY(isNear(report.measured, 57e6));
        // Gather 5, forward 10, backward 30 of replica 1, reduction 2 (its own part after both began), norms 2, separate 3,
        // clip 1, optimizer 4.
        QVERIFY(isNear(report.actual, 57e6));
        // The backward lasts 25 in both.
        QVERIFY(isNear(report.ideal, 52e6));
        QVERIFY(isNear(report.replicas[1].fixed, 52e6));
        QVERIFY(isNear(report.replicas[1].recovered.value_or(0), 1));
        QVERIFY(isNear(report.replicas[0].fixed, 57e6));
        const auto &backward = report.operations[static_cast<std::size_t>(simulate::JobOperation::Backward)];
        QVERIFY(backward && isNear(backward->recovered.value_or(0), 1) && isNear(backward->slowdown, 57.0 / 52));
        const auto &optimizer = report.operations[static_cast<std::size_t>(simulate::JobOperation::Optimize)];
        QVERIFY(optimizer && isNear(optimizer->fixed, 57e6) && isNear(optimizer->slowdown, 1));
        QVERIFY(!report.operations[static_cast<std::size_t>(simulate::JobOperation::ForwardTransfer)]);
    }

    void medianOfTransfersMeanOfPasses()
    {
        simulate::MeasuredJob job;
        job.entries = {{simulate::JobOperation::Forward, 0, 0}, {simulate::JobOperation::ForwardTransfer, 0, 0}};
        job.durations = {1, 10, 2, 20, 9, 600, 4, 40};
        const auto evened = simulate::evenedDurations(job);
        QCOMPARE(*evened[0], 4.0);
        QCOMPARE(*evened[2], 30.0); // the mean of the two in the middle
        QVERIFY(!evened[1]);
    }

    void stopsAtOnce()
    {
        const test::Plan plan =
            test::predicted(test::teachingExperiment("1f1b", 2, 2, model::VocabularyMethod::None, {{"F", 10}, {"B", 20}}));
        const auto trace = imported(test::stragglerHeader() + test::stragglerRows(plan.timeline, 0, 0, 0));
        std::stop_source source;
        source.request_stop();
        const auto report = simulate::analyseStragglers(trace.job, source.get_token());
        QVERIFY(!report && report.error().kind == base::ErrorKind::Cancelled);
        double last = 0;
        bool isAscending = true;
        const auto told = simulate::analyseStragglers(trace.job, {}, [&](double share) {
            isAscending = isAscending && share >= last;
            last = share;
        });
        QVERIFY(told.ok() && isAscending);
        QCOMPARE(last, 1.0);
    }

private:
    /// Fills the column gmc of a placement that runs down and back.
    static std::string withGlobalChunks(const std::string &csv)
    {
        std::string filled;
        for (const std::string_view line : base::split(csv, '\n')) {
            auto cells = base::split(line, ',');
            std::vector<std::string> words(cells.begin(), cells.end());
            if (words.size() == 11 && words[1] != "stage") {
                const int device = std::stoi(words[1]);
                words[9] = std::to_string(words[8] == "0" ? device : 7 - device);
            }
            filled += base::join(words, ",") + "\n";
        }
        return filled;
    }
};

STAGELENS_TEST(SimulateStragglers)

} // namespace unit_simulate_stragglers

#include "simulate/stragglers.moc"
