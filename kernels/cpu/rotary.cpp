#include "kernels/include/rotary.h"

#include "kernels/cpu/lanes.h"

#include <cmath>

namespace stagelens::kernels {

namespace {

double scaledSpeed(double speed, const RotaryScaling &scaling)
{
    constexpr double kTurn = 6.283185307179586476925;
    const double turns = scaling.originalSequence * speed / kTurn;
    if (turns > scaling.highFrequencyFactor)
        return speed;
    const double slow = speed / scaling.factor;
    if (turns < scaling.lowFrequencyFactor)
        return slow;
    const double share = (turns - scaling.lowFrequencyFactor) / (scaling.highFrequencyFactor - scaling.lowFrequencyFactor);
    return (1 - share) * slow + share * speed;
}

} // namespace

void rotaryAngles(float *angles, std::int64_t sequence, std::int64_t size, const RotaryRule &rule)
{
    const std::int64_t half = size / 2;
    for (std::int64_t i = 0; i < half; ++i) {
        const double unscaled = std::pow(rule.theta, -2.0 * static_cast<double>(i) / static_cast<double>(size));
        const double speed = rule.scaling ? scaledSpeed(unscaled, *rule.scaling) : unscaled;
        for (std::int64_t position = 0; position < sequence; ++position) {
            const double angle = static_cast<double>(position) * speed;
            angles[position * size + i] = static_cast<float>(std::cos(angle));
            angles[position * size + half + i] = static_cast<float>(std::sin(angle));
        }
    }
}

namespace {

STAGELENS_INLINE void rotateLoop(float *__restrict rows, const float *__restrict angles, const RotaryShape &shape, Turn turn)
{
    const std::int64_t half = shape.size / 2;
    const float sign = turn == Turn::Forwards ? 1.0F : -1.0F;
    for (std::int64_t row = 0; row < shape.rows; ++row) {
        const float *cosines = angles + row % shape.sequence * shape.size;
        const float *sines = cosines + half;
        for (std::int64_t head = 0; head < shape.heads; ++head) {
            float *first = rows + row * shape.stride + head * shape.size;
            float *second = first + half;
            for (std::int64_t i = 0; i < half; ++i) {
                const float a = first[i];
                const float b = second[i];
                const float sine = sign * sines[i];
                first[i] = a * cosines[i] - b * sine;
                second[i] = b * cosines[i] + a * sine;
            }
        }
    }
}

} // namespace

void rotate(float *rows, const float *angles, const RotaryShape &shape, Turn turn)
{
    runBest<rotateLoop>(rows, angles, shape, turn);
}

} // namespace stagelens::kernels
