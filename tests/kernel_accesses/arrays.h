// The arrays that watched kernels may access.
#pragma once

#include <cstddef>

namespace stagelens::test {

/// Adds or removes an array that kernels of this thread may access. Watching begins with the first.
void allowArray(const void *array, std::size_t bytes);
void forbidArray(const void *array);

} // namespace stagelens::test
