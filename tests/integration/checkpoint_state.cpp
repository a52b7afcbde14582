// The content of checkpoints: AdamW counters under any schedule, and checksums that detect any damage.
#include "engine/base/file.h"
#include "engine/runtime/training/checkpoint.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace integration_checkpoint_state {

using namespace stagelens;
using model::VocabularyMethod;
using test::scheduleOf;
namespace fs = std::filesystem;

namespace {

constexpr const char *kFiles[] = {"parameters.safetensors", "first-moments.safetensors", "second-moments.safetensors",
                                  "checkpoint.json"};

/// Part of a run: some steps of a family, with four sequences per step.
struct Leg {
    const char *family;
    int microbatches;
    int steps;
};

model::Experiment experimentOf(const Leg &leg, bool tied, int stepsBefore)
{
    auto experiment = test::smallExperiment(leg.family, VocabularyMethod::None, 2, leg.microbatches);
    experiment.parallel.microbatchSize = 4 / leg.microbatches;
    experiment.model.tied = tied;
    experiment.training.steps = stepsBefore + leg.steps;
    return experiment;
}

/// Returns the difference of a parameter after an update from the formula of PyTorch's AdamW in double, relative to the length
/// of the update.
double distanceOfUpdate(const std::vector<float> &before, const std::vector<float> &after, const std::vector<float> &gradient,
                        const std::vector<float> &first, const std::vector<float> &second, int updates, double scale)
{
    const model::OptimizerChoice choice;
    const double correction1 = 1 - std::pow(choice.beta1, updates);
    const double correction2 = 1 - std::pow(choice.beta2, updates);
    double distance = 0;
    double length = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const double g = static_cast<double>(gradient[i]) * scale;
        const double m = choice.beta1 * static_cast<double>(first[i]) + (1 - choice.beta1) * g;
        const double v = choice.beta2 * static_cast<double>(second[i]) + (1 - choice.beta2) * g * g;
        const double change = -choice.learningRate * (m / correction1) / (std::sqrt(v / correction2) + 1e-8);
        const double real = static_cast<double>(after[i]) - static_cast<double>(before[i]);
        distance += (real - change) * (real - change);
        length += change * change;
    }
    return std::sqrt(distance / length);
}

base::Result<> train(const model::Experiment &experiment, const runtime::RunFolders &folders,
                     std::vector<double> *losses = nullptr)
{
    const runtime::TrainingObserver observer{[&](const runtime::StepReport &report) {
                                                 if (losses != nullptr)
                                                     losses->push_back(report.loss);
                                             },
                                             {}};
    return runtime::train(experiment, scheduleOf(experiment), folders, observer, {});
}

} // namespace

