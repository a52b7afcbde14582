// Checkpoints, resumed runs, the loss on held-back tokens, and the files of a failed run.
#include "engine/base/file.h"
#include "engine/exchange/safetensors.h"
#include "engine/runtime/training/checkpoint.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace integration_checkpoints {

using namespace stagelens;
using model::VocabularyMethod;
using test::scheduleOf;
using test::tinyExperiment;
namespace fs = std::filesystem;

namespace {

/// The reports of a run.
struct RunReports {
    std::vector<int> steps;
    std::vector<double> losses;
    std::vector<runtime::Evaluation> evaluations;
    std::vector<int> checkpoints;
    base::Result<> outcome;
};

RunReports train(const model::Experiment &experiment, const runtime::RunFolders &folders = {}, std::stop_token stop = {})
{
    RunReports reports;
    const runtime::TrainingObserver observer{[&](const runtime::StepReport &report) {
                                                 reports.steps.push_back(report.step);
                                                 reports.losses.push_back(report.loss);
                                             },
                                             {},
                                             [&](const runtime::Evaluation &each) { reports.evaluations.push_back(each); },
                                             [&](int steps, const base::Result<> &written) {
                                                 if (!written)
                                                     qFatal("%s", written.error().text().c_str());
                                                 reports.checkpoints.push_back(steps);
                                             }};
    reports.outcome = runtime::train(experiment, scheduleOf(experiment), folders, observer, std::move(stop));
    return reports;
}

std::string fieldOf(const base::Result<> &outcome)
{
    return outcome ? "none" : outcome.error().problems.front().field;
}

} // namespace

