#include "engine/exchange/torch_lowering.h"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <functional>
#include <queue>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <variant>

namespace stagelens::exchange {

namespace {

using Row = std::vector<TorchAction>;

/// The stages that a rank runs next: those of its stages whose next action comes first.
class Upcoming {
public:
    explicit Upcoming(const Row &row) : m_row(row), m_nextOfStage(row.size(), row.size())
    {
        std::unordered_map<int, std::size_t> latest;
        for (std::size_t i = row.size(); i-- > 0;) {
            const auto found = latest.find(row[i].stage);
            if (found != latest.end())
                m_nextOfStage[i] = found->second;
            latest[row[i].stage] = i;
        }
        for (const auto &[stage, first] : latest)
            m_order.emplace(first, stage);
    }
    /// The next `count` stages; one more where the last of them shares its container with another.
    [[nodiscard]] std::vector<int> next(std::size_t count) const
    {
        std::vector<int> stages;
        for (auto at = m_order.begin(); at != m_order.end(); ++at) {
            const bool sharesContainer = !stages.empty() && at->first > 0 &&
                                         m_row[at->first - 1].overlap == TorchOverlap::More &&
                                         stages.back() == m_row[at->first - 1].stage;
            if (stages.size() >= count && !sharesContainer)
                break;
            stages.push_back(at->second);
        }
        return stages;
    }
    void pass(std::size_t index)
    {
        m_order.erase({index, m_row[index].stage});
        if (m_nextOfStage[index] < m_row.size())
            m_order.emplace(m_nextOfStage[index], m_row[index].stage);
    }

private:
    const Row &m_row;
    std::vector<std::size_t> m_nextOfStage; ///< of each action, the next one of its stage
    std::set<std::pair<std::size_t, int>> m_order;
};

TorchAction ofStage(TorchKind kind, int stage)
{
    return {-1, static_cast<std::uint16_t>(stage), kind, TorchOverlap::None};
}

/// Fully sharded parameters: a stage's are gathered while it is among the next three, and given up when it is not.
Row withSharding(const Row &row, TorchRelease release)
{
    constexpr std::size_t kActiveStages = 3;
    Upcoming upcoming(row);
    std::vector<int> active; ///< in the order of their UNSHARD
    Row out;
    const auto reshard = [&](const std::vector<int> &kept) {
        std::vector<int> ended = active;
        std::erase_if(ended, [&](int stage) { return std::ranges::find(kept, stage) != kept.end(); });
        if (release == TorchRelease::UpTo2_14)
            std::ranges::sort(ended);
        for (const int stage : ended)
            out.push_back(ofStage(TorchKind::Reshard, stage));
        std::erase_if(active, [&](int stage) { return std::ranges::find(kept, stage) == kept.end(); });
    };
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (i == 0 || row[i - 1].overlap != TorchOverlap::More) {
            const std::vector<int> next = upcoming.next(kActiveStages);
            reshard(next);
            for (const int stage : next)
                if (std::ranges::find(active, stage) == active.end()) {
                    active.push_back(stage);
                    out.push_back(ofStage(TorchKind::Unshard, stage));
                }
        }
        out.push_back(row[i]);
        upcoming.pass(i);
    }
    reshard({});
    return out;
}

/// Behind the action that makes a stage's last gradient, its container closed.
Row withReduction(const Row &row, int microbatches, TorchRelease release)
{
    std::unordered_map<int, int> gradients;
    Row out;
    Row due;
    for (const TorchAction &action : row) {
        out.push_back(action);
        const bool makesGradient = action.kind == TorchKind::W || action.kind == TorchKind::B;
        if (makesGradient && ++gradients[action.stage] == microbatches) {
            due.push_back(ofStage(TorchKind::ReduceGrad, action.stage));
            if (release == TorchRelease::Since2_15)
                due.push_back(ofStage(TorchKind::WaitReduceGrad, action.stage));
        }
        if (action.overlap != TorchOverlap::More) {
            out.insert(out.end(), due.begin(), due.end());
            due.clear();
        }
    }
    return out;
}

/// The wait for a forward's send follows the backward of the same stage and microbatch, for the receiver has used it by
/// then; all others stand at the end, in the order of their sends (PyTorch's _add_wait_send).
Row withWaits(const Row &row)
{
    using Sent = std::pair<int, int>; ///< stage, microbatch
    std::set<Sent> forwards;
    Row out;
    Row due;
    for (const TorchAction &action : row) {
        out.push_back(action);
        const Sent sent{action.stage, action.microbatch};
        if (action.kind == TorchKind::SendF)
            forwards.insert(sent);
        const bool isBackward = action.kind == TorchKind::B || action.kind == TorchKind::I;
        if (isBackward && forwards.erase(sent) > 0)
            due.push_back({action.microbatch, action.stage, TorchKind::WaitSendF, TorchOverlap::None});
        if (action.overlap != TorchOverlap::More) {
            out.insert(out.end(), due.begin(), due.end());
            due.clear();
        }
    }
    for (const TorchAction &action : row) {
        if (action.kind == TorchKind::SendB)
            out.push_back({action.microbatch, action.stage, TorchKind::WaitSendB, TorchOverlap::None});
        else if (action.kind == TorchKind::SendF && forwards.contains({action.stage, action.microbatch}))
            out.push_back({action.microbatch, action.stage, TorchKind::WaitSendF, TorchOverlap::None});
    }
    return out;
}

/// Emits the actions of all ranks in PyTorch's rounds. A rank whose next action must wait sleeps until its input is made.
class Rounds {
public:
    Rounds(const schedule::Schedule &schedule, std::vector<Row> rows)
        : m_placement(schedule.placement()), m_microbatches(static_cast<std::size_t>(schedule.microbatches())),
          m_rows(std::move(rows)), m_next(m_rows.size()), m_sleeps(m_rows.size()), m_out(m_rows.size()),
          m_made(2 * static_cast<std::size_t>(schedule.stages()) * m_microbatches)
    {}
    /// The rows with messages, or the first rank that never gets its input.
    std::variant<std::vector<Row>, int> run()
    {
        for (std::size_t rank = 0; rank < m_rows.size(); ++rank)
            m_turns.emplace(0, rank);
        while (!m_turns.empty()) {
            const auto [round, rank] = m_turns.top();
            m_turns.pop();
            takeTurn(round, rank);
        }
        for (std::size_t rank = 0; rank < m_rows.size(); ++rank)
            if (m_next[rank] < m_rows[rank].size())
                return static_cast<int>(rank);
        return std::move(m_out);
    }

private:
    void takeTurn(std::size_t round, std::size_t rank)
    {
        const Row &row = m_rows[rank];
        std::size_t end = m_next[rank];
        if (end == row.size())
            return;
        while (row[end].overlap == TorchOverlap::More)
            ++end;
        ++end;
        const std::span<const TorchAction> unit(row.begin() + static_cast<std::ptrdiff_t>(m_next[rank]),
                                                row.begin() + static_cast<std::ptrdiff_t>(end));
        m_sleeps[rank] = !std::ranges::all_of(unit, [&](const TorchAction &action) { return isReady(action); });
        if (m_sleeps[rank])
            return;
        m_out[rank].insert(m_out[rank].end(), unit.begin(), unit.end());
        m_next[rank] = end;
        for (const TorchAction &action : unit)
            finish(action, round, rank);
        m_turns.emplace(round + 1, rank);
    }
    [[nodiscard]] std::size_t cell(bool isForward, int stage, int microbatch) const
    {
        const auto row = static_cast<std::size_t>(2 * stage + (isForward ? 0 : 1));
        return row * m_microbatches + static_cast<std::size_t>(microbatch);
    }
    /// The neighbouring stages' results; a pass's own forward is the validator's business.
    [[nodiscard]] bool isReady(const TorchAction &action) const
    {
        if (action.kind == TorchKind::F)
            return action.stage == 0 || m_made[cell(true, action.stage - 1, action.microbatch)];
        if (action.kind == TorchKind::I || action.kind == TorchKind::B)
            return action.stage == m_placement.lastStage() || m_made[cell(false, action.stage + 1, action.microbatch)];
        return true;
    }
    void finish(const TorchAction &action, std::size_t round, std::size_t rank)
    {
        const bool isForward = action.kind == TorchKind::F;
        if (!isForward && action.kind != TorchKind::I && action.kind != TorchKind::B)
            return;
        m_made[cell(isForward, action.stage, action.microbatch)] = true;
        const int receiver = isForward ? action.stage + 1 : action.stage - 1;
        if (receiver < 0 || receiver > m_placement.lastStage())
            return;
        const auto peer = static_cast<std::size_t>(m_placement.deviceOf(receiver));
        if (peer == rank)
            return;
        m_out[rank].push_back(
            {action.microbatch, action.stage, isForward ? TorchKind::SendF : TorchKind::SendB, TorchOverlap::None});
        m_out[peer].push_back({action.microbatch, static_cast<std::uint16_t>(receiver),
                               isForward ? TorchKind::RecvF : TorchKind::RecvB, TorchOverlap::None});
        if (std::exchange(m_sleeps[peer], false))
            m_turns.emplace(peer > rank ? round : round + 1, peer);
    }

