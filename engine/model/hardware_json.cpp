#include "engine/model/hardware_json.h"

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/model/collective_json.h"
#include "engine/model/hardware_fields.h"
#include "engine/model/names.h"
#include "engine/model/presets.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagelens::model {
namespace {

using base::Error;
using base::Problems;
using base::Result;

constexpr std::string_view kHardwareVersion = "hardware/1";
constexpr base::Bytes kLargestCluster = base::Bytes{1} << 20;
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLongestText = 1000;

enum class Form : unsigned char { Preset, Embedded, File };

/// Where a member is: its object and its key.
std::pair<std::string_view, std::string_view> placeOf(std::string_view key)
{
    const std::size_t point = key.find('.');
    return point == std::string_view::npos ? std::pair(std::string_view(), key)
                                           : std::pair(key.substr(0, point), key.substr(point + 1));
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

/// Reads one number of the table of fields into the object that has it.
void readField(ObjectReader &reader, const HardwareField &field, std::string_view key, bool mayBeAbsent, Hardware &hardware)
{
    const Json *const member = reader.find(key);
    if (member == nullptr) {
        if (field.isRequired && !mayBeAbsent)
            reader.problem(key, "missing");
        return;
    }
    double value = 0;
    std::string fault = take(*member, value);
    if (fault.empty())
        fault = faultOf(field, value);
    if (fault.empty())
        field.assign(hardware, value);
    else
        reader.problem(key, std::move(fault));
}

void readLink(ObjectReader &parent, const char *key, const std::string &path, bool hasBase, Hardware &hardware,
              Problems &problems)
{
    const Json *const member = parent.find(key);
    if (member == nullptr) {
        if (!hasBase)
            parent.problem(key, "missing");
        return;
    }
    ObjectReader reader(*member, fmt::format("{}.{}", path, key), problems);
    LinkClass &link = std::string_view(key) == "inside_node" ? hardware.insideNode : hardware.betweenNodes;
    if (hasBase)
        reader.read("name", link.name);
    else
        reader.require("name", link.name);
    for (const HardwareField &field : hardwareFields())
        if (const auto [object, inner] = placeOf(field.key); object == key)
            readField(reader, field, inner, hasBase, hardware);
    reader.finish();
}

/// Returns why a text of the file cannot be kept, or an empty text.
std::string textFault(const std::string &text, std::size_t longest)
{
    const bool isSound = base::isUtf8(text) &&
                         std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
    if (!isSound)
        return fmt::format("is {}; write one line of UTF-8 text without control characters", base::quoted(text));
    return text.size() <= longest ? "" : fmt::format("is {} bytes long; shorten it to {}", text.size(), longest);
}

void readTexts(ObjectReader &reader, Form form, Hardware &hardware)
{
    reader.require("name", hardware.name);
    if (form == Form::Preset)
        reader.require("description", hardware.description);
    else
        reader.read("description", hardware.description);
    reader.read("derived_from", hardware.derivedFrom);
    reader.read("currency", hardware.currency);
    if (form == Form::Preset)
        return;
    if (reader.find("name") != nullptr && hardware.name.empty())
        reader.problem("name", "is empty; name the cluster, such as \"my-cluster\"");
    for (const auto &[key, text, longest] :
         {std::tuple("name", &hardware.name, kLongestName), std::tuple("description", &hardware.description, kLongestText),
          std::tuple("derived_from", &hardware.derivedFrom, kLongestName),
          std::tuple("currency", &hardware.currency, kLongestName)})
        if (std::string fault = textFault(*text, longest); !fault.empty())
            reader.problem(key, std::move(fault));
}

/// Takes the preset that a file names as its base.
bool readBase(ObjectReader &reader, Hardware &hardware)
{
    std::string base;
    reader.read("base", base);
    if (reader.find("base") == nullptr)
        return false;
    auto preset = hardwarePreset(base);
    if (!preset) {
        reader.problem("base", preset.error().problems.front().message);
        return true;
    }
    hardware = *std::move(preset);
    hardware.derivedFrom = base;
    hardware.name.clear();
    hardware.description = fmt::format("derived from {}", base);
    return true;
}

/// Figures that contradict each other.
void checkTogether(const Hardware &hardware, ObjectReader &reader)
{
    if (hardware.memoryCapacity > 0 && hardware.reservedMemory >= hardware.memoryCapacity)
        reader.problem("reserved_memory_bytes",
                       fmt::format("is {}, and a device has {}; choose less, such as {}", hardware.reservedMemory,
                                   hardware.memoryCapacity, hardware.memoryCapacity / 16));
}

void readHardware(const Json &json, const std::string &path, Form form, Hardware &hardware, Problems &problems)
{
    ObjectReader reader(json, path, problems);
    bool hasBase = false;
    if (form != Form::Preset)
        (void)reader.find("stagelens");
    if (form == Form::File)
        hasBase = readBase(reader, hardware);
    readTexts(reader, form, hardware);
    for (const HardwareField &field : hardwareFields())
        if (const auto [object, key] = placeOf(field.key); object.empty())
            readField(reader, field, key, hasBase, hardware);
    double spread = 0; // of a calibration; not a property of the hardware
    reader.read(kSpread, spread);
    if (!(spread >= 0 && spread <= 1))
        reader.problem(kSpread, fmt::format("is {:g}; choose 0 to 1", spread));
    for (const char *link : {"inside_node", "between_nodes"})
        readLink(reader, link, path, hasBase, hardware, problems);
    readCollectives(reader, path, hardware, problems);
    if (const Json *member = reader.find("measured"))
        hardware.measured = readMeasured(*member, fmt::format("{}.measured", path), problems);
    reader.finish();
    checkTogether(hardware, reader);
}

/// Returns the problem of a version that is missing or unknown. Checked first, for other problems would then mislead.
std::optional<base::Problem> versionProblem(const Json &document, const std::string &path)
{
    const auto version = document.find("stagelens");
    const std::string field = fmt::format("{}.stagelens", path);
    if (version == document.end())
        return base::Problem{field,
                             fmt::format("missing; a hardware file begins with \"stagelens\": \"{}\"", kHardwareVersion)};
    if (*version == kHardwareVersion)
        return std::nullopt;
    const std::string found =
        version->is_string() ? shown(version->get_ref<const std::string &>()) : std::string(typeName(*version));
    return base::Problem{
        field,
        fmt::format("is `{}`, and this program reads `{}` only; open it with the program that wrote it, or correct the word",
                    found, kHardwareVersion)};
}

/// Adds the members that presets and clusters have in common.
void addMembers(Json &json, const Hardware &hardware)
{
    for (const HardwareField &field : hardwareFields()) {
        const double value = field.value(hardware);
        if (!field.isRequired && value == field.usual)
            continue;
        const auto [object, key] = placeOf(field.key);
        if (!object.empty() && !json.contains(object))
            json[std::string(object)] = {
                {"name", object == "inside_node" ? hardware.insideNode.name : hardware.betweenNodes.name}};
        Json &parent = object.empty() ? json : json[std::string(object)];
        parent[std::string(key)] = numberJson(value);
    }
    if (!hardware.collectives.empty())
        json["collectives"] = collectivesJson(hardware.collectives);
    if (hardware.currency != Hardware().currency)
        json["currency"] = hardware.currency;
    if (hardware.measured)
        json["measured"] = measuredJson(*hardware.measured);
}

} // namespace

Json clusterJson(const Hardware &hardware)
{
    Json json{{"stagelens", kHardwareVersion}, {"name", hardware.name}, {"description", hardware.description}};
    if (!hardware.derivedFrom.empty())
        json["derived_from"] = hardware.derivedFrom;
    addMembers(json, hardware);
    return json;
}

std::string clusterText(const Hardware &hardware)
{
    return prettyJson(clusterJson(hardware)) + '\n';
}

void readCluster(const Json &json, const std::string &path, Hardware &hardware, Problems &problems)
{
    if (const auto problem = json.is_object() ? versionProblem(json, path) : std::nullopt)
        problems.push_back(*problem);
    else
        readHardware(json, path, Form::Embedded, hardware, problems);
}

Result<Hardware> clusterFromText(std::string_view text, const std::string &source)
{
    const Result<Json> document = parseDocument(base::withoutByteOrderMark(text), source);
    if (!document)
        return document.error();
    if (const auto problem = versionProblem(*document, source))
        return Error::invalid(Problems{*problem});
    Problems problems;
    Hardware hardware;
    readHardware(*document, source, Form::File, hardware, problems);
    if (problems.empty() && hardwarePreset(hardware.name).ok())
        problems.push_back({fmt::format("{}.name", source), fmt::format("is {}, which is a preset; choose another, such as {}",
                                                                        hardware.name, copyOf(hardware).name)});
    if (!problems.empty())
        return Error::invalid(std::move(problems));
    return hardware;
}

Result<Hardware> loadCluster(const std::filesystem::path &file)
{
    const Result<std::string> text = base::readFile(file, kLargestCluster);
    return text ? clusterFromText(*text, file.string()) : Result<Hardware>(text.error());
}

Result<> saveCluster(const Hardware &hardware, const std::filesystem::path &file)
{
    return base::writeFile(file, clusterText(hardware));
}

Hardware copyOf(Hardware hardware)
{
    if (hardware.derivedFrom.empty())
        hardware.derivedFrom = hardware.name;
    while (hardware.name.size() > kLongestName - 8 || !base::isUtf8(hardware.name))
        hardware.name.pop_back();
    hardware.name += "-copy";
    return hardware;
}

Result<Hardware> hardwareFromJson(std::string_view text, const std::string &source)
{
    const Result<Json> document = parseDocument(text, source);
    if (!document)
        return document.error();
    Problems problems;
    Hardware hardware;
    readHardware(*document, source, Form::Preset, hardware, problems);
    if (!problems.empty())
        return Error::invalid(std::move(problems));
    return hardware;
}

std::string hardwareToJson(const Hardware &hardware)
{
    Json json{{"name", hardware.name}, {"description", hardware.description}};
    addMembers(json, hardware);
    return prettyJson(json) + '\n';
}

} // namespace stagelens::model
