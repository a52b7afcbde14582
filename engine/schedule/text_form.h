// Schedules as text: a header, then one line per device with passes such as "F0 F1 S0 B0" (microbatches from 0; "F0@3" names a
// stage that is not the device's first; a trailing "+" means that the pass overlaps with the next). Empty lines and lines that
// begin with "#" are ignored.
//
//     schedule 1f1b devices 2 microbatches 2 vocabulary none
//     0: F0 F1 B0 B1
//     1: F0 B0 F1 B1
//
// If stage i is not on device i for all stages, the header continues with the device of each stage, "placement 0,1,1,0". Two
// directions are separated by a slash, "placement 0,1/1,0", and followed by the direction of each microbatch,
// "microbatch-replicas 0101". An asynchronous schedule states when its weights change: "updates each-microbatch" or
// "updates double-buffered". A schedule of several steps states their number, "iterations 3"; its microbatches are those of
// all.
#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::schedule {

[[nodiscard]] std::string toText(const Schedule &schedule);
/// Reads the format of toText(). Errors name line and word. The result may be invalid: check it with findViolations().
/// `deviceLines`, if not null, receives the line number of each device, from 1. Fails with Cancelled if `stop` is requested.
[[nodiscard]] base::Result<Schedule> scheduleFromText(std::string_view text, std::vector<int> *deviceLines = nullptr,
                                                      const std::stop_token &stop = {});

} // namespace stagelens::schedule
