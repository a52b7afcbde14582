// A small copy of a plan that this computer can train.
#pragma once

#include "engine/service/engine_service.h"

#include <optional>

namespace stagelens::ui {

/// FLOPs of the output layer of one microbatch over those of all transformer layers that a device has.
[[nodiscard]] double vocabularyRatio(const model::Experiment &experiment);

/// The plan made narrow enough to train here within `available` bytes and in seconds a step: width, heads, vocabulary and
/// sequence shrink so that vocabularyRatio() stays, and number format, backend and costs become this computer's; layers,
/// devices, microbatches and the schedule stay. Nothing for a teaching example, or if even the narrowest copy is too large.
[[nodiscard]] std::optional<model::Experiment> scaledCopy(const model::Experiment &experiment, base::Bytes available);

} // namespace stagelens::ui
