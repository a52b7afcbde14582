/// Runs to be stored, and a database in a folder of its own, for the tests of the store.
#pragma once

#include "engine/store/run_store.h"
#include "engine/store/sqlite.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace stagelens::test {

using store::RunId;
using store::RunStatus;
using store::RunStore;
using timeline::Provenance;

inline model::Experiment sampleExperiment()
{
    model::Experiment experiment;
    experiment.schedule.vocabulary = model::VocabularyMethod::Vocab2;
    experiment.parallel.stageLayers = {2, 2, 2, 2};
    experiment.training.steps = 5;
    experiment.training.data = "naïve \"data\".txt";
    return experiment;
}

inline timeline::Timeline sampleTimeline(base::Nanos scale = 100)
{
    timeline::Timeline timeline;
    timeline.provenance = Provenance::MeasuredLive;
    for (int device = 0; device < 4; ++device) {
        timeline::Lane lane;
        for (int microbatch = 0; microbatch < 16; ++microbatch) {
            lane.begin.push_back((microbatch + device) * scale);
            lane.end.push_back((microbatch + device + 1) * scale);
            lane.pass.push_back(schedule::makePass(schedule::PassKind::F, device, microbatch));
        }
        timeline.lanes.push_back(std::move(lane));
        timeline.stages.push_back({device});
    }
    return timeline;
}

inline simulate::Metrics sampleMetrics()
{
    simulate::Metrics metrics;
    metrics.makespan = 1900;
    metrics.iteration = 2000;
    metrics.bubbleRatio = 0.25;
    metrics.bubbleRatioPerDevice = {0.1, 0.2, 0.3, 0.4};
    metrics.busyPerDevice = {1600, 1600, 1600, 1600};
    metrics.tokensPerSecond = 1234.5678901234567;
    metrics.peakMemory = {10, 30, 20, 5};
    metrics.peakMemoryByCategory = {{1, 2, 3, 4, 5, 6, 7}, {}, {}, {}};
    metrics.peakActivationMicrobatches = {4, 3, 2, 1};
    return metrics;
}

inline RunStatus statusOf(RunStore &store, RunId run)
{
    const auto runs = store.read().list();
    if (runs)
        for (const store::RunSummary &summary : *runs)
            if (summary.id == run)
                return summary.status;
    qFatal("run %lld is not listed", static_cast<long long>(run));
}

/// A finished run of three steps.
inline RunId finishedRun(RunStore &store)
{
    const auto run = store.edit().begin(sampleExperiment(), Provenance::MeasuredLive, "finished", {});
    if (!run)
        return 0;
    bool good = true;
    for (int step = 0; step < 3; ++step)
        good = good && store.edit().addStep(*run, step, 9.0 - step, 1000 + step).ok();
    good = good && store.edit().setTimeline(*run, sampleTimeline(), sampleMetrics()).ok();
    return good && store.edit().finish(*run, RunStatus::Finished, "").ok() ? *run : 0;
}

/// Base of the tests of a database.
class StoreTest : public QObject {
protected:
    [[nodiscard]] std::filesystem::path path(const char *name = "runs.db") const
    {
        return m_folder->filePath(name).toStdString();
    }
    [[nodiscard]] RunStore open(const char *name = "runs.db") const
    {
        auto opened = RunStore::open(path(name));
        if (!opened)
            qFatal("%s", opened.error().text().c_str());
        return *std::move(opened);
    }
    [[nodiscard]] QString refusal(const std::filesystem::path &file) const
    {
        const auto opened = RunStore::open(file);
        return opened ? "accepted" : QString::fromStdString(opened.error().text());
    }
    void execute(const char *sql) const
    {
        auto database = store::Database::open(path());
        QVERIFY(database.ok());
        const auto done = database->execute(sql);
        QVERIFY2(done.ok(), done.ok() ? "" : done.error().text().c_str());
    }
    /// For the next test.
    void makeFolder()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        QVERIFY(m_folder->isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder->filePath("data").toUtf8());
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

} // namespace stagelens::test
