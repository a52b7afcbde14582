// Fields of what leaves the memory of a device between forward and backward. Recomputation: the policy of the whole plan, the
// layers of each stage, and the operators of the other layers. Offload: which activations are copied to the host, and how.
// Compression: what replicas send of their gradients.
#include "engine/model/names.h"
#include "engine/model/schema_row.h"
#include "engine/operators/compression/compression.h"

#include <algorithm>

namespace stagelens::model {

using Kind = Field::Kind;

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
    return setRecomputeLayers(experiment, parseField(schemaField("schedule.recompute_layers"), word));
}

namespace {

std::string setLayers(Experiment &experiment, const FieldValue &value)
{
    return setRecomputeLayers(experiment, {value, {}});
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

} // namespace

std::string setRecomputeLayers(Experiment &experiment, const ParsedField &parsed)
{
    if (!parsed.fault.empty())
        return parsed.fault;
    ScheduleChoice &schedule = experiment.schedule;
    std::string fault = put(parsed.value, schedule.recomputeLayers);
    if (schedule.recompute == Recompute::Full && !schedule.recomputeLayers.empty())
        schedule.recompute = Recompute::None;
    return fault;
}

base::Problems recomputeProblems(const Experiment &experiment, int stages)
{
    const std::vector<int> &list = experiment.schedule.recomputeLayers;
    const std::vector<int> &cut = experiment.parallel.stageLayers;
    const auto count = static_cast<std::size_t>(stages);
    const std::string field = "schedule.recompute_layers";
    if (list.size() > 1 && list.size() != count)
        return {{field, base::concat("has ", list.size(), " entries for ", stages,
                                     " stages; give one for each stage, or one number for all")}};
    // As operators::evenStageLayers() cuts them: the last stage has the even share, the others at most one more.
    const int layers = experiment.hasModel ? experiment.model.layers : stages;
    const bool isEven = !traits(experiment.schedule.vocabulary).redistributesLayers;
    const int last = isEven ? layers / stages : layers;
    const int most = isEven && stages > 1 ? (layers - last + stages - 2) / (stages - 1) : layers;
    base::Problems problems;
    for (std::size_t stage = 0; stage < list.size(); ++stage) {
        int bound = list.size() > 1 && stage + 1 == count ? last : most;
        if (cut.size() == count)
            bound = list.size() > 1 ? cut[stage] : *std::ranges::max_element(cut);
        const int nearest = std::clamp(list[stage], 0, std::max(bound, 0));
        if (list[stage] == nearest)
            continue;
        const std::string of = list.size() > 1 ? base::concat(" for stage ", stage, ", which has ", bound)
                                               : base::concat(", and stages have at most ", bound);
        problems.push_back({field, base::concat("is ", list[stage], of, " layers; choose ", nearest)});
    }
    return problems;
}

std::vector<Field> recomputeRows()
{
    return {
        row("schedule.recompute_layers", "--recompute-layers", "N|n0/n1/..", "Recomputed layers",
            "how many of the first layers of each stage are computed again in the backward: a number for every stage, or one "
            "for each",
            Kind::Layers, MEMBER(schedule.recomputeLayers))
            .by([](const Experiment &e) { return valueOf(e.schedule.recomputeLayers); }, setLayers)
            .orElse("none")
            .unless()
            .where([](const Experiment &e) { return e.schedule.recompute != Recompute::Full; }),
        row("schedule.recompute_modules", "--recompute-modules", "LIST", "Recomputed operators",
            "operators of a layer whose outputs are computed again in the backward: norms, activation, attention, with commas",
            Kind::Choice)
            .by([](const Experiment &e) { return FieldValue(text(e.schedule.recomputeModules)); }, setModules)
            .oneOf({{"none", "None", {}},
                    {"norms", "Norms", {}},
                    {"activation", "Activation function", {}},
                    {"norms,activation", "Norms and activation", "About 40 % of the activations for 1 to 2 % of the time"},
                    {"attention", "Attention", {}},
                    {"norms,attention", "Norms and attention", {}},
                    {"activation,attention", "Activation and attention", {}},
                    {"norms,activation,attention", "All three", {}}})
            .unless(std::string("none"))
            .where([](const Experiment &e) { return e.hasModel && e.schedule.recompute != Recompute::Full; }),
    };
}

namespace {

constexpr double kFastestHostLink = 1e6; // GB/s

std::string textOf(const OffloadChoice &choice)
{
    return choice.isAuto ? "auto" : choice.fraction > 0 ? base::concat(choice.fraction) : "none";
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
            return base::concat("is ", word, ", but a fraction is from 0 to 1; choose ", *fraction < 0 ? 0 : 1);
        choice.fraction = *fraction;
    }
    experiment.schedule.offload = choice;
    return {};
}

bool offloads(const Experiment &experiment)
{
    return experiment.schedule.offload.isOn();
}

} // namespace

