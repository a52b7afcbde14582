#include "ui/timeline/rows/streams.h"

#include "ui/timeline/scene.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

using timeline::AnchoredKind;

/// Rows of ranks below a lane; more say nothing, for they are equal.
constexpr int kMostRanks = 16;

constexpr std::array kStreamNames{
    QT_TRANSLATE_NOOP("Words", "tensor"),     QT_TRANSLATE_NOOP("Words", "context"),
    QT_TRANSLATE_NOOP("Words", "expert"),     QT_TRANSLATE_NOOP("Words", "pipeline"),
    QT_TRANSLATE_NOOP("Words", "data, ZeRO"), QT_TRANSLATE_NOOP("Words", "copy to host"),
};

bool isBusy(const LaneGroup &group, Stream stream)
{
    const auto anySum = [](const std::vector<base::Nanos> &sums) {
        return std::ranges::any_of(sums, [](base::Nanos sum) { return sum > 0; });
    };
    const simulate::Metrics &metrics = group.metrics;
    const std::array passes{&metrics.tensorPerDevice, &metrics.contextPerDevice, &metrics.expertPerDevice};
    if (static_cast<std::size_t>(stream) < passes.size() && anySum(*passes[static_cast<std::size_t>(stream)]))
        return true;
    if (stream == Stream::Pipeline)
        return !group.timeline->transfers.empty();
    if (stream == Stream::Data && anySum(metrics.replicaPerDevice))
        return true;
    return std::ranges::any_of(group.timeline->lanes, [stream](const timeline::Lane &lane) {
        return std::ranges::any_of(lane.anchored,
                                   [stream](const timeline::AnchoredSlice &slice) { return streamOf(slice.kind) == stream; });
    });
}

/// Adds up the busy time of each pixel.
class Coverage {
public:
    explicit Coverage(const LaneWindow &window) : m_window(window), m_busy(static_cast<std::size_t>(window.width)) {}

    void add(base::Nanos begin, base::Nanos end, double share = 1)
    {
        const double from = std::clamp(pixelAt(m_window, begin), 0.0, m_window.width + 0.0);
        const double to = std::clamp(pixelAt(m_window, end), 0.0, m_window.width + 0.0);
        if (to <= from)
            return;
        const auto first = static_cast<int>(from);
        const auto last = std::min(static_cast<int>(to), m_window.width - 1);
        for (int pixel = first; pixel <= last; ++pixel)
            m_busy[static_cast<std::size_t>(pixel)] += share * (std::min(to, pixel + 1.0) - std::max(from, pixel + 0.0));
    }
    [[nodiscard]] std::vector<StreamPart> parts() const
    {
        constexpr double kAlike = 0.02;
        std::vector<StreamPart> parts;
        for (int pixel = 0; pixel < m_window.width; ++pixel) {
            const double share = std::min(m_busy[static_cast<std::size_t>(pixel)], 1.0);
            if (share <= 0)
                continue;
            const bool joins =
                !parts.empty() && parts.back().x + parts.back().width == pixel && std::abs(parts.back().share - share) < kAlike;
            if (joins)
                ++parts.back().width;
            else
                parts.push_back({pixel, 1, share});
        }
        return parts;
    }

private:
    const LaneWindow &m_window;
    std::vector<double> m_busy;
};

/// Calls use(begin, end, share) for whatever keeps a stream busy in a part of the iteration.
template <class Use>
void forEachBusy(const LaneGroup &group, int device, Stream stream, const MessageLane *messages, base::Nanos begin,
                 base::Nanos end, const Use &use)
{
    const timeline::Lane &lane = laneOf(group, device);
    if (stream == Stream::Pipeline && messages != nullptr)
        for (std::size_t i = 0; i < messages->stretches.size(); ++i)
            use(messages->stretches.begin[i], messages->stretches.end[i], 1.0);
    for (const timeline::AnchoredSlice &slice : lane.anchored)
        if (streamOf(slice.kind) == stream)
            use(slice.begin, slice.end, 1.0);
    if (!group.costs)
        return;
    for (std::size_t i = timeline::firstEndingAfter(lane, begin); i < lane.size() && lane.begin[i] < end; ++i) {
        const simulate::PassCost &cost = group.costs->pass(device, lane.pass[i].kind, lane.pass[i].stage);
        if (const base::Nanos busy = timeIn(cost, stream); busy > 0)
            use(lane.begin[i], lane.end[i], static_cast<double>(busy) / static_cast<double>(cost.duration));
    }
}

} // namespace

