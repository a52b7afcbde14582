// Equal arrays that the ranks of a run have made, for kernels that combine them in rank order.
#pragma once

#include <cstdint>

namespace stagelens::kernels::gpu {

inline constexpr int kMostParts = 64;

/// Their addresses on the device, in rank order; a kernel gets them by value. No more than kMostParts.
template <class T>
struct Parts {
    const T *at[kMostParts] = {};
    int count = 0;
};

} // namespace stagelens::kernels::gpu
