// scheduleOf(): from the actions of a CSV to the passes of a schedule.
#include "engine/exchange/torch_csv.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

namespace stagelens::exchange {

namespace {

using schedule::PassKind;

constexpr int kNowhere = -1;

/// Finds the placement and the other properties of a schedule, and every cell that makes it invalid.
class Reading {
public:
    explicit Reading(const TorchCsv &csv) : m_csv(csv) {}
    base::Result<schedule::Schedule> run();

private:
    void readSizes();
    void placeStages();
    void checkRows();
    void checkOverlaps();
    void checkMessages();
    void checkReductions();
    void refuseAction(const TorchAction &action, const TorchCell &cell, const std::string &fault)
    {
        if (!fault.empty())
            refuse(fmt::format("{}: {} {}", text(cell), text(action, m_csv.dialect), fault));
    }
    [[nodiscard]] std::vector<std::vector<schedule::Pass>> orders() const;
    /// Calls `visit(action, cell)` for every action of the file that is not idle, until there are problems enough.
    template <class Visit>
    void forEachAction(Visit visit) const
    {
        for (std::size_t rank = 0; rank < m_csv.ranks.size(); ++rank) {
            TorchCell cell{rank + 1, 1};
            for (const TorchAction &action : m_csv.ranks[rank]) {
                if (isFull())
                    return;
                const bool isIdle = action.kind == TorchKind::Idle;
                if (!isIdle)
                    visit(action, cell);
                if (action.overlap != TorchOverlap::More)
                    cell.column += isIdle ? static_cast<std::size_t>(action.microbatch) : 1;
            }
        }
    }
    [[nodiscard]] bool isFull() const { return m_problems.size() >= kMostTorchProblems; }
    void refuse(std::string message)
    {
        if (!isFull())
            m_problems.push_back({"schedule.file", std::move(message)});
    }

