// Mixtures of experts under schedules and vocabulary methods: against the float64 reference, the same bits whatever the order,
// and what they take.
#include "engine/exchange/huggingface_config.h"
#include "engine/exchange/safetensors.h"
#include "engine/model/capabilities.h"
#include "engine/model/names.h"
#include "engine/model/presets.h"
#include "engine/operators/sizes.h"
#include "engine/runtime/memory/memory_check.h"
#include "engine/runtime/memory/memory_plan.h"
#include "engine/runtime/plan/lowering.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/trained.h"

#include <QtTest>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>

namespace integration_training_experts {

using namespace stagelens;
using model::VocabularyMethod;
using test::scheduleOf;

namespace {

/// Split and whole backwards, one and two chunks, overlapped pairs.
constexpr const char *kFamilies[] = {"1f1b", "gpipe", "zb-h1", "zb-v", "interleaved-1f1b", "dualpipe-v"};

model::Experiment tinyExperts(const char *family, VocabularyMethod method, int devices, int microbatches)
{
    auto experiment = test::asLlama(test::tinyExperiment(family, method, devices, microbatches), 2);
    experiment.model.experts = 5;
    experiment.model.topK = 2;
    experiment.model.expertFfn = 24;
    experiment.model.auxLoss = 0.02;
    experiment.model.zLoss = 0.003;
    return experiment;
}

/// All that DeepSeek-V3 has but latent attention: a dense layer, shared experts, sigmoid routers with groups.
model::Experiment likeDeepSeek(const char *family, int devices, int microbatches)
{
    auto experiment = tinyExperts(family, VocabularyMethod::None, devices, microbatches);
    experiment.model.experts = 6;
    experiment.model.sharedExperts = 2;
    experiment.model.denseLayers = 1;
    experiment.model.router = model::RouterScore::Sigmoid;
    experiment.model.routerBiasRate = 0.01;
    experiment.model.routerScale = 2.5;
    experiment.model.routerGroups = 3;
    experiment.model.routerGroupLimit = 2;
    return experiment;
}

} // namespace

class TrainingExperts : public QObject {
    Q_OBJECT

private slots:
    void againstReference_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("turn");
        int turn = 0;
        for (const char *family : kFamilies)
            QTest::addRow("%s", family) << QString(family) << turn++;
    }
    void againstReference()
    {
        QFETCH(QString, family);
        QFETCH(int, turn);
        for (const int devices : {1, 2, 4}) {
            const auto method = std::array{VocabularyMethod::None, VocabularyMethod::Vocab1,
                                           VocabularyMethod::Vocab2}[static_cast<std::size_t>(turn + devices) % 3];
            auto experiment = tinyExperts(family.toUtf8().constData(), method, devices, 1 + (turn + devices) % 4);
            experiment.model.topK = std::array{1, 2, 3, 5}[static_cast<std::size_t>(turn + devices) % 4];
            experiment.model.tied = turn % 2 == 0;
            experiment.parallel.microbatchSize = 1 + turn % 2;
            experiment.schedule.recompute = turn % 3 ? model::Recompute::None : model::Recompute::Full;
            experiment.training.mode = devices == 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
            const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
            QCOMPARE(found->gradients.size(), std::size_t(8 * 10 + (experiment.model.tied ? 2 : 3)));
            for (const runtime::GradientError &gradient : found->gradients)
                QVERIFY2(gradient.relative <= runtime::Verification::kTolerance,
                         qPrintable(QString("%1 is off by %2").arg(gradient.parameter.c_str()).arg(gradient.relative)));
            QVERIFY(found->holds());
        }
    }

    void likeDeepSeekAgainstReference_data()
    {
        QTest::addColumn<QString>("family");
        for (const char *family : {"1f1b", "zb-v", "dualpipe-v", "pipedream", "pipedream-2bw"})
            QTest::addRow("%s", family) << QString(family);
    }
    void likeDeepSeekAgainstReference()
    {
        STAGELENS_NOT_UNDER_TSAN();
        QFETCH(QString, family);
        for (const bool isSecond : {false, true}) {
            auto experiment = likeDeepSeek(family.toUtf8().constData(), 2, 3);
            experiment.model.expertEvery = isSecond ? 2 : 1;
            if (isSecond)
                experiment.model.capacityFactor = 0.8;
            experiment.model.dropRule = family == "zb-v" ? model::DropRule::Position : model::DropRule::Gate;
            experiment.schedule.recompute =
                isSecond && !family.startsWith("pipe") ? model::Recompute::Full : model::Recompute::None;
            const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
            for (const runtime::GradientError &gradient : found->gradients)
                QVERIFY2(gradient.relative <= runtime::Verification::kTolerance,
                         qPrintable(QString("%1 is off by %2").arg(gradient.parameter.c_str()).arg(gradient.relative)));
            QVERIFY(found->holds());
        }
    }

