// The order `best` is never longer than the published one, whatever the passes and messages cost.
#include "engine/base/random.h"
#include "engine/schedule/check/validator.h"
#include "engine/simulate/planned_schedule.h"
#include "tests/support/random_plans.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace property_vocabulary_best {

using namespace stagelens;
using base::Nanos;

namespace {

constexpr int kRounds = 80;

/// The iteration of a plan; nothing where the family refuses it.
std::optional<Nanos> iterationOf(model::Experiment experiment, model::VocabularyOrder order)
{
    experiment.schedule.vocabularyOrder = order;
    const auto schedule = simulate::plannedSchedule(experiment);
    if (!schedule || !schedule::findViolations(*schedule, 1).empty())
        return std::nullopt;
    const auto costs = simulate::makeCostModel(experiment, *schedule);
    const auto timeline = simulate::simulate(*schedule, *costs);
    return timeline ? std::optional(timeline->iteration()) : std::nullopt;
}

} // namespace

class VocabularyBest : public QObject {
    Q_OBJECT

private slots:
    void isNeverLongerThanPublished()
    {
        const auto seed = static_cast<std::uint64_t>(QDateTime::currentMSecsSinceEpoch());
        qInfo() << "seed" << seed;
        base::Random random(seed);
        const auto families = schedule::families();
        int shorter = 0;
        for (int round = 0; round < kRounds; ++round) {
            const auto family = random.nextInteger(0, static_cast<std::int64_t>(families.size()) - 1);
            std::map<std::string, double> times;
            for (const char *word : {"F", "I", "W", "S", "T", "U", "EF", "EB", "send", "c0", "c1", "c2"})
                times[word] = static_cast<double>(random.nextInteger(0, 20)) / 10;
            const model::Experiment experiment = test::teachingExperiment(
                std::string(families[static_cast<std::size_t>(family)].name), static_cast<int>(random.nextInteger(1, 6)),
                static_cast<int>(random.nextInteger(1, 16)),
                static_cast<model::VocabularyMethod>(random.nextInteger(static_cast<int>(model::VocabularyMethod::Naive),
                                                                        static_cast<int>(model::VocabularyMethod::Vocab2))),
                std::move(times));
            const auto published = iterationOf(experiment, model::VocabularyOrder::Published);
            const auto best = iterationOf(experiment, model::VocabularyOrder::Best);
            QCOMPARE(best.has_value(), published.has_value());
            if (!best)
                continue;
            QVERIFY(*best <= *published);
            shorter += *best < *published ? 1 : 0;
        }
        QVERIFY(shorter > 0);
    }
};

STAGELENS_TEST(VocabularyBest)

} // namespace property_vocabulary_best

#include "vocabulary_best.moc"
