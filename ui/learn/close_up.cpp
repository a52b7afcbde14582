#include "ui/learn/close_up.h"

#include "engine/simulate/costs/pass_legs.h"
#include "ui/words/words.h"

#include <algorithm>

namespace stagelens::ui {

namespace {

constexpr base::Nanos kRoom = 16; ///< of a part: a sixteenth of it stays free at either side

bool isMeant(const schedule::Pass &pass, const CloseUp &closeUp)
{
    return (!closeUp.microbatch || pass.microbatch == *closeUp.microbatch) && (!closeUp.kind || pass.kind == *closeUp.kind);
}

/// Narrows a pass to the operators that are meant; nothing if it has none of them.
std::optional<TimelinePart> operatorsOf(const std::vector<simulate::PassLeg> &legs, const TimelinePart &pass,
                                        const std::string &names)
{
    std::optional<TimelinePart> part;
    for (const simulate::PassLeg &leg : legs) {
        if (!leg.name.starts_with(names))
            continue;
        if (!part)
            part = TimelinePart{pass.begin + leg.begin, 0, 0, 0, pass.first};
        part->end = pass.begin + leg.end;
        part->time += leg.end - leg.begin;
        part->flops += leg.flops;
    }
    return part;
}

} // namespace

std::optional<TimelinePart> partOf(const LaneGroup &group, const CloseUp &closeUp)
{
    if (closeUp.device >= group.timeline->devices() || !group.legs)
        return std::nullopt;
    const timeline::Lane &lane = laneOf(group, closeUp.device);
    std::optional<TimelinePart> part;
    for (std::size_t i = 0; i < lane.size(); ++i) {
        if (!isMeant(lane.pass[i], closeUp))
            continue;
        const base::Nanos time = lane.end[i] - lane.begin[i];
        const std::vector<simulate::PassLeg> legs = group.legs(lane.pass[i], time);
        if (!part)
            part = TimelinePart{lane.begin[i], 0, 0, 0, {closeUp.device, i}};
        if (!closeUp.operators.isEmpty())
            return operatorsOf(legs, *part, utf8(closeUp.operators));
        part->end = std::max(part->end, lane.end[i]);
        part->time += time;
        for (const simulate::PassLeg &leg : legs)
            part->flops += leg.flops;
        if (closeUp.kind)
            break; // one pass
    }
    return part;
}

std::pair<base::Nanos, base::Nanos> rangeOf(const TimelinePart &part)
{
    const base::Nanos room = (part.end - part.begin) / kRoom;
    return {part.begin - room, part.end + room};
}

} // namespace stagelens::ui
