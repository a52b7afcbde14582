#include "engine/model/preset_json.h"

#include "engine/model/schema_json.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagelens::model {
namespace {

using base::concat;
using base::Error;
using base::Problems;
using base::Result;

constexpr std::string_view kCustom = "custom";
constexpr std::string_view kPath = "model.";
constexpr std::string_view kPresetPath = "model.preset";
/// Sets the options of Llama to their defaults; documents contain only other values.
void setUsualChoices(ModelConfig &model)
{
    const ModelConfig usual;
    model.headDim = usual.headDim;
    model.rmsNormEpsilon = usual.rmsNormEpsilon;
    model.ropeTheta = usual.ropeTheta;
    model.ropeScaling = usual.ropeScaling;
}

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

/// Returns whether a field belongs to the shape.
bool isOfShape(const Field &field)
{
    return field.path.starts_with(kPath) && field.path != kPresetPath;
}
std::string_view keyOf(const Field &field)
{
    return field.path.substr(kPath.size());
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
}

double micros(base::Nanos time)
{
    return static_cast<double>(time) / static_cast<double>(base::kNanosPerMicro);
}

base::Nanos nanos(double microseconds, std::string_view key, ObjectReader &reader)
{
    constexpr double kLongest = 1e9;
    if (microseconds >= 0 && microseconds <= kLongest)
        return std::llround(microseconds * static_cast<double>(base::kNanosPerMicro));
    reader.problem(key, concat("is ", microseconds, "; choose 0 to ", kLongest));
    return 0;
}

void readLink(const Json &json, std::string path, LinkClass &link, Problems &problems)
{
    ObjectReader reader(json, std::move(path), problems);
    double latency = 0;
    reader.require("name", link.name);
    reader.require("latency_us", latency);
    reader.require("bytes_per_second", link.bytesPerSecond);
    reader.finish();
    link.latency = nanos(latency, "latency_us", reader);
    if (!(link.bytesPerSecond > 0 && std::isfinite(link.bytesPerSecond)))
        reader.problem("bytes_per_second", concat("is ", link.bytesPerSecond, "; choose more than 0"));
}

void readRange(ObjectReader &reader, std::string_view key, MeasuredRuns::Range &range)
{
    std::vector<int> ends;
    reader.require(key, ends);
    if (ends.size() == 2 && ends[0] > 0 && ends[0] <= ends[1])
        range = {ends[0], ends[1]};
    else if (reader.find(key) != nullptr)
        reader.problem(key, "is no range; give the least and the greatest value, such as [1024, 8192]");
}

MeasuredRuns readMeasured(const Json &json, std::string path, Problems &problems)
{
    ObjectReader reader(json, std::move(path), problems);
    MeasuredRuns measured;
    readRange(reader, "hidden", measured.hidden);
    readRange(reader, "microbatch_tokens", measured.tokens);
    readRange(reader, "devices", measured.devices);
    reader.finish();
    return measured;
}

Json measuredJson(const MeasuredRuns &measured)
{
    const auto range = [](const MeasuredRuns::Range &ends) { return Json::array({ends.least, ends.most}); };
    return {{"hidden", range(measured.hidden)},
            {"microbatch_tokens", range(measured.tokens)},
            {"devices", range(measured.devices)}};
}

/// Reads [[bytes, bytes a second], ...], sorted by size.
std::vector<CollectivePoint> readCollectives(ObjectReader &reader, std::string_view key)
{
    const Json *const member = reader.find(key);
    std::vector<CollectivePoint> points;
    if (member == nullptr)
        return points;
    for (const Json &pair : member->is_array() ? *member : Json::array({nullptr})) {
        const bool isPair = pair.is_array() && pair.size() == 2 && pair[0].is_number() && pair[1].is_number();
        const CollectivePoint point =
            isPair ? CollectivePoint{pair[0].get<double>(), pair[1].get<double>()} : CollectivePoint{};
        if (!isPair || !(point.bytes > (points.empty() ? 0 : points.back().bytes) && point.bytes < 1e18) ||
            !(point.busRate > 0 && point.busRate < 1e18)) {
            reader.problem(key, "is no table; give pairs of bytes and bytes a second, such as [[1048576, 18e9], [1073741824, "
                                "230e9]], with growing sizes");
            return {};
        }
        points.push_back(point);
    }
    return points;
}

Json collectivesJson(const std::vector<CollectivePoint> &points)
{
    Json table = Json::array();
    for (const CollectivePoint &point : points)
        table.push_back(Json::array({point.bytes, point.busRate}));
    return table;
}

Json linkJson(const LinkClass &link)
{
    return {{"name", link.name}, {"latency_us", micros(link.latency)}, {"bytes_per_second", link.bytesPerSecond}};
}

/// Rejects figures from which no time can be computed.
void checkHardware(const Hardware &hardware, ObjectReader &reader)
{
    const auto positive = [&](std::string_view key, double value) {
        if (!(value > 0 && std::isfinite(value)))
            reader.problem(key, concat("is ", value, "; choose more than 0"));
    };
    const auto share = [&](std::string_view key, double value) {
        if (!(value > 0 && value <= 1))
            reader.problem(key, concat("is ", value, "; choose more than 0, up to 1"));
    };
    positive("peak_flops", hardware.peakFlops);
    positive("memory_bytes_per_second", hardware.memoryBytesPerSecond);
    positive("devices_per_node", hardware.devicesPerNode);
    share("matrix_efficiency", hardware.matrixEfficiency);
    share("attention_efficiency", hardware.attentionEfficiency);
    if (!(hardware.halfSpeedDimension >= 0 && hardware.halfSpeedDimension <= 1e9))
        reader.problem("half_speed_dimension", concat("is ", hardware.halfSpeedDimension, "; choose 0 or more"));
    if (hardware.memoryCapacity < 0)
        reader.problem("memory_capacity_bytes", concat("is ", hardware.memoryCapacity, "; choose 0 (unknown) or more"));
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
        setUsualChoices(model);
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
        problems.push_back({concat(source, ": ", problem.field), problem.message});
    if (!problems.empty())
        return Error::invalid(std::move(problems));
    return preset;
}

Result<Hardware> hardwareFromJson(std::string_view text, const std::string &source)
{
    const Result<Json> document = parseDocument(text, source);
    if (!document)
        return document.error();
    Problems problems;
    Hardware hardware;
    double overhead = 0;
    double launch = 0;
    ObjectReader reader(*document, source, problems);
    reader.require("name", hardware.name);
    reader.require("description", hardware.description);
    reader.require("peak_flops", hardware.peakFlops);
    reader.require("matrix_efficiency", hardware.matrixEfficiency);
    reader.require("attention_efficiency", hardware.attentionEfficiency);
    reader.read("half_speed_dimension", hardware.halfSpeedDimension);
    reader.require("memory_bytes_per_second", hardware.memoryBytesPerSecond);
    reader.read("pass_overhead_us", overhead);
    reader.read("launch_interval_us", launch);
    reader.read("memory_capacity_bytes", hardware.memoryCapacity);
    reader.read("devices_per_node", hardware.devicesPerNode);
    double spread = 0; // of a calibration; not a property of the hardware
    reader.read(kSpread, spread);
    if (!(spread >= 0 && spread <= 1))
        reader.problem(kSpread, concat("is ", spread, "; choose 0 to 1"));
    for (const auto &[key, link] :
         {std::pair{"inside_node", &hardware.insideNode}, {"between_nodes", &hardware.betweenNodes}}) {
        if (const Json *member = reader.find(key))
            readLink(*member, concat(source, '.', key), *link, problems);
        else
            reader.problem(key, "missing");
    }
    hardware.collectivesInside = readCollectives(reader, "collectives_inside");
    hardware.collectivesBetween = readCollectives(reader, "collectives_between");
    reader.read("ring_bus_bytes_per_second", hardware.ringBusRate);
    if (!(hardware.ringBusRate >= 0 && std::isfinite(hardware.ringBusRate)))
        reader.problem("ring_bus_bytes_per_second", concat("is ", hardware.ringBusRate, "; choose 0 (no limit) or more"));
    if (const Json *member = reader.find("measured"))
        hardware.measured = readMeasured(*member, concat(source, ".measured"), problems);
    reader.finish();
    hardware.passOverhead = nanos(overhead, "pass_overhead_us", reader);
    hardware.launchInterval = nanos(launch, "launch_interval_us", reader);
    checkHardware(hardware, reader);
    if (!problems.empty())
        return Error::invalid(std::move(problems));
    return hardware;
}

std::string hardwareToJson(const Hardware &hardware)
{
    Json json{{"name", hardware.name},
              {"description", hardware.description},
              {"peak_flops", hardware.peakFlops},
              {"matrix_efficiency", hardware.matrixEfficiency},
              {"attention_efficiency", hardware.attentionEfficiency},
              {"half_speed_dimension", hardware.halfSpeedDimension},
              {"memory_bytes_per_second", hardware.memoryBytesPerSecond},
              {"pass_overhead_us", micros(hardware.passOverhead)},
              {"launch_interval_us", micros(hardware.launchInterval)},
              {"memory_capacity_bytes", hardware.memoryCapacity},
              {"devices_per_node", hardware.devicesPerNode},
              {"inside_node", linkJson(hardware.insideNode)},
              {"between_nodes", linkJson(hardware.betweenNodes)}};
    if (!hardware.collectivesInside.empty())
        json["collectives_inside"] = collectivesJson(hardware.collectivesInside);
    if (!hardware.collectivesBetween.empty())
        json["collectives_between"] = collectivesJson(hardware.collectivesBetween);
    if (hardware.ringBusRate > 0)
        json["ring_bus_bytes_per_second"] = hardware.ringBusRate;
    if (hardware.measured)
        json["measured"] = measuredJson(*hardware.measured);
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace stagelens::model
