// Predicts a plan, whose schedule may be left to a search.
#pragma once

#include "engine/service/machine/environment.h"
#include "engine/service/predictions/prediction.h"
#include "engine/service/search/schedule_search.h"

namespace stagelens::service {

/// Predicts on the caller's thread (milliseconds for typical plans; seconds for family `auto`, which searches). Fails with
/// InvalidInput and every problem of the plan, and with Cancelled if the options' stop is requested, which is checked between
/// the parts of the prediction.
[[nodiscard]] base::Result<PredictionPtr> predict(const model::Experiment &experiment, int cores,
                                                  const SearchOptions &options = {});

} // namespace stagelens::service
