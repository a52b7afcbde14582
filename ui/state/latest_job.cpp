#include "ui/state/latest_job.h"

namespace stagelens::ui {

LatestJob::LatestJob(EngineBridge *bridge, QObject *parent) : QObject(parent), m_bridge(bridge)
{
    m_clock.setSingleShot(true);
    connect(&m_clock, &QTimer::timeout, this, [this] {
        if (m_wait == Wait::None)
            m_clock.start(kLongMilliseconds - kNoticeableMilliseconds);
        setWait(m_wait == Wait::None ? Wait::Noticeable : Wait::Long);
    });
}

LatestJob::~LatestJob() = default;

void LatestJob::cancel()
{
    if (m_job == 0)
        return;
    m_bridge->service().cancel(m_job);
    end();
}

void LatestJob::end()
{
    m_job = 0;
    ++m_number;
    m_clock.stop();
    setWait(Wait::None);
}

void LatestJob::setWait(Wait wait)
{
    if (std::exchange(m_wait, wait) != wait)
        emit waitChanged();
}

} // namespace stagelens::ui
