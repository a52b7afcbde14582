// The name of another machine, and the command that ssh runs there.
#pragma once

#include "engine/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagelens::runtime {

/// ssh's own exit status for an error of the connection.
inline constexpr int kSshFailed = 255;

/// A machine that ssh reaches.
struct HostChoice {
    std::string host;         ///< `[user@]host`, or a name of the user's ssh configuration; empty: this machine
    std::string program = {}; ///< stagelens-cli there, `~/` is the home folder; empty: the one in the PATH
    bool copiesKit = false;   ///< copies the program there if it is missing or of another build
    friend bool operator==(const HostChoice &, const HostChoice &) = default;
};

/// Fails with InvalidInput and field "--host" if the name could be read as an option of ssh or by a shell.
[[nodiscard]] base::Result<> checkHost(std::string_view host);

/// Returns the words that run `script` of a POSIX shell there, with positional parameters. ssh never asks: it fails where it
/// would need a password or the confirmation of a host's key. STAGELENS_SSH names another program than ssh.
[[nodiscard]] std::vector<std::string> sshCommand(std::string_view host, std::string_view script,
                                                  const std::vector<std::string> &parameters);
/// Returns the words that start the worker there. The program ends with status 127 if it is not there.
[[nodiscard]] std::vector<std::string> workerCommand(const HostChoice &choice);

/// What ssh and the worker left when they ended before the worker described its machine.
struct FailedStart {
    int status = 0;     ///< as waitpid() returns it
    std::string errors; ///< end of the standard error
    std::string output; ///< what came instead of the worker's first message
};
/// Explains it, with the remedy.
[[nodiscard]] base::Error startError(const HostChoice &choice, const FailedStart &failed);
/// Returns the last line that is not blank, printable; empty if there is none.
[[nodiscard]] std::string lastLine(std::string_view text);

} // namespace stagelens::runtime
