// `simulate`: the prediction of a plan.
#include "app/cli/commands/commands.h"
#include "app/cli/explain_report.h"
#include "app/cli/front.h"
#include "app/cli/options.h"
#include "app/cli/report.h"
#include "app/cli/what_if_report.h"
#include "engine/base/printable.h"
#include "engine/exchange/timeline_json.h"
#include "engine/model/presets.h"
#include "engine/service/predictions/explain.h"
#include "engine/service/predictions/prediction.h"
#include "engine/simulate/costs/cost_model.h"

#include <cmath>
#include <fmt/format.h>
#include <iostream>

namespace stagelens::cli {

namespace {

constexpr std::string_view kLegs = "legs";

/// What the person wants to see of a prediction.
struct Wishes {
    bool json = false;
    std::string slices; ///< empty: none; "passes" or "legs"
    bool explanation = false;
};

/// Prints what of the plan lies beyond the measured runs of its hardware.
void printExtrapolations(const model::Hardware &hardware, const model::Experiment &experiment)
{
    if (!model::isMeasured(hardware)) {
        std::cout << "No measured runs: the constants of " << hardware.name << " are estimates from published figures.\n";
        return;
    }
    std::string beyond;
    for (const model::Extrapolation &each : model::extrapolations(hardware, experiment)) {
        const std::string_view what = each.field == "model.hidden"       ? "a hidden width of "
                                      : each.field == "parallel.devices" ? "devices: "
                                                                         : "tokens of a microbatch: ";
        beyond += fmt::format("{}{}{} (measured: {} to {})", beyond.empty() ? "" : "; ", what, each.value, each.measured.least,
                              each.measured.most);
    }
    if (!beyond.empty())
        std::cout << "Beyond the measured runs of " << hardware.name << ": " << beyond << '\n';
}

nlohmann::json extrapolationsJson(const model::Hardware &hardware, const model::Experiment &experiment)
{
    auto list = nlohmann::json::array();
    for (const model::Extrapolation &each : model::extrapolations(hardware, experiment))
        list.push_back(
            {{"field", each.field}, {"value", each.value}, {"least", each.measured.least}, {"most", each.measured.most}});
    return {{"measured", model::isMeasured(hardware)}, {"beyond", std::move(list)}};
}

/// Adds what of each pass, and of all passes of a device, computes again what the forward has dropped.
void addRecomputation(nlohmann::ordered_json &document, const service::Prediction &prediction)
{
    const timeline::Timeline &timeline = *prediction.timeline;
    auto sums = nlohmann::json::array();
    for (int device = 0; device < timeline.devices(); ++device) {
        const timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
        base::Nanos sum = 0;
        for (std::size_t i = 0; i < lane.size(); ++i) {
            const simulate::PassCost cost = prediction.costs->of(device, lane.pass[i]);
            if (cost.recomputed <= 0 || cost.duration <= 0)
                continue;
            const auto taken = static_cast<double>(lane.end[i] - lane.begin[i]);
            const base::Nanos again =
                std::llround(taken * static_cast<double>(cost.recomputed) / static_cast<double>(cost.duration));
            sum += again;
            auto &entry = document["devices"][static_cast<std::size_t>(device)];
            if (entry.contains("slices"))
                entry["slices"][i]["recomputed_ns"] = again;
        }
        sums.push_back(sum);
    }
    document["metrics"]["recomputed_ns_per_device"] = std::move(sums);
}

/// Says so if the plan needs more memory than a device of the hardware has.
void printCapacity(std::ostream &out, const service::Prediction &prediction)
{
    const std::vector<base::Bytes> &peaks = prediction.metrics.peakMemory;
    const base::Bytes needed = peaks.empty() ? 0 : std::ranges::max(peaks);
    if (prediction.memoryCapacity > 0 && needed > prediction.memoryCapacity)
        out << fmt::format("\nDoes not fit: {} of the {} of a device; `levers` and `plan` find what needs less.\n",
                           base::bytesText(needed), base::bytesText(prediction.memoryCapacity));
}

int print(const service::Prediction &prediction, const simulate::Explanation &explanation,
          const service::Sensitivity &sensitivity, const Wishes &wishes)
{
    if (wishes.json) {
        auto document = exchange::timelineDocument(prediction.experiment, *prediction.timeline, prediction.metrics,
                                                   !wishes.slices.empty(), &explanation);
        if (wishes.slices == kLegs) {
            const auto legs = service::legsOf(prediction);
            if (!legs)
                return fail(legs.error());
            exchange::addLegs(document, *prediction.timeline, **legs);
        }
        if (prediction.experiment.schedule.recompute != model::Recompute::None || prediction.experiment.schedule.rebuilds())
            addRecomputation(document, prediction);
        if (prediction.memoryCapacity > 0)
            document["memory_capacity_bytes"] = prediction.memoryCapacity;
        if (prediction.hardware)
            document["hardware_runs"] = extrapolationsJson(*prediction.hardware, prediction.experiment);
        if (prediction.search)
            document["front"] = frontJson(*prediction.search);
        addSensitivity(document, sensitivity, prediction);
        printJson(document);
        return kDone;
    }
    if (prediction.search) {
        printFront(std::cout, *prediction.search);
        std::cout << '\n';
    }
    std::cout << "Predicted for " << base::printable(prediction.costName) << ": " << planText(prediction.experiment) << '\n';
    if (prediction.hardware)
        printExtrapolations(*prediction.hardware, prediction.experiment);
    std::cout << '\n';
    printMetrics(std::cout, prediction.metrics, *prediction.timeline, prediction.experiment.parallel.syncEvery);
    printCapacity(std::cout, prediction);
    printSensitivity(std::cout, sensitivity, prediction);
    if (wishes.explanation) {
        std::cout << '\n';
        printExplanation(std::cout, prediction, explanation, service::splitBubble(prediction));
    }
    if (!wishes.slices.empty())
        std::cout << '\n' << exchange::timelineCsv(*prediction.timeline);
    return kDone;
}

int simulate(const ExperimentArguments &arguments, const Wishes &wishes)
{
    if (wishes.slices == kLegs && !wishes.json)
        return fail(base::Error::invalid("--timeline", "=legs is a part of the JSON document; add --json"));
    const auto prediction = predictionOf(arguments);
    if (!prediction)
        return fail(prediction.error());
    const auto explanation = service::explain(**prediction);
    if (!explanation)
        return fail(explanation.error());
    service::Sensitivity sensitivity;
    if (service::hasWhatIfs((*prediction)->experiment)) {
        DrawWatch watch;
        auto found = service::sensitivityOf(**prediction, service::machineCores(), watch.options());
        if (!found)
            return fail(underOptions(found.error(), arguments));
        sensitivity = *std::move(found);
    }
    return print(**prediction, *explanation, sensitivity, wishes);
}

} // namespace

void addSimulate(CLI::App &app, Action &chosen)
{
    CLI::App *command = app.add_subcommand("simulate", "predict iteration time, bubble and memory");
    const auto arguments = addExperimentArguments(*command);
    const auto wishes = std::make_shared<Wishes>();
    command->add_flag("--json", wishes->json, "print one JSON document");
    command
        ->add_flag("--timeline{passes}", wishes->slices,
                   "add every pass with its begin and end; --timeline=legs adds the operators inside each to --json")
        ->check(CLI::IsMember({"passes", "legs"}));
    command->add_flag("--explain", wishes->explanation, "say why the devices idle, and what the critical path is");
    command->callback([=, &chosen] { chosen = [=] { return simulate(*arguments, *wishes); }; });
}

} // namespace stagelens::cli
