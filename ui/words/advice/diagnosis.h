// What keeps the devices of a plan waiting, in one sentence.
#pragma once

#include "engine/service/engine_service.h"

#include <QString>

namespace stagelens::ui {

/// Below this share of the iteration a loss is not worth a sentence.
inline constexpr double kNoticeable = 0.05;

/// The greatest loss of a plan that is not hidden behind work.
enum class Loss : unsigned char {
    Experts,       ///< all-to-alls of experts
    Tensor,        ///< exchanges of tensor ranks in every layer
    Context,       ///< those of context ranks
    Replicas,      ///< those of replicas (ZeRO)
    Gradients,     ///< sum of gradients and gather of weights after the passes
    Vocabulary,    ///< one device has more to do, by the vocabulary layers
    SlowestDevice, ///< one device has more to do, by its layers
    Bubble,        ///< devices wait, most of the time not because one of them has more to do
    OneDevice,     ///< a single device never waits
};

/// A sentence whose every figure is computed.
struct Diagnosis {
    Loss loss = Loss::Bubble;
    QString text; ///< "Device 3 holds the others up: 68 % of its work is the output layer; the others idle 73 % of the time."
};
[[nodiscard]] Diagnosis diagnose(const service::Prediction &prediction, const service::Advice &advice);

} // namespace stagelens::ui
