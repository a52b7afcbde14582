#include "engine/runtime/remote/host.h"

#include "engine/base/printable.h"
#include "engine/base/shell_words.h"
#include "engine/base/text.h"
#include "engine/runtime/worker/worker.h"
#include "engine/runtime/worker/worker_process.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/wait.h>

namespace stagelens::runtime {
namespace {

/// A shell's exit status for a missing program.
constexpr int kNotFound = 127;
constexpr std::size_t kLongestHost = 255;

bool isHostLetter(char letter)
{
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
           std::string_view("._-:[]@+").find(letter) != std::string_view::npos;
}

} // namespace

base::Result<> checkHost(std::string_view host)
{
    const auto refused = [&](std::string_view why) {
        return base::Error::invalid("--host", fmt::format("{} {}", base::printable(host), why));
    };
    if (host.empty())
        return base::Error::invalid("--host", "is empty; give [user@]host");
    const std::size_t at = host.rfind('@');
    const std::string_view user = at == std::string_view::npos ? std::string_view("user") : host.substr(0, at);
    const std::string_view name = at == std::string_view::npos ? host : host.substr(at + 1);
    if (host.front() == '-' || name.starts_with('-'))
        return refused("begins with '-', which ssh reads as an option; give [user@]host");
    if (user.empty() || name.empty() || host.size() > kLongestHost)
        return refused("is not of the form [user@]host; give one");
    if (!std::ranges::all_of(host, isHostLetter))
        return refused("has characters other than letters, digits and ._-:[]@+; for a port or other settings give it a name in "
                       "~/.ssh/config");
    return {};
}

std::vector<std::string> sshCommand(std::string_view host, std::string_view script, const std::vector<std::string> &parameters)
{
    const char *given = std::getenv("STAGELENS_SSH"); // NOLINT(concurrency-mt-unsafe): nothing here sets the environment
    std::vector<std::string> words{given != nullptr && *given != '\0' ? given : "ssh", "-T"};
    // The session can neither ask nor forward anything, and notices a dead connection within 15 s.
    for (const char *option :
         {"BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=5", "ServerAliveCountMax=3", "ClearAllForwardings=yes",
          "ForwardAgent=no", "ForwardX11=no", "ControlMaster=no", "PermitLocalCommand=no", "RequestTTY=no"})
        words.insert(words.end(), {"-o", option});
    words.insert(words.end(), {"--", std::string(host)});
    // One word for ssh, which the login shell there reads; whatever that shell is, it starts a POSIX shell.
    std::vector<std::string> there{"sh", "-c", std::string(script), "stagelens"};
    there.insert(there.end(), parameters.begin(), parameters.end());
    words.push_back(base::shellLine(there));
    return words;
}

std::vector<std::string> workerCommand(const HostChoice &choice)
{
    // The shell stays, so that its exit status distinguishes a signal to the worker from a lost connection.
    constexpr std::string_view kScript = R"(p=$1; case $p in "~/"*) p=$HOME/${p#??};; esac; "$p" "$2"; exit $?)";
    return sshCommand(choice.host, kScript, {choice.program.empty() ? "stagelens-cli" : choice.program, kWorkerCommand});
}

std::string lastLine(std::string_view text)
{
    std::string last;
    for (const std::string_view line : base::split(text, '\n'))
        if (const std::string_view trimmed = base::trim(line); !trimmed.empty())
            last = base::printable(trimmed);
    if (last.ends_with('.')) // it becomes part of a sentence
        last.pop_back();
    return last;
}

base::Error startError(const HostChoice &choice, const FailedStart &failed)
{
    const std::string program = choice.program.empty() ? "stagelens-cli" : choice.program;
    const std::string line = lastLine(failed.errors);
    const auto refused = [](std::string message) { return base::Error::invalid("--host", std::move(message)); };
    const int status = WIFEXITED(failed.status) ? WEXITSTATUS(failed.status) : -1;
    if (status == kSshFailed) {
        const bool asks = failed.errors.find("Permission denied") != std::string::npos ||
                          failed.errors.find("Host key verification failed") != std::string::npos ||
                          failed.errors.find("Too many authentication failures") != std::string::npos;
        return refused(
            fmt::format("ssh does not connect to {}{}{}{}", choice.host, line.empty() ? "" : ": ", line,
                        asks ? fmt::format("; ssh would ask for a password or for the host's key, which it cannot do here: run "
                                           "`ssh {} true` in a terminal until it asks for nothing (ssh-copy-id, ssh-agent)",
                                           choice.host)
                             : fmt::format("; check that `ssh {} true` works in a terminal", choice.host)));
    }
    if (status == kNotFound)
        return refused(fmt::format(
            "there is no runnable {} on {}{}{}; install the same build there, name it with --host-program, or add --copy-kit",
            program, choice.host, line.empty() ? "" : ": ", line));
    const std::string seen = line.empty() ? lastLine(failed.output) : line;
    return refused(fmt::format(
        "{} on {} did not answer as a worker of this version, it {}{}{}; install the same build there, or add --copy-kit",
        program, choice.host, howItEnded(failed.status), seen.empty() ? "" : ": ", seen));
}

} // namespace stagelens::runtime
