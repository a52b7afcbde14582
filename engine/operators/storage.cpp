#include "engine/operators/storage.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <stdexcept>

namespace stagelens::operators {
namespace {

constexpr int kUnassigned = -1;

/// Returns whether the kernel of an operator can also add a residual or else apply an activation.
bool canTakeAlong(const Operator &op, bool isAdd)
{
    const bool isSum =
        op.kind == OperatorKind::ReduceScatter || op.kind == OperatorKind::AllReduce || op.kind == OperatorKind::Combine;
    return (isAdd && isSum) || (op.kind == OperatorKind::Linear && op.projections.size() == 1);
}

bool isFree(const std::vector<ScratchLife> &lives, const std::vector<int> &tensors, const ScratchLife &life, int tensor)
{
    for (std::size_t i = 0; i < lives.size(); ++i)
        if (tensors[i] == tensor && lives[i].first <= life.last && life.first <= lives[i].last)
            return false;
    return true;
}

} // namespace

Fusion::Fusion(const Block &block)
    : m_ops(block.operators.size()), m_root(block.values.size()), m_producer(block.values.size(), -1)
{
    std::iota(m_root.begin(), m_root.end(), 0);
    std::vector<int> uses(block.values.size(), 0);
    for (std::size_t op = 0; op < block.operators.size(); ++op) {
        for (const ValueId value : block.operators[op].outputs)
            m_producer[static_cast<std::size_t>(value)] = static_cast<int>(op);
        for (const ValueId value : block.operators[op].inputs)
            ++uses[static_cast<std::size_t>(value)];
    }
    for (std::size_t op = 0; op < block.operators.size(); ++op) {
        const Operator &each = block.operators[op];
        if (each.kind == OperatorKind::Rotary || each.kind == OperatorKind::Replicate || each.kind == OperatorKind::DropRows)
            m_root[static_cast<std::size_t>(each.outputs[0])] = root(each.inputs[0]);
        if (each.kind != OperatorKind::Add && each.kind != OperatorKind::Activation)
            continue;
        const int before = producer(each.inputs[0]);
        const bool isAdd = each.kind == OperatorKind::Add;
        const bool takesAlong = before >= 0 && canTakeAlong(block.operators[static_cast<std::size_t>(before)], isAdd) &&
                                uses[static_cast<std::size_t>(each.inputs[0])] == 1;
        const bool isInTime = !isAdd || producer(each.inputs[1]) < before;
        if (!takesAlong || !isInTime)
            throw std::logic_error("no product or sum can take along an operator of the block");
        (isAdd ? m_ops[static_cast<std::size_t>(before)].addition : m_ops[static_cast<std::size_t>(before)].activation) =
            static_cast<int>(op);
        m_ops[op].isAbsorbed = true;
    }
}

namespace {

struct Packed {
    std::vector<std::int64_t> widths; ///< of the tensors, widest first
    std::vector<int> tensors;         ///< of each life
};

/// Assigns the widest lives first, each to the first tensor that is free.
Packed pack(const std::vector<ScratchLife> &lives)
{
    std::vector<std::size_t> order(lives.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return lives[a].width > lives[b].width; });
    Packed packed{{}, std::vector<int>(lives.size(), kUnassigned)};
    for (const std::size_t i : order) {
        int tensor = 0;
        while (!isFree(lives, packed.tensors, lives[i], tensor))
            ++tensor;
        packed.tensors[i] = tensor;
        if (static_cast<std::size_t>(tensor) == packed.widths.size())
            packed.widths.push_back(lives[i].width);
    }
    return packed;
}

bool isHeldBy(const Packed &packed, const std::vector<std::int64_t> &widths)
{
    return packed.widths.size() <= widths.size() &&
           std::ranges::equal(packed.widths, std::span(widths).first(packed.widths.size()), std::ranges::less_equal());
}

} // namespace

std::vector<std::int64_t> scratchWidths(const std::vector<ScratchLife> &lives)
{
    return pack(lives).widths;
}

std::vector<int> assignScratch(const std::vector<ScratchLife> &lives, const std::vector<std::int64_t> &widths)
{
    std::vector<int> tensors(lives.size(), kUnassigned);
    for (std::size_t i = 0; i < lives.size(); ++i) {
        auto tensor = static_cast<int>(widths.size()) - 1;
        while (tensor >= 0 &&
               (widths[static_cast<std::size_t>(tensor)] < lives[i].width || !isFree(lives, tensors, lives[i], tensor)))
            --tensor;
        if (tensor < 0) { // an early life took what a later, wider one needs
            Packed packed = pack(lives);
            if (!isHeldBy(packed, widths))
                throw std::logic_error("the scratch tensors of a block do not suffice");
            return std::move(packed.tensors);
        }
        tensors[i] = tensor;
    }
    return tensors;
}

} // namespace stagelens::operators
