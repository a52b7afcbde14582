// The experiment as a document: the contract's form, what may be absent, and every problem of a wrong one with its field.
#include "engine/base/file.h"
#include "engine/model/experiment_json.h"
#include "engine/model/presets.h"
#include "engine/model/schema.h"
#include "engine/operators/stage_layers.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <nlohmann/json.hpp>

namespace unit_experiment_document {

using namespace stagelens::model;
using stagelens::base::Problem;

namespace {

std::string document(const std::string &members)
{
    return R"({"stagelens": "experiment/1")" + (members.empty() ? "" : ", " + members) + "}";
}

Experiment read(const std::string &members)
{
    const auto experiment = experimentFromJson(document(members), "test");
    if (!experiment)
        qFatal("%s", experiment.error().text().c_str());
    return *experiment;
}

stagelens::base::Problems problemsOf(const std::string &text)
{
    const auto experiment = experimentFromJson(text, "file.json");
    return experiment ? stagelens::base::Problems{} : experiment.error().problems;
}

bool has(const stagelens::base::Problems &problems, const std::string &field, const std::string &part)
{
    return std::any_of(problems.begin(), problems.end(), [&](const Problem &problem) {
        return problem.field == field && problem.message.find(part) != std::string::npos;
    });
}

} // namespace

class ExperimentDocument : public QObject {
    Q_OBJECT
private slots:
    void llamasOwnChoicesComeBack()
    {
        Experiment experiment;
        experiment.model = *modelPreset("gemma-2-9b");
        QCOMPARE(experimentFromJson(toJson(experiment).dump(), "a")->model, experiment.model);
        QCOMPARE(toJson(experiment)["model"]["head_dim"].get<int>(), 256);
        experiment.model.preset = "custom";
        experiment.model.headDim.reset();
        QVERIFY(!toJson(experiment)["model"].contains("head_dim"));
        QVERIFY(!toJson(experiment)["model"].contains("rope_theta"));
        QCOMPARE(experimentFromJson(toJson(experiment).dump(), "a")->model, experiment.model);
        experiment.model.rmsNormEpsilon = 1e-5;
        experiment.model.ropeTheta = 500000;
        experiment.model.ropeScaling = RopeScaling{32, 1, 4, 8192};
        QCOMPARE(experimentFromJson(toJson(experiment).dump(), "a")->model, experiment.model);
        const auto follows =
            experimentFromJson(R"({"stagelens":"experiment/1","model":{"preset":"gemma-2-9b","heads":8}})", "a");
        QCOMPARE(follows->model.headSize(), 448); // hidden / heads
        const auto bad = experimentFromJson(
            R"({"stagelens":"experiment/1","model":{"preset":"llama-demo","rope_scaling":{"factor":8}}})", "a");
        QVERIFY(!bad);
        QCOMPARE(bad.error().problems.front().field, std::string("model.rope_scaling.low_freq_factor"));
    }

    void formOfTheContract()
    {
        // A small experiment document in one line.
        const std::string contract =
            R"({"stagelens":"experiment/2","model":{"preset":"gpt-demo","family":"gpt","layers":8,"hidden":128,"heads":4,"kv_heads":4,)"
            R"("ffn":512,"sequence":128,"vocabulary_size":8192,"tied":false,"dtype":"fp32"},"parallel":{"devices":4,"microbatches":16,)"
            R"("microbatch_size":1,"stage_layers":[2,2,2,2]},"schedule":{"family":"1f1b","vocabulary":"none",)"
            R"("vocabulary_order":"published","chunks":1,"recompute":"none"},"cost":{"hardware":"cpu-local"},"training":{"backend":"cpu",)"
            R"("mode":"virtual-clock","steps":50,"seed":1,"data":"synthetic","optimizer":{"name":"adamw","lr":0.001,"betas":[0.9,0.95],)"
            R"("weight_decay":0.0,"clip":null}}})";
        const Experiment expected = stagelens::operators::resolved(Experiment{}, 2);
        QCOMPARE(toJson(expected).dump(), contract);
        const auto back = experimentFromJson(contract, "test");
        QVERIFY(back.ok());
        QCOMPARE(*back, expected);
    }

