#include "engine/service/search/layer_cut.h"

#include "engine/base/text.h"
#include "engine/model/what_if.h"
#include "engine/operators/stage_layers.h"
#include "engine/service/plans/schedule_plan.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>

namespace stagelens::service {

using simulate::ModelUnit;
using simulate::UnitSize;

std::string_view name(CutKind kind)
{
    constexpr std::array<std::string_view, 5> kNames{"plan", "even", "before", "least", "halves"};
    return kNames[static_cast<std::size_t>(kind)];
}

double LayerCut::greatest() const
{
    return std::ranges::max(seconds);
}

namespace {

constexpr std::string_view kUnitsOption = "--units";
constexpr double kMillisecond = 1e-3;
constexpr double kMostMilliseconds = 1e6; // the sum of all units, on a slow device, fits into nanoseconds
constexpr double kMostBytes = 1e15;
constexpr double kMostSteps = 2e9; // of the programs that find cuts: a few seconds

/// Reads units from CSV text.
class UnitReader {
public:
    explicit UnitReader(const std::string &source) : m_source(source) {}

    base::Result<std::vector<ModelUnit>> read(std::string_view csv)
    {
        csv = base::withoutByteOrderMark(csv);
        for (const std::string_view each : base::split(csv, '\n')) {
            const std::string_view line = base::trim(each);
            if (++m_line == 1)
                readHeader(line);
            else if (!line.empty())
                readRow(line);
        }
        if (m_problems.empty())
            judge();
        if (!m_problems.empty())
            return base::Error::invalid(std::move(m_problems));
        return std::move(m_units);
    }

private:
    static constexpr std::string_view kOfTimes = "unit,milliseconds";
    static constexpr std::string_view kOfBytes = "unit,milliseconds,activation_bytes,weight_bytes";
    static constexpr std::size_t kMostProblems = 20;

    void problem(std::string message)
    {
        if (m_problems.size() < kMostProblems)
            m_problems.push_back({std::string(kUnitsOption), fmt::format("{}: {}", m_source, message)});
    }

    void judge()
    {
        const auto isOfLayers = [](const ModelUnit &unit) { return unit.isOfLayers; };
        if (m_units.empty())
            return problem("there is no unit; give one a line");
        if (std::ranges::all_of(m_units, [](const ModelUnit &unit) { return unit.seconds == 0; }))
            return problem("every time is 0; give the milliseconds of each unit");
        const auto first = std::ranges::find_if(m_units, isOfLayers);
        const auto last = std::find_if(m_units.rbegin(), m_units.rend(), isOfLayers).base();
        if (const auto other = std::find_if_not(first, std::max(first, last), isOfLayers); other < last)
            problem(fmt::format("{} stands between layers; begin its name with \"layer\", or add its time to a layer's",
                                base::quoted(other->name)));
    }

    void readHeader(std::string_view line)
    {
        m_columns = line == kOfBytes ? 4 : 2;
        if (line != kOfTimes && line != kOfBytes)
            problem(fmt::format("line 1: the header is {}; it must be {} or {}", base::quoted(line), kOfTimes, kOfBytes));
    }

    double number(std::string_view text, std::string_view what, double most)
    {
        const auto value = base::parseNumber(base::trim(text));
        if (value && *value >= 0 && *value <= most)
            return *value;
        problem(fmt::format("line {}: the {} are {}; give a number from 0 to {:g}", m_line, what, base::quoted(text), most));
        return 0;
    }

    void readRow(std::string_view line)
    {
        const std::vector<std::string_view> cells = base::split(line, ',');
        if (cells.size() != m_columns)
            return problem(fmt::format("line {}: there are {} columns; give the {} of {}", m_line, cells.size(), m_columns,
                                       m_columns == 2 ? kOfTimes : kOfBytes));
        const std::string_view unit = base::trim(cells[0]);
        ModelUnit read{std::string(unit), unit.starts_with("layer"),
                       kMillisecond * number(cells[1], "milliseconds", kMostMilliseconds), 0, 0};
        if (m_columns == 4) {
            read.activationBytes = number(cells[2], "bytes of activations", kMostBytes);
            read.weightBytes = number(cells[3], "bytes of weights", kMostBytes);
        }
        m_units.push_back(std::move(read));
    }

