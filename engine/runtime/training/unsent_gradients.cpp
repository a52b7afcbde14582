#include "engine/runtime/training/unsent_gradients.h"

#include "engine/base/hash.h"
#include "engine/exchange/safetensors.h"
#include "engine/runtime/processes/packing.h"
#include "engine/runtime/training/checkpoint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace stagelens::runtime {

using base::Error;
using base::Result;

namespace {

bool areFinite(std::span<const float> values)
{
    return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

Result<exchange::SafetensorsFile> fileOf(const Checkpoint &checkpoint)
{
    const std::filesystem::path path = checkpoint.folder / kUnsentGradients;
    auto file = exchange::SafetensorsFile::read(path);
    if (!file)
        return file;
    const auto known = checkpoint.checksums.find(kUnsentGradients);
    if (known == checkpoint.checksums.end() || known->second != file->hash())
        return Error::invalid(path.string(), "does not have the checksum that was stored with the checkpoint: it was changed "
                                             "or replaced; copy it again or restart the run");
    return file;
}

/// Returns the numbers of a device.
std::vector<float> numbersOf(Device &device)
{
    std::vector<float> numbers;
    for (const std::span<float> each : device.keptByCompression()) {
        numbers.resize(numbers.size() + each.size());
        device.compute().read(std::span(numbers).last(each.size()), each.data());
    }
    return numbers;
}

void replace(Device &device, std::span<const float> numbers)
{
    for (const std::span<float> each : device.keptByCompression()) {
        const std::span<const float> from = numbers.first(each.size());
        device.compute().write(each.data(), std::ssize(each), [from](std::span<float> block, std::int64_t first) {
            std::ranges::copy(from.subspan(size(first), block.size()), block.begin());
        });
        numbers = numbers.subspan(each.size());
    }
}

} // namespace

bool keepsUnsent(const model::Experiment &experiment)
{
    return experiment.training.compression.isOn() && experiment.parallel.gradientRanks() > 1;
}

UnsentGradients::Kept UnsentGradients::keptBy(Device &device)
{
    Kept kept;
    for (const std::span<float> each : device.keptByCompression())
        kept.numbers += std::ssize(each);
    std::string parts;
    for (const auto &parameter : device.parameters())
        parts += fmt::format("{} {} {} {},", parameter->index, parameter->held.rows.begin, parameter->rows, parameter->columns);
    kept.name = fmt::format("rank-{}-{}", device.place().rank, base::hashText(parts));
    return kept;
}

Result<std::vector<UnsentGradients::Kept>> UnsentGradients::ranks()
{
    std::vector<Kept> all;
    for (const auto &device : m_devices)
        all.push_back(keptBy(*device));
    if (m_control.isAlone())
        return all;
    Packer own;
    own.put(all.front().name);
    own.put(all.front().numbers);
    const auto gathered = m_control.allGather(own.take());
    if (!gathered)
        return gathered.error();
    all.clear();
    for (const backend::Bytes &part : *gathered) {
        Unpacker packed(part);
        std::string name = packed.text();
        const auto numbers = packed.value<std::int64_t>();
        if (!packed.isWhole() || numbers < 0)
            return Error::failed(
                fmt::format("process {} sent a malformed result; start all processes from the same build", all.size()));
        all.push_back({std::move(name), numbers});
    }
    return all;
}

Result<std::string> UnsentGradients::write(const std::filesystem::path &folder, const std::stop_token &stop)
{
    const auto kept = ranks();
    if (!kept)
        return kept.error();
    std::vector<std::int64_t> sizes;
    for (const Kept &each : *kept)
        sizes.push_back(each.numbers);
    Tensors tensors;
    bool lacksMemory = false; // then no process takes part in the collective below
    try {
        for (std::size_t i = 0; i < sizes.size() && m_control.isFirst(); ++i)
            tensors.push_back(i < m_devices.size() ? numbersOf(*m_devices[i]) : std::vector<float>(size(sizes[i])));
    } catch (const std::bad_alloc &) {
        lacksMemory = true;
    }
    const auto anyLacksMemory = m_control.isAny(lacksMemory);
    if (!anyLacksMemory)
        return anyLacksMemory.error();
    if (lacksMemory)
        throw std::bad_alloc();
    if (*anyLacksMemory)
        return std::string();
    const int own = m_devices.front()->place().rank; // of several processes
    const auto pieces = [&](int rank) {
        return rank == own ? TensorPieces{{0, sizes[size(rank)]}, numbersOf(*m_devices.front())} : TensorPieces{};
    };
    if (auto gathered = m_control.gatherTensors(tensors, sizes, pieces); !gathered)
        return gathered.error();
    if (!m_control.isFirst())
        return std::string();
    std::vector<exchange::TensorView> views;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (!areFinite(tensors[i]))
            return Error::failed(fmt::format("{} has a value that is not finite; lower the learning rate", (*kept)[i].name),
                                 kUnsentGradients);
        if (!tensors[i].empty())
            views.push_back({(*kept)[i].name, {sizes[i]}, std::span<const float>(tensors[i])});
    }
    base::Xxh64 hash;
    if (auto written = exchange::writeSafetensors(folder / kUnsentGradients, views, stop, &hash); !written)
        return written.error();
    return hash.text();
}

Result<> UnsentGradients::read(const Checkpoint *checkpoint)
{
    const auto kept = ranks();
    if (!kept)
        return kept.error();
    std::vector<std::int64_t> sizes;
    for (const Kept &each : *kept)
        sizes.push_back(each.numbers);
    Tensors tensors;
    if (checkpoint != nullptr) {
        const auto file = fileOf(*checkpoint);
        if (!file)
            return file.error();
        const auto count = std::ranges::count_if(sizes, [](std::int64_t numbers) { return numbers > 0; });
        bool isSame = count == std::ssize(file->entries());
        for (std::size_t i = 0; i < kept->size() && isSame; ++i) {
            const std::array shape{sizes[i]};
            auto numbers =
                sizes[i] == 0 ? Result<std::vector<float>>(std::vector<float>()) : file->floats((*kept)[i].name, shape);
            if (!numbers && numbers.error().kind == base::ErrorKind::Failed) // reading it failed
                return numbers.error();
            isSame = numbers.ok();
            if (isSame)
                tensors.push_back(*std::move(numbers));
        }
        if (!isSame)
            return Error::invalid("training.gradient_compression",
                                  fmt::format("is {}, but the checkpoint has what the ranks of another plan have not sent yet; "
                                              "keep devices, ranks, stages and the sharding of the vocabulary as they were",
                                              operators::text(checkpoint->experiment.training.compression)));
    }
    return m_control.scatterTensors(tensors, sizes, [this](int rank, const std::vector<float> &numbers) {
        for (const auto &device : m_devices)
            if (device->place().rank == rank)
                replace(*device, numbers);
    });
}

Result<> checkUnsent(const Checkpoint &checkpoint)
{
    const auto file = fileOf(checkpoint);
    if (!file)
        return file.error();
    for (const exchange::SafetensorsFile::Entry &entry : file->entries()) {
        const auto numbers = file->floats(entry.name, entry.shape);
        if (!numbers)
            return numbers.error();
        if (!areFinite(*numbers))
            return Error::invalid(file->path(),
                                  fmt::format("is damaged: {} has a value that is not finite; restart the run", entry.name));
    }
    return {};
}

} // namespace stagelens::runtime
