#include "engine/exchange/huggingface_config.h"

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/exchange/huggingface_members.h"
#include "engine/model/json_reader.h"
#include "engine/model/names.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace stagelens::exchange {
namespace {

using Json = nlohmann::json;

/// What transformers takes if the member is absent.
constexpr double kUsualRmsNormEpsilon = 1e-6;
constexpr double kUsualRotaryTheta = 10000;

model::ModelConfig readGpt2(ConfigReader &reader)
{
    model::ModelConfig model;
    model.family = model::ModelFamily::Gpt;
    model.layers = reader.size("n_layer");
    model.hidden = reader.size("n_embd");
    model.heads = reader.size("n_head");
    model.kvHeads = model.heads;
    const int longestHidden = std::numeric_limits<int>::max() / 4;
    model.ffn = reader.size("n_inner", model.hidden > 0 && model.hidden <= longestHidden ? 4 * model.hidden : 1);
    model.sequence = reader.size("n_positions");
    model.tied = reader.flag("tie_word_embeddings", true);
    reader.requireOneOf("activation_function", {"gelu_new", "gelu_pytorch_tanh"}); // one function, two names
    reader.expectNumber("layer_norm_epsilon", kLayerNormEpsilon, 1e-5);
    reader.expectFlag("scale_attn_weights", true);
    reader.expectFlag("scale_attn_by_inverse_layer_idx", false);
    reader.expectFlag("add_cross_attention", false);
    return model;
}

/// The rule of scaled positions in `object`, the member `key`; a rule that is not computed is a difference.
void readScaling(ConfigReader &reader, const char *key, const Json &object, model::ModelConfig &model)
{
    const auto wordOf = [&object](const char *name) {
        const auto found = object.find(name);
        return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    const std::string type = wordOf("rope_type").empty() ? wordOf("type") : wordOf("rope_type");
    if (type == "default" || (type.empty() && !object.contains("factor")))
        return;
    if (type != "llama3")
        return reader.difference(
            key, fmt::format("has rope_type {}, but the engine computes llama3 and default only", base::quoted(type)));
    const auto take = [&](const char *name, double &target) {
        const auto found = object.find(name);
        if (found == object.end() || !found->is_number() || !(found->get<double>() > 0))
            return reader.difference(key, fmt::format("has no {} above 0, which rope_type llama3 needs", name));
        target = found->get<double>();
    };
    model::RopeScaling scaling;
    double original = 0;
    take("factor", scaling.factor);
    take("low_freq_factor", scaling.lowFrequencyFactor);
    take("high_freq_factor", scaling.highFrequencyFactor);
    take("original_max_position_embeddings", original);
    scaling.originalSequence = static_cast<int>(std::clamp(original, 0.0, 1e9));
    model.ropeScaling = scaling;
}

/// transformers 4 has rope_theta and rope_scaling, transformers 5 both in rope_parameters.
void readRotation(ConfigReader &reader, model::ModelConfig &model)
{
    model.ropeTheta = reader.number("rope_theta", kUsualRotaryTheta);
    reader.expectNumber("partial_rotary_factor", 1, 1);
    for (const char *key : {"rope_scaling", "rope_parameters"}) {
        const Json *object = reader.find(key);
        if (object == nullptr)
            continue;
        if (!object->is_object()) {
            reader.difference(key, "is not an object");
            continue;
        }
        ConfigReader inner(*object);
        model.ropeTheta = inner.number("rope_theta", model.ropeTheta);
        if (!inner.takeProblems().empty())
            reader.difference(key, "has a rope_theta that is not a number above 0");
        readScaling(reader, key, *object, model);
    }
}

model::ModelConfig readLlama(ConfigReader &reader)
{
    model::ModelConfig model;
    model.family = model::ModelFamily::Llama;
    model.layers = reader.size("num_hidden_layers");
    model.hidden = reader.size("hidden_size");
    model.heads = reader.size("num_attention_heads");
    model.kvHeads = reader.size("num_key_value_heads", model.heads);
    model.ffn = reader.size("intermediate_size");
    model.sequence = reader.size("max_position_embeddings");
    model.tied = reader.flag("tie_word_embeddings", false);
    reader.requireOneOf("hidden_act", {"silu", "swish"}); // one function, two names
    model.rmsNormEpsilon = reader.number("rms_norm_eps", kUsualRmsNormEpsilon);
    reader.expectFlag("attention_bias", false);
    reader.expectFlag("mlp_bias", false);
    if (model.heads > 0) {
        const int usual = std::max(1, model.hidden / model.heads);
        if (const int size = reader.size("head_dim", usual); size != usual)
            model.headDim = size;
    }
    readRotation(reader, model);
    return model;
}

/// The layers without experts, of which the engine has only the first ones.
void readDenseLayers(ConfigReader &reader, const Json &dense, model::ModelConfig &model)
{
    std::vector<int> layers;
    for (const Json &layer : dense)
        layers.push_back(layer.is_number_integer() ? layer.get<int>() : -1);
    std::ranges::sort(layers);
    for (std::size_t i = 0; i < layers.size(); ++i)
        if (layers[i] != static_cast<int>(i) || model.expertEvery > 1)
            return reader.difference("mlp_only_layers",
                                     "names layers other than the first, but the engine computes no experts in "
                                     "the first layers only, or in every few layers");
    model.denseLayers = static_cast<int>(layers.size());
}

/// The shape of DeepSeek-V3 (arXiv 2412.19437, section 4.2), which is only predicted.
model::ModelConfig readDeepSeek(ConfigReader &reader)
{
    model::ModelConfig model = readLlama(reader);
    model.headDim.reset();
    model.kvHeads = model.heads;
    model.latentAttention = {reader.size("q_lora_rank"), reader.size("kv_lora_rank"), reader.size("qk_nope_head_dim"),
                             reader.size("qk_rope_head_dim"), reader.size("v_head_dim")};
    reader.difference("model_type", "has latent attention, which is predicted, but which the engine does not compute");
    model.experts = reader.size("n_routed_experts");
    model.topK = reader.size("num_experts_per_tok");
    model.expertFfn = reader.size("moe_intermediate_size");
    const auto count = [&](const char *key) {
        return reader.find(key) != nullptr && *reader.find(key) == 0 ? 0 : reader.size(key, 1);
    };
    model.sharedExperts = count("n_shared_experts");
    model.denseLayers = count("first_k_dense_replace");
    reader.requireOneOf("scoring_func", {"sigmoid"});
    model.router = model::RouterScore::Sigmoid;
    model.routerScale = reader.number("routed_scaling_factor", 1);
    model.routerGroups = reader.size("n_group", 1);
    model.routerGroupLimit = reader.size("topk_group", 1);
    reader.expectFlag("norm_topk_prob", true);
    reader.expectNumber("moe_layer_freq", 1, 1);
    if (const Json *coefficient = reader.find("aux_loss_alpha"); coefficient != nullptr && coefficient->is_number()) {
        model.auxLoss = coefficient->get<double>();
        reader.difference("aux_loss_alpha", "is of a loss of each sequence, but the engine's is of each microbatch");
    }
    if (const Json *next = reader.find("num_nextn_predict_layers"); next != nullptr && *next != 0)
        reader.difference("num_nextn_predict_layers", "has layers that predict a second token, which are left out");
    if (reader.find("quantization_config") != nullptr)
        reader.difference("quantization_config", "stores weights in 8 bits, which the engine does not read");
    return model;
}

/// The sizes of a mixture of experts. Its shape is a llama's otherwise.
model::ModelConfig readExperts(ConfigReader &reader, bool isQwen)
{
    model::ModelConfig model = readLlama(reader);
    model.experts = reader.size(isQwen ? "num_experts" : "num_local_experts", isQwen ? 128 : 8);
    model.topK = reader.size("num_experts_per_tok", isQwen ? 8 : 2);
    if (const Json *coefficient = reader.find("router_aux_loss_coef"); coefficient != nullptr && coefficient->is_number())
        model.auxLoss = coefficient->get<double>();
    if (isQwen) {
        model.expertFfn = reader.size("moe_intermediate_size");
        reader.difference("model_type", "has norms of queries and keys, which the engine does not compute");
        reader.expectFlag("norm_topk_prob", true);
        model.expertEvery = reader.size("decoder_sparse_step", 1);
        if (const Json *dense = reader.find("mlp_only_layers"); dense != nullptr && !dense->empty())
            readDenseLayers(reader, *dense, model);
    } else if (model.topK == 1 && reader.word("model_type", "") == "mixtral") {
        reader.difference("num_experts_per_tok", "is 1, with the gate 1, but the engine takes the expert's probability");
    }
    return model;
}

/// Reads what expertKeys() writes.
model::ModelConfig readOwnExperts(ConfigReader &reader)
{
    model::ModelConfig model = readExperts(reader, false);
    const auto count = [&](const char *key) {
        return reader.find(key) != nullptr && *reader.find(key) == 0 ? 0 : reader.size(key);
    };
    model.expertFfn = reader.size("moe_intermediate_size");
    model.sharedExperts = count("n_shared_experts");
    model.denseLayers = count("first_k_dense_replace");
    model.expertEvery = reader.size("moe_layer_freq");
    model.router = model::parse<model::RouterScore>(reader.word("scoring_func", "softmax")).value_or(model.router);
    model.routerScale = reader.number("routed_scaling_factor", 1);
    model.routerGroups = reader.size("n_group", 1);
    model.routerGroupLimit = count("topk_group");
    if (const Json *rate = reader.find("router_bias_rate"); rate != nullptr && rate->is_number())
        model.routerBiasRate = rate->get<double>();
    if (const Json *coefficient = reader.find("router_z_loss_coef"); coefficient != nullptr && coefficient->is_number())
        model.zLoss = coefficient->get<double>();
    if (reader.find("capacity_factor") != nullptr)
        model.capacityFactor = reader.number("capacity_factor", 1);
    model.dropRule = model::parse<model::DropRule>(reader.word("drop_rule", "gate")).value_or(model.dropRule);
    return model;
}

/// Reads the shape of a model_type, or returns nothing if it is not one that this program computes.
std::optional<model::ModelConfig> readShape(const std::string &type, ConfigReader &reader)
{
    if (type == "gpt2")
        return readGpt2(reader);
    if (type == "llama")
        return readLlama(reader);
    if (type == "mixtral" || type == "qwen3_moe")
        return readExperts(reader, type == "qwen3_moe");
    if (type == "deepseek_v3")
        return readDeepSeek(reader);
    if (type == kOwnExperts)
        return readOwnExperts(reader);
    return std::nullopt;
}

} // namespace

base::Result<HuggingFaceModel> readHuggingFaceConfig(const std::filesystem::path &file)
{
    constexpr base::Bytes kLimit = 1 << 20;
    const auto text = base::readFile(file, kLimit);
    if (!text)
        return text.error();
    const auto parsed = model::parseJson<Json>(*text, file.string());
    if (!parsed)
        return parsed.error();
    const Json &document = *parsed;
    if (!document.is_object())
        return base::Error::invalid(file.string(),
                                    fmt::format("{} is not a JSON object; give a Hugging Face config.json", file.string()));

    ConfigReader reader(document);
    const std::string type = reader.word("model_type", "");
    std::optional<model::ModelConfig> shape = readShape(type, reader);
    if (!shape)
        return base::Error::invalid(
            "model_type",
            fmt::format("model_type of {} is `{}`; this program reads gpt2, llama, mixtral, qwen3_moe and deepseek_v3",
                        file.string(), type));
    model::ModelConfig model = *std::move(shape);
    model.preset = "custom";
    model.vocabularySize = reader.size("vocab_size");
    if (document.contains(kVocabularyWidth))
        model.vocabularyWidth = reader.size(kVocabularyWidth);
    if (document.contains(kInputHashes))
        model.inputHashes = reader.size(kInputHashes);
    if (document.contains(kOutputHeads))
        model.outputHeads = reader.size(kOutputHeads);
    if (document.contains(kSampledWords))
        model.sampledWords = reader.size(kSampledWords);
    if (const auto *const cuts = reader.find(kAdaptiveCutoffs); cuts != nullptr && cuts->is_array())
        for (const Json &cut : *cuts)
            model.adaptiveCutoffs.push_back(cut.is_number_integer() && cut >= 1 && cut <= model.vocabularySize ? cut.get<int>()
                                                                                                               : 0);
    const std::string usual = reader.word("dtype", "float32"); // newer versions write the shorter name
    const std::string dtype = reader.word("torch_dtype", usual.c_str());
    model.dtype = dtype == "bfloat16"  ? model::DataType::Bf16
                  : dtype == "float16" ? model::DataType::Fp16
                                       : model::DataType::Fp32;
    const auto named = [&file](base::Problems problems) {
        for (base::Problem &problem : problems)
            problem.message = fmt::format("{} of {} {}", problem.field, file.string(), problem.message);
        return problems;
    };
    if (base::Problems problems = named(reader.takeProblems()); !problems.empty())
        return base::Error::invalid(std::move(problems));
    return HuggingFaceModel{model, named(reader.takeDifferences())};
}

} // namespace stagelens::exchange
