// The nearest valid order to a faulty custom schedule.
#pragma once

#include "engine/base/result.h"

#include <string>
#include <string_view>

namespace stagelens::service {

/// Returns the text of a valid schedule near a faulty one. Removes what runs twice or belongs elsewhere, inserts what is
/// missing beside the microbatches around it, and moves a pass back where it would wait for ever. Fails with InvalidInput for a
/// text that cannot be read, and for split vocabulary layers, slices of sequences and overlapped pairs, whose orders have rules
/// of their own. O(passes x how far passes move).
[[nodiscard]] base::Result<std::string> repairedText(std::string_view text);

} // namespace stagelens::service
