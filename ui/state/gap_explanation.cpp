#include "ui/state/gap_explanation.h"

#include "engine/passes/requirements.h"
#include "ui/state/links.h"
#include "ui/words/words.h"

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

QString transferWords(schedule::Transfer transfer, const QString &rest)
{
    switch (transfer) {
    case schedule::Transfer::Local: return {};
    case schedule::Transfer::Send: return u", and its result takes %1 to arrive"_s.arg(rest);
    case schedule::Transfer::BroadcastX: return u", and the broadcast of its output takes %1"_s.arg(rest);
    case schedule::Transfer::Statistics: return u", and the barrier of the softmax statistics takes %1"_s.arg(rest);
    case schedule::Transfer::ReduceGradient: return u", and the barrier that sums the gradients takes %1"_s.arg(rest);
    case schedule::Transfer::EmbedReduce: return u", and summing the embeddings takes %1"_s.arg(rest);
    case schedule::Transfer::EmbedBroadcast: return u", and the broadcast of the embedding's gradient takes %1"_s.arg(rest);
    }
    return {};
}

/// "B of microbatch 5, stage 3, on device 3".
QString whoWords(const LaneGroup &group, timeline::SliceId slice)
{
    const timeline::Lane &lane = group.timeline->lanes[static_cast<std::size_t>(slice.device)];
    return u"%1, on device %2"_s.arg(passWords(lane.pass[slice.index])).arg(slice.device);
}

/// What a device waits for during a piece of its idle time, after "waits 3.2 ms".
QString causeWords(const LaneGroup &group, int device, const simulate::IdlePiece &piece)
{
    using simulate::IdleCause;
    switch (piece.cause) {
    case IdleCause::WarmUp:
        return u" for its first work"_s +
               (piece.by.device < 0 ? QString() : u", which follows %1"_s.arg(whoWords(group, piece.by)));
    case IdleCause::CoolDown: return u" for the others to end"_s;
    case IdleCause::Overhead: return u" though all that it needs is there"_s;
    case IdleCause::Message: return u" for the message"_s;
    case IdleCause::Barrier:
        return piece.isTransfer ? u" for the collective of all devices"_s
                                : u" for %1, which a barrier waits for"_s.arg(whoWords(group, piece.by));
    case IdleCause::Activation: return u" for the activation from %1"_s.arg(whoWords(group, piece.by));
    case IdleCause::Gradient: return u" for the gradient from %1"_s.arg(whoWords(group, piece.by));
    case IdleCause::Memory: {
        const timeline::Lane &lane = group.timeline->lanes[static_cast<std::size_t>(device)];
        const QString forward = piece.heldBack ? passWords(lane.pass[*piece.heldBack]) : u"a forward"_s;
        return u" for %1, while %2 could run if the device held more activations"_s.arg(whoWords(group, piece.by), forward);
    }
    }
    return {};
}

} // namespace

QString passWords(const schedule::Pass &pass)
{
    return u"%1 of microbatch %2, stage %3"_s.arg(qtText(schedule::name(pass.kind))).arg(pass.microbatch).arg(pass.stage);
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
        return u"Device %1 has no work left after %2; the last pass of all ends at %3."_s.arg(device).arg(
            words(from), words(all.makespan()));
    const base::Nanos until = lane.begin[next];
    const QString head = u"Device %1 waits %2 (%3 to %4) for its next pass, %5."_s.arg(device).arg(
        words(until - from), words(from), words(until), passWords(lane.pass[next]));
    if (causes) {
        QStringList parts;
        for (const simulate::IdlePiece &piece : simulate::piecesAround(*causes, device, time))
            parts << words(piece.end - piece.begin) + causeWords(group, device, piece);
        return parts.isEmpty() ? head : head + u" It waits "_s + parts.join(u", then "_s) + u'.';
    }
    const auto cause = lastPredecessor(group, {device, next});
    if (!cause)
        return head;
    const timeline::Lane &other = all.lanes[static_cast<std::size_t>(cause->slice.device)];
    const base::Nanos ended = other.end[cause->slice.index];
    const QString who = cause->slice.device == device ? u"this device"_s : u"device %1"_s.arg(cause->slice.device);
    return head + u" It needs %1, which ends on %2 at %3"_s.arg(passWords(other.pass[cause->slice.index]), who, words(ended)) +
           transferWords(cause->transfer, words(until - ended)) + u'.';
}

} // namespace stagelens::ui
