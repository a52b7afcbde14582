// How long a call waits for a database locked by other connections.
#pragma once

#include <chrono>
#include <stop_token>

namespace stagelens::store {

/// How long a statement waits for the locks of other connections.
struct Patience {
    static constexpr std::chrono::milliseconds kUsual{5000};
    std::chrono::milliseconds limit = kUsual;
    std::stop_token stop = {}; ///< after a stop request, a longer wait is limited to kUsual
};

} // namespace stagelens::store
