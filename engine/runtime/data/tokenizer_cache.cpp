#include "engine/runtime/data/tokenizer_cache.h"

#include "engine/base/file.h"
#include "engine/base/log.h"
#include "engine/base/random.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

namespace stagelens::runtime {
namespace {

constexpr std::uint64_t kMagic = 0x3145504247414c53; ///< "SLAGBPE1"
constexpr base::Bytes kLargestFile = base::Bytes{64} << 20;

/// The file header, followed by the merges. The last digit of the magic is the version of the format.
struct Header {
    std::uint64_t magic = kMagic;
    std::uint64_t checksum = 0; ///< of the rest of the file
    std::uint64_t contentHash = 0;
    std::uint64_t contentSize = 0;
    std::int32_t vocabularySize = 0;
    std::int32_t mergeCount = 0;
};
static_assert(sizeof(Header) == 40 && sizeof(Merge) == 8);
constexpr std::size_t kChecksummedFrom = 16;

/// Returns a 64-bit hash of a text, eight bytes at a time.
std::uint64_t hashOf(std::string_view text)
{
    std::uint64_t hash = base::mix64(text.size());
    while (!text.empty()) {
        std::uint64_t part = 0;
        const std::size_t count = std::min(text.size(), sizeof part);
        std::memcpy(&part, text.data(), count);
        hash = base::mix64(hash ^ part);
        text.remove_prefix(count);
    }
    return hash;
}

std::filesystem::path cacheFile(const TokenizerKey &key)
{
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string name;
    for (unsigned shift = 64; shift > 0; shift -= 4)
        name += kDigits[key.contentHash >> (shift - 4) & 0xfU];
    return base::dataFolder() / "tokenizers" / fmt::format("{}-{}.bpe", name, key.vocabularySize);
}

} // namespace

TokenizerKey tokenizerKey(std::string_view text, std::int32_t vocabularySize)
{
    return {hashOf(text), text.size(), vocabularySize};
}

std::optional<Merges> cachedMerges(const TokenizerKey &key)
{
    const auto content = base::readFile(cacheFile(key), kLargestFile);
    if (!content || content->size() < sizeof(Header))
        return std::nullopt;
    Header header;
    std::memcpy(&header, content->data(), sizeof header);
    const TokenizerKey stored{header.contentHash, header.contentSize, header.vocabularySize};
    const auto count = static_cast<std::size_t>(header.mergeCount);
    if (header.magic != kMagic || stored != key || header.mergeCount < 0 ||
        header.mergeCount > key.vocabularySize - kByteTokens || content->size() != sizeof header + count * sizeof(Merge) ||
        header.checksum != hashOf(std::string_view(*content).substr(kChecksummedFrom)))
        return std::nullopt;
    Merges merges(count);
    std::memcpy(merges.data(), content->data() + sizeof header, count * sizeof(Merge));
    for (std::size_t i = 0; i < count; ++i) {
        const auto limit = kByteTokens + static_cast<std::int32_t>(i);
        const Merge &merge = merges[i];
        if (merge.left < 0 || merge.left >= limit || merge.right < 0 || merge.right >= limit)
            return std::nullopt;
    }
    return merges;
}

void cacheMerges(const TokenizerKey &key, const Merges &merges)
{
    Header header;
    header.contentHash = key.contentHash;
    header.contentSize = key.contentSize;
    header.vocabularySize = key.vocabularySize;
    header.mergeCount = static_cast<std::int32_t>(merges.size());
    std::string content(sizeof header + merges.size() * sizeof(Merge), '\0');
    std::memcpy(content.data(), &header, sizeof header);
    if (!merges.empty())
        std::memcpy(content.data() + sizeof header, merges.data(), merges.size() * sizeof(Merge));
    header.checksum = hashOf(std::string_view(content).substr(kChecksummedFrom));
    std::memcpy(content.data(), &header, sizeof header);
    const std::filesystem::path file = cacheFile(key);
    std::error_code ignored; // writeFile() then reports the error
    std::filesystem::create_directories(file.parent_path(), ignored);
    if (const auto written = base::writeFile(file, content); !written)
        base::log(base::LogLevel::Warning, fmt::format("cannot cache the tokenizer: {}", written.error().text()));
}

} // namespace stagelens::runtime
