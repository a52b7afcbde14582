// The nearest valid order to a faulty custom schedule.
#pragma once

#include "engine/base/result.h"

#include <string>
#include <string_view>

namespace stagelens::service {

/// A valid schedule near a faulty one, and the number of passes that differ.
struct RepairedOrder {
    std::string text;
    std::size_t removed = 0; ///< ran twice, or belong to another device
    std::size_t added = 0;   ///< were missing
    std::size_t moved = 0;   ///< run before passes that they stood behind
};

/// Removes what runs twice or belongs elsewhere, inserts what is missing beside the microbatches around it, and moves a pass
/// forward where those before it would wait for ever. Of a pass that runs twice, the copy stays that is more in the order of
/// microbatches. Fails with InvalidInput for a text that cannot be read or that lacks more passes than it has, and for slices
/// of sequences and overlapped pairs, whose orders have rules of their own. O(passes x (how far passes move + copies)).
[[nodiscard]] base::Result<RepairedOrder> repairedOrder(std::string_view text);

} // namespace stagelens::service
