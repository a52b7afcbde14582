#include "engine/exchange/huggingface_config.h"

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/model/json_reader.h"
#include "engine/model/names.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace stagelens::exchange {
namespace {

using base::concat;
using Json = nlohmann::json;
using WrittenJson = nlohmann::ordered_json;

/// What the engine computes, or transformers takes, where a member is absent; tests compare the epsilons with the kernels'.
constexpr double kLayerNormEpsilon = 1e-5;
constexpr double kUsualRmsNormEpsilon = 1e-6;
constexpr double kUsualRotaryTheta = 10000;
constexpr double kInitializerRange = 0.02;
/// The model_type of mixtures of experts that transformers does not have.
constexpr const char *kOwnExperts = "stagelens_moe";

/// Reads members and collects what is wrong with them.
class ConfigReader {
public:
    explicit ConfigReader(const Json &document) : m_document(document) {}

    /// A whole number; `fallback` where the member is absent or null, and a problem if there is no fallback (0).
    int size(const char *key, int fallback = 0)
    {
        const Json *value = find(key);
        if (value == nullptr) {
            if (fallback == 0)
                m_problems.push_back({key, "is missing; add it"});
            return fallback;
        }
        if (!value->is_number_integer() || *value < 1 || *value > std::numeric_limits<int>::max()) {
            m_problems.push_back(
                {key, concat("is ", shown(*value), "; it must be a whole number from 1 to ", std::numeric_limits<int>::max())});
            return fallback;
        }
        return value->get<int>();
    }
    std::string word(const char *key, const char *fallback)
    {
        const Json *value = find(key);
        return value != nullptr && value->is_string() ? value->get<std::string>() : fallback;
    }
    bool flag(const char *key, bool fallback)
    {
        const Json *value = find(key);
        return value != nullptr && value->is_boolean() ? value->get<bool>() : fallback;
    }
    /// A positive number; `usual` is what transformers takes where the member is absent.
    double number(const char *key, double usual)
    {
        const Json *value = find(key);
        if (value == nullptr)
            return usual;
        if (value->is_number() && value->get<double>() > 0 && std::isfinite(value->get<double>()))
            return value->get<double>();
        m_problems.push_back({key, concat("is ", shown(*value), "; it must be a number above 0")});
        return usual;
    }
    /// A word that names what this program computes; transformers takes the first where the member is absent.
    void requireOneOf(const char *key, std::initializer_list<const char *> names)
    {
        const std::string found = word(key, *names.begin());
        if (std::ranges::find(names, found) == names.end())
            m_problems.push_back(
                {key, concat("is ", base::quoted(found), ", and this program computes `", *names.begin(), "` only")});
    }
    void difference(const char *key, std::string message) { m_differences.push_back({key, std::move(message)}); }
    /// A number that the engine has built in; `usual` is what transformers takes where the member is absent.
    void expectNumber(const char *key, double built, double usual)
    {
        const Json *value = find(key);
        const double found = value == nullptr ? usual : value->is_number() ? value->get<double>() : std::nan("");
        if (found != built)
            m_differences.push_back({key, concat("is ", value == nullptr ? concat(usual) : shown(*value),
                                                 ", but the engine computes with ", built)});
    }
    void expectFlag(const char *key, bool built)
    {
        if (flag(key, built) != built)
            m_differences.push_back(
                {key, concat("is ", shown(*find(key)), ", but the engine computes with ", built ? "true" : "false")});
    }
    [[nodiscard]] const Json *find(const char *key) const
    {
        const auto found = m_document.find(key);
        return found == m_document.end() || found->is_null() ? nullptr : &*found;
    }
    base::Problems takeProblems() { return std::move(m_problems); }
    base::Problems takeDifferences() { return std::move(m_differences); }

private:
    static std::string shown(const Json &value)
    {
        return value.dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 40);
    }
    const Json &m_document;
    base::Problems m_problems;
    base::Problems m_differences;
};

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
            key, concat("has rope_type ", base::quoted(type), ", but the engine computes llama3 and default only"));
    const auto take = [&](const char *name, double &target) {
        const auto found = object.find(name);
        if (found == object.end() || !found->is_number() || !(found->get<double>() > 0))
            return reader.difference(key, concat("has no ", name, " above 0, which rope_type llama3 needs"));
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

/// The keys of transformers' GPT2Config.
WrittenJson gpt2Keys(const model::ModelConfig &model)
{
    return {{"architectures", {"GPT2LMHeadModel"}},
            {"model_type", "gpt2"},
            {"activation_function", "gelu_new"},
            {"vocab_size", model.vocabularySize},
            {"n_positions", model.sequence},
            {"n_embd", model.hidden},
            {"n_layer", model.layers},
            {"n_head", model.heads},
            {"n_inner", model.ffn},
            {"layer_norm_epsilon", kLayerNormEpsilon},
            {"attn_pdrop", 0.0},
            {"embd_pdrop", 0.0},
            {"resid_pdrop", 0.0},
            {"scale_attn_weights", true},
            {"scale_attn_by_inverse_layer_idx", false},
            {"reorder_and_upcast_attn", false}};
}

WrittenJson scalingKeys(const model::RopeScaling &scaling)
{
    return {{"rope_type", "llama3"},
            {"factor", scaling.factor},
            {"low_freq_factor", scaling.lowFrequencyFactor},
            {"high_freq_factor", scaling.highFrequencyFactor},
            {"original_max_position_embeddings", scaling.originalSequence}};
}

/// The keys of transformers' LlamaConfig.
WrittenJson llamaKeys(const model::ModelConfig &model)
{
    return {{"architectures", {"LlamaForCausalLM"}},
            {"model_type", "llama"},
            {"hidden_act", "silu"},
            {"vocab_size", model.vocabularySize},
            {"max_position_embeddings", model.sequence},
            {"hidden_size", model.hidden},
            {"intermediate_size", model.ffn},
            {"num_hidden_layers", model.layers},
            {"num_attention_heads", model.heads},
            {"num_key_value_heads", model.kvHeads},
            {"head_dim", model.headSize()},
            {"rms_norm_eps", model.rmsNormEpsilon},
            {"rope_theta", model.ropeTheta},
            {"rope_scaling", model.ropeScaling ? scalingKeys(*model.ropeScaling) : WrittenJson()},
            {"attention_bias", false},
            {"attention_dropout", 0.0},
            {"mlp_bias", false},
            {"pretraining_tp", 1}};
}

/// The keys of transformers' MixtralConfig.
WrittenJson mixtralKeys(const model::ModelConfig &model)
{
    WrittenJson keys = llamaKeys(model);
    keys.update({{"architectures", {"MixtralForCausalLM"}},
                 {"model_type", "mixtral"},
                 {"intermediate_size", model.expertWidth()},
                 {"num_local_experts", model.experts},
                 {"num_experts_per_tok", model.topK},
                 {"router_aux_loss_coef", model.auxLoss},
                 {"router_jitter_noise", 0.0},
                 {"output_router_logits", false},
                 {"sliding_window", nullptr}});
    return keys;
}

/// Returns whether transformers' MixtralForCausalLM computes the model.
bool isMixtral(const model::ModelConfig &model)
{
    return model.sharedExperts == 0 && !model.hasRouterBias() && !model.mixesLayers() && !model.capacityFactor;
}

/// The keys of a mixture of experts that transformers has not: those of Mixtral, and DeepSeek-V3's names for what it has not.
WrittenJson expertKeys(const model::ModelConfig &model)
{
    WrittenJson keys = mixtralKeys(model);
    keys.update({{"architectures", WrittenJson::array()},
                 {"model_type", kOwnExperts},
                 {"intermediate_size", model.ffn},
                 {"moe_intermediate_size", model.expertWidth()},
                 {"n_shared_experts", model.sharedExperts},
                 {"first_k_dense_replace", model.denseLayers},
                 {"moe_layer_freq", model.expertEvery},
                 {"scoring_func", std::string(name(model.router))},
                 {"routed_scaling_factor", model.routerScale},
                 {"n_group", model.routerGroups},
                 {"topk_group", model.routerGroupLimit},
                 {"router_bias_rate", model.routerBiasRate}});
    if (model.capacityFactor)
        keys.update({{"capacity_factor", *model.capacityFactor}, {"drop_rule", std::string(name(model.dropRule))}});
    return keys;
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
    if (reader.find("capacity_factor") != nullptr)
        model.capacityFactor = reader.number("capacity_factor", 1);
    model.dropRule = model::parse<model::DropRule>(reader.word("drop_rule", "gate")).value_or(model.dropRule);
    return model;
}

WrittenJson keysOf(const model::ModelConfig &model)
{
    if (model.family == model::ModelFamily::Gpt)
        return gpt2Keys(model);
    if (!model.hasExperts())
        return llamaKeys(model);
    return isMixtral(model) ? mixtralKeys(model) : expertKeys(model);
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

bool isOfExperts(std::string_view parameter)
{
    return parameter.find('*') != std::string_view::npos;
}

std::string nameOfExpert(std::string_view parameter, int expert)
{
    const std::size_t place = parameter.find('*');
    return concat(parameter.substr(0, place), expert, parameter.substr(place + 1));
}

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
                                    concat(file.string(), " is not a JSON object; give a Hugging Face config.json"));

    ConfigReader reader(document);
    const std::string type = reader.word("model_type", "");
    std::optional<model::ModelConfig> shape = readShape(type, reader);
    if (!shape)
        return base::Error::invalid("model_type",
                                    concat("model_type of ", file.string(), " is `", type, "`",
                                           "; this program reads gpt2, llama, mixtral, qwen3_moe and deepseek_v3"));
    model::ModelConfig model = *std::move(shape);
    model.preset = "custom";
    model.vocabularySize = reader.size("vocab_size");
    const std::string usual = reader.word("dtype", "float32"); // newer versions write the shorter name
    const std::string dtype = reader.word("torch_dtype", usual.c_str());
    model.dtype = dtype == "bfloat16"  ? model::DataType::Bf16
                  : dtype == "float16" ? model::DataType::Fp16
                                       : model::DataType::Fp32;
    const auto named = [&file](base::Problems problems) {
        for (base::Problem &problem : problems)
            problem.message = concat(problem.field, " of ", file.string(), " ", problem.message);
        return problems;
    };
    if (base::Problems problems = named(reader.takeProblems()); !problems.empty())
        return base::Error::invalid(std::move(problems));
    return HuggingFaceModel{model, named(reader.takeDifferences())};
}

std::string huggingFaceConfig(const model::ModelConfig &model)
{
    WrittenJson config = keysOf(model);
    config.update({{"initializer_range", kInitializerRange},
                   {"tie_word_embeddings", model.tied},
                   {"bos_token_id", 0},
                   {"eos_token_id", 0},
                   {"torch_dtype", "float32"},
                   {"use_cache", true}});
    return config.dump(2) + '\n';
}

} // namespace stagelens::exchange
