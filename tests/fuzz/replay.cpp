// The ordinary test: every target's seeds, then a fixed number of mutations of them, drawn from a seed that is printed.
//     fuzz_targets [--target NAME] [--seed N] [--mutations N]
#include "engine/base/random.h"
#include "engine/base/text.h"
#include "tests/fuzz/support.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>

using namespace stagelens;

namespace {

constexpr std::chrono::seconds kSlowest{10};

struct Options {
    std::string_view target;
    std::uint64_t seed = 20240601;
    std::optional<std::int64_t> mutations;
};

std::size_t placeIn(base::Random &random, const std::string &text)
{
    return static_cast<std::size_t>(random.nextInteger(0, std::ssize(text)));
}

/// One change: a byte, a part removed, doubled or taken from another seed, a number or bracket put in.
void mutate(std::string &text, const fuzz::Seeds &seeds, base::Random &random)
{
    static constexpr std::string_view kWords[] = {
        "-1", "0",    "2147483648", "18446744073709551616", "1e999", "nan", "\"", "{", "}", "[", "]", ",", ":",
        "\n", "\xff", "null",       "<img src=/dev/zero>"};
    constexpr std::int64_t kLongestPart = 64;
    const std::size_t place = placeIn(random, text);
    const auto length = static_cast<std::size_t>(random.nextInteger(1, kLongestPart));
    switch (random.nextInteger(0, 5)) {
    case 0:
        if (place < text.size())
            text[place] = static_cast<char>(random.nextInteger(-128, 127));
        break;
    case 1:
        if (place < text.size())
            text[place] = static_cast<char>(text[place] ^ (1 << random.nextInteger(0, 7)));
        break;
    case 2: text.erase(place, length); break;
    case 3: text.insert(place, text.substr(placeIn(random, text), length)); break;
    case 4: {
        const std::string &other = seeds[static_cast<std::size_t>(random.nextInteger(0, std::ssize(seeds) - 1))];
        text.insert(place, other.substr(placeIn(random, other), length));
        break;
    }
    default: text.insert(place, kWords[random.nextInteger(0, std::ssize(kWords) - 1)]);
    }
}

void runTimed(const fuzz::Target &target, const std::string &input)
{
    const auto begin = std::chrono::steady_clock::now();
    target.run(input);
    fuzz::require(std::chrono::steady_clock::now() - begin < kSlowest, "an input takes less than 10 seconds");
}

void replay(const fuzz::Target &target, const Options &options)
{
    const std::string name(target.name);
    const std::int64_t mutations = options.mutations.value_or(target.mutations);
    std::printf("%s: seed %llu", name.c_str(), static_cast<unsigned long long>(options.seed));
    std::fflush(stdout); // what crashes must have said what it was
    const auto begin = std::chrono::steady_clock::now();
    const fuzz::Seeds seeds = target.seeds();
    for (const std::string &seed : seeds)
        runTimed(target, seed);
    for (const std::string &seed : fuzz::hostileSeeds())
        runTimed(target, seed);
    base::Random random(options.seed);
    for (std::int64_t i = 0; i < mutations; ++i) {
        std::string input = seeds[static_cast<std::size_t>(random.nextInteger(0, std::ssize(seeds) - 1))];
        for (std::int64_t changes = random.nextInteger(1, 4); changes > 0; --changes)
            mutate(input, seeds, random);
        runTimed(target, input);
    }
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    std::printf(", %zu inputs and %lld mutations in %lld ms\n", seeds.size() + fuzz::hostileSeeds().size(),
                static_cast<long long>(mutations), static_cast<long long>(took.count()));
}

} // namespace

int main(int count, char **arguments)
{
    Options options;
    for (int i = 1; i + 1 < count; i += 2) {
        const std::string_view name = arguments[i];
        const std::string_view value = arguments[i + 1];
        const auto number = base::parseInteger(value);
        if (name == "--target")
            options.target = value;
        else if (name == "--seed" && number)
            options.seed = static_cast<std::uint64_t>(*number);
        else if (name == "--mutations" && number)
            options.mutations = *number;
        else
            return 2;
    }
    (void)fuzz::scratchFolder();
    std::vector<fuzz::Target> chosen = fuzz::targets();
    std::erase_if(chosen, [&](const fuzz::Target &target) { return !options.target.empty() && target.name != options.target; });
    std::ranges::sort(chosen, {}, &fuzz::Target::name);
    for (const fuzz::Target &target : chosen)
        replay(target, options);
    return chosen.empty() ? 2 : 0;
}
