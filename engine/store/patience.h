// How long a call waits for a database that others have locked.
#pragma once

#include <chrono>
#include <stop_token>

namespace stagelens::store {

/// How long a statement waits for the locks of other connections.
struct Patience {
    static constexpr std::chrono::milliseconds kUsual{5000};
    std::chrono::milliseconds limit = kUsual;
    std::stop_token stop = {}; ///< once it asks, kUsual is the limit of a longer wait
};

} // namespace stagelens::store
