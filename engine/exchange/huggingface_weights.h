// The parameters in a folder as transformers' save_pretrained() writes it.
#pragma once

#include "engine/exchange/safetensors.h"

#include <filesystem>
#include <string>
#include <vector>

namespace stagelens::exchange {

/// model.safetensors, or the parts that model.safetensors.index.json names.
class HuggingFaceWeights {
public:
    /// Refuses what SafetensorsFile::read() refuses, an index whose parts are not files of the folder or do not hold what it
    /// says, and a tensor that two parts have.
    [[nodiscard]] static base::Result<HuggingFaceWeights> open(const std::filesystem::path &folder);

    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] bool contains(std::string_view name) const { return partOf(name) != nullptr; }
    /// What the header says of a tensor, or null.
    [[nodiscard]] const SafetensorsFile::Entry *find(std::string_view name) const;
    /// The file of a tensor that there is.
    [[nodiscard]] const std::string &fileOf(std::string_view name) const { return partOf(name)->path(); }
    /// The values of a tensor of that name and shape; see SafetensorsFile::floats().
    [[nodiscard]] base::Result<std::vector<float>> floats(std::string_view name, std::span<const std::int64_t> shape) const;

private:
    /// The part with that tensor, or null.
    [[nodiscard]] const SafetensorsFile *partOf(std::string_view name) const;
    std::filesystem::path m_folder;
    std::vector<SafetensorsFile> m_parts;
};

} // namespace stagelens::exchange
