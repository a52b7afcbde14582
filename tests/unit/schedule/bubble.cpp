// What the orders promise when they run without messages: the bubble and the microbatches in memory. Time is in integers, so
// that the bounds are exact.
#include "engine/schedule/families.h"
#include "tests/support/requirements.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace unit_schedule_bubble {

using namespace stagelens;
using namespace stagelens::schedule;

namespace {

using Costs = std::array<std::int64_t, kPassKindCount>;

/// F, B, S, T, U, EF, EB.
Costs costsOf(std::int64_t f, std::int64_t b, std::int64_t s, std::int64_t t, std::int64_t e)
{
    Costs costs{};
    costs[static_cast<std::size_t>(PassKind::F)] = f;
    costs[static_cast<std::size_t>(PassKind::B)] = b;
    costs[static_cast<std::size_t>(PassKind::S)] = s;
    costs[static_cast<std::size_t>(PassKind::T)] = t;
    costs[static_cast<std::size_t>(PassKind::EF)] = e;
    costs[static_cast<std::size_t>(PassKind::EB)] = e;
    return costs;
}

struct Outcome {
    bool finished = false;
    std::int64_t bubble = 0; ///< makespan less the work of the least busy device
};

/// Plays a schedule by polling, each pass as early as it can; nothing shared with engine/simulate.
Outcome play(const Schedule &schedule, const Costs &costs)
{
    const auto devices = static_cast<std::size_t>(schedule.devices());
    const auto microbatches = static_cast<std::size_t>(schedule.microbatches());
    std::vector<std::int64_t> ends(kPassKindCount * devices * microbatches, -1);
    const auto endOf = [&](PassKind kind, std::size_t stage, int microbatch) -> std::int64_t & {
        return ends[(static_cast<std::size_t>(kind) * devices + stage) * microbatches + static_cast<std::size_t>(microbatch)];
    };
    std::vector<std::size_t> next(devices);
    std::vector<std::int64_t> clock(devices);
    std::vector<std::int64_t> busy(devices);
    const auto readyAt = [&](const Pass &pass, std::int64_t begin) {
        for (const Requirement &needed : test::requirementsOf(schedule, pass)) {
            const std::size_t first = needed.allDevices ? 0 : needed.stage;
            const std::size_t last = needed.allDevices ? devices - 1 : needed.stage;
            for (std::size_t stage = first; stage <= last; ++stage) {
                const std::int64_t end = endOf(needed.kind, stage, pass.microbatch);
                if (end < 0)
                    return std::int64_t{-1};
                begin = std::max(begin, end);
            }
        }
        return begin;
    };
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t device = 0; device < devices; ++device) {
            const std::span<const Pass> passes = schedule.device(static_cast<int>(device));
            while (next[device] < passes.size()) {
                const Pass &pass = passes[next[device]];
                const std::int64_t begin = readyAt(pass, clock[device]);
                if (begin < 0)
                    break;
                const std::int64_t cost = costs[static_cast<std::size_t>(pass.kind)];
                clock[device] = endOf(pass.kind, device, pass.microbatch) = begin + cost;
                busy[device] += cost;
                ++next[device];
                moved = true;
            }
        }
    }
    Outcome outcome{true, *std::max_element(clock.begin(), clock.end()) - *std::min_element(busy.begin(), busy.end())};
    for (std::size_t device = 0; device < devices; ++device)
        outcome.finished = outcome.finished && next[device] == schedule.device(static_cast<int>(device)).size();
    return outcome;
}

} // namespace

class ScheduleBubble : public QObject {
    Q_OBJECT

private slots:
    void staysWithinFillAndDrain_data();
    void staysWithinFillAndDrain();
};

void ScheduleBubble::staysWithinFillAndDrain_data()
{
    QTest::addColumn<Costs>("costs");
    QTest::newRow("S T a quarter of F") << costsOf(100, 200, 25, 25, 0);
    QTest::newRow("with embedding") << costsOf(100, 200, 25, 25, 10);
    QTest::newRow("vocabulary heavier than layers") << costsOf(100, 200, 300, 400, 50);
    QTest::newRow("backward as long as forward") << costsOf(100, 100, 25, 25, 10);
    QTest::newRow("backward of five forwards") << costsOf(100, 500, 60, 20, 10);
}

void ScheduleBubble::staysWithinFillAndDrain()
{
    QFETCH(Costs, costs);
    const std::int64_t forward = costs[static_cast<std::size_t>(PassKind::F)];
    const std::int64_t backward = costs[static_cast<std::size_t>(PassKind::B)];
    model::Experiment experiment;
    experiment.cost.source = model::UniformCosts{{{"F", static_cast<double>(forward)}, {"B", static_cast<double>(backward)}}};
    for (const char *family : {"gpipe", "1f1b"}) {
        experiment.schedule.family = family;
        for (const auto method :
             {model::VocabularyMethod::None, model::VocabularyMethod::Vocab1, model::VocabularyMethod::Vocab2}) {
            experiment.schedule.vocabulary = method;
            for (const int devices : {1, 2, 3, 4, 8, 13, 16, 32}) {
                experiment.parallel.devices = devices;
                for (const int microbatches : {1, (devices + 1) / 2, devices, devices + 1, 2 * devices, 4 * devices, 64}) {
                    experiment.parallel.microbatches = microbatches;
                    const base::Result<Schedule> made = makeSchedule(experiment);
                    QVERIFY(made.ok());
                    const Outcome outcome = play(*made, costs);
                    const std::string plan = std::string(family) + ' ' + std::to_string(static_cast<int>(method)) + ": " +
                                             std::to_string(devices) + 'x' + std::to_string(microbatches);
                    QVERIFY2(outcome.finished, plan.c_str());
                    QVERIFY2(outcome.bubble <= (devices - 1) * (forward + backward),
                             (plan + " bubble " + std::to_string(outcome.bubble)).c_str());
                }
            }
        }
    }
}

STAGELENS_TEST(ScheduleBubble)

} // namespace unit_schedule_bubble

#include "schedule/bubble.moc"
