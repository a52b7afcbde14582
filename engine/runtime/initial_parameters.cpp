#include "engine/runtime/initial_parameters.h"

#include "engine/base/text.h"
#include "engine/exchange/huggingface_config.h"
#include "engine/exchange/huggingface_weights.h"
#include "engine/model/names.h"

#include <algorithm>
#include <set>
#include <system_error>

namespace stagelens::runtime {
namespace {

using base::concat;
using exchange::HuggingFaceWeights;

constexpr std::string_view kOutput = "lm_head.weight";

/// What a folder's config.json says that the plan does not.
base::Problems configProblems(const std::filesystem::path &file, const model::ModelConfig &model)
{
    auto read = exchange::readHuggingFaceConfig(file);
    if (!read)
        return read.error().problems;
    const model::ModelConfig &found = read->shape;
    if (found.family != model.family)
        return {{"model.family", concat(file.string(), " describes a ", model::name(found.family), ", but the model is a ",
                                        model::name(model.family), "; choose --family ", model::name(found.family))}};
    base::Problems problems = std::move(read->differences);
    for (base::Problem &problem : problems)
        problem.message += "; its weights belong to another model";
    // Tensors show every other size.
    for (const auto &[field, theirs, ours] :
         {std::tuple("model.heads", found.heads, model.heads), std::tuple("model.kv_heads", found.kvHeads, model.kvHeads)})
        if (theirs != ours)
            problems.push_back({field, concat("is ", ours, ", but ", theirs, " in ", file.string(), "; make them equal")});
    if (found.tied != model.tied)
        problems.push_back({"model.tied", concat("the weights are ", found.tied ? "tied" : "untied", " in ", file.string(),
                                                 "; choose --", found.tied ? "tied" : "untied")});
    return problems;
}

/// Buffers that older versions of transformers and PyTorch save among the parameters.
bool isBuffer(std::string_view name)
{
    return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias") || name.ends_with(".rotary_emb.inv_freq");
}

/// The body's prefix, "transformer." or "model.", that the names in the folder lack.
std::string_view missingPrefix(const HuggingFaceWeights &weights, const RunPlan &plan)
{
    const std::string_view first = plan.parameters.front().name;
    const std::size_t length = first.find('.') + 1;
    return !weights.contains(first) && weights.contains(first.substr(length)) ? first.substr(0, length) : std::string_view();
}

base::Problems extraTensors(const std::filesystem::path &folder, const HuggingFaceWeights &weights,
                            const std::set<std::string, std::less<>> &known, const RunPlan &plan, const Tensors &parameters)
{
    base::Problems problems;
    for (const std::string &name : weights.names()) {
        if (known.contains(name) || isBuffer(name))
            continue;
        if (name != kOutput) {
            problems.push_back({folder.string(), concat("has tensor ", name,
                                                        ", which the model has not; give a folder of the "
                                                        "same model")});
            continue;
        }
        const ParameterInfo &table = plan.parameters[kTokenTable];
        const auto output = weights.floats(name, std::vector{table.rows, table.columns});
        if (!output || *output != parameters[kTokenTable])
            problems.push_back({"model.tied", concat(folder.string(), " has an output projection of its own, but the model's "
                                                                      "weights are tied; choose --untied")});
    }
    return problems;
}

} // namespace

base::Result<Tensors> readParameters(const std::filesystem::path &folder, const RunPlan &plan)
{
    std::error_code error;
    const std::filesystem::path config = folder / "config.json";
    if (std::filesystem::exists(config, error))
        if (base::Problems found = configProblems(config, plan.experiment.model); !found.empty())
            return base::Error::invalid(std::move(found));
    const auto weights = HuggingFaceWeights::open(folder);
    if (!weights)
        return weights.error();
    const std::string_view prefix = missingPrefix(*weights, plan);
    Tensors parameters;
    base::Problems found;
    std::set<std::string, std::less<>> known;
    for (const ParameterInfo &info : plan.parameters) {
        const std::string name = info.name.starts_with(prefix) ? info.name.substr(prefix.size()) : info.name;
        auto values = weights->floats(name, info.dimensions());
        known.insert(name);
        if (values)
            parameters.push_back(std::move(values).value());
        else
            found.insert(found.end(), values.error().problems.begin(), values.error().problems.end());
    }
    if (found.empty())
        found = extraTensors(folder, *weights, known, plan, parameters);
    if (!found.empty())
        return base::Error::invalid(std::move(found));
    return parameters;
}

} // namespace stagelens::runtime