class CheckpointState : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder.path().toUtf8());
    }

    /// The first update after a resume divides by 1 - beta^t, where t counts the updates that made the moments: one for each
    /// microbatch of PipeDream's steps (but the tied table), one for each step of all other families.
    void resumedRunsGoOnCountingUpdates_data()
    {
        QTest::addColumn<std::vector<Leg>>("legs");
        QTest::addColumn<bool>("tied");
        QTest::addColumn<int>("updates"); ///< before the last leg
        const auto add = [](std::vector<Leg> legs, bool tied, int updates) {
            std::string name = tied ? "tied" : "untied";
            for (const Leg &leg : legs)
                name += fmt::format(" {} {} m {}", leg.steps, leg.family, leg.microbatches);
            QTest::newRow(name.c_str()) << legs << tied << updates;
        };
        add({{"pipedream", 4, 8}, {"1f1b", 4, 1}}, false, 32);
        add({{"pipedream", 4, 8}, {"gpipe", 2, 1}}, true, 32);
        add({{"pipedream", 4, 3}, {"pipedream-2bw", 4, 1}}, false, 12);
        add({{"pipedream", 4, 3}, {"chimera", 4, 1}}, false, 12);
        add({{"pipedream", 4, 3}, {"dualpipe", 4, 1}}, true, 12);
        add({{"pipedream", 4, 3}, {"pipedream", 1, 1}}, false, 12);
        add({{"1f1b", 4, 5}, {"pipedream", 4, 1}}, false, 5);
        add({{"1f1b", 4, 5}, {"pipedream", 2, 1}}, true, 5);
        add({{"pipedream-2bw", 4, 5}, {"1f1b", 4, 1}}, false, 5);
        add({{"pipedream-2bw", 4, 5}, {"pipedream", 4, 1}}, false, 5);
        add({{"chimera", 4, 5}, {"pipedream", 4, 1}}, false, 5);
        add({{"pipedream", 4, 2}, {"zb-h1", 4, 3}, {"pipedream", 2, 2}, {"1f1b", 4, 1}}, false, 8 + 3 + 4);
    }
    void resumedRunsGoOnCountingUpdates()
    {
        QFETCH(std::vector<Leg>, legs);
        QFETCH(bool, tied);
        QFETCH(int, updates);
        int steps = 0;
        fs::path from;
        for (std::size_t i = 0; i + 1 < legs.size(); ++i) {
            const fs::path to = place(fmt::format("leg-{}", i));
            fs::remove_all(to);
            const auto done = train(experimentOf(legs[i], tied, steps), {{}, {}, to, 1000, from});
            QVERIFY2(done.ok(), done ? "" : done.error().text().c_str());
            steps += legs[i].steps;
            from = to;
        }
        const auto experiment = experimentOf(legs.back(), tied, steps);
        const auto schedule = scheduleOf(experiment);
        auto session = runtime::Session::open(experiment, schedule, {});
        const auto checkpoint = runtime::newestCheckpoint(from);
        QVERIFY(session.ok() && checkpoint.ok());
        QVERIFY(runtime::restore(*checkpoint, **session).ok());
        const auto first = (*session)->tensors().read(runtime::ParameterPart::state(0));
        const auto second = (*session)->tensors().read(runtime::ParameterPart::state(1));
        std::vector<std::vector<std::vector<float>>> values(first.size()); // before each update
        std::vector<std::vector<float>> gradients(first.size());           // of the first
        (*session)->watchUpdates([&](const runtime::Parameter &parameter, backend::Compute &compute) {
            auto &seen = values[runtime::size(parameter.index)];
            seen.emplace_back(runtime::size(parameter.count()));
            compute.read(seen.back(), parameter.value.data());
            if (seen.size() == 1) {
                gradients[runtime::size(parameter.index)].resize(runtime::size(parameter.count()));
                compute.read(gradients[runtime::size(parameter.index)], parameter.gradient.data());
            }
        });
        QVERIFY((*session)->step(steps, true, {}).ok());
        const auto last = (*session)->parameters();
        const std::string_view family = legs.back().family;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool isTable = tied && i == runtime::kTokenTable;
            const double scale = family == "pipedream" && !isTable ? legs.back().microbatches : 1;
            const int counted = isTable ? steps : updates;
            const double distance = distanceOfUpdate(values[i][0], values[i].size() > 1 ? values[i][1] : last[i], gradients[i],
                                                     first[i], second[i], counted + 1, scale);
            QVERIFY2(distance < 1e-3, fmt::format("{}: {}", (*session)->plan().parameters[i].name, distance).c_str());
        }
    }

    void everyDamageIsFound()
    {
        const auto experiment = experimentOf({"1f1b", 4, 4}, false, 0);
        const fs::path run = place("sound");
        QVERIFY(train(experiment, {{}, {}, run, 2, {}}).ok());
        const auto sound = runtime::newestCheckpoint(run);
        QVERIFY2(sound.ok(), sound ? "" : sound.error().text().c_str());
        QCOMPARE(sound->steps(), 4);
        QCOMPARE(sound->note, std::string());
        for (const char *file : kFiles) {
            const fs::path path = run / "step-4" / file;
            const std::string content = contentOf(path);
            const std::size_t stride = content.size() / 40;
            for (std::size_t i = 0; i < 41; ++i) {
                std::string damaged = content;
                char &byte = damaged[std::min(i * stride, damaged.size() - 1)];
                byte = static_cast<char>(byte ^ (1 << i % 8));
                QVERIFY(base::writeFile(path, damaged).ok());
                QVERIFY2(fallsBack(run, 2, 4), fmt::format("{} byte {}", file, i * stride).c_str());
            }
            QVERIFY(base::writeFile(path, content.substr(0, content.size() / 2)).ok());
            QVERIFY2(fallsBack(run, 2, 4), file);
            fs::remove(path);
            QVERIFY2(fallsBack(run, 2, 4), file);
            QVERIFY(base::writeFile(path, content).ok());
        }
        QCOMPARE(runtime::newestCheckpoint(run)->note, std::string()); // as it was
    }

    void exchangedPartsAreFound()
    {
        const auto experiment = experimentOf({"pipedream-2bw", 4, 4}, false, 0);
        const fs::path run = place("exchanged");
        QVERIFY(train(experiment, {{}, {}, run, 2, {}}).ok());
        const fs::path newest = run / "step-4";
        std::vector<std::string> names(std::begin(kFiles), std::end(kFiles));
        names.emplace_back("previous-parameters.safetensors");
        const auto isFoundWith = [&](const fs::path &path, const std::string &content) {
            const std::string own = contentOf(path);
            const bool found = base::writeFile(path, content).ok() && fallsBack(run, 2, 4);
            return base::writeFile(path, own).ok() && found;
        };
        for (const std::string &name : names) {
            for (const std::string &other : names) // one part in the place of another
                QVERIFY2(name == other || isFoundWith(newest / name, contentOf(newest / other)),
                         fmt::format("{} as {}", other, name).c_str());
            QVERIFY2(isFoundWith(newest / name, contentOf(run / "step-2" / name)), name.c_str()); // of another step
        }
        fs::rename(newest / names.back(), place("away"));
        QVERIFY(fallsBack(run, 2, 4));
        fs::rename(place("away"), newest / names.back());
        QCOMPARE(runtime::newestCheckpoint(run)->steps(), 4);
    }

    void theCheckpointBeforeIsTaken()
    {
        auto experiment = experimentOf({"1f1b", 4, 4}, true, 0);
        const fs::path run = place("before");
        QVERIFY(train(experiment, {{}, {}, run, 1, {}}).ok());
        QCOMPARE(QDir(m_folder.filePath("before")).entryList(QDir::AllEntries | QDir::NoDotAndDotDot),
                 (QStringList{"step-3", "step-4"}));
        experiment.training.steps = 6;
        std::vector<double> whole;
        QVERIFY(train(experiment, {}, &whole).ok());
        fs::resize_file(run / "step-4" / "first-moments.safetensors", 100);
        std::vector<double> resumed;
        QVERIFY(train(experiment, {{}, {}, place("after"), 1, run}, &resumed).ok());
        QCOMPARE(resumed, std::vector<double>(whole.begin() + 3, whole.end()));
        fs::remove(run / "step-3" / "parameters.safetensors");
        const auto none = train(experiment, {{}, {}, {}, 0, run});
        QVERIFY(!none && none.error().kind == base::ErrorKind::InvalidInput);
        QVERIFY(none.error().text().find("step-4") != std::string::npos); // why the newest does not serve
    }

    void checkpointsWithoutChecksumsResumeWithANote()
    {
        auto experiment = experimentOf({"pipedream", 4, 4}, true, 0);
        const fs::path run = place("old");
        QVERIFY(train(experiment, {{}, {}, run, 4, {}}).ok());
        const fs::path description = run / "step-4" / "checkpoint.json";
        auto document = nlohmann::ordered_json::parse(contentOf(description));
        for (const char *added : {"checksum", "updates", "parts"})
            QCOMPARE(document.erase(added), std::size_t{1});
        document["stagelens"] = "checkpoint/1";
        QVERIFY(base::writeFile(description, document.dump() + "\n").ok());
        const auto found = runtime::newestCheckpoint(run);
        QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
        QVERIFY(found->note.find("without checksums") != std::string::npos);
        QCOMPARE(found->updates[0], 4);
        QCOMPARE(found->updates[1], 16);
        experiment.training.steps = 5;
        QVERIFY(train(experiment, {{}, {}, {}, 0, run}).ok());

        const fs::path moments = run / "step-4" / "second-moments.safetensors";
        const std::string content = contentOf(moments);
        for (const float value : {-1.0F, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
            std::string damaged = content;
            std::memcpy(damaged.data() + damaged.size() - 40, &value, sizeof value);
            QVERIFY(base::writeFile(moments, damaged).ok());
            const auto refused = runtime::newestCheckpoint(run);
            QVERIFY(!refused && refused.error().text().find("second-moments.safetensors: is damaged") != std::string::npos);
        }
    }

    void anotherOptimizerIsRefused()
    {
        runtime::Checkpoint checkpoint;
        checkpoint.experiment = experimentOf({"1f1b", 4, 1}, false, 2);
        model::Experiment experiment = checkpoint.experiment;
        experiment.training.optimizer.learningRate *= 2;
        QVERIFY(runtime::resumeProblems(checkpoint, experiment).empty());
        experiment.training.optimizer.name = "another";
        const base::Problems problems = runtime::resumeProblems(checkpoint, experiment);
        QCOMPARE(problems.size(), std::size_t{1});
        QCOMPARE(problems.front().field, std::string("training.optimizer.name"));
    }

    void valuesThatAreNotFiniteAreNotWritten()
    {
        const auto experiment = experimentOf({"1f1b", 4, 1}, false, 0);
        const auto schedule = scheduleOf(experiment);
        auto session = runtime::Session::open(experiment, schedule, {});
        QVERIFY(session.ok());
        const fs::path run = place("infinite");
        QVERIFY(runtime::writeCheckpoint(run, **session, {1.0}, {}).ok());
        auto parameters = (*session)->parameters();
        parameters[3][1] = std::numeric_limits<float>::infinity();
        (*session)->tensors().write(&runtime::Parameter::value, parameters);
        const auto second = runtime::writeCheckpoint(run, **session, {1.0, 0.5}, {});
        QVERIFY(!second && second.error().text().find("not finite") != std::string::npos);
        QCOMPARE(runtime::newestCheckpoint(run)->steps(), 1);
    }

private:
    /// Returns whether the damage to the newest checkpoint is detected and reported, and the previous one is used.
    static bool fallsBack(const fs::path &run, int former, int newest)
    {
        const auto found = runtime::newestCheckpoint(run);
        return found && found->steps() == former &&
               found->note.find(fmt::format("after step {} is damaged", newest)) != std::string::npos;
    }
    static std::string contentOf(const fs::path &path)
    {
        const auto text = base::readFile(path, 1 << 26);
        if (!text)
            qFatal("%s", text.error().text().c_str());
        return *text;
    }
    [[nodiscard]] fs::path place(const std::string &name) const { return fs::path(m_folder.path().toStdString()) / name; }
    QTemporaryDir m_folder;
};

STAGELENS_TEST(CheckpointState)

} // namespace integration_checkpoint_state

#include "checkpoint_state.moc"
