#include "ui/state/links.h"

#include "engine/passes/requirements.h"
#include "ui/state/lane_groups.h"
#include "ui/words/time_axis.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QStringList>

#include <algorithm>

namespace stagelens::ui {
namespace {

using schedule::Pass;
using schedule::PassKind;
using timeline::SliceId;

bool isSame(const Pass &a, const Pass &b)
{
    return a.kind == b.kind && a.stage == b.stage && a.microbatch == b.microbatch;
}

/// Searches outwards from a moment: neighbours along a microbatch's way stand near each other in time.
std::optional<SliceId> sliceNear(const LaneGroup &group, int device, const Pass &pass, base::Nanos time)
{
    const timeline::Lane &lane = laneOf(group, device);
    const auto at = std::upper_bound(lane.end.begin(), lane.end.end(), time);
    auto right = static_cast<std::size_t>(at - lane.end.begin());
    std::size_t left = right;
    while (left > 0 || right < lane.size()) {
        if (left > 0 && isSame(lane.pass[--left], pass))
            return SliceId{device, left};
        if (right < lane.size() && isSame(lane.pass[right++], pass))
            return SliceId{device, right - 1};
    }
    return std::nullopt;
}

bool isUsable(const LaneGroup &group)
{
    return group.timeline && group.schedule && group.schedule->devices() == group.timeline->devices() &&
           group.schedule->stages() > 0;
}

int firstStage(const schedule::Schedule &schedule, int device)
{
    const std::vector<int> stages = schedule.placement().stagesOf(device);
    return stages.empty() ? 0 : stages.front();
}

QString transferText(schedule::Transfer transfer)
{
    switch (transfer) {
    case schedule::Transfer::Local: return {};
    case schedule::Transfer::Send: return Words::tr("its message");
    case schedule::Transfer::BroadcastX: return Words::tr("the broadcast of its output");
    case schedule::Transfer::Statistics: return Words::tr("the softmax statistics' barrier");
    case schedule::Transfer::ReduceGradient: return Words::tr("the reduction of the gradient");
    case schedule::Transfer::EmbedReduce: return Words::tr("the sum of the embeddings");
    case schedule::Transfer::EmbedBroadcast: return Words::tr("the broadcast of its gradient");
    }
    return {};
}

/// Bytes that the device holds while a slice begins.
QString heldText(const LaneGroup &group, SliceId slice)
{
    if (!group.memory || slice.device >= group.memory->devices())
        return {};
    const auto profile = group.memory->of(slice.device);
    const std::vector<simulate::MemoryStep> &steps = profile->steps;
    const auto next = std::upper_bound(steps.begin(), steps.end(), laneOf(group, slice.device).begin[slice.index],
                                       [](base::Nanos at, const simulate::MemoryStep &step) { return at < step.time; });
    return next == steps.begin() ? QString() : Words::tr("The device then holds %1").arg(bytesWords(std::prev(next)->total()));
}

QString slackText(const LaneGroup &group, SliceId slice, bool units)
{
    if (!group.why)
        return {};
    const simulate::LaneWaits &waits = group.why->path.lanes[static_cast<std::size_t>(slice.device)];
    if (waits.isCritical[slice.index] != 0)
        return Words::tr("On the critical path: any delay lengthens the iteration");
    return Words::tr("Slack: %1").arg(durationText(waits.slack[slice.index], units));
}

} // namespace

QString waitText(const LaneGroup &group, SliceId slice, bool units)
{
    const timeline::Lane &lane = laneOf(group, slice.device);
    const base::Nanos free = slice.index == 0 ? 0 : lane.end[slice.index - 1];
    const base::Nanos begin = lane.begin[slice.index];
    const base::Nanos idle = std::max<base::Nanos>(begin - free, 0);
    const std::optional<Link> last = lastPredecessor(group, slice);
    if (idle <= 0 && slice.index > 0)
        return Words::tr("Began as soon as the device was free, after %1")
            .arg(passText(lane.pass[slice.index - 1], group.timeline->slices));
    if (!last)
        return idle > 0 ? Words::tr("Idle for %1 before").arg(durationText(idle, units)) : Words::tr("Waited for nothing");
    const timeline::Lane &from = laneOf(group, last->slice.device);
    const base::Nanos ended = from.end[last->slice.index];
    const QString text = Words::tr("Waited %1 for %2 on device %3")
                             .arg(durationText(idle, units), passText(from.pass[last->slice.index], group.timeline->slices))
                             .arg(last->slice.device);
    if (last->transfer == schedule::Transfer::Local)
        return text;
    // What the device waits for until the sender ends, and what the result then takes to arrive.
    const base::Nanos waiting = std::clamp<base::Nanos>(ended - free, 0, idle);
    if (waiting == 0)
        return text + Words::tr(", all of it for %1").arg(transferText(last->transfer));
    return text + Words::tr(": %1 until it ended, %2 for %3")
                      .arg(durationText(waiting, units), durationText(idle - waiting, units), transferText(last->transfer));
}

QString awaitedText(const LaneGroup &group, SliceId slice, base::Nanos time)
{
    const std::optional<Link> last = lastPredecessor(group, slice);
    if (!last)
        return {};
    const timeline::Lane &from = laneOf(group, last->slice.device);
    const QString pass = passText(from.pass[last->slice.index], group.timeline->slices);
    if (from.end[last->slice.index] > time)
        return Words::tr("%1 of device %2").arg(pass).arg(last->slice.device);
    if (last->transfer == schedule::Transfer::Local)
        return {};
    if (last->transfer == schedule::Transfer::Send)
        return Words::tr("the message of %1 from device %2").arg(pass).arg(last->slice.device);
    return Words::tr("%1 after %2").arg(transferText(last->transfer), pass);
}

QString waitReason(const LaneGroup &group, int device, base::Nanos time)
{
    const timeline::Lane &lane = laneOf(group, device);
    if (timeline::sliceAt(lane, time))
        return {};
    const std::size_t next = timeline::firstEndingAfter(lane, time);
    if (next == lane.size())
        return Words::tr("done");
    const QString awaited = awaitedText(group, {device, next}, time);
    return awaited.isEmpty() ? Words::tr("idle until %1").arg(passText(lane.pass[next], group.timeline->slices))
                             : Words::tr("waits for %1").arg(awaited);
}

QString describeAnchored(const timeline::AnchoredSlice &slice, int device, bool units)
{
    const QString what = [&slice] {
        switch (slice.kind) {
        case timeline::AnchoredKind::ReduceGradients: break;
        case timeline::AnchoredKind::GatherParameters: return Words::tr("Replicas gather the updated parameters");
        case timeline::AnchoredKind::SumReplicated: return Words::tr("Tensor ranks sum the gradients of what all of them hold");
        case timeline::AnchoredKind::AverageParameters: return Words::tr("Replicas average their weights");
        case timeline::AnchoredKind::Offload: return Words::tr("Activations go to the host");
        case timeline::AnchoredKind::Reload: return Words::tr("Activations come back from the host");
        }
        return Words::tr("Replicas sum their gradients");
    }();
    QString text = Words::tr("%1 of device %2\nBegins at %3, takes %4")
                       .arg(what)
                       .arg(device)
                       .arg(durationText(slice.begin, units), durationText(slice.end - slice.begin, units));
    if (timeline::isCopy(slice.kind))
        return text;
    if (slice.bytes > 0)
        text += Words::tr("\nEach rank sends %1").arg(bytesText(slice.bytes));
    return text;
}

QString describeTransfer(const timeline::TransferSlice &transfer, bool units)
{
    const QString what = transfer.transfer == schedule::Transfer::Send ? Words::tr("Message") : transferText(transfer.transfer);
    const QString way = transfer.peer < 0 ? Words::tr("all devices")
                                          : Words::tr("device %1 to device %2").arg(transfer.device).arg(transfer.peer);
    QString text = Words::tr("%1 of microbatch %2, %3").arg(what).arg(transfer.microbatch).arg(way);
    text[0] = text[0].toUpper();
    return text + Words::tr("\nBegins at %1, takes %2")
                      .arg(durationText(transfer.begin, units), durationText(transfer.end - transfer.begin, units));
}

QString passText(const Pass &pass, int slices)
{
    const std::string_view kind = schedule::name(pass.kind);
    return QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size())) + QChar(u' ') +
           microbatchText(pass.microbatch, slices);
}

