// What tests of tensor, context, expert and data-parallel ranks share: their runs, and what must hold of them.
#pragma once

#include "engine/operators/stage_layers.h"
#include "engine/runtime/memory/memory_plan.h"
#include "engine/runtime/plan/lowering.h"
#include "engine/runtime/state/parameters.h"
#include "tests/support/held_memory.h"
#include "tests/support/trained.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <fstream>
#include <initializer_list>
#include <string>

namespace stagelens::test {

/// What may change without changing a bit, and its usual values.
struct Variant {
    const char *family;
    int zero;
    model::RunMode mode;
    model::Recompute recompute;
};
inline constexpr std::initializer_list<Variant> kVariants{{"1f1b", 1, model::RunMode::Live, model::Recompute::None},
                                                          {"gpipe", 2, model::RunMode::VirtualClock, model::Recompute::Full},
                                                          {"zb-h1", 3, model::RunMode::Live, model::Recompute::Full}};

/// A folder for the data and the dumps of a test's runs, removed at its end.
class RunFolder {
protected:
    /// Makes it the data folder of this process.
    void use() const
    {
        QVERIFY(m_folder.isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder.path().toUtf8());
    }
    [[nodiscard]] std::filesystem::path place(const std::string &name) const
    {
        return std::filesystem::path(m_folder.path().toStdString()) / name;
    }
    [[nodiscard]] Trained train(const model::Experiment &experiment, const std::string &name,
                                const runtime::RunFolders &folders = {}) const
    {
        return trainedWithDump(experiment, place(name), folders);
    }
    /// Returns the loss of the held-back tokens of a text before the first step; NaN if there is none.
    [[nodiscard]] double heldBackLoss(model::Experiment experiment) const
    {
        std::ofstream file(place("data.txt"));
        for (int i = 0; i < 6000; ++i)
            file << static_cast<char>('a' + i * i % 23);
        file.close();
        experiment.model.vocabularySize = 300;
        experiment.training.data = place("data.txt").string();
        experiment.training.steps = 1;
        double loss = std::nan("");
        const auto note = [&](const runtime::Evaluation &each) { loss = each.steps == 0 ? each.loss : loss; };
        if (const auto trained = runtime::train(experiment, scheduleOf(experiment), {}, {{}, {}, note}, {}); !trained)
            qFatal("%s", trained.error().text().c_str());
        return loss;
    }
    /// What planOf(family) returns trains to the same losses, gradients and parameters with AdamW, weight decay and clipping,
    /// whatever the variant.
    template <typename PlanOf>
    void haveTheSameBits(const PlanOf &planOf, int steps, std::initializer_list<Variant> variants = kVariants) const
    {
        const auto trained = [&](const Variant &variant, const char *name) {
            model::Experiment experiment = planOf(variant.family);
            experiment.parallel.zero = variant.zero;
            experiment.schedule.recompute = variant.recompute;
            experiment.training.steps = steps;
            experiment.training.mode = variant.mode;
            experiment.training.optimizer.clip = 0.5;
            experiment.training.optimizer.weightDecay = 0.1;
            return train(experiment, name);
        };
        const Trained whole = trained({"1f1b", 0, model::RunMode::VirtualClock, model::Recompute::None}, "whole");
        for (const Variant &variant : variants) {
            const Trained other = trained(variant, "other");
            QCOMPARE(other.losses, whole.losses);
            QVERIFY(other.gradients == whole.gradients);
            QVERIFY(other.final == whole.final);
        }
    }

private:
    QTemporaryDir m_folder;
};

/// A tiny Llama with eight experts in each of four layers, of which two compute a token. The stages and the mode are open: see
/// operators::resolved().
inline model::Experiment tinyExperts(const char *family, model::VocabularyMethod method, int devices, int microbatches = 2)
{
    auto experiment = asLlama(tinyExperiment(family, method, devices, microbatches), 2);
    experiment.model.layers = 4;
    experiment.parallel.stageLayers.clear();
    experiment.model.experts = 8;
    experiment.model.topK = 2;
    experiment.model.expertFfn = 24;
    experiment.model.auxLoss = 0.02;
    experiment.model.zLoss = 0.003;
    return experiment;
}

/// Routers of sigmoids with a selection bias, and an expert that computes every token.
inline void useSigmoids(model::Experiment &experiment)
{
    experiment.model.router = model::RouterScore::Sigmoid;
    experiment.model.routerBiasRate = 0.01;
    experiment.model.sharedExperts = 1;
}

inline bool isOfExperts(const std::string &name)
{
    return name.find(".experts.") != std::string::npos;
}

/// Calls visit(parameter, relative difference of its gradients) for every parameter; the difference is 0 for equal bits.
template <typename Visit>
void eachDifference(const model::Experiment &experiment, const std::vector<float> &one, const std::vector<float> &other,
                    const Visit &visit)
{
    QCOMPARE(other.size(), one.size());
    std::size_t at = 0;
    for (const runtime::ParameterInfo &info : runtime::parameterList(experiment.model)) {
        double difference = 0;
        double norm = 0;
        for (const std::size_t end = at + static_cast<std::size_t>(info.count()); at < end; ++at) {
            difference += std::pow(static_cast<double>(one[at]) - static_cast<double>(other[at]), 2);
            norm += std::pow(static_cast<double>(one[at]), 2);
        }
        visit(info.name, difference > 0 ? std::sqrt(difference / norm) : 0);
    }
}

/// Compares gradients, parameter after parameter: those of experts within a tolerance, all others to the bit.
inline void compareGradients(const model::Experiment &experiment, const std::vector<float> &one,
                             const std::vector<float> &other)
{
    eachDifference(experiment, one, other, [](const std::string &name, double relative) {
        QVERIFY2(relative <= (isOfExperts(name) ? 1e-6 : 0),
                 qPrintable(QString("%1 differs by %2").arg(name.c_str()).arg(relative)));
    });
}

/// The peaks of each device in a run of a plan of two devices are those predicted; messages, which depend on timing, are at
/// most planned. DeviceMemory checks the live bytes of each category after every pass.
inline void checkMemory(const model::Experiment &experiment)
{
    const auto schedule = scheduleOf(experiment);
    const auto plans = runtime::memoryPlan(experiment, runtime::lowered(schedule));
    QVERIFY(plans.ok());
    const auto onStep = [&](const runtime::StepReport &report) {
        for (int device = 0; device < 2; ++device) {
            const auto planned = simulate::memoryPeak(experiment, schedule, *report.timeline, device).byCategory;
            const auto &measured = report.peakMemory[static_cast<std::size_t>(device)];
            for (std::size_t i = 0; i < measured.size(); ++i)
                if (i != backend::kMessages)
                    QCOMPARE(measured[i], planned[i]);
            QVERIFY(measured[backend::kMessages] <= (*plans)[static_cast<std::size_t>(device)].peak[backend::kMessages]);
        }
    };
    const auto trained = runtime::train(experiment, schedule, {}, {onStep, {}}, {});
    QVERIFY2(trained.ok(), trained ? "" : trained.error().text().c_str());
}

/// The peaks are those predicted from the timeline, and those planned before the run.
inline void checkBothPeaks(const model::Experiment &experiment)
{
    checkMemory(experiment);
    if (!QTest::currentTestFailed())
        verifyHeldMemory(experiment);
}

} // namespace stagelens::test
