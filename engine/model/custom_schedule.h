// What messages call a custom schedule, which stands in a file or in the document itself.
#pragma once

#include "engine/model/experiment.h"

#include <string>

namespace stagelens::model {

/// The field of the document that a custom schedule is in, and what a message calls the schedule.
[[nodiscard]] inline std::string customField(const ScheduleChoice &choice)
{
    return choice.text.empty() ? "schedule.file" : "schedule.text";
}
[[nodiscard]] inline std::string customName(const ScheduleChoice &choice)
{
    return choice.text.empty() ? choice.file : "the schedule's text";
}

} // namespace stagelens::model
