#include "kernels/include/rotary.h"

#include "kernels/cpu/lanes.h"

#include <cmath>

namespace stagelens::kernels {

void rotaryAngles(float *angles, std::int64_t sequence, std::int64_t size)
{
    const std::int64_t half = size / 2;
    for (std::int64_t i = 0; i < half; ++i) {
        const double speed = std::pow(kRotaryTheta, -2.0 * static_cast<double>(i) / static_cast<double>(size));
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
