#include "engine/layout/mesh.h"

#include "engine/base/text.h"

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>

namespace stagelens::layout {
namespace {

constexpr std::array<std::string_view, kRankAxes> kShortNames{"tp", "cp", "dp", "pp"};
constexpr Axes kFolded{Axis::Expert, Axis::ExpertData};
constexpr Axes kUnfolded{Axis::Tensor, Axis::Data};

/// The axes that divide all ranks among them, in the order of Axis: with experts, or with tensor and data.
constexpr std::array kWithExperts{Axis::Context, Axis::Pipeline, Axis::Expert, Axis::ExpertData};
constexpr std::array kWithoutExperts{Axis::Tensor, Axis::Context, Axis::Data, Axis::Pipeline};

/// Returns why sizes and order make no mesh, or null.
const char *faultOf(const MeshSizes &sizes, const RankOrder &order)
{
    std::int64_t ranks = 1;
    for (const int size : {sizes.tensor, sizes.context, sizes.data, sizes.pipeline}) {
        if (size < 1)
            return "a mesh needs positive sizes";
        ranks *= size;
        if (ranks > std::numeric_limits<int>::max())
            return "a mesh has too many ranks";
    }
    if (!std::ranges::is_permutation(order, Mesh::kDefaultOrder))
        return "the order of a mesh has each axis once";
    if (sizes.expert < 1 || sizes.tensor * sizes.data % sizes.expert != 0)
        return "the experts of a mesh divide its tensor and data ranks";
    return nullptr;
}

} // namespace

std::optional<RankOrder> parseRankOrder(std::string_view text)
{
    const std::vector<std::string_view> words = base::split(text, '-');
    if (words.size() != kRankAxes || std::set(words.begin(), words.end()).size() != kRankAxes)
        return std::nullopt;
    RankOrder order{};
    for (std::size_t i = 0; i < kRankAxes; ++i) {
        const auto found = std::ranges::find(kShortNames, words[i]);
        if (found == kShortNames.end())
            return std::nullopt;
        order[i] = static_cast<Axis>(found - kShortNames.begin());
    }
    return order;
}

std::string rankOrderText(const RankOrder &order)
{
    std::vector<std::string> words;
    for (const Axis axis : order)
        words.emplace_back(kShortNames[static_cast<std::size_t>(axis)]);
    return base::join(words, "-");
}

std::vector<int> nodesOf(const Group &group, int ranksPerNode)
{
    std::vector<int> nodes;
    for (const int rank : group.ranks)
        nodes.push_back(rank / std::max(ranksPerNode, 1));
    return nodes;
}

NodeSpan nodeSpan(const Group &group, int ranksPerNode)
{
    std::vector<int> nodes = nodesOf(group, ranksPerNode);
    std::ranges::sort(nodes);
    NodeSpan span{0, 0};
    for (auto node = nodes.begin(); node != nodes.end(); ++span.nodes) {
        const auto next = std::upper_bound(node, nodes.end(), *node);
        span.mostInNode = std::max(span.mostInNode, static_cast<int>(next - node));
        node = next;
    }
    return span;
}

Mesh::Mesh(const MeshSizes &sizes, const RankOrder &order)
    : m_sizes{sizes.tensor, sizes.context, sizes.data, sizes.pipeline, sizes.expert}, m_order(order)
{
    if (const char *fault = faultOf(sizes, order))
        throw std::invalid_argument(fault);
    for (const Axis axis : order) {
        m_strides[static_cast<std::size_t>(axis)] = m_ranks;
        m_ranks *= size(axis);
    }
    m_sizes[static_cast<std::size_t>(Axis::ExpertData)] = sizes.tensor * sizes.data / sizes.expert;
}

Coordinates Mesh::coordinatesOf(int rank) const
{
    Coordinates coordinates;
    for (std::size_t axis = 0; axis < kRankAxes; ++axis)
        coordinates.at[axis] = rank / m_strides[axis] % m_sizes[axis];
    const int folded = coordinates[Axis::Tensor] + size(Axis::Tensor) * coordinates[Axis::Data];
    coordinates[Axis::Expert] = folded % size(Axis::Expert);
    coordinates[Axis::ExpertData] = folded / size(Axis::Expert);
    return coordinates;
}

int Mesh::rankOf(const Coordinates &coordinates) const
{
    int rank = 0;
    for (std::size_t axis = 0; axis < kRankAxes; ++axis)
        rank += coordinates.at[axis] * m_strides[axis];
    return rank;
}

Group Mesh::group(int rank, Axes varying) const
{
    const bool hasExperts = varying.intersects(kFolded);
    if (hasExperts && varying.intersects(kUnfolded))
        throw std::invalid_argument("experts are another division of tensor and data ranks");
    Coordinates at = coordinatesOf(rank);
    const std::array<Axis, kRankAxes> &axes = hasExperts ? kWithExperts : kWithoutExperts;
    for (const Axis axis : axes)
        if (varying.contains(axis))
            at[axis] = 0;
    Group group;
    while (true) {
        if (hasExperts) {
            const int folded = at[Axis::Expert] + size(Axis::Expert) * at[Axis::ExpertData];
            at[Axis::Tensor] = folded % size(Axis::Tensor);
            at[Axis::Data] = folded / size(Axis::Tensor);
        }
        group.ranks.push_back(rankOf(at));
        if (group.ranks.back() == rank)
            group.index = static_cast<int>(group.ranks.size()) - 1;
        const auto next = std::ranges::find_if(axes, [&](Axis axis) {
            if (!varying.contains(axis))
                return false;
            at[axis] = (at[axis] + 1) % size(axis);
            return at[axis] != 0;
        });
        if (next == axes.end())
            return group;
    }
}

std::vector<Group> Mesh::groups(Axes varying) const
{
    std::vector<Group> all;
    std::vector<bool> isKnown(static_cast<std::size_t>(m_ranks));
    for (int rank = 0; rank < m_ranks; ++rank) {
        if (isKnown[static_cast<std::size_t>(rank)])
            continue;
        for (const int member : all.emplace_back(group(rank, varying)).ranks)
            isKnown[static_cast<std::size_t>(member)] = true;
    }
    return all;
}

std::optional<Mesh> meshOf(const model::ParallelPlan &plan, int devices)
{
    const MeshSizes sizes{plan.tensor, plan.context, plan.replicas, devices, plan.expert};
    const std::optional<RankOrder> order = parseRankOrder(plan.rankOrder);
    if (!order || faultOf(sizes, *order) != nullptr)
        return std::nullopt;
    return Mesh(sizes, *order);
}

} // namespace stagelens::layout
