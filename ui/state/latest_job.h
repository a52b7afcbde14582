// A computation off the GUI thread of which only the newest answer counts.
#pragma once

#include "ui/state/engine_bridge.h"

#include <QObject>
#include <QTimer>

#include <utility>

namespace stagelens::ui {

/// Passes of a plan up to which one walk through it takes a few milliseconds, so that it need not be a job.
inline constexpr std::size_t kPassesAtOnce = 5'000;

/// Owned by who asks. Starting cancels the job before, whose answer is dropped. GUI thread only.
class LatestJob : public QObject {
    Q_OBJECT
public:
    explicit LatestJob(EngineBridge *bridge, QObject *parent = nullptr);
    ~LatestJob() override;

    /// Runs `work(stop)` on the engine's thread, and `take(answer)` here unless the job was cancelled by then.
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
    /// Runs the work here if it is known to take a few milliseconds, else as start().
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

    /// How long the answer has been waited for. A short wait is not worth a word.
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
