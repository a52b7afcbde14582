#include "engine/simulate/sensitivity/failures.h"

#include <algorithm>
#include <cmath>

namespace stagelens::simulate {

FailureForecast failureForecast(double interval, double checkpoint, double restart, double step)
{
    FailureForecast forecast;
    forecast.optimum = std::sqrt(2 * checkpoint * interval);
    forecast.steps = step > 0 ? std::max<std::int64_t>(1, std::llround(forecast.optimum / step)) : 1;
    forecast.period = step > 0 ? static_cast<double>(forecast.steps) * step : forecast.optimum;
    forecast.lostPerFailure = forecast.period / 2 + restart;
    const double expected = std::exp(restart / interval) * interval * std::expm1((forecast.period + checkpoint) / interval);
    forecast.goodput = forecast.period / expected;
    return forecast;
}

std::optional<FailureForecast> failureForecast(const model::WhatIf &whatIf, double step)
{
    constexpr double kHour = 3600;
    if (!whatIf.failureInterval || !whatIf.checkpointSeconds)
        return std::nullopt;
    return failureForecast(*whatIf.failureInterval * kHour, *whatIf.checkpointSeconds, whatIf.restartSeconds.value_or(0), step);
}

} // namespace stagelens::simulate
