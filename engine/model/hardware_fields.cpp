#include "engine/model/hardware_fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace stagelens::model {
namespace {

constexpr double kMostStored = 9e15;
constexpr double kMostRate = 1e18;
constexpr double kMostMicros = 1e9;
constexpr double kMostPerNode = 1 << 16;
constexpr double kMostClusterNodes = 1 << 24;
constexpr double kMostOversubscription = 1e4;
constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;
constexpr double kGiB = 1 << 30;

double micros(base::Nanos time)
{
    return static_cast<double>(time) / static_cast<double>(base::kNanosPerMicro);
}
base::Nanos nanos(double micros)
{
    return std::llround(micros * static_cast<double>(base::kNanosPerMicro));
}

/// Accesses a member as a number.
#define NUMBER(member)                                                                                                         \
    .value = [](const Hardware &h) { return static_cast<double>(h.member); },                                                  \
    .assign = [](Hardware &h, double value) { h.member = static_cast<decltype(h.member)>(value); }
#define TIME(member)                                                                                                           \
    .value = [](const Hardware &h) { return micros(h.member); },                                                               \
    .assign = [](Hardware &h, double value) { h.member = nanos(value); }

constexpr std::array kFields{
    HardwareField{.key = "peak_flops",
                  .caption = "Peak of matrix products",
                  .unit = "TFLOP/s",
                  .help = "dense matrix products in the training dtype, without sparsity",
                  .scale = kTera,
                  .most = kMostRate,
                  .isOpen = true,
                  .isRequired = true,
                  NUMBER(peakFlops)},
    HardwareField{.key = "peak_flops_of_8_bits",
                  .caption = "Peak of products in 8 bits",
                  .unit = "TFLOP/s",
                  .help = "dense matrix products in fp8, without sparsity; 0: none",
                  .scale = kTera,
                  .most = kMostRate,
                  NUMBER(peakFlopsOf8Bits)},
    HardwareField{.key = "matrix_efficiency",
                  .caption = "Share that matrix products reach",
                  .unit = {},
                  .help = "of the peak, by large matrix products",
                  .most = 1,
                  .isOpen = true,
                  .isRequired = true,
                  NUMBER(matrixEfficiency)},
    HardwareField{.key = "attention_efficiency",
                  .caption = "Share that attention reaches",
                  .unit = {},
                  .help = "of the peak, with the FLOPs of attention counted in full",
                  .most = 1,
                  .isOpen = true,
                  .isRequired = true,
                  NUMBER(attentionEfficiency)},
    HardwareField{.key = "half_speed_dimension",
                  .caption = "Dimension of half speed",
                  .unit = {},
                  .help = "a product whose smallest dimension is n reaches n / (n + this) of its speed",
                  .most = kGiga,
                  .usual = -1,
                  NUMBER(halfSpeedDimension)},
    HardwareField{.key = "memory_bytes_per_second",
                  .caption = "Memory bandwidth",
                  .unit = "GB/s",
                  .help = "of memory-bound work",
                  .scale = kGiga,
                  .most = kMostRate,
                  .isOpen = true,
                  .isRequired = true,
                  NUMBER(memoryBytesPerSecond)},
    HardwareField{.key = "pass_overhead_us",
                  .caption = "Overhead of a pass",
                  .unit = "µs",
                  .help = "fixed time of a pass",
                  .most = kMostMicros,
                  .usual = -1,
                  TIME(passOverhead)},
    HardwareField{.key = "launch_interval_us",
                  .caption = "Launch of a kernel",
                  .unit = "µs",
                  .help = "least time between the begins of two kernels",
                  .most = kMostMicros,
                  TIME(launchInterval)},
    HardwareField{.key = "kernel_gap_us",
                  .caption = "Gap after a kernel",
                  .unit = "µs",
                  .help = "idle time after each kernel of a layer, as of a host that waits for the GPU between launches",
                  .most = kMostMicros,
                  TIME(kernelGap)},
    HardwareField{.key = "fused_kernels",
                  .caption = "Fused kernels (1: yes, 0: no)",
                  .unit = {},
                  .help = "1: norms, additions and activation functions are fused with biases and dropout, and read and write "
                          "16 bits once; 0: separate kernels with copies in fp32",
                  .most = 1,
                  .isWhole = true,
                  NUMBER(hasFusedKernels)},
    HardwareField{.key = "split_messages",
                  .caption = "Split messages (1: yes, 0: no)",
                  .unit = {},
                  .help = "1: tensor ranks without sequence parallelism send a share of a message each to another node, whose "
                          "ranks gather it; 0: each sends the whole",
                  .most = 1,
                  .isWhole = true,
                  NUMBER(splitsMessages)},
    HardwareField{.key = "memory_capacity_bytes",
                  .caption = "Memory of a GPU",
                  .unit = "GiB",
                  .help = "0: unknown",
                  .scale = kGiB,
                  .most = kMostStored,
                  .isWhole = true,
                  .usual = -1,
                  NUMBER(memoryCapacity)},
    HardwareField{.key = "reserved_memory_bytes",
                  .caption = "Reserved of it",
                  .unit = "GiB",
                  .help = "for the GPU's context and the buffers of NCCL",
                  .scale = kGiB,
                  .most = kMostStored,
                  .isWhole = true,
                  NUMBER(reservedMemory)},
    HardwareField{.key = "fragmentation",
                  .caption = "Fragmentation",
                  .unit = {},
                  .help = "what the allocator wastes, as a share of the tensors' bytes",
                  .most = 1,
                  NUMBER(fragmentation)},
    HardwareField{.key = "host_bytes_per_second",
                  .caption = "Bandwidth to the host",
                  .unit = "GB/s",
                  .help = "of one GPU that copies alone, each way; 0: unknown",
                  .scale = kGiga,
                  .most = kMostRate,
                  NUMBER(hostBytesPerSecond)},
    HardwareField{.key = "shared_host_bytes_per_second",
                  .caption = "Shared bandwidth to the host",
                  .unit = "GB/s",
                  .help = "of a GPU while all behind its switch copy; 0: an equal share",
                  .scale = kGiga,
                  .most = kMostRate,
                  NUMBER(sharedHostBytesPerSecond)},
    HardwareField{.key = "devices_per_host_link",
                  .caption = "GPUs a host link",
                  .unit = {},
                  .help = "that share a switch to the host",
                  .least = 1,
                  .most = kMostPerNode,
                  .isWhole = true,
                  .usual = 1,
                  NUMBER(devicesPerHostLink)},
    HardwareField{.key = "host_memory_bytes",
                  .caption = "Memory of a node",
                  .unit = "GiB",
                  .help = "of its processors; 0: unknown",
                  .scale = kGiB,
                  .most = kMostStored,
                  .isWhole = true,
                  NUMBER(hostMemory)},
    HardwareField{.key = "nodes",
                  .caption = "Nodes",
                  .unit = {},
                  .help = "of the cluster; 0: as many as a plan needs",
                  .most = kMostClusterNodes,
                  .isWhole = true,
                  NUMBER(nodes)},
    HardwareField{.key = "devices_per_node",
                  .caption = "GPUs a node",
                  .unit = {},
                  .help = "ranks fill nodes in order",
                  .least = 1,
                  .most = kMostPerNode,
                  .isWhole = true,
                  .usual = -1,
                  NUMBER(devicesPerNode)},
    HardwareField{.key = "nics_per_node",
                  .caption = "Network adapters a node",
                  .unit = {},
                  .help = "that the GPUs of a node share; 0: one for each GPU",
                  .most = kMostPerNode,
                  .isWhole = true,
                  NUMBER(nicsPerNode)},
    HardwareField{.key = "inside_node.latency_us",
                  .caption = "Latency inside a node",
                  .unit = "µs",
                  .help = "of a message",
                  .most = kMostMicros,
                  .isRequired = true,
                  TIME(insideNode.latency)},
    HardwareField{.key = "inside_node.bytes_per_second",
                  .caption = "Bandwidth inside a node",
                  .unit = "GB/s",
                  .help = "of messages between two GPUs, in one direction",
                  .scale = kGiga,
                  .most = kMostRate,
                  .isOpen = true,
                  .isRequired = true,
                  NUMBER(insideNode.bytesPerSecond)},
    HardwareField{.key = "inside_node.oversubscription",
                  .caption = "Oversubscription inside a node",
                  .unit = {},
                  .help = "divides the bandwidth when all GPUs send",
                  .least = 1,
                  .most = kMostOversubscription,
                  .usual = 1,
                  NUMBER(insideNode.oversubscription)},
    HardwareField{.key = "between_nodes.latency_us",
                  .caption = "Latency between nodes",
                  .unit = "µs",
                  .help = "of a message",
                  .most = kMostMicros,
                  .isRequired = true,
                  TIME(betweenNodes.latency)},
    HardwareField{.key = "between_nodes.bytes_per_second",
                  .caption = "Bandwidth between nodes",
                  .unit = "GB/s",
                  .help = "of one network adapter, in one direction",
                  .scale = kGiga,
                  .most = kMostRate,
                  .isOpen = true,
                  .isRequired = true,
                  NUMBER(betweenNodes.bytesPerSecond)},
    HardwareField{.key = "between_nodes.oversubscription",
                  .caption = "Oversubscription between nodes",
                  .unit = {},
                  .help = "divides the bandwidth of all adapters",
                  .least = 1,
                  .most = kMostOversubscription,
                  .usual = 1,
                  NUMBER(betweenNodes.oversubscription)},
    HardwareField{.key = "ring_bus_bytes_per_second",
                  .caption = "Limit of collectives but the all-reduce",
                  .unit = "GB/s",
                  .help = "inside a node, of operations without a table of their own; 0: none",
                  .scale = kGiga,
                  .most = kMostRate,
                  NUMBER(ringBusRate)},
    HardwareField{.key = "price_per_device_hour",
                  .caption = "Price of a GPU-hour",
                  .unit = {},
                  .help = "0: unknown",
                  .most = 1e6,
                  NUMBER(pricePerDeviceHour)},
};
#undef NUMBER
#undef TIME

} // namespace

std::span<const HardwareField> hardwareFields()
{
    return kFields;
}

std::string faultOf(const HardwareField &field, double value)
{
    const auto shown = [&field](double number) {
        return field.isWhole ? fmt::format("{}", std::llround(std::clamp(number, -kMostStored, kMostStored)))
                             : fmt::format("{:g}", number);
    };
    if (field.isWhole && std::isfinite(value) && value != std::floor(value))
        return fmt::format("is {:g}; choose a whole number, such as {}", value, shown(value));
    const bool isLow = !(field.isOpen ? value > field.least : value >= field.least);
    if (!isLow && value <= field.most)
        return {};
    const std::string found = std::isfinite(value) ? shown(value) : fmt::format("{:g}", value);
    const std::string range = field.isOpen ? fmt::format("more than {}, up to {}", shown(field.least), shown(field.most))
                                           : fmt::format("{} to {}", shown(field.least), shown(field.most));
    if (std::isnan(value) || (isLow && field.isOpen))
        return fmt::format("is {}; choose {}", found, range);
    return fmt::format("is {}; choose {} (the nearest is {})", found, range, shown(isLow ? field.least : field.most));
}

} // namespace stagelens::model
