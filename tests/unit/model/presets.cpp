// Presets as files: the ones that come with the program, and damaged ones.
#include "engine/model/presets.h"
#include "engine/base/file.h"
#include "engine/base/log.h"
#include "engine/model/calibration.h"
#include "engine/model/experiment.h"
#include "engine/operators/sizes.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace unit_model_presets {

using namespace stagelens::model;
namespace base = stagelens::base;

class ModelPresets : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("STAGELENS_DATA_DIR", m_folder->path().toUtf8());
    }

    void modelsOfTheContract()
    {
        const auto presets = modelPresets();
        QVERIFY2(presets.ok(), presets.ok() ? "" : presets.error().text().c_str());
        for (const char *name : {"gpt-demo", "llama-demo", "gpt-4b", "gpt-10b", "gpt-21b", "gpt-7b", "gpt-16b", "gpt-30b",
                                 "llama-3-8b", "gemma-2-9b", "gpt2-124m"}) {
            const auto found = modelPreset(name);
            QVERIFY2(found.ok(), name);
            QCOMPARE(found->preset, std::string(name));
        }
        QVERIFY(std::is_sorted(presets->begin(), presets->end(),
                               [](const ModelPreset &a, const ModelPreset &b) { return a.model.preset < b.model.preset; }));
        for (const ModelPreset &preset : *presets)
            QVERIFY(!preset.description.empty() && preset.description.find('\n') == std::string::npos);
    }

    /// Billions of parameters as published: arXiv 2005.14165 (and 2104.04473, table 2), 2201.11990, 2104.04473, 2407.21783.
    void publishedParameterCounts()
    {
        for (const auto &[name, billions] : {std::pair("gpt-3-175b", 174.6),
                                             {"mt-nlg-530b", 529.6},
                                             {"gpt-1t", 1008.0},
                                             {"llama-3-8b", 8.03},
                                             {"llama-3.1-70b", 70.6},
                                             {"llama-3.1-405b", 405.9}}) {
            const auto model = modelPreset(name);
            QVERIFY2(model.ok(), name);
            const double count = static_cast<double>(stagelens::operators::totalParameters(*model)) / 1e9;
            const double digit = billions < 10 ? 0.005 : 0.05; // half of the last digit that is printed
            QVERIFY2(std::abs(count - billions) <= digit * 1.01, qPrintable(QString("%1: %2").arg(name).arg(count)));
        }
    }

    void demoIsTheDefault() { QCOMPARE(*modelPreset("gpt-demo"), ModelConfig{}); }

    void paperModels()
    {
        const auto model = modelPreset("gpt-30b");
        QVERIFY(model.ok());
        QCOMPARE(model->layers, 64);
        QCOMPARE(model->hidden, 6144);
        QCOMPARE(model->heads, 48);
        QCOMPARE(model->ffn, 4 * 6144);
        QCOMPARE(model->dtype, DataType::Fp16);
        QVERIFY(!model->tied);
    }

    void defaultWidths()
    {
        QCOMPARE(defaultFfn(ModelFamily::Gpt, 128), 512);
        QCOMPARE(defaultFfn(ModelFamily::Llama, 128), 384);
        QCOMPARE(defaultFfn(ModelFamily::Llama, 4096), 10944);
        QCOMPARE(defaultFfn(ModelFamily::Gpt, 2'000'000'000), 2'147'483'647);
        QCOMPARE(defaultFfn(ModelFamily::Llama, -5), 0);
    }

    void unknownNamesListTheKnown()
    {
        const auto model = modelPreset("gpt-4");
        QVERIFY(!model.ok());
        QCOMPARE(model.error().problems[0].field, std::string("model.preset"));
        QVERIFY(model.error().text().find("did you mean gpt-4b?") != std::string::npos);
        const auto hardware = hardwarePreset("a100");
        QVERIFY(!hardware.ok());
        QCOMPARE(hardware.error().problems[0].field, std::string("cost.hardware"));
        QVERIFY(hardware.error().text().find("a100-80gb") != std::string::npos);
        for (const char *path : {"", "..", "../models/gpt-demo", "/etc/passwd"})
            QVERIFY(!hardwarePreset(path).ok());
    }

    void hardwareOfTheContract()
    {
        const auto presets = hardwarePresets();
        QVERIFY2(presets.ok(), presets.ok() ? "" : presets.error().text().c_str());
        for (const char *name :
             {"cpu-local", "a100-80gb", "h100-sxm", "h200", "b200", "rtx-4090", "mi300x", "gb200-nvl72", "gb300-nvl72"}) {
            const auto found = hardwarePreset(name);
            QVERIFY2(found.ok(), name);
            QCOMPARE(found->name, std::string(name));
            QVERIFY(found->peakFlops > 1e10 && found->memoryBytesPerSecond > 1e9 && found->insideNode.bytesPerSecond > 1e9);
        }
        QCOMPARE(hardwarePreset("a100-80gb")->peakFlops, 312e12);
        QCOMPARE(hardwarePreset("a100-80gb")->devicesPerNode, 8);
    }

    void hardwareSurvivesTheRoundTrip()
    {
        Hardware hardware = *hardwarePreset("h200");
        hardware.passOverhead = 1234;
        hardware.insideNode.latency = 77'777;
        hardware.matrixEfficiency = 1.0 / 3.0;
        const std::string text = hardwareToJson(hardware);
        const auto back = hardwareFromJson(text, "test");
        QVERIFY2(back.ok(), back.ok() ? "" : back.error().text().c_str());
        QCOMPARE(hardwareToJson(*back), text);
        QCOMPARE(back->passOverhead, base::Nanos{1234});
        QCOMPARE(back->insideNode.latency, base::Nanos{77'777});
        QCOMPARE(back->matrixEfficiency, hardware.matrixEfficiency);
    }

    void plansBeyondTheMeasuredRuns()
    {
        const Hardware a100 = *hardwarePreset("a100-80gb");
        QVERIFY(isMeasured(a100) && a100.measured);
        QVERIFY(isMeasured(*hardwarePreset("cpu-local")) && !isMeasured(*hardwarePreset("b200")));
        Experiment experiment;
        experiment.model.hidden = 1024;
        experiment.model.sequence = 1024;
        QVERIFY(extrapolations(a100, experiment).empty());
        experiment.model.hidden = 1023;
        experiment.parallel.devices = 64;
        experiment.parallel.microbatchSize = 37;
        const auto beyond = extrapolations(a100, experiment);
        QCOMPARE(beyond.size(), 3U);
        QVERIFY(beyond[0].field == "model.hidden" && beyond[0].value == 1023 && beyond[0].measured.least == 1024);
        QVERIFY(beyond[1].field == "parallel.microbatch_size" && beyond[1].value == 37 * 1024);
        QVERIFY(beyond[2].field == "parallel.devices" && beyond[2].measured.most == 32);
        QVERIFY(extrapolations(*hardwarePreset("b200"), experiment).empty());
        const std::string text = hardwareToJson(a100);
        QCOMPARE(hardwareToJson(*hardwareFromJson(text, "test")), text);
    }

    void wrongHardwareIsRefused()
    {
        const std::string text = hardwareToJson(*hardwarePreset("h200"));
        const auto refused = [&](const char *from, const char *to, const char *field) {
            QString changed = QString::fromStdString(text);
            QVERIFY2(changed.contains(from), from);
            changed.replace(from, to);
            const auto hardware = hardwareFromJson(changed.toStdString(), "h.json");
            QVERIFY2(!hardware.ok(), to);
            QVERIFY2(hardware.error().text().find(field) != std::string::npos, hardware.error().text().c_str());
        };
        refused("\"peak_flops\": ", "\"peak_flops\": -", "h.json.peak_flops");
        refused("\"matrix_efficiency\": ", "\"matrix_efficiency\": 1", "h.json.matrix_efficiency");
        refused("\"latency_us\": ", "\"latency_us\": -", "h.json.inside_node.latency_us");
        refused("\"bytes_per_second\": ", "\"bytes\": ", "h.json.between_nodes.bytes_per_second: missing");
        refused("\"devices_per_node\": 8", "\"devices_per_node\": 0", "h.json.devices_per_node");
        refused("\"memory_capacity_bytes\": ", "\"memory_capacity_bytes\": -", "h.json.memory_capacity_bytes");
        refused("\"peak_flops\"", "\"peak\"", "h.json.peak: unknown");
        QVERIFY(!hardwareFromJson("{", "h.json").ok());
    }

    void measuredMachineIsPreferred()
    {
        Hardware measured = *hardwarePreset("cpu-local");
        measured.peakFlops = 4.2e10;
        QVERIFY(base::writeFile(base::dataFolder() / "cpu-local.json", hardwareToJson(measured)).ok());
        QCOMPARE(hardwarePreset("cpu-local")->peakFlops, 4.2e10);
        const auto all = hardwarePresets();
        QVERIFY(std::any_of(all->begin(), all->end(), [](const Hardware &hardware) { return hardware.peakFlops == 4.2e10; }));
    }

    void theGpuIsAPresetOnceItIsMeasured()
    {
        const auto names = [] {
            std::vector<std::string> all;
            for (const Hardware &hardware : *hardwarePresets())
                all.push_back(hardware.name);
            return all;
        };
        const auto missing = hardwarePreset("gpu-local");
        QVERIFY(!missing.ok());
        QVERIFY2(missing.error().text().find("bench --calibrate --backend cuda") != std::string::npos,
                 missing.error().text().c_str());
        const std::vector<std::string> before = names();
        QVERIFY(std::ranges::find(before, "gpu-local") == before.end());

        Hardware measured = *hardwarePreset("h200");
        measured.name = kLocalGpu;
        measured.peakFlops = 4.2e14;
        QVERIFY(base::writeFile(calibrationFile(kLocalGpu), calibrationToJson({measured, 0.03})).ok());
        QCOMPARE(hardwarePreset("gpu-local")->peakFlops, 4.2e14);
        QVERIFY(isMeasured(*hardwarePreset("gpu-local")));
        QCOMPARE(calibrationSpread(kLocalGpu), std::optional(0.03));
        const std::vector<std::string> after = names();
        QCOMPARE(after.size(), before.size() + 1);
        QVERIFY(std::ranges::is_sorted(after) && std::ranges::find(after, "gpu-local") != after.end());

        QVERIFY(base::writeFile(calibrationFile(kLocalGpu), "{").ok());
        QVERIFY(!hardwarePreset("gpu-local").ok());
        QCOMPARE(names(), before);
    }

    void damagedMeasurementFallsBackWithAWarning()
    {
        const double general = hardwarePreset("cpu-local")->peakFlops;
        QVERIFY(base::writeFile(base::dataFolder() / "cpu-local.json", "{\"name\": ").ok());
        std::vector<std::string> warnings;
        base::setLogSink([&](base::LogLevel level, std::string_view text) {
            if (level == base::LogLevel::Warning)
                warnings.emplace_back(text);
        });
        const auto hardware = hardwarePreset("cpu-local");
        QVERIFY(hardwarePreset("cpu-local").ok());
        base::setLogSink({});
        QVERIFY(hardware.ok());
        QCOMPARE(hardware->peakFlops, general);
        QCOMPARE(warnings.size(), std::size_t{1});
        QVERIFY2(warnings.front().find("bench --calibrate") != std::string::npos, warnings.front().c_str());
    }

    void missingResourcesAreAMessage()
    {
        const QByteArray resources = qgetenv("STAGELENS_RESOURCES");
        qputenv("STAGELENS_RESOURCES", m_folder->filePath("nowhere").toUtf8());
        const auto models = modelPresets();
        const auto hardware = hardwarePreset("h200");
        if (resources.isEmpty())
            qunsetenv("STAGELENS_RESOURCES");
        else
            qputenv("STAGELENS_RESOURCES", resources);
        QVERIFY(!models.ok() && !hardware.ok());
        QVERIFY(models.error().text().find("STAGELENS_RESOURCES") != std::string::npos);
    }

    void damagedPresetFilesAreAllReported()
    {
        const QByteArray resources = qgetenv("STAGELENS_RESOURCES");
        QDir(m_folder->path()).mkpath("models");
        const std::filesystem::path models = m_folder->filePath("models").toStdString();
        const std::string_view good =
            R"({"name": "b", "description": "b", "family": "gpt", "layers": 1, "hidden": 8, "heads": 2,
                                          "sequence": 4, "vocabulary_size": 16})";
        QVERIFY(base::writeFile(models / "a.json", "{").ok());
        QVERIFY(base::writeFile(models / "b.json", good).ok());
        QVERIFY(base::writeFile(models / "c.json", good).ok());
        QVERIFY(base::writeFile(models / "d.json", R"({"name": "d", "family": "gpt", "layers": 0})").ok());
        qputenv("STAGELENS_RESOURCES", m_folder->path().toUtf8());
        const auto all = modelPresets();
        const auto b = modelPreset("b");
        if (resources.isEmpty())
            qunsetenv("STAGELENS_RESOURCES");
        else
            qputenv("STAGELENS_RESOURCES", resources);
        QVERIFY(b.ok());
        QCOMPARE(b->ffn, 32);
        QVERIFY(!all.ok());
        const std::string text = all.error().text();
        for (const char *part :
             {"a.json: ends", "c.json: is named b inside", "d.json.description: missing", "d.json.hidden: missing"})
            QVERIFY2(text.find(part) != std::string::npos, text.c_str());
        QVERIFY(text.find("b.json") == std::string::npos);
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

STAGELENS_TEST(ModelPresets)

} // namespace unit_model_presets

#include "model/presets.moc"
