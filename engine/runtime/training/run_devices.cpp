#include "engine/runtime/training/run_devices.h"

#include "engine/backend/transport_group.h"
#include "engine/runtime/machine/accelerators.h"
#include "engine/runtime/machine/processor.h"
#include "engine/runtime/processes/nccl.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <span>
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

/// Returns floats whose bytes are `codes` codes.
std::vector<float> floatsFor(std::size_t codes)
{
    return std::vector<float>((codes + sizeof(float) - 1) / sizeof(float));
}

void writeCodes(backend::Compute &compute, backend::Values to, std::span<const float> numbers)
{
    std::vector<float> packed = floatsFor(numbers.size());
    auto *const codes = reinterpret_cast<std::uint8_t *>(packed.data());
    std::ranges::transform(numbers, codes, [](float number) { return static_cast<std::uint8_t>(number); });
    compute.write(to, std::ssize(packed), [&packed](std::span<float> block, std::int64_t first) {
        std::memcpy(block.data(), packed.data() + first, block.size_bytes());
    });
}

void readCodes(backend::Compute &compute, std::span<float> numbers, backend::ConstValues from)
{
    std::vector<float> packed = floatsFor(numbers.size());
    compute.read(packed, from);
    std::copy_n(reinterpret_cast<const std::uint8_t *>(packed.data()), numbers.size(), numbers.begin());
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
        const Device::Transports transports{*m_transport,
                                            rail,
                                            *m_shares[index],
                                            *m_gangs[index],
                                            *m_contexts[index],
                                            *m_experts[index],
                                            *m_expertReplicas[index]};
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
    if (m_plan.experiment.training.backend == "cuda")
        if (auto opened = openGpus(ranks, m_places, m_isOverNccl); !opened)
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
        m_experts.push_back(groupOf(rank, {Axis::Expert}));
        m_expertReplicas.push_back(groupOf(rank, {Axis::ExpertData}));
    }
}

/// Only if this process has the GPUs for itself.
void RunDevices::watchGpuMemory()
{
    if (m_plan.experiment.training.backend != "cuda" || !m_control.isAlone())
        return;
    std::vector<base::Bytes> planned;
    std::vector<base::Bytes> slabs;
    for (const DevicePlan &plan : m_memoryPlans) {
        slabs.push_back(plan.slabBytes());
        planned.push_back(gpuBytesOf(plan.slabBytes(), tokenBytes(m_plan.shape)));
    }
    m_gpuMemory.emplace(m_places, planned, slabs);
}

std::vector<int> RunDevices::parameterStages() const
{
    std::vector<int> stages(m_plan.parameters.size(), -1);
    for (const auto &device : m_devices)
        for (const auto &part : device->parameters())
            stages[size(part->index)] = part->stage;
    return stages;
}

std::int64_t RunDevices::numbersOf(const ParameterInfo &info, const ParameterPart &part) const
{
    if (!part.isState())
        return info.count();
    return stateTensor(part).isOf(info.kind()) ? stateTensor(part).numbers(info.count(), info.columns) : 0;
}

layout::Interval RunDevices::numbersOf(const ParameterPart &part, const Parameter &rows) const
{
    const layout::Interval elements = rows.updated();
    const std::int64_t place = stateTensor(part).placeOf(rows.held.rows.begin * rows.columns + elements.begin, rows.columns);
    return {place, place + stateTensor(part).numbers(elements.size(), rows.columns)};
}

bool RunDevices::isPlain(const ParameterPart &part) const
{
    using Tensor = operators::StateTensor;
    return !part.isState() ||
           (stateTensor(part).format == Tensor::Format::Float && stateTensor(part).extent == Tensor::Extent::Element);
}

void RunDevices::writeState(backend::Compute &compute, const ParameterPart &part, Parameter &rows,
                            std::span<const float> numbers) const
{
    const backend::Values to = rows.numbers(part);
    if (stateTensor(part).format == operators::StateTensor::Format::Code)
        return writeCodes(compute, to, numbers);
    compute.write(to, std::ssize(numbers), [numbers](std::span<float> block, std::int64_t first) {
        std::ranges::copy(numbers.subspan(size(first), block.size()), block.begin());
    });
}

void RunDevices::readState(backend::Compute &compute, const ParameterPart &part, Parameter &rows,
                           std::span<float> numbers) const
{
    if (stateTensor(part).format == operators::StateTensor::Format::Code)
        readCodes(compute, numbers, rows.numbers(part));
    else
        compute.read(numbers, rows.numbers(part));
}

const operators::StateTensor &RunDevices::stateTensor(const ParameterPart &part) const
{
    return optimizerOf(m_plan.experiment.training.optimizer).state[part.stateTensor()];
}

