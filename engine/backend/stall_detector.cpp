#include "engine/backend/stall_detector.h"

#include <algorithm>

namespace stagelens::backend {
namespace {

constexpr int kMostTimesLongest = 20;
constexpr int kColdFactor = 6;

} // namespace

void StallDetector::noteProgress()
{
    const std::scoped_lock lock(m_mutex);
    m_changed = Clock::now();
}

void StallDetector::update(std::int64_t passes, Clock::time_point now)
{
    if (passes == m_passes)
        return;
    if (m_isWarm)
        m_longest = std::max(m_longest, now - m_changed);
    m_isWarm = true;
    m_passes = passes;
    m_changed = now;
}

StallDetector::Clock::duration StallDetector::stalledFor()
{
    const std::int64_t passes = m_progress();
    const Clock::time_point now = Clock::now();
    const std::scoped_lock lock(m_mutex);
    update(passes, now);
    const Clock::duration most =
        m_isWarm ? std::max(m_stallTimeout, kMostTimesLongest * m_longest) : kColdFactor * m_stallTimeout;
    return now - m_changed > most ? now - m_changed : Clock::duration{0};
}

} // namespace stagelens::backend
