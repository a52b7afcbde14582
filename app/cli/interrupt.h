// Ctrl+C or a closed terminal: jobs that can be cancelled are asked to stop, everything else ends at once with status 130.
#pragma once

#include <stop_token>
#include <thread>

namespace stagelens::cli {

/// Installs the handlers of SIGINT, SIGTERM and SIGHUP, and keeps SIGXFSZ and SIGPIPE from ending the program; call it once,
/// before any thread is started.
void handleInterrupts();

/// Which part of a run over several processes this one is in. When one of them ends, mpirun sends SIGTERM to all others, and
/// SIGKILL as soon as another one ends or after 1 s.
enum class LaunchPhase : unsigned char {
    Joining, ///< a first SIGTERM ends this process at once, with a text that the run is not stored
    Joined,  ///< SIGTERM only requests a stop, however often it comes: process 0 stores the run's end, the others wait for it
};
void enterLaunch(LaunchPhase phase);

/// While one exists, an interrupt does not end the program; requested() and token() report it. A second interrupt ends the
/// program whatever happens.
class InterruptScope {
public:
    InterruptScope();
    ~InterruptScope();
    InterruptScope(const InterruptScope &) = delete;
    InterruptScope &operator=(const InterruptScope &) = delete;

    [[nodiscard]] bool requested() const;
    /// Stop is requested at most 20 ms after the interrupt.
    [[nodiscard]] std::stop_token token() const { return m_source.get_token(); }

private:
    std::stop_source m_source;
    std::jthread m_watcher;
};

} // namespace stagelens::cli
