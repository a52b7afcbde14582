#include "engine/runtime/data/vocabulary_use.h"

#include "engine/base/progress_log.h"
#include "engine/runtime/data/sources.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace stagelens::runtime {
namespace {

constexpr std::size_t kMostTokens = std::size_t{64} << 20;
constexpr std::size_t kBlockTokens = std::size_t{1} << 16;
constexpr std::int32_t kLeastSize = 512;
constexpr int kMostSizes = 10;

/// The vocabulary's size and the powers of two below it.
std::vector<std::int32_t> sizesBelow(std::int32_t whole)
{
    std::vector<std::int32_t> sizes{whole};
    std::int32_t size = kLeastSize;
    while (size < (whole + 1) / 2)
        size *= 2;
    for (; size >= kLeastSize && size < whole && sizes.size() < kMostSizes; size /= 2)
        sizes.push_back(size);
    return sizes;
}

VocabularyUse useOf(const std::vector<std::int64_t> &counts)
{
    VocabularyUse use;
    use.used = std::ranges::count_if(counts, [](std::int64_t count) { return count > 0; });
    use.tokens = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    const std::vector<std::int32_t> sizes = sizesBelow(static_cast<std::int32_t>(counts.size()));
    const std::vector<double> covered = coverage(counts, sizes);
    for (std::size_t i = 0; i < sizes.size(); ++i)
        use.smaller.push_back({sizes[i], covered[i]});
    return use;
}

base::Result<VocabularyUse> useOfFile(const TokenRow &row, std::int32_t vocabularySize, const std::stop_token &stop)
{
    base::ProgressLog progress("counting tokens");
    const std::size_t most = std::min(row.size(), kMostTokens);
    std::vector<std::int64_t> counts(static_cast<std::size_t>(vocabularySize));
    std::vector<std::int32_t> block(kBlockTokens);
    for (std::size_t done = 0; done < most; done += block.size()) {
        if (stop.stop_requested())
            return base::Error::cancelled();
        block.resize(std::min(kBlockTokens, most - done));
        row.read(done, block);
        for (const std::int32_t token : block)
            ++counts[static_cast<std::size_t>(token)];
        progress.note(static_cast<double>(done) / static_cast<double>(most));
    }
    VocabularyUse use = useOf(counts);
    use.isWhole = most == row.size();
    return use;
}

base::Result<VocabularyUse> useOfText(const std::filesystem::path &place, std::int32_t vocabularySize,
                                      const std::stop_token &stop)
{
    auto documents = readDocuments(place);
    if (!documents)
        return documents.error();
    const bool isWhole = documents->shortenTo(kTokenizerText);
    const auto tokenizer = tokenizerFor(*documents, vocabularySize, stop);
    if (!tokenizer)
        return tokenizer.error();
    const auto tokens = tokenizer->encode(*documents, stop);
    if (!tokens)
        return tokens.error();
    std::vector<std::int64_t> counts(static_cast<std::size_t>(vocabularySize));
    for (const std::int32_t token : *tokens)
        ++counts[static_cast<std::size_t>(token)];
    VocabularyUse use = useOf(counts);
    use.isWhole = isWhole;
    for (SmallerVocabulary &each : use.smaller) {
        const auto own = tokenizer->shortened(each.size).encode(*documents, stop);
        if (!own)
            return own.error();
        each.tokens = static_cast<std::int64_t>(own->size());
    }
    return use;
}

} // namespace

std::vector<double> coverage(std::vector<std::int64_t> counts, std::span<const std::int32_t> sizes)
{
    std::ranges::sort(counts, std::greater());
    std::vector<std::int64_t> sums(counts.size() + 1);
    std::partial_sum(counts.begin(), counts.end(), sums.begin() + 1);
    std::vector<double> shares;
    for (const std::int32_t size : sizes) {
        const std::int64_t covered = sums[std::min(static_cast<std::size_t>(size), counts.size())];
        shares.push_back(sums.back() > 0 ? static_cast<double>(covered) / static_cast<double>(sums.back()) : 1);
    }
    return shares;
}

base::Result<VocabularyUse> vocabularyUse(const model::Experiment &experiment, const std::stop_token &stop)
{
    const std::int32_t size = experiment.model.vocabularySize;
    if (experiment.training.data == kSyntheticData)
        return base::Error::invalid(kDataField,
                                    "is synthetic, whose tokens are no text; name a text, a folder with texts or a .bin file");
    return readingData(experiment.training.data, [&]() -> base::Result<VocabularyUse> {
        const std::filesystem::path place = locateData(experiment.training.data);
        if (place.extension() != kTokenFileEnding)
            return useOfText(place, size, stop);
        const auto row = openTokenFile(place, size, stop);
        if (!row)
            return row.error();
        return useOfFile(**row, size, stop);
    });
}

} // namespace stagelens::runtime
