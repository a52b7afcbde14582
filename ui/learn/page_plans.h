// The live picture that belongs to a page of the documentation.
#pragma once

#include "ui/learn/tour.h"

namespace stagelens::ui {

/// The family that `schedules/NAME.md` describes on 4 devices with 8 microbatches and textbook durations, or the method that
/// `vocabulary/NAME.md` describes on a model of which it matters. Nothing for all other pages.
[[nodiscard]] std::optional<LivePlan> livePlanOfPage(const QString &path);
/// An example with the fields that are worth changing in it.
[[nodiscard]] base::Result<LivePlan> livePlanOfExample(const QString &file);

} // namespace stagelens::ui
