#include "engine/runtime/data/bpe.h"

#include "engine/base/random.h"

#include <algorithm>
#include <bit>
#include <queue>
#include <string>
#include <unordered_map>

namespace stagelens::runtime {
namespace {

/// Longest word, which bounds the work per word in a text without spaces.
constexpr std::size_t kLongestWord = 64;
/// Words between two checks of the stop token; the longest words take 100 microseconds each.
constexpr std::size_t kWordsBetweenStops = 256;

enum class CharacterClass : unsigned char { Space, Letter, Digit, Other };

CharacterClass classOf(char character)
{
    const auto byte = static_cast<unsigned char>(character);
    if (byte == ' ' || (byte >= '\t' && byte <= '\r'))
        return CharacterClass::Space;
    if (byte >= '0' && byte <= '9')
        return CharacterClass::Digit;
    // All bytes of multi-byte UTF-8 characters count as letters, so that no word ends inside one.
    if (byte >= 0x80 || (byte | 0x20U) - 'a' < 26U)
        return CharacterClass::Letter;
    return CharacterClass::Other;
}

constexpr std::uint64_t keyOf(std::int32_t left, std::int32_t right)
{
    return static_cast<std::uint64_t>(left) << 32U | static_cast<std::uint32_t>(right);
}
constexpr Merge mergeOf(std::uint64_t key)
{
    return {static_cast<std::int32_t>(key >> 32U), static_cast<std::int32_t>(key & 0xffffffffU)};
}

/// A distinct word of the text in its present segmentation.
struct Word {
    std::vector<std::int32_t> tokens;
    std::int64_t count = 0;
};

/// The present count of a pair, and the words that contained it at some time.
struct PairUse {
    std::int64_t count = 0;
    std::vector<std::uint32_t> words;
};

struct Candidate {
    std::int64_t count = 0;
    std::uint64_t key = 0;
    /// std::priority_queue returns the greatest: most frequent, then smallest tokens.
    friend bool operator<(const Candidate &a, const Candidate &b)
    {
        return a.count != b.count ? a.count < b.count : a.key > b.key;
    }
};

class Trainer {
public:
    base::Result<Merges> train(std::string_view text, std::size_t mergeCount, const std::stop_token &stop,
                               const Progressing &progress)
    {
        progress(0);
        if (!countWords(text, stop))
            return base::Error::cancelled();
        for (std::uint32_t index = 0; index < m_words.size(); ++index) {
            if (index % kWordsBetweenStops == 0 && stop.stop_requested())
                return base::Error::cancelled();
            addPairs(index);
        }
        for (const auto &[key, use] : m_pairs)
            m_queue.push({use.count, key});
        Merges merges;
        while (merges.size() < mergeCount && !m_queue.empty()) {
            if (stop.stop_requested())
                return base::Error::cancelled();
            progress(static_cast<double>(merges.size()) / static_cast<double>(mergeCount));
            const Candidate best = m_queue.top();
            m_queue.pop();
            const std::int64_t count = m_pairs[best.key].count;
            if (count != best.count) { // the count is outdated
                if (count > 1)
                    m_queue.push({count, best.key});
                continue;
            }
            if (count < 2)
                break;
            if (!apply(best.key, kByteTokens + static_cast<std::int32_t>(merges.size()), stop))
                return base::Error::cancelled();
            merges.push_back(mergeOf(best.key));
        }
        return merges;
    }

private:
    bool countWords(std::string_view text, const std::stop_token &stop)
    {
        std::unordered_map<std::string_view, std::uint32_t> indexOf;
        for (std::size_t done = 0; !text.empty(); ++done) {
            if (done % kWordsBetweenStops == 0 && stop.stop_requested())
                return false;
            const std::string_view word = takeWord(text);
            const auto [found, isNew] = indexOf.try_emplace(word, static_cast<std::uint32_t>(m_words.size()));
            if (isNew) {
                Word &added = m_words.emplace_back();
                for (const char byte : word)
                    added.tokens.push_back(static_cast<unsigned char>(byte));
            }
            ++m_words[found->second].count;
        }
        return true;
    }

