// What a fuzz target is: a reader under bytes that anyone may have written. Each file of tests/fuzz/targets holds one.
#pragma once

#include "engine/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagelens::fuzz {

using Seeds = std::vector<std::string>;

struct Target {
    std::string_view name;
    /// Gives the bytes to the reader and checks what it promises of what it accepts. Must neither crash, hang nor take more
    /// than 2 GB, whatever the bytes.
    void (*run)(std::string_view input);
    /// Sound inputs, and the target's own traps; hostileSeeds() come on top.
    Seeds (*seeds)();
    /// Mutations that the ordinary test tries.
    int mutations = 1000;
};

/// Those that are linked in: one in a libFuzzer program, all in the ordinary test.
[[nodiscard]] std::vector<Target> &targets();
/// At namespace scope: `const Registered kTarget{{"name", run, seeds}};`
struct Registered {
    explicit Registered(const Target &target) { targets().push_back(target); }
};

/// What every reader is given: nothing, depth (100,000 levels), size, markup that would read devices and named pipes if a label
/// took it for rich text, terminal sequences, ill-formed UTF-8.
[[nodiscard]] Seeds hostileSeeds();
/// Markup whose pictures are devices and a named pipe that nobody writes to (made on the first call), for names in documents.
[[nodiscard]] const std::string &hostileMarkup();

/// Ends the process with a message unless the promise holds.
void require(bool holds, std::string_view promise);
/// An error must say something, as text that can be printed.
void requireMessage(const base::Error &error);

/// A file in memory that readers open by name. Its content is replaced with each input.
class MemoryFile {
public:
    MemoryFile();
    MemoryFile(const MemoryFile &) = delete;
    MemoryFile &operator=(const MemoryFile &) = delete;
    ~MemoryFile();
    void write(std::string_view content) const;
    [[nodiscard]] const std::string &path() const { return m_path; }

private:
    int m_file;
    std::string m_path; ///< /proc/self/fd/N
};

/// A folder in memory (below STAGELENS_FUZZ_SCRATCH, or in /dev/shm where there is one), removed at the process's end. The same
/// for every call.
[[nodiscard]] const std::string &scratchFolder();
/// Replaces a file there, without the care (and the time) of base::writeFile().
void writeScratch(const std::string &name, std::string_view content);

} // namespace stagelens::fuzz
