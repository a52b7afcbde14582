// The output layer on a part of the tokens at a time, for random plans that train: loss and gradients of whole logits within
// 1e-7 and 1e-6, and the memory that was planned.
#include "engine/base/random.h"
#include "engine/model/capabilities.h"
#include "engine/model/names.h"
#include "engine/model/schema.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/trained.h"

#include <QtTest>
#include <cmath>
#include <fmt/format.h>

namespace property_chunked_logits {

using namespace stagelens;
using base::Random;
using model::VocabularyMethod;
using test::scheduleOf;

namespace {

constexpr int kPlans = test::kIsSanitized ? 8 : 60;

Random seeded()
{
    bool isGiven = false;
    const std::uint64_t given = qEnvironmentVariable("STAGELENS_SEED").toULongLong(&isGiven);
    const auto seed = isGiven ? given : static_cast<std::uint64_t>(QDateTime::currentMSecsSinceEpoch());
    qInfo("seed %llu (STAGELENS_SEED repeats it)", static_cast<unsigned long long>(seed));
    return Random(seed);
}

/// A plan of any family of whole sequences, with whole logits.
model::Experiment anyPlan(Random &random)
{
    const auto plans = test::allPlans();
    const auto &[family, method] =
        plans[static_cast<std::size_t>(random.nextInteger(0, static_cast<std::int64_t>(plans.size()) - 1))];
    auto experiment = test::smallExperiment(family, method, 2, static_cast<int>(random.nextInteger(2, 6)));
    if (random.nextInteger(0, 2) == 0)
        experiment = test::asLlama(experiment, 1);
    experiment.model.sequence = 4 * static_cast<int>(random.nextInteger(1, 4));
    experiment.model.vocabularySize = static_cast<int>(random.nextInteger(20, 200));
    experiment.model.tied = random.nextInteger(0, 1) == 0;
    experiment.parallel.microbatchSize = static_cast<int>(random.nextInteger(1, 3));
    experiment.parallel.tensor = random.nextInteger(0, 3) == 0 ? 2 : 1;
    experiment.parallel.sequenceParallel = random.nextInteger(0, 1) == 0;
    experiment.parallel.context = random.nextInteger(0, 3) == 0 ? 2 : 1;
    experiment.parallel.replicas = random.nextInteger(0, 3) == 0 ? 2 : 1;
    if (!schedule::findFamily(family)->synchronous) // its weights change within a step, in which other ranks sum
        experiment.parallel.tensor = experiment.parallel.context = experiment.parallel.replicas = 1;
    experiment.training.mode = random.nextInteger(0, 1) == 0 ? model::RunMode::Live : model::RunMode::VirtualClock;
    experiment.training.seed = random.next();
    experiment.training.steps = 1;
    return experiment;
}

struct Step {
    double loss = 0;
    std::vector<float> gradients;
    bool arePeaksPredicted = true;
};

/// Returns whether the peaks of a device are those predicted, but for what depends on timing: messages, and versions of
/// weights.
bool arePeaksPredicted(const model::Experiment &experiment, const schedule::Schedule &schedule,
                       const runtime::StepReport &report, int device)
{
    const auto predicted = simulate::memoryPeak(experiment, schedule, *report.timeline, device).byCategory;
    const auto &measured = report.peakMemory[static_cast<std::size_t>(device)];
    for (std::size_t i = 0; i < measured.size(); ++i)
        if (i != backend::kMessages && (i > 0 || schedule.isSynchronous()) && measured[i] != predicted[i])
            return false;
    return true;
}

Step stepOf(const model::Experiment &experiment)
{
    const schedule::Schedule schedule = scheduleOf(experiment);
    const bool hasOneRail = experiment.parallel.tensor * experiment.parallel.gradientRanks() == 1;
    Step step;
    const auto note = [&](const runtime::StepReport &report) {
        step.loss = report.loss;
        for (int device = 0; hasOneRail && device < 2; ++device)
            step.arePeaksPredicted = step.arePeaksPredicted && arePeaksPredicted(experiment, schedule, report, device);
    };
    if (const auto trained = runtime::train(experiment, schedule, {}, {note, {}}, {}); !trained)
        qFatal("%s", trained.error().text().c_str());
    step.gradients = test::gradientsOf(experiment, schedule);
    return step;
}

} // namespace

class ChunkedLogits : public QObject {
    Q_OBJECT

private slots:
    void trainAsWholeLogits()
    {
        Random random = seeded();
        int trained = 0;
        for (int round = 0; round < kPlans; ++round) {
            const auto plan = anyPlan(random);
            const int tokens = plan.parallel.microbatchSize * plan.model.sequence / plan.parallel.context;
            auto chunked = plan;
            const auto chunks = random.nextInteger(1, tokens);
            const model::Field &field = model::schemaField("schedule.vocabulary_kind");
            QCOMPARE(model::edit(chunked, field, fmt::format("chunked={}", chunks)), std::string());
            if (!model::validate(chunked).empty() || !model::unsupported(chunked, model::Use::Run).empty())
                continue;
            ++trained;
            const Step whole = stepOf(plan);
            const Step parts = stepOf(chunked);
            const double found = test::relativeDifference(parts.gradients, whole.gradients);
            const std::string what = fmt::format("round {}: {} {}, {} chunks of {} tokens: loss {} {}, gradients {:.2e}", round,
                                                 plan.schedule.family, model::name(plan.schedule.vocabulary), chunks, tokens,
                                                 whole.loss, parts.loss, found);
            QVERIFY2(std::abs(parts.loss - whole.loss) < 1e-7 * whole.loss, what.c_str());
            QVERIFY2(found < 1e-6, what.c_str());
            QVERIFY2(whole.arePeaksPredicted && parts.arePeaksPredicted, what.c_str());
        }
        QVERIFY2(trained > kPlans / 2, std::to_string(trained).c_str());
    }

    void countsOutsideTheTokensAreRefused()
    {
        Random random = seeded();
        for (int round = 0; round < kPlans; ++round) {
            auto plan = anyPlan(random);
            const int tokens = plan.parallel.microbatchSize * plan.model.sequence / plan.parallel.context;
            plan.schedule.vocabularyKind = model::VocabularyKind::Chunked;
            plan.schedule.logitChunks = tokens + static_cast<int>(random.nextInteger(1, 1000));
            const base::Problems problems = model::validate(plan);
            const auto found = std::ranges::find(problems, "schedule.vocabulary_kind", &base::Problem::field);
            QVERIFY(found != problems.end());
            QVERIFY(found->message.find(fmt::format("choose chunked={} ", tokens)) != std::string::npos);
        }
    }
};

STAGELENS_TEST(ChunkedLogits)

} // namespace property_chunked_logits

#include "chunked_logits.moc"
