#include "engine/model/loss_scale.h"

#include "engine/base/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace stagelens::model {

std::string text(const LossScaleChoice &choice)
{
    return choice.fixed ? fmt::format("{:.0f}", *choice.fixed) : "dynamic";
}

std::string parseLossScale(std::string_view text, LossScaleChoice &choice)
{
    choice.fixed.reset();
    if (text == "dynamic")
        return {};
    const std::optional<double> number = base::parseNumber(text);
    if (!number)
        return fmt::format("is {}; choose dynamic, or a power of two such as 1024", text);
    int exponent = 0;
    if (std::frexp(*number, &exponent) == 0.5 && *number >= 1 && *number <= kLargestLossScale) {
        choice.fixed = number;
        return {};
    }
    const bool isPositive = *number >= 1; // false for NaN
    const double nearest = isPositive ? std::exp2(std::round(std::log2(std::min(*number, kLargestLossScale)))) : 1;
    return fmt::format("is {}, but a loss scale is a power of two from 1 to 2^32, so that scaling rounds nothing; choose "
                       "dynamic or {:.0f}",
                       text, nearest);
}

} // namespace stagelens::model