    void addPairs(std::uint32_t index)
    {
        const Word &word = m_words[index];
        for (std::size_t i = 0; i + 1 < word.tokens.size(); ++i)
            add(keyOf(word.tokens[i], word.tokens[i + 1]), index);
    }

    void add(std::uint64_t key, std::uint32_t index)
    {
        PairUse &use = m_pairs[key];
        use.count += m_words[index].count;
        if (use.words.empty() || use.words.back() != index)
            use.words.push_back(index);
    }

    /// Replaces the pair by `token` in every word and updates the counts of adjacent pairs. Returns false if stopped.
    bool apply(std::uint64_t key, std::int32_t token, const std::stop_token &stop)
    {
        const Merge merge = mergeOf(key);
        const std::vector<std::uint32_t> words = std::move(m_pairs[key].words);
        m_grown.clear();
        for (std::size_t done = 0; done < words.size(); ++done) {
            if (done % kWordsBetweenStops == 0 && stop.stop_requested())
                return false;
            mergeWord(words[done], merge, token);
        }
        m_pairs.erase(key);
        std::ranges::sort(m_grown);
        m_grown.erase(std::unique(m_grown.begin(), m_grown.end()), m_grown.end());
        for (const std::uint64_t grown : m_grown)
            m_queue.push({m_pairs[grown].count, grown});
        return true;
    }

    void mergeWord(std::uint32_t index, const Merge &merge, std::int32_t token)
    {
        Word &word = m_words[index];
        std::vector<std::int32_t> &tokens = word.tokens;
        std::size_t out = 0;
        for (std::size_t in = 0; in < tokens.size(); ++in, ++out) {
            if (in + 1 == tokens.size() || tokens[in] != merge.left || tokens[in + 1] != merge.right) {
                tokens[out] = tokens[in];
                continue;
            }
            if (out > 0) {
                m_pairs[keyOf(tokens[out - 1], merge.left)].count -= word.count;
                grow(keyOf(tokens[out - 1], token), index);
            }
            if (in + 2 < tokens.size()) {
                m_pairs[keyOf(merge.right, tokens[in + 2])].count -= word.count;
                grow(keyOf(token, tokens[in + 2]), index);
            }
            tokens[out] = token;
            ++in;
        }
        tokens.resize(out);
    }

    void grow(std::uint64_t key, std::uint32_t index)
    {
        add(key, index);
        m_grown.push_back(key);
    }

    std::vector<Word> m_words;
    std::unordered_map<std::uint64_t, PairUse> m_pairs;
    std::priority_queue<Candidate> m_queue;
    std::vector<std::uint64_t> m_grown; ///< pairs whose count the present merge increased
};

/// Maps pairs to tokens. Uses open addressing because words are looked up many times.
class PairTable {
public:
    explicit PairTable(const Merges &merges) : m_places(std::bit_ceil(2 * merges.size() + 1))
    {
        for (std::size_t i = 0; i < merges.size(); ++i) {
            const std::uint64_t key = keyOf(merges[i].left, merges[i].right);
            Place &place = m_places[find(key)];
            if (place.token == kNone) // the first merge of a pair takes precedence
                place = {key, kByteTokens + static_cast<std::int32_t>(i)};
        }
    }
    /// Greater than all tokens.
    static constexpr std::int32_t kNone = INT32_MAX;
    [[nodiscard]] std::int32_t tokenOf(std::int32_t left, std::int32_t right) const
    {
        return m_places[find(keyOf(left, right))].token;
    }

private:
    struct Place {
        std::uint64_t key = 0;
        std::int32_t token = kNone;
    };
    /// Returns the slot of the key, or the free slot for it; less than half are in use.
    [[nodiscard]] std::size_t find(std::uint64_t key) const
    {
        std::size_t at = base::mix64(key) & (m_places.size() - 1);
        while (m_places[at].token != kNone && m_places[at].key != key)
            at = (at + 1) & (m_places.size() - 1);
        return at;
    }
    std::vector<Place> m_places;
};

/// Applies merges to words, lowest first, as training did.
class Encoder {
public:
    explicit Encoder(const Merges &merges) : m_pairs(merges) {}

