// PyTorch's pipelining schedule CSV (torch/distributed/pipelining/schedules.py), action by action: one row per rank, cells such
// as "0F0" (stage, action, microbatch), "1RECV_F0" or "(0F7;7B3)OVERLAP_F_B".
#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::exchange {

/// Maximum number of reported problems, for files with many.
inline constexpr std::size_t kMostTorchProblems = 20;

/// The kind of an action. `B` is the full backward in every dialect.
enum class TorchKind : std::uint8_t {
    F,
    I, ///< input-gradient half of the backward
    W, ///< weight-gradient half
    B, ///< full backward
    SendF,
    RecvF,
    SendB,
    RecvB,
    WaitSendF, ///< frees the buffers of the send of the same stage and microbatch; since PyTorch 2.15
    WaitSendB,
    Unshard, ///< this and the next three apply to the parameters of a stage and have no microbatch
    Reshard,
    ReduceGrad,
    WaitReduceGrad, ///< since PyTorch 2.15
    Idle,           ///< empty cells; `microbatch` is their number
};
/// F, I, W or B.
[[nodiscard]] constexpr bool isCompute(TorchKind kind)
{
    return kind <= TorchKind::B;
}

/// The position of an action in a container "(...;...)OVERLAP_F_B"; most are in none.
enum class TorchOverlap : std::uint8_t { None, More, Last };

struct TorchAction {
    std::int32_t microbatch = -1; ///< -1: none
    std::uint16_t stage = 0;
    TorchKind kind = TorchKind::F;
    TorchOverlap overlap = TorchOverlap::None;
    friend bool operator==(const TorchAction &, const TorchAction &) = default;
};
static_assert(sizeof(TorchAction) == 8);

/// Letters of the backward. Files of 2024 write `B` for the input-gradient half and `BW` for the full backward.
enum class TorchDialect : std::uint8_t { Current, Of2024 };

/// A file in its own order. 8 bytes per action; a run of idle cells is one action.
struct TorchCsv {
    TorchDialect dialect = TorchDialect::Current;
    std::vector<std::vector<TorchAction>> ranks;

    /// Returns whether the file is "compute_comms" of PyTorch 2.15 or later.
    [[nodiscard]] bool hasWaits() const;
    friend bool operator==(const TorchCsv &, const TorchCsv &) = default;
};

/// A place in the file; both count from 1 as in a spreadsheet. An action of a container has the column of its container.
struct TorchCell {
    std::size_t row = 0;
    std::size_t column = 0;
};
[[nodiscard]] std::string text(const TorchCell &cell);                                                   ///< "row 2, column 5"
[[nodiscard]] std::string text(const TorchAction &action, TorchDialect dialect = TorchDialect::Current); ///< "0SEND_F3"

/// Reads either format and dialect (recognised by its letters: BW, or W and B without an I, mean that of 2024). Accepts LF,
/// CRLF, blanks around actions and a byte order mark. Fails with InvalidInput "schedule.file" and up to kMostTorchProblems
/// faulty cells, each with cause and remedy, and with Cancelled if `stop` is requested. Linear in the text. The result may be
/// an invalid schedule.
[[nodiscard]] base::Result<TorchCsv> readTorchCsv(std::string_view text, const std::stop_token &stop = {});
/// Returns the text of the file, without blanks and with LF as the end of lines.
[[nodiscard]] std::string writeTorchCsv(const TorchCsv &csv);

/// Returns the compute actions as a schedule of the family "custom". A stage belongs to the rank of its row; containers of two
/// become overlapped pairs. Fails with InvalidInput "schedule.file" and the cells if a stage is on no rank or on several, a row
/// has no stage, microbatch numbers have gaps, or a message has no partner. Check the order with findViolations().
[[nodiscard]] base::Result<schedule::Schedule> scheduleOf(const TorchCsv &csv);
/// Returns the cell of the `position`-th compute action of a device's row, or the cell after the end of the row.
[[nodiscard]] TorchCell cellOf(const TorchCsv &csv, int device, std::size_t position);
/// Returns a schedule as "compute_only", without idle cells. Fails with InvalidInput if PyTorch has no letter for a pass
/// (sharded vocabulary) or no row for it (two directions).
[[nodiscard]] base::Result<TorchCsv> torchCsvOf(const schedule::Schedule &schedule);
/// Returns a warning if the CSV of a schedule omits when an asynchronous schedule changes its weights; otherwise empty.
[[nodiscard]] std::string torchOmission(const schedule::Schedule &schedule);

} // namespace stagelens::exchange
