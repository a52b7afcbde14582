// The output layer on several tensor ranks of a device: their shards act as one, so that methods and barriers stay the same.
// Each rank's exponentials are relative to the common maximum, so a sum over the ranks needs no factors.
#include "engine/passes/vocabulary/vocabulary_steps.h"

#include <algorithm>
#include <utility>

namespace stagelens::schedule {
namespace {

/// Rewrites the list of a pass.
class SharedSteps {
public:
    explicit SharedSteps(Sharing sharing) : m_isSequence(sharing == Sharing::Sequence) {}

    [[nodiscard]] PassSteps of(const PassSteps &steps)
    {
        for (const PassStep &each : steps) {
            m_countsApart = each.countsApart;
            rewrite(each);
        }
        sumPartial();
        return std::move(m_made);
    }

private:
    void add(PassStep made)
    {
        made.countsApart = made.countsApart || m_countsApart;
        m_made.push_back(std::move(made));
    }

    void rewrite(const PassStep &each)
    {
        if (each.kind != PassStepKind::ScaleRows) // continues what WeighRows made
            sumPartial();
        switch (each.kind) {
        case PassStepKind::LocalSoftmax:
            add(step(PassStepKind::RowMaxima, {PassValue::Exponentials}, {PassValue::LocalStatistics}));
            addMaxima();
            add(step(PassStepKind::Exponentiate, {PassValue::Exponentials, PassValue::LocalStatistics},
                     {PassValue::Exponentials, PassValue::LocalStatistics}));
            return addSums();
        case PassStepKind::RowMaxima: add(each); return addMaxima();
        case PassStepKind::Exponentiate: add(each); return addSums();
        case PassStepKind::Receive:
            if (m_isSequence && each.in.front() == PassValue::LastOutput) {
                add(receive(PassValue::LastOutput, {PassValue::LastOutput}));
                return add(step(PassStepKind::GatherRows, {PassValue::LastOutput}, each.out));
            }
            return add(each);
        case PassStepKind::WeighRows:
        case PassStepKind::LabelRows:
        case PassStepKind::ScaleRows: return m_isSequence ? addPartial(each) : add(each);
        default: return add(each);
        }
    }

    void addMaxima() { add(step(PassStepKind::SumMaxima, {PassValue::LocalStatistics}, {PassValue::LocalStatistics})); }
    void addSums() { add(step(PassStepKind::SumStatistics, {PassValue::LocalStatistics}, {PassValue::LocalStatistics})); }

    /// A step that makes rows of all tokens, of which each rank then gets its own.
    void addPartial(PassStep each)
    {
        m_sum = each.out.front();
        std::ranges::replace(each.in, m_sum, PassValue::Partial);
        std::ranges::replace(each.out, m_sum, PassValue::Partial);
        m_isPartial = true;
        add(std::move(each));
    }
    void sumPartial()
    {
        if (std::exchange(m_isPartial, false))
            add(step(PassStepKind::SumRows, {PassValue::Partial}, {m_sum}));
    }

    bool m_isSequence;
    bool m_countsApart = false;
    bool m_isPartial = false;
    PassValue m_sum = PassValue::Partial;
    PassSteps m_made;
};

} // namespace

VocabularySteps shared(VocabularySteps steps, Sharing sharing)
{
    if (sharing == Sharing::None)
        return steps;
    const bool isSequence = sharing == Sharing::Sequence;
    for (PassSteps *list : {&steps.forward, &steps.backward, &steps.s, &steps.u, &steps.t})
        *list = SharedSteps(sharing).of(*list);
    if (isSequence && !steps.sendsNormOutput) { // the norm is of own rows, its product of all
        PassSteps gather = apart({step(PassStepKind::GatherRows, {PassValue::LastOutput}, {steps.normOutput})});
        steps.normOutput = PassValue::LastOutput;
        append(gather, steps.forward);
        steps.forward = std::move(gather);
    }
    if (!isSequence) { // each rank has the sum over the devices of its shards
        PassStep sum = step(PassStepKind::SumRows, {PassValue::OutputGradient}, {PassValue::OutputGradient});
        sum.countsApart = std::ranges::any_of(steps.backward, &PassStep::countsApart);
        steps.backward.push_back(std::move(sum));
    }
    return steps;
}

} // namespace stagelens::schedule
