#include "engine/exchange/trace_import.h"

#include "engine/exchange/trace_events.h"
#include "engine/schedule/check/validator.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace stagelens::exchange {

using base::Error;
using base::Result;
using schedule::Pass;
using schedule::PassKind;

namespace {

/// Steps that are kept; more would only repeat.
constexpr std::size_t kMostSteps = 1000;
/// Neighbours may overlap by the rounding of their profiler's clock.
constexpr base::Nanos kRounding = 2000;

/// The events of a lane, and which of them belong to each step: a pass's n-th occurrence is that of step n.
struct TraceLane {
    std::string name;
    std::vector<PassEvent> events; ///< by begin
    std::vector<std::vector<std::uint32_t>> steps;
};

struct Shape {
    int stages = 0;
    int microbatches = 0;
    std::vector<std::uint16_t> stageDevice;
    std::size_t passes = 0; ///< of a whole step
};

/// Of each event how often its pass came before it in the lane; `different` counts passes that are not the same.
std::vector<std::uint32_t> occurrences(const std::vector<PassEvent> &events, std::size_t &different)
{
    // Sorted rather than counted in a map, which would take several times the memory of the events.
    struct Place {
        std::uint64_t pass;
        std::uint32_t index;
        auto operator<=>(const Place &) const = default;
    };
    std::vector<Place> places;
    places.reserve(events.size());
    for (const PassEvent &event : events) {
        const Pass &pass = event.pass;
        places.push_back({std::uint64_t{pass.stage} << 40U | static_cast<std::uint64_t>(pass.kind) << 32U |
                              static_cast<std::uint32_t>(pass.microbatch),
                          static_cast<std::uint32_t>(places.size())});
    }
    std::ranges::sort(places);
    std::vector<std::uint32_t> before(events.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        const bool isRepeated = i > 0 && places[i].pass == places[i - 1].pass;
        before[places[i].index] = isRepeated ? before[places[i - 1].index] + 1 : 0;
        different += isRepeated ? 0 : 1;
    }
    return before;
}

Result<std::vector<TraceLane>> readLanes(std::span<const TraceInput> files, std::size_t &others)
{
    std::map<std::string, TraceLane> byName;
    base::Problems problems;
    for (const TraceInput &file : files) {
        auto events = readTraceEvents(file);
        if (!events && events.error().kind != base::ErrorKind::InvalidInput)
            return std::move(events).error();
        if (!events) {
            problems.insert(problems.end(), events.error().problems.begin(), events.error().problems.end());
            continue;
        }
        others += events->others;
        if (events->passes == 0)
            problems.push_back({file.name, "has no event named as a pass of a pipeline (PP:0F0); record with PyTorch's "
                                           "pipeline runtime, whose actions bear such names"});
        for (auto &[lane, passes] : events->lanes) {
            std::vector<PassEvent> &all = byName[fmt::format("{}, process {}", file.name, lane)].events;
            if (all.empty())
                all = std::move(passes);
            else // two files of one name
                all.insert(all.end(), passes.begin(), passes.end());
        }
    }
    if (!problems.empty())
        return Error::invalid(std::move(problems));
    std::vector<TraceLane> lanes;
    for (auto &[name, lane] : byName) {
        lane.name = name;
        std::ranges::stable_sort(lane.events, {}, &PassEvent::begin);
        lanes.push_back(std::move(lane));
    }
    const auto firstStage = [](const TraceLane &lane) {
        return std::ranges::min(lane.events, {}, [](const PassEvent &event) { return event.pass.stage; }).pass.stage;
    };
    std::ranges::stable_sort(lanes, {}, firstStage);
    return lanes;
}

Result<Shape> shapeOf(std::vector<TraceLane> &lanes)
{
    Shape shape;
    std::map<int, std::size_t> laneOfStage;
    for (std::size_t index = 0; index < lanes.size(); ++index) {
        TraceLane &lane = lanes[index];
        const std::vector<std::uint32_t> stepOfEvent = occurrences(lane.events, shape.passes);
        for (std::size_t i = 0; i < lane.events.size(); ++i) {
            const PassEvent &event = lane.events[i];
            const auto [place, isNew] = laneOfStage.try_emplace(event.pass.stage, index);
            if (!isNew && place->second != index)
                return Error::invalid(
                    lane.name, fmt::format("runs stage {}, which {} runs as well; give one trace a rank, of one pipeline",
                                           event.pass.stage, lanes[place->second].name));
            const std::size_t step = stepOfEvent[i];
            if (step < kMostSteps) {
                lane.steps.resize(std::max(lane.steps.size(), step + 1));
                lane.steps[step].push_back(static_cast<std::uint32_t>(i));
            }
            shape.stages = std::max(shape.stages, event.pass.stage + 1);
            shape.microbatches = std::max(shape.microbatches, event.pass.microbatch + 1);
        }
    }
    if (lanes.size() > static_cast<std::size_t>(schedule::kMostStages))
        return Error::invalid(lanes[0].name, fmt::format("and the others have {} lanes; that is too many", lanes.size()));
    for (int stage = 0; stage < shape.stages; ++stage) {
        const auto lane = laneOfStage.find(stage);
        if (lane == laneOfStage.end())
            return Error::invalid(lanes[0].name,
                                  fmt::format("no trace has passes of stage {} of {}; give the traces of all ranks together",
                                              stage, shape.stages));
        shape.stageDevice.push_back(static_cast<std::uint16_t>(lane->second));
    }
    return shape;
}

/// The step's lanes, or nothing where it is not whole.
std::optional<timeline::Timeline> stepOf(const std::vector<TraceLane> &lanes, const Shape &shape, std::size_t step)
{
    timeline::Timeline timeline;
    timeline.provenance = timeline::Provenance::Imported;
    std::size_t count = 0;
    base::Nanos first = std::numeric_limits<base::Nanos>::max();
    for (const TraceLane &source : lanes) {
        timeline::Lane lane;
        if (step < source.steps.size())
            for (const std::uint32_t i : source.steps[step])
                lane.push(source.events[i].pass, source.events[i].begin, source.events[i].end);
        count += lane.size();
        if (lane.size() > 0)
            first = std::min(first, lane.begin.front());
        timeline.lanes.push_back(std::move(lane));
        timeline.stages.emplace_back();
    }
    if (count < shape.passes)
        return std::nullopt;
    for (int stage = 0; stage < shape.stages; ++stage)
        timeline.stages[shape.stageDevice[static_cast<std::size_t>(stage)]].push_back(stage);
    for (timeline::Lane &lane : timeline.lanes)
        for (std::size_t i = 0; i < lane.size(); ++i) {
            lane.begin[i] -= first;
            lane.end[i] -= first;
        }
    return timeline;
}

/// Removes overlaps that come from the rounding of the clock; an overlap that remains is a problem.
Result<> separate(timeline::Timeline &timeline, const std::vector<TraceLane> &lanes)
{
    for (std::size_t index = 0; index < timeline.lanes.size(); ++index) {
        timeline::Lane &lane = timeline.lanes[index];
        for (std::size_t i = 1; i < lane.size(); ++i) {
            if (lane.begin[i] >= lane.end[i - 1])
                continue;
            if (lane.end[i - 1] - lane.begin[i] > kRounding)
                return Error::invalid(
                    lanes[index].name,
                    fmt::format("passes {} and {} overlap there; one lane is one device, which runs one pass at a time",
                                schedule::text(lane.pass[i - 1]), schedule::text(lane.pass[i])));
            lane.begin[i] = lane.end[i - 1];
            lane.end[i] = std::max(lane.end[i], lane.begin[i]);
        }
    }
    return {};
}

Result<schedule::Schedule> scheduleOf(const timeline::Timeline &step, const Shape &shape)
{
    std::vector<std::vector<Pass>> passes;
    for (const timeline::Lane &lane : step.lanes)
        passes.push_back(lane.pass);
    schedule::Placement placement;
    placement.devices = step.devices();
    placement.stageDevice = shape.stageDevice;
    schedule::Schedule made("custom", placement, shape.microbatches, model::VocabularyMethod::None, passes);
    schedule::ValidationOptions options;
    options.limit = 1;
    options.inMicrobatchOrder = false;
    if (const auto violations = schedule::findViolations(made, options); !violations.empty())
        return Error::invalid(
            "trace", fmt::format("the passes of its first whole step are no schedule: {}; record whole steps of one pipeline",
                                 violations[0].cause));
    return made;
}

} // namespace

