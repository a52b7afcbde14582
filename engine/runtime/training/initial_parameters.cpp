#include "engine/runtime/training/initial_parameters.h"

#include "engine/base/text.h"
#include "engine/exchange/huggingface_config.h"
#include "engine/exchange/huggingface_weights.h"
#include "engine/model/names.h"
#include "engine/operators/architecture.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <system_error>

namespace stagelens::runtime {
namespace {

using exchange::HuggingFaceWeights;

constexpr std::string_view kOutput = "lm_head.weight";

/// Returns the differences between a config.json and the model of the plan.
base::Problems configProblems(const std::filesystem::path &file, const model::ModelConfig &model)
{
    auto read = exchange::readHuggingFaceConfig(file);
    if (!read)
        return read.error().problems;
    const model::ModelConfig &found = read->shape;
    if (found.family != model.family)
        return {{"model.family", fmt::format("{} describes a {}, but the model is a {}; choose --family {}", file.string(),
                                             model::name(found.family), model::name(model.family), model::name(found.family))}};
    base::Problems problems = std::move(read->differences);
    for (base::Problem &problem : problems)
        problem.message += "; its weights belong to another model";
    const auto compare = [&](const char *field, const auto &theirs, const auto &ours, const std::string &remedy) {
        if (theirs != ours)
            problems.push_back({field, fmt::format("is {}, but {} in {}; {}", base::valueText(ours), base::valueText(theirs),
                                                   file.string(), remedy)});
    };
    // The tensors reveal all other sizes.
    compare("model.heads", found.heads, model.heads, "make them equal");
    compare("model.kv_heads", found.kvHeads, model.kvHeads, "make them equal");
    compare("model.experts", found.experts, model.experts, "make them equal");
    if (model.hasExperts())
        compare("model.top_k", found.topK, model.topK, "make them equal");
    compare("model.head_dim", found.headSize(), model.headSize(), "make them equal");
    const std::string remedy = "give the model with --model " + file.string();
    compare("model.rms_norm_eps", found.rmsNormEpsilon, model.rmsNormEpsilon, remedy);
    compare("model.rope_theta", found.ropeTheta, model.ropeTheta, remedy);
    if (found.ropeScaling != model.ropeScaling)
        problems.push_back({"model.rope_scaling",
                            fmt::format("is {} in {}; {}", found.ropeScaling ? "another" : "none", file.string(), remedy)});
    if (found.tied != model.tied)
        problems.push_back({"model.tied", fmt::format("the weights are {} in {}; choose --{}", found.tied ? "tied" : "untied",
                                                      file.string(), found.tied ? "tied" : "untied")});
    return problems;
}

/// Buffers that older versions of transformers and PyTorch save with the parameters.
bool isBuffer(std::string_view name)
{
    return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias") || name.ends_with(".rotary_emb.inv_freq");
}

/// Returns the prefix of the body, "transformer." or "model.", that the names in the folder lack.
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
            problems.push_back(
                {folder.string(),
                 fmt::format("has tensor {}, which the model does not have; give a folder of the same model", name)});
            continue;
        }
        const ParameterInfo &table = plan.parameters[kTokenTable];
        const auto output = weights.floats(name, std::vector{table.rows, table.columns});
        if (!output || *output != parameters[kTokenTable])
            problems.push_back(
                {"model.tied",
                 fmt::format("{} has an output projection of its own, but the model's weights are tied; choose --untied",
                             folder.string())});
    }
    return problems;
}

/// Returns an error that names the file and tensor of a non-finite value; nothing if all are finite.
std::optional<base::Problem> notFinite(const std::string &file, const std::string &name, const std::vector<float> &values)
{
    const auto isBad = [](float value) { return !std::isfinite(value); };
    const auto first = std::ranges::find_if(values, isBad);
    if (first == values.end())
        return std::nullopt;
    return base::Problem{file,
                         fmt::format("has tensor {} with {} of {} values that are not finite, the first at element {} (counted "
                                     "from 0); give weights that were saved before training diverged",
                                     name, std::count_if(first, values.end(), isBad), values.size(), first - values.begin())};
}

/// Reads the parameters in order.
class Reading {
public:
    Reading(const std::filesystem::path &folder, const HuggingFaceWeights &weights, const RunPlan &plan)
        : m_folder(folder), m_weights(weights), m_plan(plan), m_prefix(missingPrefix(weights, plan))
    {}

