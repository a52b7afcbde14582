// Tensors by name in the format of Hugging Face's safetensors: a JSON header with type, shape and place of each, then the
// bytes.
#pragma once

#include "engine/base/hash.h"
#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace stagelens::exchange {

/// A tensor to write; the values are not copied and must live until it is written.
struct TensorView {
    std::string name;
    std::vector<std::int64_t> shape; ///< empty: a single value
    /// Row-major, as many as the shape says.
    std::variant<std::span<const float>, std::span<const std::int64_t>, std::span<const std::uint8_t>> values = {};
};

/// Writes a file as a whole: F32, I64 and U8 tensors in the order given, names unique. Cancelled, with the old file left, where
/// `stop` is requested. `hash` (if any) takes the file's bytes.
[[nodiscard]] base::Result<> writeSafetensors(const std::filesystem::path &file, std::span<const TensorView> tensors,
                                              const std::stop_token &stop = {}, base::Xxh64 *hash = nullptr);

/// A file in memory. The place and size of every tensor have been checked.
class SafetensorsFile {
public:
    /// The header entry of a tensor.
    struct Entry {
        std::string name;
        std::string type; ///< "F32", "BF16", ...
        std::vector<std::int64_t> shape;
        std::size_t begin = 0; ///< of its bytes, from the header's end
        std::size_t end = 0;
    };

    /// Trusts no number in the file; fails if it is truncated, or if tensors overlap, leave gaps or overflow.
    [[nodiscard]] static base::Result<SafetensorsFile> read(const std::filesystem::path &file);

    /// base::hashText() of the whole file.
    [[nodiscard]] std::string hash() const { return base::hashText(m_content); }
    /// Sorted by name.
    [[nodiscard]] const std::vector<Entry> &entries() const { return m_entries; }
    /// Returns null if there is no tensor of that name.
    [[nodiscard]] const Entry *find(std::string_view name) const;
    [[nodiscard]] const std::string &path() const { return m_file; }
    /// Returns the values of a tensor of that name and shape in F32, or in F16 or BF16, which convert exactly.
    [[nodiscard]] base::Result<std::vector<float>> floats(std::string_view name, std::span<const std::int64_t> shape) const;
    /// Returns the values of a U8 tensor of that name and shape.
    [[nodiscard]] base::Result<std::vector<float>> bytes(std::string_view name, std::span<const std::int64_t> shape) const;
    /// Returns the values of an I64 tensor of that name and shape.
    [[nodiscard]] base::Result<std::vector<std::int64_t>> integers(std::string_view name,
                                                                   std::span<const std::int64_t> shape) const;

private:
    template <class T>
    [[nodiscard]] base::Result<std::vector<T>> values(std::string_view name, std::string_view type,
                                                      std::span<const std::int64_t> shape) const;

    std::string m_file;
    std::string m_content;
    std::size_t m_dataBegin = 0; ///< of the tensors' bytes in m_content
    std::vector<Entry> m_entries;
};

} // namespace stagelens::exchange