    const TorchCsv &m_csv;
    int m_stages = 0;
    int m_microbatches = 0;
    std::size_t m_passes = 0;
    std::vector<int> m_rankOfStage;
    base::Problems m_problems;
};

void Reading::readSizes()
{
    TorchCell last;
    forEachAction([&](const TorchAction &action, const TorchCell &cell) {
        m_passes += isCompute(action.kind) ? 1 : 0;
        m_stages = std::max(m_stages, action.stage + 1);
        if (action.microbatch >= m_microbatches) {
            m_microbatches = action.microbatch + 1;
            last = cell;
        }
    });
    // Each microbatch has a forward at least: a greater number would make a plan that is larger than its file.
    if (static_cast<std::size_t>(m_microbatches) > m_passes)
        refuse(fmt::format("{}: microbatch {} is beyond the file's {} passes; number the microbatches from 0 without gaps",
                           text(last), m_microbatches - 1, m_passes));
    // Each stage has a forward and a backward of every microbatch.
    else if (const std::size_t forwards = static_cast<std::size_t>(m_stages) * static_cast<std::size_t>(m_microbatches);
             forwards > schedule::kMostPasses / 2)
        refuse(fmt::format("{} stages with {} microbatches need more than {} passes, which is the limit", m_stages,
                           m_microbatches, schedule::kMostPasses));
}

void Reading::placeStages()
{
    m_rankOfStage.assign(static_cast<std::size_t>(m_stages), kNowhere);
    forEachAction([&](const TorchAction &action, const TorchCell &cell) {
        int &rank = m_rankOfStage[action.stage];
        const int here = static_cast<int>(cell.row) - 1;
        if (rank == kNowhere)
            rank = here;
        else if (rank != here)
            refuse(fmt::format("{}: {} puts stage {} on rank {}, but it is on rank {} (row {}); a stage lies on one rank",
                               text(cell), text(action, m_csv.dialect), action.stage, here, rank, rank + 1));
    });
    const auto missing = std::ranges::find(m_rankOfStage, kNowhere);
    if (missing != m_rankOfStage.end())
        refuse(fmt::format("stage {} of {} is in no row; number the stages from 0 without gaps",
                           missing - m_rankOfStage.begin(), m_stages));
}

void Reading::checkRows()
{
    for (std::size_t rank = 0; rank < m_csv.ranks.size(); ++rank)
        if (std::ranges::none_of(m_csv.ranks[rank], [](const TorchAction &action) { return isCompute(action.kind); }))
            refuse(fmt::format("row {}: rank {} computes nothing; remove the row, or give the rank a stage", rank + 1, rank));
}

void Reading::checkOverlaps()
{
    std::size_t inside = 0;
    forEachAction([&](const TorchAction &action, const TorchCell &cell) {
        inside = action.overlap == TorchOverlap::None ? 0 : inside + 1;
        if (action.overlap != TorchOverlap::Last)
            return;
        if (inside > 2)
            refuse(fmt::format("{}: {} actions overlap; write pairs, such as (0F7;7B3)OVERLAP_F_B", text(cell), inside));
        inside = 0;
    });
}

/// The other end of a message, or of the one that a pass needs.
struct Peer {
    int stage = 0;
    TorchKind kind = TorchKind::F;
};

Peer peerOf(const TorchAction &action)
{
    switch (action.kind) {
    case TorchKind::SendF: return {action.stage + 1, TorchKind::RecvF};
    case TorchKind::RecvF: return {action.stage - 1, TorchKind::SendF};
    case TorchKind::SendB: return {action.stage - 1, TorchKind::RecvB};
    default: return {action.stage + 1, TorchKind::SendB};
    }
}

bool isMessage(TorchKind kind)
{
    return kind >= TorchKind::SendF && kind <= TorchKind::RecvB;
}

/// The send that a wait is for, or the wait that a send needs.
TorchKind waitFor(TorchKind send)
{
    return send == TorchKind::SendF ? TorchKind::WaitSendF : TorchKind::WaitSendB;
}
bool isSend(TorchKind kind)
{
    return kind == TorchKind::SendF || kind == TorchKind::SendB;
}
bool isWait(TorchKind kind)
{
    return kind == TorchKind::WaitSendF || kind == TorchKind::WaitSendB;
}

/// The messages of a compute_comms file, walked in its order: what each stage has done for each microbatch, a bit a kind.
class MessageCheck {
public:
    MessageCheck(const std::vector<int> &rankOfStage, int microbatches)
        : m_rankOfStage(rankOfStage), m_microbatches(static_cast<std::size_t>(microbatches)),
          m_done(rankOfStage.size() * m_microbatches)
    {}
    /// Adds an action. Returns its problem, or an empty text.
    std::string take(const TorchAction &action)
    {
        const std::string fault = isMessage(action.kind) ? faultOfMessage(action)
                                  : isWait(action.kind)  ? faultOfWait(action)
                                                         : faultOfPass(action);
        done(action.stage, action.microbatch) |= bit(action.kind);
        return fault;
    }
    /// After all actions: why a message has only this end, or no wait in a file of PyTorch 2.15; or empty.
    [[nodiscard]] std::string partnerFault(const TorchAction &action, bool hasWaits)
    {
        if (hasWaits && isSend(action.kind) && !has(action.stage, action.microbatch, waitFor(action.kind)))
            return fmt::format(
                "has no {} behind it, while other sends of the file have one; add it, as PyTorch 2.15 needs, or remove all",
                text(TorchAction{action.microbatch, action.stage, waitFor(action.kind), TorchOverlap::None}));
        const Peer peer = peerOf(action);
        if (has(peer.stage, action.microbatch, peer.kind))
            return {};
        const TorchAction missing{action.microbatch, static_cast<std::uint16_t>(peer.stage), peer.kind, TorchOverlap::None};
        return fmt::format("has no {} on the other side; add it to row {}, or remove this one", text(missing),
                           m_rankOfStage[static_cast<std::size_t>(peer.stage)] + 1);
    }

private:
    static constexpr std::uint16_t bit(TorchKind kind) { return static_cast<std::uint16_t>(1U << static_cast<unsigned>(kind)); }
    std::uint16_t &done(int stage, int microbatch)
    {
        return m_done[static_cast<std::size_t>(stage) * m_microbatches + static_cast<std::size_t>(microbatch)];
    }
    bool has(int stage, int microbatch, TorchKind kind) { return (done(stage, microbatch) & bit(kind)) != 0; }
    [[nodiscard]] bool isElsewhere(int stage, int other) const
    {
        return other >= 0 && static_cast<std::size_t>(other) < m_rankOfStage.size() &&
               m_rankOfStage[static_cast<std::size_t>(stage)] != m_rankOfStage[static_cast<std::size_t>(other)];
    }
    std::string faultOfMessage(const TorchAction &action)
    {
        if (!isElsewhere(action.stage, peerOf(action).stage))
            return "has no other rank on its other side; remove it";
        if (has(action.stage, action.microbatch, action.kind))
            return "stands twice; remove one of the two";
        const bool isForward = action.kind == TorchKind::SendF;
        const bool isMade = isForward ? has(action.stage, action.microbatch, TorchKind::F)
                                      : has(action.stage, action.microbatch, TorchKind::I) ||
                                            has(action.stage, action.microbatch, TorchKind::B);
        return isSend(action.kind) && !isMade ? "sends what is not computed yet; move it behind the pass that makes it" : "";
    }
    std::string faultOfWait(const TorchAction &action)
    {
        if (has(action.stage, action.microbatch, action.kind))
            return "stands twice; remove one of the two";
        const TorchKind send = action.kind == TorchKind::WaitSendF ? TorchKind::SendF : TorchKind::SendB;
        return has(action.stage, action.microbatch, send)
                   ? ""
                   : fmt::format("waits for a send that is not before it; put it behind {}",
                                 text(TorchAction{action.microbatch, action.stage, send, TorchOverlap::None}));
    }
    std::string faultOfPass(const TorchAction &action)
    {
        const bool isForward = action.kind == TorchKind::F;
        const TorchKind receive = isForward ? TorchKind::RecvF : TorchKind::RecvB;
        if (action.kind == TorchKind::W || !isElsewhere(action.stage, isForward ? action.stage - 1 : action.stage + 1) ||
            has(action.stage, action.microbatch, receive))
            return {};
        return fmt::format("has no {} before it; add one to its row",
                           text(TorchAction{action.microbatch, action.stage, receive, TorchOverlap::None}));
    }

