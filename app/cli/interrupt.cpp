#include "app/cli/interrupt.h"

#include "app/cli/commands/commands.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <string_view>
#include <unistd.h>

namespace stagelens::cli {

namespace {

std::atomic<bool> g_scopeAlive{false};
std::atomic<bool> g_requested{false};
std::atomic<bool> g_isJoining{false};
std::atomic<bool> g_hasJoined{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch lock-free atomics only");

void onSignal(int signal)
{
    const bool isScopeAlive = g_scopeAlive.load();
    const bool isRepeated = g_requested.exchange(true);
    // A terminal that closes is told twice: by the shell to its jobs, and by the kernel.
    if (isScopeAlive && (!isRepeated || signal == SIGHUP))
        return;
    if (g_hasJoined && signal == SIGTERM)
        return;
    constexpr std::string_view kWord = "cancelled\n";
    constexpr std::string_view kUnstored = "cancelled before the run was stored\n";
    const std::string_view text = g_isJoining ? kUnstored : kWord;
    (void)!::write(STDERR_FILENO, text.data(), text.size());
    _exit(kCancelled);
}

} // namespace

void handleInterrupts()
{
    struct sigaction action = {};
    action.sa_handler = onSignal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    struct sigaction hangUp = {};
    if (sigaction(SIGHUP, nullptr, &hangUp) == 0 && hangUp.sa_handler != SIG_IGN) // nohup has it ignored
        sigaction(SIGHUP, &action, nullptr);
    action.sa_handler = SIG_IGN; // a file that may not grow (`ulimit -f`) is an error of its writing like a full disk
    sigaction(SIGXFSZ, &action, nullptr);
    sigaction(SIGPIPE, &action, nullptr); // so is a reader that has gone: a training goes on without its progress being read
}

void enterLaunch(LaunchPhase phase)
{
    g_isJoining = phase == LaunchPhase::Joining;
    g_hasJoined = phase == LaunchPhase::Joined;
}

InterruptScope::InterruptScope()
{
    g_scopeAlive = true;
    // A signal handler may not touch a stop_source, so a thread carries the wish over.
    m_watcher = std::jthread([this](const std::stop_token &stop) {
        while (!stop.stop_requested()) {
            if (g_requested) {
                m_source.request_stop();
                return;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    });
}

InterruptScope::~InterruptScope()
{
    g_scopeAlive = false;
}

bool InterruptScope::requested() const
{
    return g_requested;
}

} // namespace stagelens::cli