std::vector<Link> predecessors(const LaneGroup &group, SliceId slice)
{
    std::vector<Link> links;
    if (!isUsable(group))
        return links;
    const schedule::Schedule &schedule = *group.schedule;
    const timeline::Lane &lane = laneOf(group, slice.device);
    const Pass &pass = lane.pass[slice.index];
    if (pass.stage >= schedule.stages())
        return links;
    const auto add = [&](int device, PassKind kind, int stage, schedule::Transfer transfer, int offset = 0) {
        if (const auto found =
                sliceNear(group, device, schedule::makePass(kind, stage, pass.microbatch + offset), lane.begin[slice.index]))
            links.push_back({*found, transfer});
    };
    const int direction = schedule.placement().directionOf(pass.microbatch);
    schedule::forEachRequirement(schedule.rules(), pass, [&](const schedule::Requirement &requirement) {
        for (const PassKind kind : {requirement.kind, PassKind::I}) // a backward may be split
            if (!requirement.allDevices && schedule::provides(kind, requirement.kind))
                add(schedule.placement().deviceOf(requirement.stage, direction), kind, requirement.stage, requirement.transfer,
                    requirement.unitOffset);
        for (int device = 0; requirement.allDevices && device < schedule.devices(); ++device)
            add(device, requirement.kind, firstStage(schedule, device), requirement.transfer);
    });
    return links;
}

