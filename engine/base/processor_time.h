// How long a thread has had a processor.
#pragma once

#include "engine/base/units.h"

namespace stagelens::base {

/// Returns the processor time of the calling thread, which other programs do not lengthen.
[[nodiscard]] Nanos threadProcessorTime();

} // namespace stagelens::base
