// Runs from a folder in Hugging Face layout: our dumps, files of transformers, and invalid ones.
#include "engine/runtime/training/initial_parameters.h"
#include "engine/base/file.h"
#include "engine/exchange/huggingface_config.h"
#include "engine/exchange/safetensors.h"
#include "kernels/include/layernorm.h"
#include "kernels/include/rmsnorm.h"
#include "kernels/include/rotary.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

namespace integration_initial_parameters {

using namespace stagelens;
using exchange::TensorView;
using model::VocabularyMethod;
using test::scheduleOf;

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

model::Experiment tiny(bool isLlama, bool tied = false)
{
    auto experiment = test::tinyExperiment("1f1b", VocabularyMethod::Vocab1, 2, 3);
    experiment.model.tied = tied;
    experiment.training.steps = 2;
    return isLlama ? test::asLlama(experiment, 2) : experiment;
}

std::string textOf(const fs::path &file)
{
    return base::readFile(file, base::Bytes{1} << 26).value();
}

/// The tensors of a file, which tests change and write again.
struct NamedTensor {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<float> values;
};
std::vector<NamedTensor> tensorsOf(const fs::path &file)
{
    const auto read = exchange::SafetensorsFile::read(file);
    if (!read)
        qFatal("%s", read.error().text().c_str());
    std::vector<NamedTensor> tensors;
    for (const auto &entry : read->entries())
        tensors.push_back({entry.name, entry.shape, read->floats(entry.name, entry.shape).value()});
    return tensors;
}
void write(const fs::path &file, std::span<const NamedTensor> tensors)
{
    std::vector<TensorView> views;
    for (const NamedTensor &tensor : tensors)
        views.push_back({tensor.name, tensor.shape, std::span<const float>(tensor.values)});
    if (!exchange::writeSafetensors(file, views))
        qFatal("cannot write %s", file.c_str());
}

} // namespace

