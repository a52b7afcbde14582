// The name in messages of a custom schedule, which is stored in a file or in the document itself.
#pragma once

#include "engine/base/text.h"
#include "engine/model/experiment.h"

#include <algorithm>
#include <string>

namespace stagelens::model {

/// Returns the field of the document that contains a custom schedule, and the name of the schedule in messages.
[[nodiscard]] inline std::string customField(const ScheduleChoice &choice)
{
    return choice.text.empty() ? "schedule.file" : "schedule.text";
}
[[nodiscard]] inline std::string customName(const ScheduleChoice &choice)
{
    return choice.text.empty() ? choice.file : "the schedule's text";
}

/// Returns a schedule's text in valid UTF-8 for documents. Invalid bytes, which only comments can contain, become `?`.
[[nodiscard]] inline std::string documentText(std::string text)
{
    if (!base::isUtf8(text))
        std::ranges::replace_if(
            text, [](char byte) { return static_cast<unsigned char>(byte) >= 0x80; }, '?');
    return text;
}

} // namespace stagelens::model
