#include "engine/runtime/dump.h"

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/exchange/safetensors.h"

#include <nlohmann/json.hpp>
#include <system_error>

namespace stagelens::runtime {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::int64_t> shapeOf(const ParameterInfo &info)
{
    return info.isMatrix ? std::vector<std::int64_t>{info.rows, info.columns} : std::vector<std::int64_t>{info.columns};
}

/// The keys of transformers' GPT2Config.
Json configOf(const model::ModelConfig &model)
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
            {"layer_norm_epsilon", 1e-5},
            {"initializer_range", 0.02},
            {"attn_pdrop", 0.0},
            {"embd_pdrop", 0.0},
            {"resid_pdrop", 0.0},
            {"scale_attn_weights", true},
            {"scale_attn_by_inverse_layer_idx", false},
            {"reorder_and_upcast_attn", false},
            {"tie_word_embeddings", model.tied},
            {"bos_token_id", 0},
            {"eos_token_id", 0},
            {"torch_dtype", "float32"},
            {"use_cache", true}};
}

std::vector<std::int64_t> widened(const std::vector<std::int32_t> &tokens)
{
    return {tokens.begin(), tokens.end()};
}

} // namespace

base::Result<> Dump::writeTensors(const char *file, const Tensors &tensors) const
{
    std::vector<exchange::TensorView> views;
    for (std::size_t i = 0; i < tensors.size(); ++i)
        views.push_back({m_plan.parameters[i].name, shapeOf(m_plan.parameters[i]), std::span<const float>(tensors[i])});
    return exchange::writeSafetensors(m_folder / file, views);
}

base::Result<> Dump::writeBeginning(const Tensors &parameters) const
{
    std::error_code error;
    std::filesystem::create_directories(m_folder, error);
    if (error)
        return base::Error::invalid("--dump", base::concat("cannot make the folder ", m_folder.string(), ": ", error.message(),
                                                           "; name a folder that you may write to"));
    const std::string config = configOf(m_plan.experiment.model).dump(2) + '\n';
    if (auto written = base::writeFile(m_folder / "config.json", config); !written)
        return written;
    return writeTensors("model.safetensors", parameters);
}

base::Result<> Dump::writeBatch(const Batch &batch) const
{
    const std::vector<std::int64_t> inputs = widened(batch.allInputs());
    const std::vector<std::int64_t> labels = widened(batch.allLabels());
    const std::vector<std::int64_t> shape{m_plan.shape.microbatches * m_plan.shape.batch, m_plan.shape.sequence};
    const std::vector<exchange::TensorView> views{{"input_ids", shape, std::span<const std::int64_t>(inputs)},
                                                  {"labels", shape, std::span<const std::int64_t>(labels)}};
    return exchange::writeSafetensors(m_folder / "batch.safetensors", views);
}

base::Result<> Dump::writeFirstStep(const Batch &batch, const Tensors &gradients) const
{
    if (auto written = writeBatch(batch); !written)
        return written;
    return writeTensors("gradients.safetensors", gradients);
}

base::Result<std::filesystem::path> Dump::writeFailure(const Tensors &parameters, const Batch &batch,
                                                       const std::vector<double> &losses, const base::Error &error) const
{
    const Dump state(m_folder / "failed-step", m_plan);
    const Json result{{"losses", losses}, {"step", losses.size()}, {"error", error.text()}};
    for (const auto &written : {state.writeBeginning(parameters), state.writeBatch(batch),
                                base::writeFile(state.m_folder / "result.json", result.dump(2) + '\n')})
        if (!written)
            return written.error();
    return state.m_folder;
}

base::Result<> Dump::writeEnd(const Tensors &parameters, const std::vector<double> &losses) const
{
    if (auto written = writeTensors("model-final.safetensors", parameters); !written)
        return written;
    const Json result{{"losses", losses}};
    return base::writeFile(m_folder / "result.json", result.dump(2) + '\n');
}

base::Result<Tensors> readParameters(const std::filesystem::path &folder, const RunPlan &plan)
{
    const auto file = exchange::SafetensorsFile::read(folder / "model.safetensors");
    if (!file)
        return file.error();
    Tensors parameters;
    base::Problems found;
    for (const ParameterInfo &info : plan.parameters) {
        auto values = file->floats(info.name, shapeOf(info));
        if (values)
            parameters.push_back(std::move(values).value());
        else
            found.insert(found.end(), values.error().problems.begin(), values.error().problems.end());
    }
    if (!found.empty())
        return base::Error::invalid(std::move(found));
    return parameters;
}

} // namespace stagelens::runtime
