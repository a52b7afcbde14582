#include "engine/runtime/training/model_tensors.h"

#include "engine/runtime/processes/packing.h"

#include <algorithm>
#include <cstring>

namespace stagelens::runtime {
namespace {

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

std::vector<int> ModelTensors::stages() const
{
    std::vector<int> stages(m_plan.parameters.size(), -1);
    for (const auto &device : m_devices)
        for (const auto &part : device->parameters())
            stages[size(part->index)] = part->stage;
    return stages;
}

std::int64_t ModelTensors::numbersOf(const ParameterInfo &info, const ParameterPart &part) const
{
    if (!part.isState())
        return info.count();
    return stateTensor(part).isOf(info.kind()) ? stateTensor(part).numbers(info.count(), info.columns, info.matrixRows) : 0;
}

layout::Interval ModelTensors::numbersOf(const ParameterPart &part, const Parameter &rows) const
{
    const layout::Interval elements = rows.updated();
    const std::int64_t place =
        stateTensor(part).placeOf(rows.held.rows.begin * rows.columns + elements.begin, rows.columns, rows.matrixRows);
    return {place, place + stateTensor(part).numbers(elements.size(), rows.columns, rows.matrixRows)};
}

bool ModelTensors::isPlain(const ParameterPart &part) const
{
    using Tensor = operators::StateTensor;
    return !part.isState() ||
           (stateTensor(part).format == Tensor::Format::Float && stateTensor(part).extent == Tensor::Extent::Element);
}

void ModelTensors::writeState(backend::Compute &compute, const ParameterPart &part, Parameter &rows,
                              std::span<const float> numbers) const
{
    const backend::Values to = rows.numbers(part);
    if (stateTensor(part).format == operators::StateTensor::Format::Code)
        return writeCodes(compute, to, numbers);
    compute.write(to, std::ssize(numbers), [numbers](std::span<float> block, std::int64_t first) {
        std::ranges::copy(numbers.subspan(size(first), block.size()), block.begin());
    });
}

void ModelTensors::readState(backend::Compute &compute, const ParameterPart &part, Parameter &rows,
                             std::span<float> numbers) const
{
    if (stateTensor(part).format == operators::StateTensor::Format::Code)
        readCodes(compute, numbers, rows.numbers(part));
    else
        compute.read(numbers, rows.numbers(part));
}

const operators::StateTensor &ModelTensors::stateTensor(const ParameterPart &part) const
{
    return optimizerOf(m_plan.experiment.training.optimizer).state[part.stateTensor()];
}

void ModelTensors::write(const ParameterPart &part, const Tensors &tensors, std::optional<int> replica)
{
    for (std::size_t index = 0; index < tensors.size(); ++index)
        writeOne(part, static_cast<int>(index), tensors[index], replica);
}

void ModelTensors::writeOne(const ParameterPart &part, int index, const std::vector<float> &whole, std::optional<int> replica)
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
            if (part == &Parameter::value)
                refreshRead(*rows, device->compute());
        }
    }
}

std::vector<std::int64_t> ModelTensors::sizes(const ParameterPart &part) const
{
    std::vector<std::int64_t> sizes;
    for (const ParameterInfo &info : m_plan.parameters)
        sizes.push_back(numbersOf(info, part));
    return sizes;
}

TensorPieces ModelTensors::pieces(const ParameterPart &part, int index, std::optional<int> replica) const
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

Tensors ModelTensors::read(const ParameterPart &part, std::optional<int> replica) const
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

void ModelTensors::setUpdates(const std::vector<int> &counts, const std::vector<int> &ofSecondMoments)
{
    for (const auto &device : m_devices)
        for (const auto &part : device->parameters()) {
            part->updates = counts[size(part->index)];
            part->secondUpdates = ofSecondMoments[size(part->index)];
        }
}

base::Result<Tensors> ModelTensors::collect(const ParameterPart &part)
{
    Tensors all = m_control.isFirst() ? read(part) : Tensors();
    if (auto added = addOthers(part, all); !added)
        return added.error();
    return all;
}

base::Result<> ModelTensors::addOthers(const ParameterPart &part, Tensors &tensors, std::optional<int> replica)
{
    return m_control.gatherTensors(tensors, sizes(part), [&](int index) { return pieces(part, index, replica); });
}

base::Result<> ModelTensors::distribute(std::span<const ParameterPart> parts, const Tensors &tensors,
                                        std::optional<int> replica)
{
    return m_control.scatterTensors(tensors, sizes(parts.front()), [&](int index, const std::vector<float> &whole) {
        for (const ParameterPart &part : parts)
            writeOne(part, index, whole, replica);
    });
}

base::Result<std::vector<int>> ModelTensors::collectUpdates(int Parameter::*counter)
{
    std::vector<int> updates(m_plan.parameters.size(), -1); // -1: of a parameter that only other processes have
    for (const auto &device : m_devices)
        for (const auto &part : device->parameters())
            updates[size(part->index)] = (*part).*counter;
    if (m_control.isAlone())
        return updates;
    Packer own;
    own.put(updates);
    const auto all = m_control.allGather(own.take());
    if (!all)
        return all.error();
    for (const backend::Bytes &part : *all) {
        const auto theirs = Unpacker(part).values<int>();
        for (std::size_t index = 0; index < std::min(updates.size(), theirs.size()); ++index)
            if (theirs[index] >= 0)
                updates[index] = theirs[index];
    }
    return updates;
}

} // namespace stagelens::runtime
