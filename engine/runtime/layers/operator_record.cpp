#include "engine/runtime/layers/operator_record.h"

#include "engine/base/median.h"

namespace stagelens::runtime {

void OperatorRecord::begin(const schedule::Pass &pass)
{
    m_current = &m_passes[{pass.kind, pass.stage}];
    m_next = 0;
    resume();
}

void OperatorRecord::clear()
{
    for (auto &[place, operators] : m_passes)
        for (Operator &each : operators)
            each.durations.clear();
}

timeline::OperatorTimes OperatorRecord::times(int device)
{
    timeline::OperatorTimes times;
    for (auto &[place, operators] : m_passes) {
        timeline::PassOperators pass{device, place.first, place.second, {}};
        for (Operator &each : operators)
            if (!each.durations.empty())
                pass.operators.push_back({each.name, base::lowerMedian(each.durations), each.isVocabulary});
        if (!pass.operators.empty())
            times.push_back(std::move(pass));
    }
    return times;
}

} // namespace stagelens::runtime
