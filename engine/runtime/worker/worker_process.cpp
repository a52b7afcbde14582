#include "engine/runtime/worker/worker_process.h"

#include "engine/base/text.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace stagelens::runtime {
namespace {

constexpr std::size_t kKept = 4096;
/// Interval at which the thread that reads the errors checks for its end: another process may keep the pipe open.
constexpr int kLookMs = 100;
/// Interval between two checks whether a process has ended.
constexpr int kLeaveMs = 20;

void closeOnce(int &descriptor)
{
    if (descriptor >= 0)
        ::close(descriptor);
    descriptor = -1;
}

} // namespace

std::string howItEnded(int status)
{
    if (WIFSIGNALED(status))
        return fmt::format("was ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
    return fmt::format("ended with status {}", WEXITSTATUS(status));
}

WorkerProcess::~WorkerProcess()
{
    kill();
    wait();
    closeOnce(m_socket);
}

base::Result<> WorkerProcess::start(std::vector<std::string> command, Errors errors)
{
    std::array<int, 2> ends{-1, -1};
    std::array<int, 2> pipe{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return base::Error::failed(fmt::format("no socket: {}", std::strerror(errno)));
    m_socket = ends[0];
    if (errors == Errors::Kept && ::pipe2(pipe.data(), O_CLOEXEC) != 0) {
        const int failed = errno;
        ::close(ends[1]);
        return base::Error::failed(fmt::format("no pipe: {}", std::strerror(failed)));
    }
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (errors == Errors::Kept)
        ::posix_spawn_file_actions_adddup2(&actions, pipe[1], STDERR_FILENO);
    // A process group of its own: Ctrl+C in a terminal signals only this program, which then stops the worker.
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::vector<char *> words;
    for (std::string &word : command)
        words.push_back(word.data());
    words.push_back(nullptr);
    const int failed = ::posix_spawnp(&m_process, words.front(), &actions, &attributes, words.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    ::close(ends[1]);
    closeOnce(pipe[1]);
    if (failed != 0) {
        m_process = -1;
        closeOnce(pipe[0]);
        return base::Error::failed(std::strerror(failed));
    }
    if (errors == Errors::Kept)
        keepErrors(pipe[0]);
    return {};
}

void WorkerProcess::keepErrors(int pipe)
{
    m_reader = std::jthread([this, pipe](const std::stop_token &stop) {
        ::fcntl(pipe, F_SETFL, O_NONBLOCK);
        std::array<char, kKept> block{};
        for (;;) {
            const bool isLast = stop.stop_requested();
            pollfd readable{pipe, POLLIN, 0};
            (void)::poll(&readable, 1, isLast ? 0 : kLookMs);
            const ssize_t count = ::read(pipe, block.data(), block.size());
            if (count > 0)
                m_errors.append(block.data(), static_cast<std::size_t>(count));
            if (m_errors.size() > kKept)
                m_errors.erase(0, m_errors.size() - kKept);
            const bool isEmpty = count < 0 && (errno == EAGAIN || errno == EINTR);
            if (count == 0 || (count < 0 && !isEmpty) || (isLast && count < 0))
                break;
        }
        ::close(pipe);
    });
}

void WorkerProcess::askToStop() const
{
    ::shutdown(m_socket, SHUT_WR);
}

void WorkerProcess::kill() const
{
    if (m_process > 0)
        ::kill(m_process, SIGKILL);
}

void WorkerProcess::leave()
{
    askToStop();
    const auto deadline = std::chrono::steady_clock::now() + kWorkerPatience;
    while (m_process > 0 && std::chrono::steady_clock::now() < deadline) {
        const pid_t ended = ::waitpid(m_process, &m_status, WNOHANG);
        if (ended == m_process || (ended < 0 && errno != EINTR)) {
            m_process = -1;
            return;
        }
        // Read on: a worker whose pipe is full cannot exit. It closes its output just before it exits.
        pollfd output{m_socket, POLLIN, 0};
        std::array<char, kKept> ignored{};
        if (::poll(&output, 1, kLeaveMs) > 0 && ::recv(m_socket, ignored.data(), ignored.size(), MSG_DONTWAIT) == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    kill();
    wait();
}

int WorkerProcess::wait()
{
    while (m_process > 0 && ::waitpid(m_process, &m_status, 0) < 0 && errno == EINTR) {
    }
    m_process = -1;
    return m_status;
}

std::string WorkerProcess::keptErrors()
{
    if (m_reader.joinable()) {
        m_reader.request_stop();
        m_reader.join();
    }
    return m_errors;
}

} // namespace stagelens::runtime
