// Handcrafted zero bubble: the backward is split, and weight gradients fill the bubble (Qi et al., arXiv 2401.10241).
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"

namespace stagelens::schedule {

/// ZB-H1: W follows I by r microbatches on device r, so every device holds at most p + k microbatches. The bubble is between
/// (p - 1) F and (p - 1) (F + I - W). takeShorterRounds() replaces the order by one for the durations within the same memory if
/// that is shorter.
[[nodiscard]] base::Result<Schedule> zbH1(const model::Experiment &experiment, const Durations &durations);

/// ZB-H2: 2 (p - r) - 1 warm-up forwards, and W follows by 2 r, for at most 2 p - 1 + k microbatches. The bubble is between
/// (p - 1) F, the slant of a synchronised step, and (p - 1) (F + I - 2 W). An order for the durations, with 2 p + k
/// microbatches, replaces it if that is shorter.
[[nodiscard]] base::Result<Schedule> zbH2(const model::Experiment &experiment, const Durations &durations);

} // namespace stagelens::schedule
