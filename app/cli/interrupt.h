// Ctrl+C or a closed terminal: jobs that can be cancelled are asked to stop, everything else ends at once with status 130.
#pragma once

#include <stop_token>
#include <thread>

namespace stagelens::cli {

/// Installs the handlers of SIGINT, SIGTERM and SIGHUP, and keeps SIGXFSZ and SIGPIPE from ending the program; call it once,
/// before any thread is started.
void handleInterrupts();

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
