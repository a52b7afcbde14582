// What the lines of a tour's step must agree in.
#pragma once

#include "ui/learn/tour.h"

namespace stagelens::ui {

/// Fails with the lines of a challenge or of its runs that a step lacks, or that contradict each other.
[[nodiscard]] base::Result<> checkStep(const TourStep &step);

} // namespace stagelens::ui