    void append(std::string_view word, std::vector<std::int32_t> &tokens)
    {
        const auto known = m_known.find(word);
        if (known != m_known.end()) {
            tokens.insert(tokens.end(), known->second.begin(), known->second.end());
            return;
        }
        const std::vector<std::int32_t> &parts = segment(word);
        tokens.insert(tokens.end(), parts.begin(), parts.end());
        if (m_known.size() < kMostKnown)
            m_known.emplace(word, parts);
    }

private:
    /// Greatest number of cached words, which bounds memory for text without structure.
    static constexpr std::size_t kMostKnown = 1'000'000;

    [[nodiscard]] const std::vector<std::int32_t> &segment(std::string_view word)
    {
        std::vector<std::int32_t> &parts = m_parts;
        parts.clear();
        for (const char byte : word)
            parts.push_back(static_cast<unsigned char>(byte));
        for (;;) {
            std::int32_t lowest = PairTable::kNone;
            Merge merge;
            for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
                const std::int32_t token = m_pairs.tokenOf(parts[i], parts[i + 1]);
                if (token < lowest) {
                    lowest = token;
                    merge = {parts[i], parts[i + 1]};
                }
            }
            if (lowest == PairTable::kNone)
                return parts;
            std::size_t out = 0;
            for (std::size_t in = 0; in < parts.size(); ++in, ++out) {
                const bool merged = in + 1 < parts.size() && parts[in] == merge.left && parts[in + 1] == merge.right;
                parts[out] = merged ? lowest : parts[in];
                in += merged ? 1 : 0;
            }
            parts.resize(out);
        }
    }

    PairTable m_pairs;
    std::vector<std::int32_t> m_parts; ///< of the last word
    std::unordered_map<std::string_view, std::vector<std::int32_t>> m_known;
};

} // namespace

std::string_view takeWord(std::string_view &text)
{
    const std::size_t limit = std::min(text.size(), kLongestWord);
    // A space belongs to the following word.
    std::size_t end = text[0] == ' ' && limit > 1 && classOf(text[1]) != CharacterClass::Space ? 1 : 0;
    const CharacterClass kind = classOf(text[end]);
    while (end < limit && classOf(text[end]) == kind)
        ++end;
    const bool spaceGoesOn = kind == CharacterClass::Space && end > 1 && text[end - 1] == ' ' && end < text.size() &&
                             classOf(text[end]) != CharacterClass::Space;
    const std::string_view word = text.substr(0, spaceGoesOn ? end - 1 : end);
    text.remove_prefix(word.size());
    return word;
}

base::Result<Merges> trainBpe(std::string_view text, std::int32_t vocabularySize, const std::stop_token &stop,
                              const Progressing &progress)
{
    return Trainer().train(text, static_cast<std::size_t>(std::max(0, vocabularySize - kByteTokens)), stop, progress);
}

base::Result<std::vector<std::int32_t>> encodeBpe(const Merges &merges, std::string_view text, const std::stop_token &stop,
                                                  const Progressing &progress)
{
    Encoder encoder(merges);
    std::vector<std::int32_t> tokens;
    tokens.reserve(text.size() / 3);
    const auto whole = static_cast<double>(text.size());
    for (std::size_t done = 0; !text.empty(); ++done) {
        if (done % kWordsBetweenStops == 0) {
            if (stop.stop_requested())
                return base::Error::cancelled();
            progress(1 - static_cast<double>(text.size()) / whole);
        }
        encoder.append(takeWord(text), tokens);
    }
    return tokens;
}

} // namespace stagelens::runtime
