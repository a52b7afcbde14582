#include "engine/exchange/stragglers/straggler_groups.h"

#include "engine/schedule/check/validator.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace stagelens::exchange {

using base::Error;
using base::Result;
using schedule::Pass;
using schedule::PassKind;
using simulate::JobOperation;

namespace {

constexpr std::size_t kMostJobSteps = 1000;
/// Neighbours may overlap by the rounding of their times.
constexpr double kPassRounding = 10'000;

bool isPass(const StragglerRow &row)
{
    return row.operation <= static_cast<std::uint8_t>(JobOperation::Backward);
}

std::string workerName(std::int64_t step, int replica, int device)
{
    return fmt::format("dp_rank {}, stage {} in step {}", replica, device, step);
}

/// Finds the first and last row of every worker, and the workers that have none.
Result<> findWorkers(StragglerGroups &groups)
{
    for (const StragglerRow &row : groups.rows) {
        groups.replicas = std::max(groups.replicas, row.replica + 1);
        groups.devices = std::max(groups.devices, row.device + 1);
    }
    const auto perStep = static_cast<std::size_t>(groups.replicas) * static_cast<std::size_t>(groups.devices);
    for (std::size_t first = 0; first < groups.rows.size();) {
        const StragglerRow &row = groups.rows[first];
        const std::size_t at = groups.workers.size() % perStep;
        if (at == 0)
            groups.steps.push_back(row.step);
        const auto replica = static_cast<int>(at / static_cast<std::size_t>(groups.devices));
        const auto device = static_cast<int>(at % static_cast<std::size_t>(groups.devices));
        if (row.step != groups.steps.back() || row.replica != replica || row.device != device)
            return Error::invalid(
                groups.file, fmt::format("there are no rows of {}; give whole steps of all {} dp_ranks and {} stages",
                                         workerName(groups.steps.back(), replica, device), groups.replicas, groups.devices));
        std::size_t last = first;
        while (last < groups.rows.size() && groups.rows[last].step == row.step && groups.rows[last].replica == row.replica &&
               groups.rows[last].device == row.device)
            ++last;
        groups.workers.push_back({first, last - first});
        first = last;
    }
    if (const std::size_t at = groups.workers.size() % perStep; at != 0)
        return Error::invalid(groups.file, fmt::format("there are no rows of {}; give whole steps of all dp_ranks and stages",
                                                       workerName(groups.steps.back(), static_cast<int>(at) / groups.devices,
                                                                  static_cast<int>(at) % groups.devices)));
    if (groups.steps.size() > kMostJobSteps)
        return Error::invalid(groups.file, fmt::format("has {} steps; keep at most {}", groups.steps.size(), kMostJobSteps));
    return {};
}

/// Numbers the microbatches of each step and replica from 0.
Result<> numberMicrobatches(StragglerGroups &groups)
{
    std::vector<std::int32_t> found;
    const auto devices = static_cast<std::size_t>(groups.devices);
    for (std::size_t worker = 0; worker < groups.workers.size(); worker += devices) {
        const std::size_t first = groups.workers[worker].first;
        const WorkerRows &last = groups.workers[worker + devices - 1];
        found.clear();
        for (std::size_t i = first; i < last.first + last.count; ++i)
            if (isPass(groups.rows[i]))
                found.push_back(groups.rows[i].microbatch);
        std::ranges::sort(found);
        found.erase(std::ranges::unique(found).begin(), found.end());
        const StragglerRow &row = groups.rows[first];
        if (found.empty())
            return groups.error(row, fmt::format("dp_rank {} has no forward-compute or backward-compute in step {}; record "
                                                 "whole steps",
                                                 row.replica, row.step));
        if (worker == 0)
            groups.microbatches = static_cast<int>(found.size());
        if (groups.microbatches != static_cast<int>(found.size()))
            return groups.error(row, fmt::format("dp_rank {} has {} microbatches in step {}, and the first step of dp_rank 0 "
                                                 "has {}; keep steps of one plan",
                                                 row.replica, found.size(), row.step, groups.microbatches));
        for (std::size_t i = first; i < last.first + last.count; ++i) {
            StragglerRow &each = groups.rows[i];
            const auto place = std::ranges::lower_bound(found, each.microbatch);
            if (each.microbatch >= 0)
                each.microbatch =
                    place == found.end() || *place != each.microbatch ? -1 : static_cast<std::int32_t>(place - found.begin());
        }
    }
    return {};
}

/// Refuses rows that are there twice, and passes of a worker that overlap.
Result<> checkWorkerRows(const StragglerGroups &groups)
{
    std::vector<std::size_t> passes;
    for (const WorkerRows &worker : groups.workers) {
        for (std::size_t i = worker.first + 1; i < worker.first + worker.count; ++i) {
            const StragglerRow &row = groups.rows[i];
            const StragglerRow &before = groups.rows[i - 1];
            if (row.start == before.start && row.operation == before.operation && row.kind == before.kind &&
                row.microbatch == before.microbatch && row.stage == before.stage && row.duration == before.duration)
                return groups.error(row, fmt::format("is the same operation as line {}; remove one of them", before.line));
        }
        groups.passesOf(worker, passes);
        for (std::size_t i = 1; i < passes.size(); ++i) {
            const StragglerRow &row = groups.rows[passes[i]];
            const StragglerRow &before = groups.rows[passes[i - 1]];
            if (static_cast<double>(row.start) < before.end() - kPassRounding)
                return groups.error(row,
                                    fmt::format("{} begins before {} of line {} ends, on {}; a worker runs one pass at a time",
                                                schedule::text(groups.passOf(passes[i])),
                                                schedule::text(groups.passOf(passes[i - 1])), before.line, groups.nameOf(row)));
        }
        const auto byPass = [&groups](std::size_t i) {
            const StragglerRow &row = groups.rows[i];
            return std::tuple(row.operation, row.stage, row.microbatch);
        };
        std::ranges::sort(passes, {}, byPass);
        const auto twice = std::ranges::adjacent_find(passes, {}, byPass);
        if (twice != passes.end())
            return groups.error(groups.rows[*(twice + 1)],
                                fmt::format("{} of {} is also in line {}; remove one of them",
                                            schedule::text(groups.passOf(*twice)), groups.nameOf(groups.rows[*twice]),
                                            groups.rows[*twice].line));
    }
    return {};
}

/// Returns the device of each stage.
Result<schedule::Placement> placementOf(const StragglerGroups &groups)
{
    constexpr std::uint16_t kNone = 0xffff;
    schedule::Placement placement;
    placement.devices = groups.devices;
    for (const StragglerRow &row : groups.rows) {
        if (!isPass(row))
            continue;
        const auto stage = static_cast<std::size_t>(row.stage);
        if (stage >= placement.stageDevice.size())
            placement.stageDevice.resize(stage + 1, kNone);
        std::uint16_t &device = placement.stageDevice[stage];
        if (device != kNone && device != row.device)
            return groups.error(row, fmt::format("model chunk {} runs on stage {} and on stage {}; correct mc and gmc", stage,
                                                 device, row.device));
        device = row.device;
    }
    if (const auto missing = std::ranges::find(placement.stageDevice, kNone); missing != placement.stageDevice.end())
        return Error::invalid(groups.file,
                              fmt::format("there are no passes of model chunk {} of {}; give whole steps of all stages",
                                          missing - placement.stageDevice.begin(), placement.stageDevice.size()));
    return placement;
}

/// Refuses a worker whose passes are in another order than those of its device in the first step and replica.
Result<> compareOrders(const StragglerGroups &groups, const std::vector<std::vector<Pass>> &order)
{
    std::vector<std::size_t> passes;
    for (std::size_t worker = 0; worker < groups.workers.size(); ++worker) {
        groups.passesOf(groups.workers[worker], passes);
        const std::vector<Pass> &first = order[worker % static_cast<std::size_t>(groups.devices)];
        for (std::size_t i = 0; i < std::max(passes.size(), first.size()); ++i) {
            if (i < passes.size() && i < first.size() && groups.passOf(passes[i]) == first[i])
                continue;
            const StragglerRow &row = groups.rows[i < passes.size() ? passes[i] : groups.workers[worker].first];
            const std::string expected = i < first.size() ? schedule::text(first[i]) : "nothing more";
            const std::string found = i < passes.size() ? schedule::text(groups.passOf(passes[i])) : "nothing more";
            return groups.error(row,
                                fmt::format("pass {} of {} is {}, and in step {} of dp_rank 0 it is {}; keep whole steps of "
                                            "one schedule",
                                            i + 1, groups.nameOf(row), found, groups.steps.front(), expected));
        }
    }
    return {};
}

} // namespace