    const std::vector<int> &m_rankOfStage;
    std::size_t m_microbatches;
    std::vector<std::uint16_t> m_done;
};

/// The reductions of a rank, as PyTorch 2.15 has them: each with its wait behind it, before the next begins. Files without any
/// wait are of an earlier PyTorch.
class ReductionCheck {
public:
    /// What is wrong with an action of the rank's row, or empty.
    std::string take(const TorchAction &action)
    {
        if (action.kind == TorchKind::ReduceGrad) {
            const int before = std::exchange(m_pending, action.stage);
            return before == kNowhere ? "" : fmt::format("begins before {}; put that in front of it", waitText(before));
        }
        if (std::exchange(m_pending, kNowhere) == action.stage)
            return {};
        return fmt::format("waits for no {}; put it behind that",
                           text(TorchAction{-1, action.stage, TorchKind::ReduceGrad, TorchOverlap::None}));
    }
    /// Returns what is missing at the end of the row, or an empty text.
    [[nodiscard]] std::string endFault() const
    {
        return m_pending == kNowhere ? "" : fmt::format("has no {}; add it at the end", waitText(m_pending));
    }

private:
    static std::string waitText(int stage)
    {
        return text(TorchAction{-1, static_cast<std::uint16_t>(stage), TorchKind::WaitReduceGrad, TorchOverlap::None});
    }
    int m_pending = kNowhere;
};

/// A file with messages lists all of them, each with both ends, in an order in which its rank can run.
void Reading::checkMessages()
{
    MessageCheck check(m_rankOfStage, m_microbatches);
    bool hasMessages = false;
    forEachAction(
        [&](const TorchAction &action, const TorchCell &) { hasMessages |= isMessage(action.kind) || isWait(action.kind); });
    if (!hasMessages)
        return;
    const bool hasWaits = m_csv.hasWaits();
    forEachAction([&](const TorchAction &action, const TorchCell &cell) {
        if (isMessage(action.kind) || isWait(action.kind) || isCompute(action.kind))
            refuseAction(action, cell, check.take(action));
    });
    if (!m_problems.empty())
        return;
    forEachAction([&](const TorchAction &action, const TorchCell &cell) {
        if (isMessage(action.kind))
            refuseAction(action, cell, check.partnerFault(action, hasWaits));
    });
}

void Reading::checkReductions()
{
    if (!m_csv.hasWaits())
        return;
    std::vector<ReductionCheck> checks(m_csv.ranks.size());
    forEachAction([&](const TorchAction &action, const TorchCell &cell) {
        if (action.kind == TorchKind::ReduceGrad || action.kind == TorchKind::WaitReduceGrad)
            refuseAction(action, cell, checks[cell.row - 1].take(action));
    });
    for (std::size_t rank = 0; rank < checks.size(); ++rank)
        if (const std::string fault = checks[rank].endFault(); !fault.empty())
            refuse(fmt::format("row {}: {}", rank + 1, fault));
}

std::vector<std::vector<schedule::Pass>> Reading::orders() const
{
    constexpr std::array kKinds{PassKind::F, PassKind::I, PassKind::W, PassKind::B};
    std::vector<std::vector<schedule::Pass>> all;
    all.reserve(m_csv.ranks.size());
    for (const std::vector<TorchAction> &row : m_csv.ranks) {
        std::vector<schedule::Pass> &order = all.emplace_back();
        for (const TorchAction &action : row) {
            if (!isCompute(action.kind))
                continue;
            schedule::Pass pass = makePass(kKinds[static_cast<std::size_t>(action.kind)], action.stage, action.microbatch);
            pass.pairedWithNext = action.overlap == TorchOverlap::More;
            order.push_back(pass);
        }
    }
    return all;
}

base::Result<schedule::Schedule> Reading::run()
{
    readSizes();
    if (m_problems.empty()) {
        placeStages();
        checkRows();
        checkOverlaps();
    }
    if (m_problems.empty()) {
        checkMessages();
        checkReductions();
    }
    if (!m_problems.empty())
        return base::Error::invalid(std::move(m_problems));
    schedule::Placement placement{
        .devices = static_cast<int>(m_csv.ranks.size()), .stageDevice = {}, .directions = 1, .microbatchDirection = {}};
    for (const int rank : m_rankOfStage)
        placement.stageDevice.push_back(static_cast<std::uint16_t>(rank));
    return schedule::Schedule("custom", std::move(placement), m_microbatches, model::VocabularyMethod::None, orders());
}

} // namespace

base::Result<schedule::Schedule> scheduleOf(const TorchCsv &csv)
{
    return Reading(csv).run();
}

} // namespace stagelens::exchange
