#include "engine/schedule/one_f_one_b.h"

#include "engine/base/units.h"
#include "engine/schedule/interval_order.h"

#include <cmath>
#include <variant>
#include <vector>

namespace stagelens::schedule {

namespace {

struct Durations {
    base::Nanos forward = 1;
    base::Nanos backward = 2;
};

/// The uniform durations of F and B; a B of two F where they are absent.
Durations durationsOf(const model::Experiment &experiment)
{
    const auto *const uniform = std::get_if<model::UniformCosts>(&experiment.cost.source);
    if (uniform == nullptr)
        return {};
    const auto millisecondsOf = [&](const char *pass) {
        const auto found = uniform->milliseconds.find(pass);
        return found == uniform->milliseconds.end() ? 0.0 : found->second;
    };
    const double forward = millisecondsOf("F");
    const double backward =
        uniform->milliseconds.contains("B") ? millisecondsOf("B") : millisecondsOf("I") + millisecondsOf("W");
    constexpr double kLongest = static_cast<double>(base::kLongestPass) / base::kNanosPerMilli;
    if (!(forward > 0 && backward > 0 && forward <= kLongest && backward <= 2 * kLongest))
        return {};
    return {std::llround(forward * base::kNanosPerMilli), std::llround(backward * base::kNanosPerMilli)};
}

} // namespace

base::Result<Schedule> oneForwardOneBackward(const model::Experiment &experiment)
{
    const int devices = experiment.parallel.devices;
    const int microbatches = experiment.parallel.microbatches;
    const model::VocabularyMethod method = experiment.schedule.vocabulary;
    const Durations durations = durationsOf(experiment);
    const std::vector<Interval> intervals = oneForwardOneBackwardIntervals(devices, durations.forward, durations.backward);
    std::vector<std::vector<Pass>> orders;
    orders.reserve(intervals.size());
    for (int device = 0; device < devices; ++device)
        orders.push_back(intervalOrder(intervals, device, microbatches, method));
    return Schedule("1f1b", Placement::linear(devices), microbatches, method, orders);
}

} // namespace stagelens::schedule
