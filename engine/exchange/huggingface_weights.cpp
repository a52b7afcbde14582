#include "engine/exchange/huggingface_weights.h"

#include "engine/base/file.h"
#include "engine/model/json_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

namespace stagelens::exchange {
namespace {

using base::Error;
using base::Result;
using Json = nlohmann::json;

constexpr base::Bytes kLargestIndex = base::Bytes{16} << 20;
constexpr std::size_t kMostParts = 1000;

bool isThere(const std::filesystem::path &file)
{
    std::error_code error;
    return std::filesystem::exists(file, error);
}

/// Part of each tensor.
using Places = std::map<std::string, std::string>;

Result<Places> readIndex(const std::filesystem::path &file)
{
    const auto text = base::readFile(file, kLargestIndex);
    if (!text)
        return text.error();
    const auto parsed = model::parseJson<Json>(*text, file.string(), model::kTensorListBounds);
    if (!parsed)
        return parsed.error();
    const Json &index = *parsed;
    if (!index.is_object() || !index.contains("weight_map") || !index["weight_map"].is_object())
        return Error::invalid(file.string(), "has no weight_map that names the file of each tensor; save the model again");
    Places places;
    std::set<std::string> parts;
    for (const auto &[name, part] : index["weight_map"].items()) {
        const std::string value = part.is_string() ? part.get<std::string>() : std::string();
        if (!value.ends_with(".safetensors") || std::filesystem::path(value).filename() != value)
            return Error::invalid(
                file.string(),
                fmt::format("puts tensor {} into `{}`; it must be a .safetensors file of the same folder", name, value));
        places[name] = value;
        parts.insert(value);
    }
    if (parts.size() > kMostParts)
        return Error::invalid(
            file.string(),
            fmt::format("names {} parts, and at most {} are read; save the model in larger ones", parts.size(), kMostParts));
    return places;
}

/// The files to read, with the tensors that they must hold.
Result<std::map<std::string, std::vector<std::string>>> partsOf(const std::filesystem::path &folder)
{
    constexpr const char *kWhole = "model.safetensors";
    const std::filesystem::path index = folder / "model.safetensors.index.json";
    std::map<std::string, std::vector<std::string>> parts;
    if (isThere(folder / kWhole) || !isThere(index)) {
        if (!isThere(folder / kWhole) && isThere(folder / "pytorch_model.bin"))
            return Error::invalid(folder.string(), "holds its parameters in pytorch_model.bin, which can run code and is not "
                                                   "read; save the model with safe_serialization=True");
        parts[kWhole] = {};
        return parts;
    }
    const auto places = readIndex(index);
    if (!places)
        return places.error();
    for (const auto &[name, part] : *places)
        parts[part].push_back(name);
    return parts;
}

} // namespace

Result<HuggingFaceWeights> HuggingFaceWeights::open(const std::filesystem::path &folder)
{
    const auto parts = partsOf(folder);
    if (!parts)
        return parts.error();
    HuggingFaceWeights weights;
    weights.m_folder = folder;
    std::set<std::string> known;
    for (const auto &[part, promised] : *parts) {
        auto file = SafetensorsFile::read(folder / part);
        if (!file)
            return file.error();
        for (const std::string &name : promised)
            if (file->find(name) == nullptr)
                return Error::invalid((folder / part).string(),
                                      fmt::format("does not hold tensor {} as the index says; copy the folder again", name));
        for (const SafetensorsFile::Entry &entry : file->entries())
            if (!known.insert(entry.name).second)
                return Error::invalid(
                    (folder / part).string(),
                    fmt::format("holds tensor {}, which another part has too; copy the folder again", entry.name));
        weights.m_parts.push_back(*std::move(file));
    }
    return weights;
}

const SafetensorsFile *HuggingFaceWeights::partOf(std::string_view name) const
{
    const auto found = std::ranges::find_if(m_parts, [name](const auto &part) { return part.find(name) != nullptr; });
    return found == m_parts.end() ? nullptr : &*found;
}

const SafetensorsFile::Entry *HuggingFaceWeights::find(std::string_view name) const
{
    const SafetensorsFile *part = partOf(name);
    return part == nullptr ? nullptr : part->find(name);
}

std::vector<std::string> HuggingFaceWeights::names() const
{
    std::vector<std::string> names;
    for (const SafetensorsFile &part : m_parts)
        for (const SafetensorsFile::Entry &entry : part.entries())
            names.push_back(entry.name);
    return names;
}

Result<std::vector<float>> HuggingFaceWeights::floats(std::string_view name, std::span<const std::int64_t> shape) const
{
    if (const SafetensorsFile *part = partOf(name))
        return part->floats(name, shape);
    return Error::invalid(m_folder.string(), fmt::format("has no tensor {}; give a folder of the same model", name));
}

} // namespace stagelens::exchange
