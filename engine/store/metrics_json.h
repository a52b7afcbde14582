// The metrics of a run as JSON, for the column that nothing filters by. Internal to the store. Leaves out what only predictions
// have (MetricMember::isStored).
#pragma once

#include "engine/base/result.h"
#include "engine/simulate/metrics.h"

#include <string>
#include <string_view>

namespace stagelens::store {

[[nodiscard]] std::string metricsToJson(const simulate::Metrics &metrics);
[[nodiscard]] base::Result<simulate::Metrics> metricsFromJson(std::string_view text);

} // namespace stagelens::store
