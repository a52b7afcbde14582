#include "engine/service/runs/run_durations.h"

#include "engine/base/file.h"

#include <fmt/format.h>
#include <map>
#include <tuple>

namespace stagelens::service {

base::Result<std::string> durationsCsv(const store::RunRecord &run)
{
    if (!run.timeline)
        return base::Error::failed(
            fmt::format("run {} has no finished step, so it says nothing about durations; train it again", run.summary.id));
    struct Sum {
        base::Nanos time = 0;
        std::int64_t count = 0;
    };
    std::map<std::tuple<int, int, schedule::PassKind>, Sum> sums;
    for (int device = 0; device < run.timeline->devices(); ++device) {
        const timeline::Lane &lane = run.timeline->lanes[static_cast<std::size_t>(device)];
        for (std::size_t i = 0; i < lane.size(); ++i) {
            Sum &sum = sums[{device, lane.pass[i].stage, lane.pass[i].kind}];
            sum.time += lane.end[i] - lane.begin[i];
            ++sum.count;
        }
    }
    std::string csv = "device,stage,pass,duration_us\n";
    for (const auto &[key, sum] : sums) {
        const auto &[device, stage, kind] = key;
        const double microseconds = static_cast<double>(sum.time) / static_cast<double>(sum.count) / 1000;
        csv += fmt::format("{},{},{},{:g}\n", device, stage, schedule::name(kind), microseconds);
    }
    return csv;
}

base::Result<std::filesystem::path> writeDurations(const store::RunRecord &run)
{
    const auto csv = durationsCsv(run);
    if (!csv)
        return csv.error();
    const std::filesystem::path folder = base::dataFolder() / "durations";
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    const std::filesystem::path file = folder / fmt::format("run-{}.csv", run.summary.id);
    if (auto written = base::writeFile(file, *csv); !written)
        return written.error();
    return file;
}

} // namespace stagelens::service
