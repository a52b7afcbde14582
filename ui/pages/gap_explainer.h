// Answers a click on idle time: why does the device wait here?
#pragma once

#include "engine/timeline/timeline.h"

#include <QObject>

#include <optional>

namespace stagelens::ui {

class ExploreContent;
class Explanations;
class TimelineView;

/// Answers at once with what is known, and again when the explanation of the timeline has been computed.
class GapExplainer : public QObject {
    Q_OBJECT
public:
    GapExplainer(TimelineView *view, const ExploreContent *content, Explanations *explanations, QObject *parent = nullptr);

    /// Answers the last click again if its explanation has arrived. The view has the new content.
    void update();

signals:
    void explained(const QString &text);

private:
    void explain(int group, int device, qint64 time);

    /// The gap that was clicked while its explanation is being computed.
    struct Gap {
        timeline::TimelinePtr timeline;
        int group;
        int device;
        qint64 time;
    };
    TimelineView *m_view;
    const ExploreContent *m_content;
    Explanations *m_explanations;
    std::optional<Gap> m_waiting;
};

} // namespace stagelens::ui
