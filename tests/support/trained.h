// What a training run comes to.
#pragma once

#include "engine/backend/memory.h"
#include "engine/runtime/training/session.h"
#include "engine/simulate/memory.h"
#include "tests/support/tiny_model.h"

#include <QFile>

#include <cmath>
#include <cstring>
#include <filesystem>

namespace stagelens::test {

/// Losses of every step and the files of the run's dump.
struct Trained {
    std::vector<double> losses;
    QByteArray gradients;
    QByteArray final;
};

/// Trains and writes the dump to `dump`; a run that fails ends the test program.
inline Trained trainedWithDump(const model::Experiment &experiment, const std::filesystem::path &dump,
                               runtime::RunFolders folders = {})
{
    Trained result;
    folders.dump = dump;
    const auto onStep = [&result](const runtime::StepReport &report) { result.losses.push_back(report.loss); };
    const auto trained = runtime::train(experiment, scheduleOf(experiment), folders, {onStep, {}}, {});
    if (!trained)
        qFatal("%s", trained.error().text().c_str());
    const auto read = [&dump](const char *name) {
        QFile file(QString::fromStdString((dump / name).string()));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    result.gradients = read("gradients.safetensors");
    result.final = read("model-final.safetensors");
    if (result.gradients.isEmpty() || result.final.isEmpty())
        qFatal("no dump in %s", dump.c_str());
    return result;
}

/// Every gradient of one step, parameter by parameter in Hugging Face order.
inline base::Result<std::vector<float>> stepGradients(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    const auto session = runtime::Session::open(experiment, schedule, {});
    if (!session)
        return session.error();
    if (const auto report = (*session)->step(0, false, {}); !report)
        return report.error();
    std::vector<float> all;
    for (const std::vector<float> &tensor : (*session)->gradients())
        all.insert(all.end(), tensor.begin(), tensor.end());
    return all;
}

/// The same; a step that fails ends the test program.
inline std::vector<float> gradientsOf(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    auto gradients = stepGradients(experiment, schedule);
    if (!gradients)
        qFatal("%s", gradients.error().text().c_str());
    return std::move(gradients).value();
}
inline std::vector<float> gradientsOf(const model::Experiment &experiment)
{
    return gradientsOf(experiment, scheduleOf(experiment));
}

inline bool sameBits(const std::vector<float> &a, const std::vector<float> &b)
{
    // The data of nothing may be null, which memcmp must not be given.
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

/// Returns whether the peaks of a device in a step are those predicted, category by category; messages, which depend on timing,
/// may be less.
inline bool peaksArePredicted(const model::Experiment &experiment, const schedule::Schedule &schedule,
                              const runtime::StepReport &report, int device)
{
    const auto predicted = simulate::memoryPeak(experiment, schedule, *report.timeline, device).byCategory;
    const auto &measured = report.peakMemory[static_cast<std::size_t>(device)];
    for (std::size_t i = 0; i < measured.size(); ++i)
        if (i == backend::kMessages ? measured[i] > predicted[i] : measured[i] != predicted[i])
            return false;
    return measured.size() == predicted.size();
}

/// The loss of each step of a real run; a run that fails ends the test program.
inline std::vector<double> lossesOf(const model::Experiment &experiment)
{
    std::vector<double> losses;
    const auto trained = runtime::train(experiment, scheduleOf(experiment), {},
                                        {[&](const runtime::StepReport &report) { losses.push_back(report.loss); }, {}}, {});
    if (!trained)
        qFatal("%s", trained.error().text().c_str());
    return losses;
}

/// The losses of an evaluation before the first step, of the steps, and of an evaluation after them; none if the run fails.
inline std::vector<double> allLosses(const model::Experiment &experiment)
{
    std::vector<double> losses;
    runtime::TrainingObserver observer;
    observer.onStep = [&](const runtime::StepReport &report) { losses.push_back(report.loss); };
    observer.onEvaluation = [&](const runtime::Evaluation &evaluation) { losses.push_back(evaluation.loss); };
    if (!runtime::train(experiment, scheduleOf(experiment), {}, observer, {}).ok())
        losses.clear();
    return losses;
}

/// Frobenius norm of the difference over that of the exact values.
inline double relativeDifference(const std::vector<float> &values, const std::vector<float> &exact)
{
    double sum = 0;
    double norm = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        sum += std::pow(static_cast<double>(values[i]) - static_cast<double>(exact[i]), 2);
        norm += std::pow(static_cast<double>(exact[i]), 2);
    }
    return std::sqrt(sum / norm);
}

/// Four blocks of width 64, 256 tokens, 512 rows of the vocabulary, 1F1B: the network of the errors of packed numbers.
inline model::Experiment fourBlocks(int devices)
{
    auto experiment = tinyExperiment("1f1b", model::VocabularyMethod::None, devices, 4);
    experiment.model.layers = 4;
    experiment.parallel.stageLayers.assign(static_cast<std::size_t>(devices), 4 / devices);
    experiment.model.hidden = 64;
    experiment.model.ffn = 256;
    experiment.model.sequence = 64;
    experiment.model.vocabularySize = 512;
    experiment.training.steps = 1;
    experiment.training.optimizer.clip = 0.5;
    return experiment;
}

} // namespace stagelens::test