    base::Result<InitialParameters> all()
    {
        for (std::size_t index = 0; index < m_plan.parameters.size(); ++index)
            addParameter(static_cast<int>(index));
        if (m_problems.empty())
            m_problems = extraTensors(m_folder, m_weights, m_known, m_plan, m_read.values);
        if (!m_problems.empty())
            return base::Error::invalid(std::move(m_problems));
        return std::move(m_read);
    }

private:
    void addParameter(int index)
    {
        const ParameterInfo &info = m_plan.parameters[size(index)];
        const std::string name = info.name.starts_with(m_prefix) ? info.name.substr(m_prefix.size()) : info.name;
        if (exchange::isOfExperts(name))
            return addExperts(info, name);
        const exchange::SafetensorsFile::Entry *entry = m_weights.find(name);
        m_known.insert(name);
        if (entry == nullptr && info.name == kOutput && !m_prefix.empty())
            return addFirstValues(info);
        std::vector<std::int64_t> shape = info.dimensions();
        const bool isPositions =
            operators::architectureOf(m_plan.experiment.model.family).hasPositionTable() && index == kPositionTable;
        if (isPositions && entry != nullptr && entry->shape.size() == 2 && entry->shape[0] > info.rows) {
            shape[0] = entry->shape[0];
            m_read.notes.push_back(fmt::format("positions from {} on are ignored: {} has {} and the sequence is {} tokens long",
                                               info.rows, name, shape[0], info.rows));
        }
        auto values = m_weights.floats(name, shape);
        if (!values) {
            m_problems.insert(m_problems.end(), values.error().problems.begin(), values.error().problems.end());
            return;
        }
        if (auto problem = notFinite(m_weights.fileOf(name), name, *values))
            m_problems.push_back(*std::move(problem));
        values->resize(size(info.count()));
        m_read.values.push_back(*std::move(values));
    }

    /// Reads the matrices of all experts of a layer.
    void addExperts(const ParameterInfo &info, const std::string &names)
    {
        const int experts = m_plan.experiment.model.experts;
        std::vector<float> &all = m_read.values.emplace_back();
        for (int e = 0; e < experts; ++e) {
            const std::string name = exchange::nameOfExpert(names, e);
            m_known.insert(name);
            const auto values = m_weights.floats(name, std::vector{info.rows / experts, info.columns});
            if (!values) {
                m_problems.insert(m_problems.end(), values.error().problems.begin(), values.error().problems.end());
                continue;
            }
            if (auto problem = notFinite(m_weights.fileOf(name), name, *values))
                m_problems.push_back(*std::move(problem));
            all.insert(all.end(), values->begin(), values->end());
        }
    }

    /// Initialises a parameter from the seed, because only the body of the model was saved.
    void addFirstValues(const ParameterInfo &info)
    {
        const std::uint64_t seed = m_plan.experiment.training.seed;
        initialise(m_read.values.emplace_back(size(info.count())), info, seed, 0);
        m_read.notes.push_back(fmt::format("{} contains a model body without output layer: {} is initialised from seed {}",
                                           m_folder.string(), info.name, seed));
    }

    const std::filesystem::path &m_folder;
    const HuggingFaceWeights &m_weights;
    const RunPlan &m_plan;
    std::string_view m_prefix;
    InitialParameters m_read;
    base::Problems m_problems;
    std::set<std::string, std::less<>> m_known;
};

} // namespace

base::Result<InitialParameters> readParameters(const std::filesystem::path &folder, const RunPlan &plan)
{
    std::error_code error;
    const std::filesystem::path config = folder / "config.json";
    const bool hasConfig = std::filesystem::exists(config, error);
    if (hasConfig)
        if (base::Problems found = configProblems(config, plan.experiment.model); !found.empty())
            return base::Error::invalid(std::move(found));
    const auto weights = HuggingFaceWeights::open(folder);
    if (!weights)
        return weights.error();
    auto read = Reading(folder, *weights, plan).all();
    if (read && !hasConfig)
        read->notes.push_back(folder.string() + " has no config.json: names and shapes of its tensors match, but its number of "
                                                "heads, norm and positions could not be compared with the plan's");
    return read;
}

} // namespace stagelens::runtime
