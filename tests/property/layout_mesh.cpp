// Random meshes: ranks and coordinates agree, groups of any axes divide the ranks, and shards divide a tensor.
#include "engine/base/random.h"
#include "engine/layout/mesh.h"
#include "engine/layout/shard.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <algorithm>

namespace property_layout_mesh {

using namespace stagelens::layout;
using stagelens::base::Random;

namespace {

constexpr int kMeshes = 200;
constexpr int kRankSets = 1 << kRankAxes;

std::uint64_t seed()
{
    bool given = false;
    const std::uint64_t own = qEnvironmentVariable("STAGELENS_SEED").toULongLong(&given);
    return given ? own : 20'261'123;
}

Mesh anyMesh(Random &random)
{
    const auto size = [&random] { return static_cast<int>(random.nextInteger(1, 5)); };
    MeshSizes sizes{size(), size(), size(), size()};
    do
        sizes.expert = static_cast<int>(random.nextInteger(1, sizes.tensor * sizes.data));
    while (sizes.tensor * sizes.data % sizes.expert != 0);
    RankOrder order = Mesh::kDefaultOrder;
    for (std::size_t i = order.size() - 1; i > 0; --i)
        std::swap(order[i], order[static_cast<std::size_t>(random.nextInteger(0, static_cast<std::int64_t>(i)))]);
    return Mesh(sizes, order);
}

/// Returns a set of axes: bit i of the number stands for the i-th axis of ranks, with experts in place of tensor and data.
Axes axesOf(int bits, bool hasExperts)
{
    constexpr std::array kWithout{Axis::Tensor, Axis::Context, Axis::Data, Axis::Pipeline};
    constexpr std::array kWith{Axis::Expert, Axis::Context, Axis::ExpertData, Axis::Pipeline};
    Axes axes;
    for (std::size_t i = 0; i < kRankAxes; ++i)
        if ((bits >> i & 1) != 0)
            axes = axes | Axes{(hasExperts ? kWith : kWithout)[i]};
    return axes;
}

} // namespace

class PropertyLayoutMesh : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { qInfo("seed %llu (STAGELENS_SEED repeats it)", static_cast<unsigned long long>(seed())); }

    void ranksAndCoordinatesAgree()
    {
        Random random(seed(), 1);
        for (int i = 0; i < kMeshes; ++i) {
            const Mesh mesh = anyMesh(random);
            QCOMPARE(parseRankOrder(rankOrderText(mesh.order())), mesh.order());
            for (int rank = 0; rank < mesh.ranks(); ++rank) {
                const Coordinates at = mesh.coordinatesOf(rank);
                QCOMPARE(mesh.rankOf(at), rank);
                for (std::size_t axis = 0; axis < kAxes; ++axis)
                    QVERIFY(at.at[axis] >= 0 && at.at[axis] < mesh.size(static_cast<Axis>(axis)));
            }
        }
    }

    /// For every set of axes each rank is in one group; the sizes multiply; members differ in these axes only; any member
    /// answers the same group.
    void groupsDivideTheRanks()
    {
        Random random(seed(), 2);
        for (int i = 0; i < kMeshes; ++i) {
            const Mesh mesh = anyMesh(random);
            for (int bits = 0; bits < 2 * kRankSets; ++bits)
                checkGroups(mesh, axesOf(bits % kRankSets, bits >= kRankSets));
        }
    }

    /// Against the formula for sizes that divide a node of k ranks: an axis with stride s has max(1, min(size, k / s)) ranks of
    /// a group in one node.
    void groupsInNodes()
    {
        Random random(seed(), 3);
        for (int i = 0; i < kMeshes; ++i) {
            const auto power = [&random] { return 1 << random.nextInteger(0, 3); };
            const Mesh base = anyMesh(random);
            const Mesh mesh({power(), power(), power(), power()}, base.order());
            const int perNode = power();
            int stride = 1;
            for (const Axis axis : mesh.order()) {
                const int size = mesh.size(axis);
                const int inNode = std::max(1, std::min(size, perNode / stride));
                for (const Group &group : mesh.groups({axis})) {
                    QCOMPARE(nodeSpan(group, perNode).mostInNode, inNode);
                    QCOMPARE(nodeSpan(group, perNode).nodes, size / inNode);
                }
                stride *= size;
            }
        }
    }

    /// The parts of one copy of a tensor follow each other without a gap.
    void shardsDivideATensor()
    {
        Random random(seed(), 4);
        for (int i = 0; i < kMeshes; ++i) {
            const Mesh mesh = anyMesh(random);
            const Axes cut = axesOf(static_cast<int>(random.nextInteger(0, kRankSets - 1)), random.nextInteger(0, 1) == 1);
            const std::int64_t extent = random.nextInteger(0, 300);
            for (const Group &group : mesh.groups(cut)) {
                std::int64_t end = 0;
                for (const int rank : group.ranks) {
                    const Interval part = shardOf(mesh, rank, 0, cut).of(extent);
                    QCOMPARE(part.begin, end);
                    QVERIFY(part.size() >= 0);
                    end = part.end;
                }
                QCOMPARE(end, extent);
            }
        }
    }

private:
    static void checkGroups(const Mesh &mesh, Axes varying)
    {
        int size = 1;
        for (std::size_t axis = 0; axis < kAxes; ++axis)
            if (varying.contains(static_cast<Axis>(axis)))
                size *= mesh.size(static_cast<Axis>(axis));
        const std::vector<Group> groups = mesh.groups(varying);
        QCOMPARE(static_cast<int>(groups.size()) * size, mesh.ranks());
        std::vector<int> seen;
        for (const Group &group : groups) {
            QCOMPARE(static_cast<int>(group.ranks.size()), size);
            seen.insert(seen.end(), group.ranks.begin(), group.ranks.end());
            for (std::size_t i = 0; i < group.ranks.size(); ++i) {
                const Group same = mesh.group(group.ranks[i], varying);
                QCOMPARE(same.ranks, group.ranks);
                QCOMPARE(same.index, static_cast<int>(i));
            }
        }
        std::ranges::sort(seen);
        for (int rank = 0; rank < mesh.ranks(); ++rank)
            QCOMPARE(seen[static_cast<std::size_t>(rank)], rank);
    }
};

STAGELENS_TEST(PropertyLayoutMesh)

} // namespace property_layout_mesh

#include "layout_mesh.moc"