void RunDevices::setTensors(const ParameterPart &part, const Tensors &tensors, std::optional<int> replica)
{
    for (std::size_t index = 0; index < tensors.size(); ++index)
        setTensor(part, static_cast<int>(index), tensors[index], replica);
}

void RunDevices::setTensor(const ParameterPart &part, int index, const std::vector<float> &whole, std::optional<int> replica)
{
    for (const auto &device : m_devices) {
        if (replica && device->place().replica != *replica)
            continue;
        for (const auto &rows : device->parameters()) {
            if (rows->index != index || !rows->numbers(part))
                continue;
            const layout::Interval elements = part.isState() ? rows->updated() : rows->live(rows->isValueDropped);
            if (!isPlain(part)) {
                const layout::Interval held = numbersOf(part, *rows);
                writeState(device->compute(), part, *rows, std::span(whole).subspan(size(held.begin), size(held.size())));
                continue;
            }
            device->compute().write(
                rows->numbersFrom(part, elements.begin), elements.size(), [&](std::span<float> block, std::int64_t first) {
                    const std::int64_t begin = elements.begin + first;
                    rows->held.eachRun({begin, begin + std::ssize(block)},
                                       [&](std::int64_t own, std::int64_t from, std::int64_t count) {
                                           std::copy_n(whole.data() + from, count, block.data() + (own - begin));
                                       });
                });
            if (const backend::Values rounded = rows->numbers(&Parameter::rounded); rounded && part == &Parameter::value)
                device->compute().round(rounded, rows->value.data(), rows->count());
        }
    }
}

std::vector<std::int64_t> RunDevices::sizes(const ParameterPart &part) const
{
    std::vector<std::int64_t> sizes;
    for (const ParameterInfo &info : m_plan.parameters)
        sizes.push_back(numbersOf(info, part));
    return sizes;
}

TensorPieces RunDevices::pieces(const ParameterPart &part, int index, std::optional<int> replica) const
{
    const Device &device = *m_devices.front();
    TensorPieces pieces;
    Parameter *rows = device.find(index);
    if (rows == nullptr || rows->isCopy || rows->isRepeated || !rows->numbers(part))
        return pieces;
    if (replica ? device.place().replica != *replica : rows->share.size() == 0)
        return pieces;
    if (!isPlain(part)) {
        const layout::Interval held = numbersOf(part, *rows);
        pieces.runs = {held.begin, held.size()};
        pieces.values.resize(size(held.size()));
        readState(device.compute(), part, *rows, pieces.values);
        return pieces;
    }
    const layout::Interval own = !replica ? rows->share : part.isState() ? rows->updated() : rows->whole();
    pieces.values.resize(size(own.size()));
    device.compute().read(pieces.values, rows->numbersFrom(part, own.begin));
    rows->held.eachRun(own, [&pieces](std::int64_t, std::int64_t first, std::int64_t count) {
        pieces.runs.push_back(first);
        pieces.runs.push_back(count);
    });
    return pieces;
}

Tensors RunDevices::tensors(const ParameterPart &part, std::optional<int> replica) const
{
    Tensors all;
    for (std::size_t index = 0; index < m_plan.parameters.size(); ++index) {
        std::vector<float> &tensor = all.emplace_back(size(numbersOf(m_plan.parameters[index], part)));
        for (const auto &device : m_devices) {
            Parameter *rows = device->find(static_cast<int>(index));
            const bool isRead = replica ? device->place().replica == *replica : rows != nullptr && rows->share.size() > 0;
            if (rows == nullptr || rows->isCopy || rows->isRepeated || !isRead || !rows->numbers(part))
                continue;
            if (!isPlain(part)) {
                const layout::Interval held = numbersOf(part, *rows);
                readState(device->compute(), part, *rows, std::span(tensor).subspan(size(held.begin), size(held.size())));
                continue;
            }
            // Each replica contributes its share, of which it has the sum of the gradients, and the state that it has.
            rows->held.eachRun(part.isState() ? rows->updated()
                               : replica      ? rows->whole()
                                              : rows->share,
                               [&](std::int64_t own, std::int64_t first, std::int64_t count) {
                                   device->compute().read(std::span(tensor).subspan(size(first), size(count)),
                                                          rows->numbersFrom(part, own));
                               });
        }
    }
    return all;
}

std::vector<int> RunDevices::updates() const
{
    std::vector<int> counts(m_plan.parameters.size(), -1);
    for (const auto &device : m_devices)
        for (const auto &part : device->parameters())
            counts[size(part->index)] = part->updates;
    return counts;
}

void RunDevices::setUpdates(const std::vector<int> &counts)
{
    for (const auto &device : m_devices)
        for (const auto &part : device->parameters())
            part->updates = counts[size(part->index)];
}

} // namespace stagelens::runtime
