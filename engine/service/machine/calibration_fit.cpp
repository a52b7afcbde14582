#include "engine/service/machine/calibration_fit.h"

#include "engine/simulate/costs/cost_model.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace stagelens::service {
namespace {

/// Beyond it the times say more about other programs than about the machine.
constexpr double kMostSpread = 0.15;
constexpr double kLeastSpread = 0.01; ///< that is claimed
constexpr double kLeastProcessorShare = 0.5;

/// Weight of a figure's squared logarithmic distance from its beginning. The passes barely distinguish some combinations of
/// figures: without it noise of a few per cent moves the memory's speed by a factor of a thousand.
constexpr double kInertia = 0.002;

/// The medians of every `stride`-th step from `first` on.
PassTimes mediansOf(const MeasuredPlan &plan, std::size_t first, std::size_t stride)
{
    std::map<PassTimes::key_type, std::vector<base::Nanos>> times;
    for (std::size_t step = first; step < plan.steps.size(); step += stride)
        for (const auto &[pass, time] : plan.steps[step].typical)
            times[pass].push_back(time);
    PassTimes medians;
    for (auto &[pass, all] : times)
        medians.emplace(pass, median(all));
    return medians;
}

double sumOf(const PassTimes &times)
{
    double sum = 0;
    for (const auto &[pass, time] : times)
        sum += static_cast<double>(time);
    return sum;
}

/// Relative distance of the even steps' times from the odd steps'.
double spreadOf(const MeasuredPlan &plan)
{
    const double even = sumOf(mediansOf(plan, 0, 2));
    const double odd = sumOf(mediansOf(plan, 1, 2));
    return std::abs(even - odd) / std::max(std::min(even, odd), 1.0);
}

double medianShare(const std::vector<MeasuredPlan> &plans)
{
    std::vector<double> shares;
    for (const MeasuredPlan &plan : plans)
        for (const MeasuredStep &step : plan.steps)
            shares.push_back(step.processorShare);
    return shares.empty() ? 0 : median(shares);
}

/// Sum over all passes of the squared logarithm of predicted over measured, each weighted with its share of the time.
double misfit(const model::Hardware &hardware, const std::vector<MeasuredPlan> &plans, const std::vector<PassTimes> &times)
{
    double sum = 0;
    for (std::size_t plan = 0; plan < plans.size(); ++plan) {
        const simulate::CostModel predicted = simulate::analyticCosts(plans[plan].experiment, hardware, plans[plan].schedule);
        double weights = 0;
        double errors = 0;
        for (const auto &[pass, time] : times[plan]) {
            const auto measured = static_cast<double>(time);
            const auto guess = static_cast<double>(predicted.pass(pass.first, pass.second, pass.first).duration);
            if (measured <= 0 || guess <= 0)
                continue;
            const double error = std::log(guess / measured);
            errors += measured * error * error;
            weights += measured;
        }
        sum += weights > 0 ? errors / weights : 0;
    }
    return sum;
}

double inertia(const model::Hardware &hardware, const FitBeginning &beginning)
{
    double sum = 0;
    for (const double ratio :
         {hardware.matrixEfficiency / beginning.matrixEfficiency, hardware.attentionEfficiency / beginning.attentionEfficiency,
          hardware.halfSpeedDimension / beginning.halfSpeedDimension,
          hardware.memoryBytesPerSecond / beginning.memoryBytesPerSecond,
          static_cast<double>(hardware.passOverhead) / static_cast<double>(beginning.passOverhead)})
        sum += std::log(ratio) * std::log(ratio);
    return kInertia * sum;
}

/// Of scaled().
constexpr std::size_t kMemory = 3;

/// With one of the five figures changed by a factor, within what is possible.
model::Hardware scaled(model::Hardware guess, std::size_t figure, double factor)
{
    switch (figure) {
    case 0: guess.matrixEfficiency = std::clamp(guess.matrixEfficiency * factor, 0.05, 1.0); break;
    case 1: guess.attentionEfficiency = std::clamp(guess.attentionEfficiency * factor, 0.01, 1.0); break;
    case 2: guess.halfSpeedDimension = std::clamp(guess.halfSpeedDimension * factor, 0.5, 512.0); break;
    case kMemory: guess.memoryBytesPerSecond = std::clamp(guess.memoryBytesPerSecond * factor, 1e8, 1e13); break;
    default:
        guess.passOverhead =
            std::clamp<base::Nanos>(std::llround(static_cast<double>(guess.passOverhead) * factor), 100, base::kNanosPerMilli);
    }
    return guess;
}

/// Coordinate descent on the logarithms of the figures; the steps shrink until they no longer matter.
void fit(model::Hardware &hardware, const std::vector<MeasuredPlan> &plans, const std::vector<PassTimes> &times,
         const FitBeginning &beginning)
{
    const auto errorOf = [&](const model::Hardware &guess) { return misfit(guess, plans, times) + inertia(guess, beginning); };
    double best = errorOf(hardware);
    for (double step = 2.0; step > 1.005;) {
        bool improved = false;
        for (std::size_t figure = 0; figure < 5; ++figure)
            for (const double factor : {step, 1 / step}) {
                if (figure == kMemory && beginning.isMemoryMeasured)
                    continue;
                const model::Hardware guess = scaled(hardware, figure, factor);
                if (const double error = errorOf(guess); error < best * (1 - 1e-9)) {
                    best = error;
                    hardware = guess;
                    improved = true;
                }
            }
        if (!improved)
            step = std::sqrt(step);
    }
}

std::string percent(double share)
{
    return fmt::format("{:.0f} %", 100 * share);
}

base::Error isTooBusy(const std::string &preset, const std::string &why)
{
    return base::Error::failed(
        fmt::format("{}; end other programs and measure again. The preset {} is as it was", why, preset));
}

} // namespace