Stream streamOf(AnchoredKind kind)
{
    if (timeline::isCopy(kind))
        return Stream::Copy;
    return kind == AnchoredKind::SumReplicated ? Stream::Tensor : Stream::Data;
}

base::Nanos timeIn(const simulate::PassCost &cost, Stream stream)
{
    switch (stream) {
    case Stream::Tensor: return cost.tensor;
    case Stream::Context: return cost.context;
    case Stream::Expert: return cost.expert;
    case Stream::Data: return cost.replica;
    case Stream::Pipeline:
    case Stream::Copy: break;
    }
    return 0;
}

std::vector<LaneRow> rowsBelow(const LaneGroup &group, LaneDetail detail)
{
    std::vector<LaneRow> rows;
    if (detail == LaneDetail::Devices || !group.timeline)
        return rows;
    for (std::size_t stream = 0; stream < kStreamNames.size(); ++stream)
        if (isBusy(group, static_cast<Stream>(stream)))
            rows.push_back({LaneRow::Kind::Stream, static_cast<Stream>(stream), 0});
    if (detail != LaneDetail::Ranks || !group.mesh || group.ranks < 2)
        return rows;
    for (int rank = 0; rank < std::min(group.ranks, kMostRanks); ++rank)
        rows.push_back({LaneRow::Kind::Rank, {}, rank});
    if (group.ranks > kMostRanks)
        rows.push_back({LaneRow::Kind::MoreRanks, {}, group.ranks - kMostRanks});
    return rows;
}

std::optional<LaneDetail> nextDetail(const LaneGroup &group, LaneDetail detail)
{
    const std::size_t streams = rowsBelow(group, LaneDetail::Streams).size();
    const std::size_t all = rowsBelow(group, LaneDetail::Ranks).size();
    if (all < 2)
        return std::nullopt;
    if (detail == LaneDetail::Devices)
        return streams > 0 ? LaneDetail::Streams : LaneDetail::Ranks;
    return detail == LaneDetail::Streams && all > streams ? LaneDetail::Ranks : LaneDetail::Devices;
}

QString nameOf(const LaneRow &row, const LaneGroup &group, int device)
{
    if (row.kind == LaneRow::Kind::Stream)
        return Words::tr(kStreamNames[static_cast<std::size_t>(row.stream)]);
    if (row.kind == LaneRow::Kind::MoreRanks)
        return Words::tr("%1 more ranks").arg(countText(row.number));
    using layout::Axis;
    layout::Coordinates first;
    first[Axis::Pipeline] = device;
    const layout::Group ranks = group.mesh->group(group.mesh->rankOf(first), {Axis::Tensor, Axis::Context, Axis::Data});
    const int rank = ranks.ranks[static_cast<std::size_t>(row.number)];
    const layout::Coordinates at = group.mesh->coordinatesOf(rank);
    QString text = Words::tr("rank %1").arg(rank);
    for (const auto &[axis, letter] : {std::pair{Axis::Tensor, u"t"_s}, {Axis::Context, u"c"_s}, {Axis::Data, u"d"_s}})
        if (group.mesh->size(axis) > 1)
            text += u" %1%2"_s.arg(letter).arg(at[axis]);
    return text;
}

base::Nanos streamTime(const LaneGroup &group, int device, Stream stream, const MessageLane *messages)
{
    double busy = 0;
    forEachBusy(group, device, stream, messages, 0, endOf(group), [&busy](base::Nanos begin, base::Nanos end, double share) {
        busy += share * static_cast<double>(end - begin);
    });
    return std::llround(busy);
}

std::vector<StreamPart> streamParts(const LaneGroup &group, int device, Stream stream, const MessageLane *messages,
                                    const LaneWindow &window)
{
    if (window.width <= 0)
        return {};
    Coverage coverage(window);
    forEachBusy(group, device, stream, messages, window.begin, window.end,
                [&coverage](base::Nanos begin, base::Nanos end, double share) { coverage.add(begin, end, share); });
    return coverage.parts();
}

} // namespace stagelens::ui