    /// A document that names an optimizer has its usual options where it gives none.
    void optionsOfOptimizers()
    {
        const auto choiceOf = [](const char *optimizer) {
            const std::string text = std::string(R"({"stagelens":"experiment/2","training":{"optimizer":)") + optimizer + "}}";
            return experimentFromJson(text, "a")->training.optimizer;
        };
        QCOMPARE(choiceOf(R"({"name":"lion"})").learningRate, 1e-4);
        QCOMPARE(choiceOf(R"({"name":"lion"})").beta2, 0.99);
        QCOMPARE(choiceOf(R"({"name":"lion","lr":0.001,"betas":[0.9,0.95]})").learningRate, 0.001);
        QCOMPARE(choiceOf(R"({"name":"lion","lr":0.001,"betas":[0.9,0.95]})").beta2, 0.95);
        QCOMPARE(choiceOf(R"({"name":"sgd","momentum":0.5})").momentum, 0.5);
        Experiment experiment;
        experiment.training.optimizer = {.name = "muon", .clip = {}, .momentum = 0.95, .tableRate = 0.01};
        QCOMPARE(experimentFromJson(toJson(experiment).dump(), "a")->training.optimizer, experiment.training.optimizer);
        const auto written = toJson(Experiment{})["training"]["optimizer"];
        for (const char *key : {"momentum", "table_lr", "scale_parameter"})
            QVERIFY2(!written.contains(key), key);
    }

    /// Documents say nothing of whole logits, as those before there were chunks.
    void chunksOfTheLogits()
    {
        const auto kindOf = [](const char *word) {
            return problemsOf(document(std::string("\"schedule\": {\"vocabulary_kind\": \"") + word + "\"}"));
        };
        const auto whole = experimentFromJson(R"({"stagelens":"experiment/2"})", "a");
        QCOMPARE(whole->schedule.vocabularyKind, VocabularyKind::Full);
        QVERIFY(!toJson(*whole)["schedule"].contains("vocabulary_kind"));
        const auto chunked =
            experimentFromJson(R"({"stagelens":"experiment/2","schedule":{"vocabulary_kind":"chunked=8"}})", "a");
        QVERIFY(chunked.ok());
        QCOMPARE(chunked->schedule.vocabularyKind, VocabularyKind::Chunked);
        QCOMPARE(chunked->schedule.logitChunks, 8);
        QCOMPARE(toJson(*chunked)["schedule"]["vocabulary_kind"].get<std::string>(), std::string("chunked=8"));
        const char *const field = "schedule.vocabulary_kind";
        QVERIFY(has(kindOf("chunked"), field, "without the number of chunks; choose chunked=8"));
        QVERIFY(has(kindOf("chunked=two"), field, "without the number of chunks; choose chunked=8"));
        QVERIFY(has(kindOf("chunked=0"), field, "choose chunked=1"));
        QVERIFY(has(kindOf("chunked=3000000000"), field, "choose chunked=2147483647"));
        QVERIFY(has(kindOf("factorised"), field, "without the width of the tables; choose factorised=128"));
        QVERIFY(has(kindOf("factorised=0"), field, "tables have 1 to 16777216 columns"));
        QVERIFY(has(kindOf("hashed"), field, "without the number of hashes; choose hashed=2"));
        QVERIFY(has(kindOf("hashed=9"), field, "there are 0 to 8 hashes"));
        QCOMPARE(experimentFromJson(R"({"stagelens":"experiment/2","schedule":{"vocabulary_kind":"hashed=3"}})", "a")
                     ->model.inputHashes,
                 3);
        QVERIFY(has(kindOf("heads"), field, "without the number of heads; choose heads=2"));
        QVERIFY(has(kindOf("heads=17"), field, "there are 1 to 16 heads"));
        QCOMPARE(experimentFromJson(R"({"stagelens":"experiment/2","schedule":{"vocabulary_kind":"heads=3"}})", "a")
                     ->model.outputHeads,
                 3);
        QVERIFY(has(kindOf("full=2"), field, "choose full, recompute-logits, a number of chunks"));
        QVERIFY(has(kindOf("chunky"), field, "choose full, recompute-logits"));
    }

    /// The width of the tables belongs to the model, whatever is kept of the logits.
    void widthOfTheVocabulary()
    {
        const auto read = [](const char *text) { return experimentFromJson(text, "a").value(); };
        const auto full = read(R"({"stagelens":"experiment/2"})");
        QVERIFY(!full.model.isFactorised());
        QCOMPARE(full.model.tableWidth(), 128);
        QVERIFY(!toJson(full)["model"].contains("vocabulary_width"));
        const auto factorised = read(R"({"stagelens":"experiment/2","schedule":{"vocabulary_kind":"factorised=32"}})");
        QCOMPARE(factorised, read(R"({"stagelens":"experiment/2","model":{"vocabulary_width":32}})"));
        QCOMPARE(factorised.model.tableWidth(), 32);
        QCOMPARE(factorised.model.preset, std::string("custom"));
        QCOMPARE(factorised.schedule, full.schedule);
        QCOMPARE(toJson(factorised)["model"]["vocabulary_width"].get<int>(), 32);
        Experiment experiment = factorised;
        QCOMPARE(edit(experiment, schemaField("schedule.vocabulary_kind"), std::string("chunked=4")), std::string());
        QCOMPARE(experiment.model.tableWidth(), 32);
        QCOMPARE(experiment.schedule.logitChunks, 4);
    }

