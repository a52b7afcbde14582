#include "engine/runtime/training/checkpoint_parts.h"

#include "engine/base/hash.h"
#include "engine/exchange/safetensors.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <fmt/format.h>
#include <span>
#include <utility>

namespace stagelens::runtime {

using base::Error;
using base::Result;

namespace {

/// Returns the shape of a part of a parameter in a file; empty if the parameter does not have it.
std::vector<std::int64_t> shapeOf(const ParameterInfo &info, const CheckpointPart &part)
{
    using Extent = operators::StateTensor::Extent;
    if (!part.range.isOf(info.kind()))
        return {};
    switch (part.range.extent) {
    case Extent::Element: break;
    case Extent::Row: return {info.rows};
    case Extent::Column:
        return info.matrixRows > 0 ? std::vector{info.rows / info.matrixRows, info.columns} : std::vector{info.columns};
    case Extent::Block: return {info.rows, part.range.numbers(info.columns, info.columns)};
    }
    return {info.rows, info.columns};
}

bool isCode(const CheckpointPart &part)
{
    return part.range.format == operators::StateTensor::Format::Code;
}

/// Returns why values are invalid for a part, or an empty string.
std::string rangeProblem(const CheckpointPart &part, std::span<const float> values)
{
    if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); }))
        return "has a value that is not finite";
    const bool isSound = !part.range.isNeverNegative || std::ranges::all_of(values, [](float value) { return value >= 0; });
    return isSound ? std::string() : fmt::format("has a negative value, and {}", part.range.why);
}

} // namespace

std::vector<CheckpointPart> partsOf(const model::Experiment &experiment)
{
    std::vector<CheckpointPart> parts{{"parameters.safetensors", &Parameter::value}};
    const auto &state = optimizerOf(experiment.training.optimizer).state;
    for (std::size_t i = 0; i < state.size(); ++i) {
        const operators::StateTensor &tensor = state[i];
        if (!experiment.parallel.averagesWeights())
            parts.push_back({fmt::format("{}.safetensors", tensor.name), ParameterPart::state(i), tensor});
        else
            for (int replica = 0; replica < experiment.parallel.replicas; ++replica)
                parts.push_back({fmt::format("{}-of-replica-{}.safetensors", tensor.name, replica), ParameterPart::state(i),
                                 tensor, replica});
    }
    return parts;
}

CheckpointPart previousPart()
{
    return {"previous-parameters.safetensors", &Parameter::previous};
}

Result<std::string> writePart(const CheckpointPart &part, const std::filesystem::path &folder, const RunPlan &plan,
                              const Tensors &tensors, const std::stop_token &stop)
{
    std::vector<exchange::TensorView> views;
    std::deque<std::vector<std::uint8_t>> codes; // of the views
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (const std::string problem = rangeProblem(part, tensors[i]); !problem.empty())
            return Error::failed(fmt::format("{} {}; lower the learning rate or limit the gradient's norm with clip",
                                             plan.parameters[i].name, problem),
                                 part.file);
        auto shape = shapeOf(plan.parameters[i], part);
        if (shape.empty())
            continue;
        views.push_back({plan.parameters[i].name, std::move(shape)});
        if (isCode(part))
            views.back().values = std::span<const std::uint8_t>(codes.emplace_back(tensors[i].begin(), tensors[i].end()));
        else
            views.back().values = std::span<const float>(tensors[i]);
    }
    base::Xxh64 hash;
    if (auto written = exchange::writeSafetensors(folder / part.file, views, stop, &hash); !written)
        return written.error();
    return hash.text();
}

Result<Tensors> readPart(const CheckpointPart &part, const Checkpoint &checkpoint, const std::vector<ParameterInfo> &parameters)
{
    const std::filesystem::path path = checkpoint.folder / part.file;
    const auto file = exchange::SafetensorsFile::read(path);
    if (!file)
        return file.error();
    if (const auto known = checkpoint.checksums.find(part.file);
        known != checkpoint.checksums.end() && known->second != file->hash())
        return Error::invalid(path.string(), "does not have the checksum that was stored with the checkpoint: it was changed "
                                             "or replaced; copy it again or restart the run");
    Tensors tensors;
    for (const ParameterInfo &info : parameters) {
        const std::vector<std::int64_t> shape = shapeOf(info, part);
        if (shape.empty()) {
            tensors.emplace_back();
            continue;
        }
        auto values = isCode(part) ? file->bytes(info.name, shape) : file->floats(info.name, shape);
        if (!values)
            return std::move(values).error();
        if (const std::string problem = rangeProblem(part, *values); !problem.empty())
            return Error::invalid(path.string(), fmt::format("is damaged: {} {}; restart the run", info.name, problem));
        tensors.push_back(*std::move(values));
    }
    return tensors;
}

} // namespace stagelens::runtime
