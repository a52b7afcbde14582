// The visible time range and the selection: shared by the timeline and every plot on the same axis.
#pragma once

#include "engine/base/units.h"
#include "engine/timeline/timeline.h"

#include <QObject>
#include <QTimer>

#include <compare>
#include <optional>
#include <vector>

namespace stagelens::ui {

/// Widgets hold a pointer and connect to its signals. GUI thread only.
class ViewState : public QObject {
    Q_OBJECT
public:
    explicit ViewState(QObject *parent = nullptr);

    /// The whole span that "fit" shows: from 0 to the longer of the current plan and the baseline.
    [[nodiscard]] base::Nanos span() const { return m_span; }
    void setSpan(base::Nanos span);
    /// Keeps a fitted axis at its scale while the span changes, until release() or kHoldMilliseconds after the last hold(), so
    /// that the picture does not jump between the keystrokes of one edit.
    void hold();
    void release();
    /// Keeps it for as long as a button of the mouse holds what is edited.
    void setHeld(bool isHeld);
    /// How long an axis is held after the last hold().
    static constexpr int kHoldMilliseconds = 1500;
    [[nodiscard]] base::Nanos begin() const { return m_begin; }
    [[nodiscard]] base::Nanos end() const { return m_end; }
    /// Returns a share of the visible range: part(0.5) is half of it.
    [[nodiscard]] base::Nanos part(double share) const;
    /// True while the view shows the whole span; a zoomed view keeps its range when the span changes.
    [[nodiscard]] bool isFitted() const { return m_fitted; }
    /// Clamped to the span with a little margin; at least 100 ns wide. Goes into the history (Alt+Left, Alt+Right).
    void setRange(base::Nanos begin, base::Nanos end);
    void fit();
    /// Divides the visible width by `factor` (above 1 comes closer), keeping `around` at its pixel. A series of zooms and pans
    /// is one entry of the history.
    void zoom(base::Nanos around, double factor);
    void pan(base::Nanos by);
    void back();
    void forward();

    /// The selected slice: a lane group (0 predicted, 1 measured, ...) and a slice of it.
    struct Selection {
        int group = 0;
        timeline::SliceId slice;
        friend bool operator==(const Selection &, const Selection &) = default;
    };
    [[nodiscard]] const std::optional<Selection> &selection() const { return m_selection; }
    void select(std::optional<Selection> selection);

    /// A range of time whose statistics are shown; selecting a pass clears it.
    struct Mark {
        base::Nanos begin = 0;
        base::Nanos end = 0;
        friend auto operator<=>(const Mark &, const Mark &) = default;
    };
    [[nodiscard]] const std::optional<Mark> &mark() const { return m_mark; }
    /// Takes the two ends in either order; an empty range clears the mark.
    void setMark(base::Nanos from, base::Nanos to);
    void clearMark();
    /// Bookmarked ranges by their begin. They last as long as the window.
    [[nodiscard]] const std::vector<Mark> &bookmarks() const { return m_bookmarks; }
    /// Bookmarks the marked range, or the visible one where none is marked; a bookmark of that range is removed.
    void toggleBookmark();
    /// Shows the next bookmark after the begin of the marked range, or else after the middle of the view; after the last one
    /// the first.
    void goToNextBookmark();
    /// Shows a range with some room around it, and marks it.
    void goTo(const Mark &range);
    /// Devices whose lanes stay at the top, ascending; some may be beyond the devices of the plan.
    [[nodiscard]] const std::vector<int> &pinned() const { return m_pinned; }
    void togglePinned(int device);
    /// The position of playing; absent while nothing is played.
    [[nodiscard]] const std::optional<base::Nanos> &playhead() const { return m_playhead; }
    void setPlayhead(std::optional<base::Nanos> time);
    /// The microbatch whose passes are emphasised; absent: none.
    [[nodiscard]] const std::optional<int> &followed() const { return m_followed; }
    void follow(std::optional<int> microbatch);

signals:
    void markChanged();
    void bookmarksChanged();
    void pinnedChanged();
    void playheadChanged();
    void followedChanged();
    void rangeChanged();
    void selectionChanged();

private:
    struct Range {
        base::Nanos begin;
        base::Nanos end;
        bool fitted;
    };
    enum class Memory : unsigned char { Forget, Append, Gesture };
    [[nodiscard]] Range whole() const;
    [[nodiscard]] Range clamped(base::Nanos begin, base::Nanos end) const;
    void apply(Range range, Memory memory);

    base::Nanos m_span = 0;
    base::Nanos m_begin = 0;
    base::Nanos m_end = 0;
    bool m_fitted = true;
    QTimer m_hold;
    bool m_isHeld = false;
    bool m_inGesture = false; ///< the newest entry of the history is still being changed by zooms and pans
    std::optional<Selection> m_selection;
    std::optional<Mark> m_mark;
    std::vector<Mark> m_bookmarks;
    std::vector<int> m_pinned;
    std::optional<base::Nanos> m_playhead;
    std::optional<int> m_followed;
    std::vector<Range> m_history;
    std::size_t m_position = 0;
};

} // namespace stagelens::ui
