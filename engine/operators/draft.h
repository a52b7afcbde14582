// Steps before their scratch tensors are assigned.
#pragma once

#include "engine/operators/storage.h"

#include <vector>

namespace stagelens::operators {

/// Returns a step that exchanges a tensor with rows of `width` among tensor ranks.
[[nodiscard]] Step exchangeStep(Exchange exchange, Place in, Place out, std::int64_t width, int hop = 0);

/// Returns the numbers of a row that an operator exchanges among expert ranks.
[[nodiscard]] std::int64_t rowWidth(const Block &block, const Operator &op);

/// Steps whose scratch tensors are numbered, not yet placed.
struct Draft {
    static constexpr Place::Kind kNumbered = Place::Kind::Scratch; ///< Place::index is the number
    std::vector<Step> steps;
    std::vector<std::int64_t> widths; ///< of each number

    Place newScratch(std::int64_t width)
    {
        widths.push_back(width);
        return {kNumbered, static_cast<ValueId>(widths.size()) - 1};
    }
    [[nodiscard]] std::vector<ScratchLife> lives() const
    {
        std::vector<ScratchLife> lives(widths.size());
        std::vector<bool> isSeen(widths.size());
        for (std::size_t i = 0; i < steps.size(); ++i)
            visit(steps[i], [&](const Place &place) {
                const auto at = static_cast<std::size_t>(place.index);
                lives[at] = {widths[at], isSeen[at] ? lives[at].first : i, i};
                isSeen[at] = true;
            });
        return lives;
    }
    /// Returns the steps with their scratch tensors placed.
    [[nodiscard]] std::vector<Step> placed(const std::vector<std::int64_t> &scratch) const
    {
        const std::vector<int> tensors = assignScratch(lives(), scratch);
        std::vector<Step> made = steps;
        for (Step &step : made)
            visit(step, [&](Place &place) { place.index = tensors[static_cast<std::size_t>(place.index)]; });
        return made;
    }

private:
    /// Calls `use` with each numbered place of the step.
    template <class AnyStep, class Use>
    static void visit(AnyStep &step, const Use &use)
    {
        for (auto *places : {&step.in, &step.out})
            for (auto &place : *places)
                if (place.kind == kNumbered)
                    use(place);
        for (auto *place : {&step.addend, &step.between})
            if (place->kind == kNumbered)
                use(*place);
    }
};

} // namespace stagelens::operators
