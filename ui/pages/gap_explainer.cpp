#include "ui/pages/gap_explainer.h"

#include "ui/pages/explore_content.h"
#include "ui/state/gap_explanation.h"
#include "ui/timeline/timeline_view.h"

#include <utility>

namespace stagelens::ui {

GapExplainer::GapExplainer(TimelineView *view, const ExploreContent *content, Explanations *explanations, QObject *parent)
    : QObject(parent), m_view(view), m_content(content), m_explanations(explanations)
{
    connect(m_view, &TimelineView::gapClicked, this, &GapExplainer::explain);
    connect(m_view, &TimelineView::gapForgotten, this, [this] { m_waiting.reset(); });
}

void GapExplainer::update()
{
    const auto gap = std::exchange(m_waiting, std::nullopt);
    if (!gap)
        return;
    const auto &groups = m_view->content().groups;
    if (gap->group < static_cast<int>(groups.size()) && groups[static_cast<std::size_t>(gap->group)].timeline == gap->timeline)
        explain(gap->group, gap->device, gap->time);
}

void GapExplainer::explain(int group, int device, qint64 time)
{
    const TimelineContent &content = m_view->content();
    if (group < 0 || group >= static_cast<int>(content.groups.size()))
        return;
    const LaneGroup &lanes = content.groups[static_cast<std::size_t>(group)];
    if (!lanes.timeline)
        return;
    const auto why = m_content->whyOf(lanes.timeline);
    m_waiting.reset();
    if (m_explanations->isComputing(lanes.timeline)) // until then only which requirement was met last
        m_waiting = Gap{lanes.timeline, group, device, time};
    emit explained(explainGap(lanes, why ? &why->idle : nullptr, device, time, content.teachingUnits));
}

} // namespace stagelens::ui
