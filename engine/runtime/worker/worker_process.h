// A child process that communicates over a local socket, which is its standard input and output.
#pragma once

#include "engine/base/result.h"

#include <chrono>
#include <string>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace stagelens::runtime {

/// How long a worker may take to stop; a hanging kernel never does.
inline constexpr std::chrono::seconds kWorkerPatience{20};

/// The destructor kills the process.
class WorkerProcess {
public:
    enum class Errors : unsigned char {
        Inherited, ///< its standard error is that of this process
        Kept,      ///< the last 4 KiB are kept, for messages
    };

    WorkerProcess() = default;
    WorkerProcess(const WorkerProcess &) = delete;
    WorkerProcess &operator=(const WorkerProcess &) = delete;
    ~WorkerProcess();

    /// Starts the command, whose first word is a file, or a program in the PATH. Call once. The error is the system's.
    [[nodiscard]] base::Result<> start(std::vector<std::string> command, Errors errors);

    [[nodiscard]] int socket() const { return m_socket; }
    /// Asks the process to stop by closing its input.
    void askToStop() const;
    /// Thread-safe until wait().
    void kill() const;
    /// Waits until a process that has reported its outcome ends, at most kWorkerPatience; then kills it.
    void leave();
    /// Waits for the end of the process and returns its status, as waitpid() does.
    int wait();
    /// Returns that status after wait() or leave().
    [[nodiscard]] int status() const { return m_status; }
    /// Returns the end of its standard error. Call after wait().
    [[nodiscard]] std::string keptErrors();

private:
    void keepErrors(int pipe);

    pid_t m_process = -1;
    int m_socket = -1;
    int m_status = 0;
    std::string m_errors; ///< of the thread until it is joined
    std::jthread m_reader;
};

/// Describes an exit status, in the words of a shell.
[[nodiscard]] std::string howItEnded(int status);

} // namespace stagelens::runtime