void StragglerGroups::rowsOf(const WorkerRows &worker, JobOperation operation, RowKind kind,
                             std::vector<std::size_t> &found) const
{
    found.clear();
    for (std::size_t i = worker.first; i < worker.first + worker.count; ++i)
        if (rows[i].operation == static_cast<std::uint8_t>(operation) && rows[i].kind == kind)
            found.push_back(i);
}

void StragglerGroups::passesOf(const WorkerRows &worker, std::vector<std::size_t> &found) const
{
    found.clear();
    for (std::size_t i = worker.first; i < worker.first + worker.count; ++i)
        if (isPass(rows[i]))
            found.push_back(i);
}

Pass StragglerGroups::passOf(std::size_t row) const
{
    const StragglerRow &of = rows[row];
    const bool isForward = of.operation == static_cast<std::uint8_t>(JobOperation::Forward);
    return schedule::makePass(isForward ? PassKind::F : PassKind::B, of.stage, of.microbatch);
}

std::string StragglerGroups::nameOf(const StragglerRow &row) const
{
    return workerName(row.step, row.replica, row.device);
}

Error StragglerGroups::error(const StragglerRow &row, const std::string &message) const
{
    return Error::invalid(file, fmt::format("line {}: {}", row.line, message));
}

Result<StragglerGroups> groupStragglers(const std::string &file, std::deque<StragglerRow> rows)
{
    StragglerGroups groups;
    groups.file = file;
    groups.rows = std::move(rows);
    if (const auto found = findWorkers(groups); !found)
        return found.error();
    if (const auto numbered = numberMicrobatches(groups); !numbered)
        return numbered.error();
    if (const auto checked = checkWorkerRows(groups); !checked)
        return checked.error();
    return groups;
}

