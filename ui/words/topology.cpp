#include "ui/words/topology.h"

#include "ui/words/time_axis.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QStringList>

#include <algorithm>
#include <array>
#include <map>

namespace stagelens::ui {

using namespace Qt::StringLiterals;
using layout::Axis;

namespace {

constexpr std::array kShownAxes{Axis::Tensor, Axis::Context, Axis::Data, Axis::Expert, Axis::Pipeline};

template <class Figure>
Figure greatestFigure(const std::vector<Figure> &figures)
{
    return figures.empty() ? Figure{} : std::ranges::max(figures);
}

/// The worst span of an axis' groups, which differ where nodes are no multiple of a group.
void addSpan(TopologyAxis &axis, const layout::Mesh &mesh, int ranksPerNode)
{
    for (const layout::Group &group : mesh.groups({axis.axis})) {
        const layout::NodeSpan span = layout::nodeSpan(group, ranksPerNode);
        if (span.nodes > axis.nodes || (span.nodes == axis.nodes && span.mostInNode > axis.mostInNode)) {
            axis.nodes = span.nodes;
            axis.mostInNode = span.mostInNode;
        }
    }
}

void addFigures(TopologyAxis &axis, const service::Prediction &prediction)
{
    const simulate::Metrics &metrics = prediction.metrics;
    switch (axis.axis) {
    case Axis::Tensor:
        axis.traffic = greatestFigure(metrics.tensorTraffic);
        axis.wait = greatestFigure(metrics.tensorPerDevice);
        break;
    case Axis::Context:
        axis.traffic = greatestFigure(metrics.contextTraffic);
        axis.wait = greatestFigure(metrics.contextPerDevice);
        break;
    case Axis::Data:
        axis.traffic = greatestFigure(metrics.replicaTraffic);
        axis.wait = greatestFigure(metrics.replicaPerDevice) + metrics.exposedExchange.value_or(0);
        break;
    case Axis::Expert:
        axis.traffic = greatestFigure(metrics.expertTraffic);
        axis.wait = greatestFigure(metrics.expertPerDevice);
        break;
    default: {
        axis.traffic = greatestFigure(metrics.pipelineTraffic);
        std::map<int, std::int64_t> sent;
        for (const timeline::TransferSlice &transfer : prediction.timeline->transfers)
            if (transfer.transfer == schedule::Transfer::Send)
                ++sent[transfer.device];
        for (const auto &[device, count] : sent)
            axis.messages = std::max(axis.messages, count);
    }
    }
}

/// "ranks 16 to 23", "ranks 0, 16, 32, 48".
QString ranksText(const std::vector<int> &ranks)
{
    constexpr std::size_t kMostNamed = 6;
    std::vector<int> sorted = ranks;
    std::ranges::sort(sorted);
    const bool areAdjacent = sorted.back() - sorted.front() + 1 == static_cast<int>(sorted.size());
    if (areAdjacent && sorted.size() > 2)
        return Words::tr("ranks %1 to %2").arg(sorted.front()).arg(sorted.back());
    QStringList numbers;
    for (std::size_t i = 0; i < std::min(sorted.size(), kMostNamed); ++i)
        numbers << QString::number(sorted[i]);
    if (sorted.size() > kMostNamed)
        numbers << u"…"_s << QString::number(sorted.back());
    return Words::tr("ranks %1").arg(numbers.join(u", "_s));
}

QString sharesText(Axis axis)
{
    switch (axis) {
    case Axis::Tensor: return Words::tr("It shares each layer with %1, %2.");
    case Axis::Context: return Words::tr("It shares each sequence with %1, %2.");
    case Axis::Data: return Words::tr("It sums its gradients with %1, %2.");
    case Axis::Expert: return Words::tr("It exchanges the tokens of experts with %1, %2.");
    default: return Words::tr("It passes activations and gradients along the pipeline of %1, %2.");
    }
}

} // namespace

std::optional<Topology> topologyOf(const service::Prediction &prediction)
{
    const model::Hardware *hardware = prediction.hardware.get();
    if (hardware == nullptr || !prediction.schedule || !prediction.timeline)
        return std::nullopt;
    const auto mesh = layout::meshOf(prediction.experiment.parallel, prediction.schedule->devices());
    if (!mesh || mesh->ranks() == 1)
        return std::nullopt;
    const int ranksPerNode = std::max(hardware->devicesPerNode, 1);
    Topology topology{*mesh, ranksPerNode, (mesh->ranks() + ranksPerNode - 1) / ranksPerNode, prediction.metrics.iteration, {}};
    for (const Axis each : kShownAxes) {
        if (mesh->size(each) == 1)
            continue;
        TopologyAxis axis{each, mesh->size(each)};
        addSpan(axis, *mesh, ranksPerNode);
        axis.bytesPerSecond = axis.nodes > 1 ? hardware->betweenNodes.bytesPerSecond : hardware->insideNode.bytesPerSecond;
        addFigures(axis, prediction);
        topology.axes.push_back(axis);
    }
    return topology;
}

QString axisText(Axis axis)
{
    switch (axis) {
    case Axis::Tensor: return Words::tr("Tensor");
    case Axis::Context: return Words::tr("Context");
    case Axis::Data: return Words::tr("Data");
    case Axis::Expert: return Words::tr("Expert");
    default: return Words::tr("Pipeline");
    }
}

QString axisLine(const TopologyAxis &axis, const Topology &topology)
{
    constexpr double kGigabyte = 1e9;
    QString line = u"%1 %2: "_s.arg(axisText(axis.axis), countText(axis.size));
    if (axis.nodes == 1)
        line += Words::tr("inside a node");
    else if (axis.mostInNode > 1)
        line += Words::tr("across %1 nodes, %2 ranks in each").arg(axis.nodes).arg(axis.mostInNode);
    else
        line += Words::tr("across %1 nodes").arg(axis.nodes);
    if (axis.bytesPerSecond > 0)
        line += Words::tr(", %1 GB/s").arg(QString::number(axis.bytesPerSecond / kGigabyte, 'g', 3));
    if (axis.traffic > 0)
        line += Words::tr("; a rank sends %1 a step").arg(bytesText(axis.traffic));
    if (axis.messages > 0)
        line += Words::tr("; a rank sends %1 messages a step").arg(countText(static_cast<double>(axis.messages)));
    if (axis.wait > 0 && topology.iteration > 0)
        line += Words::tr(", waits %1 of it")
                    .arg(shareText(static_cast<double>(axis.wait) / static_cast<double>(topology.iteration)));
    return line;
}

QString rankSentence(int rank, const Topology &topology)
{
    const layout::Coordinates at = topology.mesh.coordinatesOf(rank);
    QStringList coordinates{Words::tr("device %1").arg(at[Axis::Pipeline])};
    for (const TopologyAxis &axis : topology.axes)
        if (axis.axis != Axis::Pipeline)
            coordinates << u"%1 %2"_s.arg(axisText(axis.axis).toLower()).arg(at[axis.axis]);
    QStringList sentences{
        Words::tr("Rank %1 on node %2: %3.")
            .arg(QString::number(rank), QString::number(rank / topology.ranksPerNode), coordinates.join(u", "_s))};
    for (const TopologyAxis &axis : topology.axes) {
        const layout::Group group = topology.mesh.group(rank, {axis.axis});
        const layout::NodeSpan span = layout::nodeSpan(group, topology.ranksPerNode);
        sentences << sharesText(axis.axis).arg(ranksText(group.ranks), span.crossesNodes() ? Words::tr("over the network")
                                                                                           : Words::tr("inside the node"));
    }
    return sentences.join(u' ');
}

} // namespace stagelens::ui
