// The metrics of a run as JSON, for the column that nothing filters by. Internal to the store. Exchanges among ranks and the
// iteration in published order, which only predictions have, are not stored; exchange/timeline_json.cpp writes those too.
#pragma once

#include "engine/base/result.h"
#include "engine/simulate/metrics.h"

#include <string>
#include <string_view>

namespace stagelens::store {

[[nodiscard]] std::string metricsToJson(const simulate::Metrics &metrics);
[[nodiscard]] base::Result<simulate::Metrics> metricsFromJson(std::string_view text);

} // namespace stagelens::store
