#include "engine/service/predictions/trace_fit.h"

#include "engine/passes/pass_recipe.h"
#include "engine/service/machine/environment.h"
#include "engine/service/plans/schedule_plan.h"
#include "engine/simulate/costs/cost_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace stagelens::service {
namespace {

using base::Error;
using base::Nanos;
using schedule::PassKind;

/// Weight of a figure's squared logarithmic distance from that of the plan's hardware.
constexpr double kRidge = 0.002;
constexpr std::size_t kFigures = 4; ///< efficiencies of products and attention, memory bandwidth, overhead of a pass

/// The passes of one kind of a stage.
struct Measured {
    int device = 0;
    PassKind kind = PassKind::F;
    int stage = 0;
    Nanos median = 0;
    std::size_t count = 0;
};

Nanos medianTime(std::vector<Nanos> &values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

std::vector<Measured> mediansOf(const exchange::ImportedTrace &trace, std::size_t first)
{
    std::map<std::tuple<int, PassKind, int>, std::vector<Nanos>> times;
    for (std::size_t step = first; step < trace.steps.size(); ++step) {
        const timeline::Timeline &timeline = trace.steps[step];
        for (int device = 0; device < timeline.devices(); ++device) {
            const timeline::Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
            for (std::size_t i = 0; i < lane.size(); ++i)
                times[{device, lane.pass[i].kind, lane.pass[i].stage}].push_back(lane.end[i] - lane.begin[i]);
        }
    }
    std::vector<Measured> all;
    for (auto &[pass, values] : times) {
        const auto &[device, kind, stage] = pass;
        all.push_back({device, kind, stage, medianTime(values), values.size()});
    }
    return all;
}

/// The logarithms of the factors by which the figures of the plan's hardware change.
using Factors = std::array<double, kFigures>;

/// Returns the hardware with changed figures, within what is possible.
model::Hardware withFactors(model::Hardware hardware, const Factors &factors)
{
    const auto changed = [&factors](double figure, std::size_t index) { return figure * std::exp(factors[index]); };
    hardware.matrixEfficiency = std::clamp(changed(hardware.matrixEfficiency, 0), 0.01, 1.0);
    hardware.attentionEfficiency = std::clamp(changed(hardware.attentionEfficiency, 1), 0.01, 1.0);
    hardware.memoryBytesPerSecond = std::clamp(changed(hardware.memoryBytesPerSecond, 2), 1e8, 1e14);
    hardware.passOverhead =
        std::clamp<Nanos>(std::llround(changed(static_cast<double>(hardware.passOverhead), 3)), 0, 100 * base::kNanosPerMilli);
    return hardware;
}

/// Fits the factors by the method of Gauss and Newton: least squares of the logarithms of predicted over measured times, each
/// weighted with its share of the time, with a ridge that keeps figures which the passes do not tell apart near their begin.
class FigureFit {
public:
    FigureFit(const SchedulePlan &plan, const model::Hardware &begin, const std::vector<Measured> &passes)
        : m_plan(plan), m_begin(begin), m_passes(passes)
    {
        for (const Measured &pass : passes)
            m_weight += weightOf(pass);
    }
    model::Hardware run() const
    {
        constexpr int kMostRounds = 50;
        Factors factors{};
        double least = errorOf(factors);
        for (int round = 0; round < kMostRounds; ++round) {
            const Factors step = stepFrom(factors);
            double share = 1;
            for (; share > 1e-3; share /= 2) {
                Factors next = factors;
                for (std::size_t i = 0; i < kFigures; ++i)
                    next[i] += share * step[i];
                if (const double error = errorOf(next); error < least * (1 - 1e-9)) {
                    factors = next;
                    least = error;
                    break;
                }
            }
            if (share <= 1e-3)
                break;
        }
        return withFactors(m_begin, factors);
    }

private:
    static double weightOf(const Measured &pass) { return static_cast<double>(pass.median) * static_cast<double>(pass.count); }
    /// The weighted logarithms, one for each of the passes.
    [[nodiscard]] std::vector<double> residuals(const Factors &factors) const
    {
        const simulate::CostModel costs =
            simulate::analyticCosts(m_plan.experiment, withFactors(m_begin, factors), m_plan.schedule);
        std::vector<double> all;
        for (const Measured &pass : m_passes) {
            const auto measured = static_cast<double>(pass.median);
            const auto guess = static_cast<double>(costs.pass(pass.device, pass.kind, pass.stage).duration);
            all.push_back(measured > 0 && guess > 0 ? std::sqrt(weightOf(pass) / m_weight) * std::log(guess / measured) : 0);
        }
        return all;
    }
    [[nodiscard]] double errorOf(const Factors &factors) const
    {
        double sum = 0;
        for (const double residual : residuals(factors))
            sum += residual * residual;
        for (const double factor : factors)
            sum += kRidge * factor * factor;
        return sum;
    }
    [[nodiscard]] Factors stepFrom(const Factors &factors) const
    {
        constexpr double kDifference = 0.01; // durations are whole nanoseconds
        const std::vector<double> here = residuals(factors);
        std::array<std::vector<double>, kFigures> slopes;
        for (std::size_t i = 0; i < kFigures; ++i) {
            Factors beside = factors;
            beside[i] += kDifference;
            slopes[i] = residuals(beside);
            for (std::size_t row = 0; row < here.size(); ++row)
                slopes[i][row] = (slopes[i][row] - here[row]) / kDifference;
        }
        const auto product = [](const std::vector<double> &one, const std::vector<double> &other) {
            return std::inner_product(one.begin(), one.end(), other.begin(), 0.0);
        };
        std::array<std::array<double, kFigures + 1>, kFigures> system{};
        for (std::size_t i = 0; i < kFigures; ++i) {
            for (std::size_t k = 0; k < kFigures; ++k)
                system[i][k] = product(slopes[i], slopes[k]) + (i == k ? kRidge : 0);
            system[i][kFigures] = -product(slopes[i], here) - kRidge * factors[i];
        }
        return solved(system);
    }
    /// Gaussian elimination; the matrix is positive definite.
    static Factors solved(std::array<std::array<double, kFigures + 1>, kFigures> system)
    {
        for (std::size_t pivot = 0; pivot < kFigures; ++pivot)
            for (std::size_t row = pivot + 1; row < kFigures; ++row) {
                const double factor = system[row][pivot] / system[pivot][pivot];
                for (std::size_t column = pivot; column <= kFigures; ++column)
                    system[row][column] -= factor * system[pivot][column];
            }
        Factors solution{};
        for (std::size_t row = kFigures; row-- > 0;) {
            solution[row] = system[row][kFigures];
            for (std::size_t column = row + 1; column < kFigures; ++column)
                solution[row] -= system[row][column] * solution[column];
            solution[row] /= system[row][row];
        }
        return solution;
    }

    const SchedulePlan &m_plan;
    const model::Hardware &m_begin;
    const std::vector<Measured> &m_passes;
    double m_weight = 0;
};

PassResidual residualOf(PassKind kind, const std::vector<Measured> &passes, const simulate::CostModel &before,
                        const simulate::CostModel &after)
{
    PassResidual residual{.kind = kind};
    std::vector<Nanos> measured;
    std::vector<Nanos> old;
    std::vector<Nanos> now;
    double squares = 0;
    for (const Measured &pass : passes) {
        if (pass.kind != kind)
            continue;
        residual.count += pass.count;
        measured.push_back(pass.median);
        old.push_back(before.pass(pass.device, kind, pass.stage).duration);
        now.push_back(after.pass(pass.device, kind, pass.stage).duration);
        const double error = static_cast<double>(now.back()) / std::max(static_cast<double>(pass.median), 1.0) - 1;
        squares += error * error;
    }
    residual.rms = std::sqrt(squares / static_cast<double>(measured.size()));
    residual.measured = medianTime(measured);
    residual.before = medianTime(old);
    residual.after = medianTime(now);
    return residual;
}

/// Returns how the trace differs from the plan, or an empty text.
std::string difference(const schedule::Schedule &plan, const schedule::Schedule &trace)
{
    const auto differs = [](const char *what, int planned, int traced) {
        return fmt::format("has {} {}, and the plan has {}; give the plan that was traced", traced, what, planned);
    };
    if (plan.devices() != trace.devices())
        return differs("devices", plan.devices(), trace.devices());
    if (plan.stages() != trace.stages())
        return differs("stages", plan.stages(), trace.stages());
    if (plan.microbatches() != trace.microbatches())
        return differs("microbatches", plan.microbatches(), trace.microbatches());
    for (int stage = 0; stage < plan.stages(); ++stage)
        if (plan.placement().deviceOf(stage) != trace.placement().deviceOf(stage))
            return fmt::format("has stage {} on device {}, and the plan on {}; give the plan that was traced", stage,
                               trace.placement().deviceOf(stage), plan.placement().deviceOf(stage));
    return {};
}

} // namespace

base::Result<TraceFit> fitTrace(const model::Experiment &experiment, const exchange::ImportedTrace &trace)
{
    const auto *choice = std::get_if<model::HardwarePreset>(&experiment.cost.source);
    if (choice == nullptr)
        return Error::invalid("cost", "gives durations, which have no figures to fit; choose --hardware");
    const auto hardware = model::hardwareOf(*choice);
    if (!hardware)
        return hardware.error();
    const auto plan = planOf(experiment, machineCores());
    if (!plan)
        return plan.error();
    if (plan->schedule.placement().directions > 1 || plan->schedule.runs(schedule::PassKind::S))
        return Error::invalid("schedule", "has passes that traces of PyTorch have no names for; give the plan that was traced");
    if (std::string other = difference(plan->schedule, trace.schedule); !other.empty())
        return Error::invalid("trace", std::move(other));
    TraceFit fit;
    const std::size_t first = trace.steps.size() > 1 ? 1 : 0; // the first step warms up
    fit.steps = trace.steps.size() - first;
    const std::vector<Measured> passes = mediansOf(trace, first);
    fit.hardware = FigureFit(*plan, *hardware, passes).run();
    const simulate::CostModel before = simulate::analyticCosts(plan->experiment, *hardware, plan->schedule);
    const simulate::CostModel after = simulate::analyticCosts(plan->experiment, fit.hardware, plan->schedule);
    for (const PassKind kind : {PassKind::F, PassKind::B, PassKind::I, PassKind::W})
        if (std::ranges::any_of(passes, [&](const Measured &pass) { return pass.kind == kind; }))
            fit.passes.push_back(residualOf(kind, passes, before, after));
    return fit;
}

} // namespace stagelens::service
