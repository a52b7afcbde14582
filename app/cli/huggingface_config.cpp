#include "app/cli/huggingface_config.h"

#include "engine/base/file.h"
#include "engine/base/text.h"

#include <nlohmann/json.hpp>

#include <limits>
#include <string>

namespace stagelens::cli {

namespace {

using base::concat;
using Json = nlohmann::json;

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
            m_problems.push_back({key, concat("is ", value->dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 40),
                                              "; it must be a whole number from 1 to ", std::numeric_limits<int>::max())});
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
    void require(const char *key, const char *expected)
    {
        if (const std::string found = word(key, expected); found != expected)
            m_problems.push_back({key, concat("is `", found, "`, and this program computes `", expected, "` only")});
    }
    base::Problems takeProblems() { return std::move(m_problems); }

private:
    const Json *find(const char *key) const
    {
        const auto found = m_document.find(key);
        return found == m_document.end() || found->is_null() ? nullptr : &*found;
    }
    const Json &m_document;
    base::Problems m_problems;
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
    reader.require("activation_function", "gelu_new");
    return model;
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
    reader.require("hidden_act", "silu");
    return model;
}

} // namespace

base::Result<model::ModelConfig> huggingFaceModel(const std::filesystem::path &file)
{
    constexpr base::Bytes kLimit = 1 << 20;
    const auto text = base::readFile(file, kLimit);
    if (!text)
        return text.error();
    const Json document = Json::parse(*text, nullptr, false);
    if (!document.is_object())
        return base::Error::invalid(file.string(),
                                    concat(file.string(), " is not a JSON object; give a Hugging Face config.json"));

    ConfigReader reader(document);
    const std::string type = reader.word("model_type", "");
    if (type != "gpt2" && type != "llama")
        return base::Error::invalid(
            "model_type", concat("model_type of ", file.string(), " is `", type, "`; this program reads gpt2 and llama"));
    model::ModelConfig model = type == "gpt2" ? readGpt2(reader) : readLlama(reader);
    model.preset = "custom";
    model.vocabularySize = reader.size("vocab_size");
    const std::string dtype = reader.word("torch_dtype", "float32");
    model.dtype = dtype == "bfloat16"  ? model::DataType::Bf16
                  : dtype == "float16" ? model::DataType::Fp16
                                       : model::DataType::Fp32;
    base::Problems problems = reader.takeProblems();
    for (base::Problem &problem : problems)
        problem.message = concat(problem.field, " of ", file.string(), " ", problem.message);
    if (!problems.empty())
        return base::Error::invalid(std::move(problems));
    return model;
}

} // namespace stagelens::cli
