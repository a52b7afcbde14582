// Random asynchronous plans of several steps: the weight version of every pass follows the rule of its family, and so does how
// stale its gradient is, whether they are computed from the family's formula or from the order of the passes.
#include "engine/base/random.h"
#include "engine/schedule/check/validator.h"
#include "engine/schedule/families.h"
#include "engine/schedule/text_form.h"
#include "engine/schedule/weight_versions.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>
#include <fmt/format.h>
#include <random>

namespace property_iterations {

using namespace stagelens;
using namespace stagelens::schedule;

class Iterations : public QObject {
    Q_OBJECT

private slots:
    void versionsFollowTheRule();
};

void Iterations::versionsFollowTheRule()
{
    const auto seed = static_cast<unsigned>(qEnvironmentVariableIntValue("STAGELENS_SEED", nullptr));
    const unsigned used = seed != 0 ? seed : std::random_device{}();
    qInfo("STAGELENS_SEED=%u", used);
    std::mt19937 random(used);
    const auto draw = [&random](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
    for (int turn = 0; turn < 200; ++turn) {
        model::Experiment experiment;
        const bool isBuffered = turn % 2 != 0;
        const int devices = draw(1, 9);
        const int microbatches = draw(isBuffered ? devices : 1, 20);
        const int iterations = draw(1, 6);
        experiment.parallel.devices = devices;
        experiment.parallel.microbatches = microbatches;
        experiment.schedule.family = isBuffered ? "pipedream-2bw" : "pipedream";
        experiment.schedule.iterations = iterations;
        const std::string what = fmt::format("seed {}, turn {}: {} {}x{}x{}", used, turn, experiment.schedule.family, devices,
                                             microbatches, iterations);
        const auto made = makeSchedule(experiment);
        QVERIFY2(made.ok(), what.c_str());
        QCOMPARE(made->iterations(), iterations);
        QCOMPARE(made->microbatches(), iterations * microbatches);
        QVERIFY2(findViolations(*made).empty(), what.c_str());
        const auto read = scheduleFromText(toText(*made));
        QVERIFY2(read.ok() && *read == *made, what.c_str());
        const auto versions = weightVersionsUsed(*made);
        for (int device = 0; device < devices; ++device) {
            int backwards = 0;
            for (const Pass &pass : made->device(device)) {
                const int version = versions[pass.stage][static_cast<std::size_t>(pass.microbatch)];
                const int step = pass.microbatch / microbatches;
                const int later = devices - 1 - pass.stage; // stages after this one
                QVERIFY2(version == (isBuffered ? std::max(0, step - 1) : std::max(0, pass.microbatch - later)), what.c_str());
                // The version exists when it is read, and is the newest or the one before with double buffering.
                const int updates = isBuffered ? backwards / microbatches : backwards;
                QVERIFY2(version <= updates && (!isBuffered || updates - version <= 1), what.c_str());
                if (pass.kind != PassKind::B) {
                    QVERIFY2(isBuffered || version == updates, what.c_str());
                    continue;
                }
                // The gradient of this pass makes the update after as many as there are microbatches, or steps, before it.
                const int stale = (isBuffered ? step : pass.microbatch) - version;
                QVERIFY2(stale <= (isBuffered ? 1 : later), what.c_str());
                QVERIFY2(stale == (isBuffered ? std::min(step, 1) : std::min(pass.microbatch, later)), what.c_str());
                ++backwards;
            }
            QCOMPARE(backwards, made->microbatches());
        }
    }
}

STAGELENS_TEST(Iterations)

} // namespace property_iterations

#include "iterations.moc"
