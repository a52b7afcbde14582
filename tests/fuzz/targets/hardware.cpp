// Presets of hardware and of models, and files of clusters, as JSON.
#include "engine/model/hardware_json.h"
#include "engine/model/preset_json.h"
#include "engine/model/presets.h"
#include "tests/fuzz/support.h"

using namespace stagelens;

namespace {

void run(std::string_view input)
{
    if (const auto preset = model::modelPresetFromJson(input, "input"); !preset)
        fuzz::requireMessage(preset.error());
    if (const auto cluster = model::clusterFromText(input, "input"); !cluster) {
        fuzz::requireMessage(cluster.error());
    } else {
        const std::string text = model::clusterText(*cluster);
        const auto again = model::clusterFromText(text, "again");
        fuzz::require(again.ok() && model::clusterText(*again) == text, "a cluster comes back as it was written");
    }
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
    fuzz::Seeds all{model::hardwareToJson(hardware), model::hardwareToJson(marked), model::clusterText(hardware),
                    R"({"stagelens": "hardware/1", "name": "mine", "base": "h200", "nodes": 4})"};
    if (const auto presets = model::hardwarePresets())
        for (const model::Hardware &preset : *presets)
            all.push_back(model::hardwareToJson(preset));
    return all;
}

const fuzz::Registered kTarget{{"hardware", run, seeds, 500}};

} // namespace
