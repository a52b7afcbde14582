// The serialisation of a timeline. Internal to the store.
#pragma once

#include "engine/base/result.h"
#include "engine/timeline/timeline.h"

#include <string>
#include <string_view>

namespace stagelens::store {

/// "SLTIMELN", version, length, checksum of the rest; then the lanes as arrays, the transfers and the stages. Little-endian.
[[nodiscard]] std::string encodeTimeline(const timeline::Timeline &timeline);
/// Returns the bytes with a header (the first 32) that matches the rest.
[[nodiscard]] std::string withChecksum(std::string bytes, std::uint32_t version = 1);
/// Decodes a timeline; the error says whether the bytes are damaged or from a newer version. Safe for any bytes.
[[nodiscard]] base::Result<timeline::TimelinePtr> decodeTimeline(std::string_view bytes);

} // namespace stagelens::store
