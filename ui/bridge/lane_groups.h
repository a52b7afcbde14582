// Predictions as lanes of the timeline.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/timeline/timeline_view.h"

namespace stagelens::ui {

/// The lanes of a prediction, marked as one.
[[nodiscard]] LaneGroup predictedGroup(const service::PredictionPtr &prediction);

} // namespace stagelens::ui
