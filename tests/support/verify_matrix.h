// Every schedule family under every vocabulary method and several numbers of devices, verified.
#pragma once

#include "engine/model/capabilities.h"
#include "engine/model/names.h"
#include "engine/runtime/state/parameters.h"
#include "engine/runtime/training/training_run.h"
#include "engine/schedule/families.h"
#include "tests/support/sanitized.h"
#include "tests/support/tiny_model.h"
#include "tests/support/trained.h"

#include <QtTest>
#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace stagelens::test {

/// A plan of the matrix; its place there chooses what else differs: model family, microbatches, their size and the mode.
inline model::Experiment matrixExperiment(const std::string &family, model::VocabularyMethod method, int devices, bool tied,
                                          int turn)
{
    const int microbatches = family == "pipedream-2bw" ? devices + turn % 3 : 1 + turn % 9;
    model::Experiment experiment = smallExperiment(family, method, devices, microbatches);
    if (turn % 4 == 3)
        experiment = asLlama(experiment, 1);
    experiment.model.tied = tied;
    experiment.parallel.microbatchSize = 1 + turn % 2;
    experiment.training.mode = turn / 2 % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
    return experiment;
}

/// Adds a row for each synchronous family; in sanitized builds, which are slow, only for those of `sanitized`, if any are
/// given.
inline void addSynchronousFamilies(std::initializer_list<std::string_view> sanitized = {})
{
    QTest::addColumn<QString>("family");
    const bool all = !kIsSanitized || sanitized.size() == 0;
    for (const schedule::Family &family : trainedFamilies())
        if (family.synchronous && (all || std::ranges::find(sanitized, family.name) != sanitized.end()))
            QTest::newRow(std::string(family.name).c_str()) << QString::fromUtf8(family.name.data());
}

/// Chooses the model family with 1, 2 or 4 heads of keys and values, tied weights, microbatch size, replicas, recomputation and
/// the mode of a plan with several ranks, by its turn.
inline void varyByTurn(model::Experiment &experiment, int turn)
{
    if (turn % 3 != 0)
        experiment = asLlama(experiment, 1 << turn % 3);
    experiment.model.tied = turn % 2 == 0;
    experiment.parallel.microbatchSize = 1 + turn % 2;
    experiment.parallel.replicas = turn % 5 == 0 ? 2 : 1;
    experiment.schedule.recompute = turn % 7 == 3 ? model::Recompute::Full : model::Recompute::None;
    experiment.training.mode = turn / 2 % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
}

/// The loss and every gradient of a step agree with the float64 reference. `loss`, if given, receives the loss.
inline void verifyGradients(const model::Experiment &experiment, double *loss = nullptr)
{
    const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
    const std::string plan = fmt::format("{}, p={}, m={}: ", model::name(experiment.schedule.vocabulary),
                                         experiment.parallel.devices, experiment.parallel.microbatches);
    QVERIFY2(found.ok(), (plan + (found ? "" : found.error().text())).c_str());
    const auto worst = std::ranges::max_element(found->gradients, {}, &runtime::GradientError::relative);
    QVERIFY2(found->holds(), fmt::format("{}loss {}, reference {}; {} is off by {}", plan, found->loss, found->referenceLoss,
                                         worst->parameter, worst->relative)
                                 .c_str());
    QCOMPARE(found->gradients.size(), runtime::parameterList(experiment.model).size());
    if (loss != nullptr)
        *loss = found->loss;
}

/// The same of a model with one softmax over its 97 words, whose first loss is near ln 97 = 4.57. ThreadSanitizer sees a live
/// run, which has a thread for each device.
inline void verifyPlan(model::Experiment experiment)
{
    if (kIsThreadSanitized)
        experiment.training.mode = model::RunMode::Live;
    double loss = 0;
    verifyGradients(experiment, &loss);
    QVERIFY(QTest::currentTestFailed() || (loss > 4.0 && loss < 5.2));
}

