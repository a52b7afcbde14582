#include "ui/state/view_state.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagelens::ui {
namespace {

constexpr base::Nanos kNarrowest = 100;
constexpr std::size_t kLongestHistory = 200;

/// Free time behind the end, where flags and percentages stand.
base::Nanos margin(base::Nanos span)
{
    return span / 20;
}

} // namespace

ViewState::ViewState(QObject *parent) : QObject(parent)
{
    const Range all = whole();
    m_begin = all.begin;
    m_end = all.end;
    m_history.push_back(all);
    m_hold.setSingleShot(true);
    m_hold.setInterval(kHoldMilliseconds);
    connect(&m_hold, &QTimer::timeout, this, &ViewState::release);
}

ViewState::Range ViewState::whole() const
{
    return {0, std::max(m_span + margin(m_span), kNarrowest), true};
}

ViewState::Range ViewState::clamped(base::Nanos begin, base::Nanos end) const
{
    const Range all = whole();
    const base::Nanos width = std::max(end - begin, kNarrowest);
    if (width >= all.end)
        return all;
    // The margin stands at both sides of a zoomed view, so that the first and the last pass can be brought to the middle.
    const base::Nanos slack = std::max(margin(m_span), width / 2);
    const base::Nanos from = std::clamp(begin, -slack, std::max(-slack, all.end + slack - width));
    return {from, from + width, false};
}

base::Nanos ViewState::part(double share) const
{
    return std::llround(static_cast<double>(m_end - m_begin) * share);
}

void ViewState::setSpan(base::Nanos span)
{
    if (span == m_span)
        return;
    m_span = std::max<base::Nanos>(span, 0);
    // A zoomed view keeps its range, unless nothing is left there to be seen.
    if (m_fitted ? !m_hold.isActive() && !m_isHeld : m_begin >= m_span)
        apply(whole(), Memory::Forget);
}

void ViewState::hold()
{
    m_hold.start();
}

void ViewState::release()
{
    m_hold.stop();
    if (m_fitted && !m_isHeld)
        apply(whole(), Memory::Forget);
}

void ViewState::setHeld(bool isHeld)
{
    if (isHeld != std::exchange(m_isHeld, isHeld) && !isHeld)
        release();
}

void ViewState::setRange(base::Nanos begin, base::Nanos end)
{
    apply(clamped(begin, end), Memory::Append);
}

void ViewState::fit()
{
    apply(whole(), Memory::Append);
}

void ViewState::zoom(base::Nanos around, double factor)
{
    if (!(factor > 0))
        return;
    const double left = static_cast<double>(around - m_begin) / factor;
    const double width = static_cast<double>(m_end - m_begin) / factor;
    if (width >= static_cast<double>(whole().end)) {
        apply(whole(), Memory::Gesture);
        return;
    }
    const base::Nanos begin = around - std::llround(left);
    apply(clamped(begin, begin + std::llround(width)), Memory::Gesture);
}

void ViewState::pan(base::Nanos by)
{
    if (!m_fitted)
        apply(clamped(m_begin + by, m_end + by), Memory::Gesture);
}

void ViewState::back()
{
    if (m_position == 0)
        return;
    const Range range = m_history[--m_position];
    apply(range.fitted ? whole() : range, Memory::Forget);
}

void ViewState::forward()
{
    if (m_position + 1 >= m_history.size())
        return;
    const Range range = m_history[++m_position];
    apply(range.fitted ? whole() : range, Memory::Forget);
}

void ViewState::select(std::optional<Selection> selection)
{
    if (m_selection == selection)
        return;
    m_selection = selection;
    if (m_selection)
        clearMark();
    emit selectionChanged();
}

void ViewState::setMark(base::Nanos from, base::Nanos to)
{
    const Mark mark{std::max<base::Nanos>(std::min(from, to), 0), std::max(from, to)};
    if (mark.end <= mark.begin)
        return clearMark();
    if (m_mark == mark)
        return;
    m_mark = mark;
    emit markChanged();
}

void ViewState::clearMark()
{
    if (std::exchange(m_mark, std::nullopt))
        emit markChanged();
}

void ViewState::toggleBookmark()
{
    const Mark range = m_mark.value_or(Mark{std::max<base::Nanos>(m_begin, 0), std::min(m_end, m_span)});
    const auto place = std::ranges::lower_bound(m_bookmarks, range);
    if (place != m_bookmarks.end() && *place == range)
        m_bookmarks.erase(place);
    else if (range.end > range.begin)
        m_bookmarks.insert(place, range);
    emit bookmarksChanged();
}

void ViewState::togglePinned(int device)
{
    const auto place = std::ranges::lower_bound(m_pinned, device);
    if (place != m_pinned.end() && *place == device)
        m_pinned.erase(place);
    else
        m_pinned.insert(place, device);
    emit pinnedChanged();
}

void ViewState::goToNextBookmark()
{
    if (m_bookmarks.empty())
        return;
    const base::Nanos middle = m_mark ? m_mark->begin : m_begin + part(0.5);
    const auto next = std::ranges::find_if(m_bookmarks, [middle](const Mark &each) { return each.begin > middle; });
    goTo(next == m_bookmarks.end() ? m_bookmarks.front() : *next);
}

void ViewState::goTo(const Mark &range)
{
    const base::Nanos around = (range.end - range.begin) / 10;
    setRange(range.begin - around, range.end + around);
    select(std::nullopt);
    setMark(range.begin, range.end);
}

void ViewState::setPlayhead(std::optional<base::Nanos> time)
{
    if (std::exchange(m_playhead, time) != time)
        emit playheadChanged();
}

void ViewState::follow(std::optional<int> microbatch)
{
    if (std::exchange(m_followed, microbatch) != microbatch)
        emit followedChanged();
}

void ViewState::apply(Range range, Memory memory)
{
    if (range.begin == m_begin && range.end == m_end && range.fitted == m_fitted)
        return;
    if (memory == Memory::Gesture && m_inGesture) {
        m_history[m_position] = range;
    } else if (memory != Memory::Forget) {
        m_history.resize(m_position + 1);
        m_history.push_back(range);
        if (m_history.size() > kLongestHistory)
            m_history.erase(m_history.begin());
        m_position = m_history.size() - 1;
    }
    m_inGesture = memory == Memory::Gesture;
    m_begin = range.begin;
    m_end = range.end;
    m_fitted = range.fitted;
    emit rangeChanged();
}

} // namespace stagelens::ui
