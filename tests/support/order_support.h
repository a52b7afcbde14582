// Checks that the tests of schedule families apply to an order.
#pragma once

#include "engine/schedule/check/validator.h"
#include "engine/schedule/families.h"
#include "engine/schedule/order/vocabulary_insertion.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>
#include <vector>

namespace stagelens::test {

/// A plan with uniform durations in milliseconds; F, I and W of one by default.
inline model::Experiment unitExperiment(const std::string &family, int devices, int microbatches,
                                        model::VocabularyMethod vocabulary = model::VocabularyMethod::None,
                                        std::map<std::string, double> milliseconds = {{"F", 1}, {"I", 1}, {"W", 1}})
{
    model::Experiment experiment;
    experiment.parallel.devices = devices;
    experiment.parallel.microbatches = microbatches;
    experiment.schedule.family = family;
    experiment.schedule.vocabulary = vocabulary;
    experiment.cost.source = model::UniformCosts{std::move(milliseconds)};
    return experiment;
}

/// A schedule and its fault; empty if it has none.
struct Order {
    schedule::Schedule schedule;
    double makespan = 0; ///< milliseconds
    std::string fault;
    std::vector<int> held; ///< most F of each device without their B (or W, where split)
};

inline Order orderOf(const model::Experiment &experiment)
{
    using schedule::PassKind;
    Order order;
    const base::Result<schedule::Schedule> made = schedule::makeSchedule(experiment);
    if (!made.ok()) {
        order.fault = made.error().text();
        return order;
    }
    order.schedule = *made;
    if (const std::vector<schedule::Violation> found = schedule::findViolations(*made, 1); !found.empty())
        order.fault = fmt::format("device {}: {}", found.front().device, found.front().cause);
    const std::optional<base::Nanos> makespan = schedule::makespanOf(*made, schedule::nominalDurations(experiment));
    order.makespan = static_cast<double>(makespan.value_or(-1)) / static_cast<double>(base::kNanosPerMilli);
    for (int device = 0; device < made->devices(); ++device) {
        int held = 0;
        int most = 0;
        for (const schedule::Pass &pass : made->device(device)) {
            held += pass.kind == PassKind::F ? 1 : pass.kind == PassKind::B || pass.kind == PassKind::W ? -1 : 0;
            most = std::max(most, held);
        }
        order.held.push_back(most);
    }
    return order;
}

/// The most that any device holds.
inline int greatest(const std::vector<int> &held)
{
    return held.empty() ? 0 : *std::ranges::max_element(held);
}

/// What the device that idles most idles, of an order with F, I and W of one unit and pairs of `pair` units.
inline double mostIdle(const Order &order, double pair)
{
    double most = 0;
    for (int device = 0; device < order.schedule.devices(); ++device) {
        double work = 0;
        for (const schedule::Pass &pass : order.schedule.device(device))
            work += (pass.kind == schedule::PassKind::B ? 2 : 1) - (pass.pairedWithNext ? 3 - pair : 0);
        most = std::max(most, order.makespan - work);
    }
    return most;
}

/// Of all small plans and all vocabulary methods, the first fault; empty if none.
inline std::string faultOfSmallPlans(const std::string &family, int deviceStep, bool hasPairs = false)
{
    for (int devices = deviceStep; devices <= 9; devices += deviceStep) {
        for (int microbatches = 1; microbatches <= 21; microbatches += microbatches < 4 ? 1 : 3) {
            for (int method = 0; method <= static_cast<int>(model::VocabularyMethod::Vocab2); ++method) {
                model::Experiment plan =
                    unitExperiment(family, devices, microbatches, static_cast<model::VocabularyMethod>(method));
                plan.schedule.overlappedPairs = hasPairs;
                const Order order = orderOf(plan);
                if (!order.fault.empty() || order.makespan <= 0)
                    return fmt::format("{} {}x{} method {}: {}", family, devices, microbatches, method, order.fault);
            }
        }
    }
    return "";
}

} // namespace stagelens::test