    using Turn = std::pair<std::size_t, std::size_t>; ///< round, rank
    const schedule::Placement &m_placement;
    std::size_t m_microbatches;
    std::vector<Row> m_rows;
    std::vector<std::size_t> m_next; ///< of each rank, the first action that it has not emitted
    std::vector<char> m_sleeps;
    std::vector<Row> m_out;
    std::vector<bool> m_made; ///< forward and backward result of each stage and microbatch
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> m_turns;
};

} // namespace

base::Result<TorchCsv> lowered(const schedule::Schedule &schedule, TorchLowering lowering, TorchRelease release)
{
    if (schedule.drainsBetweenSteps())
        return lowered(schedule.firstStep(), lowering, release);
    auto csv = torchCsvOf(schedule);
    if (!csv)
        return csv;
    for (Row &row : csv->ranks) {
        if (lowering == TorchLowering::Full)
            row = withSharding(row, release);
        if (lowering != TorchLowering::Messages)
            row = withReduction(row, schedule.microbatches(), release);
    }
    auto rows = Rounds(schedule, std::move(csv->ranks)).run();
    if (const int *const stuck = std::get_if<int>(&rows))
        return base::Error::invalid(
            "schedule",
            fmt::format("rank {} waits for a message that is never sent; see `stagelens-cli validate` for the circle", *stuck));
    csv->ranks = std::get<std::vector<Row>>(std::move(rows));
    if (release == TorchRelease::Since2_15)
        for (Row &row : csv->ranks)
            row = withWaits(row);
    return csv;
}

} // namespace stagelens::exchange
