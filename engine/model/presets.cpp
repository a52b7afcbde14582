#include "engine/model/presets.h"

#include "engine/base/file.h"
#include "engine/base/log.h"
#include "engine/model/calibration.h"
#include "engine/model/experiment.h"
#include "engine/model/hardware_json.h"
#include "engine/model/preset_json.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <utility>
#include <vector>

namespace stagelens::model {
namespace {

using base::Error;
using base::Result;

constexpr base::Bytes kLargestPreset = base::Bytes{1} << 20;

std::filesystem::path modelFolder()
{
    return base::resourceFolder() / "models";
}
std::filesystem::path hardwareFolder()
{
    return base::resourceFolder() / "hardware";
}

/// Returns the names of the presets in a folder, sorted.
Result<std::vector<std::string>> presetNames(const std::filesystem::path &folder)
{
    std::vector<std::string> names;
    std::error_code error;
    for (auto entry = std::filesystem::directory_iterator(folder, error);
         !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
        if (entry->path().extension() == ".json")
            names.push_back(entry->path().stem().string());
    }
    if (error)
        return Error::invalid(
            folder.string(), fmt::format("cannot be listed: {}; set STAGELENS_RESOURCES to the folder `resources` of Stagelens",
                                         error.message()));
    std::sort(names.begin(), names.end());
    return names;
}

Result<ModelPreset> readModelPreset(const std::filesystem::path &file)
{
    const Result<std::string> text = base::readFile(file, kLargestPreset);
    return text ? modelPresetFromJson(*text, file.string()) : Result<ModelPreset>(text.error());
}

/// Hardware by the text of its file. A prediction asks for its hardware several times, and a search makes thousands of
/// predictions.
class ParsedHardware {
public:
    Result<Hardware> of(const std::string &text, const std::string &source)
    {
        const std::scoped_lock lock(m_mutex);
        for (const auto &[known, hardware] : m_entries)
            if (known == text)
                return hardware;
        Result<Hardware> hardware = hardwareFromJson(text, source);
        if (hardware) {
            if (m_entries.size() == kMostEntries)
                m_entries.erase(m_entries.begin());
            m_entries.emplace_back(text, *hardware);
        }
        return hardware;
    }

private:
    static constexpr std::size_t kMostEntries = 4;
    std::mutex m_mutex;
    std::vector<std::pair<std::string, Hardware>> m_entries; ///< oldest first
};

Result<Hardware> readHardware(const std::filesystem::path &file)
{
    static ParsedHardware parsed;
    const Result<std::string> text = base::readFile(file, kLargestPreset);
    return text ? parsed.of(*text, file.string()) : Result<Hardware>(text.error());
}

/// Prints each warning once, although every prediction reads the hardware.
void warnOnce(const std::string &text)
{
    static std::mutex mutex;
    static std::string said;
    const std::scoped_lock lock(mutex);
    if (text != std::exchange(said, text))
        base::log(base::LogLevel::Warning, text);
}

/// Returns the calibration of this machine, or nothing.
std::optional<Hardware> measuredHardware(std::string_view preset)
{
    const std::filesystem::path file = calibrationFile(preset);
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored))
        return std::nullopt;
    Result<Hardware> measured = readHardware(file);
    if (measured && measured->name == preset)
        return *std::move(measured);
    const std::string why =
        measured ? fmt::format("{}: is named {}, not {}", file.string(), measured->name, preset) : measured.error().text();
    warnOnce(preset == kLocalGpu
                 ? why + "; measure again with `stagelens-cli bench --calibrate --backend cuda`"
                 : fmt::format("{}; the general values of {} are used; measure again with `stagelens-cli bench --calibrate`",
                               why, preset));
    return std::nullopt;
}

/// Returns the file of a preset, or an error that lists the existing names.
Result<std::filesystem::path> presetFile(const std::filesystem::path &folder, std::string_view name, std::string_view field)
{
    // Names are untrusted: opens only names that the folder lists.
    const Result<std::vector<std::string>> names = presetNames(folder);
    if (!names)
        return names.error();
    if (!std::binary_search(names->begin(), names->end(), name))
        return Error::invalid(std::string(field), unknownWord(std::string(name), *names));
    return folder / fmt::format("{}.json", name);
}

