// `cut`: where planners would cut the model into stages.
#include "app/cli/commands/commands.h"
#include "app/cli/options.h"
#include "app/cli/report.h"
#include "app/cli/table.h"
#include "app/cli/usage.h"
#include "engine/base/count.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/model/family_shape.h"
#include "engine/service/machine/environment.h"
#include "engine/service/search/layer_cut.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <utility>

namespace stagelens::cli {

namespace {

using nlohmann::ordered_json;
using service::CutKind;
using service::LayerCut;
using service::LayerCuts;
using service::ReplicatedCut;
using service::SequenceCut;
using service::SequenceCutKind;
using service::SequenceCuts;
using simulate::ModelUnit;

constexpr base::Bytes kLongestUnits = 1 << 20;

struct CutWishes {
    std::string units;     ///< file; empty: the model's
    std::string bandwidth; ///< empty: the hardware's
    bool json = false;
};

base::Nanos nanosOf(double seconds)
{
    return std::llround(seconds * static_cast<double>(base::kNanosPerSecond));
}

const std::vector<ModelUnit> &unitsOf(const LayerCut &cut, const LayerCuts &cuts)
{
    return cut.kind == CutKind::LeastOfHalves ? cuts.halves : cuts.units;
}

/// The layers of each stage; empty if a stage begins inside a layer.
std::vector<int> stageLayers(const LayerCut &cut, const LayerCuts &cuts)
{
    if (cut.kind == CutKind::LeastOfHalves)
        return {};
    std::vector<int> layers;
    auto unit = cuts.units.begin();
    for (const int size : cut.sizes) {
        layers.push_back(static_cast<int>(std::count_if(unit, unit + size, [](const auto &each) { return each.isOfLayers; })));
        unit += size;
    }
    return layers;
}

ordered_json unitsJson(const std::vector<ModelUnit> &units)
{
    ordered_json list = ordered_json::array();
    for (const ModelUnit &unit : units)
        list.push_back({{"name", unit.name},
                        {"ns", nanosOf(unit.seconds)},
                        {"activation_bytes", static_cast<std::int64_t>(unit.activationBytes)},
                        {"weight_bytes", static_cast<std::int64_t>(unit.weightBytes)}});
    return list;
}

ordered_json sequenceJson(const SequenceCuts &cuts)
{
    ordered_json rows = ordered_json::array();
    for (const SequenceCut &cut : cuts.cuts) {
        ordered_json row{{"cut", name(cut.kind)}, {"ns", nanosOf(cut.total)}, {"tokens", cut.tokens}};
        for (const double seconds : cut.seconds)
            row["slice_ns"].push_back(nanosOf(seconds));
        rows.push_back(std::move(row));
    }
    return {{"stages", cuts.stages}, {"unit_tokens", cuts.unit}, {"cuts", std::move(rows)}};
}

ordered_json documentOf(const LayerCuts &cuts)
{
    ordered_json rows = ordered_json::array();
    for (const LayerCut &cut : cuts.cuts) {
        ordered_json row{{"cut", name(cut.kind)}, {"bottleneck_ns", nanosOf(cut.greatest())}, {"units", cut.sizes}};
        const std::vector<int> layers = stageLayers(cut, cuts);
        row["stage_layers"] = layers.empty() ? ordered_json() : ordered_json(layers);
        for (const double seconds : cut.seconds)
            row["device_ns"].push_back(nanosOf(seconds));
        rows.push_back(std::move(row));
    }
    ordered_json replicated = ordered_json::array();
    for (const ReplicatedCut &each : cuts.replicated) {
        ordered_json stages = ordered_json::array();
        for (const operators::ReplicatedStage &stage : each.plan.stages)
            stages.push_back({{"units", stage.layers}, {"machines", stage.machines}});
        replicated.push_back({{"exchange_every", each.microbatches},
                              {"stages", std::move(stages)},
                              {"ns", nanosOf(each.plan.time)},
                              {"data_parallel_ns", nanosOf(each.dataParallel)},
                              {"without_weights_ns", nanosOf(each.withoutWeights)}});
    }
    return {{"stagelens", "cut/1"},
            {"devices", cuts.factors.size()},
            {"slow", cuts.factors},
            {"mean_ns", nanosOf(cuts.mean)},
            {"units", unitsJson(cuts.units)},
            {"half_units", unitsJson(cuts.halves)},
            {"cuts", std::move(rows)},
            {"machines", cuts.machines},
            {"bytes_per_second", cuts.bytesPerSecond > 0 ? ordered_json(cuts.bytesPerSecond) : ordered_json()},
            {"replicated", std::move(replicated)},
            {"sequence", cuts.sequence ? sequenceJson(*cuts.sequence) : ordered_json()}};
}

std::string titleOf(CutKind kind)
{
    switch (kind) {
    case CutKind::Plan: return "this plan";
    case CutKind::Even: return "even layers";
    case CutKind::LeastOfEqual: return "min-max, before a device slowed";
    case CutKind::Least: return "min-max";
    case CutKind::LeastOfHalves: return "min-max, inside layers";
    }
    return {};
}

/// "embedding 0.500 ms, 8 layers of 3.000 ms, output 7.000 ms": equal units that follow each other are one entry.
std::string unitsText(const std::vector<ModelUnit> &units)
{
    std::vector<std::string> parts;
    for (auto unit = units.begin(); unit != units.end();) {
        const auto end = std::find_if(unit, units.end(), [&](const ModelUnit &each) {
            return each.isOfLayers != unit->isOfLayers || nanosOf(each.seconds) != nanosOf(unit->seconds);
        });
        const auto count = end - unit;
        parts.push_back(
            fmt::format("{} {}", count > 1 ? fmt::format("{} {} of", count, unit->isOfLayers ? "layers" : "units") : unit->name,
                        nanosText(unit->seconds * 1e9)));
        unit = end;
    }
    return base::join(parts, ", ");
}

/// "4.5 + output": the layers of a stage, halves included, and what else it has.
std::string stageText(const std::vector<ModelUnit> &units, std::size_t first, int count, bool areHalves)
{
    std::vector<std::string> parts;
    double layers = 0;
    const auto addLayers = [&] {
        if (layers > 0)
            parts.push_back(fmt::format("{:g}", std::exchange(layers, 0)));
    };
    for (std::size_t i = first; i < first + static_cast<std::size_t>(count); ++i) {
        if (units[i].isOfLayers) {
            layers += areHalves ? 0.5 : 1;
            continue;
        }
        addLayers();
        parts.push_back(units[i].name);
    }
    addLayers();
    return base::join(parts, " + ");
}

std::string stagesText(const LayerCut &cut, const LayerCuts &cuts)
{
    std::vector<std::string> stages;
    std::size_t first = 0;
    for (const int size : cut.sizes) {
        stages.push_back(stageText(unitsOf(cut, cuts), first, size, cut.kind == CutKind::LeastOfHalves));
        first += static_cast<std::size_t>(size);
    }
    return base::join(stages, " | ");
}

void printReplicated(std::ostream &out, const LayerCuts &cuts)
{
    if (cuts.replicated.empty()) {
        out << (cuts.bytesPerSecond > 0 ? "\nToo many units and machines for PipeDream's planner.\n"
                                        : "\nWithout --bandwidth there is no plan of PipeDream.\n");
        return;
    }
    out << fmt::format("\nPipeDream's plan for {} machines at {}/s, for each microbatch:\n\n", cuts.machines,
                       base::bytesText(static_cast<base::Bytes>(cuts.bytesPerSecond)));
    Table table({"exchange after", "its plan", "data parallelism", "without weights", "layers of each stage x machines"});
    for (const ReplicatedCut &each : cuts.replicated) {
        std::vector<std::string> stages;
        std::size_t first = 0;
        for (const operators::ReplicatedStage &stage : each.plan.stages) {
            stages.push_back(fmt::format("({}) x {}", stageText(cuts.units, first, stage.layers, false), stage.machines));
            first += static_cast<std::size_t>(stage.layers);
        }
        table.add({fmt::format("{} {}", each.microbatches, each.microbatches == 1 ? "microbatch" : "microbatches"),
                   nanosText(each.plan.time * 1e9), nanosText(each.dataParallel * 1e9), nanosText(each.withoutWeights * 1e9),
                   base::join(stages, " | ")});
    }
    table.print(out);
}

std::string titleOf(SequenceCutKind kind, int slices)
{
    switch (kind) {
    case SequenceCutKind::Whole: return "whole";
    case SequenceCutKind::EqualLength: return fmt::format("{} of equal length", slices);
    case SequenceCutKind::EqualWork: return fmt::format("{} of equal work", slices);
    case SequenceCutKind::LeastOfFew: return fmt::format("TeraPipe, at most {}", slices);
    case SequenceCutKind::Least: return "TeraPipe";
    }
    return {};
}

/// "768, 3 x 640": equal lengths that follow each other are one entry. Of many entries the first and the last are given.
std::string lengthsText(const std::vector<int> &tokens)
{
    std::vector<std::string> parts;
    for (auto first = tokens.begin(); first != tokens.end();) {
        const auto end = std::find_if(first, tokens.end(), [&](int each) { return each != *first; });
        parts.push_back(end - first > 1 ? fmt::format("{} x {}", end - first, *first) : std::to_string(*first));
        first = end;
    }
    constexpr std::size_t kMostEntries = 6;
    if (parts.size() > kMostEntries) {
        const std::string last = parts.back();
        parts.resize(kMostEntries - 2);
        parts.insert(parts.end(), {"...", last});
    }
    return base::join(parts, ", ");
}

void printSequence(std::ostream &out, const SequenceCuts &cuts)
{
    out << fmt::format("\nOne microbatch through {} equal stages of layers, its sequences cut into slices:\n\n", cuts.stages);
    Table table({"cut", "time", "longest slice", "tokens of each slice"});
    for (const SequenceCut &cut : cuts.cuts)
        table.add({titleOf(cut.kind, cuts.slices), nanosText(cut.total * 1e9), nanosText(std::ranges::max(cut.seconds) * 1e9),
                   lengthsText(cut.tokens)});
    table.print(out);
}

void printCuts(std::ostream &out, const LayerCuts &cuts)
{
    out << unitsText(cuts.units) << '\n';
    const bool isSlow = std::ranges::any_of(cuts.factors, [](double factor) { return factor != 1; });
    out << fmt::format("{} devices, mean {} a microbatch{}\n\n", cuts.factors.size(), nanosText(cuts.mean * 1e9),
                       isSlow ? ", if every device had work as fast as it is" : "");
    Table table({"cut", "bottleneck", "above mean", "layers of each stage"});
    for (const LayerCut &cut : cuts.cuts)
        table.add({titleOf(cut.kind), nanosText(cut.greatest() * 1e9), percentText(cut.greatest() / cuts.mean - 1),
                   stagesText(cut, cuts)});
    table.print(out);
    const LayerCut &least = *std::ranges::find(cuts.cuts, CutKind::Least, &LayerCut::kind);
    const bool isOneStageEach = std::ranges::count(cuts.cuts, CutKind::Plan, &LayerCut::kind) > 0; // else it is no such list
    if (const std::vector<int> layers = stageLayers(least, cuts); !cuts.halves.empty() && isOneStageEach) {
        const bool leavesOneOut = std::ranges::min(layers) == 0; // which redis alone may
        out << fmt::format("\nmin-max as a plan: --stage-layers {}{}\n", fmt::join(layers, "/"),
                           leavesOneOut ? " --vocabulary redis" : "");
    }
    if (isSlow)
        out << "\nWhat follows has every device as fast as planned.\n";
    printReplicated(out, cuts);
    if (cuts.sequence)
        printSequence(out, *cuts.sequence);
    out << "\nPredicted: forward and backward of a microbatch, without bubbles.\n";
}

int cut(const ExperimentArguments &arguments, const CutWishes &wishes)
{
    const auto experiment = experimentOf(arguments);
    if (!experiment)
        return fail(experiment.error());
    service::GivenUnits given;
    base::Problems problems;
    if (!wishes.bandwidth.empty()) {
        given.bytesPerSecond = base::parseQuantity(wishes.bandwidth);
        if (!given.bytesPerSecond || !(*given.bytesPerSecond > 0))
            problems.push_back({"--bandwidth", fmt::format("is {}; give bytes per second, such as 25e9 or 25G",
                                                           base::quoted(wishes.bandwidth))});
    }
    if (!wishes.units.empty()) {
        const auto text = base::readFile(wishes.units, kLongestUnits);
        if (!text)
            problems.push_back({"--units", text.error().text()});
        const auto units = text ? service::unitsFromCsv(*text, wishes.units) : std::vector<ModelUnit>();
        if (!units)
            problems.insert(problems.end(), units.error().problems.begin(), units.error().problems.end());
        else
            given.units = *units;
    }
    if (experiment->schedule.family == model::kAutomaticFamily)
        problems.push_back({"--schedule", "is auto, but a cut is into the stages of one schedule; name a family"});
    if (!problems.empty())
        return fail(base::Error::invalid(std::move(problems)));
    const auto cuts = service::layerCuts(*experiment, service::machineCores(), given);
    if (!cuts)
        return fail(underOptions(cuts.error(), arguments));
    if (wishes.json)
        printJson(documentOf(*cuts));
    else
        printCuts(std::cout, *cuts);
    return kDone;
}

} // namespace

void addCut(CLI::App &app, Action &chosen)
{
    CLI::App *command = app.add_subcommand("cut", "show where to cut the model into stages, also after a device has slowed");
    const auto arguments = addExperimentArguments(*command);
    const auto wishes = std::make_shared<CutWishes>();
    command->add_option("--units", wishes->units, "CSV file of units with their times, instead of the model's")
        ->check(notEmpty())
        ->type_name("FILE");
    command->add_option("--bandwidth", wishes->bandwidth, "bytes per second between machines; the hardware's link")
        ->check(notEmpty())
        ->type_name("RATE");
    command->add_flag("--json", wishes->json, "print one JSON document");
    command->callback([=, &chosen] { chosen = [=] { return cut(*arguments, *wishes); }; });
}

} // namespace stagelens::cli
