#include "engine/exchange/huggingface_config.h"
#include "engine/exchange/huggingface_members.h"
#include "engine/model/names.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>

namespace stagelens::exchange {
namespace {

using WrittenJson = nlohmann::ordered_json;

constexpr double kInitializerRange = 0.02;

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
    return model.topK > 1 && model.zLoss == 0 && model.sharedExperts == 0 && !model.hasRouterBias() && !model.mixesLayers() &&
           !model.capacityFactor;
}

/// The keys of a mixture of experts that transformers does not have: those of Mixtral, and DeepSeek-V3's names for the others.
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
                 {"router_bias_rate", model.routerBiasRate},
                 {"router_z_loss_coef", model.zLoss}});
    if (model.capacityFactor)
        keys.update({{"capacity_factor", *model.capacityFactor}, {"drop_rule", std::string(name(model.dropRule))}});
    return keys;
}

WrittenJson keysOf(const model::ModelConfig &model)
{
    if (model.family == model::ModelFamily::Gpt)
        return gpt2Keys(model);
    if (!model.hasExperts())
        return llamaKeys(model);
    return isMixtral(model) ? mixtralKeys(model) : expertKeys(model);
}

} // namespace

bool isOfExperts(std::string_view parameter)
{
    return parameter.find('*') != std::string_view::npos;
}

std::string nameOfExpert(std::string_view parameter, int expert)
{
    const std::size_t place = parameter.find('*');
    return fmt::format("{}{}{}", parameter.substr(0, place), expert, parameter.substr(place + 1));
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
    if (model.isFactorised()) // of which transformers has no model
        config.update({{"architectures", WrittenJson::array()}, {kVocabularyWidth, model.tableWidth()}});
    if (model.isHashed())
        config.update({{"architectures", WrittenJson::array()}, {kInputHashes, model.inputHashes}});
    if (model.outputHeads > 1)
        config.update({{"architectures", WrittenJson::array()}, {kOutputHeads, model.outputHeads}});
    if (model.isAdaptive())
        config.update({{"architectures", WrittenJson::array()}, {kAdaptiveCutoffs, model.adaptiveCutoffs}});
    if (model.isSampled()) // whose weights transformers reads as those of a softmax over all words
        config.update({{kSampledWords, *model.sampledWords}});
    return config.dump(2) + '\n';
}

} // namespace stagelens::exchange
