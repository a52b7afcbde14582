// `list`: what there is to choose from.
#include "app/cli/commands/commands.h"
#include "app/cli/host_options.h"
#include "app/cli/interrupt.h"
#include "app/cli/report.h"
#include "app/cli/table.h"
#include "engine/model/calibration.h"
#include "engine/model/capabilities.h"
#include "engine/model/family_shape.h"
#include "engine/model/names.h"
#include "engine/runtime/machine/accelerators.h"
#include "engine/schedule/families.h"
#include "engine/service/engine_service.h"
#include "engine/service/machine/backends.h"
#include "engine/service/machine/machines.h"

#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <functional>
#include <iostream>
#include <memory>
#include <string>

namespace stagelens::cli {

namespace {

using Json = nlohmann::ordered_json;

base::Result<Json> schedules()
{
    Json list = Json::array();
    for (const schedule::Family &family : schedule::families())
        list.push_back({{"name", family.name},
                        {"description", family.description},
                        {"source", family.source},
                        {"synchronous", family.synchronous},
                        {"directions", family.directions},
                        {"replicas", family.directions}, // the former name, for older readers
                        {"splits_backward", family.splitsBackward},
                        {"conditions", family.conditions}});
    list.push_back({{"name", model::kAutomaticFamily},
                    {"description", "searches the synchronous families, vocabulary methods and cuts of the layers for the "
                                    "fastest plan within memory_limit (or the hardware's capacity)"},
                    {"source", ""},
                    {"synchronous", true},
                    {"directions", 1},
                    {"replicas", 1},
                    {"splits_backward", false},
                    {"conditions", ""}});
    return list;
}

base::Result<Json> vocabularies()
{
    Json list = Json::array();
    for (const model::VocabularyTraits &row : model::kVocabularyChoices)
        list.push_back(
            {{"name", row.name}, {"description", row.description}, {"sharded", row.isSharded}, {"barriers", row.barriers}});
    return list;
}

base::Result<Json> models()
{
    const auto presets = model::modelPresets();
    if (!presets)
        return presets.error();
    Json list = Json::array();
    for (const model::ModelPreset &preset : *presets)
        list.push_back({{"name", preset.model.preset},
                        {"description", preset.description},
                        {"family", model::name(preset.model.family)},
                        {"layers", preset.model.layers},
                        {"hidden", preset.model.hidden},
                        {"vocabulary_size", preset.model.vocabularySize}});
    return list;
}

base::Result<Json> hardware()
{
    const auto presets = model::hardwarePresets();
    if (!presets)
        return presets.error();
    Json list = Json::array();
    for (const model::Hardware &preset : *presets) {
        list.push_back({{"name", preset.name},
                        {"description", preset.description},
                        {"peak_flops", preset.peakFlops},
                        {"memory_bytes", preset.memoryCapacity},
                        {"devices_per_node", preset.devicesPerNode}});
        if (preset.measured)
            list.back()["measured"] = {{"hidden", {preset.measured->hidden.least, preset.measured->hidden.most}},
                                       {"microbatch_tokens", {preset.measured->tokens.least, preset.measured->tokens.most}},
                                       {"devices", {preset.measured->devices.least, preset.measured->devices.most}}};
        if (const auto spread = model::calibrationSpread(preset.name))
            list.back()["spread"] = *spread;
    }
    return list;
}

Json availability(const std::vector<service::BackendInfo> &infos)
{
    Json list = Json::array();
    for (const service::BackendInfo &backend : infos) {
        Json row = {{"name", backend.name}, {"description", backend.description}, {"available", backend.available}};
        if (!backend.available)
            row["reason"] = backend.reason;
        list.push_back(std::move(row));
    }
    return list;
}

base::Result<Json> capabilities()
{
    Json list = Json::array();
    for (const model::Capability &each : model::capabilities()) {
        std::string conditions(each.reason);
        if (!each.isRun)
            conditions = fmt::format("{}{}", each.isPredicted ? "predicted, but not run: " : "refused: ", each.reason);
        list.push_back({{"name", each.name},
                        {"description", each.description},
                        {"field", each.field},
                        {"predict", each.isPredicted},
                        {"run", each.isRun},
                        {"conditions", conditions}});
    }
    return list;
}

/// The backends, and the libraries of the GPUs with their versions and files: printed if there is a GPU, always in JSON.
base::Result<Json> backends()
{
    Json list = availability(service::backends());
    for (const kernels::gpu::Library &library : runtime::gpuLibraries()) {
        Json row = {{"name", library.name}, {"use", library.use}};
        if (library.problem.empty())
            row.update({{"version", library.version}, {"file", library.file}});
        else
            row["problem"] = library.problem;
        list.back()["libraries"].push_back(std::move(row));
    }
    return list;
}

/// The backends of another machine.
base::Result<Json> backendsThere(const runtime::HostChoice &host)
{
    if (const auto sound = checkHostOptions(host); !sound)
        return sound.error();
    const InterruptScope interrupt;
    const auto machine = service::machineThere(host, interrupt.token());
    return machine ? base::Result<Json>(availability(machine->backends)) : machine.error();
}

base::Result<Json> transports()
{
    return availability(service::transports());
}

void print(const Json &list)
{
    Table table({"", ""});
    for (const Json &row : list) {
        const bool available = row.value("available", true);
        std::string text =
            available ? row["description"].get<std::string>() : "not available: " + row["reason"].get<std::string>();
        if (const std::string conditions = row.value("conditions", ""); !conditions.empty())
            text += " (" + conditions + ")";
        table.add({row["name"], std::move(text)});
        for (const Json &library : available ? row.value("libraries", Json::array()) : Json::array()) {
            const std::string use = library["use"], name = library["name"];
            table.add({"", library.contains("problem")
                               ? fmt::format("{} without {}: {}", use, name, library["problem"].get<std::string>())
                               : fmt::format("{} by {} {} ({})", use, name, library["version"].get<std::string>(),
                                             library["file"].get<std::string>())});
        }
    }
    table.print(std::cout);
}

int list(const std::function<base::Result<Json>()> &make, bool asJson)
{
    const auto rows = make();
    if (!rows)
        return fail(rows.error());
    if (asJson)
        printJson(*rows);
    else
        print(*rows);
    return kDone;
}

} // namespace

void addList(CLI::App &app, Action &chosen)
{
    struct Kind {
        const char *name;
        const char *help;
        base::Result<Json> (*make)();
    };
    CLI::App *command = app.add_subcommand("list", "what there is to choose from");
    command->require_subcommand(1);
    for (const Kind &kind :
         {Kind{"schedules", "families of schedules", schedules},
          Kind{"vocabularies", "methods for the vocabulary layers", vocabularies}, Kind{"models", "model presets", models},
          Kind{"hardware", "hardware presets", hardware}, Kind{"backends", "what can train here", backends},
          Kind{"transports", "how tensors travel between devices", transports},
          Kind{"capabilities", "what can be predicted and run of each kind of parallelism", capabilities}}) {
        CLI::App *inner = command->add_subcommand(kind.name, kind.help);
        const auto asJson = std::make_shared<bool>(false);
        inner->add_flag("--json", *asJson, "print one JSON document");
        const bool isOfMachine = kind.make == backends;
        const auto host = isOfMachine ? addHostOptions(*inner, "Machine") : std::make_shared<runtime::HostChoice>();
        inner->callback([make = kind.make, asJson, host, isOfMachine, &chosen] {
            chosen = [=] {
                const bool isThere = isOfMachine && *host != runtime::HostChoice();
                return list(isThere ? std::function([host] { return backendsThere(*host); }) : make, *asJson);
            };
        });
    }
}

} // namespace stagelens::cli
