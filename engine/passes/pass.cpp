#include "engine/passes/pass.h"

#include <algorithm>
#include <array>

namespace stagelens::schedule {

namespace {

constexpr std::array<std::string_view, kPassKindCount> kNames = {"F", "B", "I", "W", "S", "T", "U", "EF", "EB", "O"};

} // namespace

std::string_view name(PassKind kind)
{
    return kNames[static_cast<std::size_t>(kind)];
}

std::optional<PassKind> parsePassKind(std::string_view text)
{
    const auto *const found = std::find(kNames.begin(), kNames.end(), text);
    if (found == kNames.end())
        return std::nullopt;
    return static_cast<PassKind>(found - kNames.begin());
}

std::string text(const Pass &pass)
{
    return std::string(name(pass.kind)) + std::to_string(pass.microbatch) + '@' + std::to_string(pass.stage);
}

} // namespace stagelens::schedule
