#include "engine/runtime/training/run_devices.h"

#include "engine/backend/transport_group.h"
#include "engine/runtime/machine/accelerators.h"
#include "engine/runtime/machine/processor.h"
#include "engine/runtime/processes/nccl.h"

#include <exception>
#include <map>
#include <utility>

namespace stagelens::runtime {
namespace {

void finishQuietly(backend::Compute &compute) noexcept
{
    try {
        compute.finish();
    } catch (const std::exception &) {
        return; // the run has already reported its error
    }
}

} // namespace

RunDevices::RunDevices(const RunPlan &plan, ControlChannel &control, bool isOverNccl, std::stop_source halt)
    : m_plan(plan), m_control(control), m_isOverNccl(isOverNccl), m_halt(std::move(halt))
{}

RunDevices::~RunDevices()
{
    if (!m_transport || m_transport->end()) {
        // A stopped device may have enqueued work that uses the memory freed below.
        for (const auto &compute : m_computes)
            finishQuietly(*compute);
        return;
    }
    // A GPU hangs. Freeing its memory would block forever and hide the error of the run, so the memory is leaked.
    for (auto &device : m_devices)
        (void)device.release(); // with its copies to the host
    for (auto &memory : m_memories)
        (void)memory.release();
    for (auto &compute : m_computes)
        (void)compute.release();
}

base::Result<> RunDevices::make(std::vector<int> places, bool isLive, std::function<std::int64_t()> passes)
{
    m_places = std::move(places);
    const std::vector<int> &ranks = m_control.ranks();
    const bool usesThreads = m_plan.experiment.training.backend == "cpu" && isLive;
    if (auto ready = prepareProducts(usesThreads ? static_cast<int>(ranks.size()) : 1); !ready)
        return ready;
    if (auto made = makeMemory(); !made)
        return made;
    for (const int rank : ranks)
        m_passCount += m_plan.schedule.device(m_plan.placeOf(rank).device).size();
    if (auto made = makeTransport(std::move(passes)); !made)
        return made;
    makeGroups();
    m_devices.resize(ranks.size());
    const auto make = [&](std::size_t index) -> base::Result<> {
        const RankPlace place = m_plan.placeOf(ranks[index]);
        backend::Transport &rail = m_rails[index] ? *m_rails[index] : *m_transport;
        const Device::Transports transports{*m_transport,       rail,
                                            *m_shares[index],   *m_gangs[index],
                                            *m_contexts[index], *m_routers[index],
                                            *m_experts[index],  *m_expertReplicas[index]};
        m_devices[index] = std::make_unique<Device>(m_plan, place, *m_memories[index], transports, *m_computes[index]);
        return m_halted.stop_requested() ? base::Result<>(base::Error::cancelled()) : base::Result<>();
    };
    if (auto made = onAllRanks(ranks, make, m_halt); !made)
        return made;
    if (m_gpuMemory)
        m_gpuMemory->measureAllocated();
    if (auto exchanged = m_copies.exchangeHolders(m_plan, m_control, m_devices); !exchanged || !m_isOverNccl)
        return exchanged;
    return openLinks(m_plan, m_control, m_copies.messages(m_plan), memories(), *m_transport);
}

base::Result<> RunDevices::makeMemory()
{
    const std::vector<int> &ranks = m_control.ranks();
    std::map<std::pair<int, int>, std::vector<DevicePlan>> plans; // by share and tensor coordinate
    for (const int rank : ranks) {
        const RankPlace place = m_plan.placeOf(rank);
        const std::pair rail(place.share, place.tensor);
        if (!plans.contains(rail)) {
            auto made = memoryPlan(m_plan.experiment, m_plan.schedule, place.share, place.tensor);
            if (!made)
                return made.error();
            plans.emplace(rail, std::move(made).value());
        }
        m_memoryPlans.push_back(std::move(plans.at(rail)[size(place.device)]));
    }
    m_memories.resize(ranks.size());
    // CopiedGradients adds the gradients of copies in one process without the transport.
    const bool readsOthers = !m_isOverNccl || (m_control.isAlone() && m_plan.sumsCopies());
    if (m_plan.experiment.training.backend == "cuda")
        if (auto opened = openGpus(ranks, m_places, !readsOthers); !opened)
            return opened;
    watchGpuMemory();
    const auto asked = [](const void *token) { return static_cast<const std::stop_token *>(token)->stop_requested(); };
    auto computes = makeComputes(m_plan.experiment, ranks, m_places, {asked, &m_halted});
    if (!computes)
        return computes.error();
    m_computes = std::move(computes).value();
    const auto takeMemory = [&](std::size_t index) -> base::Result<> {
        const int device = m_plan.placeOf(ranks[index]).device;
        m_memories[index] = std::make_unique<DeviceMemory>(
            m_memoryPlans[index], m_plan.schedule.device(device), device, m_computes[index]->memory(),
            m_control.isAlone() && !m_isOverNccl ? DeviceMemory::Messages::InProcess : DeviceMemory::Messages::Network);
        return {};
    };
    return onAllRanks(ranks, takeMemory, m_halt);
}

base::Result<> RunDevices::sumCopies()
{
    return m_copies.sum(m_plan, m_devices, m_devices.front()->transport(), m_memories.front()->pool());
}

std::string RunDevices::takeGpuMemoryText()
{
    std::string text = m_gpuMemory ? m_gpuMemory->text() : std::string();
    m_gpuMemory.reset(); // later steps allocate no more
    return text;
}

std::vector<DeviceMemory *> RunDevices::memories() const
{
    std::vector<DeviceMemory *> all;
    for (const auto &memory : m_memories)
        all.push_back(memory.get());
    return all;
}

base::Result<> RunDevices::makeTransport(std::function<std::int64_t()> passes)
{
    if (!m_isOverNccl) {
        m_transport = m_control.makeTransport(m_halted);
        return {};
    }
    auto made = makeNcclTransport(m_plan, m_control, {m_places, memories(), std::move(passes)}, m_halted);
    if (!made)
        return made.error();
    m_transport = std::move(made).value();
    return {};
}

void RunDevices::makeGroups()
{
    using layout::Axis;
    const auto groupOf = [this](int rank, layout::Axes varying) {
        return std::make_unique<backend::TransportGroup>(*m_transport, m_plan.mesh.group(rank, varying).ranks);
    };
    const bool hasOneRail = m_plan.mesh.ranks() == m_plan.schedule.devices();
    for (const int rank : m_control.ranks()) {
        m_rails.push_back(hasOneRail ? nullptr : groupOf(rank, {Axis::Pipeline}));
        m_shares.push_back(groupOf(rank, {Axis::Context, Axis::Data}));
        m_gangs.push_back(groupOf(rank, {Axis::Tensor}));
        m_contexts.push_back(groupOf(rank, {Axis::Context}));
        m_routers.push_back(groupOf(rank, m_plan.routerAxes()));
        m_experts.push_back(groupOf(rank, {Axis::Expert}));
        m_expertReplicas.push_back(groupOf(rank, {Axis::Context, Axis::ExpertData}));
    }
}

/// Only if this process has the GPUs for itself.
void RunDevices::watchGpuMemory()
{
    if (m_plan.experiment.training.backend != "cuda" || !m_control.isAlone())
        return;
    const base::Bytes workspaces = gpuWorkspaces(m_plan.shape);
    std::vector<base::Bytes> planned;
    std::vector<base::Bytes> slabs;
    for (const DevicePlan &plan : m_memoryPlans) {
        slabs.push_back(plan.slabBytes());
        planned.push_back(gpuBytesOf(plan.slabBytes(), tokenBytes(m_plan.shape), workspaces) +
                          (m_isOverNccl ? gpuLibraryBytes(true) : 0)); // each rank has its own GPU
    }
    m_gpuMemory.emplace(m_places, planned, slabs);
}

} // namespace stagelens::runtime
