#include "ui/state/gap_explanation.h"

#include "engine/passes/requirements.h"
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

/// What a device waits for during a piece of its idle time, after "waits 3.2 ms".
QString causeWords(const LaneGroup &group, int device, const simulate::IdlePiece &piece)
{
    using simulate::IdleCause;
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
    case IdleCause::Activation: return Words::tr(" for the activation from %1").arg(whoWords(group, piece.by));
    case IdleCause::Gradient: return Words::tr(" for the gradient from %1").arg(whoWords(group, piece.by));
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
            .arg(words(from), words(all.makespan()));
    const base::Nanos until = lane.begin[next];
    const QString head = Words::tr("Device %1 waits %2 (%3 to %4) for its next pass, %5.")
                             .arg(device)
                             .arg(words(until - from), words(from), words(until), passWords(lane.pass[next], all.slices));
    if (causes) {
        QStringList parts;
        for (const simulate::IdlePiece &piece : simulate::piecesAround(*causes, device, time))
            parts << words(piece.end - piece.begin) + causeWords(group, device, piece);
        return parts.isEmpty() ? head : head + Words::tr(" It waits ") + parts.join(Words::tr(", then ")) + u'.';
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
