#include "engine/store/sqlite_error.h"

#include <cstring>
#include <fmt/format.h>
#include <sqlite3.h>
#include <utility>

namespace stagelens::store {

using base::Error;

namespace {

std::string systemCause(sqlite3 *database)
{
    const int code = database != nullptr ? sqlite3_system_errno(database) : 0;
    return code == 0 ? std::string()
                     : fmt::format(" ({})", std::strerror(code)); // NOLINT(concurrency-mt-unsafe): glibc's is safe
}

} // namespace

Error errorOf(int code, sqlite3 *database, const std::string &file)
{
    const auto failed = [&](std::string message) { return Error::failed(std::move(message), file); };
    switch (code & 0xff) {
    case SQLITE_NOTADB: return Error::invalid(file, "is not a database of Stagelens; choose another file");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return failed("is being used by another process; wait for it, close that program or choose another database");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return failed("is read-only, its folder is, or the disk is full; change the permissions, free space or choose another "
                      "database");
    case SQLITE_CANTOPEN:
        return failed(fmt::format("cannot be opened{}; its folder must exist and be writable, else choose another database",
                                  systemCause(database)));
    case SQLITE_FULL: return failed("cannot grow because the disk is full; free space or choose another database");
    case SQLITE_CORRUPT:
        return failed(
            "is damaged; copy it away, then put a backup (*.bak-v*) in its place or save what can be read with `sqlite3 "
            "FILE .recover`");
    case SQLITE_IOERR:
        return failed(fmt::format("cannot be read or written{}; check the disk and its free space", systemCause(database)));
    case SQLITE_INTERRUPT:
        return failed(
            "takes longer to read than a database of Stagelens can; `stagelens-cli db check` says what is wrong with it");
    case SQLITE_NOMEM: return failed("needs more memory than there is; close other programs");
    case SQLITE_TOOBIG: return failed("cannot take a value so large; record fewer passes");
    default:
        return failed(fmt::format("does not accept the change: {}",
                                  database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code)));
    }
}

} // namespace stagelens::store
