// Presets of hardware, and of models, as JSON.
#include "engine/model/preset_json.h"
#include "engine/model/presets.h"
#include "tests/fuzz/support.h"

using namespace stagelens;

namespace {

void run(std::string_view input)
{
    if (const auto preset = model::modelPresetFromJson(input, "input"); !preset)
        fuzz::requireMessage(preset.error());
    const auto hardware = model::hardwareFromJson(input, "input");
    if (!hardware)
        return fuzz::requireMessage(hardware.error());
    const std::string text = model::hardwareToJson(*hardware);
    const auto again = model::hardwareFromJson(text, "again");
    fuzz::require(again.ok() && model::hardwareToJson(*again) == text, "hardware comes back as it was written");
}

fuzz::Seeds seeds()
{
    model::Hardware hardware;
    hardware.name = "mine";
    model::Hardware marked = hardware;
    marked.name = fuzz::hostileMarkup();
    marked.description = fuzz::hostileMarkup();
    fuzz::Seeds all{model::hardwareToJson(hardware), model::hardwareToJson(marked)};
    if (const auto presets = model::hardwarePresets())
        for (const model::Hardware &preset : *presets)
            all.push_back(model::hardwareToJson(preset));
    return all;
}

const fuzz::Registered kTarget{{"hardware", run, seeds, 500}};

} // namespace
