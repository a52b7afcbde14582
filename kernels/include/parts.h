// Arrays of equal size from all ranks, for kernels that combine them in rank order.
#pragma once

#include <cstdint>

namespace stagelens::kernels::gpu {

inline constexpr int kMostParts = 64;

/// Their device addresses in rank order, at most kMostParts; passed to kernels by value.
template <class T>
struct Parts {
    const T *at[kMostParts] = {};
    int count = 0;
};

} // namespace stagelens::kernels::gpu