    /// Version 1 has no axes beside the pipeline: each is 1. Documents leave out what is 1.
    void axesOfTheMesh()
    {
        QCOMPARE(experimentFromJson(R"({"stagelens":"experiment/1"})", "a")->parallel, ParallelPlan());
        const auto parallel = toJson(Experiment{})["parallel"];
        for (const char *key : {"tensor", "context", "replicas", "expert", "zero", "rank_order"})
            QVERIFY2(!parallel.contains(key), key);
        Experiment experiment;
        experiment.parallel.tensor = 2;
        experiment.parallel.context = 3;
        experiment.parallel.replicas = 4;
        experiment.parallel.expert = 8;
        experiment.parallel.zero = 1;
        experiment.parallel.rankOrder = "tp-cp-pp-dp";
        const auto back = experimentFromJson(toJson(experiment).dump(), "a");
        QVERIFY(back.ok());
        QCOMPARE(*back, experiment);
    }

    void absentMembersKeepDefaults()
    {
        QCOMPARE(read(""), Experiment{});
        QCOMPARE(read(R"("parallel": {}, "schedule": {}, "cost": {}, "training": {"optimizer": {}}, "model": {})"),
                 Experiment{});
        QCOMPARE(read(R"("training": {"mode": null}, "parallel": {"stage_layers": null})"), Experiment{});
    }

    void presetFillsTheModel()
    {
        const Experiment llama = read(R"("model": {"preset": "llama-3-8b"})");
        QCOMPARE(llama.model.preset, std::string("llama-3-8b"));
        QCOMPARE(llama.model.ffn, 14336);
        QCOMPARE(llama.model.kvHeads, 8);
        const Experiment longer = read(R"("model": {"preset": "gpt-4b", "sequence": 4096})");
        QCOMPARE(longer.model.preset, std::string("custom"));
        QCOMPARE(longer.model.sequence, 4096);
        QCOMPARE(longer.model.ffn, 12288);
        // Without a preset, ffn and kv_heads follow from hidden, heads and family.
        const Experiment own = read(R"("model": {"family": "llama", "hidden": 256, "heads": 8})");
        QCOMPARE(own.model.ffn, 704);
        QCOMPARE(own.model.kvHeads, 8);
        // Naming every field as the preset has it is the preset.
        QCOMPARE(read(R"("model": {"preset": "gpt-demo", "hidden": 128, "ffn": 512})").model.preset, std::string("gpt-demo"));
    }

    void completeShapeNeedsNoPreset()
    {
        nlohmann::ordered_json json = toJson(Experiment{});
        json["model"]["preset"] = "a-preset-of-tomorrow";
        const auto experiment = experimentFromJson(json.dump(), "test");
        QVERIFY(experiment.ok());
        QCOMPARE(experiment->model.preset, std::string("custom"));
        QCOMPARE(experiment->model.vocabularySize, 8192);
    }

    void teachingExample()
    {
        for (const char *model : {"", R"("model": null, )"}) {
            const Experiment experiment =
                read(std::string(model) + R"("cost": {"uniform": {"F": 1, "B": 2.5}, "collectives": "blocking"})");
            QVERIFY(!experiment.hasModel);
            QCOMPARE(std::get<UniformCosts>(experiment.cost.source).milliseconds.at("B"), 2.5);
            QCOMPARE(experiment.cost.collectives, Collectives::Blocking);
            const auto json = toJson(experiment);
            QVERIFY(json["model"].is_null());
            QCOMPARE(json["cost"].dump(), std::string(R"({"uniform":{"B":2.5,"F":1.0},"collectives":"blocking"})"));
        }
        QVERIFY(read(R"("model": {}, "cost": {"durations": "a.csv"})").hasModel);
    }

