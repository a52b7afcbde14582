// What the what-ifs of a plan cost, as a person reads it.
#pragma once

#include "engine/service/predictions/sensitivity.h"

#include <QString>

#include <memory>

namespace stagelens::ui {

/// Null without what-ifs, and while they are being computed.
using SensitivityPtr = std::shared_ptr<const service::Sensitivity>;

/// "Device 3 is 12 % slow and costs 11 % of the step. In first position it would cost 4 %.": of the part that costs most. Empty
/// if none costs a percent.
[[nodiscard]] QString slowVerdict(const service::Sensitivity &sensitivity);
/// The distribution, the critical devices, the goodput and what else is slow, a sentence a line.
[[nodiscard]] QString sensitivityNote(const service::Prediction &plan, const service::Sensitivity &sensitivity);
/// "5 to 95 %: 40.1 ms – 43.2 ms".
[[nodiscard]] QString bandText(const simulate::Quantiles &iteration, bool units);
/// "critical in 43 %", for the name of a lane.
[[nodiscard]] QString criticalText(double share);

} // namespace stagelens::ui