/// Rows of a test's data: every vocabulary method, in a column "method".
inline void addMethodRows()
{
    QTest::addColumn<int>("method");
    for (const model::VocabularyMethod method : kAllMethods)
        QTest::newRow(model::name(method).data()) << static_cast<int>(method);
}

/// A plan of the tiny model can run, passes verify(plan), and updates its parameters: the loss of the second step lies between
/// `least` and 5.2, a little above that of a model that knows nothing.
template <typename Verify>
void verifyTraining(model::Experiment experiment, const Verify &verify, double least)
{
    for (const base::Problem &problem : model::unsupported(experiment, model::Use::Run))
        QFAIL(problem.message.c_str());
    verify(experiment);
    if (QTest::currentTestFailed())
        return;
    experiment.training.steps = 2;
    const std::vector<double> losses = lossesOf(experiment);
    QVERIFY(losses[1] > least && losses[1] < 5.2);
}

/// Calls verify(plan, turn) for every schedule family that has this method, on two devices, with microbatches, modes and model
/// families that change from turn to turn. Ends at the first failure.
template <typename Verify>
void verifyEachFamily(int method, const Verify &verify)
{
    int turn = 0;
    Sample sample;
    for (const auto &[family, each] : allPlans()) {
        if (static_cast<int>(each) != method || (++turn, sample.leavesOut()))
            continue;
        model::Experiment experiment = smallExperiment(family, each, 2, 4);
        if (turn % 3 == 0)
            experiment = asLlama(experiment, 1);
        experiment.parallel.microbatchSize = 1 + turn % 2;
        experiment.training.mode = turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
        verify(std::move(experiment), turn);
        if (QTest::currentTestFailed())
            return;
    }
}

/// What `change` makes of a plan trains to the same losses and gradients in both modes and under every schedule that adds up
/// gradients in the same order.
template <typename Change>
void verifySameBitsEverywhere(const Change &change)
{
    for (const auto method :
         {model::VocabularyMethod::None, model::VocabularyMethod::Vocab1, model::VocabularyMethod::Vocab2}) {
        const auto planLike = [&](const char *family, model::RunMode mode) {
            model::Experiment experiment = change(smallExperiment(family, method, 2, 5));
            experiment.training.mode = mode;
            experiment.training.steps = 2;
            return experiment;
        };
        const auto first = planLike("1f1b", model::RunMode::VirtualClock);
        for (const auto &[family, mode] : {std::pair("1f1b", model::RunMode::Live),
                                           {"gpipe", model::RunMode::VirtualClock},
                                           {"zb-h1", model::RunMode::Live},
                                           {"interleaved-1f1b", model::RunMode::Live}}) {
            const auto other = planLike(family, mode);
            QCOMPARE(lossesOf(other), lossesOf(first));
            QVERIFY2(sameBits(gradientsOf(other), gradientsOf(first)), family);
        }
    }
}

/// All plans of a family with tied or untied weights.
inline void verifyFamily(const std::string &family, bool tied)
{
    int turn = static_cast<int>(schedule::findFamily(family) - schedule::families().data());
    Sample sample(turn);
    for (const model::VocabularyMethod method : kAllMethods) {
        for (const int devices : {1, 2, 3, 4, 8}) {
            const model::Experiment experiment = matrixExperiment(family, method, devices, tied, turn++);
            const std::string_view refused = refusedField(family, method, devices);
            const bool isLeftOut = sample.leavesOut();
            if (refused.empty()) {
                if (isLeftOut)
                    continue;
                verifyPlan(experiment);
                if (QTest::currentTestFailed())
                    return;
                continue;
            }
            const auto made = schedule::makeSchedule(experiment);
            QVERIFY(!made.ok());
            QCOMPARE(made.error().problems.front().field, std::string(refused));
            QVERIFY(made.error().text().size() > 20); // a sentence with the reason and what to do
        }
    }
}

} // namespace stagelens::test
