// What messages call a custom schedule, which stands in a file or in the document itself.
#pragma once

#include "engine/base/text.h"
#include "engine/model/experiment.h"

#include <algorithm>
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

/// A schedule's text as documents can have it. Bytes that are not UTF-8, which only remarks can have, become `?`.
[[nodiscard]] inline std::string documentText(std::string text)
{
    if (!base::isUtf8(text))
        std::ranges::replace_if(
            text, [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; }, '?');
    return text;
}

} // namespace stagelens::model
