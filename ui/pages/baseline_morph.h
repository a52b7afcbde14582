// The animation from the baseline to the plan, in a MorphPanel.
#pragma once

#include "ui/state/latest_job.h"

namespace stagelens::ui {

class Forecast;
class MorphPanel;

/// Predicts the baseline again where the animation needs its passes: the forecast keeps only its figures.
class BaselineMorph : public QObject {
    Q_OBJECT
public:
    BaselineMorph(EngineBridge *bridge, Forecast *forecast, MorphPanel *panel, QObject *parent = nullptr);

    /// Shows the way from the forecast's baseline to its plan, or says why there is none.
    void refresh();

private:
    /// Returns whether the baseline's passes are known; if not, starts to predict them.
    [[nodiscard]] bool hasBaseline(const model::Experiment &experiment);

    EngineBridge *m_bridge;
    Forecast *m_forecast;
    MorphPanel *m_panel;
    LatestJob m_job;
    std::optional<model::Experiment> m_asked; ///< the job predicts it
    service::PredictionPtr m_baseline;        ///< with its passes; null until it is known
};

} // namespace stagelens::ui
