// The median of measured values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stagelens::base {

/// Returns the median; of an even number the lower of the two in the middle, which has been measured. Reorders the values, of
/// which there is at least one.
template <class Value>
[[nodiscard]] Value lowerMedian(std::vector<Value> &values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

} // namespace stagelens::base
