// Zero bubble by hand: the backward is split, and weight gradients fill what would be the bubble (Qi et al., arXiv 2401.10241).
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/schedule/durations.h"
#include "engine/schedule/schedule.h"

namespace stagelens::schedule {

/// ZB-H1: W follows I by r microbatches on device r, so that every device holds at most p + k microbatches; the bubble is at
/// most (p - 1) (F + I - W), and at least (p - 1) F. An order made for the durations within the same memory is taken where it
/// is shorter (takeShorterRounds()).
[[nodiscard]] base::Result<Schedule> zbH1(const model::Experiment &experiment, const Durations &durations);

/// ZB-H2: 2 (p - r) - 1 forwards lead and W follows by 2 r, for at most 2 p - 1 + k microbatches; the bubble is at most
/// (p - 1) (F + I - 2 W), and at least (p - 1) F: the slant of a synchronised step. An order made for the durations, with 2 p +
/// k microbatches, is taken where it is shorter.
[[nodiscard]] base::Result<Schedule> zbH2(const model::Experiment &experiment, const Durations &durations);

} // namespace stagelens::schedule
