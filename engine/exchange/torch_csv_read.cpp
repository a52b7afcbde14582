#include "engine/exchange/torch_csv.h"

#include "engine/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <utility>

namespace stagelens::exchange {

namespace {

using base::quoted;

/// A pass has at most a send, the wait for it and a receive beside it.
constexpr std::size_t kMostActions = 5 * schedule::kMostPasses;
constexpr std::string_view kOverlap = "OVERLAP_F_B";
constexpr std::string_view kDigits = "0123456789";

/// 2024's BW and B until the whole file is known: B waits as the kind B, BW as this.
struct Word {
    std::string_view text;
    TorchKind kind;
    bool isOf2024 = false;
};
constexpr std::array kActionWords{
    Word{"F", TorchKind::F},
    Word{"I", TorchKind::I},
    Word{"W", TorchKind::W},
    Word{"B", TorchKind::B},
    Word{"BW", TorchKind::B, true},
    Word{"SEND_F", TorchKind::SendF},
    Word{"RECV_F", TorchKind::RecvF},
    Word{"SEND_B", TorchKind::SendB},
    Word{"RECV_B", TorchKind::RecvB},
    Word{"WAIT_SEND_F", TorchKind::WaitSendF},
    Word{"WAIT_SEND_B", TorchKind::WaitSendB},
    Word{"UNSHARD", TorchKind::Unshard},
    Word{"RESHARD", TorchKind::Reshard},
    Word{"REDUCE_GRAD", TorchKind::ReduceGrad},
    Word{"WAIT_REDUCE_GRAD", TorchKind::WaitReduceGrad},
};

bool namesMicrobatch(TorchKind kind)
{
    return kind < TorchKind::Unshard;
}

/// Takes a number of digits off the front; nothing if it is greater than `most`.
std::optional<int> takeIndex(std::string_view &text, int most)
{
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (error != std::errc{} || value > most)
        return std::nullopt;
    return value;
}

/// Reads one file; a method that finds a fault reports it and continues with the next cell.
class TorchCsvReader {
public:
    TorchCsvReader(std::string_view text, const std::stop_token &stop) : m_rest(base::withoutByteOrderMark(text)), m_stop(stop)
    {}
    base::Result<TorchCsv> read();

private:
    void readRow(std::string_view line);
    std::optional<std::string_view> takeCell(std::string_view &line, bool &isLast);
    void readCell(std::string_view cell);
    void readContainer(std::string_view cell);
    std::optional<TorchAction> readAction(std::string_view text, std::string_view cell);
    void addIdle();
    void add(const TorchAction &action);
    void noteLetters(const Word &word);
    void settleDialect();
    void refuseIdleCells();
    void refuse(std::string_view cell, std::string_view reason)
    {
        refuseAt(m_cell, fmt::format("{} {}", quoted(cell), reason));
    }
    void refuseAt(const TorchCell &at, const std::string &message)
    {
        if (m_problems.size() < kMostTorchProblems)
            m_problems.push_back({"schedule.file", fmt::format("{}: {}", text(at), message)});
    }
    [[nodiscard]] bool isFull() const { return m_isOver || m_problems.size() >= kMostTorchProblems; }

