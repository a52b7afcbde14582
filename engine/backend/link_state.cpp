#include "engine/backend/link_state.h"

#include <memory>
#include <utility>

namespace stagelens::backend {

void LinkState::queue(int to, WireHeader header, WirePayload payload)
{
    if (hasEnded) // nothing may hold memory of the run
        return;
    header.bytes = payload.bytes.size();
    outgoing.push_back({to, header, std::move(payload)});
}

void LinkState::queueToOthers(const WireHeader &header, const Bytes &payload)
{
    const auto shared = std::make_shared<Bytes>(payload);
    for (int to = 0; to < peers.size(); ++to)
        if (to != peers.rank())
            queue(to, header, {*shared, shared});
}

void LinkState::lose(base::Error why)
{
    {
        const std::scoped_lock lock(mutex);
        if (isLost)
            return;
        isLost = true;
        queueToOthers(headerOf(MessageType::GiveUp, 1), errorBytes(why));
        failure = std::move(why);
    }
    changed.notify_all();
    broken.request_stop();
}

} // namespace stagelens::backend
