// A timeline as bytes. Internal to the store.
#pragma once

#include "engine/base/result.h"
#include "engine/timeline/timeline.h"

#include <string>
#include <string_view>

namespace stagelens::store {

/// "SLTIMELN", version, length, checksum of the rest; then the lanes as arrays, the transfers and the stages. Little-endian.
[[nodiscard]] std::string encodeTimeline(const timeline::Timeline &timeline);
/// Bytes whose header (the first 32) is made right for what follows it.
[[nodiscard]] std::string withChecksum(std::string bytes);
/// The timeline again; the error says whether the bytes are damaged or from a newer version. Any bytes are safe to give.
[[nodiscard]] base::Result<timeline::TimelinePtr> decodeTimeline(std::string_view bytes);

} // namespace stagelens::store
