#include "ui/state/gap_explanation.h"

#include "engine/passes/requirements.h"
#include "engine/simulate/costs/cost_model.h"
#include "ui/state/links.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

QString transferWords(schedule::Transfer transfer, const QString &rest)
{
    switch (transfer) {
    case schedule::Transfer::Local: return {};
    case schedule::Transfer::Send: return Words::tr(", and its result takes %1 to arrive").arg(rest);
    case schedule::Transfer::BroadcastX: return Words::tr(", and the broadcast of its output takes %1").arg(rest);
    case schedule::Transfer::Statistics: return Words::tr(", and the barrier of the softmax statistics takes %1").arg(rest);
    case schedule::Transfer::ReduceGradient: return Words::tr(", and the barrier that sums the gradients takes %1").arg(rest);
    case schedule::Transfer::EmbedReduce: return Words::tr(", and summing the embeddings takes %1").arg(rest);
    case schedule::Transfer::EmbedBroadcast:
        return Words::tr(", and the broadcast of the embedding's gradient takes %1").arg(rest);
    }
    return {};
}

/// "B of microbatch 5, stage 3, on device 3".
QString whoWords(const LaneGroup &group, timeline::SliceId slice)
{
    const timeline::Lane &lane = group.timeline->lanes[static_cast<std::size_t>(slice.device)];
    return Words::tr("%1, on device %2").arg(passWords(lane.pass[slice.index], group.timeline->slices)).arg(slice.device);
}

/// What a pass spends in exchanges of each dimension: " That pass exchanges with tensor ranks for 20 % of its time."
QString exchangeWords(const LaneGroup &group, timeline::SliceId slice)
{
    if (!group.costs || slice.device < 0)
        return {};
    const schedule::Pass &pass = laneOf(group, slice.device).pass[slice.index];
    const simulate::PassCost &cost = group.costs->pass(slice.device, pass.kind, pass.stage);
    if (cost.duration <= 0)
        return {};
    constexpr double kLeastNamed = 0.01;
    QStringList parts;
    for (const auto &[time, words] :
         {std::pair{cost.tensor, Words::tr("tensor ranks for %1")}, std::pair{cost.context, Words::tr("context ranks for %1")},
          std::pair{cost.replica, Words::tr("replicas for %1")}})
        if (const double share = static_cast<double>(time) / static_cast<double>(cost.duration); share >= kLeastNamed)
            parts << words.arg(shareText(share));
    return parts.isEmpty()
               ? QString()
               : Words::tr(" That pass spends part of its time in exchanges: with %1.").arg(parts.join(Words::tr(", with ")));
}

/// What follows a device's last pass among the ranks that share it: " Its replicas sum their gradients for 12 ms (data)."
QString tailWords(const timeline::Lane &lane, bool teachingUnits)
{
    QString words;
    for (const timeline::AnchoredSlice &slice : lane.anchored) {
        const QString time = durationText(slice.end - slice.begin, teachingUnits);
        switch (slice.kind) {
        case timeline::AnchoredKind::ReduceGradients:
            words += Words::tr(" Its replicas sum their gradients for %1 (data).").arg(time);
            break;
        case timeline::AnchoredKind::GatherParameters:
            words += Words::tr(" Its replicas gather the updated parameters for %1 (data).").arg(time);
            break;
        case timeline::AnchoredKind::SumReplicated:
            words += Words::tr(" Its tensor ranks sum the gradients of what all of them hold for %1 (tensor).").arg(time);
            break;
        case timeline::AnchoredKind::AverageParameters:
            words += Words::tr(" Its replicas average their weights for %1 (data).").arg(time);
            break;
        case timeline::AnchoredKind::Offload:
        case timeline::AnchoredKind::Reload: break; // beside passes, not after them
        }
    }
    return words;
}

/// The pass that the longest piece of a gap waits for; device -1: none.
timeline::SliceId longestCause(const std::vector<simulate::IdlePiece> &pieces)
{
    timeline::SliceId cause{-1, 0};
    base::Nanos longest = 0;
    for (const simulate::IdlePiece &piece : pieces)
        if (piece.by.device >= 0 && !piece.isTransfer && piece.end - piece.begin > longest) {
            cause = piece.by;
            longest = piece.end - piece.begin;
        }
    return cause;
}

