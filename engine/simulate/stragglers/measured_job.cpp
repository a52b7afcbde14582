#include "engine/simulate/stragglers/measured_job.h"

#include <algorithm>

namespace stagelens::simulate {
namespace {

/// The mean of the two in the middle if their number is even. Reorders the values.
double medianOf(std::vector<double> &values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return values.size() % 2 == 1 ? *middle : (*std::max_element(values.begin(), middle) + *middle) / 2;
}

} // namespace

EvenedDurations evenedDurations(const MeasuredJob &job)
{
    EvenedDurations evened;
    const std::size_t blocks = job.entries.empty() ? 0 : job.durations.size() / job.entries.size();
    std::vector<std::size_t> ofKind;
    std::vector<double> values;
    for (std::size_t kind = 0; kind < kJobOperations; ++kind) {
        ofKind.clear();
        for (std::size_t i = 0; i < job.entries.size(); ++i)
            if (static_cast<std::size_t>(job.entries[i].operation) == kind)
                ofKind.push_back(i);
        if (ofKind.empty() || blocks == 0)
            continue;
        values.clear();
        double sum = 0;
        for (std::size_t block = 0; block < blocks; ++block)
            for (const std::size_t entry : ofKind) {
                const double duration = job.durations[block * job.entries.size() + entry];
                if (kJobOperationTraits[kind].isTransfer)
                    values.push_back(duration);
                sum += duration;
            }
        evened[kind] =
            kJobOperationTraits[kind].isTransfer ? medianOf(values) : sum / static_cast<double>(blocks * ofKind.size());
    }
    return evened;
}

} // namespace stagelens::simulate
