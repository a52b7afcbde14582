#include "engine/runtime/data/sources.h"

#include "engine/base/file.h"
#include "engine/base/progress_log.h"
#include "engine/runtime/data/tokenizer_cache.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagelens::runtime {
namespace {

namespace fs = std::filesystem;

/// Longest text, all files together; use a token file for more.
constexpr base::Bytes kLongestText = base::Bytes{256} << 20;
/// Most files read from a folder, so that a mistaken "/" does not traverse a disk.
constexpr std::size_t kMostFiles = 10'000;
constexpr std::size_t kMostEntries = 1'000'000;

class TextRow : public TokenRow {
public:
    explicit TextRow(std::vector<std::int32_t> tokens) : m_tokens(std::move(tokens)) {}
    [[nodiscard]] std::size_t size() const override { return m_tokens.size(); }
    void read(std::size_t position, std::span<std::int32_t> tokens) const override
    {
        std::copy_n(m_tokens.begin() + static_cast<std::ptrdiff_t>(position), tokens.size(), tokens.begin());
    }

private:
    std::vector<std::int32_t> m_tokens;
};

base::Error underDataField(base::Error error)
{
    for (base::Problem &problem : error.problems) {
        problem.message = problem.field + " " + problem.message;
        problem.field = kDataField;
    }
    return error;
}

base::Result<std::vector<fs::path>> textFiles(const fs::path &folder)
{
    std::vector<fs::path> files;
    std::error_code error;
    std::size_t entries = 0;
    fs::recursive_directory_iterator walk(folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
        const fs::path extension = walk->path().extension();
        std::error_code ignored; // for files that vanished or are not readable
        if ((extension == ".md" || extension == ".txt") && walk->is_regular_file(ignored))
            files.push_back(walk->path());
        if (files.size() > kMostFiles || ++entries > kMostEntries)
            return base::Error::invalid(
                kDataField, fmt::format("{} contains more than {} texts or {} files; name a smaller folder or one file",
                                        folder.string(), kMostFiles, kMostEntries));
    }
    if (error)
        return base::Error::invalid(kDataField, fmt::format("{} cannot be read: {}", folder.string(), error.message()));
    if (files.empty())
        return base::Error::invalid(kDataField,
                                    folder.string() + " contains no *.md or *.txt file; name a folder with texts or a file");
    std::ranges::sort(files);
    return files;
}

base::Result<Merges> mergesFor(std::string_view text, std::int32_t vocabularySize, const std::stop_token &stop)
{
    const std::string_view sample = text.substr(0, kTokenizerText);
    const TokenizerKey key = tokenizerKey(sample, vocabularySize);
    if (auto cached = cachedMerges(key))
        return *std::move(cached);
    base::ProgressLog progress("learning the tokens of the text");
    auto trained = trainBpe(sample, vocabularySize, stop, [&](double share) { progress.note(share); });
    if (trained)
        cacheMerges(key, *trained);
    return trained;
}

} // namespace

base::Result<Documents> readDocuments(const fs::path &place)
{
    std::error_code ignored;
    std::vector<fs::path> files{place};
    if (fs::is_directory(place, ignored)) {
        auto found = textFiles(place);
        if (!found)
            return found.error();
        files = std::move(found).value();
    }
    Documents all;
    for (const fs::path &file : files) {
        const auto content = base::readFile(file, kLongestText - static_cast<base::Bytes>(all.text.size()));
        if (!content)
            return underDataField(content.error());
        all.text += *content;
        if (!content->empty())
            all.ends.push_back(all.text.size());
    }
    return all;
}

bool Documents::shortenTo(std::size_t bytes)
{
    if (text.size() <= bytes)
        return true;
    text.resize(bytes);
    while (!ends.empty() && ends.back() >= bytes)
        ends.pop_back();
    ends.push_back(bytes);
    return false;
}

Tokenizer Tokenizer::shortened(std::int32_t vocabularySize) const
{
    const std::int32_t kept = std::max(vocabularySize - kByteTokens - (hasSeparators ? 1 : 0), 0);
    Tokenizer shorter = *this;
    shorter.merges.resize(std::min(merges.size(), static_cast<std::size_t>(kept)));
    return shorter;
}

base::Result<std::vector<std::int32_t>> Tokenizer::encode(const Documents &documents, const std::stop_token &stop) const
{
    const auto endOfText = static_cast<std::int32_t>(kByteTokens + merges.size());
    base::ProgressLog progress("tokenizing the text");
    const double all = static_cast<double>(std::max<std::size_t>(documents.text.size(), 1));
    std::vector<std::int32_t> tokens;
    for (std::size_t i = 0, begin = 0; i < documents.ends.size(); begin = documents.ends[i++]) {
        const std::size_t length = documents.ends[i] - begin;
        const auto own = encodeBpe(merges, std::string_view(documents.text).substr(begin, length), stop, [&](double share) {
            progress.note((static_cast<double>(begin) + share * static_cast<double>(length)) / all);
        });
        if (!own)
            return own.error();
        if (i > 0)
            tokens.push_back(endOfText);
        tokens.insert(tokens.end(), own->begin(), own->end());
    }
    return tokens;
}

base::Result<Tokenizer> tokenizerFor(const Documents &documents, std::int32_t vocabularySize, const std::stop_token &stop)
{
    const bool hasSeparators = documents.ends.size() > 1;
    const std::int32_t needed = kByteTokens + (hasSeparators ? 1 : 0);
    if (vocabularySize < needed)
        return base::Error::invalid(
            "model.vocabulary_size",
            fmt::format("is {} but text needs at least {} tokens, one for each byte{}; raise it or choose synthetic data",
                        vocabularySize, needed, hasSeparators ? " and one between documents" : ""));
    auto merges = mergesFor(documents.text, vocabularySize - (hasSeparators ? 1 : 0), stop);
    if (!merges)
        return merges.error();
    return Tokenizer{*std::move(merges), hasSeparators};
}

base::Result<std::unique_ptr<TokenSource>> openText(const fs::path &place, const BatchShape &shape, const std::stop_token &stop)
{
    const auto documents = readDocuments(place);
    if (!documents)
        return documents.error();
    const auto tokenizer = tokenizerFor(*documents, shape.vocabularySize, stop);
    if (!tokenizer)
        return tokenizer.error();
    auto tokens = tokenizer->encode(*documents, stop);
    if (!tokens)
        return tokens.error();
    // "/data/docs/" has an empty file name.
    const fs::path shown = place.has_filename() ? place.filename() : place.parent_path().filename();
    std::string what = fmt::format("text {}, BPE {} of {} tokens", shown.string(), tokenizer->size(), shape.vocabularySize);
    if (tokenizer->hasSeparators)
        what += fmt::format(", {} documents with an end-of-text token between them, over which a sequence may reach",
                            documents->ends.size());
    return drawWindows(std::make_unique<TextRow>(*std::move(tokens)), shape, what);
}

} // namespace stagelens::runtime
