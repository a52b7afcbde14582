// Results of papers beside predictions: found for exactly the plans they were measured with, and near what is predicted.
#include "engine/base/file.h"
#include "engine/model/experiment_json.h"
#include "engine/model/hardware_json.h"
#include "engine/model/presets.h"
#include "engine/service/engine_service.h"
#include "engine/service/plans/published.h"
#include "tests/support/cli_runner.h"
#include "tests/support/gpt_shape.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QJsonObject>
#include <QtTest>

#include <cmath>

namespace integration_published_results {

using namespace stagelens;

class PublishedResults : public QObject {
    Q_OBJECT
private slots:
    void theExampleHasOne();
    void everyResultIsFoundForItsPlan();
    void anotherPlanHasNone();
    void expertsAreNearPublished_data();
    void expertsAreNearPublished();
    void eightBitsAreNearPublished_data();
    void eightBitsAreNearPublished();
    void pipeOffloadIsNearPublished_data();
    void pipeOffloadIsNearPublished();
};

void PublishedResults::theExampleHasOne()
{
    const auto example = model::loadExperiment(base::resourceFolder() / "examples" / "gpt-4b-8xa100-256k.stagelens.json");
    QVERIFY(example);
    const auto prediction = service::predict(*example, 2);
    QVERIFY(prediction);
    const service::PublishedResult *published = service::publishedFor((*prediction)->experiment);
    QVERIFY(published != nullptr);
    QCOMPARE(published->iteration, base::Nanos{23'959'400'000});
    QVERIFY(published->source.find("2411.05288") != std::string::npos);

    const auto threeWays = model::loadExperiment(base::resourceFolder() / "examples" / "gpt-39b-512xa100.stagelens.json");
    QVERIFY(threeWays);
    const auto ofRanks = service::predict(*threeWays, 2);
    QVERIFY(ofRanks);
    const service::PublishedResult *theirs = service::publishedFor((*ofRanks)->experiment);
    QVERIFY(theirs != nullptr);
    const double error = static_cast<double>((*ofRanks)->metrics.iteration) / static_cast<double>(theirs->iteration) - 1;
    QVERIFY2(std::abs(error) < 0.1, qPrintable(QString::number(error)));
}

void PublishedResults::everyResultIsFoundForItsPlan()
{
    const auto &results = service::publishedResults();
    QVERIFY2(results.ok(), results ? "" : results.error().text().c_str());
    const auto ofThePaper = std::ranges::count_if(
        *results, [](const auto &result) { return result.source.find("2411.05288") != std::string::npos; });
    QCOMPARE(ofThePaper, std::ssize(test::measuredRuns())); // the same figures as the tests of the simulator
    for (const test::MeasuredRun &run : test::measuredRuns()) {
        const auto method = test::methodOf(run);
        model::Experiment experiment = test::measuredExperiment(run, method.value_or(model::VocabularyMethod::None));
        if (!method)
            experiment.schedule.family = "interlaced";
        experiment.training.steps = 3; // how it would be trained here does not matter
        const auto prediction = service::predict(experiment, 2);
        QVERIFY2(prediction.ok(), prediction ? "" : prediction.error().text().c_str());
        const service::PublishedResult *published = service::publishedFor((*prediction)->experiment);
        QVERIFY2(published != nullptr, run.method.c_str());
        QCOMPARE(static_cast<double>(published->iteration) / 1e6, run.iterationMs);
        QCOMPARE(static_cast<double>(published->peakMemory >> 20), run.mostAllocatedMib);
    }
}

void PublishedResults::anotherPlanHasNone()
{
    const auto &results = service::publishedResults();
    QVERIFY(results && !results->empty());
    const model::Experiment plan = results->front().experiment;
    QVERIFY(service::publishedFor(plan) != nullptr);
    model::Experiment other = plan;
    other.parallel.microbatches = 64;
    QVERIFY(service::publishedFor(other) == nullptr);
    other = plan;
    other.cost.source = model::HardwarePreset{"h100-sxm"};
    QVERIFY(service::publishedFor(other) == nullptr);
    other = plan;
    other.model.vocabularySize = 255'999;
    QVERIFY(service::publishedFor(other) == nullptr);
}

/// Qwen3-30B-A3B in bf16 on 16 H100, 16 expert ranks, batches of 1024 sequences of 4096 tokens (Megatron Bridge).
/// No preset and no constant of a cost was fitted to these.
void PublishedResults::expertsAreNearPublished_data()
{
    QTest::addColumn<model::ExpertDispatch>("dispatch");
    QTest::addColumn<double>("between"); // bytes/s of a GPU between nodes; 0: those of the preset
    QTest::addColumn<double>("inside");
    QTest::addColumn<bool>("hasPairs");
    QTest::addColumn<double>("published"); // seconds
    // DeepEP's table for H100 and H800 (deepseek-ai/DeepEP, README and docs/legacy.md): 81 GB/s of the tokens of 2 nodes to
    // combine them, of which one is the rank's own; 153 GB/s inside a node.
    QTest::newRow("one copy for each node") << model::ExpertDispatch::PerNode << 81e9 / 2 << 153e9 << false << 24.71;
    QTest::newRow("all-to-all") << model::ExpertDispatch::PerExpert << 0.0 << 0.0 << false << 41.25;
    QTest::newRow("all-to-all in pairs") << model::ExpertDispatch::PerExpert << 0.0 << 0.0 << true << 31.31;
}

void PublishedResults::expertsAreNearPublished()
{
    QFETCH(model::ExpertDispatch, dispatch);
    QFETCH(double, between);
    QFETCH(double, inside);
    QFETCH(bool, hasPairs);
    QFETCH(double, published);
    auto hardware = model::hardwarePreset("h100-sxm").value();
    if (between > 0) {
        hardware.name = "h100-deepep";
        hardware.betweenNodes.bytesPerSecond = between;
        hardware.insideNode.bytesPerSecond = inside;
    }
    model::Experiment experiment;
    experiment.hasModel = true;
    experiment.model = model::modelPreset("qwen3-30b-a3b").value();
    experiment.parallel.devices = 1;
    experiment.parallel.replicas = experiment.parallel.expert = 16;
    experiment.parallel.microbatches = 64;
    experiment.parallel.expertDispatch = dispatch;
    experiment.parallel.zero = 1;
    experiment.schedule.overlappedPairs = hasPairs;
    experiment.cost.source =
        model::HardwarePreset{hardware.name, between > 0 ? std::make_shared<const model::Hardware>(hardware) : nullptr};
    const auto prediction = service::predict(experiment, 2);
    QVERIFY2(prediction.ok(), prediction ? "" : prediction.error().text().c_str());
    const double seconds = static_cast<double>((*prediction)->metrics.iteration) / base::kNanosPerSecond;
    qInfo("%.2f s predicted, %.2f s published", seconds, published);
    QVERIFY2(std::abs(seconds - published) <= 0.2 * published, qPrintable(QString::number(seconds)));
}

/// Balanced mixtures of experts with products in 8 bits (Megatron Bridge, performance summaries of the containers 26.06 and
/// 26.08), with the plans of their recipes. No preset and no constant of a cost was fitted to these. Theirs of GB300 computes
/// all-to-alls beside the passes of other microbatches, as overlapped pairs and dualpipe-v do here.
void PublishedResults::eightBitsAreNearPublished_data()
{
    QTest::addColumn<QString>("options");
    QTest::addColumn<double>("published"); // tokens/s of a GPU
    const QString experts = "--model qwen3-30b-a3b --devices 1 --replicas 16 --expert-parallel 16 --global-batch 1024 ";
    QTest::newRow("Qwen3-30B-A3B, 16 H100") << experts + "--hardware h100-sxm" << 8826.0;
    const QString deepSeek = "--model deepseek-v3 --hardware gb300-nvl72 --devices 2 --replicas 128 --expert-parallel 32 "
                             "--global-batch 4096 ";
    QTest::newRow("DeepSeek-V3, 256 GB300") << deepSeek + "--schedule interleaved-1f1b --chunks 8 --overlapped-pairs "
                                                          "--stage-layers 4/4/4/4/4/4/4/4/4/4/4/4/4/4/4/1"
                                            << 6288.0;
    QTest::newRow("DeepSeek-V3, 256 GB300, dualpipe-v") << deepSeek + "--schedule dualpipe-v" << 6288.0;
}

void PublishedResults::eightBitsAreNearPublished()
{
    QFETCH(const QString, options);
    QFETCH(const double, published);
    test::CliRunner cli;
    const test::CliAnswer answer = cli.run("simulate " + options + " --zero 1 --dtype fp8 --expert-dispatch node --json");
    QVERIFY2(answer.status == 0, answer.err.constData());
    const QJsonObject timeline = answer.object();
    const double ranks = timeline["experiment"].toObject()["parallel"].toObject()["replicas"].toDouble() *
                         timeline["experiment"].toObject()["parallel"].toObject()["devices"].toDouble();
    const double predicted = timeline["metrics"].toObject()["tokens_per_second"].toDouble() / ranks;
    qInfo("%.0f tokens/s a GPU predicted, %.0f published: step time %+.1f %%", predicted, published,
          100 * (published / predicted - 1));
    QVERIFY(std::abs(published / predicted - 1) <= 0.2);
}

/// A model of 10.5B parameters on 8 A100, 64 sequences (PipeOffload, arXiv 2503.01328, figure 15): 40 stages of a layer, the
/// first and the last with the vocabulary layers alone. MFU in percent and activations in GiB, read off the figure. A GPT with
/// 8 groups of keys; the file of the stack has one constant, fitted to the MFU of the others than PO-F.
void PublishedResults::pipeOffloadIsNearPublished_data()
{
    QTest::addColumn<int>("sequence");
    QTest::addColumn<std::vector<double>>("mfu");
    QTest::addColumn<std::vector<double>>("gibibytes");
    using List = std::vector<double>;
    // GIS, GIS-H, PO-H, PO-F, 1F1B; 0: out of memory, or not run
    QTest::newRow("4096") << 4096 << List{65, 63, 59, 0, 57} << List{13, 8, 3, 0, 12};
    QTest::newRow("8192") << 8192 << List{68, 65, 61, 0, 59} << List{27, 16, 6, 0, 24};
    QTest::newRow("16384") << 16'384 << List{0, 68, 63, 59, 62} << List{0, 32, 12, 9, 48};
    QTest::newRow("32768") << 32'768 << List{0, 0, 65, 64, 0} << List{0, 0, 24, 14, 0};
}

void PublishedResults::pipeOffloadIsNearPublished()
{
    QFETCH(const int, sequence);
    QFETCH(const std::vector<double>, mfu);
    QFETCH(const std::vector<double>, gibibytes);
    const auto cluster = model::loadCluster(base::resourceFolder() / "clusters" / "pipeoffload-2025.json");
    QVERIFY2(cluster.ok(), cluster ? "" : cluster.error().text().c_str());
    const auto predicted = [&](const char *family, std::optional<int> group) {
        model::Experiment experiment;
        experiment.hasModel = true;
        experiment.model = test::gptOf(38, 5120, 40, sequence, 32'000, model::DataType::Bf16);
        experiment.model.kvHeads = 8;
        experiment.parallel.devices = 8;
        experiment.parallel.microbatches = 64;
        experiment.parallel.stageLayers = {4, 5, 5, 5, 5, 5, 5, 4};
        experiment.schedule.recomputeModules = {.norms = true, .activation = true};
        experiment.cost.source = model::HardwarePreset{cluster->name, std::make_shared<const model::Hardware>(*cluster)};
        experiment.schedule.family = family;
        if (family != std::string_view("1f1b")) {
            experiment.schedule.chunks = 5;
            experiment.schedule.groupSize = group;
            experiment.schedule.vocabulary = model::VocabularyMethod::Redis; // allows stages without layers
            experiment.parallel.stageLayers.assign(40, 1);
            experiment.parallel.stageLayers.front() = experiment.parallel.stageLayers.back() = 0;
        }
        const auto prediction = service::predict(experiment, 2);
        if (!prediction)
            qFatal("%s: %s", family, prediction.error().text().c_str());
        base::Bytes most = 0;
        for (const auto &device : (*prediction)->metrics.peakMemoryByCategory)
            most = std::max(most, device[simulate::at(simulate::MemoryCategory::Activations)]);
        // Theirs computes the masks of dropout again: of 18.8 s h bytes of a layer 16.8 remain.
        constexpr double kWithoutMasks = 16.8 / 18.8;
        return std::pair((*prediction)->metrics.mfu.value() * 100, kWithoutMasks * static_cast<double>(most) / (1 << 30));
    };
    const std::vector<std::pair<double, double>> found{predicted("gis", {}), predicted("gis", 4), predicted("po-h", {}),
                                                       predicted("po-f", {}), predicted("1f1b", {})};
    for (std::size_t i = 0; i < found.size(); ++i) {
        qInfo("MFU %.1f %%, published %g; %.2f GiB, published %g", found[i].first, mfu[i], found[i].second, gibibytes[i]);
        if (mfu[i] <= 0)
            continue;
        QVERIFY(std::abs(found[i].first - mfu[i]) <= 4);
        QVERIFY2(std::abs(found[i].second - gibibytes[i]) <= std::max(0.15 * gibibytes[i], 0.6),
                 qPrintable(QString::number(found[i].second)));
        for (std::size_t j = 0; j < found.size(); ++j)
            QVERIFY(mfu[j] <= 0 || mfu[i] <= mfu[j] || found[i].first > found[j].first - 1);
    }
}

STAGELENS_TEST(PublishedResults)

} // namespace integration_published_results

#include "published_results.moc"
