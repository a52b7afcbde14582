#include "app/cli/option_table.h"

#include "engine/base/file.h"
#include "engine/exchange/huggingface_config.h"
#include "engine/model/custom_schedule.h"
#include "engine/model/family_shape.h"
#include "engine/model/hardware_json.h"
#include "engine/model/json_reader.h"
#include "engine/model/presets.h"

#include <filesystem>
#include <fmt/format.h>

namespace stagelens::cli {

namespace {

using model::Experiment;

bool isFolder(std::string_view text)
{
    std::error_code ignored;
    return std::filesystem::is_directory(text, ignored);
}

Fault setModel(std::string_view text, model::ModelConfig &target)
{
    const auto preset = model::modelPreset(text); // a folder may have a preset's name
    if (preset) {
        target = *preset;
        return {};
    }
    if (isFolder(text))
        return fmt::format("is a folder; name {}", (std::filesystem::path(text) / "config.json").string());
    if (text.find('/') == std::string_view::npos && !text.ends_with(".json"))
        return preset.error().problems.front().message;
    auto found = exchange::readHuggingFaceConfig(std::string(text));
    if (!found)
        return found.error().problems.front().message;
    target = std::move(found->shape);
    return {};
}

/// Devices, microbatches and vocabulary are the schedule's, unless options that come later say otherwise.
Fault setScheduleFile(std::string_view text, model::ScheduleChoice &schedule)
{
    if (text.empty())
        return "is empty; name a file";
    model::chooseFamily(schedule, model::kCustomFamily);
    schedule.file = text;
    schedule.text.clear();
    if (text != "-")
        return {};
    auto input = base::readStandardInput(model::kLargestDocument);
    if (!input)
        return input.error().text();
    if (input->empty())
        return "standard input is empty; it should hold a schedule";
    schedule.file.clear();
    schedule.text = model::documentText(*std::move(input));
    return {};
}

/// Whether the text of an option names a file rather than a preset.
bool isFileName(std::string_view text)
{
    return text.find('/') != std::string_view::npos || text.ends_with(".json");
}

} // namespace

base::Problems applyHardware(std::string_view text, Experiment &experiment)
{
    constexpr const char *kOption = "--hardware";
    const auto preset = model::hardwarePreset(text);
    if (preset || !isFileName(text)) {
        if (!preset)
            return {{kOption, preset.error().problems.front().message}};
        experiment.cost.source = model::HardwarePreset{std::string(text)};
        return {};
    }
    auto cluster = model::loadCluster(std::string(text));
    if (cluster) {
        auto shared = std::make_shared<const model::Hardware>(*std::move(cluster));
        experiment.cost.source = model::HardwarePreset{shared->name, shared};
        return {};
    }
    base::Problems problems;
    for (const base::Problem &problem : cluster.error().problems)
        problems.push_back({kOption, fmt::format("{}: {}", problem.field, problem.message)});
    return problems;
}

Fault applyOption(const model::Field &field, std::string_view text, Experiment &experiment)
{
    if (field.path == "model.preset")
        return setModel(text, experiment.model);
    if (field.path == "schedule.file")
        return setScheduleFile(text, experiment.schedule);
    if ((field.path == "cost.durations" || field.path == "what_if.lengths") && text == "-")
        return "may not be standard input, which is gone when the plan is read again; name a file";
    auto [value, fault] = model::parseField(field, text);
    return fault.empty() ? field.assign(experiment, value) : fault;
}

} // namespace stagelens::cli
