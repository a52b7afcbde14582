// Tensors of a checkpoint: one file, and the index of several.
#include "engine/exchange/safetensors.h"
#include "engine/exchange/huggingface_weights.h"
#include "tests/fuzz/support.h"

#include <array>
#include <cstring>
#include <filesystem>

using namespace stagelens;

namespace {

std::string fileOf(std::string_view header, std::size_t dataBytes)
{
    const std::uint64_t length = header.size();
    std::string file(sizeof length, '\0');
    std::memcpy(file.data(), &length, sizeof length);
    return file.append(header) + std::string(dataBytes, '\x3f');
}

/// The same bytes as the index of a folder with one sound part.
void readIndex(std::string_view input)
{
    static const std::string kFolder = [] {
        const std::string folder = fuzz::scratchFolder() + "/weights";
        std::filesystem::create_directories(folder);
        fuzz::writeScratch("weights/a.safetensors", fileOf(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4));
        return folder;
    }();
    fuzz::writeScratch("weights/model.safetensors.index.json", input);
    const auto weights = exchange::HuggingFaceWeights::open(kFolder);
    if (!weights)
        return fuzz::requireMessage(weights.error());
    for (const std::string &name : weights->names())
        fuzz::require(weights->contains(name), "a tensor that is named is there");
}

void run(std::string_view input)
{
    if (!input.empty() && input.front() == '{')
        readIndex(input);
    static const fuzz::MemoryFile kFile;
    kFile.write(input);
    const auto file = exchange::SafetensorsFile::read(kFile.path());
    if (!file)
        return fuzz::requireMessage(file.error());
    for (const auto &entry : file->entries()) {
        fuzz::require(file->find(entry.name) != nullptr, "an entry is found by its name");
        if (entry.type == "F32")
            fuzz::require(file->floats(entry.name, entry.shape).ok(), "an F32 tensor can be read");
        if (entry.type == "I64")
            fuzz::require(file->integers(entry.name, entry.shape).ok(), "an I64 tensor can be read");
    }
}

fuzz::Seeds seeds()
{
    return {
        fileOf(
            R"({"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},"b":{"dtype":"I64","shape":[1],"data_offsets":[8,16]}})",
            16),
        fileOf(R"({"__metadata__":{"format":"pt"},"h":{"dtype":"BF16","shape":[],"data_offsets":[0,2]}})", 2),
        fileOf(R"({"w":{"dtype":"F32","shape":[4294967296,4294967296,0],"data_offsets":[0,0]}})", 0),
        fileOf(R"({"w":{"dtype":"F32","shape":[9223372036854775807,4],"data_offsets":[0,18446744073709551615]}})", 4),
        fileOf(R"({")" + fuzz::hostileMarkup() + R"(":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})", 4),
        fileOf(std::string(100'000, '['), 0),
        std::string("\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10),
        R"({"weight_map":{"w":"a.safetensors"}})",
        R"({"weight_map":{"w":"../../dev/zero","v":"pipe","u":")" + fuzz::hostileMarkup() + "\"}}"};
}

const fuzz::Registered kTarget{{"safetensors", run, seeds, 1000}};

} // namespace
