// What the picture of Explore shows: the lanes of the plan and of the run, and the flags of baseline, published result and
// ghost.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/panels/shown_switch.h"
#include "ui/state/explanations.h"
#include "ui/state/timeline_content.h"
#include "ui/words/what_if_words.h"

#include <optional>

namespace stagelens::ui {

class Forecast;
class RunController;

/// Assembles the content of the timeline from the forecast, the shown run and what the user chose to see.
class ExploreContent {
public:
    ExploreContent(Forecast *forecast, RunController *runController, Explanations *explanations);

    [[nodiscard]] TimelineContent make() const;
    /// Keeps what the shown run measured of the plan as the baseline's; forgets what was kept where it measured none of it.
    void pinMeasured();
    void unpinMeasured() { m_measuredBaseline.reset(); }
    /// Returns the run whose lanes and figures are shown beside the plan's; null if there is none.
    [[nodiscard]] service::RunSnapshotPtr run() const;
    /// Returns whether the shown run is not the plan's, or was measured on another machine than the plan was predicted for, or
    /// in an arithmetic that predictions do not count: its figures then say nothing about theirs.
    [[nodiscard]] bool runDiffers() const;
    /// Returns whether the shown run computed in 16 bits on processors, which emulate them (resources/docs/precision.md).
    [[nodiscard]] bool runIsEmulated() const;
    /// Returns why the passes of a shown timeline start when they do; null if it is not known yet or cannot be found.
    [[nodiscard]] ExplanationPtr whyOf(const timeline::TimelinePtr &timeline) const;

    Shown shown = Shown::Both;
    std::optional<model::VocabularyMethod> ghost; ///< the end with this method is flagged
    QString ghostFamily;                          ///< the end in the order of this family is flagged
    ColourBy colourBy = ColourBy::Kind;
    LaneDetail detail = LaneDetail::Devices;
    bool critical = false;
    bool movable = false; ///< passes of the prediction can be moved
    SensitivityPtr sensitivity;
    timeline::TimelinePtr sensitivityTimeline; ///< of the plan that it is of
    /// Returns the sensitivity if it is the plan's, else null.
    [[nodiscard]] SensitivityPtr sensitivityOfPlan() const;

private:
    [[nodiscard]] LaneGroup measuredGroup() const;
    void addLanes(TimelineContent &content) const;
    void addBaseline(TimelineContent &content, const service::Prediction &plan) const;
    void addMeasuredBaseline(TimelineContent &content, const service::Prediction &plan) const;
    void addGhost(TimelineContent &content) const;
    void addBand(TimelineContent &content) const;

    /// A run of the baseline.
    struct MeasuredBaseline {
        store::RunId run = 0;
        base::Nanos iteration = 0;
        model::Experiment experiment; ///< resolved
    };

    std::optional<MeasuredBaseline> m_measuredBaseline;
    Forecast *m_forecast;
    RunController *m_runController;
    Explanations *m_explanations;
};

} // namespace stagelens::ui
