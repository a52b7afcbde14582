// Which values of a block share memory, and which operators become part of another's kernel call.
#pragma once

#include "engine/operators/recipe.h"

namespace stagelens::operators {

/// How the operators of a block are fused into kernel calls.
class Fusion {
public:
    explicit Fusion(const Block &block);

    /// Returns whether the operator is fused into a previous product or sum.
    [[nodiscard]] bool isAbsorbed(std::size_t op) const { return m_ops[op].isAbsorbed; }
    /// Returns the operator that is fused into the product or sum; -1: none.
    [[nodiscard]] int addition(std::size_t op) const { return m_ops[op].addition; }
    [[nodiscard]] int activation(std::size_t op) const { return m_ops[op].activation; }
    /// Returns the value whose memory the value uses: operators that work in place write over their input.
    [[nodiscard]] ValueId root(ValueId value) const { return m_root[static_cast<std::size_t>(value)]; }
    /// Returns the operator that writes the value; -1: none, it is the input.
    [[nodiscard]] int producer(ValueId value) const { return m_producer[static_cast<std::size_t>(value)]; }

private:
    struct Role {
        bool isAbsorbed = false;
        int addition = -1;
        int activation = -1;
    };
    std::vector<Role> m_ops;
    std::vector<ValueId> m_root;
    std::vector<int> m_producer;
};

/// A scratch tensor, which lives from the step that writes it to the last step that reads it.
struct ScratchLife {
    std::int64_t width = 0;
    std::size_t first = 0;
    std::size_t last = 0;
};
/// Returns the widths of the tensors that store all lives, widest first.
[[nodiscard]] std::vector<std::int64_t> scratchWidths(const std::vector<ScratchLife> &lives);
/// Returns the index of the tensor of each life: the narrowest that is wide enough and free, or as scratchWidths() does if that
/// fails. `widths` must be at least those of scratchWidths(), one by one.
[[nodiscard]] std::vector<int> assignScratch(const std::vector<ScratchLife> &lives, const std::vector<std::int64_t> &widths);

} // namespace stagelens::operators
