#include "engine/simulate/costs/compression_costs.h"

#include "engine/operators/sizes.h"
#include "engine/simulate/costs/collective_costs.h"
#include "engine/simulate/costs/device_share.h"

namespace stagelens::simulate {

operators::CompressedSizes compressedSizes(const model::Experiment &experiment, const schedule::Schedule &schedule, int device,
                                           int tensor)
{
    const operators::CompressionChoice &choice = experiment.training.compression;
    if (!choice.isOn() || experiment.parallel.gradientRanks() == 1)
        return {};
    return operators::compressedSizes(choice, deviceParts(experiment, schedule, device, tensor),
                                      experiment.parallel.gradientRanks());
}

CompressedExchange compressedExchange(const model::Experiment &experiment, const schedule::Schedule &schedule,
                                      const model::Hardware &hardware, int device, int ranks, const layout::NodeSpan &span)
{
    const operators::CompressedSizes sizes = compressedSizes(experiment, schedule, device);
    const auto exact = static_cast<double>(sizes.exact);
    constexpr double kFloat = 4;
    CompressedExchange all{0, 0, sizes.bytes, sizes.flops};
    const auto add = [&](GroupCollective collective, double bytes) {
        if (bytes <= 0)
            return;
        all.seconds += collectiveSeconds(hardware, collective, ranks, span, bytes);
        all.bytes += bytesSent(collective, ranks, bytes);
    };
    add(GroupCollective::AllReduce,
        operators::parameterBytes(experiment).gradient * exact + kFloat * (static_cast<double>(sizes.sums[0]) - exact));
    add(GroupCollective::AllReduce, kFloat * static_cast<double>(sizes.sums[1]));
    const double served = kFloat * ranks * static_cast<double>(sizes.served);
    add(GroupCollective::AllToAll, served);
    add(GroupCollective::AllGather, served);
    add(GroupCollective::AllGather, kFloat * ranks * static_cast<double>(sizes.gathered));
    return all;
}

} // namespace stagelens::simulate