/// Reads every preset of a folder with `read`. The error contains the problems of all files.
template <class Preset>
Result<std::vector<Preset>> readAll(const std::filesystem::path &folder, Result<Preset> (*read)(std::string_view))
{
    const Result<std::vector<std::string>> names = presetNames(folder);
    if (!names)
        return names.error();
    std::vector<Preset> presets;
    base::Problems problems;
    for (const std::string &name : *names) {
        if (Result<Preset> preset = read(name))
            presets.push_back(*std::move(preset));
        else
            problems.insert(problems.end(), preset.error().problems.begin(), preset.error().problems.end());
    }
    if (!problems.empty())
        return Error::invalid(std::move(problems));
    return presets;
}

Result<ModelPreset> findModelPreset(std::string_view name)
{
    const Result<std::filesystem::path> file = presetFile(modelFolder(), name, "model.preset");
    if (!file)
        return file.error();
    Result<ModelPreset> preset = readModelPreset(*file);
    if (preset && preset->model.preset != name)
        return Error::invalid(file->string(), fmt::format("is named {} inside; name it {}", shown(preset->model.preset), name));
    return preset;
}

} // namespace

std::vector<Extrapolation> extrapolations(const Hardware &hardware, const Experiment &experiment)
{
    std::vector<Extrapolation> beyond;
    if (!hardware.measured || !experiment.hasModel)
        return beyond;
    const auto check = [&beyond](std::string_view field, std::int64_t value, const MeasuredRuns::Range &range) {
        if (value < range.least || value > range.most)
            beyond.push_back({field, value, range});
    };
    check("model.hidden", experiment.model.hidden, hardware.measured->hidden);
    check("parallel.microbatch_size", std::int64_t{experiment.parallel.microbatchSize} * experiment.model.sequence,
          hardware.measured->tokens);
    check("parallel.devices", experiment.parallel.devices, hardware.measured->devices);
    return beyond;
}

bool isMeasured(const Hardware &hardware)
{
    return hardware.measured || hardware.name == kLocalProcessor || hardware.name == kLocalGpu;
}

Result<std::vector<ModelPreset>> modelPresets()
{
    return readAll<ModelPreset>(modelFolder(), findModelPreset);
}

Result<std::vector<Hardware>> hardwarePresets()
{
    auto presets = readAll<Hardware>(hardwareFolder(), hardwarePreset);
    if (std::optional<Hardware> gpu = presets ? measuredHardware(kLocalGpu) : std::nullopt)
        presets->insert(std::ranges::lower_bound(*presets, kLocalGpu, {}, &Hardware::name), *std::move(gpu));
    return presets;
}

Result<ModelConfig> modelPreset(std::string_view name)
{
    const Result<ModelPreset> preset = findModelPreset(name);
    if (!preset)
        return preset.error();
    return preset->model;
}

Result<Hardware> hardwarePreset(std::string_view name)
{
    if (name == kLocalProcessor || name == kLocalGpu)
        if (std::optional<Hardware> measured = measuredHardware(name))
            return *std::move(measured);
    if (name == kLocalGpu)
        return Error::invalid("cost.hardware", "gpu-local is the GPU of this machine, which has not been measured; run "
                                               "`stagelens-cli bench --calibrate --backend cuda`");
    const Result<std::filesystem::path> file = presetFile(hardwareFolder(), name, "cost.hardware");
    if (!file)
        return file.error();
    Result<Hardware> hardware = readHardware(*file);
    if (hardware && hardware->name != name)
        return Error::invalid(file->string(), fmt::format("is named {} inside; name it {}", shown(hardware->name), name));
    return hardware;
}

Result<Hardware> hardwareOf(const HardwarePreset &choice)
{
    return choice.cluster ? Result<Hardware>(*choice.cluster) : hardwarePreset(choice.name);
}

std::string calibrationToJson(const Calibration &calibration)
{
    Json json = parseDocument(hardwareToJson(calibration.hardware), "hardware").value();
    json[kSpread] = calibration.spread;
    return json.dump(2) + '\n';
}

std::filesystem::path calibrationFile(std::string_view preset)
{
    return base::dataFolder() / fmt::format("{}.json", preset);
}

std::optional<double> calibrationSpread(std::string_view preset)
{
    if (!measuredHardware(preset))
        return std::nullopt;
    const Result<std::string> text = base::readFile(calibrationFile(preset), kLargestPreset);
    const Result<Json> document = text ? parseDocument(*text, "") : Result<Json>(text.error());
    if (!document || !document->contains(kSpread))
        return std::nullopt;
    return (*document)[kSpread].get<double>(); // a number, or the file would not be the preset's
}

} // namespace stagelens::model
