#include "engine/operators/compression/compression.h"

#include "engine/base/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace stagelens::operators {

const Compression *findCompression(std::string_view name)
{
    const auto found = std::ranges::find(compressions(), name, &Compression::name);
    return found == compressions().end() ? nullptr : *found;
}

std::string text(const CompressionChoice &choice)
{
    return choice.number > 0 ? fmt::format("{}={:g}", choice.name, choice.number) : choice.name;
}

ParsedCompression parseCompression(std::string_view word)
{
    const auto wrong = [](std::string fault) { return ParsedCompression{{}, std::move(fault)}; };
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    if (word == "none")
        return {};
    const Compression *const method = findCompression(name);
    if (method == nullptr) {
        std::string known = "none";
        for (const Compression *each : compressions())
            known += fmt::format("{}{}{}{}", each == compressions().back() ? " or " : ", ", each->name,
                                 each->letter.empty() ? "" : "=", each->letter);
        return wrong(fmt::format("is {}; choose {}", base::quoted(word), known));
    }
    if (method->letter.empty())
        return equals == std::string_view::npos
                   ? ParsedCompression{{std::string(name), 0}, {}}
                   : wrong(fmt::format("is {}, but {} has no number; choose {}", base::quoted(word), name, name));
    const std::optional<double> number =
        equals == std::string_view::npos ? std::nullopt : base::parseNumber(word.substr(equals + 1));
    const bool isSound =
        number && *number <= method->most &&
        (method->isWhole ? *number >= method->least && *number == std::floor(*number) : *number > method->least);
    if (!isSound)
        return wrong(fmt::format("is {}, but its {} is {}; choose {}={:g}", base::quoted(word), method->numberName,
                                 method->isWhole ? fmt::format("a whole number from {:g} to {:g}", method->least, method->most)
                                                 : fmt::format("above {:g} and at most {:g}", method->least, method->most),
                                 name, method->usual));
    return {{std::string(name), *number}, {}};
}

void addToResidual(const CompressedPart &part, CompressionKernels &kernels)
{
    kernels.add(part.residual, part.gradient, part.shape.count());
}

bool exchangesMomentum(const CompressionChoice &choice)
{
    const Compression *const method = findCompression(choice.name);
    return method != nullptr && method->exchange == Compression::Exchange::Serves;
}

int uncompressedSteps(const CompressionChoice &choice, int given, int steps)
{
    constexpr double kWarmUp = 0.15; // arXiv 2102.02888, section 7.1: 15 to 20 % of the steps
    if (given > 0 || !exchangesMomentum(choice))
        return given;
    return std::max(1, static_cast<int>(std::ceil(kWarmUp * steps)));
}

CompressedSizes compressedSizes(const CompressionChoice &choice, std::span<const PartShape> parts, int replicas)
{
    CompressedSizes sizes;
    const Compression *const method = findCompression(choice.name);
    if (method == nullptr)
        return sizes;
    for (const PartShape &part : parts) {
        sizes.isCompressed.push_back(method->compresses(choice, part));
        if (!sizes.isCompressed.back()) {
            sizes.exact += part.count();
            continue;
        }
        sizes.elements += part.count();
        sizes.state += method->stateFloats != nullptr ? method->stateFloats(choice, part) : 0;
        sizes.flops += method->flops != nullptr ? method->flops(choice, part) : 0;
        sizes.bytes += method->bytesOfElement * static_cast<double>(part.count());
        if (method->exchange == Compression::Exchange::Serves) {
            const ServedCut cut(part.count(), replicas);
            sizes.served += cut.floats();
            sizes.servedElements += cut.each();
        }
        if (method->exchange == Compression::Exchange::Gathers)
            sizes.gathered += method->floats(choice, part, 0);
        for (int i = 0; method->exchange == Compression::Exchange::Sums && i < method->messages; ++i)
            sizes.sums[static_cast<std::size_t>(i)] += method->floats(choice, part, i);
    }
    sizes.sums[0] += sizes.exact;
    return sizes;
}

SummedPart summedPart(std::int64_t floats, int ranks, int rank)
{
    constexpr std::int64_t kLine = 16; // floats of a cache line
    const std::int64_t each = ((floats + ranks - 1) / ranks + kLine - 1) / kLine * kLine;
    return {std::min(floats, rank * each), std::min(floats, (rank + 1) * each)};
}

std::int64_t compressedChunk(const CompressedSizes &sizes, int ranks)
{
    constexpr std::int64_t kLargest = 1 << 18; // as simulate::replicaChunkFloats()
    std::int64_t most = std::max(sizes.gathered, sizes.served);
    for (const std::int64_t floats : sizes.sums)
        most = std::max(most, summedPart(floats, ranks, 0).last);
    return std::min(kLargest, most);
}

} // namespace stagelens::operators
