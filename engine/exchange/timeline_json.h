// The JSON of `simulate --json`, of a run and of their comparison ("stagelens": "timeline/1").
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/schedule.h"
#include "engine/simulate/costs/pass_legs.h"
#include "engine/simulate/idle_causes.h"
#include "engine/simulate/memory.h"
#include "engine/simulate/metrics.h"
#include "engine/timeline/kernel_trace.h"
#include "engine/timeline/timeline.h"

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

namespace stagelens::exchange {

/// Returns the word of a message or collective in documents: "send", "c0", "c1", "c2", "embed-reduce", "embed-broadcast",
/// "local".
[[nodiscard]] std::string_view transferWord(schedule::Transfer transfer);
/// Returns the member "metrics"; unknown figures are null.
[[nodiscard]] nlohmann::ordered_json metricsJson(const simulate::Metrics &metrics);
/// Returns the member "devices": every slice, tail and transfer; with an explanation also slack and critical passes.
[[nodiscard]] nlohmann::ordered_json devicesJson(const timeline::Timeline &timeline,
                                                 const simulate::Explanation *explanation = nullptr);
/// Returns the member "layout": the number of ranks along each axis for that number of devices, and the number of nodes, which
/// is null without a hardware preset. Returns null if the sizes do not form a mesh.
[[nodiscard]] nlohmann::ordered_json layoutJson(const model::Experiment &experiment, int devices);
/// Returns the whole document. `withSlices` adds every slice (`--timeline`); otherwise "devices" contains only device and
/// stages. An explanation, which may be null, adds the idle time by cause and, with the slices, the critical path.
[[nodiscard]] nlohmann::ordered_json timelineDocument(const model::Experiment &experiment, const timeline::Timeline &timeline,
                                                      const simulate::Metrics &metrics, bool withSlices,
                                                      const simulate::Explanation *explanation = nullptr);
/// Adds to each slice of the document its "legs": {name, lane, begin_ns, end_ns} of its operators, on the axis of the timeline.
void addLegs(nlohmann::ordered_json &document, const timeline::Timeline &timeline, simulate::PassLegs &legs);
/// Returns the idle time in nanoseconds by the name of its cause: "warm_up", "gradient", ...
[[nodiscard]] nlohmann::ordered_json idleJson(const simulate::IdleTotals &totals);
/// Returns the steps of a critical path: passes {device, pass, stage, microbatch, begin_ns, end_ns}, transfers {transfer,
/// device, to, microbatch, begin_ns, end_ns} and, in measured timelines, {overhead: true, device, begin_ns, end_ns}.
[[nodiscard]] nlohmann::ordered_json criticalPathJson(const simulate::CriticalPath &path, const timeline::Timeline &timeline);
/// Optional parts of a Chrome trace beside the passes.
struct ChromeTraceParts {
    std::span<const simulate::MemoryProfile> memory = {}; ///< of each device: counters of live bytes
    const simulate::Explanation *explanation = nullptr;   ///< slack and critical passes, in the arguments of the passes
    const schedule::Schedule *schedule = nullptr;         ///< arrows along the messages between neighbouring stages
    const timeline::KernelTrace *kernels = nullptr;       ///< inside the passes, of a step's own timeline
};
/// Returns Chrome trace events (for Perfetto): one thread per device, passes as complete events named "F3", transfers as
/// asynchronous events, and the optional parts.
[[nodiscard]] std::string chromeTrace(const timeline::Timeline &timeline, const ChromeTraceParts &parts = {});
/// [{device, name, begin_ns, end_ns}]
[[nodiscard]] nlohmann::ordered_json kernelsJson(const timeline::KernelTrace &trace);
/// Returns a CSV of every slice: device,pass,stage,microbatch,begin_ns,end_ns,vocabulary_ns.
[[nodiscard]] std::string timelineCsv(const timeline::Timeline &timeline);

} // namespace stagelens::exchange
