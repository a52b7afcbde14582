// Plans for the plug-in with the CUDA emulator, and their losses.
#pragma once

#include "engine/operators/stage_layers.h"
#include "tests/support/tiny_model.h"
#include "tests/support/trained.h"
#include "tests/support/verify_matrix.h"

#include <QtTest>

#include <cmath>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace stagelens::test {

/// A small plan of two devices; a fibre a thread takes its time.
inline model::Experiment onGpu(const std::string &schedule, model::VocabularyMethod method, bool isLlama = false)
{
    model::Experiment plan = smallExperiment(schedule, method, 2, 2);
    plan.model.layers = 4;
    plan.parallel.stageLayers.clear();
    plan.training.backend = "cuda";
    return operators::resolved(isLlama ? asLlama(plan, 1) : plan, 2);
}

inline model::Experiment inBf16(model::Experiment plan, int layers = 4)
{
    plan.model.dtype = model::DataType::Bf16;
    plan.model.layers = layers;
    plan.parallel.stageLayers.clear();
    return operators::resolved(plan, 2);
}

/// Returns the losses of all steps of a run with those folders; see also trained.h.
inline std::vector<double> lossesOf(const model::Experiment &plan, const runtime::RunFolders &folders)
{
    std::vector<double> losses;
    runtime::TrainingObserver observer;
    observer.onStep = [&losses](const runtime::StepReport &report) { losses.push_back(report.loss); };
    const auto trained = runtime::train(plan, scheduleOf(plan), folders, observer, {});
    if (!trained)
        qCritical("%s", trained.error().text().c_str());
    return losses;
}

/// Fails unless losses are those of a processor, each within `bound`.
inline void compareLosses(const std::vector<double> &losses, const std::vector<double> &expected, double bound)
{
    QCOMPARE(losses.size(), expected.size());
    for (std::size_t step = 0; step < losses.size(); ++step)
        QVERIFY2(std::abs(losses[step] - expected[step]) <= bound,
                 fmt::format("step {}: {}, on the processor {}", step, losses[step], expected[step]).c_str());
}

} // namespace stagelens::test
