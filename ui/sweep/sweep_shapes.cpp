#include "ui/sweep/sweep_shapes.h"

#include "engine/base/count.h"
#include "engine/model/schema.h"
#include "ui/words/words.h"

#include <QStringList>

#include <algorithm>
#include <array>
#include <vector>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

struct Shape {
    int devices = 1;
    int tensor = 1;
    int context = 1;
    int replicas = 1;
    friend bool operator==(const Shape &, const Shape &) = default;
};

/// Shapes by their numbers. Of the GUI thread.
std::vector<Shape> &knownShapes()
{
    static std::vector<Shape> known;
    return known;
}

QString written(const Shape &shape)
{
    return shape.context > 1 ? u"%1x%2x%3x%4"_s.arg(shape.devices).arg(shape.tensor).arg(shape.context).arg(shape.replicas)
                             : u"%1x%2x%3"_s.arg(shape.devices).arg(shape.tensor).arg(shape.replicas);
}

} // namespace

std::optional<int> parseSweepShape(const QString &text)
{
    constexpr std::int64_t kMostDegree = 1 << 16;
    std::vector<int> degrees;
    for (const QString &part : text.split(u'x')) {
        const auto number = base::parseCount(utf8(part));
        if (!number || *number < 1 || *number > kMostDegree)
            return std::nullopt;
        degrees.push_back(static_cast<int>(*number));
    }
    if (degrees.size() != 3 && degrees.size() != 4)
        return std::nullopt;
    const Shape shape = degrees.size() == 3 ? Shape{degrees[0], degrees[1], 1, degrees[2]}
                                            : Shape{degrees[0], degrees[1], degrees[2], degrees[3]};
    std::vector<Shape> &known = knownShapes();
    const auto found = std::ranges::find(known, shape);
    if (found != known.end())
        return static_cast<int>(found - known.begin());
    known.push_back(shape);
    return static_cast<int>(known.size()) - 1;
}

QString sweepShapeText(int shape)
{
    const Shape &known = knownShapes()[static_cast<std::size_t>(shape)];
    const QString context = known.context > 1 ? u"c %1 × "_s.arg(known.context) : QString();
    return u"%1 × %2 × %3%4"_s.arg(known.devices).arg(known.tensor).arg(context).arg(known.replicas);
}

void setSweepShape(model::Experiment &plan, int shape)
{
    const Shape &known = knownShapes()[static_cast<std::size_t>(shape)];
    const std::int64_t all = plan.parallel.stepMicrobatches();
    plan.parallel.devices = known.devices;
    plan.parallel.tensor = known.tensor;
    plan.parallel.context = known.context;
    plan.parallel.replicas = known.replicas;
    plan.parallel.microbatches = all % known.replicas == 0 ? static_cast<int>(all / known.replicas) : 0;
    plan.parallel.zero = known.replicas * known.context > 1 ? std::max(plan.parallel.zero, 1) : 0;
    plan.parallel.shardReplicas = 0;
    model::followStages(plan);
}

QString offeredSweepShapes(const model::Experiment &plan)
{
    constexpr std::array kTensor{1, 2, 4, 8};
    constexpr qsizetype kMostOffered = 12;
    const std::int64_t ranks = plan.parallel.ranks(plan.parallel.devices) / plan.parallel.context;
    QStringList shapes;
    for (const int tensor : kTensor)
        for (int devices = 1; devices <= std::min<std::int64_t>(ranks, plan.model.layers); devices *= 2) {
            const std::int64_t replicas = ranks / tensor / devices;
            const bool isWhole = replicas > 0 && replicas * tensor * devices == ranks;
            if (isWhole && plan.model.heads % tensor == 0 && plan.parallel.stepMicrobatches() % replicas == 0)
                shapes << written({devices, tensor, plan.parallel.context, static_cast<int>(replicas)});
        }
    return shapes.mid(0, kMostOffered).join(u", "_s);
}

} // namespace stagelens::ui
