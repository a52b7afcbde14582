// Where the gradients of a backward are stored, and how a split backward keeps those that its second half reads.
#pragma once

#include "engine/operators/draft.h"

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace stagelens::operators {

/// The steps of a backward so far, with the gradients that they have computed. differentiate() appends the steps of each
/// operator, in reverse list order.
class BackwardGradients {
protected:
    /// An operand of a step of the weight half that reads a gradient.
    struct Use {
        std::size_t step;
        std::size_t operand;
    };

    BackwardGradients(const Block &block, const Fusion &fusion, const std::vector<ValueId> &saved)
        : m_block(block), m_fusion(fusion), m_saved(saved)
    {}

    /// Appends a step that writes the gradient of `value`. If it overwrites a gradient that the weight half reads, saves that
    /// one first.
    void appendWrite(ValueId value, Step step, bool isOverwriting);
    /// Keeps the gradient of `value` for the weight half: immediately if a saved value of its size is no longer needed,
    /// otherwise when its memory is about to be overwritten.
    void keep(ValueId value, Use use);

    [[nodiscard]] Place gradient(ValueId value) const { return m_gradient.at(m_fusion.root(value)); }
    [[nodiscard]] Place saved(ValueId value) const
    {
        const ValueId root = m_fusion.root(value);
        return root == Block::kInput ? Place{Place::Kind::Input} : Place{Place::Kind::Saved, root};
    }
    /// Returns whether a gradient has no memory yet in which the weight half can read it.
    [[nodiscard]] bool hasPending() const { return !m_pending.empty(); }

    const Block &m_block;
    const Fusion &m_fusion;
    std::size_t m_op = 0;                ///< the current operator
    std::map<ValueId, Place> m_gradient; ///< by root
    Draft m_draft;                       ///< the whole backward, or the first half of a split one
    Draft m_weights;                     ///< the second half

private:
    struct Pending {
        ValueId value;
        Place from;
        Use use;
    };

    void setKept(const Use &use, Place place) { m_weights.steps[use.step].in[use.operand] = place; }
    /// Returns a saved value, or the input, as wide as the gradient of `value`, which no operator before `op` reads in the
    /// first half of the backward and none in the second. Prefers the value itself.
    [[nodiscard]] Place roomAfter(std::size_t op, ValueId value);
    [[nodiscard]] bool isRead(ValueId value, std::size_t before) const;

    const std::vector<ValueId> &m_saved;
    std::vector<Pending> m_pending;
    std::vector<std::pair<Place, Place>> m_kept; ///< from a scratch tensor to its copy
    std::set<ValueId> m_taken;                   ///< saved values that hold a gradient for the weight half
};

} // namespace stagelens::operators
