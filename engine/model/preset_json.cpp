#include "engine/model/preset_json.h"

#include "engine/model/schema/field_json.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace stagelens::model {
namespace {

using base::Error;
using base::Problems;
using base::Result;

constexpr std::string_view kCustom = "custom";
constexpr std::string_view kPath = "model.";
constexpr std::string_view kPresetPath = "model.preset";

void readRopeScaling(ObjectReader &reader, const std::string &path, ModelConfig &model, Problems &problems)
{
    const Json *member = reader.find("rope_scaling");
    if (member == nullptr)
        return;
    model.ropeScaling.reset();
    if (member->is_null())
        return;
    RopeScaling &scaling = model.ropeScaling.emplace();
    ObjectReader inner(*member, path, problems);
    inner.require("factor", scaling.factor);
    inner.require("low_freq_factor", scaling.lowFrequencyFactor);
    inner.require("high_freq_factor", scaling.highFrequencyFactor);
    inner.require("original_max_position_embeddings", scaling.originalSequence);
    inner.finish();
}

void readLatentAttention(ObjectReader &reader, const std::string &path, ModelConfig &model, Problems &problems)
{
    const Json *member = reader.find("latent_attention");
    if (member == nullptr)
        return;
    model.latentAttention.reset();
    if (member->is_null())
        return;
    LatentAttention &latent = model.latentAttention.emplace();
    ObjectReader inner(*member, path, problems);
    inner.require("query_rank", latent.queryRank);
    inner.require("key_value_rank", latent.keyValueRank);
    inner.require("plain_size", latent.plainSize);
    inner.require("rotary_size", latent.rotarySize);
    inner.require("value_size", latent.valueSize);
    inner.finish();
}

/// Returns whether a field belongs to the shape.
bool isOfShape(const Field &field)
{
    return field.path.starts_with(kPath) && field.path != kPresetPath;
}
std::string_view keyOf(const Field &field)
{
    return field.path.substr(kPath.size());
}

/// Sets what documents omit to its default.
void setDefaults(ModelConfig &model)
{
    const Experiment usual;
    Experiment experiment;
    experiment.model = model;
    for (const Field &field : schema())
        if (isOfShape(field) && field.leftOut)
            (void)field.assign(experiment, field.value(usual));
    model = experiment.model;
    model.ropeScaling.reset();
    model.latentAttention.reset();
}

/// Reads the members of the shape. If hidden, heads or family are given, `ffn`, `kv_heads` and `head_dim` follow from them
/// unless they are given as well.
void readShape(ObjectReader &reader, const std::string &path, ModelConfig &model, Problems &problems)
{
    Experiment experiment;
    experiment.model = model;
    const auto read = [&](bool follows) {
        for (const Field &field : schema())
            if (isOfShape(field) &&
                (field.path == "model.ffn" || field.path == "model.kv_heads" || field.path == "model.head_dim") == follows)
                readField(reader, field, experiment, problems);
    };
    read(false);
    const bool newFamily = reader.find("family") != nullptr;
    if (newFamily || reader.find("heads") != nullptr)
        experiment.model.kvHeads = experiment.model.heads;
    if (newFamily || reader.find("hidden") != nullptr)
        experiment.model.ffn = defaultFfn(experiment.model.family, experiment.model.hidden);
    if (newFamily || reader.find("hidden") != nullptr || reader.find("heads") != nullptr)
        experiment.model.headDim.reset();
    read(true);
    model = experiment.model;
    readRopeScaling(reader, path + "rope_scaling", model, problems);
    readLatentAttention(reader, path + "latent_attention", model, problems);
}

} // namespace

int defaultFfn(ModelFamily family, int hidden)
{
    constexpr std::int64_t kMultiple = 64;
    const std::int64_t h = hidden;
    const std::int64_t width = family == ModelFamily::Gpt ? 4 * h : (8 * h + 3 * kMultiple - 1) / (3 * kMultiple) * kMultiple;
    return static_cast<int>(std::clamp<std::int64_t>(width, 0, std::numeric_limits<int>::max()));
}

Json modelJson(const ModelConfig &model)
{
    Experiment experiment;
    experiment.model = model;
    Json document;
    addFields(document, experiment, "model");
    Json &json = document["model"];
    if (const auto &scaling = model.ropeScaling)
        json["rope_scaling"] = {{"factor", scaling->factor},
                                {"low_freq_factor", scaling->lowFrequencyFactor},
                                {"high_freq_factor", scaling->highFrequencyFactor},
                                {"original_max_position_embeddings", scaling->originalSequence}};
    if (const auto &latent = model.latentAttention)
        json["latent_attention"] = {{"query_rank", latent->queryRank},
                                    {"key_value_rank", latent->keyValueRank},
                                    {"plain_size", latent->plainSize},
                                    {"rotary_size", latent->rotarySize},
                                    {"value_size", latent->valueSize}};
    return std::move(json);
}

void readModel(const Json &json, ModelConfig &model, Problems &problems)
{
    ObjectReader reader(json, "model", problems);
    std::string presetName = model.preset;
    reader.read("preset", presetName);
    const bool complete = std::ranges::all_of(schema(), [&](const Field &field) {
        return !isOfShape(field) || field.leftOut || reader.find(keyOf(field)) != nullptr;
    });
    const Result<ModelConfig> preset = modelPreset(presetName);
    if (preset)
        model = *preset;
    else if (presetName != kCustom && !complete)
        // A complete shape is valid without its preset, so experiments survive the renaming of a preset.
        reader.problem("preset", preset.error().problems.front().message);
    if (complete)
        setDefaults(model);
    readShape(reader, "model.", model, problems);
    reader.finish();
    if (!preset || model != *preset)
        model.preset = kCustom;
}

Result<ModelPreset> modelPresetFromJson(std::string_view text, const std::string &source)
{
    const Result<Json> document = parseDocument(text, source);
    if (!document)
        return document.error();
    Problems problems;
    ModelPreset preset;
    ObjectReader reader(*document, source, problems);
    reader.require("name", preset.model.preset);
    reader.require("description", preset.description);
    for (const std::string_view member : {"family", "layers", "hidden", "heads", "sequence", "vocabulary_size"}) {
        if (reader.find(member) == nullptr)
            reader.problem(member, "missing");
    }
    readShape(reader, source + ": ", preset.model, problems);
    reader.finish();
    Experiment experiment;
    experiment.model = preset.model;
    experiment.parallel.devices = 1;
    for (const base::Problem &problem : problems.empty() ? validate(experiment) : Problems{})
        problems.push_back({fmt::format("{}: {}", source, problem.field), problem.message});
    if (!problems.empty())
        return Error::invalid(std::move(problems));
    return preset;
}

} // namespace stagelens::model
