#include "engine/exchange/safetensors.h"

#include "engine/base/file.h"
#include "engine/model/json_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

namespace stagelens::exchange {
namespace {

using base::Error;
using base::Result;
using Json = nlohmann::json;
using Entry = SafetensorsFile::Entry;

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::size_t kLengthBytes = 8;
/// The format allows 100 MB; a model of a thousand layers needs less than 2.
constexpr base::Bytes kLongestHeader = base::Bytes{16} << 20;
constexpr base::Bytes kLargestFile = base::Bytes{4} << 30;
constexpr std::size_t kAlignment = 8;
constexpr std::string_view kMetadata = "__metadata__";
/// { name: { "shape": [ .. ] } }
constexpr model::JsonBounds kHeaderBounds{kLongestHeader, 3, 1'000'000};

Error refuse(const std::string &file, const std::string &message)
{
    return Error::invalid(file, fmt::format("is not a sound safetensors file: {}; write it again", message));
}

std::optional<std::size_t> elementBytes(std::string_view type)
{
    if (type == "BOOL" || type == "U8" || type == "I8" || type == "F8_E5M2" || type == "F8_E4M3")
        return 1;
    if (type == "I16" || type == "U16" || type == "F16" || type == "BF16")
        return 2;
    if (type == "I32" || type == "U32" || type == "F32")
        return 4;
    if (type == "I64" || type == "U64" || type == "F64")
        return 8;
    return std::nullopt;
}

/// Bytes of a tensor, or nothing where they are more than `limit`.
std::optional<std::size_t> tensorBytes(const std::vector<std::int64_t> &shape, std::size_t elementSize, std::size_t limit)
{
    if (std::ranges::find(shape, 0) != shape.end())
        return 0;
    std::size_t bytes = elementSize;
    for (const std::int64_t size : shape) {
        if (static_cast<std::uint64_t>(size) > limit / bytes)
            return std::nullopt;
        bytes *= static_cast<std::size_t>(size);
    }
    return bytes;
}

std::string shapeText(std::span<const std::int64_t> shape)
{
    std::string text = "[";
    for (const std::int64_t size : shape)
        text += (text.size() > 1 ? ", " : "") + std::to_string(size);
    return text + "]";
}

/// Non-negative integers of a list, or nothing.
std::optional<std::vector<std::int64_t>> sizesOf(const Json &list)
{
    if (!list.is_array())
        return std::nullopt;
    std::vector<std::int64_t> sizes;
    for (const Json &size : list) {
        if (!size.is_number_unsigned() || size.get<std::uint64_t>() > INT64_MAX)
            return std::nullopt;
        sizes.push_back(size.get<std::int64_t>());
    }
    return sizes;
}

/// Reads one tensor of the header. Returns its problem, or an empty text.
Result<Entry> entryOf(const std::string &file, const std::string &name, const Json &json, std::size_t dataBytes)
{
    const auto bad = [&](const std::string &what) { return refuse(file, fmt::format("tensor {} {}", name, what)); };
    if (!json.is_object() || !json.contains("dtype") || !json.contains("shape") || !json.contains("data_offsets"))
        return bad("lacks dtype, shape or data_offsets");
    const auto shape = sizesOf(json["shape"]);
    const auto offsets = sizesOf(json["data_offsets"]);
    if (!json["dtype"].is_string() || !shape || !offsets || offsets->size() != 2)
        return bad("has a dtype, shape or data_offsets of another type");
    Entry entry{name, json["dtype"].get<std::string>(), *shape, static_cast<std::size_t>((*offsets)[0]),
                static_cast<std::size_t>((*offsets)[1])};
    const auto elementSize = elementBytes(entry.type);
    if (!elementSize)
        return bad("has a dtype that is not known");
    if (entry.begin > entry.end || entry.end > dataBytes)
        return bad(fmt::format("lies at bytes {} to {} of {}", entry.begin, entry.end, dataBytes));
    if (tensorBytes(entry.shape, *elementSize, dataBytes) != entry.end - entry.begin)
        return bad(fmt::format("of type {} and shape {} does not fill bytes {} to {}", entry.type, shapeText(entry.shape),
                               entry.begin, entry.end));
    return entry;
}

/// The tensors must follow one another without overlap or hole, as the format demands.
Result<> checkPlaces(const std::string &file, std::vector<Entry> entries, std::size_t dataBytes)
{
    std::ranges::sort(entries, {}, [](const Entry &entry) { return std::pair(entry.begin, entry.end); });
    std::size_t end = 0;
    for (const Entry &entry : entries) {
        if (entry.begin != end)
            return refuse(
                file, fmt::format("tensor {} begins at byte {} where the one before ends at {}", entry.name, entry.begin, end));
        end = entry.end;
    }
    if (end != dataBytes)
        return refuse(file, fmt::format("its tensors end at byte {} of {}", end, dataBytes));
    return {};
}

Result<std::string> headerOf(std::span<const TensorView> tensors)
{
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    header[std::string(kMetadata)] = {{"format", "pt"}}; // transformers refuses a file without it
    std::set<std::string_view> names;
    std::size_t offset = 0;
    for (const TensorView &tensor : tensors) {
        const std::string_view type = std::array{"F32", "I64", "U8"}[tensor.values.index()];
        const std::size_t bytes = std::visit([](auto values) { return values.size_bytes(); }, tensor.values);
        const auto needed = tensorBytes(tensor.shape, *elementBytes(type), SIZE_MAX / 2);
        if (needed != bytes || tensor.name == kMetadata || !names.insert(tensor.name).second)
            return Error::failed(fmt::format("tensor {} of shape {} and {} bytes cannot be written; its name or size is wrong",
                                             tensor.name, shapeText(tensor.shape), bytes));
        header[tensor.name] = {{"dtype", type}, {"shape", tensor.shape}, {"data_offsets", {offset, offset + bytes}}};
        offset += bytes;
    }
    std::string text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
    return text;
}

/// IEEE 754 binary16: a sign, 5 bits of exponent and 10 of fraction.
float fromF16(std::uint16_t bits)
{
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16U;
    const std::uint32_t exponent = bits >> 10U & 0x1fU;
    const std::uint32_t fraction = bits & 0x3ffU;
    if (exponent == 0) {
        const float size = static_cast<float>(fraction) * 0x1p-24F; // subnormal or 0
        return sign == 0 ? size : -size;
    }
    constexpr std::uint32_t kRebias = 127 - 15;
    const std::uint32_t wide = exponent == 0x1fU ? 0xffU : exponent + kRebias;
    return std::bit_cast<float>(sign | wide << 23U | fraction << 13U);
}

/// The upper half of an F32.
float fromBf16(std::uint16_t bits)
{
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

Result<std::string> readWhole(const std::filesystem::path &file)
{
    try {
        return base::readFile(file, kLargestFile);
    } catch (const std::bad_alloc &) {
        return Error::failed("does not fit into memory; choose a smaller file", file.string());
    }
}

} // namespace

Result<> writeSafetensors(const std::filesystem::path &file, std::span<const TensorView> tensors, const std::stop_token &stop,
                          base::Xxh64 *hash)
{
    const auto header = headerOf(tensors);
    if (!header)
        return header.error();
    const std::uint64_t length = header->size();
    std::vector<std::string_view> parts{{reinterpret_cast<const char *>(&length), kLengthBytes}, *header};
    for (const TensorView &tensor : tensors)
        std::visit([&](auto values) { parts.emplace_back(reinterpret_cast<const char *>(values.data()), values.size_bytes()); },
                   tensor.values);
    if (hash != nullptr)
        for (const std::string_view part : parts)
            hash->add(part);
    return base::writeFile(file, parts, stop);
}

Result<SafetensorsFile> SafetensorsFile::read(const std::filesystem::path &path)
{
    auto content = readWhole(path);
    if (!content)
        return std::move(content).error();
    SafetensorsFile file;
    file.m_file = path.string();
    file.m_content = *std::move(content);
    std::uint64_t length = 0;
    if (file.m_content.size() < kLengthBytes)
        return refuse(file.m_file, fmt::format("it is only {} bytes long", file.m_content.size()));
    std::memcpy(&length, file.m_content.data(), sizeof length);
    if (length > std::min<std::size_t>(kLongestHeader, file.m_content.size() - kLengthBytes))
        return refuse(file.m_file, fmt::format("its header claims {} bytes of {}", length, file.m_content.size()));
    file.m_dataBegin = kLengthBytes + static_cast<std::size_t>(length);
    const std::size_t dataBytes = file.m_content.size() - file.m_dataBegin;
    const std::string_view header(file.m_content.data() + kLengthBytes, static_cast<std::size_t>(length));
    const auto json = model::parseJson<Json>(header, "its header", kHeaderBounds);
    if (!json)
        return refuse(file.m_file, fmt::format("its header {}", json.error().problems.front().message));
    if (!json->is_object())
        return refuse(file.m_file, "its header is not a JSON object");
    for (const auto &[name, value] : json->items()) {
        if (name == kMetadata)
            continue;
        auto entry = entryOf(file.m_file, name, value, dataBytes);
        if (!entry)
            return std::move(entry).error();
        file.m_entries.push_back(*std::move(entry));
    }
    if (const auto checked = checkPlaces(file.m_file, file.m_entries, dataBytes); !checked)
        return checked.error();
    return file;
}

const Entry *SafetensorsFile::find(std::string_view name) const
{
    const auto found = std::ranges::lower_bound(m_entries, name, {}, &Entry::name);
    return found != m_entries.end() && found->name == name ? &*found : nullptr;
}

template <class T>
Result<std::vector<T>> SafetensorsFile::values(std::string_view name, std::string_view type,
                                               std::span<const std::int64_t> shape) const
{
    const Entry *entry = find(name);
    if (entry == nullptr)
        return Error::invalid(m_file, fmt::format("has no tensor {}; give a file of the same model", name));
    if (entry->type != type)
        return Error::invalid(m_file, fmt::format("has tensor {} as {} but {} is read; convert it", name, entry->type, type));
    if (!std::ranges::equal(entry->shape, shape))
        return Error::invalid(m_file,
                              fmt::format("has tensor {} with shape {} but the model has {}; give a file of the same model",
                                          name, shapeText(entry->shape), shapeText(shape)));
    std::vector<T> result((entry->end - entry->begin) / sizeof(T));
    if (!result.empty()) // the header's length is anyone's, so the bytes may be unaligned
        std::memcpy(result.data(), m_content.data() + m_dataBegin + entry->begin, result.size() * sizeof(T));
    return result;
}

Result<std::vector<float>> SafetensorsFile::floats(std::string_view name, std::span<const std::int64_t> shape) const
{
    const Entry *entry = find(name);
    if (entry != nullptr && (entry->type == "F16" || entry->type == "BF16")) {
        const auto bits = values<std::uint16_t>(name, entry->type, shape);
        if (!bits)
            return bits.error();
        std::vector<float> result(bits->size());
        std::ranges::transform(*bits, result.begin(), entry->type == "F16" ? fromF16 : fromBf16);
        return result;
    }
    return values<float>(name, "F32", shape);
}

Result<std::vector<float>> SafetensorsFile::bytes(std::string_view name, std::span<const std::int64_t> shape) const
{
    const auto read = values<std::uint8_t>(name, "U8", shape);
    if (!read)
        return read.error();
    return std::vector<float>(read->begin(), read->end());
}

Result<std::vector<std::int64_t>> SafetensorsFile::integers(std::string_view name, std::span<const std::int64_t> shape) const
{
    return values<std::int64_t>(name, "I64", shape);
}

} // namespace stagelens::exchange
