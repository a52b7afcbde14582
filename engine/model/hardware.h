// Devices, the links between them, and measured collectives: the hardware data of the analytic cost model.
#pragma once

#include "engine/base/units.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::model {

/// Collective operations that the cost model distinguishes.
enum class Collective : unsigned char { AllReduce, ReduceScatter, AllGather, AllToAll };

/// Time of a message of n bytes: latency + n / bandwidth.
struct LinkClass {
    std::string name; ///< "nvlink", "pcie", "roce", "host", ...
    base::Nanos latency = 0;
    double bytesPerSecond = 1; ///< of a rank, in one direction
    /// Ratio of the rate of all its ranks together to the capacity of the link; 1: each rank has the full rate.
    double oversubscription = 1;
    friend bool operator==(const LinkClass &, const LinkClass &) = default;
};

/// The measured runs that a preset was fitted to or compared with: the least and the greatest value of each quantity.
struct MeasuredRuns {
    struct Range {
        std::int64_t least = 1;
        std::int64_t most = 1;
        friend bool operator==(const Range &, const Range &) = default;
    };
    Range hidden;
    Range tokens; ///< of a microbatch
    Range devices;
    friend bool operator==(const MeasuredRuns &, const MeasuredRuns &) = default;
};

/// The measured time of a collective over a tensor of `bytes` in all (nccl-tests' "size").
struct CollectivePoint {
    double bytes = 0;
    double micros = 1;
    friend bool operator==(const CollectivePoint &, const CollectivePoint &) = default;
};

/// Measured times of one operation among `ranks` on `nodes`, with equally many ranks on each node, by size.
struct CollectiveTable {
    Collective operation = Collective::AllReduce;
    int ranks = 2;
    int nodes = 1; ///< divides `ranks`
    std::vector<CollectivePoint> points;
    friend bool operator==(const CollectiveTable &, const CollectiveTable &) = default;
};

/// A device, its links and its cluster.
struct Hardware {
    std::string name;
    std::string description;
    std::string derivedFrom;        ///< the preset that a cluster of the user began as; empty for a preset
    double peakFlops = 1;           ///< dense matrix products in the training dtype, FLOP/s; the denominator of MFU
    double peakFlopsOf8Bits = 0;    ///< dense matrix products of 8-bit floats, and the denominator in fp8; 0: there are none
    double matrixEfficiency = 1;    ///< fraction of the peak that large matrix products reach
    double attentionEfficiency = 1; ///< the same for attention, its FLOPs counted in full
    /// A product whose smallest dimension is n reaches n / (n + halfSpeedDimension) of matrixEfficiency.
    double halfSpeedDimension = 0;
    double memoryBytesPerSecond = 1; ///< of memory-bound work
    base::Nanos passOverhead = 0;    ///< fixed time of a pass
    /// Minimum time between the begins of two kernels: the time in which the host launches one.
    base::Nanos launchInterval = 0;
    base::Nanos kernelGap = 0;    ///< of a device after each kernel of a layer, where the host waits for it between launches
    bool hasFusedKernels = false; ///< norms, additions and activation functions fused with biases and dropout, in 16 bits
    /// Whether tensor ranks that have the same message for another node send a share each, which its ranks then gather.
    bool splitsMessages = false;
    base::Bytes memoryCapacity = 0; ///< of a device; 0: unknown
    base::Bytes reservedMemory = 0; ///< the part that the device context and NCCL buffers occupy
    double fragmentation = 0;       ///< allocator waste as a fraction of the tensors' bytes
    // The link of a device to the memory of its node: each way, alone and while all devices behind its switch copy.
    double hostBytesPerSecond = 0;       ///< 0: unknown
    double sharedHostBytesPerSecond = 0; ///< 0: an equal share of the former
    int devicesPerHostLink = 1;          ///< that share a switch
    base::Bytes hostMemory = 0;          ///< of a node; 0: unknown
    int nodes = 0;                       ///< of the cluster; 0: as many as a plan needs
    int devicesPerNode = 8;
    int nicsPerNode = 0; ///< network adapters that the devices of a node share; 0: one for each device
    LinkClass insideNode;
    LinkClass betweenNodes;
    std::vector<CollectiveTable> collectives;
    /// Limit of the bus rate (nccl-tests, doc/PERFORMANCE.md) inside a node for operations without a table, because switches
    /// that reduce in the network accelerate only the all-reduce. 0: none.
    double ringBusRate = 0;
    double pricePerDeviceHour = 0; ///< 0: unknown
    std::string currency = "USD";
    std::optional<MeasuredRuns> measured;

    /// Returns the rate at which a device copies to its host, each way, in a plan with that many devices on a node; 0: unknown.
    [[nodiscard]] double hostRate(std::int64_t devicesOnNode) const;
    /// Returns the bytes that the tensors of a device may occupy; 0: unknown.
    [[nodiscard]] base::Bytes usableMemory() const;
    /// Returns the rate at which each of `senders` ranks of a node sends to other nodes at the same time.
    [[nodiscard]] double networkRate(int senders) const;
    friend bool operator==(const Hardware &, const Hardware &) = default;
};

/// Returns the factor of nccl-tests that converts the rate of a collective (bytes / time) to its bus rate, which is comparable
/// with the rate of a link for any number of ranks: 2 (n - 1) / n for the all-reduce, otherwise (n - 1) / n. It is also the
/// share of the tensor that each rank sends in a ring.
[[nodiscard]] double busFactor(Collective operation, int ranks);

[[nodiscard]] std::string_view name(Collective operation); ///< "all-reduce", "reduce-scatter", "all-gather", "all-to-all"

} // namespace stagelens::model