    std::string_view m_rest;
    const std::stop_token &m_stop;
    TorchCell m_cell;
    TorchCsv m_csv;
    std::size_t m_actions = 0;
    std::size_t m_passes = 0;
    base::Problems m_problems;
    /// The first cell with each letter; row 0: none.
    TorchCell m_firstI;
    TorchCell m_firstB;
    TorchCell m_firstW;
    TorchCell m_firstBw;
    TorchCell m_firstIdle;
    std::vector<std::vector<bool>> m_isBw; ///< of each rank's B and BW in turn
    bool m_hasCommunication = false;
    bool m_isOver = false;
};

base::Result<TorchCsv> TorchCsvReader::read()
{
    // Blank lines behind the last row are no ranks.
    m_rest = m_rest.substr(0, m_rest.find_last_not_of(" \t\r\n") + 1);
    if (m_rest.empty())
        refuseAt({1, 1}, "the file is empty; give a row a rank with cells such as 0F0");
    while (!m_rest.empty() && !isFull()) {
        const std::size_t end = std::min(m_rest.find('\n'), m_rest.size());
        readRow(m_rest.substr(0, end));
        m_rest.remove_prefix(std::min(end + 1, m_rest.size()));
    }
    if (m_problems.empty())
        settleDialect();
    if (m_problems.empty() && m_hasCommunication && m_firstIdle.row > 0)
        refuseAt(m_firstIdle, "is empty, but the file has communication actions, which leave no cell idle; remove the empty "
                              "cell, or the communication");
    if (m_stop.stop_requested())
        return base::Error::cancelled();
    if (!m_problems.empty())
        return base::Error::invalid(std::move(m_problems));
    return std::move(m_csv);
}

void TorchCsvReader::readRow(std::string_view line)
{
    m_cell = {m_csv.ranks.size() + 1, 0};
    if (m_cell.row > static_cast<std::size_t>(schedule::kMostStages)) {
        refuseAt({m_cell.row, 1}, fmt::format("is a rank too many; the limit is {} rows", schedule::kMostStages));
        m_rest = {};
        return;
    }
    m_csv.ranks.emplace_back();
    m_isBw.emplace_back();
    // A comma at the end has an empty cell behind it, as Python reads it.
    for (bool isLast = false; !isLast && !isFull();) {
        if (++m_cell.column % 4096 == 0 && m_stop.stop_requested())
            m_isOver = true;
        if (const auto cell = takeCell(line, isLast))
            readCell(base::trim(*cell));
    }
    m_csv.ranks.back().shrink_to_fit();
}

/// Takes a cell and its comma off the line, without the quotes that other programs put around it; nothing where they do not
/// match.
std::optional<std::string_view> TorchCsvReader::takeCell(std::string_view &line, bool &isLast)
{
    std::optional<std::string_view> inQuotes;
    if (const std::size_t open = line.find_first_not_of(" \t"); open != std::string_view::npos && line[open] == '"') {
        const std::size_t close = line.find('"', open + 1);
        if (close == std::string_view::npos) {
            refuse(line.substr(open), "has no closing quote; close it, or write the cell without quotes");
            isLast = true;
            return std::nullopt;
        }
        inQuotes = line.substr(open + 1, close - open - 1);
        line.remove_prefix(close + 1);
    }
    const std::size_t comma = line.find(',');
    isLast = comma == std::string_view::npos;
    const std::string_view rest = line.substr(0, comma);
    line.remove_prefix(isLast ? line.size() : comma + 1);
    if (!inQuotes)
        return rest;
    if (base::trim(rest).empty())
        return inQuotes;
    refuse(base::trim(rest), "follows a closing quote; put a comma between, or remove it");
    return std::nullopt;
}

void TorchCsvReader::readCell(std::string_view cell)
{
    if (cell.empty())
        return addIdle();
    if (cell.front() == '(')
        return readContainer(cell);
    if (const auto action = readAction(cell, cell))
        add(*action);
}

void TorchCsvReader::readContainer(std::string_view cell)
{
    const std::size_t close = cell.find(')');
    if (close == std::string_view::npos || cell.find('(', 1) < close)
        return refuse(cell, "has parentheses that do not match; write such as (0F7;7B3)OVERLAP_F_B");
    if (base::trim(cell.substr(close + 1)) != kOverlap)
        return refuse(cell, "has no OVERLAP_F_B right behind its parenthesis; write such as (0F7;7B3)OVERLAP_F_B");
    std::string_view rest = cell.substr(1, close - 1);
    for (bool isLast = false; !isLast && !isFull();) {
        const std::size_t semicolon = rest.find(';');
        isLast = semicolon == std::string_view::npos;
        auto action = readAction(base::trim(rest.substr(0, semicolon)), cell);
        if (!action)
            return;
        if (!isCompute(action->kind))
            return refuse(cell, "overlaps something other than F, I, W and B; put it into a cell of its own");
        action->overlap = isLast ? TorchOverlap::Last : TorchOverlap::More;
        add(*action);
        if (!isLast)
            rest.remove_prefix(semicolon + 1);
    }
}

std::optional<TorchAction> TorchCsvReader::readAction(std::string_view text, std::string_view cell)
{
    const auto wrong = [&](std::string_view reason) {
        refuse(cell, reason);
        return std::nullopt;
    };
    TorchAction action;
    if (text.empty() || kDigits.find(text.front()) == std::string_view::npos)
        return wrong("is no action; write stage, action and microbatch, such as 0F0 or 1RECV_F0");
    const auto stage = takeIndex(text, schedule::kMostStages - 1);
    if (!stage)
        return wrong(fmt::format("has a stage beyond {}, which is the limit", schedule::kMostStages - 1));
    const std::string_view letters = text.substr(0, std::min(text.find_first_of("0123456789-+"), text.size()));
    const auto *const word = std::ranges::find(kActionWords, letters, &Word::text);
    if (word == kActionWords.end())
        return wrong("has no action of PyTorch's behind its stage; there are F I W B SEND_F RECV_F SEND_B RECV_B "
                     "WAIT_SEND_F WAIT_SEND_B UNSHARD RESHARD REDUCE_GRAD WAIT_REDUCE_GRAD");
    text.remove_prefix(letters.size());
    action.stage = static_cast<std::uint16_t>(*stage);
    action.kind = word->kind;
    if (namesMicrobatch(word->kind)) {
        if (text.empty() || text.front() == '-' || text.front() == '+')
            return wrong(fmt::format("{}; write the microbatch's number from 0 behind the action, such as {}{}0",
                                     text.empty() ? "has no microbatch" : "has a microbatch with a sign", *stage, letters));
        const auto microbatch = takeIndex(text, static_cast<int>(schedule::kMostPasses) - 1);
        if (!microbatch)
            return wrong(fmt::format("has a microbatch beyond {}, which is the limit", schedule::kMostPasses - 1));
        action.microbatch = *microbatch;
    }
    if (!text.empty())
        return wrong(fmt::format("ends with {}, which means nothing here; remove it", quoted(text)));
    noteLetters(*word);
    return action;
}

void TorchCsvReader::noteLetters(const Word &word)
{
    const auto note = [&](TorchCell &first) {
        if (first.row == 0)
            first = m_cell;
    };
    if (word.isOf2024)
        note(m_firstBw);
    else if (word.kind == TorchKind::B)
        note(m_firstB);
    else if (word.kind == TorchKind::I)
        note(m_firstI);
    else if (word.kind == TorchKind::W)
        note(m_firstW);
    else if (!isCompute(word.kind))
        m_hasCommunication = true;
    if (word.kind == TorchKind::B)
        m_isBw.back().push_back(word.isOf2024);
}

void TorchCsvReader::addIdle()
{
    if (m_firstIdle.row == 0)
        m_firstIdle = m_cell;
    std::vector<TorchAction> &row = m_csv.ranks.back();
    if (!row.empty() && row.back().kind == TorchKind::Idle && row.back().microbatch < std::numeric_limits<std::int32_t>::max())
        ++row.back().microbatch;
    else
        add({1, 0, TorchKind::Idle, TorchOverlap::None});
}

void TorchCsvReader::add(const TorchAction &action)
{
    m_csv.ranks.back().push_back(action);
    m_passes += isCompute(action.kind) ? 1 : 0;
    if (m_passes > schedule::kMostPasses)
        refuseAt(m_cell, fmt::format("is one pass too many; the limit is {}", schedule::kMostPasses));
    else if (++m_actions > kMostActions)
        refuseAt(m_cell, fmt::format("is one action too many; the limit is {}", kMostActions));
    else
        return;
    m_isOver = true;
}

/// Both dialects have a B; only the whole file shows which dialect it is.
void TorchCsvReader::settleDialect()
{
    const bool isOf2024 = m_firstBw.row > 0 || (m_firstW.row > 0 && m_firstB.row > 0 && m_firstI.row == 0);
    if (!isOf2024)
        return;
    if (m_firstI.row > 0)
        return refuseAt(m_firstI, fmt::format("is an I, which PyTorch writes since 2025, but {} is a BW, which it wrote in "
                                              "2024; write the file in one of the two: I, W and B, or B, W and BW",
                                              text(m_firstBw)));
    m_csv.dialect = TorchDialect::Of2024;
    for (std::size_t rank = 0; rank < m_csv.ranks.size(); ++rank) {
        auto isBw = m_isBw[rank].begin();
        for (TorchAction &action : m_csv.ranks[rank])
            if (action.kind == TorchKind::B && !*isBw++)
                action.kind = TorchKind::I;
    }
}

} // namespace

base::Result<TorchCsv> readTorchCsv(std::string_view text, const std::stop_token &stop)
{
    return TorchCsvReader(text, stop).read();
}

} // namespace stagelens::exchange
