#include "ui/shell/closing_signals.h"

#include "ui/shell/main_window.h"
#include "ui/state/run_controller.h"

#include <QApplication>
#include <QSocketNotifier>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace stagelens::ui {
namespace {

/// A handler may only write to it; the window's thread reads.
std::array<int, 2> g_pipe{-1, -1};

void onSignal(int /*signal*/)
{
    (void)!::write(g_pipe[1], "s", 1);
}

void closeAtOnce(MainWindow &window)
{
    const auto close = [&window] {
        if (window.close())
            QApplication::quit(); // a dialog may be open
    };
    RunController &runController = window.runController();
    if (!runController.isTraining())
        return close();
    QObject::connect(&runController, &RunController::trainingChanged, &window, [&runController, close] {
        if (!runController.isTraining())
            close();
    });
    runController.stop();
}

} // namespace

void closeOnSignals(MainWindow &window)
{
    if (g_pipe[0] < 0 && ::pipe2(g_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        return; // the program then ends as programs do
    auto *const notifier = new QSocketNotifier(g_pipe[0], QSocketNotifier::Read, &window);
    QObject::connect(notifier, &QSocketNotifier::activated, &window, [&window] {
        char byte = 0;
        while (::read(g_pipe[0], &byte, 1) > 0)
            ;
        closeAtOnce(window);
    });
    struct sigaction action = {};
    action.sa_handler = onSignal;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    ::sigaction(SIGTERM, &action, nullptr);
    ::sigaction(SIGINT, &action, nullptr);
    struct sigaction hangUp = {};
    if (::sigaction(SIGHUP, nullptr, &hangUp) == 0 && hangUp.sa_handler != SIG_IGN)
        ::sigaction(SIGHUP, &action, nullptr);
}

} // namespace stagelens::ui
