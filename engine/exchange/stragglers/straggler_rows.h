// The rows of a straggler trace in CSV form. Internal to the import.
#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/exchange/trace_import.h"

#include <cstdint>
#include <deque>

namespace stagelens::exchange {

/// Whether a row is the sender's of a message; every other row is what its worker computes or receives.
enum class RowKind : std::uint8_t { Receive, Send };

/// One operation of one worker. 48 bytes.
struct StragglerRow {
    base::Nanos start = 0; ///< from the first of the file
    double duration = 0;   ///< nanoseconds
    std::int64_t step = 0;
    std::int32_t microbatch = -1; ///< as in the file; -1: not given
    std::uint32_t line = 0;
    std::uint16_t replica = 0;
    std::uint16_t device = 0;
    std::int32_t stage = 0;          ///< of the model
    std::uint8_t operation = 0;      ///< simulate::JobOperation
    RowKind kind = RowKind::Receive; ///< Send only for the sender's row of a message
    bool hasStage = false;           ///< the file gives the chunk
    [[nodiscard]] double end() const { return static_cast<double>(start) + duration; }
};

inline constexpr std::size_t kMostStragglerRows = 16'000'000;
inline constexpr int kMostReplicas = 1024;
inline constexpr int kMostJobDevices = 1024;
inline constexpr int kMostChunks = 63;

/// Reads block by block; memory grows with the rows only. `rows` are sorted by step, replica, device and start. The error
/// contains up to 50 problems, each with line and column.
[[nodiscard]] base::Result<std::deque<StragglerRow>> readStragglerRows(const TraceInput &input);

} // namespace stagelens::exchange
