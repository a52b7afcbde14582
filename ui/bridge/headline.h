// The one sentence over the picture: what holds the devices up, and the one change that helps most.
#pragma once

#include "engine/service/engine_service.h"

#include <QString>

#include <optional>

namespace stagelens::ui {

/// A sentence with at most one action. Every figure in it is computed.
struct Headline {
    QString text;
    std::optional<model::VocabularyMethod> action;
    QString actionCaption; ///< "Try VOCAB-2"
};

/// `advice` may be null while it is being computed: the sentence then says only what the prediction shows.
[[nodiscard]] Headline makeHeadline(const service::Prediction &prediction, const service::Advice *advice);

/// Iteration of the plan with that method, if the advice knows it.
[[nodiscard]] const service::Advice::Option *findOption(const service::Advice &advice, model::VocabularyMethod method);

} // namespace stagelens::ui
