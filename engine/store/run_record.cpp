#include "engine/store/run_record.h"

#include "engine/base/median.h"

#include <algorithm>
#include <array>

namespace stagelens::store {
namespace {

constexpr std::array<std::string_view, 5> kStatusNames{"running", "finished", "failed", "cancelled", "interrupted"};
/// The first steps warm caches and pages.
constexpr std::size_t kWarmUpSteps = 2;

} // namespace

std::string_view name(RunStatus status)
{
    return kStatusNames[static_cast<std::size_t>(status)];
}

std::optional<RunStatus> parseRunStatus(std::string_view text)
{
    const auto found = std::ranges::find(kStatusNames, text);
    if (found == kStatusNames.end())
        return std::nullopt;
    return static_cast<RunStatus>(found - kStatusNames.begin());
}

std::optional<base::Nanos> medianIteration(std::span<const base::Nanos> iterations)
{
    if (iterations.size() > kWarmUpSteps)
        iterations = iterations.subspan(kWarmUpSteps);
    if (iterations.empty())
        return std::nullopt;
    std::vector<base::Nanos> sorted(iterations.begin(), iterations.end());
    return base::lowerMedian(sorted);
}

std::optional<std::size_t> medianIndex(std::span<const base::Nanos> iterations)
{
    const auto median = medianIteration(iterations);
    if (!median)
        return {};
    // From the end: the first steps are left out if there are more.
    const auto found = std::ranges::find(iterations.rbegin(), iterations.rend(), *median);
    return static_cast<std::size_t>(iterations.rend() - found - 1);
}

} // namespace stagelens::store