Result<ImportedTrace> importTrace(std::span<const TraceText> files)
{
    std::vector<TraceInput> inputs;
    for (const TraceText &file : files)
        inputs.push_back({file.name, [rest = file.text](std::span<char> block) mutable -> Result<std::size_t> {
                              const std::size_t count = rest.copy(block.data(), block.size());
                              rest.remove_prefix(count);
                              return count;
                          }});
    return importTrace(inputs);
}

Result<ImportedTrace> importTrace(std::span<const TraceInput> files)
{
    if (files.empty())
        return Error::invalid("trace", "no file was given; choose the trace of each rank");
    ImportedTrace imported;
    auto lanes = readLanes(files, imported.otherEvents);
    if (!lanes)
        return std::move(lanes).error();
    const auto shape = shapeOf(*lanes);
    if (!shape)
        return shape.error();
    std::size_t steps = 0;
    for (const TraceLane &lane : *lanes)
        steps = std::max(steps, lane.steps.size());
    for (std::size_t step = 0; step < steps; ++step) {
        auto timeline = stepOf(*lanes, *shape, step);
        if (!timeline) {
            ++imported.incompleteSteps;
            continue;
        }
        if (const auto separated = separate(*timeline, *lanes); !separated)
            return separated.error();
        imported.steps.push_back(*std::move(timeline));
    }
    if (imported.steps.empty())
        return Error::invalid(
            files[0].name,
            fmt::format("no step is whole: of {} passes some are missing in each; record at least one whole step",
                        shape->passes));
    auto made = scheduleOf(imported.steps.front(), *shape);
    if (!made)
        return std::move(made).error();
    imported.schedule = *std::move(made);
    return imported;
}

} // namespace stagelens::exchange
