// Independent parts of a search on all cores.
#pragma once

#include <cstddef>
#include <functional>

namespace stagelens::service {

/// Calls `part(i)` once for each i below `count`, in any order, on the calling thread and one more for each further core, and
/// returns when all calls have returned. After an exception the remaining parts are left out and it is thrown again.
void onAllCores(std::size_t count, const std::function<void(std::size_t)> &part);

} // namespace stagelens::service