std::vector<Field> offloadRows()
{
    return {
        row("schedule.offload", "--offload", "none|auto|FRACTION", "Offload",
            "activations that wait for their backward on the host: none; auto, those whose copies keep no pass waiting; or "
            "that "
            "part of each device's, from 0 to 1, those that wait longest first",
            Kind::Choice)
            .by([](const Experiment &e) { return FieldValue(textOf(e.schedule.offload)); }, setOffload)
            .oneOf({{"none", "None", {}},
                    {"auto", "What is free", "As many activations as are copied without any pass waiting"},
                    {"0.5", "Half", "Half of each device's activations, even if passes wait for their copies"},
                    {"1", "All", "All activations that wait for others, even if passes wait for their copies"}})
            .unless(std::string("none"))
            .notInEditor(),
        row("schedule.offload_lanes", "--offload-lanes", "half|full", "Copies",
            "whether copies to the host and back take turns on the link of a device (half), or run at the same time (full)",
            Kind::Choice, MEMBER(schedule.offloadLanes))
            .oneOf({{"half", "Take turns", "One lane a device for both directions"},
                    {"full", "Both directions at once", "A lane for each direction"}})
            .unless(std::string("half"))
            .where(offloads)
            .notInEditor(),
        row("schedule.host_bandwidth", "--host-bandwidth", "GB/s", "Link to the host (GB/s)",
            "of a device, each way (default: that of the hardware); the copies of a run are no faster", Kind::Real,
            MEMBER(schedule.hostBandwidth))
            .range(1e-6, kFastestHostLink)
            .orElse("the hardware's")
            .unless()
            .where(offloads)
            .notInEditor(),
        row("schedule.host_memory", "--host-memory", "BYTES", "Host memory (GiB)",
            "of a node, such as 512GiB (default: that of the hardware); a plan whose copies need more is refused", Kind::Bytes,
            MEMBER(schedule.hostMemory))
            .range(0, 9e15)
            .orElse("the hardware's")
            .unless()
            .where(offloads)
            .notInEditor(),
    };
}

namespace {

constexpr std::string_view kCompression = "training.gradient_compression";

std::string setCompression(Experiment &experiment, const FieldValue &value)
{
    operators::ParsedCompression parsed = operators::parseCompression(std::get<std::string>(value));
    if (parsed.fault.empty())
        experiment.training.compression = std::move(parsed.choice);
    return std::move(parsed.fault);
}

} // namespace

base::Problems compressionProblems(const Experiment &experiment)
{
    const CompressionChoice &choice = experiment.training.compression;
    if (!choice.isOn())
        return {};
    const std::string field(kCompression);
    const std::string word = operators::text(choice);
    if (!experiment.hasModel)
        return {{field, base::concat("is ", word,
                                     ", but there is no model whose gradients it compresses; choose none, or give "
                                     "a model")}};
    if (experiment.parallel.gradientRanks() == 1)
        return {{field, base::concat("is ", word,
                                     ", but one replica has no other to exchange gradients with; choose none, or at "
                                     "least 2 replicas")}};
    const int hidden = experiment.model.hidden;
    if (choice.name != "powersgd" || hidden < 3 || 2 * choice.number < hidden)
        return {};
    const int most = (hidden - 1) / 2;
    return {{field, base::concat("is ", word, ", but two matrices of that rank are no shorter than one of ", hidden, " x ",
                                 hidden, " (model.hidden); choose powersgd=", std::min(most, 4), " or at most ", most)}};
}

std::vector<Field> numericsRows()
{
    return {
        row(kCompression, "--gradient-compression", "none|METHOD", "Gradient compression",
            "what replicas send of their gradients, the rest being kept for the next step: none (all), powersgd=R (two "
            "matrices "
            "of rank R), top-k=F (that share of the numbers, the greatest ones) or sign (a bit for each)",
            Kind::Choice)
            .by([](const Experiment &e) { return FieldValue(operators::text(e.training.compression)); }, setCompression)
            .oneOf({{"none", "None", "All numbers of the gradients"},
                    {"powersgd=2", "PowerSGD, rank 2", "Two thin matrices whose product is nearly the gradient"},
                    {"powersgd=4", "PowerSGD, rank 4", "Two thin matrices whose product is nearly the gradient"},
                    {"powersgd=16", "PowerSGD, rank 16", "Two thin matrices whose product is nearly the gradient"},
                    {"top-k=0.01", "Greatest 1 %", "The numbers that are greatest in size, and their places"},
                    {"top-k=0.1", "Greatest 10 %", "The numbers that are greatest in size, and their places"},
                    {"sign", "Signs", "One bit for each number, and one scale for each matrix"}})
            .unless(std::string("none"))
            .where([](const Experiment &e) {
                return e.hasModel && (e.parallel.gradientRanks() > 1 || e.training.compression.isOn());
            }),
    };
}

} // namespace stagelens::model
