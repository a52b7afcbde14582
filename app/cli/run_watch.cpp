#include "app/cli/run_watch.h"

#include "app/cli/interrupt.h"
#include "app/cli/report.h"
#include "app/cli/table.h"
#include "engine/base/printable.h"
#include "engine/base/text.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <iostream>
#include <unistd.h>
#include <utility>

namespace stagelens::cli {

using service::RunSnapshot;
using service::RunSnapshotPtr;

namespace {

using Clock = std::chrono::steady_clock;

/// One line that is rewritten on a terminal; elsewhere a line for a step, at most one a second.
class ProgressLine {
public:
    void show(const RunSnapshot &run)
    {
        const bool newStep = run.step > std::max(m_lastStep, run.record.summary.resumedSteps);
        const bool due = Clock::now() - m_shown >= std::chrono::seconds(1);
        if (m_terminal ? !newStep && !due : !newStep || (!due && run.step < run.steps))
            return;
        m_lastStep = run.step;
        m_shown = Clock::now();
        std::string line = fmt::format("step {}/{}", run.step, run.steps);
        if (!run.record.losses.empty())
            line += "  loss " + base::fixedText(run.record.losses.back(), 4);
        if (run.isSkipped)
            line += "  skipped, because a gradient overflowed";
        if (m_terminal && run.passCount > 0 && run.passesDone > 0)
            line += fmt::format("  pass {}/{}", run.passesDone, run.passCount);
        if (run.secondsLeft)
            line += "  " + clockText(*run.secondsLeft) + " left";
        std::cerr << (m_terminal ? "\r\x1b[K" : "") << line << (m_terminal ? "" : "\n") << std::flush;
        m_open = m_terminal;
    }
    /// Ends the rewritten line so that other messages begin on one of their own.
    void close()
    {
        if (m_open)
            std::cerr << '\n';
        m_open = false;
    }

private:
    bool m_terminal = isatty(STDERR_FILENO) == 1;
    bool m_open = false;
    int m_lastStep = 0;
    Clock::time_point m_shown;
};

} // namespace

void EventSignal::notify()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_notified = true;
    }
    m_changed.notify_one();
}

void EventSignal::wait()
{
    std::unique_lock lock(m_mutex);
    m_changed.wait_for(lock, std::chrono::milliseconds(50), [this] { return m_notified; });
    m_notified = false;
}

RunSnapshotPtr trainAndWatch(service::EngineService &service, EventSignal &events, const model::Experiment &experiment,
                             const service::TrainingOptions &options)
{
    const InterruptScope interrupt;
    ProgressLine progress;
    const service::JobId job = service.submitTraining(experiment, options);
    bool cancelled = false;
    bool isStored = true;
    bool isWaiting = false;
    for (;;) {
        for (const service::Event &event : service.drain()) {
            const auto *snapshot = std::get_if<RunSnapshotPtr>(&event.answer);
            if (event.job != job || snapshot == nullptr)
                continue;
            if (const std::string &host = (*snapshot)->connecting; !host.empty()) {
                std::cerr << "connecting to " << base::printable(host) << '\n';
                continue;
            }
            progress.show(**snapshot);
            if ((*snapshot)->stored != isStored && !(*snapshot)->finished) {
                isStored = !isStored;
                progress.close();
                std::cerr << (isStored ? std::string("the run is being stored again")
                                       : "the run is not being stored now, its steps wait in memory: " +
                                             base::printable((*snapshot)->storeProblem))
                          << '\n';
            }
            if (std::exchange(isWaiting, (*snapshot)->waitsForStore) != isWaiting && !(*snapshot)->finished) {
                progress.close();
                std::cerr << (isWaiting ? "training waits: " + base::printable((*snapshot)->storeProblem)
                                        : std::string("training goes on"))
                          << '\n';
            }
            if ((*snapshot)->finished) {
                progress.close();
                return *snapshot;
            }
        }
        if (interrupt.requested() && !cancelled) {
            cancelled = true;
            progress.close();
            std::cerr << "stopping; the partial run will be stored\n";
            service.cancel(job);
        }
        events.wait();
    }
}

} // namespace stagelens::cli
