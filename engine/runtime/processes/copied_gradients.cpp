#include "engine/runtime/processes/copied_gradients.h"

#include "engine/runtime/processes/packing.h"

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

namespace stagelens::runtime {
namespace {

/// Message kinds in addition to those of passes (keyOf() in message_order.h).
enum CopyMessage : std::uint8_t { kCopyGradient = 254, kSummedGradient = 255 };

backend::MessageKey keyOf(CopyMessage kind, int parameter)
{
    return {static_cast<std::uint8_t>(kind), 0, parameter};
}

backend::Tensor gradientOf(const Parameter &parameter, backend::Pool &pool, backend::Compute &compute)
{
    auto tensor = std::make_shared<backend::Buffer>(
        pool.allocate(size(parameter.count()), category(simulate::MemoryCategory::Communication)));
    compute.copy(tensor->data(), parameter.gradient.data(), parameter.count());
    compute.finish();
    return tensor;
}

/// If all devices are in this process: in each replica, adds the gradients of the copies of a parameter to the original in rank
/// order, and writes the sum to every copy. Call after addOutputGradients().
void addCopies(const Devices &devices)
{
    struct Original {
        Parameter *parameter = nullptr;
        Device *device = nullptr;
    };
    std::map<std::tuple<int, int, int>, Original> originals; ///< by share, tensor rank and parameter
    std::vector<Original> copies;
    const auto placeOf = [](const Device &device, const Parameter &parameter) {
        return std::tuple(device.place().share, device.place().tensor, parameter.index);
    };
    for (const auto &device : devices) {
        for (const auto &parameter : device->parameters()) {
            if (parameter->isCopy)
                copies.push_back({parameter.get(), device.get()});
            else
                originals[placeOf(*device, *parameter)] = {parameter.get(), device.get()}; // a shard has no copy
        }
    }
    for (const auto &[copy, device] : copies) {
        const Original &original = originals.at(placeOf(*device, *copy));
        original.device->compute().add(original.parameter->gradient.data(), copy->gradient.data(), copy->count());
        original.device->compute().finish();
    }
    for (const auto &[copy, device] : copies) {
        device->compute().copy(copy->gradient.data(), originals.at(placeOf(*device, *copy)).parameter->gradient.data(),
                               copy->count());
        device->compute().finish();
    }
}

} // namespace

base::Result<> CopiedGradients::exchangeHolders(const RunPlan &plan, ControlChannel &control, const Devices &devices)
{
    if (control.isAlone())
        return {};
    std::vector<std::int32_t> parts; // index and isCopy, alternating
    for (const auto &parameter : devices.front()->parameters()) {
        parts.push_back(parameter->index);
        parts.push_back(parameter->isCopy ? 1 : 0);
    }
    Packer packer;
    packer.put(parts);
    const auto all = control.allGather(packer.take());
    if (!all)
        return all.error();
    for (int rank = 0; rank < static_cast<int>(all->size()); ++rank) {
        const RankPlace place = plan.placeOf(rank);
        const RankPlace &own = devices.front()->place();
        if (place.share != own.share || place.tensor != own.tensor)
            continue;
        const auto held = Unpacker((*all)[size(rank)]).values<std::int32_t>();
        for (std::size_t i = 0; i + 1 < held.size(); i += 2) {
            m_holders.resize(std::max(m_holders.size(), size(held[i] + 1)));
            Holders &holders = m_holders[size(held[i])];
            if (held[i + 1] == 0)
                holders.original = place.device;
            else
                holders.copies.push_back(place.device);
        }
    }
    return {};
}

std::vector<backend::Message> CopiedGradients::messages(const RunPlan &plan) const
{
    std::vector<backend::Message> all;
    for (const CopyMessage kind : {kCopyGradient, kSummedGradient}) {
        for (std::size_t index = 0; index < m_holders.size(); ++index) {
            const int original = m_holders[index].original;
            for (const int copy : m_holders[index].copies)
                all.push_back({kind == kCopyGradient ? copy : original, kind == kCopyGradient ? original : copy,
                               keyOf(kind, static_cast<int>(index)), plan.parameters[index].count()});
        }
    }
    return all;
}

base::Result<> CopiedGradients::sum(const RunPlan &plan, const Devices &devices, backend::Transport &transport,
                                    backend::Pool &pool)
{
    for (const auto &device : devices)
        addOutputGradients(device->parameters(), device->compute());
    if (m_holders.empty()) {
        addCopies(devices);
        return {};
    }
    const int own = devices.front()->place().device;
    transport.announce(own, messages(plan));
    const auto &parameters = devices.front()->parameters();
    backend::Compute &compute = devices.front()->compute();
    for (const auto &parameter : parameters)
        if (parameter->isCopy)
            transport.send(own, m_holders[size(parameter->index)].original, keyOf(kCopyGradient, parameter->index),
                           gradientOf(*parameter, pool, compute));
    for (const auto &parameter : parameters) {
        if (parameter->isCopy)
            continue;
        const std::vector<int> &copies = m_holders[size(parameter->index)].copies;
        for (const int copy : copies) {
            const auto gradient = transport.receive(copy, own, keyOf(kCopyGradient, parameter->index));
            if (!gradient)
                return base::Error::cancelled();
            compute.add(parameter->gradient.data(), gradient->data(), parameter->count());
            compute.finish();
        }
        for (const int copy : copies)
            transport.send(own, copy, keyOf(kSummedGradient, parameter->index), gradientOf(*parameter, pool, compute));
    }
    for (const auto &parameter : parameters) {
        if (!parameter->isCopy)
            continue;
        const int original = m_holders[size(parameter->index)].original;
        const auto sum = transport.receive(original, own, keyOf(kSummedGradient, parameter->index));
        if (!sum)
            return base::Error::cancelled();
        compute.copy(parameter->gradient.data(), sum->data(), parameter->count());
        compute.finish();
    }
    return {};
}

} // namespace stagelens::runtime
