#include "engine/simulate/costs/copy_costs.h"

#include "engine/model/family_shape.h"
#include "engine/simulate/costs/given_costs.h"
#include "engine/simulate/memory.h"

#include <cmath>

namespace stagelens::simulate {

using base::Nanos;

namespace {

constexpr double kGiga = 1e9;

base::Result<std::optional<model::Hardware>> hardwareOf(const model::Experiment &experiment)
{
    const auto *preset = std::get_if<model::HardwarePreset>(&experiment.cost.source);
    if (preset == nullptr)
        return std::optional<model::Hardware>();
    auto hardware = model::hardwareOf(*preset);
    return hardware ? base::Result<std::optional<model::Hardware>>(*std::move(hardware)) : hardware.error();
}

/// Returns the ranks of a plan on its fullest node.
std::int64_t ranksOfNode(const model::Experiment &experiment, const model::Hardware &hardware)
{
    return std::min<std::int64_t>(experiment.parallel.ranks(experiment.parallel.devices), hardware.devicesPerNode);
}

} // namespace

std::int64_t hostRanks(const model::Experiment &experiment, const model::Hardware &hardware)
{
    return std::max<std::int64_t>(1, ranksOfNode(experiment, hardware));
}

double hostRate(const model::Experiment &experiment, const model::Hardware &hardware)
{
    if (experiment.schedule.hostBandwidth)
        return *experiment.schedule.hostBandwidth * kGiga;
    return hardware.hostRate(ranksOfNode(experiment, hardware));
}

base::Result<> checkHostLink(const model::Experiment &experiment)
{
    const auto hardware = hardwareOf(experiment);
    if (!hardware)
        return hardware.error();
    if (!experiment.schedule.offloadOptimizer || !*hardware || hostRate(experiment, **hardware) > 0)
        return {};
    return base::Error::invalid("schedule.offload_optimizer",
                                "needs the speed of the link to the host, which the hardware does not give; give "
                                "--host-bandwidth");
}

namespace {

/// Returns the bytes/s of a device's link to the host, each way; 0: unknown.
base::Result<double> rateOf(const model::Experiment &experiment)
{
    if (experiment.schedule.hostBandwidth)
        return *experiment.schedule.hostBandwidth * kGiga;
    const auto hardware = hardwareOf(experiment);
    if (!hardware)
        return hardware.error();
    return *hardware ? hostRate(experiment, **hardware) : 0.0;
}

Nanos copyTime(double seconds)
{
    constexpr auto kLongest = static_cast<double>(base::kLongestPass);
    return std::llround(std::min(seconds * static_cast<double>(base::kNanosPerSecond), kLongest));
}

std::optional<Nanos> givenCopy(const model::Experiment &experiment, const schedule::Schedule &schedule, std::string_view word)
{
    const auto *uniform = std::get_if<model::UniformCosts>(&experiment.cost.source);
    if (uniform == nullptr)
        return std::nullopt;
    const auto found = uniform->milliseconds.find(std::string(word));
    if (found == uniform->milliseconds.end())
        return std::nullopt;
    const int shares = uniform->per == model::UniformPer::Device ? schedule.placement().chunks() : 1;
    return copyTime(found->second / 1000 / shares);
}

/// Returns whether the copies that a family brings take no time, as other uniform durations that are absent.
bool takesNoTime(const model::Experiment &experiment)
{
    return !experiment.schedule.offload.isOn() && std::holds_alternative<model::UniformCosts>(experiment.cost.source);
}

} // namespace

base::Result<> setCopies(CostModel &costs, const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    if (!model::offloadOf(experiment.schedule).isOn())
        return {};
    costs.copiesTakeTurns = experiment.schedule.offloadLanes == model::OffloadLanes::Half;
    const std::optional<Nanos> out = givenCopy(experiment, schedule, kOffloadWord);
    const std::optional<Nanos> in = givenCopy(experiment, schedule, kReloadWord);
    const auto rate = rateOf(experiment);
    if (!rate)
        return rate.error();
    const bool isGiven = out || in;
    const bool isRated = *rate > 0 && experiment.hasModel;
    if (!isGiven && !isRated && !takesNoTime(experiment))
        return base::Error::invalid(
            "schedule.offload", experiment.hasModel
                                    ? "needs the speed of the link to the host, which these costs do not give; give "
                                      "--host-bandwidth, or OFF and ON in --uniform"
                                    : "needs the time of copies, which these costs do not give; give OFF and ON in --uniform");
    for (const base::Bytes bytes : copiedBytes(experiment, schedule)) {
        const Nanos each = isGiven || !isRated ? 0 : copyTime(static_cast<double>(bytes) / *rate);
        const bool isEmpty = experiment.hasModel && bytes == 0;
        costs.copies.push_back(
            {isEmpty ? 0 : out.value_or(in.value_or(each)), isEmpty ? 0 : in.value_or(out.value_or(each)), bytes, !isEmpty});
    }
    return {};
}

base::Result<base::Bytes> hostMemoryOfNode(const model::Experiment &experiment)
{
    if (experiment.schedule.hostMemory)
        return *experiment.schedule.hostMemory;
    const auto hardware = hardwareOf(experiment);
    if (!hardware)
        return hardware.error();
    return *hardware ? (*hardware)->hostMemory : base::Bytes{0};
}

} // namespace stagelens::simulate
