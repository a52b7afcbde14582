// The ranks of a plan, and the groups in which they communicate.
#pragma once

#include "engine/model/experiment.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::layout {

/// The axes of a mesh: tensor, context and data parallelism, and the pipeline. Expert parallelism is folded over the tensor and
/// data ranks (arXiv 2504.14960): the ranks with one context and pipeline coordinate, numbered with tensor fastest, are cut
/// into groups of consecutive ranks. Expert is the coordinate in such a group, ExpertData the number of the group.
enum class Axis : std::uint8_t { Tensor, Context, Data, Pipeline, Expert, ExpertData };
inline constexpr std::size_t kAxes = 6;
/// The number of axes that are coordinates of a rank; the other axes follow from them.
inline constexpr std::size_t kRankAxes = 4;

/// A set of axes.
class Axes {
public:
    constexpr Axes() = default;
    constexpr Axes(std::initializer_list<Axis> axes)
    {
        for (const Axis axis : axes)
            m_bits |= bit(axis);
    }
    [[nodiscard]] constexpr bool contains(Axis axis) const { return (m_bits & bit(axis)) != 0; }
    [[nodiscard]] constexpr bool intersects(Axes other) const { return (m_bits & other.m_bits) != 0; }
    constexpr Axes &operator|=(Axes other)
    {
        m_bits |= other.m_bits;
        return *this;
    }
    friend constexpr Axes operator|(Axes one, Axes other) { return one |= other; }
    friend constexpr bool operator==(Axes, Axes) = default;

private:
    static constexpr std::uint8_t bit(Axis axis) { return static_cast<std::uint8_t>(1U << static_cast<unsigned>(axis)); }
    std::uint8_t m_bits = 0;
};

/// The coordinates of a rank, one for each Axis.
struct Coordinates {
    std::array<int, kAxes> at{};
    [[nodiscard]] int operator[](Axis axis) const { return at[static_cast<std::size_t>(axis)]; }
    [[nodiscard]] int &operator[](Axis axis) { return at[static_cast<std::size_t>(axis)]; }
    friend bool operator==(const Coordinates &, const Coordinates &) = default;
};

/// The axes from the fastest (adjacent ranks) to the slowest.
using RankOrder = std::array<Axis, kRankAxes>;
/// Reads a permutation of "tp-cp-dp-pp", the names that Megatron-LM uses.
[[nodiscard]] std::optional<RankOrder> parseRankOrder(std::string_view text);
[[nodiscard]] std::string rankOrderText(const RankOrder &order);

/// Ranks that communicate: they differ in some axes and agree in all others.
struct Group {
    /// Ordered by coordinate, with the first of its axes (in the order of Axis) fastest. The order does not depend on the rank
    /// order of the mesh, so sums in this order have the same bits for every rank order.
    std::vector<int> ranks;
    int index = 0; ///< position of the given rank
};

/// The placement of a group on nodes of equal size, which ranks fill in order.
struct NodeSpan {
    int nodes = 1;
    int mostInNode = 1; ///< ranks of the group in one node
    [[nodiscard]] bool crossesNodes() const { return nodes > 1; }
};
[[nodiscard]] NodeSpan nodeSpan(const Group &group, int ranksPerNode);
/// Returns the node of each rank of the group.
[[nodiscard]] std::vector<int> nodesOf(const Group &group, int ranksPerNode);

struct MeshSizes {
    int tensor = 1;
    int context = 1;
    int data = 1;
    int pipeline = 1;
    int expert = 1; ///< divides tensor x data
    friend bool operator==(const MeshSizes &, const MeshSizes &) = default;
};

/// The ranks of a plan, with 0 the first. All functions are pure.
class Mesh {
public:
    static constexpr RankOrder kDefaultOrder{Axis::Tensor, Axis::Context, Axis::Data, Axis::Pipeline};

    /// Throws std::invalid_argument unless all sizes are positive, `expert` divides tensor x data, the number of ranks is an
    /// int and the order has each axis once.
    explicit Mesh(const MeshSizes &sizes, const RankOrder &order = kDefaultOrder);

    [[nodiscard]] int ranks() const { return m_ranks; }
    [[nodiscard]] int size(Axis axis) const { return m_sizes[static_cast<std::size_t>(axis)]; }
    [[nodiscard]] const RankOrder &order() const { return m_order; }

    [[nodiscard]] Coordinates coordinatesOf(int rank) const;
    /// Returns the rank with these coordinates. Ignores Expert and ExpertData.
    [[nodiscard]] int rankOf(const Coordinates &coordinates) const;

    /// Returns the ranks that differ from `rank` only in these axes, itself included. Throws std::invalid_argument if Expert or
    /// ExpertData is combined with Tensor or Data, because both divide the same ranks.
    [[nodiscard]] Group group(int rank, Axes varying) const;
    /// Returns every group of these axes, ordered by their first ranks.
    [[nodiscard]] std::vector<Group> groups(Axes varying) const;

private:
    std::array<int, kAxes> m_sizes{};
    std::array<int, kRankAxes> m_strides{}; ///< of Axis, in ranks
    RankOrder m_order;
    int m_ranks = 1;
};

/// Returns the mesh of a plan whose schedule has that many devices, or nothing if its sizes are invalid.
[[nodiscard]] std::optional<Mesh> meshOf(const model::ParallelPlan &plan, int devices);

} // namespace stagelens::layout
