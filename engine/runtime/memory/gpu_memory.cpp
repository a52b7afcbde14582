#include "engine/runtime/memory/gpu_memory.h"

#include "engine/base/text.h"
#include "engine/operators/kinds.h"
#include "engine/runtime/machine/accelerators.h"
#include "engine/runtime/plan/shape.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagelens::runtime {
namespace {

/// GPU memory of a device in addition to its slab: a workspace for products, scratch, and events.
constexpr base::Bytes kBesideSlab = base::Bytes{64} << 20;
/// Code that CUDA loads on first use of a GPU, mostly that of cuBLASLt.
constexpr base::Bytes kLoaded = base::Bytes{256} << 20;
/// With NCCL all code is loaded at once (prepareForNccl()), and each communicator has buffers: 600 MiB with one, on an H200.
constexpr base::Bytes kLoadedOverNccl = base::Bytes{1} << 30;
/// Tolerated difference from the plan: rounding to pages of 2 MiB, a few arrays.
constexpr base::Bytes kUnremarkable = base::Bytes{16} << 20;

} // namespace

base::Bytes gpuLibraryBytes(bool isOverNccl)
{
    return isOverNccl ? kLoadedOverNccl : kLoaded;
}

std::int64_t roundedNumbers(const Shape &shape)
{
    std::int64_t most = 0;
    for (const LayerPlan *layer : {shape.layer.get(), shape.dense.get()}) {
        if (!shape.isOf8Bits || layer == nullptr)
            continue;
        const operators::Block &block = layer->recipe.block;
        const std::int64_t perToken = block.expertRanks > 1 ? block.expertRows : block.routing.topK;
        for (const operators::Operator &op : block.operators) {
            if (!operators::isOf8Bits(block, op))
                continue;
            const bool isOfExperts = op.kind == operators::OperatorKind::ExpertLinear;
            const bool hasOwnRows = isOfExperts ? block.routesOwnRows() : block.value(op.inputs[0]).isOwnRows;
            const std::int64_t rows = (hasOwnRows ? shape.ownTokens() : shape.tokens()) * (isOfExperts ? perToken : 1);
            const std::int64_t matrices = isOfExperts ? block.routing.experts / block.expertRanks : 1;
            for (const operators::Projection &projection : op.projections) {
                const std::int64_t in = block.inputWidth(projection);
                const std::int64_t out = block.outputWidth(projection);
                const std::int64_t weight = matrices * in * out;
                most = std::max({most, rows * in + weight, rows * out + weight, rows * (in + out)});
            }
        }
    }
    return most > 0 ? most + backend::kAlignedNumbers : 0;
}

base::Bytes gpuWorkspaces(const Shape &shape)
{
    return attentionWorkspace(shape.attention(0), shape.precision) +
           roundedNumbers(shape) * base::elementBytes(base::Precision::Bf16);
}

base::Bytes gpuBytesOf(base::Bytes slab, base::Bytes tokens, base::Bytes workspaces)
{
    return slab + tokens + workspaces + kBesideSlab;
}

base::Result<> checkGpuMemory(const std::vector<backend::Gpu> &gpus, const MemoryNeed &need, const std::vector<int> &places)
{
    std::vector<base::Bytes> taken(gpus.size());
    for (std::size_t device = 0; device < places.size(); ++device)
        if (places[device] >= 0)
            taken[static_cast<std::size_t>(places[device])] += gpuBytesOf(need.slabs[device], need.tokens, need.workspaces);
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        if (taken[i] == 0 || taken[i] + need.libraries <= gpus[i].freeBytes)
            continue;
        return base::Error::invalid(
            "model", fmt::format("the ranks on GPU {} ({}), {} of them, take {}, CUDA's code about {}, but only {} are free; "
                                 "lower model.layers, "
                                 "model.hidden, model.vocabulary_size or parallel.microbatch_size, or choose --recompute full",
                                 i, gpus[i].name, std::ranges::count(places, static_cast<int>(i)), base::bytesText(taken[i]),
                                 base::bytesText(need.libraries), base::bytesText(gpus[i].freeBytes)));
    }
    return {};
}

base::Result<> checkPinnedMemory(const MemoryNeed &need, const std::vector<int> &places, base::Bytes available,
                                 const model::ScheduleChoice &schedule)
{
    base::Bytes pinned = 0;
    for (std::size_t device = 0; device < places.size(); ++device)
        if (places[device] >= 0)
            pinned += need.hosts[device];
    if (available == 0 || pinned <= available)
        return {};
    return base::Error::invalid(
        schedule.offloadOptimizer ? "schedule.offload_optimizer" : "schedule.offload",
        fmt::format("the ranks of this machine offload to {} of pinned memory, but only {} are free; lower --offload, choose a "
                    "family that offloads less, or --no-offload-optimizer",
                    base::bytesText(pinned), base::bytesText(available)));
}

GpuMemoryWatch::GpuMemoryWatch(const std::vector<int> &places, const std::vector<base::Bytes> &planned,
                               const std::vector<base::Bytes> &slabs)
{
    const std::vector<backend::Gpu> found = gpus().gpus;
    for (std::size_t device = 0; device < places.size(); ++device) {
        if (static_cast<std::size_t>(places[device]) >= found.size()) // no longer present
            continue;
        Use &use = m_gpus[places[device]];
        use.free = use.freeAfter = found[static_cast<std::size_t>(places[device])].freeBytes;
        use.planned += planned[device];
        use.slabs += slabs[device];
    }
}

void GpuMemoryWatch::measureAllocated()
{
    const std::vector<backend::Gpu> found = gpus().gpus;
    for (auto &[place, use] : m_gpus)
        if (static_cast<std::size_t>(place) < found.size())
            use.freeAfter = found[static_cast<std::size_t>(place)].freeBytes;
}

std::string GpuMemoryWatch::text() const
{
    const std::vector<backend::Gpu> found = gpus().gpus;
    std::string text;
    for (const auto &[place, use] : m_gpus) {
        if (static_cast<std::size_t>(place) >= found.size())
            continue;
        const base::Bytes measured = use.free - found[static_cast<std::size_t>(place)].freeBytes;
        const base::Bytes runtime = use.free - use.freeAfter - use.slabs;
        text +=
            fmt::format("{}GPU {}: planned {}, measured {} (slabs {}, streams and workspaces {}, taken by the first step {})",
                        text.empty() ? "" : "; ", place, base::bytesText(use.planned), base::bytesText(measured),
                        base::bytesText(use.slabs), base::bytesText(runtime), base::bytesText(measured - use.slabs - runtime));
        if (measured > use.planned + kUnremarkable)
            text += fmt::format(", {} more than planned: the plan has missed something, or another program has taken it",
                                base::bytesText(measured - use.planned));
    }
    return text;
}

} // namespace stagelens::runtime