    /// The same bits on one and on several devices, whatever the order, and as many bytes as planned.
    void likeDeepSeekInAnyOrder()
    {
        const std::vector<float> expected = test::gradientsOf(likeDeepSeek("1f1b", 2, 4));
        for (const char *family : {"gpipe", "zb-v", "dualpipe-v"}) {
            auto experiment = likeDeepSeek(family, 2, 4);
            QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment)), family);
            experiment.schedule.recompute = model::Recompute::Full;
            QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment)), family);
        }
    }

    /// A step moves each bias by the rate or not at all, and no optimizer or decay touches it.
    void biasesMoveByTheRate()
    {
        auto experiment = likeDeepSeek("1f1b", 2, 2);
        experiment.training.steps = 3;
        experiment.training.optimizer.weightDecay = 0.5;
        const QTemporaryDir folder;
        const std::filesystem::path dump = folder.filePath("dump").toStdString();
        test::trainedWithDump(experiment, dump);
        const auto file = exchange::SafetensorsFile::read(dump / "model-final.safetensors");
        QVERIFY(file.ok());
        int moved = 0;
        int biases = 0;
        for (const auto &entry : file->entries()) {
            if (!entry.name.ends_with("e_score_correction_bias"))
                continue;
            const auto values = file->floats(entry.name, entry.shape);
            QVERIFY(values.ok());
            for (const float value : *values) {
                const float steps = value / 0.01F;
                QVERIFY(std::abs(steps - std::round(steps)) < 1e-4F && std::abs(steps) < 3.5F);
                moved += steps != 0 ? 1 : 0;
                ++biases;
            }
        }
        QCOMPARE(biases, 7 * 6); // of layers 1 to 7
        QVERIFY(moved > biases / 2);
    }

    /// Updates of each microbatch, and from the weights before the last.
    void asynchronousSchedules()
    {
        for (const char *family : {"pipedream", "pipedream-2bw"}) {
            const auto experiment = tinyExperts(family, VocabularyMethod::None, 2, 3);
            const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
            QVERIFY2(found->holds(), qPrintable(QString::number(found->worst())));
        }
    }

    void replicas()
    {
        for (const int zero : {0, 1}) {
            auto experiment = tinyExperts("1f1b", VocabularyMethod::None, 2, 3);
            experiment.parallel.replicas = 2;
            experiment.parallel.zero = zero;
            const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
            QVERIFY2(found.ok(), found ? "" : found.error().text().c_str());
            QVERIFY2(found->holds(), qPrintable(QString::number(found->worst())));
        }
    }

    void sameBitsWhateverTheOrder()
    {
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab2}) {
            for (const int devices : {2, 4}) {
                const std::vector<float> expected = test::gradientsOf(tinyExperts("1f1b", method, devices, 4));
                for (const char *family : kFamilies) {
                    auto experiment = tinyExperts(family, method, devices, 4);
                    experiment.training.mode = family[0] == 'z' ? model::RunMode::Live : model::RunMode::VirtualClock;
                    QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment)), family);
                    experiment.schedule.recompute = model::Recompute::Full;
                    QVERIFY2(test::sameBits(expected, test::gradientsOf(experiment)), family);
                }
            }
        }
    }

    /// The losses of the router change its gradients and nothing that is reported as loss.
    void lossesOfTheRouter()
    {
        STAGELENS_NOT_UNDER_TSAN();
        auto plain = tinyExperts("1f1b", VocabularyMethod::None, 1, 2);
        const auto with = test::gradientsOf(plain);
        plain.model.auxLoss = plain.model.zLoss = 0;
        QVERIFY(!test::sameBits(with, test::gradientsOf(plain)));
    }

    /// With all experts of a layer on one device: to the byte, whatever the routers choose; messages depend on timing.
    void memoryIsThatOfThePlan()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const char *family : kFamilies) {
            auto experiment = tinyExperts(family, VocabularyMethod::None, 4, 8);
            experiment.training.steps = 2;
            const auto schedule = scheduleOf(experiment);
            const auto plans = runtime::memoryPlan(experiment, runtime::lowered(schedule));
            QVERIFY(plans.ok());
            base::Bytes measured = 0;
            const auto onStep = [&](const runtime::StepReport &report) {
                measured = 0;
                for (int device = 0; device < 4; ++device) {
                    const auto planned = simulate::memoryPeak(experiment, schedule, *report.timeline, device).byCategory;
                    const auto &peak = report.peakMemory[static_cast<std::size_t>(device)];
                    for (std::size_t i = 0; i < peak.size(); ++i) {
                        measured += peak[i];
                        if (i != backend::kMessages)
                            QCOMPARE(peak[i], planned[i]);
                    }
                    QVERIFY(peak[backend::kMessages] <= (*plans)[static_cast<std::size_t>(device)].peak[backend::kMessages]);
                }
            };
            QVERIFY(runtime::train(experiment, schedule, {}, {onStep, {}}, {}).ok());
            if (QTest::currentTestFailed())
                return;
            const base::Bytes planned = runtime::requiredBytes(experiment);
            QVERIFY2(measured <= planned && planned < 2 * measured,
                     qPrintable(QString("%1: %2 planned, %3 measured").arg(family).arg(planned).arg(measured)));
        }
    }

    void configsOfHuggingFace()
    {
        const QTemporaryDir folder;
        const auto read = [&](const std::string &text) {
            QFile file(folder.filePath("config.json"));
            if (!file.open(QIODevice::WriteOnly) || file.write(text.c_str()) < 0)
                qFatal("no file");
            file.close();
            return exchange::readHuggingFaceConfig(file.fileName().toStdString());
        };
        auto model = tinyExperts("1f1b", VocabularyMethod::None, 2, 2).model;
        model.zLoss = 0; // MixtralConfig has none
        const auto again = read(exchange::huggingFaceConfig(model));
        QVERIFY2(again.ok(), again ? "" : again.error().text().c_str());
        QVERIFY(again->differences.empty());
        QCOMPARE(again->shape.experts, 5);
        QCOMPARE(again->shape.topK, 2);
        QCOMPARE(again->shape.expertWidth(), 24);
        QCOMPARE(again->shape.auxLoss, 0.02);
        QCOMPARE(operators::totalParameters(again->shape), operators::totalParameters(model));
        const auto qwen = read(R"({"model_type": "qwen3_moe", "hidden_size": 2048, "intermediate_size": 6144,
            "moe_intermediate_size": 768, "num_hidden_layers": 48, "num_attention_heads": 32, "num_key_value_heads": 4,
            "head_dim": 128, "vocab_size": 151936, "max_position_embeddings": 40960, "num_experts": 128, "hidden_act": "silu",
            "num_experts_per_tok": 8, "norm_topk_prob": true, "decoder_sparse_step": 1, "mlp_only_layers": []})");
        QVERIFY2(qwen.ok(), qwen ? "" : qwen.error().text().c_str());
        QCOMPARE(qwen->differences.size(), std::size_t{1}); // the norms of queries and keys
        const auto preset = model::modelPreset("qwen3-30b-a3b");
        QVERIFY(preset.ok());
        QCOMPARE(operators::totalParameters(qwen->shape), operators::totalParameters(*preset));
    }

    /// Everything that only our own config.json can say comes back from it.
    void ownConfig()
    {
        const QTemporaryDir folder;
        auto model = likeDeepSeek("1f1b", 2, 2).model;
        model.capacityFactor = 1.5;
        model.dropRule = model::DropRule::Position;
        model.preset = "custom";
        QFile file(folder.filePath("config.json"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(exchange::huggingFaceConfig(model).c_str()) > 0);
        file.close();
        const auto again = exchange::readHuggingFaceConfig(file.fileName().toStdString());
        QVERIFY2(again.ok(), again ? "" : again.error().text().c_str());
        QVERIFY(again->differences.empty());
        QVERIFY(again->shape == model);
        // Mixtral's gate of a single expert is 1, and it has no z-loss.
        auto top1 = tinyExperts("1f1b", VocabularyMethod::None, 2, 2).model;
        top1.preset = "custom";
        top1.topK = 1;
        top1.zLoss = 0;
        auto withZ = top1;
        withZ.topK = 2;
        withZ.zLoss = 0.003;
        for (const model::ModelConfig &each : {top1, withZ}) {
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(exchange::huggingFaceConfig(each).c_str()) > 0);
            file.close();
            const auto same = exchange::readHuggingFaceConfig(file.fileName().toStdString());
            QVERIFY2(same.ok(), same ? "" : same.error().text().c_str());
            QVERIFY(same->differences.empty());
            QVERIFY(same->shape == each);
        }
    }

    /// The published sizes; what is not computed is listed.
    void configOfDeepSeek()
    {
        const QTemporaryDir folder;
        QFile file(folder.filePath("config.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18432, "torch_dtype": "bfloat16",
            "moe_intermediate_size": 2048, "num_hidden_layers": 61, "num_attention_heads": 128, "num_key_value_heads": 128,
            "vocab_size": 129280, "max_position_embeddings": 4096, "n_routed_experts": 256, "n_shared_experts": 1,
            "num_experts_per_tok": 8, "first_k_dense_replace": 3, "moe_layer_freq": 1, "n_group": 8, "topk_group": 4,
            "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
            "routed_scaling_factor": 2.5, "scoring_func": "sigmoid", "norm_topk_prob": true, "num_nextn_predict_layers": 1,
            "hidden_act": "silu", "rms_norm_eps": 1e-06, "rope_theta": 10000})");
        file.close();
        const auto read = exchange::readHuggingFaceConfig(file.fileName().toStdString());
        QVERIFY2(read.ok(), read ? "" : read.error().text().c_str());
        QCOMPARE(read->differences.size(), std::size_t{2}); // latent attention, and the prediction of a second token
        auto preset = model::modelPreset("deepseek-v3");
        QVERIFY(preset.ok());
        preset->preset = "custom";
        preset->auxLoss = 0;
        QVERIFY(read->shape == *preset);
    }

    void refusedCombinations()
    {
        auto experiment = tinyExperts("1f1b", VocabularyMethod::None, 2, 2);
        QVERIFY(model::unsupported(experiment, model::Use::Run).empty());
        experiment.training.optimizer.name = "muon";
        QVERIFY(model::unsupported(experiment, model::Use::Run).empty());
        experiment.parallel.tensor = 2;
        QVERIFY(model::unsupported(experiment, model::Use::Predict).empty());
        QCOMPARE(model::unsupported(experiment, model::Use::Run).size(), std::size_t{1}); // whole rows with tensor ranks
        experiment = tinyExperts("1f1b", VocabularyMethod::None, 2, 2);
        experiment.model.topK = 6;
        const auto tooMany = model::validate(experiment);
        QCOMPARE(tooMany.size(), std::size_t{1});
        QCOMPARE(tooMany[0].field, std::string("model.top_k"));
        experiment.model.topK = 2;
        experiment.model.family = model::ModelFamily::Gpt;
        experiment.model.kvHeads = experiment.model.heads;
        const auto ofGpt = model::validate(experiment);
        QCOMPARE(ofGpt.size(), std::size_t{1});
        QCOMPARE(ofGpt[0].field, std::string("model.experts"));
    }

    /// As published: Mixtral 46.703 and 12.880, Qwen3 30.532 and 3.353, DeepSeek-V3 671.026 and 37.552 billion.
    void parametersOfThePresets()
    {
        const auto millions = [](std::int64_t count) { return (count + 500'000) / 1'000'000; };
        const auto mixtral = model::modelPreset("mixtral-8x7b");
        QVERIFY(mixtral.ok());
        QCOMPARE(millions(operators::totalParameters(*mixtral)), 46703);
        QCOMPARE(millions(operators::activeParameters(*mixtral)), 12880);
        const auto qwen = model::modelPreset("qwen3-30b-a3b");
        QVERIFY(qwen.ok());
        QCOMPARE(millions(operators::totalParameters(*qwen)), 30532);
        QCOMPARE(millions(operators::activeParameters(*qwen)), 3353);
        const auto deepSeek = model::modelPreset("deepseek-v3");
        QVERIFY(deepSeek.ok());
        QCOMPARE(millions(operators::totalParameters(*deepSeek)), 671026);
        QCOMPARE(millions(operators::activeParameters(*deepSeek)), 37552);
        // 1.5 FLOP for every byte of an all-to-all in 16 bit and unit of the expert's width: 6 h f k against 2 (2 k h).
        const double perByte =
            6.0 * mixtral->hidden * mixtral->expertWidth() * mixtral->topK / (4.0 * mixtral->topK * mixtral->hidden);
        QCOMPARE(perByte, 21504.0);
    }
};

STAGELENS_TEST(TrainingExperts)

} // namespace integration_training_experts

#include "training/experts.moc"