base::Result<model::Calibration> fitHardware(model::Hardware hardware, const std::vector<MeasuredPlan> &plans,
                                             const FitBeginning &beginning)
{
    if (const double share = medianShare(plans); share < kLeastProcessorShare)
        return isTooBusy(hardware.name,
                         fmt::format("this machine is too busy to be measured: other programs took {} of the processor",
                                     percent(1 - share)));
    double spread = 0;
    std::vector<PassTimes> times;
    for (const MeasuredPlan &plan : plans) {
        spread = std::max(spread, spreadOf(plan));
        times.push_back(mediansOf(plan, 0, 1));
    }
    if (spread > kMostSpread)
        return isTooBusy(hardware.name, fmt::format("the passes' times differ by {} from step to step, more than {}",
                                                    percent(spread), percent(kMostSpread)));
    hardware.matrixEfficiency = beginning.matrixEfficiency;
    hardware.attentionEfficiency = beginning.attentionEfficiency;
    hardware.halfSpeedDimension = beginning.halfSpeedDimension;
    hardware.memoryBytesPerSecond = beginning.memoryBytesPerSecond;
    hardware.passOverhead = beginning.passOverhead;
    fit(hardware, plans, times, beginning);
    spread = std::max(spread, kLeastSpread);
    hardware.description += fmt::format(", within {}", percent(spread));
    return model::Calibration{std::move(hardware), spread};
}

base::Nanos fittedLaunchInterval(model::Hardware hardware, const MeasuredPlan &plan)
{
    PassTimes inner = mediansOf(plan, 0, 1);
    std::erase_if(inner, [last = plan.schedule.devices() - 1](const auto &each) {
        return each.first.first == 0 || each.first.first == last;
    });
    const double measured = sumOf(inner);
    const auto predictedWith = [&](base::Nanos interval) {
        hardware.launchInterval = interval;
        const simulate::CostModel costs = simulate::analyticCosts(plan.experiment, hardware, plan.schedule);
        double sum = 0;
        for (const auto &[pass, time] : inner)
            sum += static_cast<double>(costs.pass(pass.first, pass.second, pass.first).duration);
        return sum;
    };
    base::Nanos less = 0;
    base::Nanos more = base::kNanosPerMilli;
    while (more - less > 1) {
        const base::Nanos middle = std::midpoint(less, more);
        (predictedWith(middle) < measured ? less : more) = middle;
    }
    return less;
}

} // namespace stagelens::service
