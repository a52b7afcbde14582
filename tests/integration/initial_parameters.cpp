// Runs that start from a folder in Hugging Face layout: our own dumps, what transformers saves, and what must be refused.
#include "engine/runtime/initial_parameters.h"
#include "engine/base/file.h"
#include "engine/exchange/huggingface_config.h"
#include "engine/exchange/safetensors.h"
#include "kernels/include/layernorm.h"
#include "kernels/include/rmsnorm.h"
#include "kernels/include/rotary.h"
#include "tests/support/tiny_model.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cstring>
#include <nlohmann/json.hpp>

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

/// Tensors of a file that a test may change before it writes them again.
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
        // Another seed, schedule and number of devices: the run starts where the first one did.
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
        QVERIFY(*read == *expected);

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
        QVERIFY(*read == *expected);
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
        row(true, "rms_norm_eps", "1e-5", "computes with 1e-06");
        row(true, "rope_theta", "500000.0", "rope_theta");
        row(true, "rope_scaling", R"({"rope_type": "llama3", "factor": 8.0})", "computes without it");
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
        QVERIFY(refusal(folder, experiment).contains("rope_parameters"));
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
                }).contains("q_proj.bias, which the model has not"));
        // An output projection beside tied weights: the same one is harmless.
        const auto output = [&](float added) {
            return with([&](auto &tensors) {
                const auto table = *std::ranges::find(sound, "model.embed_tokens.weight", &NamedTensor::name);
                tensors.push_back({"lm_head.weight", table.shape, table.values});
                tensors.back().values.front() += added;
            });
        };
        QCOMPARE(output(0), QString("accepted"));
        QVERIFY(output(1).contains("choose --untied"));
        // In 16 bit: the header says so.
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

QTEST_GUILESS_MAIN(InitialParameters)
#include "initial_parameters.moc"