std::vector<Link> successors(const LaneGroup &group, SliceId slice)
{
    std::vector<Link> links;
    if (!isUsable(group))
        return links;
    const schedule::Schedule &schedule = *group.schedule;
    const schedule::Placement &placement = schedule.placement();
    const timeline::Lane &lane = laneOf(group, slice.device);
    const Pass &pass = lane.pass[slice.index];
    const auto tryPass = [&](int device, PassKind kind, int stage) {
        const Pass candidate = schedule::makePass(kind, stage, pass.microbatch);
        schedule::forEachRequirement(schedule.rules(), candidate, [&](const schedule::Requirement &requirement) {
            if (requirement.unitOffset != 0 || !schedule::provides(pass.kind, requirement.kind) ||
                (!requirement.allDevices && requirement.stage != pass.stage))
                return;
            if (const auto found = sliceNear(group, device, candidate, lane.end[slice.index]))
                links.push_back({*found, requirement.transfer});
        });
    };
    for (int stage = 0; stage < schedule.stages(); ++stage)
        for (const PassKind kind : {PassKind::F, PassKind::B, PassKind::I, PassKind::W})
            tryPass(placement.deviceOf(stage, placement.directionOf(pass.microbatch)), kind, stage);
    const std::vector<PassKind> vocabulary = schedule::vocabularyPasses(schedule.vocabulary());
    for (int device = 0; device < schedule.devices(); ++device)
        for (const PassKind kind : vocabulary)
            tryPass(device, kind, firstStage(schedule, device));
    return links;
}

std::optional<Link> lastPredecessor(const LaneGroup &group, SliceId slice)
{
    const std::vector<Link> links = predecessors(group, slice);
    const auto end = [&](const Link &link) { return laneOf(group, link.slice.device).end[link.slice.index]; };
    const auto last =
        std::max_element(links.begin(), links.end(), [&](const Link &a, const Link &b) { return end(a) < end(b); });
    return last == links.end() ? std::nullopt : std::optional(*last);
}

QString describeSlice(const LaneGroup &group, SliceId slice, bool units)
{
    const timeline::Lane &lane = laneOf(group, slice.device);
    const std::size_t i = slice.index;
    const Pass &pass = lane.pass[i];
    const base::Nanos duration = lane.end[i] - lane.begin[i];
    QStringList lines{Words::tr("%1 on device %2").arg(passText(pass, group.timeline->slices)).arg(slice.device)};
    lines << Words::tr("Stage %1, microbatch %2").arg(pass.stage).arg(microbatchText(pass.microbatch, group.timeline->slices));
    if (group.timeline->iterations > 1)
        lines << Words::tr("Iteration %1 of %2").arg(group.timeline->stepOf(pass) + 1).arg(group.timeline->iterations);
    if (const std::optional<int> version = group.timeline->weightVersionOf(pass))
        lines << Words::tr("Weights: version %1").arg(*version);
    lines << Words::tr("Begins at %1, takes %2").arg(durationText(lane.begin[i], units), durationText(duration, units));
    if (schedule::isVocabularyPass(pass.kind)) {
        lines << Words::tr("Vocabulary layers: all of it");
    } else if (i < lane.vocabulary.size()) {
        const base::Nanos share = lane.vocabulary[i];
        if (share > 0 && duration > 0)
            lines << Words::tr("Vocabulary layers: %1 (%2 %)")
                         .arg(durationText(share, units))
                         .arg(qRound(100.0 * static_cast<double>(share) / static_cast<double>(duration)));
    } else {
        lines << Words::tr("Vocabulary part: not known");
    }
    if (const base::Nanos again = recomputedTime(group, slice); again > 0)
        lines << Words::tr("Forward computed again: %1 (%2 %)")
                     .arg(durationText(again, units))
                     .arg(qRound(100.0 * static_cast<double>(again) / static_cast<double>(duration)));
    lines << waitText(group, slice, units) << slackText(group, slice, units) << heldText(group, slice);
    lines.removeAll(QString());
    return lines.join(QChar(u'\n'));
}

QString describeGap(const LaneGroup &group, int device, base::Nanos time, bool units)
{
    const timeline::Lane &lane = laneOf(group, device);
    const auto at = std::upper_bound(lane.end.begin(), lane.end.end(), time);
    const auto next = static_cast<std::size_t>(at - lane.end.begin());
    const base::Nanos begin = next == 0 ? 0 : lane.end[next - 1];
    QStringList lines{Words::tr("Device %1 is idle").arg(device)};
    if (time < 0)
        return {};
    if (next == lane.size()) {
        lines << Words::tr("From %1: its work is done").arg(durationText(begin, units));
        return lines.join(QChar(u'\n'));
    }
    lines << Words::tr("For %1, before %2")
                 .arg(durationText(lane.begin[next] - begin, units), passText(lane.pass[next], group.timeline->slices));
    lines << waitText(group, {device, next}, units);
    return lines.join(QChar(u'\n'));
}

} // namespace stagelens::ui
