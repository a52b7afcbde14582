// The reason why a run ends, from the moment at which its process knows it until the run's row has it.
#pragma once

#include "engine/base/process_mark.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace stagelens::store {

/// The file `<database>.reasons/<process>`. A process that is about to be killed may be waiting for the disk, or for the end of
/// a pass, before it can write to the database; writing this file waits for neither. If the process dies before the row is
/// written, the next opening of the database takes the reason from the file.
class ReasonFile {
public:
    /// `database` is the result of RunStore::placeOf().
    ReasonFile(const std::filesystem::path &database, const base::ProcessMark &process);

    /// Writes the reason without flushing it. Failures are ignored: the run then counts as interrupted.
    void write(std::string_view reason) const;
    /// Returns the reason; nothing if there is none.
    [[nodiscard]] std::optional<std::string> read() const;
    /// Removes the file, and the folder if it is empty then.
    void remove() const;

private:
    std::filesystem::path m_file;
};

/// Removes the files of processes that have ended. Call after their reasons were read.
void removeReasonsOfEndedProcesses(const std::filesystem::path &database);

} // namespace stagelens::store
