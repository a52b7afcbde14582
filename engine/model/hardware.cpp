#include "engine/model/hardware.h"

#include <algorithm>

namespace stagelens::model {

base::Bytes Hardware::usableMemory() const
{
    if (memoryCapacity <= 0)
        return 0;
    const double left = static_cast<double>(memoryCapacity - reservedMemory) / (1 + fragmentation);
    return reservedMemory == 0 && fragmentation == 0 ? memoryCapacity
                                                     : std::max<base::Bytes>(1, static_cast<base::Bytes>(left));
}

double Hardware::hostRate(std::int64_t devicesOnNode) const
{
    if (devicesPerHostLink <= 1 || devicesOnNode <= 1)
        return hostBytesPerSecond;
    return sharedHostBytesPerSecond > 0 ? sharedHostBytesPerSecond : hostBytesPerSecond / devicesPerHostLink;
}

double Hardware::networkRate(int senders) const
{
    const double adapters = nicsPerNode > 0 ? std::min(1.0, static_cast<double>(nicsPerNode) / std::max(senders, 1)) : 1.0;
    return betweenNodes.bytesPerSecond * adapters / betweenNodes.oversubscription;
}

double busFactor(Collective operation, int ranks)
{
    const double part = static_cast<double>(ranks - 1) / std::max(ranks, 1);
    return operation == Collective::AllReduce ? 2 * part : part;
}

} // namespace stagelens::model
