// A job of which only the newest answer counts.
#pragma once

#include "ui/state/engine_bridge.h"

#include <QObject>
#include <QTimer>

#include <utility>

namespace stagelens::ui {

/// Passes up to which a loop over a plan takes a few milliseconds, so that it need not be a job.
inline constexpr std::size_t kPassesAtOnce = 5'000;

/// Starting a job cancels the one before and drops its answer; so does destruction. GUI thread only.
class LatestJob : public QObject {
    Q_OBJECT
public:
    explicit LatestJob(EngineBridge *bridge, QObject *parent = nullptr);
    ~LatestJob() override;

    /// Runs `work(stop)` on a thread of the engine, then `take(answer)` on this one unless the job was cancelled.
    template <class Work, class Take>
    void start(Work work, Take take)
    {
        cancel();
        m_clock.start(kNoticeableMilliseconds);
        m_job = m_bridge->compute(this, std::move(work), [this, take = std::move(take), number = m_number](auto answer) {
            if (number != m_number)
                return;
            end();
            take(std::move(answer));
        });
    }
    /// Runs `work` here if it takes a few milliseconds (`isSmall`), else as start().
    template <class Work, class Take>
    void run(bool isSmall, Work work, Take take)
    {
        if (!isSmall)
            return start(std::move(work), std::move(take));
        cancel();
        take(work(std::stop_token()));
    }
    void cancel();
    [[nodiscard]] bool isRunning() const { return m_job != 0; }

    /// How long the job has been running. A short wait is not shown.
    enum class Wait : unsigned char { None, Noticeable, Long };
    [[nodiscard]] Wait wait() const { return m_wait; }
    static constexpr int kNoticeableMilliseconds = 100;
    static constexpr int kLongMilliseconds = 1000;

signals:
    void waitChanged();

private:
    void end();
    void setWait(Wait wait);

    EngineBridge *m_bridge;
    service::JobId m_job = 0; ///< 0: none
    int m_number = 0;         ///< counts the jobs, so that stale answers are dropped
    QTimer m_clock;
    Wait m_wait = Wait::None;
};

} // namespace stagelens::ui
