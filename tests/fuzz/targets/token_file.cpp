// Token files (.bin), with llm.c's header or none.
#include "engine/runtime/data/sources.h"
#include "tests/fuzz/support.h"

#include <array>
#include <cstring>

using namespace stagelens;

namespace {

constexpr std::int32_t kVocabulary = 50'257;

void run(std::string_view input)
{
    static const fuzz::MemoryFile kFile;
    kFile.write(input);
    const auto row = runtime::openTokenFile(kFile.path(), kVocabulary, {});
    if (!row)
        return fuzz::requireMessage(row.error());
    const std::size_t count = std::min<std::size_t>((*row)->size(), 4096);
    std::vector<std::int32_t> tokens(count);
    for (const std::size_t position : {std::size_t{0}, (*row)->size() - count}) {
        (*row)->read(position, tokens);
        for (const std::int32_t token : tokens)
            fuzz::require(token >= 0 && token < kVocabulary, "a token is of the vocabulary");
    }
}

std::string withHeader(std::int32_t magic, std::int32_t version, std::int32_t count, std::size_t bytes)
{
    const std::array<std::int32_t, 3> head{magic, version, count};
    std::string file(1024 + bytes, '\x01');
    std::memcpy(file.data(), head.data(), sizeof head);
    return file;
}

fuzz::Seeds seeds()
{
    constexpr std::int32_t kGpt2 = 20240520;
    constexpr std::int32_t kLlama = 20240801;
    return {std::string(64, '\x02'),         std::string(63, '\x02'),     withHeader(kGpt2, 1, 100, 200),
            withHeader(kLlama, 7, 100, 400), withHeader(kGpt2, 1, -1, 0), withHeader(kLlama, 7, 2'147'483'647, 16),
            withHeader(kLlama, 6, 4, 16)};
}

const fuzz::Registered kTarget{{"token_file", run, seeds}};

} // namespace
