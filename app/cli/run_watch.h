// Follows a run on the terminal until it ends.
#pragma once

#include "engine/service/engine_service.h"

#include <condition_variable>
#include <mutex>

namespace stagelens::cli {

/// Lets the command line wait for events of the engine. Thread-safe.
class EventSignal {
public:
    void notify();
    /// Blocks until the next notify(), but at most 50 ms, so that an interrupt is seen.
    void wait();

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_notified = false;
};

/// Trains, shows progress on the standard error stream and cancels on an interrupt. Returns the run's last snapshot. The
/// service notifies `events`.
[[nodiscard]] service::RunSnapshotPtr trainAndWatch(service::EngineService &service, EventSignal &events,
                                                    const model::Experiment &experiment,
                                                    const service::TrainingOptions &options);

} // namespace stagelens::cli
