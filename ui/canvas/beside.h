// Two threads for one picture.
#pragma once

#include <system_error>
#include <thread>

namespace stagelens::ui {

/// Runs `other` on a second thread while `own` runs on this one, and returns when both have ended; one after the other where no
/// more threads are allowed. Fonts are not for `other`: a new thread would read them anew.
template <class Own, class Other>
void runBeside(const Own &own, const Other &other)
{
    std::jthread thread;
    try {
        thread = std::jthread(other);
    } catch (const std::system_error &) {
        own();
        return other();
    }
    own();
}

} // namespace stagelens::ui
