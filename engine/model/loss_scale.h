// The factor of the loss in fp16, which keeps small gradients from becoming 0.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stagelens::model {

/// A fixed power of two from 1 to 2^32, or a factor that follows the gradients; see runtime::LossScaler.
struct LossScaleChoice {
    std::optional<double> fixed; ///< absent: dynamic
    friend bool operator==(const LossScaleChoice &, const LossScaleChoice &) = default;
};

inline constexpr double kLargestLossScale = 4294967296.0; // 2^32

/// Returns "dynamic" or the number.
[[nodiscard]] std::string text(const LossScaleChoice &choice);
/// Parses these texts into `choice`; returns what is wrong and what to give, or an empty string.
[[nodiscard]] std::string parseLossScale(std::string_view text, LossScaleChoice &choice);

} // namespace stagelens::model
