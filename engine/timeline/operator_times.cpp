#include "engine/timeline/operator_times.h"

#include "engine/base/median.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace stagelens::timeline {
namespace {

bool areAlike(const OperatorTimes &a, const OperatorTimes &b)
{
    return std::ranges::equal(a, b, [](const PassOperators &x, const PassOperators &y) {
        return x.device == y.device && x.kind == y.kind && x.stage == y.stage &&
               std::ranges::equal(x.operators, y.operators, {}, &OperatorTime::name, &OperatorTime::name);
    });
}

using Kernels = std::span<const KernelSlice>;

/// Returns the median duration of each kernel over the passes that ran the kernels of the last one.
std::vector<OperatorTime> mediansOf(const std::vector<Kernels> &passes, const std::vector<std::string> &names)
{
    const Kernels &last = passes.back();
    std::vector<Kernels> alike;
    for (const Kernels &pass : passes)
        if (std::ranges::equal(pass, last, {}, &KernelSlice::name, &KernelSlice::name))
            alike.push_back(pass);
    std::vector<OperatorTime> medians;
    std::vector<base::Nanos> durations(alike.size());
    for (std::size_t i = 0; i < last.size(); ++i) {
        std::ranges::transform(alike, durations.begin(), [i](const Kernels &pass) { return pass[i].end - pass[i].begin; });
        medians.push_back({names[static_cast<std::size_t>(last[i].name)], base::lowerMedian(durations), false});
    }
    return medians;
}

} // namespace

OperatorTimes operatorsOf(const KernelTrace &kernels, const Timeline &timeline)
{
    OperatorTimes times;
    auto kernel = kernels.slices.begin();
    for (int device = 0; device < timeline.devices(); ++device) {
        const Lane &lane = timeline.lanes[static_cast<std::size_t>(device)];
        std::map<std::pair<schedule::PassKind, int>, std::vector<Kernels>> passes;
        kernel = std::find_if(kernel, kernels.slices.end(), [device](const auto &slice) { return slice.device >= device; });
        for (std::size_t i = 0; i < lane.size(); ++i) {
            const auto isBefore = [&](base::Nanos time) {
                return kernel != kernels.slices.end() && kernel->device == device && kernel->begin < time;
            };
            while (isBefore(lane.begin[i]))
                ++kernel;
            const auto first = kernel;
            while (isBefore(lane.end[i]))
                ++kernel;
            if (kernel != first)
                passes[{lane.pass[i].kind, lane.pass[i].stage}].emplace_back(first, kernel);
        }
        for (const auto &[place, ofPlace] : passes)
            times.push_back({device, place.first, place.second, mediansOf(ofPlace, kernels.names)});
    }
    return times;
}

const PassOperators *find(const OperatorTimes &times, int device, schedule::PassKind kind, int stage)
{
    const auto key = [](const PassOperators &each) { return std::tuple(each.device, each.kind, each.stage); };
    const auto found = std::ranges::lower_bound(times, std::tuple(device, kind, stage), {}, key);
    return found != times.end() && key(*found) == std::tuple(device, kind, stage) ? &*found : nullptr;
}

OperatorTimesPtr medianOf(const std::vector<OperatorTimesPtr> &steps)
{
    if (steps.empty())
        return nullptr;
    auto medians = std::make_shared<OperatorTimes>(*steps.back());
    std::vector<const OperatorTimes *> alike;
    for (const OperatorTimesPtr &step : steps)
        if (areAlike(*step, *medians))
            alike.push_back(step.get());
    std::vector<base::Nanos> durations(alike.size());
    for (std::size_t i = 0; i < medians->size(); ++i)
        for (std::size_t op = 0; op < (*medians)[i].operators.size(); ++op) {
            std::ranges::transform(alike, durations.begin(),
                                   [&](const OperatorTimes *step) { return (*step)[i].operators[op].duration; });
            (*medians)[i].operators[op].duration = base::lowerMedian(durations);
        }
    return medians;
}

} // namespace stagelens::timeline
