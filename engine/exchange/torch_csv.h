// PyTorch's pipelining schedule CSV (torch/distributed/pipelining/schedules.py), action for action: a row a rank, cells such as
// "0F0" (stage, action, microbatch), "1RECV_F0" or "(0F7;7B3)OVERLAP_F_B".
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

/// A file that is wrong everywhere is told about in its first cells.
inline constexpr std::size_t kMostTorchProblems = 20;

/// What an action does. `B` is the full backward, whatever letter the file's dialect has for it.
enum class TorchKind : std::uint8_t {
    F,
    I, ///< input-gradient half of the backward
    W, ///< weight-gradient half
    B, ///< full backward
    SendF,
    RecvF,
    SendB,
    RecvB,
    WaitSendF, ///< the runtime frees what the send of the same stage and microbatch holds; written since PyTorch 2.15
    WaitSendB,
    Unshard, ///< this and the next three concern a stage's parameters and have no microbatch
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

/// Where an action stands in a container "(...;...)OVERLAP_F_B"; most stand in none.
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

/// A file, in its own order. 8 bytes an action, however many idle cells stand in a row.
struct TorchCsv {
    TorchDialect dialect = TorchDialect::Current;
    std::vector<std::vector<TorchAction>> ranks;

    /// PyTorch's "compute_comms": more than F, I, W, B and idle cells.
    [[nodiscard]] bool hasCommunication() const;
    /// A "compute_comms" file of PyTorch 2.15 or later.
    [[nodiscard]] bool hasWaits() const;
    friend bool operator==(const TorchCsv &, const TorchCsv &) = default;
};

/// A place in the file, both counted from 1 as in a spreadsheet; an action of a container has its container's column.
struct TorchCell {
    std::size_t row = 0;
    std::size_t column = 0;
};
[[nodiscard]] std::string text(const TorchCell &cell);                                                   ///< "row 2, column 5"
[[nodiscard]] std::string text(const TorchAction &action, TorchDialect dialect = TorchDialect::Current); ///< "0SEND_F3"

/// Reads either format and dialect (told apart by the letters: BW, or W and B without an I, mean 2024's); LF, CRLF, blanks
/// around actions and a byte order mark are accepted. InvalidInput "schedule.file" with up to kMostTorchProblems cells that are
/// wrong, each with cause and remedy. Linear in the text; what it accepts need not be a sound schedule. Cancelled where `stop`
/// asks for it.
[[nodiscard]] base::Result<TorchCsv> readTorchCsv(std::string_view text, const std::stop_token &stop = {});
/// The file again: without blanks, lines ended with LF.
[[nodiscard]] std::string writeTorchCsv(const TorchCsv &csv);

/// The compute actions as a schedule of the family "custom": a stage lies on the rank in whose row it appears, containers of
/// two become overlapped pairs. InvalidInput "schedule.file", naming cells, where a stage is on two ranks or on none, a row has
/// no stage, a microbatch number has gaps below it, or a message has no partner. Ask findViolations whether the order is sound.
[[nodiscard]] base::Result<schedule::Schedule> scheduleOf(const TorchCsv &csv);
/// The cell of a device's pass in such a file: of the `position`-th compute action of its row, or the one behind the row's end.
[[nodiscard]] TorchCell cellOf(const TorchCsv &csv, int device, std::size_t position);
/// A schedule as "compute_only", without idle cells. InvalidInput where PyTorch has no letter for a pass (sharded vocabulary)
/// or no row for it (two directions).
[[nodiscard]] base::Result<TorchCsv> torchCsvOf(const schedule::Schedule &schedule);
/// What the CSV of a schedule leaves out, as a warning: when an asynchronous schedule changes its weights. Else empty.
[[nodiscard]] std::string torchOmission(const schedule::Schedule &schedule);

} // namespace stagelens::exchange
