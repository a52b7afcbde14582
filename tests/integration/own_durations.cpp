// The virtual clock against a prediction from the durations that the same step measured.
#include "engine/runtime/training/training_run.h"
#include "engine/schedule/pass_index.h"
#include "tests/support/requirements.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>
#include <algorithm>
#include <cmath>

namespace integration_own_durations {

using namespace stagelens;
using model::VocabularyMethod;
using test::scheduleOf;

namespace {

/// A step's schedule with each pass as long as it was measured, messages taking no time or what they took: what the simulator
/// would predict if it took a duration for each pass and not for each kind of pass.
class Prediction {
public:
    enum Messages { TakeNoTime, AsMeasured };

    Prediction(const schedule::Schedule &schedule, const timeline::Timeline &measured, Messages messages)
        : m_schedule(schedule), m_index(schedule), m_end(schedule.passCount(), kNotYet)
    {
        const auto devices = static_cast<std::size_t>(schedule.devices());
        for (std::size_t device = 0; device < devices; ++device)
            for (std::size_t i = 0; i < schedule.device(static_cast<int>(device)).size(); ++i)
                m_index.add(schedule.device(static_cast<int>(device))[i], static_cast<int>(device), first(device) + i);
        std::vector<std::size_t> next(devices);
        std::vector<base::Nanos> now(devices);
        for (std::size_t done = 0, before = 1; done != before;) { // until nothing more can run
            before = done;
            for (std::size_t device = 0; device < devices; ++device) {
                const auto passes = schedule.device(static_cast<int>(device));
                const timeline::Lane &lane = measured.lanes[device];
                for (base::Nanos ready = 0; next[device] < passes.size(); ++next[device], ++done) {
                    ready = readyTime(passes[next[device]]);
                    if (ready == kNotYet)
                        break;
                    const base::Nanos begin = lane.begin[next[device]];
                    const base::Nanos duration = lane.end[next[device]] - begin;
                    now[device] = std::max(now[device], ready);
                    if (messages == AsMeasured)
                        now[device] = std::max(now[device], begin);
                    now[device] += duration;
                    m_end[first(device) + next[device]] = now[device];
                    m_busy += static_cast<double>(duration);
                }
            }
        }
        m_makespan = std::ranges::max(now);
    }

    [[nodiscard]] double bubble() const
    {
        return 1 - m_busy / (static_cast<double>(m_schedule.devices()) * static_cast<double>(m_makespan));
    }

private:
    static constexpr base::Nanos kNotYet = -1;

    [[nodiscard]] std::size_t first(std::size_t device) const { return m_schedule.firstIndex(static_cast<int>(device)); }
    [[nodiscard]] base::Nanos readyTime(const schedule::Pass &pass) const
    {
        base::Nanos ready = 0;
        for (const schedule::Requirement &need : test::requirementsOf(m_schedule, pass)) {
            const int last = need.allDevices ? m_schedule.devices() - 1 : need.stage;
            for (int unit = need.allDevices ? 0 : need.stage; unit <= last; ++unit) {
                const std::uint32_t number = m_index.at(need.kind, unit, pass.microbatch);
                const base::Nanos end = number == schedule::PassIndex::kAbsent ? kNotYet : m_end[number];
                if (end == kNotYet)
                    return kNotYet;
                ready = std::max(ready, end);
            }
        }
        return ready;
    }

    const schedule::Schedule &m_schedule;
    schedule::PassIndex m_index;
    std::vector<base::Nanos> m_end;
    double m_busy = 0;
    base::Nanos m_makespan = 0;
};

double bubbleOf(const timeline::Timeline &timeline)
{
    double busy = 0;
    base::Nanos makespan = 0;
    for (const timeline::Lane &lane : timeline.lanes) {
        for (std::size_t i = 0; i < lane.size(); ++i)
            busy += static_cast<double>(lane.end[i] - lane.begin[i]);
        makespan = std::max(makespan, lane.end.back());
    }
    return 1 - busy / (static_cast<double>(timeline.lanes.size()) * static_cast<double>(makespan));
}

} // namespace

class OwnDurations : public QObject {
    Q_OBJECT

private slots:
    /// Eight devices, whatever the machine has. How little the messages add is for tests/bench/modes.sh.
    void bubbleIsWhatItsPassesMake_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("method");
        QTest::newRow("1f1b none") << QString("1f1b") << static_cast<int>(VocabularyMethod::None);
        QTest::newRow("1f1b vocab-1") << QString("1f1b") << static_cast<int>(VocabularyMethod::Vocab1);
        QTest::newRow("1f1b vocab-2") << QString("1f1b") << static_cast<int>(VocabularyMethod::Vocab2);
        QTest::newRow("zb-h1 none") << QString("zb-h1") << static_cast<int>(VocabularyMethod::None);
    }
    void bubbleIsWhatItsPassesMake()
    {
        QFETCH(QString, family);
        QFETCH(int, method);
        auto experiment = test::tinyExperiment(family.toStdString(), static_cast<VocabularyMethod>(method), 8, 12);
        experiment.model.hidden = 64;
        experiment.model.ffn = 256;
        experiment.model.sequence = 64;
        experiment.model.vocabularySize = 1024;
        experiment.training.steps = 2;
        const auto schedule = scheduleOf(experiment);
        int steps = 0;
        const auto compare = [&](const runtime::StepReport &report) {
            const double bubble = bubbleOf(*report.timeline);
            const double predicted = Prediction(schedule, *report.timeline, Prediction::TakeNoTime).bubble();
            qInfo("bubble %.4f, predicted from its passes %.4f", bubble, predicted);
            // No pass began before what it needs had ended, and nothing but hand-over was added.
            QCOMPARE(bubble, Prediction(schedule, *report.timeline, Prediction::AsMeasured).bubble());
            QVERIFY(bubble > predicted - 1e-9);
            ++steps;
        };
        QVERIFY(runtime::train(experiment, schedule, {}, {compare, {}}, {}).ok());
        QCOMPARE(steps, 2);
    }
};

STAGELENS_TEST(OwnDurations)

} // namespace integration_own_durations

#include "own_durations.moc"
