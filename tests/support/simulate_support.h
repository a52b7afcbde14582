// Plans and measured runs that the tests of the simulator share.
#pragma once

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/model/experiment.h"
#include "engine/schedule/families.h"
#include "engine/simulate/simulate.h"
#include "tests/support/gpt_shape.h"

#include <QString>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stagelens::test {

/// A teaching example: durations and no model.
inline model::Experiment teachingExperiment(const std::string &family, int devices, int microbatches,
                                            model::VocabularyMethod vocabulary, std::map<std::string, double> milliseconds)
{
    model::Experiment experiment;
    experiment.hasModel = false;
    experiment.model.layers = devices;
    experiment.parallel.devices = devices;
    experiment.parallel.microbatches = microbatches;
    experiment.parallel.stageLayers.assign(static_cast<std::size_t>(devices), 1);
    experiment.schedule.family = family;
    experiment.schedule.vocabulary = vocabulary;
    experiment.cost.source = model::UniformCosts{std::move(milliseconds)};
    return experiment;
}

/// An experiment with its schedule and costs; `error` is the reason if they cannot be made.
struct Plan {
    model::Experiment experiment;
    schedule::Schedule schedule;
    simulate::CostModel costs{1, 1};
    timeline::Timeline timeline;
    std::string error;
};

inline Plan planOf(const model::Experiment &experiment)
{
    Plan plan;
    plan.experiment = experiment;
    base::Result<schedule::Schedule> schedule = schedule::makeSchedule(experiment);
    if (!schedule) {
        plan.error = schedule.error().text();
        return plan;
    }
    plan.schedule = *schedule;
    base::Result<simulate::CostModel> costs = simulate::makeCostModel(experiment, plan.schedule);
    if (!costs) {
        plan.error = costs.error().text();
        return plan;
    }
    plan.costs = *costs;
    base::Result<timeline::Timeline> timeline = simulate::simulate(plan.schedule, plan.costs);
    if (timeline)
        plan.timeline = std::move(*timeline);
    else
        plan.error = timeline.error().text();
    return plan;
}

/// The same; a plan that cannot be made ends the test program.
inline Plan predicted(const model::Experiment &experiment)
{
    Plan plan = planOf(experiment);
    if (!plan.error.empty())
        qFatal("%s", plan.error.c_str());
    return plan;
}

/// One measured run of tests/support/a100-8gpu-4b-s4096.csv (8 x A100, 4B parameters, s = 4096, 128 microbatches).
struct MeasuredRun {
    std::string method;
    int vocabularySize = 0;
    double iterationMs = 0;
    double leastAllocatedMib = 0;
    double mostAllocatedMib = 0;
    std::vector<double> forward, backward, output, inputForward, inputBackward; ///< microseconds of each device
};

inline std::vector<double> numbers(std::string_view cell)
{
    std::vector<double> values;
    for (const std::string_view part : base::split(cell, '/')) {
        if (const auto value = base::parseNumber(part))
            values.push_back(*value);
    }
    return values;
}

inline std::vector<MeasuredRun> measuredRuns()
{
    const std::string file = qEnvironmentVariable("STAGELENS_TEST_DATA").toStdString() + "/support/a100-8gpu-4b-s4096.csv";
    const base::Result<std::string> text = base::readFile(file, 1 << 20);
    std::vector<MeasuredRun> runs;
    if (!text)
        return runs;
    for (const std::string_view line : base::split(*text, '\n')) {
        const std::vector<std::string_view> cells = base::split(base::trim(line), ',');
        if (cells.size() != 13 || cells[0] == "method")
            continue;
        runs.push_back({std::string(cells[0]), static_cast<int>(numbers(cells[1]).at(0)), numbers(cells[3]).at(0),
                        numbers(cells[4]).at(0), numbers(cells[5]).at(0), numbers(cells[8]), numbers(cells[9]),
                        numbers(cells[10]), numbers(cells[11]), numbers(cells[12])});
    }
    return runs;
}

/// The vocabulary method of a measured run; interlaced has none.
inline std::optional<model::VocabularyMethod> methodOf(const MeasuredRun &run)
{
    using enum model::VocabularyMethod;
    const std::map<std::string, model::VocabularyMethod> methods{
        {"baseline", None}, {"redis", Redis}, {"vocab-1", Vocab1}, {"vocab-2", Vocab2}};
    const auto found = methods.find(run.method);
    return found == methods.end() ? std::nullopt : std::optional(found->second);
}

/// The measured model and plan.
inline model::Experiment measuredExperiment(const MeasuredRun &run, model::VocabularyMethod method)
{
    model::Experiment experiment;
    experiment.model = paperModel(4096, run.vocabularySize);
    experiment.parallel = {8, 128, 1, {}};
    experiment.schedule.vocabulary = method;
    experiment.cost.source = model::HardwarePreset{"a100-80gb"};
    return experiment;
}

} // namespace stagelens::test