    const std::string &m_source;
    std::size_t m_columns = 2;
    std::size_t m_line = 0;
    std::vector<ModelUnit> m_units;
    base::Problems m_problems;
};

base::Result<std::vector<double>> slowFactors(const model::Experiment &experiment)
{
    constexpr std::string_view kField = "what_if.slow";
    std::vector<double> factors(static_cast<std::size_t>(experiment.parallel.devices), 1.0);
    const auto parts = model::parseSlowParts(experiment.whatIf.slow);
    if (!parts)
        return parts.error();
    for (const model::SlowPart &part : *parts) {
        if (part.target != model::SlowTarget::Device)
            return base::Error::invalid(std::string(kField),
                                        fmt::format("slows {}, but a cut is the same in every replica; name devices, as 3=1.5",
                                                    model::targetText(part)));
        if (part.index >= experiment.parallel.devices)
            return base::Error::invalid(std::string(kField),
                                        fmt::format("names device {} of {}; choose 0 to {}", part.index,
                                                    experiment.parallel.devices, experiment.parallel.devices - 1));
        factors[static_cast<std::size_t>(part.index)] *= part.factor;
    }
    return factors;
}

std::vector<double> timesOf(const std::vector<ModelUnit> &units)
{
    std::vector<double> times;
    for (const ModelUnit &unit : units)
        times.push_back(unit.seconds);
    return times;
}

LayerCut cutOf(CutKind kind, std::vector<int> sizes, const std::vector<ModelUnit> &units, const std::vector<double> &factors)
{
    LayerCut cut{kind, std::move(sizes), {}};
    auto unit = units.begin();
    for (std::size_t device = 0; device < cut.sizes.size(); ++device) {
        double seconds = 0;
        for (int left = cut.sizes[device]; left > 0; --left)
            seconds += (unit++)->seconds;
        cut.seconds.push_back(factors[device] * seconds);
    }
    return cut;
}

/// Returns the units of stages with as many layers each; what is before the first layer and after the last one is with them.
std::vector<int> sizesOf(const std::vector<int> &layers, const std::vector<ModelUnit> &units)
{
    const auto isOfLayers = [](const ModelUnit &unit) { return unit.isOfLayers; };
    const auto before = std::ranges::find_if(units, isOfLayers) - units.begin();
    const auto all = std::ranges::count_if(units, isOfLayers);
    std::vector<int> sizes = layers;
    sizes.front() += static_cast<int>(before);
    sizes.back() += static_cast<int>(std::ssize(units) - before - all);
    return sizes;
}

ReplicatedCut replicatedCut(const std::vector<ModelUnit> &units, int machines, double bytesPerSecond, int microbatches)
{
    std::vector<operators::PlannedLayer> layers;
    operators::PlannedLayer whole;
    for (const ModelUnit &unit : units) {
        layers.push_back({unit.seconds, unit.activationBytes, unit.weightBytes / microbatches});
        whole.time += unit.seconds;
        whole.weights += unit.weightBytes / microbatches;
    }
    ReplicatedCut cut{operators::pipeDreamPlan(layers, machines, bytesPerSecond), microbatches};
    cut.dataParallel = operators::pipeDreamPlan({whole}, machines, bytesPerSecond).time;
    for (operators::PlannedLayer &layer : layers)
        layer.weights = 0;
    cut.withoutWeights = operators::pipeDreamPlan(layers, machines, bytesPerSecond).time;
    return cut;
}

/// Returns the rate at which each of several machines sends to others.
double rateBetween(const model::Hardware &hardware, const model::ParallelPlan &plan)
{
    const int ranks = plan.devices * plan.replicas * plan.tensor * plan.context;
    return ranks <= hardware.devicesPerNode ? hardware.insideNode.bytesPerSecond
                                            : hardware.networkRate(hardware.devicesPerNode);
}

/// Adds the cuts of the units.
base::Result<LayerCuts> cutUnits(LayerCuts found, const model::Experiment &plan, const std::vector<int> &stageLayers)
{
    const int devices = plan.parallel.devices;
    if (std::ssize(found.units) < devices)
        return base::Error::invalid("parallel.devices",
                                    fmt::format("is {}, more than the {} units of the model; choose at most {}", devices,
                                                found.units.size(), found.units.size()));
    const std::size_t finest = std::max(found.units.size(), found.halves.size());
    if (static_cast<double>(finest) * static_cast<double>(finest) * devices > kMostSteps)
        return base::Error::invalid(
            "parallel.devices",
            fmt::format("is {}, and cuts of {} units for so many take too long to find; lower it, or the layers or units",
                        devices, finest));
    const std::vector<double> times = timesOf(found.units);
    double speed = 0;
    for (const double factor : found.factors)
        speed += 1 / factor;
    found.mean = std::accumulate(times.begin(), times.end(), 0.0) / speed;
    const auto add = [&](CutKind kind, std::vector<int> sizes, const std::vector<ModelUnit> &units) {
        found.cuts.push_back(cutOf(kind, std::move(sizes), units, found.factors));
    };
    if (std::ssize(stageLayers) == devices)
        add(CutKind::Plan, sizesOf(stageLayers, found.units), found.units);
    const auto layers = std::ranges::count_if(found.units, [](const ModelUnit &unit) { return unit.isOfLayers; });
    if (layers >= devices)
        add(CutKind::Even, sizesOf(operators::evenStageLayers(static_cast<int>(layers), devices), found.units), found.units);
    if (std::ranges::any_of(found.factors, [](double factor) { return factor != 1; }))
        add(CutKind::LeastOfEqual, operators::leastGreatestPart(times, devices).sizes, found.units);
    add(CutKind::Least, operators::leastGreatestPart(times, found.factors).sizes, found.units);
    if (!found.halves.empty())
        add(CutKind::LeastOfHalves, operators::leastGreatestPart(timesOf(found.halves), found.factors).sizes, found.halves);
    found.machines = devices * plan.parallel.replicas;
    constexpr std::int64_t kMostStates = 40000; // a second or two
    if (found.bytesPerSecond > 0 && std::ssize(found.units) * found.machines <= kMostStates) {
        found.replicated.push_back(replicatedCut(found.units, found.machines, found.bytesPerSecond, 1));
        if (plan.parallel.microbatches > 1)
            found.replicated.push_back(
                replicatedCut(found.units, found.machines, found.bytesPerSecond, plan.parallel.microbatches));
    }
    return found;
}

} // namespace

base::Result<std::vector<ModelUnit>> unitsFromCsv(std::string_view csv, const std::string &source)
{
    return UnitReader(source).read(csv);
}

base::Result<LayerCuts> layerCuts(const model::Experiment &experiment, int cores, const GivenUnits &given)
{
    LayerCuts found;
    const auto factors = slowFactors(experiment);
    if (!factors)
        return factors.error();
    found.factors = *factors;
    if (!given.units.empty()) {
        found.units = given.units;
        found.bytesPerSecond = given.bytesPerSecond.value_or(0);
        return cutUnits(std::move(found), experiment, {});
    }
    const auto plan = planOf(experiment, cores);
    if (!plan)
        return plan.error();
    const auto *const preset = std::get_if<model::HardwarePreset>(&plan->experiment.cost.source);
    if (preset == nullptr || !plan->experiment.hasModel)
        return base::Error::invalid("cost", "has no times of single layers; choose hardware, or give the times with --units");
    if (!plan->experiment.schedule.recomputeLayers.empty())
        return base::Error::invalid("schedule.recompute",
                                    "is a list for the stages of one cut; choose none, selective or full");
    const auto hardware = model::hardwareOf(*preset);
    if (!hardware)
        return hardware.error();
    found.units = simulate::modelUnits(plan->experiment, *hardware, plan->schedule, UnitSize::Layer);
    found.halves = simulate::modelUnits(plan->experiment, *hardware, plan->schedule, UnitSize::HalfLayer);
    found.sequence = sequenceCuts(plan->experiment, *hardware);
    found.bytesPerSecond = given.bytesPerSecond.value_or(rateBetween(*hardware, plan->experiment.parallel));
    return cutUnits(std::move(found), plan->experiment, plan->experiment.parallel.stageLayers);
}

} // namespace stagelens::service
