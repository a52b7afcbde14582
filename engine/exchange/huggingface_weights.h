// The parameters in a folder written by save_pretrained() of transformers.
#pragma once

#include "engine/exchange/safetensors.h"

#include <filesystem>
#include <string>
#include <vector>

namespace stagelens::exchange {

/// model.safetensors, or the parts listed by model.safetensors.index.json.
class HuggingFaceWeights {
public:
    /// Fails as SafetensorsFile::read() does, if parts of an index are not files of the folder or lack listed tensors, and if
    /// two parts contain the same tensor.
    [[nodiscard]] static base::Result<HuggingFaceWeights> open(const std::filesystem::path &folder);

    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] bool contains(std::string_view name) const { return partOf(name) != nullptr; }
    /// Returns the header entry of a tensor, or null.
    [[nodiscard]] const SafetensorsFile::Entry *find(std::string_view name) const;
    /// Returns the file of an existing tensor.
    [[nodiscard]] const std::string &fileOf(std::string_view name) const { return partOf(name)->path(); }
    /// Returns the values of a tensor of that name and shape; see SafetensorsFile::floats().
    [[nodiscard]] base::Result<std::vector<float>> floats(std::string_view name, std::span<const std::int64_t> shape) const;

private:
    /// Returns the part with that tensor, or null.
    [[nodiscard]] const SafetensorsFile *partOf(std::string_view name) const;
    std::filesystem::path m_folder;
    std::vector<SafetensorsFile> m_parts;
};

} // namespace stagelens::exchange
