// A model's config.json from the hub.
#include "engine/exchange/huggingface_config.h"
#include "tests/fuzz/support.h"

using namespace stagelens;

namespace {

void run(std::string_view input)
{
    static const fuzz::MemoryFile kFile;
    kFile.write(input);
    const auto found = exchange::readHuggingFaceConfig(kFile.path());
    if (!found)
        return fuzz::requireMessage(found.error());
    kFile.write(exchange::huggingFaceConfig(found->shape));
    fuzz::require(exchange::readHuggingFaceConfig(kFile.path()).ok(), "a config that is written can be read");
}

fuzz::Seeds seeds()
{
    model::ModelConfig gpt;
    model::ModelConfig llama;
    llama.family = model::ModelFamily::Llama;
    llama.kvHeads = llama.heads;
    model::ModelConfig mixtral = llama;
    mixtral.experts = 8;
    return {
        exchange::huggingFaceConfig(mixtral),
        R"({"model_type":"qwen3_moe","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":4,"intermediate_size":8,)"
        R"("moe_intermediate_size":9,"vocab_size":32,"max_position_embeddings":40,"mlp_only_layers":[0]})",
        exchange::huggingFaceConfig(gpt),
        exchange::huggingFaceConfig(llama),
        R"({"model_type":"llama","hidden_size":4096,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,)"
        R"("intermediate_size":11008,"vocab_size":32000,"max_position_embeddings":4096,"rms_norm_eps":1e-05,)"
        R"("rope_theta":500000.0,"rope_scaling":{"rope_type":"llama3","factor":8.0,"low_freq_factor":1.0,)"
        R"("high_freq_factor":4.0,"original_max_position_embeddings":8192},"hidden_act":"silu","torch_dtype":"bfloat16"})",
        R"({"model_type":"gpt2","n_layer":2147483647,"n_embd":2147483647,"n_head":1,"n_positions":-1,"vocab_size":1e300})",
        R"({"model_type":")" + fuzz::hostileMarkup() + "\"}",
        R"({"model_type":"llama","rope_scaling":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}"};
}

const fuzz::Registered kTarget{{"huggingface_config", run, seeds, 1000}};

} // namespace
