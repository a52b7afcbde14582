#include "engine/runtime/executor/kernel_recorder.h"

#include "engine/backend/plugin.h"

#include <algorithm>
#include <map>

namespace stagelens::runtime {

std::string startKernelRecording()
{
    std::string problem;
    backend::Gpus *gpus = backend::cudaGpus(problem);
    return gpus == nullptr ? problem : gpus->startRecording();
}

timeline::KernelTrace stopKernelRecording(const timeline::Timeline &timeline,
                                          const std::vector<std::vector<base::Nanos>> &begins)
{
    timeline::KernelTrace trace;
    std::string problem;
    backend::Gpus *gpus = backend::cudaGpus(problem);
    if (gpus == nullptr)
        return trace;
    std::map<std::string, std::int32_t> numbers;
    for (backend::KernelRun &run : gpus->stopRecording()) {
        const std::size_t device = static_cast<std::size_t>(run.owner >> 32U) - 1;
        const auto place = static_cast<std::size_t>(run.owner & 0xffffffffU);
        if (device >= timeline.lanes.size() || place >= timeline.lanes[device].size() || place >= begins[device].size())
            continue;
        const timeline::Lane &lane = timeline.lanes[device];
        const base::Nanos shift = lane.begin[place] - begins[device][place];
        const auto placed = [&](base::Nanos time) { return std::clamp(time + shift, lane.begin[place], lane.end[place]); };
        const auto [name, isNew] = numbers.try_emplace(run.name, static_cast<std::int32_t>(trace.names.size()));
        if (isNew)
            trace.names.push_back(std::move(run.name));
        trace.slices.push_back({placed(run.begin), placed(run.end), static_cast<std::int32_t>(device), name->second});
    }
    std::ranges::sort(trace.slices, {},
                      [](const timeline::KernelSlice &slice) { return std::pair(slice.device, slice.begin); });
    return trace;
}

} // namespace stagelens::runtime
