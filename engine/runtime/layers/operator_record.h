// Times the operators inside the passes of a device.
#pragma once

#include "engine/timeline/operator_times.h"

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace stagelens::runtime {

/// The operators of a step's passes by the steady clock, for kernels that end before their call returns. Used by the thread of
/// its device.
class OperatorRecord {
public:
    /// Forgets the durations. Names and memory stay: later steps run the same operators and allocate nothing for a pass.
    void clear();
    /// From now on notes belong to this pass, until end().
    void begin(const schedule::Pass &pass);
    /// Begins to count: what came before is of no operator (an exchange among ranks, a wait).
    void resume()
    {
        if (m_current != nullptr)
            m_since = Clock::now();
    }
    /// Ends an operator, which began at the end of the one before it or at resume(). `name` makes its name and is called once:
    /// all passes of a kind and stage run the same operators. With two directions some lack the last one, the loss.
    template <class Name>
    void note(const Name &name, bool isVocabulary)
    {
        if (m_current == nullptr)
            return;
        const Clock::time_point now = Clock::now();
        const base::Nanos duration = std::chrono::duration_cast<std::chrono::nanoseconds>(now - m_since).count();
        if (m_next == m_current->size())
            m_current->push_back({name(), isVocabulary, {}});
        std::vector<base::Nanos> &durations = (*m_current)[m_next++].durations;
        if (m_repeated > 0) {
            --m_repeated;
            durations.back() += duration;
        } else {
            durations.push_back(duration);
        }
        m_since = now;
    }
    /// The next notes are of the last `operators` again, to whose durations they add.
    void repeat(std::size_t operators)
    {
        if (m_current == nullptr)
            return;
        m_next -= operators;
        m_repeated = operators;
    }
    void end() { m_current = nullptr; }

    /// Returns the medians over the passes since clear(), whose durations it reorders.
    [[nodiscard]] timeline::OperatorTimes times(int device);

private:
    using Clock = std::chrono::steady_clock;
    struct Operator {
        std::string name;
        bool isVocabulary = false;
        std::vector<base::Nanos> durations; ///< of each pass
    };
    std::map<std::pair<schedule::PassKind, int>, std::vector<Operator>> m_passes; ///< by kind and stage
    std::vector<Operator> *m_current = nullptr;                                   ///< of the pass at hand; null: not recording
    std::size_t m_next = 0;                                                       ///< operator of the pass at hand
    std::size_t m_repeated = 0;                                                   ///< operators that are left to repeat
    Clock::time_point m_since;
};

} // namespace stagelens::runtime
