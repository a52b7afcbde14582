// Schedules as text: a header, then one line a device, passes as "F0 F1 S0 B0" (microbatches from 0; "F0@3" names a stage that
// is not the device's first; a "+" at the end says that the pass overlaps with the next). Empty lines and lines that begin with
// "#" do not count.
//
//     schedule 1f1b devices 2 microbatches 2 vocabulary none
//     0: F0 F1 B0 B1
//     1: F0 B0 F1 B1
//
// Where the stages do not lie on the devices one by one, the header goes on with "placement 0,1,1,0": each stage's device. Two
// directions of the model stand there one after another, "placement 0,1/1,0", followed by the direction of each microbatch,
// "microbatch-replicas 0101". An asynchronous schedule says when its weights change: "updates each-microbatch" or
// "updates double-buffered".
#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::schedule {

[[nodiscard]] std::string toText(const Schedule &schedule);
/// Reads what toText writes. The error names line and word. What it accepts need not be valid: ask findViolations.
/// `deviceLines`, if any, becomes the line of each device, from 1. Cancelled where `stop` asks for it.
[[nodiscard]] base::Result<Schedule> scheduleFromText(std::string_view text, std::vector<int> *deviceLines = nullptr,
                                                      const std::stop_token &stop = {});

} // namespace stagelens::schedule
