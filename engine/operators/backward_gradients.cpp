#include "engine/operators/backward_gradients.h"

#include "engine/operators/recipe.h"

#include <algorithm>
#include <stdexcept>

namespace stagelens::operators {

void BackwardGradients::appendWrite(ValueId value, Step step, bool isOverwriting)
{
    const Place target = step.out[0];
    std::vector<Pending> due;
    if (isOverwriting) {
        for (const auto &[other, place] : m_gradient)
            if (place == target && other != m_fusion.root(value) && m_fusion.producer(other) >= 0 &&
                static_cast<std::size_t>(m_fusion.producer(other)) < m_op)
                throw std::logic_error("a gradient of a block is overwritten before its last use");
        const auto first = std::ranges::partition(m_pending, [&](const Pending &each) { return !(each.from == target); });
        due.assign(first.begin(), first.end());
        m_pending.erase(first.begin(), first.end());
    }
    if (due.empty()) {
        m_draft.steps.push_back(std::move(step));
        return;
    }
    const std::int64_t width = m_block.heldWidth(due.front().value);
    const Place before = m_draft.newScratch(width);
    m_draft.steps.push_back({StepKind::Copy, -1, {target}, {before}, {}, {}, false, width});
    m_draft.steps.push_back(std::move(step));
    const Place place = roomAfter(m_op, due.front().value);
    if (!place)
        throw std::logic_error("a split backward of a block finds no room for a gradient");
    m_draft.steps.push_back({StepKind::Copy, -1, {before}, {place}, {}, {}, false, width});
    for (const Pending &each : due)
        setKept(each.use, place);
}

void BackwardGradients::keep(ValueId value, Use use)
{
    const Place from = gradient(value);
    if (from.kind == Place::Kind::Saved) {
        m_taken.insert(from.index);
        return;
    }
    if (const auto kept = std::ranges::find(m_kept, from, &std::pair<Place, Place>::first);
        kept != m_kept.end() && from.kind == Draft::kNumbered)
        return setKept(use, kept->second);
    const Place place = from.kind == Place::Kind::Gradient ? Place{} : roomAfter(m_op + 1, value);
    if (!place) {
        m_pending.push_back({value, from, use});
        return;
    }
    m_draft.steps.push_back({StepKind::Copy, -1, {from}, {place}, {}, {}, false, m_block.heldWidth(value)});
    m_kept.emplace_back(from, place);
    setKept(use, place);
}

Place BackwardGradients::roomAfter(std::size_t op, ValueId value)
{
    std::vector<ValueId> candidates{m_fusion.root(value)};
    candidates.insert(candidates.end(), m_saved.begin(), m_saved.end());
    candidates.push_back(Block::kInput);
    for (const ValueId each : candidates) {
        const bool isStored = each == Block::kInput || std::ranges::find(m_saved, each) != m_saved.end();
        const Value &stored = m_block.value(each);
        if (stored.isOwnRows && stored.width % m_block.tensorRanks != 0) // holds less than heldWidth() numbers a token
            continue;
        if (!isStored || stored.isStatistics || m_block.heldWidth(each) != m_block.heldWidth(value) || m_taken.contains(each) ||
            isRead(each, op))
            continue;
        m_taken.insert(each);
        return saved(each);
    }
    return {};
}

bool BackwardGradients::isRead(ValueId value, std::size_t before) const
{
    for (std::size_t op = 0; op < m_block.operators.size(); ++op) {
        const BackwardReads reads = backwardReads(m_block, m_block.operators[op]);
        const auto isSame = [&](ValueId each) { return m_fusion.root(each) == value; };
        if (std::ranges::any_of(reads.weight, isSame) || (op < before && std::ranges::any_of(reads.input, isSame)))
            return true;
    }
    return false;
}

} // namespace stagelens::operators