    void uniformPerStageIsWhatADocumentWithoutItMeans()
    {
        const auto perOf = [](const std::string &cost) {
            return std::get<UniformCosts>(read(R"("cost": {"uniform": {"F": 1})" + cost + "}").cost.source).per;
        };
        QVERIFY(perOf("") == UniformPer::Stage);
        QVERIFY(perOf(R"(, "per": "stage")") == UniformPer::Stage);
        QVERIFY(perOf(R"(, "per": "device")") == UniformPer::Device);
        const Experiment device = read(R"("cost": {"per": "device", "uniform": {"F": 1}})");
        QCOMPARE(toJson(device)["cost"].dump(), std::string(R"({"uniform":{"F":1.0},"per":"device"})"));
        const auto problems = problemsOf(document(R"("cost": {"uniform": {"F": 1}, "per": "devise"})"));
        QVERIFY(has(problems, "cost.per", "did you mean device?"));
        QVERIFY(has(problemsOf(document(R"("cost": {"hardware": "h200", "per": "device"})")), "cost.per", "uniform"));
    }

    void everyProblemHasItsField()
    {
        const auto problems = problemsOf(document(
            R"("model": {"hiden": 3, "layers": 1.5, "family": "gtp", "tied": 1}, "extra": 0,
               "parallel": {"devices": 99999999999, "microbatches": 18446744073709551615, "stage_layers": [1, true]},
               "schedule": {"vocabulary": "vocab1", "chunks": "2"}, "cost": {"hardware": 3, "uniform": {"F": "x"}},
               "training": {"seed": -1, "mode": "fast", "optimizer": {"betas": [1], "lr": null, "clip": "x"}})"));
        QVERIFY(has(problems, "model.hiden", "did you mean hidden?"));
        QVERIFY(has(problems, "model.layers", "whole number, not 1.5"));
        QVERIFY(has(problems, "model.family", "did you mean gpt?"));
        QVERIFY(has(problems, "model.tied", "true or false"));
        QVERIFY(has(problems, "extra", "unknown"));
        QVERIFY(has(problems, "parallel.devices", "99999999999"));
        QVERIFY(has(problems, "parallel.microbatches", "18446744073709551615"));
        QVERIFY(has(problems, "parallel.stage_layers", "entry 1"));
        QVERIFY(has(problems, "schedule.vocabulary", "did you mean vocab-1?"));
        QVERIFY(has(problems, "schedule.chunks", "whole number, not text"));
        QVERIFY(has(problems, "cost.hardware", "text"));
        QVERIFY(has(problems, "cost.uniform.F", "a number, not text"));
        QVERIFY(has(problems, "cost", "more than one source"));
        QVERIFY(has(problems, "training.seed", "-1"));
        QVERIFY(has(problems, "training.mode", "virtual-clock"));
        QVERIFY(has(problems, "training.optimizer.betas", "give two"));
        QVERIFY(has(problems, "training.optimizer.lr", "not null"));
        QVERIFY(has(problems, "training.optimizer.clip", "not text"));
        QCOMPARE(problems.size(), std::size_t{18});
    }

    void unknownPresetListsTheNames()
    {
        const auto problems = problemsOf(document(R"("model": {"preset": "gpt-dmo"})"));
        QVERIFY(has(problems, "model.preset", "llama-3-8b"));
        QVERIFY(has(problems, "model.preset", "did you mean gpt-demo?"));
        QVERIFY(has(problemsOf(document(R"("model": {"preset": "../models/gpt-demo"})")), "model.preset", "choose"));
    }

    void versions()
    {
        QVERIFY(has(problemsOf(R"({"stagelens": "experiment/3", "novelty": 1})"), "stagelens",
                    "`experiment/2` and `experiment/1` only"));
        QCOMPARE(problemsOf(R"({"stagelens": "experiment/3", "novelty": 1})").size(), std::size_t{1});
        QVERIFY(has(problemsOf("{}"), "stagelens", "missing"));
        QVERIFY(has(problemsOf(R"({"stagelens": 1})"), "stagelens", "a number"));
    }

    void damagedTexts()
    {
        QVERIFY(has(problemsOf(""), "file.json", "is empty"));
        QVERIFY(has(problemsOf(document("").substr(0, 20)), "file.json", "cut short"));
        QVERIFY(has(problemsOf("{\"stagelens\":\n }"), "file.json", "line 2, column 2"));
        QVERIFY(has(problemsOf("[1]"), "file.json", "a list"));
        QVERIFY(has(problemsOf("{\"a\": 1e999}"), "file.json", "not JSON"));
        QVERIFY(has(problemsOf("{\"a\": NaN}"), "file.json", "not JSON"));
        QVERIFY(has(problemsOf("{\"a\": \"\xff\"}"), "file.json", "not JSON"));
        QVERIFY(has(problemsOf(document(R"("cost": {}, "cost": {})")), "file.json", "twice"));
    }

    void hostileTexts()
    {
        QVERIFY(has(problemsOf(std::string(1'000'000, '[')), "file.json", "deeper than 32"));
        std::string nested;
        for (int i = 0; i < 100'000; ++i)
            nested += "{\"a\":";
        QVERIFY(has(problemsOf(nested), "file.json", "deeper than 32"));
        std::string wide = "{";
        for (int i = 0; i < 100'000; ++i)
            wide += "\"k" + std::to_string(i) + "\":0,";
        QVERIFY(has(problemsOf(wide + "\"end\":0}"), "file.json", "256 members"));
        QVERIFY(has(problemsOf(std::string((16U << 20U) + 1, ' ')), "file.json", "16.0 MiB"));
        const auto problems = problemsOf(document("\"" + std::string(1'000'000, 'x') + "\\u001b\": 0"));
        QCOMPARE(problems.size(), std::size_t{1});
        QVERIFY(problems[0].field.size() < 100);
    }

    void filesSurviveTheRoundTrip()
    {
        const QTemporaryDir folder;
        const std::filesystem::path file = folder.filePath("a.stagelens.json").toStdString();
        Experiment experiment;
        experiment.training.data = "Bücher/Straße.txt";
        experiment.parallel.devices = 2;
        QVERIFY(saveExperiment(experiment, file).ok());
        const auto loaded = loadExperiment(file);
        QVERIFY(loaded.ok());
        QCOMPARE(*loaded, experiment);
        const auto missing = loadExperiment(folder.filePath("b.json").toStdString());
        QVERIFY(!missing.ok());
        QVERIFY(missing.error().text().find("b.json: cannot be read: it does not exist") != std::string::npos);
        QVERIFY(!saveExperiment(experiment, file / "below").ok());
    }

    void aPlanMovesWithItsFiles()
    {
        const QTemporaryDir top;
        const std::filesystem::path here = top.filePath("here").toStdString();
        const std::filesystem::path there = top.filePath("there").toStdString();
        std::filesystem::create_directory(here);
        for (const char *name : {"mine.csv", "durations.csv", "text.txt"})
            QVERIFY(stagelens::base::writeFile(here / name, "").ok());
        Experiment experiment;
        experiment.schedule.file = here / "mine.csv";
        experiment.cost.source = DurationsFile{here / "durations.csv"};
        experiment.training.data = here / "text.txt";
        QVERIFY(saveExperiment(experiment, here / "a.json").ok());
        std::filesystem::rename(here, there);
        auto moved = loadExperiment(there / "a.json");
        QVERIFY(moved.ok());
        QCOMPARE(moved->schedule.file, (there / "mine.csv").string());
        QCOMPARE(std::get<DurationsFile>(moved->cost.source).file, (there / "durations.csv").string());
        QCOMPARE(moved->training.data, (there / "text.txt").string());
        // From elsewhere, and the word stays one though a file bears its name.
        moved->training.data = "synthetic";
        QVERIFY(stagelens::base::writeFile(top.filePath("synthetic").toStdString(), "").ok());
        QVERIFY(saveExperiment(*moved, top.filePath("b.json").toStdString()).ok());
        QCOMPARE(*loadExperiment(top.filePath("b.json").toStdString()), *moved);
    }

    void examplesAreSoundAndAsWritten()
    {
        const std::filesystem::path folder = stagelens::base::resourceFolder() / "examples";
        const QTemporaryDir copies;
        for (const char *stem :
             {"demo-slow-last-device", "textbook-1f1b", "gpt-4b-8xa100-256k", "two-schedules-equal-memory"}) {
            const std::filesystem::path file = folder / (std::string(stem) + ".stagelens.json");
            const auto experiment = loadExperiment(file);
            QVERIFY2(experiment.ok(), experiment.ok() ? "" : experiment.error().text().c_str());
            QCOMPARE(validate(*experiment), stagelens::base::Problems{});
            const std::filesystem::path copy = copies.filePath("copy").toStdString();
            QVERIFY(saveExperiment(*experiment, copy).ok());
            QCOMPARE(*stagelens::base::readFile(copy, 1 << 20), *stagelens::base::readFile(file, 1 << 20));
        }
    }
};

STAGELENS_TEST(ExperimentDocument)

} // namespace unit_experiment_document

#include "experiment_document.moc"
