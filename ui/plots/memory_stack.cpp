#include "ui/plots/memory_stack.h"

#include <algorithm>

namespace stagelens::ui {

std::vector<MemoryColumn> memoryColumns(const simulate::MemoryProfile &profile, const LaneWindow &window, base::Nanos end)
{
    std::vector<MemoryColumn> columns;
    if (profile.steps.empty() || window.width <= 0 || window.end <= window.begin)
        return columns;
    const auto &steps = profile.steps;
    const int first = static_cast<int>(std::clamp(pixelAt(window, 0), 0.0, window.width + 0.0));
    const int last = static_cast<int>(std::clamp(pixelAt(window, end), 0.0, window.width + 0.0));
    auto next = std::upper_bound(steps.begin(), steps.end(), timeAt(window, first),
                                 [](base::Nanos time, const simulate::MemoryStep &step) { return time < step.time; });
    const simulate::MemoryStep *held = next == steps.begin() ? &*next : &*std::prev(next);
    for (int x = first; x < last; ++x) {
        const simulate::MemoryStep *greatest = held;
        const base::Nanos until = timeAt(window, x + 1);
        for (; next != steps.end() && next->time < until; ++next) {
            held = &*next;
            if (held->total() > greatest->total())
                greatest = held;
        }
        if (!columns.empty() && columns.back().step == greatest)
            ++columns.back().width;
        else
            columns.push_back({x, 1, greatest});
    }
    return columns;
}

base::Nanos peakTime(const simulate::MemoryProfile &profile)
{
    const base::Bytes peak = profile.peak();
    return std::ranges::find(profile.steps, peak, &simulate::MemoryStep::total)->time;
}

} // namespace stagelens::ui
