#include "engine/model/schema.h"

#include "engine/base/count.h"
#include "engine/base/text.h"
#include "engine/model/family_shape.h"
#include "engine/model/schema/row.h"
#include "engine/operators/optimizers/optimizer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace stagelens::model {

namespace {

using Kind = Field::Kind;

ParsedField wrong(std::string fault)
{
    return {{}, std::move(fault)};
}

ParsedField parseWhole(std::string_view text)
{
    const auto value = base::parseCount(text);
    if (!value)
        return wrong(fmt::format("`{}` is not a whole number; write it as 32000, 32k or 32Ki", text));
    if (*value < std::numeric_limits<int>::min() || *value > std::numeric_limits<int>::max())
        return wrong(fmt::format("{} is beyond {}; choose a smaller size", text, std::numeric_limits<int>::max()));
    return {*value, {}};
}

ParsedField parseSeed(std::string_view text)
{
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    if (error == std::errc() && end == text.data() + text.size())
        return {seed, {}};
    const auto count = base::parseCount(text);
    if (!count || *count < 0)
        return wrong(fmt::format("`{}` is not a whole number from 0 to {}", text, std::numeric_limits<std::uint64_t>::max()));
    return {static_cast<std::uint64_t>(*count), {}};
}

/// "85899345920", "80Gi", "80GiB" or "1.5 GiB".
ParsedField parseBytes(std::string_view text)
{
    constexpr std::pair<std::string_view, int> kUnits[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
    constexpr double kTooMany = 9e18;
    if (const auto whole = base::parseCount(text))
        return {*whole, {}};
    std::string_view number = text;
    int power = 0;
    for (const auto &[unit, itsPower] : kUnits) {
        if (text.ends_with(unit)) {
            number = base::trim(text.substr(0, text.size() - unit.size()));
            power = itsPower;
        }
    }
    const auto value = base::parseNumber(number);
    if (!value || std::abs(std::ldexp(*value, power)) > kTooMany)
        return wrong(fmt::format("`{}` is not a number of bytes; write it as 85899345920 or 80GiB", text));
    return {static_cast<std::int64_t>(std::ldexp(*value, power)), {}};
}

ParsedField parseReal(std::string_view text)
{
    const auto value = base::parseNumber(text);
    return value ? ParsedField{*value, {}} : wrong(fmt::format("`{}` is not a number", text));
}

ParsedField parseLayers(std::string_view text)
{
    std::vector<int> layers;
    for (const std::string_view part : base::split(text, '/')) {
        ParsedField count = parseWhole(part);
        if (!count.fault.empty())
            return wrong(count.fault + "; write the layers of each stage as 4/4/4/4");
        layers.push_back(static_cast<int>(std::get<std::int64_t>(count.value)));
    }
    return {std::move(layers), {}};
}

ParsedField parsePair(std::string_view text)
{
    std::vector<double> numbers;
    for (const std::string_view part : base::split(text, ',')) {
        ParsedField number = parseReal(base::trim(part));
        if (!number.fault.empty())
            return number;
        numbers.push_back(std::get<double>(number.value));
    }
    return {std::move(numbers), {}};
}

ParsedField parseTimes(std::string_view text)
{
    std::map<std::string, double> times;
    for (const std::string_view part : base::split(text, ',')) {
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos || equals == 0)
            return wrong(fmt::format("`{}` is not a pass and its milliseconds; write F=1,B=2", part));
        const std::string key(base::trim(part.substr(0, equals)));
        ParsedField time = parseReal(base::trim(part.substr(equals + 1)));
        if (!time.fault.empty())
            return wrong(fmt::format("{}: {}", key, time.fault));
        if (!times.emplace(key, std::get<double>(time.value)).second)
            return wrong(fmt::format("{} stands twice; keep one", key));
    }
    return {std::move(times), {}};
}

} // namespace

std::span<const Field> schema()
{
    static const std::vector<Field> kAll = [] {
        std::vector<Field> all;
        for (const auto &rows :
             {modelRows(), parallelRows(), scheduleRows(), memoryRows(), costRows(), trainingRows(), whatIfRows()})
            all.insert(all.end(), rows.begin(), rows.end());
        return all;
    }();
    return kAll;
}

ParsedField parseField(const Field &field, std::string_view text)
{
    if (field.mayBeAbsent && !field.absent.empty() && text == field.absent)
        return {};
    switch (field.kind) {
    case Kind::Integer:
    case Kind::Size: return parseWhole(text);
    case Kind::Seed: return parseSeed(text);
    case Kind::Bytes: return parseBytes(text);
    case Kind::Real: {
        const ParsedField parsed = parseReal(text);
        if (!field.mayBeAbsent)
            return parsed;
        if (!parsed.fault.empty())
            return wrong(fmt::format("{}; choose one, or {}", parsed.fault, field.absent));
        return std::get<double>(parsed.value) > 0 ? parsed
                                                  : wrong(fmt::format("is {}; choose more than 0, or {}", text, field.absent));
    }
    case Kind::Layers: return parseLayers(text);
    case Kind::Pair: return parsePair(text);
    case Kind::Times: return parseTimes(text);
    case Kind::Flag: return text == "true" || text == "false" ? ParsedField{text == "true", {}} : wrong("choose true or false");
    case Kind::Choice:
    case Kind::Text:
    case Kind::File: break;
    }
    return {std::string(text), {}};
}

const Field *findField(std::string_view pathOrOption)
{
    const auto found = std::ranges::find_if(schema(), [&](const Field &field) {
        return field.path == pathOrOption || (!field.option.empty() && field.option == pathOrOption);
    });
    return found == schema().end() ? nullptr : &*found;
}

const Field &schemaField(std::string_view path)
{
    return *findField(path);
}

void followModel(const ModelConfig &before, ModelConfig &model, const std::function<bool(std::string_view)> &isGiven)
{
    if (!isGiven("model.ffn") && before.ffn == defaultFfn(before.family, before.hidden))
        model.ffn = defaultFfn(model.family, model.hidden);
    const bool becameGpt = model.family == ModelFamily::Gpt && before.family != ModelFamily::Gpt; // GPT-2 has no groups
    if (!isGiven("model.kv_heads") && (before.kvHeads == before.heads || becameGpt))
        model.kvHeads = model.heads;
    if (!isGiven("model.head_dim") &&
        (model.family != before.family || model.hidden != before.hidden || model.heads != before.heads))
        model.headDim.reset();
    if (model.preset == before.preset && model != before)
        model.preset = "custom";
}

void followStages(Experiment &experiment)
{
    experiment.parallel.stageLayers.clear();
    if (experiment.schedule.recomputeLayers.size() > 1)
        experiment.schedule.recomputeLayers.clear();
}

std::string edit(Experiment &experiment, const Field &field, const FieldValue &value)
{
    Experiment edited = experiment;
    if (std::string fault = field.assign(edited, value); !fault.empty())
        return fault;
    followModel(experiment.model, edited.model, [&](std::string_view path) { return path == field.path; });
    followOptimizer(experiment.training.optimizer, edited.training.optimizer,
                    [&](std::string_view key) { return fmt::format("{}{}", kOptimizerPath, key) == field.path; });
    const auto stages = [](const Experiment &of) { return std::int64_t{of.parallel.devices} * stagesPerDevice(of.schedule); };
    if (stages(edited) != stages(experiment))
        followStages(edited);
    experiment = std::move(edited);
    return {};
}

} // namespace stagelens::model
