#include "engine/store/own_files.h"

#include "engine/store/run_store.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace stagelens::store {

base::Result<> requireForeign(const std::filesystem::path &output, const std::filesystem::path &database)
{
    constexpr std::array<std::string_view, 7> kBehind{"-wal",          "-shm",      "-journal", ".locks",
                                                      ".checkpoints/", ".reasons/", ".bak-v"};
    const std::filesystem::path place = RunStore::placeOf(database);
    const std::string written = RunStore::placeOf(output).string();
    const std::string_view rest =
        written.starts_with(place.string()) ? std::string_view(written).substr(place.string().size()) : "other";
    std::error_code ignored;
    const bool isOwn = rest.empty() || std::filesystem::equivalent(output, place, ignored) ||
                       std::ranges::any_of(kBehind, [&](std::string_view end) { return rest.starts_with(end); });
    if (!isOwn)
        return {};
    return base::Error::invalid(output.string(),
                                fmt::format("belongs to the run database {}; choose another file", database.string()));
}

} // namespace stagelens::store
