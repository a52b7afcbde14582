// The picture for those who do not see it: one widget whose name and value describe the selection.
#pragma once

namespace stagelens::ui {

class TimelineView;

/// Makes assistive technologies see timelines; safe to call again.
void registerAccessibleTimeline();
/// Tells them that the selection of a view has changed.
void announceSelection(TimelineView *view);

} // namespace stagelens::ui
