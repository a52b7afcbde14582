// Adam with moments of 8 bits (Dettmers et al., arXiv 2110.02861). Vectors keep moments in fp32, as small tensors do in the
// paper's implementation.
#include "kernels/include/adam8bit.h"

#include "engine/operators/optimizers/optimizer.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stagelens::operators {
namespace {

using Extent = StateTensor::Extent;

constexpr std::string_view kSquares = "second moments are means of squares";
constexpr std::array<bool, kParameterKinds> kCoded{true, true, false};
constexpr std::array<bool, kParameterKinds> kWhole{false, false, true};
constexpr std::array kAdam8bitState{
    StateTensor{"first-moment-codes", true, "codes are 0 to 255", Extent::Element, kCoded, StateTensor::Format::Code},
    StateTensor{"first-moment-scales", true, "scales are magnitudes", Extent::Block, kCoded},
    StateTensor{"second-moment-codes", true, "codes are 0 to 255", Extent::Element, kCoded, StateTensor::Format::Code},
    StateTensor{"second-moment-scales", true, "scales are magnitudes", Extent::Block, kCoded},
    StateTensor{"first-moments", false, {}, Extent::Element, kWhole},
    StateTensor{"second-moments", true, kSquares, Extent::Element, kWhole}};
constexpr std::size_t kVectorState = 4; ///< the first tensor of vectors
constexpr std::array<std::string_view, 2> kAdam8bitOptions{"betas", "weight_decay"};

kernels::AdamW adam8bitSettings(const OptimizerChoice &choice, const UpdateStep &step)
{
    return {.learningRate = static_cast<float>(choice.learningRate),
            .beta1 = static_cast<float>(choice.beta1),
            .beta2 = static_cast<float>(choice.beta2),
            .weightDecay = static_cast<float>(choice.weightDecay),
            .gradientScale = step.gradientScale,
            .correction1 = static_cast<float>(1.0 - std::pow(choice.beta1, step.updates + 1)),
            .correction2 = static_cast<float>(1.0 - std::pow(choice.beta2, step.updates + 1))};
}

void updateByAdam8bit(const OptimizerChoice &choice, const UpdateStep &step, UpdateKernels &kernels)
{
    if (step.part.kind == ParameterKind::Vector)
        kernels.adamw(adam8bitSettings(choice, step), kVectorState);
    else
        kernels.adam8bit(adam8bitSettings(choice, step));
}

/// The nearest entry to a quotient, for which the moments are rounded to float as in the kernel: at the middle of two entries a
/// difference of rounding would count as an error of a whole entry.
void encodeInDouble(std::vector<double> &codes, std::vector<double> &scales, const kernels::Codebook &book,
                    std::span<const float> numbers, std::size_t begin, std::size_t block)
{
    float scale = 0;
    for (const float number : numbers)
        scale = std::max(scale, std::abs(number));
    scales[block] = static_cast<double>(scale);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        codes[begin + i] = kernels::nearestCode(book, numbers[i] / (scale > 0 ? scale : 1.0F));
}

/// One block of a row: elements from `begin` on.
void blockInDouble(const kernels::AdamW &s, const ReferencePart &part, std::size_t begin, std::size_t count, std::size_t block)
{
    const kernels::Codebook &both = kernels::dynamicCodebook(true);
    const kernels::Codebook &positive = kernels::dynamicCodebook(false);
    const auto decoded = [&](const kernels::Codebook &book, std::size_t tensor, std::size_t i) {
        return book.entries[static_cast<std::size_t>(part.state[tensor][i])] *
               static_cast<float>(part.state[tensor + 1][block]);
    };
    std::vector<float> first(count);
    std::vector<float> second(count);
    for (std::size_t i = 0; i < count; ++i) {
        const float g = static_cast<float>(part.gradient[begin + i]) * s.gradientScale;
        first[i] = s.beta1 * decoded(both, 0, begin + i) + (1.0F - s.beta1) * g;
        second[i] = s.beta2 * decoded(positive, 2, begin + i) + (1.0F - s.beta2) * g * g;
        const double m = static_cast<double>(first[i]) / static_cast<double>(s.correction1);
        const double v = static_cast<double>(second[i]) / static_cast<double>(s.correction2);
        double &value = part.values[begin + i];
        value -= static_cast<double>(s.learningRate) *
                 (static_cast<double>(s.weightDecay) * value + m / (std::sqrt(v) + static_cast<double>(s.epsilon)));
    }
    encodeInDouble(part.state[0], part.state[1], both, first, begin, block);
    encodeInDouble(part.state[2], part.state[3], positive, second, begin, block);
}

void adam8bitInDouble(const OptimizerChoice &choice, const UpdateStep &step, const ReferencePart &part)
{
    const kernels::AdamW settings = adam8bitSettings(choice, step);
    if (part.shape.kind == ParameterKind::Vector)
        return adamwReference(settings, part, kVectorState);
    const std::int64_t blocks = kernels::blocksOfRow(part.shape.columns);
    for (std::int64_t block = 0; block < part.shape.rows * blocks; ++block) {
        const std::int64_t column = block % blocks * kernels::kCodeBlock;
        blockInDouble(settings, part, static_cast<std::size_t>(block / blocks * part.shape.columns + column),
                      static_cast<std::size_t>(std::min(kernels::kCodeBlock, part.shape.columns - column)),
                      static_cast<std::size_t>(block));
    }
}

} // namespace

const Optimizer &adam8bit()
{
    static constexpr Optimizer kAdam8bit{.name = "adam8bit",
                                         .caption = "Adam, 8 bits",
                                         .description = "AdamW with moments of 8 bits: two bytes a parameter",
                                         .state = kAdam8bitState,
                                         .options = kAdam8bitOptions,
                                         .granularity = {Granularity::Row, Granularity::Row, Granularity::Element},
                                         .update = updateByAdam8bit,
                                         .reference = adam8bitInDouble};
    return kAdam8bit;
}

} // namespace stagelens::operators
