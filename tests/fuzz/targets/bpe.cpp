// Byte-pair encoding of any text, and tokenizers kept on disk.
#include "engine/runtime/data/bpe.h"
#include "engine/runtime/data/tokenizer_cache.h"
#include "tests/fuzz/support.h"
#include "tests/support/decoded_bpe.h"

#include <cstring>
#include <filesystem>

using namespace stagelens;

namespace {

constexpr std::int32_t kVocabulary = 300;
/// Training looks at pairs of tokens again for each merge.
constexpr std::size_t kLongestText = 20'000;
/// What the kept tokenizer claims to be of.
constexpr runtime::TokenizerKey kKey{0x1234, 5, kVocabulary};

std::string cacheName()
{
    return "tokenizers/0000000000001234-" + std::to_string(kVocabulary) + ".bpe";
}

void readKept(std::string_view content)
{
    std::filesystem::create_directories(fuzz::scratchFolder() + "/tokenizers");
    fuzz::writeScratch(cacheName(), content);
    const auto merges = runtime::cachedMerges(kKey);
    if (!merges)
        return;
    fuzz::require(merges->size() <= static_cast<std::size_t>(kVocabulary - runtime::kByteTokens),
                  "as many merges as asked for");
    const std::string text = "the theme of the thesis";
    const auto tokens = runtime::encodeBpe(*merges, text, {});
    fuzz::require(tokens.ok() && test::decodeBpe(*merges, *tokens) == text, "a kept tokenizer loses no text");
}

void run(std::string_view input)
{
    readKept(input);
    const std::string_view text = input.substr(0, kLongestText);
    const auto merges = runtime::trainBpe(text, kVocabulary, {});
    if (!merges)
        return fuzz::requireMessage(merges.error());
    const auto tokens = runtime::encodeBpe(*merges, text, {});
    fuzz::require(tokens.ok() && test::decodeBpe(*merges, *tokens) == text, "tokens give their text back");
}

fuzz::Seeds seeds()
{
    (void)fuzz::scratchFolder(); // kept there, not among the person's own
    const std::string text = "low lower lowest new newer newest wide wider widest\n\n  12 123 1234\t;; \xf0\x9f\x98\x80";
    runtime::cacheMerges(kKey, runtime::trainBpe(text, kVocabulary, {}).value());
    std::string kept(64U << 10U, '\0');
    if (std::FILE *file = std::fopen((fuzz::scratchFolder() + "/" + cacheName()).c_str(), "rb"); file != nullptr) {
        kept.resize(std::fread(kept.data(), 1, kept.size(), file));
        std::fclose(file);
    }
    return {text, kept, kept.substr(0, kept.size() - 1), std::string(10'000, 'a'), fuzz::hostileMarkup()};
}

const fuzz::Registered kTarget{{"bpe", run, seeds, 300}};

} // namespace