Result<schedule::Schedule> jobSchedule(const StragglerGroups &groups)
{
    const auto placement = placementOf(groups);
    if (!placement)
        return placement.error();
    const std::size_t wanted = 2 * placement->stageDevice.size() * static_cast<std::size_t>(groups.microbatches);
    if (wanted > schedule::kMostPasses)
        return Error::invalid(groups.file, fmt::format("has {} microbatches and {} model chunks, and not a row for each pass; "
                                                       "record whole steps of one pipeline",
                                                       groups.microbatches, placement->stageDevice.size()));
    std::vector<std::vector<Pass>> order;
    std::vector<std::size_t> passes;
    for (int device = 0; device < groups.devices; ++device) {
        groups.passesOf(groups.workerOf(0, 0, device), passes);
        std::vector<Pass> &own = order.emplace_back();
        for (const std::size_t row : passes)
            own.push_back(groups.passOf(row));
    }
    schedule::Schedule made("custom", *placement, groups.microbatches, model::VocabularyMethod::None, order);
    schedule::ValidationOptions options;
    options.limit = 1;
    options.inMicrobatchOrder = false;
    if (const auto violations = schedule::findViolations(made, options); !violations.empty())
        return Error::invalid(groups.file, fmt::format("the passes of dp_rank 0 in step {} are no schedule: on stage {}, {}; "
                                                       "record whole steps of one pipeline",
                                                       groups.steps.front(), violations[0].device, violations[0].cause));
    if (const auto same = compareOrders(groups, order); !same)
        return same.error();
    return made;
}

} // namespace stagelens::exchange