/// What a device waits for during a piece of its idle time, after "waits 3.2 ms".
QString causeWords(const LaneGroup &group, int device, const simulate::IdlePiece &piece)
{
    using simulate::IdleCause;
    const QString along = group.ranks > 1 ? Words::tr(" along the pipeline") : QString();
    switch (piece.cause) {
    case IdleCause::WarmUp:
        return Words::tr(" for its first work") +
               (piece.by.device < 0 ? QString() : Words::tr(", which follows %1").arg(whoWords(group, piece.by)));
    case IdleCause::CoolDown: return Words::tr(" for the others to end");
    case IdleCause::Overhead: return Words::tr(" though all that it needs is there");
    case IdleCause::Message: return Words::tr(" for the message");
    case IdleCause::Barrier:
        return piece.isTransfer ? Words::tr(" for the collective of all devices")
                                : Words::tr(" for %1, which a barrier waits for").arg(whoWords(group, piece.by));
    case IdleCause::Activation: return Words::tr(" for the activation from %1").arg(whoWords(group, piece.by)) + along;
    case IdleCause::Gradient: return Words::tr(" for the gradient from %1").arg(whoWords(group, piece.by)) + along;
    case IdleCause::Memory: {
        const timeline::Lane &lane = group.timeline->lanes[static_cast<std::size_t>(device)];
        const QString forward =
            piece.heldBack ? passWords(lane.pass[*piece.heldBack], group.timeline->slices) : Words::tr("a forward");
        return Words::tr(" for %1, while %2 could run if the device held more activations")
            .arg(whoWords(group, piece.by), forward);
    }
    }
    return {};
}

} // namespace

QString passWords(const schedule::Pass &pass, int slices)
{
    return Words::tr("%1 of microbatch %2, stage %3")
        .arg(qtText(schedule::name(pass.kind)))
        .arg(microbatchText(pass.microbatch, slices))
        .arg(pass.stage);
}

QString explainGap(const LaneGroup &group, const simulate::IdleCauses *causes, int device, base::Nanos time, bool teachingUnits)
{
    const timeline::Timeline &all = *group.timeline;
    if (device < 0 || device >= all.devices())
        return {};
    const timeline::Lane &lane = all.lanes[static_cast<std::size_t>(device)];
    const std::size_t next = timeline::firstEndingAfter(lane, time);
    if (next < lane.size() && lane.begin[next] <= time)
        return {};
    const auto words = [teachingUnits](base::Nanos duration) { return durationText(duration, teachingUnits); };
    const base::Nanos from = next == 0 ? 0 : lane.end[next - 1];
    if (next == lane.size())
        return Words::tr("Device %1 has no work left after %2; the last pass of all ends at %3.")
                   .arg(device)
                   .arg(words(from), words(all.makespan())) +
               tailWords(lane, teachingUnits);
    const base::Nanos until = lane.begin[next];
    const QString head = Words::tr("Device %1 waits %2 (%3 to %4) for its next pass, %5.")
                             .arg(device)
                             .arg(words(until - from), words(from), words(until), passWords(lane.pass[next], all.slices));
    if (causes) {
        QStringList parts;
        const auto pieces = simulate::piecesAround(*causes, device, time);
        for (const simulate::IdlePiece &piece : pieces)
            parts << words(piece.end - piece.begin) + causeWords(group, device, piece);
        return parts.isEmpty() ? head
                               : head + Words::tr(" It waits ") + parts.join(Words::tr(", then ")) + u'.' +
                                     exchangeWords(group, longestCause(pieces));
    }
    const auto cause = lastPredecessor(group, {device, next});
    if (!cause)
        return head;
    const timeline::Lane &other = all.lanes[static_cast<std::size_t>(cause->slice.device)];
    const base::Nanos ended = other.end[cause->slice.index];
    const QString who =
        cause->slice.device == device ? Words::tr("this device") : Words::tr("device %1").arg(cause->slice.device);
    return head +
           Words::tr(" It needs %1, which ends on %2 at %3")
               .arg(passWords(other.pass[cause->slice.index], all.slices), who, words(ended)) +
           transferWords(cause->transfer, words(until - ended)) + u'.';
}

} // namespace stagelens::ui
