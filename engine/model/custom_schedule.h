// A custom schedule that stands in the document itself, and not in a file beside it.
#pragma once

#include "engine/model/experiment.h"

#include <string>
#include <string_view>

namespace stagelens::model {

/// Whether `ScheduleChoice::file` holds the schedule itself, in either form. A line break tells the two apart: each form ends
/// its lines with one, and a file whose name has one is not read. In the document such a schedule is the member "text".
[[nodiscard]] constexpr bool isScheduleText(std::string_view file)
{
    return file.find('\n') != std::string_view::npos;
}

/// The field of the document that a custom schedule is in, and what a message calls the schedule.
[[nodiscard]] inline std::string customField(const ScheduleChoice &choice)
{
    return isScheduleText(choice.file) ? "schedule.text" : "schedule.file";
}
[[nodiscard]] inline std::string customName(const ScheduleChoice &choice)
{
    return isScheduleText(choice.file) ? "the schedule's text" : choice.file;
}

} // namespace stagelens::model