class Checkpoints : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder.path().toUtf8());
    }

    void resumedRunsHaveTheSameBits_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("method");
        QTest::addColumn<bool>("tied");
        QTest::addColumn<bool>("live");
        const auto add = [](const char *family, VocabularyMethod method, bool tied, bool live) {
            if (test::kIsThreadSanitized && !live) // one thread at a time
                return;
            QTest::addRow("%s method %d tied %d live %d", family, static_cast<int>(method), tied, live)
                << QString(family) << static_cast<int>(method) << tied << live;
        };
        add("1f1b", VocabularyMethod::None, true, false);
        add("1f1b", VocabularyMethod::Vocab2, true, true);
        add("gpipe", VocabularyMethod::Naive, false, false);
        add("zb-h1", VocabularyMethod::Vocab1, false, true);
        add("zb-v", VocabularyMethod::Vocab2, false, false);
        add("interlaced", VocabularyMethod::None, true, false);
        add("dualpipe", VocabularyMethod::None, true, true);
        add("chimera", VocabularyMethod::Vocab1, false, false);
        add("pipedream", VocabularyMethod::None, true, false);    // a step of an update for each microbatch
        add("pipedream-2bw", VocabularyMethod::None, true, true); // two versions of the weights
    }
    void resumedRunsHaveTheSameBits()
    {
        QFETCH(QString, family);
        QFETCH(int, method);
        QFETCH(bool, tied);
        QFETCH(bool, live);
        auto experiment = tinyExperiment(family.toStdString(), static_cast<VocabularyMethod>(method), 4, 4);
        experiment.model.tied = tied;
        experiment.training.mode = live ? model::RunMode::Live : model::RunMode::VirtualClock;
        const bool hasGradients = family != "pipedream"; // of a step, to be clipped or dumped
        if (hasGradients)
            experiment.training.optimizer.clip = 0.5;
        experiment.training.optimizer.weightDecay = 0.1;
        experiment.training.steps = 10;
        const RunReports whole = train(experiment, {hasGradients ? place("whole") : fs::path(), {}});
        QVERIFY(whole.outcome.ok());

        experiment.training.steps = 5;
        const RunReports first = train(experiment, {{}, {}, place("first"), 2, {}});
        QCOMPARE(first.checkpoints, (std::vector<int>{2, 4, 5}));
        QCOMPARE(entries("first"), (QStringList{"step-4", "step-5"})); // the former one is kept, older ones are gone
        experiment.training.steps = 10;
        const RunReports second = train(experiment, {hasGradients ? place("second") : fs::path(), {}, {}, 0, place("first")});
        QVERIFY(second.outcome.ok());
        QCOMPARE(second.steps, (std::vector<int>{5, 6, 7, 8, 9}));
        std::vector<double> losses = first.losses;
        losses.insert(losses.end(), second.losses.begin(), second.losses.end());
        QCOMPARE(losses, whole.losses);
        if (hasGradients) {
            QVERIFY(content("second/model-final.safetensors") == content("whole/model-final.safetensors"));
            QVERIFY(content("second/result.json") == content("whole/result.json")); // losses of all steps
        }
        QCOMPARE(second.evaluations.back(), whole.evaluations.back());
        QCOMPARE(second.evaluations.front(), first.evaluations.back());
    }

    void anotherNumberOfDevicesGoesOnWithinTolerance()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto experiment = tinyExperiment("1f1b", VocabularyMethod::Vocab1, 4, 4);
        experiment.training.steps = 10;
        const RunReports whole = train(experiment);
        experiment.training.steps = 5;
        QVERIFY(train(experiment, {{}, {}, place("four"), 5, {}}).outcome.ok());
        auto other = tinyExperiment("zb-h1", VocabularyMethod::Vocab2, 2, 2);
        other.parallel.microbatchSize = 2; // as many sequences a step
        other.training.steps = 10;
        const RunReports second = train(other, {{}, {}, {}, 0, place("four")});
        QVERIFY2(second.outcome.ok(), second.outcome ? "" : second.outcome.error().text().c_str());
        QCOMPARE(second.losses.size(), std::size_t{5});
        for (std::size_t i = 0; i < 5; ++i)
            QVERIFY(std::abs(second.losses[i] - whole.losses[5 + i]) < 2e-5);
        QVERIFY(std::abs(second.evaluations.back().loss - whole.evaluations.back().loss) < 2e-5);
    }

    void whatDoesNotFitIsRefused()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto experiment = tinyExperiment("1f1b", VocabularyMethod::None, 2, 4);
        experiment.training.steps = 4;
        QVERIFY(train(experiment, {{}, {}, place("fit"), 4, {}}).outcome.ok());
        const auto refused = [&](const auto &change) {
            auto other = experiment;
            other.training.steps = 8;
            change(other);
            return QString::fromStdString(fieldOf(train(other, {{}, {}, {}, 0, place("fit")}).outcome));
        };
        QCOMPARE(refused([](auto &) {}), "none");
        QCOMPARE(refused([](auto &e) { e.model.hidden = 64; }), "model.hidden");
        QCOMPARE(refused([](auto &e) { e.model.tied = true; }), "model.tied");
        QCOMPARE(refused([](auto &e) { e.training.seed = 2; }), "training.seed");
        QVERIFY(base::writeFile(place("other.bin"), std::string(200, '\0')).ok());
        QCOMPARE(refused([this](auto &e) { e.training.data = place("other.bin").string(); }), "training.data");
        QCOMPARE(refused([](auto &e) { e.parallel.microbatchSize = 2; }), "parallel.microbatches");
        QCOMPARE(refused([](auto &e) { e.training.steps = 4; }), "training.steps");
        QCOMPARE(refused([](auto &e) { e.training.optimizer.learningRate = 0.1; }), "none");
    }

    void damagedCheckpointsAreRefused()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto experiment = tinyExperiment("1f1b", VocabularyMethod::None, 2, 2);
        experiment.training.steps = 2;
        const auto fresh = [&] {
            fs::remove_all(place("damaged"));
            QVERIFY(train(experiment, {{}, {}, place("damaged"), 2, {}}).outcome.ok());
        };
        const auto outcome = [&] {
            auto more = experiment;
            more.training.steps = 3;
            return train(more, {{}, {}, {}, 0, place("damaged")}).outcome;
        };
        const auto isRefused = [&](const base::Result<> &result, const char *named) {
            return !result && result.error().kind == base::ErrorKind::InvalidInput &&
                   result.error().text().find(named) != std::string::npos;
        };
        for (const char *file :
             {"parameters.safetensors", "first-moments.safetensors", "second-moments.safetensors", "checkpoint.json"}) {
            fresh();
            const fs::path path = place("damaged") / "step-2" / file;
            fs::resize_file(path, fs::file_size(path) / 2);
            QVERIFY2(isRefused(outcome(), file), file);
            fs::remove(path);
            QVERIFY2(isRefused(outcome(), file), file);
        }
        for (const char *text :
             {"", "[]", R"({"stagelens": "checkpoint/2"})", R"({"stagelens": "checkpoint/1", "steps": -1, "losses": []})",
              R"({"stagelens": "checkpoint/1", "steps": 2, "losses": [1, 2]})",
              R"({"stagelens": "checkpoint/1", "steps": 2, "losses": [1], "experiment": {"stagelens": "experiment/1"}})",
              R"({"stagelens": "checkpoint/1", "steps": 2, "losses": [1, 2], "experiment": [[[[[]]]]]})"}) {
            fresh();
            QVERIFY(base::writeFile(place("damaged") / "step-2" / "checkpoint.json", text).ok());
            QVERIFY2(isRefused(outcome(), "checkpoint.json") || isRefused(outcome(), "experiment"), text);
        }
        // An incomplete one, whose writer was killed.
        fs::remove_all(place("damaged"));
        fs::create_directories(place("damaged") / "part-2");
        QVERIFY(isRefused(outcome(), "has no checkpoint"));
        fs::remove_all(place("damaged"));
        QVERIFY(isRefused(outcome(), "has no checkpoint"));
    }

    void aCheckpointThatCannotBeWrittenStopsNothing()
    {
        auto experiment = tinyExperiment("1f1b", VocabularyMethod::None, 2, 2);
        experiment.training.steps = 4;
        std::vector<std::string> failures;
        int steps = 0;
        const runtime::TrainingObserver observer{[&](const runtime::StepReport &) {
                                                     // From the second checkpoint on its folder's place is taken.
                                                     if (++steps == 4) {
                                                         fs::create_directories(place("taken"));
                                                         std::ofstream(place("taken") / "part-4") << "in the way";
                                                     }
                                                 },
                                                 {},
                                                 {},
                                                 [&](int, const base::Result<> &written) {
                                                     if (!written)
                                                         failures.push_back(written.error().text());
                                                 }};
        QVERIFY(runtime::train(experiment, scheduleOf(experiment), {{}, {}, place("taken"), 2, {}}, observer, {}).ok());
        QCOMPARE(failures.size(), std::size_t{1});
        const auto kept = runtime::newestCheckpoint(place("taken"));
        QVERIFY(kept.ok());
        QCOMPARE(kept->steps(), 2);
    }

    /// A process killed while writing leaves a truncated file, or a folder that is not yet renamed.
    void stopWhileACheckpointIsWrittenLeavesTheFormer()
    {
        auto experiment = tinyExperiment("1f1b", VocabularyMethod::None, 2, 2);
        const auto schedule = scheduleOf(experiment);
        auto session = runtime::Session::open(experiment, schedule, {});
        QVERIFY(session.ok());
        QVERIFY(runtime::writeCheckpoint(place("stopped"), **session, {1.0}, {}).ok());
        std::stop_source stop;
        stop.request_stop();
        const auto second = runtime::writeCheckpoint(place("stopped"), **session, {1.0, 0.5}, stop.get_token());
        QVERIFY(!second && second.error().kind == base::ErrorKind::Cancelled);
        QCOMPARE(entries("stopped"), QStringList{"step-1"});
        // The next process removes what a killed one left.
        fs::create_directories(place("stopped") / "part-2");
        QVERIFY(runtime::writeCheckpoint(place("stopped"), **session, {1.0, 0.5, 0.25}, {}).ok());
        QCOMPARE(entries("stopped"), (QStringList{"step-1", "step-3"}));
    }

    void evaluationIsTheSameEverywhereAndTouchesNothing()
    {
        std::vector<runtime::Evaluation> first;
        test::Sample sample;
        for (const auto &[family, method, devices] : {std::tuple("1f1b", VocabularyMethod::None, 1),
                                                      {"1f1b", VocabularyMethod::None, 4},
                                                      {"gpipe", VocabularyMethod::Redis, 2},
                                                      {"1f1b", VocabularyMethod::Naive, 4},
                                                      {"zb-v", VocabularyMethod::Vocab1, 2},
                                                      {"1f1b", VocabularyMethod::Vocab2, 4},
                                                      {"interlaced", VocabularyMethod::None, 4},
                                                      {"dualpipe", VocabularyMethod::None, 2},
                                                      {"chimera", VocabularyMethod::Vocab2, 4}}) {
            for (const int microbatches : {4, 8}) { // so many sequences a step either way
                if (sample.leavesOut())
                    continue;
                auto experiment = tinyExperiment(family, method, devices, microbatches);
                experiment.parallel.microbatchSize = 8 / microbatches;
                experiment.training.steps = 3;
                const RunReports reports = train(experiment);
                QVERIFY(reports.outcome.ok());
                QCOMPARE(reports.evaluations.size(), std::size_t{2});
                QCOMPARE(reports.evaluations[0].steps, 0);
                QCOMPARE(reports.evaluations[1].steps, 3);
                QVERIFY(std::abs(reports.evaluations[0].loss - std::log(97.0)) < 0.3);
                if (first.empty())
                    first = reports.evaluations;
                for (std::size_t i = 0; i < 2; ++i)
                    QVERIFY2(std::abs(reports.evaluations[i].loss - first[i].loss) < 2e-5, family);
            }
        }
    }

    /// 16 sequences whatever the size of a microbatch: 3, 5, 7 and 24 do not divide them, and 24 is more.
    void evaluationCountsEachSequenceOnce()
    {
        STAGELENS_NOT_UNDER_TSAN();
        std::vector<double> losses;
        for (const auto &[method, microbatchSize] : {std::pair(VocabularyMethod::None, 1),
                                                     {VocabularyMethod::None, 3},
                                                     {VocabularyMethod::Vocab1, 5},
                                                     {VocabularyMethod::Naive, 7},
                                                     {VocabularyMethod::Vocab2, 24}}) {
            auto experiment = tinyExperiment("1f1b", method, 2, 2);
            experiment.parallel.microbatchSize = microbatchSize;
            experiment.training.steps = 1;
            experiment.training.optimizer.learningRate = 0;
            const RunReports reports = train(experiment);
            QVERIFY(reports.outcome.ok());
            for (const runtime::Evaluation &each : reports.evaluations)
                losses.push_back(each.loss);
        }
        QCOMPARE(losses.size(), std::size_t{10});
        for (const double loss : losses)
            QVERIFY2(std::abs(loss - losses[0]) < 1e-6, std::to_string(loss - losses[0]).c_str());
    }

    void tooFewTokensAreNotHeldBack()
    {
        std::string tokens(2 * 20, '\0'); // a window has 17
        QVERIFY(base::writeFile(place("few.bin"), tokens).ok());
        auto experiment = tinyExperiment("1f1b", VocabularyMethod::None, 2, 2);
        experiment.training.data = place("few.bin").string();
        experiment.training.steps = 1;
        const RunReports reports = train(experiment);
        QVERIFY(reports.outcome.ok());
        QVERIFY(reports.evaluations.empty());
    }

    void divergenceIsDumped()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const auto mode : {model::RunMode::Live, model::RunMode::VirtualClock}) {
            for (const VocabularyMethod method : test::kAllMethods) {
                auto experiment = tinyExperiment("1f1b", method, 4, 4);
                experiment.training.mode = mode;
                experiment.training.steps = 20;
                experiment.training.optimizer.learningRate = 1e30;
                fs::remove_all(place("diverged"));
                const RunReports reports = train(experiment, {place("diverged"), {}});
                QVERIFY(!reports.outcome.ok());
                QCOMPARE(reports.outcome.error().kind, base::ErrorKind::Failed);
                const std::string text = reports.outcome.error().text();
                QVERIFY2(text.find("not finite in step 2 of 20, microbatch 0, on device 3") != std::string::npos, text.c_str());
                QVERIFY2(text.find("diverged/failed-step") != std::string::npos, text.c_str());
                // The state before that step: what a run of as many steps ends with.
                auto shorter = experiment;
                shorter.training.steps = static_cast<int>(reports.losses.size());
                (void)train(shorter, {place("shorter"), {}});
                QVERIFY(content("diverged/failed-step/model.safetensors") == content("shorter/model-final.safetensors"));
                QVERIFY(!content("diverged/failed-step/batch.safetensors").empty());
                const auto result = nlohmann::json::parse(content("diverged/failed-step/result.json"));
                QCOMPARE(result["losses"].get<std::vector<double>>(), reports.losses);
                QCOMPARE(result["step"].get<int>(), 1);
            }
        }
    }

    /// An exception on a device's thread ends the run with a reason, at once on all devices.
    void exceptionsOfWorkersEndTheRun()
    {
        for (const auto mode : {model::RunMode::Live, model::RunMode::VirtualClock}) {
            for (const bool isMemory : {false, true}) {
                auto experiment = tinyExperiment("1f1b", VocabularyMethod::Vocab1, 4, 8);
                experiment.training.mode = mode;
                experiment.training.steps = 1000;
                const auto fault = [&](const runtime::Progress &progress) {
                    if (progress.step != 1 || progress.passesDone < 20)
                        return;
                    if (isMemory)
                        throw std::bad_alloc();
                    throw std::runtime_error("a pass went wrong");
                };
                const auto outcome = runtime::train(experiment, scheduleOf(experiment), {}, {{}, fault, {}, {}}, {});
                QVERIFY(!outcome.ok());
                QCOMPARE(outcome.error().kind, base::ErrorKind::Failed);
                const std::string text = outcome.error().text();
                QVERIFY2(text.find("device ") == 0, text.c_str());
                QVERIFY2(text.find(isMemory ? "ran out of memory" : "a pass went wrong") != std::string::npos, text.c_str());
            }
        }
    }

private:
    [[nodiscard]] fs::path place(const char *name) const { return m_folder.filePath(name).toStdString(); }
    [[nodiscard]] QStringList entries(const char *name) const
    {
        return QDir(m_folder.filePath(name)).entryList(QDir::AllEntries | QDir::NoDotAndDotDot);
    }
    [[nodiscard]] std::string content(const char *name) const
    {
        const auto text = base::readFile(place(name), 1 << 26);
        return text ? *text : std::string();
    }
    QTemporaryDir m_folder;
};

STAGELENS_TEST(Checkpoints)

} // namespace integration_checkpoints

#include "checkpoints.moc"
