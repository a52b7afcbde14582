// The readiness state of a schedule in progress: which results are complete, since when, and which waiters the others have. It
// is the only one in the engine; its users define the meaning of time and choose what runs next.
#pragma once

#include "engine/passes/requirement_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace stagelens::schedule {

/// Tracks the results of passes. The user numbers the waiters (devices, or queues of passes); each waits for one result at a
/// time.
class Frontier {
public:
    Frontier(const RequirementTable &table, const Placement &placement, int microbatches, std::size_t waiters)
        : m_table(table), m_placement(&placement), m_microbatches(static_cast<std::size_t>(microbatches)),
          m_results(m_table.rows().count() * m_microbatches),
          m_firstShared(2 * static_cast<std::size_t>(placement.stages()) * m_microbatches),
          m_shared(m_table.hasShared() ? m_results.size() - m_firstShared : 0, {0, placement.devices}),
          m_nextWaiter(waiters, kNobody)
    {}

    [[nodiscard]] const RequirementTable &table() const { return m_table; }
    [[nodiscard]] const PassNeeds &needsOf(const Pass &pass) const
    {
        return m_table.of(pass.kind, pass.stage, m_placement->directionOf(pass.microbatch));
    }
    [[nodiscard]] std::size_t resultOf(ResultRow row, int microbatch) const
    {
        return static_cast<std::size_t>(row) * m_microbatches + static_cast<std::size_t>(microbatch);
    }
    /// Returns a pass that produces the result. If passes of all devices produce it together, the stage is 0.
    [[nodiscard]] Pass makerOf(std::size_t result) const
    {
        Pass pass = m_table.rows().makerOf(static_cast<ResultRow>(result / m_microbatches));
        pass.microbatch = static_cast<std::int32_t>(result % m_microbatches);
        return pass;
    }
    [[nodiscard]] bool isComplete(std::size_t result) const { return m_results[result].isComplete(); }
    /// The result must be complete.
    [[nodiscard]] base::Nanos endOf(std::size_t result) const { return m_results[result].end(); }

    /// Raises `ready` to the time at which the result arrives. If it is incomplete, registers the waiter there and returns
    /// false.
    bool arrives(std::size_t waiter, std::size_t result, base::Nanos latency, base::Nanos &ready)
    {
        if (!isComplete(result)) {
            m_nextWaiter[waiter] = m_results[result].firstWaiter();
            m_results[result].setFirstWaiter(static_cast<std::int32_t>(waiter));
            return false;
        }
        ready = std::max(ready, endOf(result) + latency);
        return true;
    }
    /// The same for all results that the passes need, up to the first incomplete one.
    bool isReady(std::size_t waiter, std::span<const Pass> passes, base::Nanos &ready)
    {
        for (const Pass &pass : passes)
            for (const Need &need : needsOf(pass))
                if (!arrives(waiter, resultOf(need.row, pass.microbatch), need.latency, ready))
                    return false;
        return true;
    }
    /// An incomplete result that a pass needs.
    struct Lack {
        std::size_t result = 0;
        Transfer transfer = Transfer::Local;
    };
    /// Returns the first incomplete result that the passes need.
    [[nodiscard]] std::optional<Lack> missing(std::span<const Pass> passes) const
    {
        for (const Pass &pass : passes)
            for (const Need &need : needsOf(pass))
                if (const std::size_t result = resultOf(need.row, pass.microbatch); !isComplete(result))
                    return Lack{result, need.transfer};
        return std::nullopt;
    }
    /// Records that the pass has ended (or is missing, which counts as ended). Calls `wake(waiter)` for each waiter of a
    /// result that this completes.
    template <class Wake>
    void complete(const Pass &pass, base::Nanos end, Wake wake)
    {
        const ResultRow row = needsOf(pass).result;
        if (row == kNoRow)
            return;
        const std::size_t at = resultOf(row, pass.microbatch);
        if (at >= m_firstShared && !m_shared.empty()) {
            Shared &shared = m_shared[at - m_firstShared];
            shared.end = std::max(shared.end, end);
            if (--shared.missing != 0)
                return;
            end = shared.end;
        }
        Result &result = m_results[at];
        std::int32_t waiter = result.isComplete() ? kNobody : result.firstWaiter();
        result.complete(end);
        while (waiter != kNobody) {
            const std::int32_t next = m_nextWaiter[static_cast<std::size_t>(waiter)];
            wake(static_cast<std::size_t>(waiter));
            waiter = next;
        }
    }

private:
    static constexpr std::int32_t kNobody = -1;

    /// The completion time of a result; until then, the first of its waiters (a list through m_nextWaiter). One word, because
    /// there are about as many results as passes.
    class Result {
    public:
        [[nodiscard]] bool isComplete() const { return m_word >= 0; }
        [[nodiscard]] base::Nanos end() const { return m_word; }
        [[nodiscard]] std::int32_t firstWaiter() const { return static_cast<std::int32_t>(-m_word - 2); }
        void setFirstWaiter(std::int32_t waiter) { m_word = -base::Nanos{waiter} - 2; }
        void complete(base::Nanos end) { m_word = end; }

    private:
        base::Nanos m_word = -1;
    };
    /// A result of all devices that is not complete yet.
    struct Shared {
        base::Nanos end = 0;
        int missing = 0; ///< passes that have yet to end
    };

    RequirementTable m_table;
    const Placement *m_placement;
    std::size_t m_microbatches;
    std::vector<Result> m_results;
    std::size_t m_firstShared; ///< results from here on are of all devices
    std::vector<Shared> m_shared;
    std::vector<std::int32_t> m_nextWaiter;
};

} // namespace stagelens::schedule