class InitialParameters : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder.path().toUtf8());
    }

    void ownDumpsStartRunsAgain_data() { bothFamilies(); }
    void ownDumpsStartRunsAgain()
    {
        QFETCH(bool, isLlama);
        auto experiment = tiny(isLlama, true);
        const fs::path first = dumped(experiment, "first");
        const fs::path second = m_folder.filePath("second").toStdString();
        // With another seed, schedule and number of devices, the run starts from the same parameters.
        auto other = isLlama ? test::asLlama(test::tinyExperiment("zb-h1", VocabularyMethod::None, 4, 3), 2)
                             : test::tinyExperiment("zb-h1", VocabularyMethod::None, 4, 3);
        other.model.tied = true;
        other.training.steps = 1;
        other.training.seed = 99;
        QVERIFY(runtime::train(other, scheduleOf(other), {second, first}, {}, {}).ok());
        QVERIFY(textOf(first / "model.safetensors") == textOf(second / "model.safetensors"));
        QCOMPARE(fs::file_size(first / "tokens.bin"), std::uintmax_t{2 * 3 * 17 * 4}); // steps, rows, sequence + 1
    }

    void configurationComesBack_data() { bothFamilies(); }
    void configurationComesBack()
    {
        QFETCH(bool, isLlama);
        const auto experiment = tiny(isLlama, true);
        const fs::path file = m_folder.filePath("config.json").toStdString();
        QVERIFY(base::writeFile(file, exchange::huggingFaceConfig(experiment.model)).ok());
        const auto read = exchange::readHuggingFaceConfig(file);
        QVERIFY(read.ok());
        QCOMPARE(read->shape, experiment.model);
        QVERIFY(read->differences.empty());
        const Json config = Json::parse(textOf(file));
        if (isLlama) {
            QCOMPARE(static_cast<float>(config["rms_norm_eps"].get<double>()), kernels::kRmsNormEpsilon);
            QCOMPARE(config["rope_theta"].get<double>(), kernels::kRotaryTheta);
            QCOMPARE(config["num_key_value_heads"].get<int>(), 2);
        } else {
            QCOMPARE(static_cast<float>(config["layer_norm_epsilon"].get<double>()), kernels::kLayerNormEpsilon);
        }
    }

    /// save_pretrained() with a small max_shard_size; and the names of a body saved alone, with the buffers of old versions.
    void partsAndBodiesAreRead_data() { bothFamilies(); }
    void partsAndBodiesAreRead()
    {
        QFETCH(bool, isLlama);
        const auto experiment = tiny(isLlama);
        const fs::path folder = dumped(experiment, "parts");
        const runtime::RunPlan plan(experiment, scheduleOf(experiment));
        const auto expected = runtime::readParameters(folder, plan);
        QVERIFY(expected.ok());
        std::vector<NamedTensor> tensors = tensorsOf(folder / "model.safetensors");
        const std::size_t half = tensors.size() / 2;
        const std::span all(tensors);
        fs::remove(folder / "model.safetensors");
        write(folder / "model-00001-of-00002.safetensors", all.first(half));
        write(folder / "model-00002-of-00002.safetensors", all.subspan(half));
        Json map;
        for (std::size_t i = 0; i < tensors.size(); ++i)
            map[tensors[i].name] = i < half ? "model-00001-of-00002.safetensors" : "model-00002-of-00002.safetensors";
        const fs::path index = folder / "model.safetensors.index.json";
        QVERIFY(base::writeFile(index, Json{{"weight_map", map}}.dump()).ok());
        auto read = runtime::readParameters(folder, plan);
        QVERIFY2(read.ok(), read ? "" : read.error().text().c_str());
        QVERIFY(read->values == expected->values);

        map.begin().value() = "../model-00001-of-00002.safetensors";
        QVERIFY(base::writeFile(index, Json{{"weight_map", map}}.dump()).ok());
        QVERIFY(refusal(folder, experiment).contains("must be a .safetensors file of the same folder"));
        map.begin().value() = "model-00002-of-00002.safetensors";
        QVERIFY(base::writeFile(index, Json{{"weight_map", map}}.dump()).ok());
        QVERIFY(refusal(folder, experiment).contains("as the index says"));
        QVERIFY(base::writeFile(index, "[]").ok());
        QVERIFY(refusal(folder, experiment).contains("weight_map"));

        for (NamedTensor &tensor : tensors)
            if (!tensor.name.starts_with("lm_head"))
                tensor.name = tensor.name.substr(tensor.name.find('.') + 1);
        tensors.push_back({"h.0.attn.bias", {1, 1, 2, 2}, {1, 0, 1, 1}});
        write(folder / "model.safetensors", tensors);
        read = runtime::readParameters(folder, plan);
        QVERIFY2(read.ok(), read ? "" : read.error().text().c_str());
        QVERIFY(read->values == expected->values);
    }

    void otherModelsAreRefused_data()
    {
        QTest::addColumn<bool>("isLlama");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("said");
        const auto row = [](bool isLlama, const char *key, const char *value, const char *said) {
            QTest::addRow("%s %s", key, value) << isLlama << QString(key) << QString(value) << QString(said);
        };
        row(true, "rms_norm_eps", "1e-5", "model.rms_norm_eps: is 1e-06, but 1e-05");
        row(true, "rms_norm_eps", "\"small\"", "must be a number above 0");
        row(true, "rope_theta", "500000.0", "model.rope_theta: is 10000, but 500000");
        row(true, "rope_scaling", R"({"rope_type": "llama3", "factor": 8.0})", "no low_freq_factor above 0");
        row(true, "rope_scaling", R"({"rope_type": "yarn", "factor": 8.0})", "computes llama3 and default only");
        row(true, "rope_scaling", R"({"type": "linear", "factor": 2.0})", "computes llama3 and default only");
        row(true, "rope_scaling",
            R"({"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1, "high_freq_factor": 4,
                "original_max_position_embeddings": 8192})",
            "model.rope_scaling: is another");
        row(true, "partial_rotary_factor", "0.5", "partial_rotary_factor");
        row(true, "attention_bias", "true", "attention_bias");
        row(true, "head_dim", "16", "head_dim");
        row(true, "num_key_value_heads", "4", "model.kv_heads");
        row(true, "num_attention_heads", "8", "model.heads");
        row(true, "model_type", R"("gpt2")", "n_layer");
        row(true, "model_type", R"("mamba")", "mamba");
        row(true, "hidden_act", R"("gelu")", "silu");
        row(true, "tie_word_embeddings", "true", "choose --tied");
        row(false, "layer_norm_epsilon", "1e-6", "layer_norm_epsilon");
        row(false, "scale_attn_by_inverse_layer_idx", "true", "scale_attn_by_inverse_layer_idx");
        row(false, "n_head", "2", "model.heads");
        row(false, "activation_function", R"("relu")", "gelu_new");
    }
    void otherModelsAreRefused()
    {
        QFETCH(bool, isLlama);
        QFETCH(QString, key);
        QFETCH(QString, value);
        QFETCH(QString, said);
        const auto experiment = tiny(isLlama);
        const fs::path folder = dumped(experiment, "other");
        Json config = Json::parse(textOf(folder / "config.json"));
        config[key.toStdString()] = Json::parse(value.toStdString());
        QVERIFY(base::writeFile(folder / "config.json", config.dump()).ok());
        const QString text = refusal(folder, experiment);
        QVERIFY2(text.contains(said), qPrintable(text));
    }

    void transformersFiveIsRead()
    {
        const auto experiment = tiny(true);
        const fs::path folder = dumped(experiment, "five");
        Json config = Json::parse(textOf(folder / "config.json"));
        config.erase("rope_theta");
        config.erase("rope_scaling");
        config.erase("torch_dtype");
        config["dtype"] = "bfloat16";
        config["rope_parameters"] = {{"rope_theta", 10000.0}, {"rope_type", "default"}};
        QVERIFY(base::writeFile(folder / "config.json", config.dump()).ok());
        QCOMPARE(refusal(folder, experiment), QString("accepted"));
        QCOMPARE(exchange::readHuggingFaceConfig(folder / "config.json")->shape.dtype, model::DataType::Bf16);
        config["rope_parameters"]["rope_theta"] = 500000.0;
        QVERIFY(base::writeFile(folder / "config.json", config.dump()).ok());
        QVERIFY(refusal(folder, experiment).contains("model.rope_theta"));
        config["rope_parameters"] = {{"rope_theta", 500000.0},  {"rope_type", "llama3"},
                                     {"factor", 8.0},           {"low_freq_factor", 1.0},
                                     {"high_freq_factor", 4.0}, {"original_max_position_embeddings", 8192}};
        QVERIFY(base::writeFile(folder / "config.json", config.dump()).ok());
        const auto read = exchange::readHuggingFaceConfig(folder / "config.json");
        QVERIFY(read.ok() && read->differences.empty());
        QCOMPARE(read->shape.ropeTheta, 500000.0);
        QCOMPARE(*read->shape.ropeScaling, (model::RopeScaling{8, 1, 4, 8192}));
    }

    /// Llama 3.2's config.json, made smaller: read, dumped again and started from.
    void realLlamasComeBack()
    {
        const fs::path file = m_folder.filePath("llama32.json").toStdString();
        QVERIFY(base::writeFile(file, R"({"architectures": ["LlamaForCausalLM"], "attention_bias": false, "head_dim": 12,
            "hidden_act": "silu", "hidden_size": 32, "initializer_range": 0.02, "intermediate_size": 96,
            "max_position_embeddings": 16, "mlp_bias": false, "model_type": "llama", "num_attention_heads": 4,
            "num_hidden_layers": 8, "num_key_value_heads": 2, "pretraining_tp": 1, "rms_norm_eps": 1e-05,
            "rope_scaling": {"factor": 32.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
            "original_max_position_embeddings": 8192, "rope_type": "llama3"}, "rope_theta": 500000.0,
            "tie_word_embeddings": true, "torch_dtype": "bfloat16", "use_cache": true, "vocab_size": 97})")
                    .ok());
        const auto read = exchange::readHuggingFaceConfig(file);
        QVERIFY2(read.ok() && read->differences.empty(), read ? "" : read.error().text().c_str());
        auto experiment = tiny(true, true);
        experiment.model = read->shape;
        QCOMPARE(experiment.model.headSize(), 12);
        const fs::path folder = dumped(experiment, "llama32");
        QCOMPARE(refusal(folder, experiment), QString("accepted"));
        auto written = exchange::readHuggingFaceConfig(folder / "config.json");
        QVERIFY(written.ok() && written->differences.empty());
        written->shape.dtype = experiment.model.dtype; // a dump is in F32
        QCOMPARE(written->shape, experiment.model);
    }

    void sixteenBitWeightsStartRuns()
    {
        const auto experiment = tiny(true, true);
        const fs::path folder = dumped(experiment, "half");
        const runtime::RunPlan plan(experiment, scheduleOf(experiment));
        const auto expected = runtime::readParameters(folder, plan);
        QVERIFY(expected.ok());
        // The upper halves of all values, as a BF16 checkpoint holds them.
        std::string data;
        Json header;
        for (const NamedTensor &tensor : tensorsOf(folder / "model.safetensors")) {
            const std::size_t begin = data.size();
            for (const float value : tensor.values)
                data.append(reinterpret_cast<const char *>(&value) + 2, 2);
            header[tensor.name] = {{"dtype", "BF16"}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
        }
        const std::string text = header.dump();
        const std::uint64_t length = text.size();
        QVERIFY(
            base::writeFile(folder / "model.safetensors", std::string(reinterpret_cast<const char *>(&length), 8) + text + data)
                .ok());
        const auto read = runtime::readParameters(folder, plan);
        QVERIFY2(read.ok(), read ? "" : read.error().text().c_str());
        for (std::size_t i = 0; i < read->values.size(); ++i)
            for (std::size_t j = 0; j < read->values[i].size(); ++j)
                QVERIFY(std::abs(read->values[i][j] - expected->values[i][j]) <= std::abs(expected->values[i][j]) / 128);
    }

    void bodiesLackTheirOutputLayer()
    {
        const auto experiment = tiny(true);
        const fs::path folder = dumped(experiment, "body");
        const runtime::RunPlan plan(experiment, scheduleOf(experiment));
        const auto whole = runtime::readParameters(folder, plan);
        QVERIFY(whole.ok() && whole->notes.empty());
        std::vector<NamedTensor> tensors = tensorsOf(folder / "model.safetensors");
        std::erase_if(tensors, [](const NamedTensor &tensor) { return tensor.name == "lm_head.weight"; });
        write(folder / "model.safetensors", tensors);
        QVERIFY(refusal(folder, experiment).contains("has no tensor lm_head.weight")); // a damaged model, not a body
        for (NamedTensor &tensor : tensors)
            tensor.name = tensor.name.substr(tensor.name.find('.') + 1);
        write(folder / "model.safetensors", tensors);
        const auto body = runtime::readParameters(folder, plan);
        QVERIFY2(body.ok(), body ? "" : body.error().text().c_str());
        QVERIFY(body->values == whole->values); // of the same seed
        QCOMPARE(body->notes.size(), std::size_t{1});
        QVERIFY(body->notes[0].find("without output layer: lm_head.weight") != std::string::npos);
        // Also in the facts of the run.
        std::map<std::string, std::string> facts;
        QVERIFY(runtime::train(experiment, scheduleOf(experiment), {{}, folder},
                               {[&](const runtime::StepReport &report) { facts = report.facts; }, {}}, {})
                    .ok());
        QCOMPARE(facts["init"], body->notes[0]);
    }

    void shorterSequencesTakeTheFirstPositions()
    {
        const auto longer = tiny(false);
        const fs::path folder = dumped(longer, "positions");
        auto experiment = longer;
        experiment.model.sequence = 10;
        const runtime::RunPlan plan(experiment, scheduleOf(experiment));
        const auto read = runtime::readParameters(folder, plan);
        QVERIFY2(read.ok(), read ? "" : read.error().text().c_str());
        const auto whole = runtime::readParameters(folder, runtime::RunPlan(longer, scheduleOf(longer)));
        const auto &rows = read->values[runtime::kPositionTable];
        QCOMPARE(rows.size(), std::size_t{10 * 32});
        QVERIFY(std::equal(rows.begin(), rows.end(), whole->values[runtime::kPositionTable].begin()));
        QVERIFY(read->notes.size() == 1 && read->notes[0].find("positions from 10 on are ignored") != std::string::npos);
        experiment.model.sequence = 20;
        QVERIFY(refusal(folder, experiment).contains("transformer.wpe.weight with shape [16, 32] but the model has [20, 32]"));
    }

    void namesOfOneFunction()
    {
        for (const auto &[isLlama, key, name] :
             {std::tuple(false, "activation_function", "gelu_pytorch_tanh"), {true, "hidden_act", "swish"}}) {
            const auto experiment = tiny(isLlama);
            const fs::path folder = dumped(experiment, "names");
            Json config = Json::parse(textOf(folder / "config.json"));
            config[key] = name;
            QVERIFY(base::writeFile(folder / "config.json", config.dump()).ok());
            QCOMPARE(refusal(folder, experiment), QString("accepted"));
        }
    }

    void valuesThatAreNotFiniteAreNamed()
    {
        const auto experiment = tiny(false);
        const fs::path folder = dumped(experiment, "nan");
        std::vector<NamedTensor> tensors = tensorsOf(folder / "model.safetensors");
        tensors[5].values[3] = std::numeric_limits<float>::quiet_NaN();
        tensors[5].values.back() = std::numeric_limits<float>::infinity();
        write(folder / "model.safetensors", tensors);
        const QString text = refusal(folder, experiment);
        QVERIFY2(
            text.contains("nan/model.safetensors: has tensor " + QString::fromStdString(tensors[5].name) + " with 2 of ") &&
                text.contains("not finite, the first at element 3") && !text.contains("learning rate"),
            qPrintable(text));
    }

    void foldersWithoutAConfigurationSaySo()
    {
        const auto experiment = tiny(true);
        const fs::path folder = dumped(experiment, "bare");
        fs::remove(folder / "config.json");
        const runtime::RunPlan plan(experiment, scheduleOf(experiment));
        const auto read = runtime::readParameters(folder, plan);
        QVERIFY(read.ok() && read->notes.size() == 1);
        QVERIFY(read->notes[0].find("has no config.json") != std::string::npos);
        auto other = experiment;
        other.model.ffn = 64;
        QVERIFY(refusal(folder, other).contains("mlp.gate_proj.weight with shape"));
    }

    void otherTensorsAreRefused()
    {
        const auto experiment = tiny(true, true);
        const fs::path folder = dumped(experiment, "tensors");
        const fs::path file = folder / "model.safetensors";
        const std::vector<NamedTensor> sound = tensorsOf(file);
        const auto with = [&](auto change) {
            std::vector<NamedTensor> tensors = sound;
            change(tensors);
            write(file, tensors);
            return refusal(folder, experiment);
        };
        QVERIFY(with([](auto &tensors) { tensors.pop_back(); }).contains("has no tensor model.norm.weight"));
        QVERIFY(with([](auto &tensors) {
                    tensors.push_back({"model.layers.0.self_attn.q_proj.bias", {32}, std::vector<float>(32)});
                }).contains("q_proj.bias, which the model does not have"));
        // An output projection that equals the tied table is accepted.
        const auto output = [&](float added) {
            return with([&](auto &tensors) {
                const auto table = *std::ranges::find(sound, "model.embed_tokens.weight", &NamedTensor::name);
                tensors.push_back({"lm_head.weight", table.shape, table.values});
                tensors.back().values.front() += added;
            });
        };
        QCOMPARE(output(0), QString("accepted"));
        QVERIFY(output(1).contains("choose --untied"));
        // In 16 bit, according to the header.
        std::string bytes = textOf(file);
        const std::size_t at = bytes.find("\"F32\"");
        bytes.replace(at, 5, "\"I32\"");
        QVERIFY(base::writeFile(file, bytes).ok());
        QVERIFY(refusal(folder, experiment).contains("I32"));
        fs::remove(file);
        QVERIFY(refusal(folder, experiment).contains("model.safetensors"));
        QVERIFY(base::writeFile(folder / "pytorch_model.bin", "x").ok());
        QVERIFY(refusal(folder, experiment).contains("safe_serialization"));
    }

private:
    static void bothFamilies()
    {
        QTest::addColumn<bool>("isLlama");
        QTest::newRow("gpt") << false;
        QTest::newRow("llama") << true;
    }
    [[nodiscard]] fs::path dumped(const model::Experiment &experiment, const char *name) const
    {
        const fs::path folder = m_folder.filePath(name).toStdString();
        fs::remove_all(folder);
        const auto trained = runtime::train(experiment, scheduleOf(experiment), {folder, {}}, {}, {});
        if (!trained)
            qFatal("%s", trained.error().text().c_str());
        return folder;
    }
    [[nodiscard]] static QString refusal(const fs::path &folder, const model::Experiment &experiment)
    {
        const runtime::RunPlan plan(experiment, scheduleOf(experiment));
        const auto read = runtime::readParameters(folder, plan);
        return read ? "accepted" : QString::fromStdString(read.error().text());
    }

    QTemporaryDir m_folder;
};

STAGELENS_TEST(InitialParameters)

} // namespace integration_initial_parameters

#include "initial_parameters.moc"
