#include "engine/store/migrations.h"

#include <fmt/format.h>

namespace stagelens::store {
namespace {

using base::Error;
using base::Result;

Error notOurs(const std::string &file)
{
    return Error::invalid(file, "is not a database of Stagelens; choose another file");
}

Error newer(const std::string &file, std::int64_t version, std::size_t known)
{
    return Error::invalid(file, fmt::format("has schema version {}, made by a newer Stagelens; this one knows versions up to "
                                            "{}; update Stagelens or choose another database",
                                            version, known));
}

/// The identification of a database in its header.
struct Marks {
    std::int64_t application = 0;
    std::int64_t version = 0;
    bool empty = true;
};

Result<Marks> readMarks(Database &database)
{
    // In one snapshot, because another process may be creating the database.
    const auto snapshot = Transaction::beginReading(database);
    if (!snapshot)
        return snapshot.error();
    const auto application = database.queryInteger("PRAGMA application_id");
    const auto version = database.queryInteger("PRAGMA user_version");
    const auto objects = database.queryInteger("SELECT count(*) FROM sqlite_schema");
    for (const auto *answer : {&application, &version, &objects})
        if (!answer->ok())
            return answer->error();
    return Marks{*application, *version, *objects == 0 && *version == 0};
}

Result<> applyStep(Database &database, std::span<const Migration> steps, std::size_t index)
{
    auto transaction = Transaction::begin(database);
    if (!transaction)
        return std::move(transaction).error();
    // Another process may have migrated the database since the check.
    const auto version = database.queryInteger("PRAGMA user_version");
    if (!version)
        return version.error();
    if (*version > static_cast<std::int64_t>(index))
        return {};
    const std::string marks = fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", kApplicationId, index + 1);
    if (const auto applied = database.execute(steps[index].sql + marks); !applied)
        return applied.error();
    return transaction->commit();
}

} // namespace

Result<> migrate(Database &database, std::span<const Migration> steps, bool isCopy)
{
    const auto found = readMarks(database);
    if (!found)
        return found.error();
    const auto [application, version, empty] = *found;
    if (application != kApplicationId && !(empty && application == 0))
        return notOurs(database.file());
    if (version < 0 || version > std::ssize(steps))
        return newer(database.file(), version, steps.size());
    // Deleting runs then shrinks the file. Only possible for a database without tables.
    if (empty)
        if (const auto set = database.execute("PRAGMA auto_vacuum = INCREMENTAL"); !set)
            return set.error();
    if (!empty && version < std::ssize(steps) && !isCopy)
        if (const auto copied = database.backup(fmt::format("{}.bak-v{}", database.file(), version)); !copied)
            return copied.error();
    for (auto index = static_cast<std::size_t>(version); index < steps.size(); ++index)
        if (const auto applied = applyStep(database, steps, index); !applied)
            return applied.error();
    return {};
}

} // namespace stagelens::store
