// Fields of what leaves the memory of a device between forward and backward. Recomputation: the policy of the whole plan, the
// layers of each stage, and the operators of the other layers. Offload: which activations are copied to the host, and how.
#include "engine/base/text.h"
#include "engine/model/schema/row.h"

#include "engine/model/names.h"

#include <fmt/format.h>

namespace stagelens::model {

namespace {

/// Sets the layers of each stage, which replace full recomputation.
std::string setRecomputeLayers(Experiment &experiment, const FieldValue &value)
{
    ScheduleChoice &schedule = experiment.schedule;
    std::string fault = put(value, schedule.recomputeLayers);
    if (schedule.recompute == Recompute::Full && !schedule.recomputeLayers.empty())
        schedule.recompute = Recompute::None;
    return fault;
}

std::string setModules(Experiment &experiment, const FieldValue &value)
{
    const std::string &word = std::get<std::string>(value);
    const auto modules = parseModules(word);
    if (!modules)
        return unknownWord(word, {"none", "norms", "activation", "attention", "several with commas"});
    experiment.schedule.recomputeModules = *modules;
    return {};
}

constexpr double kFastestHostLink = 1e6; // GB/s

std::string textOf(const OffloadChoice &choice)
{
    return choice.isAuto ? "auto" : choice.fraction > 0 ? fmt::format("{:g}", choice.fraction) : "none";
}

std::string setOffload(Experiment &experiment, const FieldValue &value)
{
    const std::string &word = std::get<std::string>(value);
    OffloadChoice choice;
    if (word == "auto") {
        choice.isAuto = true;
    } else if (word != "none") {
        const std::optional<double> fraction = base::parseNumber(word);
        if (!fraction)
            return unknownWord(word, {"none", "auto", "a fraction such as 0.5"});
        if (!(*fraction >= 0 && *fraction <= 1))
            return fmt::format("is {}, but a fraction is from 0 to 1; choose {}", word, *fraction < 0 ? 0 : 1);
        choice.fraction = *fraction;
    }
    experiment.schedule.offload = choice;
    return {};
}

} // namespace

std::string setRecompute(Experiment &experiment, const FieldValue &value)
{
    const std::string &word = std::get<std::string>(value);
    ScheduleChoice &schedule = experiment.schedule;
    if (const auto policy = parse<Recompute>(word)) {
        schedule.recompute = *policy;
        schedule.recomputeLayers.clear();
        return {};
    }
    if (word.empty() || word.find_first_not_of("0123456789/") != std::string::npos) {
        std::vector<std::string> known = names<Recompute>();
        known.emplace_back("layers such as 2 or 3/1/0/0");
        return unknownWord(word, known);
    }
    const ParsedField layers = parseField(schemaField("schedule.recompute_layers"), word);
    return layers.fault.empty() ? setRecomputeLayers(experiment, layers.value) : layers.fault;
}

std::vector<Field> memoryRows()
{
    using Kind = Field::Kind;
    return {
        row("schedule.recompute_layers", "--recompute-layers", "N|n0/n1/..", "Recomputed layers",
            "how many of the first layers of each stage are computed again in the backward: a number for every stage, or one "
            "for each",
            MEMBER(schedule.recomputeLayers), setBy(setRecomputeLayers), orElse("none"), omitted(), where(kKeepsSomeLayers)),
        row("schedule.recompute_modules", "--recompute-modules", "LIST", "Recomputed operators",
            "operators of a layer whose outputs are computed again in the backward: norms, activation, attention, with commas",
            by([](const Experiment &e) { return FieldValue(text(e.schedule.recomputeModules)); }, setModules), as(Kind::Choice),
            oneOf({{"none", "None"},
                   {"norms", "Norms"},
                   {"activation", "Activation function"},
                   {"norms,activation", "Norms and activation", "About 40 % of the activations for 1 to 2 % of the time"},
                   {"attention", "Attention"},
                   {"norms,attention", "Norms and attention"},
                   {"activation,attention", "Activation and attention"},
                   {"norms,activation,attention", "All three"}}),
            omitted(), where(all<kHasModel, kKeepsSomeLayers>)),
        row("schedule.stored_activations", "--stored-activations", "P", "Stored activations",
            "precision of what layers keep from forward to backward: same as the model's, bf16, fp8 or int8. The loss of a "
            "step is exact, its gradients are not",
            MEMBER(schedule.storedActivations),
            oneOfPacked("The bits that a layer has computed", "e4m3, with a factor for every 128 numbers"), omitted(),
            where([](const Experiment &e) { return kHasModel(e) || kPacksActivations(e); })),
        row("schedule.offload", "--offload", "none|auto|FRACTION", "Offload",
            "activations that wait for their backward on the host: none (po-h: those of half of the stages, po-f: all); auto, "
            "those whose copies keep no pass waiting; or that part of each device's, from 0 to 1, those that wait longest "
            "first",
            by([](const Experiment &e) { return FieldValue(textOf(e.schedule.offload)); }, setOffload), as(Kind::Choice),
            oneOf({{"none", "None"},
                   {"auto", "What is free", "As many activations as are copied without any pass waiting"},
                   {"0.5", "Half", "Half of each device's activations, even if passes wait for their copies"},
                   {"1", "All", "All activations that wait for others, even if passes wait for their copies"}}),
            omitted()),
        row("schedule.offload_lanes", "--offload-lanes", "half|full", "Copies",
            "whether copies to the host and back take turns on the link of a device (half), or run at the same time (full)",
            MEMBER(schedule.offloadLanes),
            oneOf({{"half", "Take turns", "One lane a device for both directions"},
                   {"full", "Both directions at once", "A lane for each direction"}}),
            omitted(), where(kUsesHost)),
        row("schedule.host_bandwidth", "--host-bandwidth", "GB/s", "Link to the host (GB/s)",
            "of a device, each way (default: that of the hardware); the copies of a run are no faster",
            MEMBER(schedule.hostBandwidth), range(1e-6, kFastestHostLink), orElse("the hardware's"), omitted(),
            where(kUsesHost)),
        row("schedule.host_memory", "--host-memory", "BYTES", "Host memory (GiB)",
            "of a node, such as 512GiB (default: that of the hardware); a plan whose copies need more is refused",
            MEMBER(schedule.hostMemory), range(0, 9e15), orElse("the hardware's"), omitted(), where(kUsesHost)),
        row("schedule.offload_optimizer", "--offload-optimizer", "--no-offload-optimizer", "Optimizer on the host",
            "the host keeps the optimizer's state in its memory and updates the parameters: gradients are copied to it at the "
            "end of a step, and weights back",
            MEMBER(schedule.offloadOptimizer), omitted(), where(kHasModel)),
        row("schedule.offload_parameters", "--offload-parameters", "--no-offload-parameters", "Parameters on the host",
            "the host also keeps the weights of the layers: a pass copies those of one layer while it computes another, so "
            "that "
            "a device holds two layers (needs --offload-optimizer)",
            MEMBER(schedule.offloadParameters), omitted(),
            where([](const Experiment &e) { return kHasModel(e) && kUsesHost(e); })),
    };
}

} // namespace stagelens::model
