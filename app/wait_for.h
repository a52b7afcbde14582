// Waiting in a program that has an event loop.
#pragma once

#include <QApplication>
#include <QDeadlineTimer>

namespace stagelens::app {

/// Runs the event loop until `done` or for 3 minutes. Returns whether it is done.
template <class Condition>
bool waitFor(Condition done)
{
    const QDeadlineTimer deadline(180'000);
    while (!done() && !deadline.hasExpired())
        QApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 50);
    return done();
}

} // namespace stagelens::app
