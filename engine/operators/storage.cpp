#include "engine/operators/storage.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace stagelens::operators {
namespace {

constexpr int kUnassigned = -1;

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
        if (each.kind == OperatorKind::Rotary)
            m_root[static_cast<std::size_t>(each.outputs[0])] = root(each.inputs[0]);
        if (each.kind != OperatorKind::Add && each.kind != OperatorKind::Gelu)
            continue;
        const int before = producer(each.inputs[0]);
        const bool isProduct = before >= 0 && block.operators[static_cast<std::size_t>(before)].kind == OperatorKind::Linear &&
                               block.operators[static_cast<std::size_t>(before)].projections.size() == 1 &&
                               uses[static_cast<std::size_t>(each.inputs[0])] == 1;
        const bool isInTime = each.kind == OperatorKind::Gelu || producer(each.inputs[1]) < before;
        if (!isProduct || !isInTime)
            throw std::logic_error("no product can take along an operator of the block");
        (each.kind == OperatorKind::Add ? m_ops[static_cast<std::size_t>(before)].addition
                                        : m_ops[static_cast<std::size_t>(before)].activation) = static_cast<int>(op);
        m_ops[op].isAbsorbed = true;
    }
}

std::vector<std::int64_t> scratchWidths(const std::vector<ScratchLife> &lives)
{
    std::vector<std::size_t> order(lives.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return lives[a].width > lives[b].width; });
    std::vector<int> tensors(lives.size(), kUnassigned);
    std::vector<std::int64_t> widths;
    for (const std::size_t i : order) {
        int tensor = 0;
        while (!isFree(lives, tensors, lives[i], tensor))
            ++tensor;
        tensors[i] = tensor;
        if (static_cast<std::size_t>(tensor) == widths.size())
            widths.push_back(lives[i].width);
    }
    return widths;
}

std::vector<int> assignScratch(const std::vector<ScratchLife> &lives, const std::vector<std::int64_t> &widths)
{
    std::vector<int> tensors(lives.size(), kUnassigned);
    for (std::size_t i = 0; i < lives.size(); ++i) {
        auto tensor = static_cast<int>(widths.size()) - 1;
        while (tensor >= 0 &&
               (widths[static_cast<std::size_t>(tensor)] < lives[i].width || !isFree(lives, tensors, lives[i], tensor)))
            --tensor;
        if (tensor < 0)
            throw std::logic_error("the scratch tensors of a block do not suffice");
        tensors[i] = tensor;
    }
    return tensors;
}

} // namespace stagelens::operators
