#include "engine/service/search/optimum.h"

#include "engine/model/family_shape.h"
#include "engine/schedule/families.h"
#include "engine/service/machine/environment.h"
#include "engine/service/plans/schedule_plan.h"
#include "engine/simulate/simulate.h"

#include <algorithm>
#include <utility>

namespace stagelens::service {

namespace {

/// A schedule whose optimum is searched, and its row.
struct Task {
    std::size_t row = 0;
    schedule::Schedule schedule;
    simulate::CostModel costs{1, 1};
};

/// Fills a row and returns the search that it needs.
std::optional<Task> taskOf(const model::Experiment &given, OptimumRow &row)
{
    model::Experiment plan = given;
    model::chooseFamily(plan.schedule, row.family);
    plan.schedule.chunks = model::leavesChunksOpen(row.family) ? given.schedule.chunks : std::nullopt;
    auto made = planOf(plan, machineCores());
    if (!made) {
        row.problem = made.error().problems.empty() ? made.error().text() : made.error().problems.front().message;
        return std::nullopt;
    }
    const auto costs = simulate::makeCostModel(made->experiment, made->schedule);
    const auto timeline = costs ? simulate::simulate(made->schedule, *costs) : costs.error();
    if (!timeline) {
        row.problem = timeline.error().text();
        return std::nullopt;
    }
    row.makespan = timeline->makespan();
    for (int device = 0; device < made->schedule.devices(); ++device)
        row.peaks.push_back(schedule::peakActivations(made->schedule, device));
    if (!simulate::canBeOptimized(made->schedule)) {
        row.problem = "overlapped pairs, and more than 2000 passes, are not searched";
        return std::nullopt;
    }
    return Task{0, std::move(made->schedule), *costs};
}

bool hasSameOptimum(const Task &one, const Task &other, const std::vector<OptimumRow> &rows)
{
    const auto sorted = [](const schedule::Schedule &schedule) {
        std::vector<std::vector<std::pair<int, int>>> kinds;
        for (int device = 0; device < schedule.devices(); ++device) {
            auto &own = kinds.emplace_back();
            for (const schedule::Pass &pass : schedule.device(device))
                own.emplace_back(static_cast<int>(pass.kind), pass.stage);
            std::ranges::sort(own);
        }
        return kinds;
    };
    return one.schedule.placement() == other.schedule.placement() && rows[one.row].peaks == rows[other.row].peaks &&
           sorted(one.schedule) == sorted(other.schedule);
}

base::Problems problemsOf(const model::Experiment &experiment)
{
    base::Problems problems;
    if (!experiment.whatIf.lengths.empty())
        problems.push_back({"what_if.lengths", "makes microbatches unequal, and the search needs equal ones; leave it out"});
    if (experiment.cost.collectives == model::Collectives::Blocking)
        problems.push_back({"cost.collectives", "is blocking, and the search needs overlapped ones; leave it out"});
    if (experiment.schedule.hasOwnOrder())
        problems.push_back({"schedule.file", "gives an order, and the families' are compared; leave it out"});
    return problems;
}

} // namespace

base::Result<std::vector<OptimumRow>> compareWithOptima(const model::Experiment &experiment, std::chrono::nanoseconds timeLimit,
                                                        const SearchOptions &options)
{
    if (base::Problems problems = problemsOf(experiment); !problems.empty())
        return base::Error::invalid(std::move(problems));
    std::vector<OptimumRow> rows;
    std::vector<Task> tasks;
    std::vector<std::pair<std::size_t, std::size_t>> equal; // rows with the optimum of an earlier row
    for (const schedule::Family &family : schedule::families()) {
        if (!family.synchronous || family.directions > 1 || model::cutsSequences(family.name))
            continue;
        OptimumRow &row = rows.emplace_back();
        row.family = family.name;
        auto task = taskOf(experiment, row);
        if (!task)
            continue;
        task->row = rows.size() - 1;
        const auto known = std::ranges::find_if(tasks, [&](const Task &other) { return hasSameOptimum(*task, other, rows); });
        if (known == tasks.end())
            tasks.push_back(*std::move(task));
        else
            equal.emplace_back(task->row, known->row);
    }
    if (std::ranges::none_of(rows, [](const OptimumRow &row) { return row.makespan > 0; }))
        return base::Error::invalid("schedule.family", rows.front().problem);
    const auto end = std::chrono::steady_clock::now() + timeLimit;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const auto left = static_cast<std::chrono::nanoseconds::rep>(tasks.size() - i);
        simulate::OptimumOptions each{.timeLimit = (end - std::chrono::steady_clock::now()) / left, .stop = options.stop};
        if (options.progress)
            each.progress = [&](base::Nanos best, base::Nanos) { options.progress({i, tasks.size(), best}); };
        OptimumRow &row = rows[tasks[i].row];
        row.optimum = simulate::optimalOrder(tasks[i].schedule, tasks[i].costs, row.peaks, each);
        if (options.stop.stop_requested())
            return base::Error::cancelled();
    }
    for (const auto &[row, known] : equal) {
        rows[row].optimum = rows[known].optimum;
        rows[row].optimum.makespan = std::min(rows[row].optimum.makespan, rows[row].makespan);
    }
    return rows;
}

} // namespace stagelens::service
