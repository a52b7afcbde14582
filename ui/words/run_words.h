// Between the words of a person and the table of runs.
#pragma once

#include "engine/service/engine_service.h"

#include <QString>

namespace stagelens::ui {

/// What a filter's text asks for: every word must be found; "8,192" (also as "8192"
/// or "8Ki"), "rebalancing" and the like are known as the table shows them.
[[nodiscard]] std::vector<std::vector<std::string>> filterWords(const QString &filter);
/// In what a run's plan differs from the baseline's: "VOCAB-2; Devices 8", "as the baseline". Both must be resolved.
[[nodiscard]] QString differenceWords(const model::Experiment &baseline, const model::Experiment &run);

/// The step, from 1, whose timeline a run that is over is shown with: its median one. Nothing where it is not known.
[[nodiscard]] std::optional<int> medianStep(const store::RunRecord &run);
/// ", typical of 4 steps": what the figures of a run stand for; empty if they are those of one step.
[[nodiscard]] QString typicalText(const simulate::Metrics &metrics);
/// How a run ended before its time by itself: "Run 3 failed. The loss is not finite in step 2 …".
struct BadEnd {
    QString words; ///< empty for runs that continue, finished or were stopped by a person
    QString field; ///< of the experiment, that the remedy is about; empty if none is
};
[[nodiscard]] BadEnd badEnd(const store::RunSummary &run);

} // namespace stagelens::ui
