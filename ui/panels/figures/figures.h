// The figures of a plan, and what they are beside its baseline.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/words/what_if_words.h"

#include <QString>

#include <optional>

class QLabel;

namespace stagelens::ui {

/// What is shown of a plan. Pointers may be null.
struct Figures {
    service::PredictionPtr plan;
    service::PredictionPtr baseline;
    QString baselineName; ///< "1F1B, not split"
    service::RunSnapshotPtr run;
    bool runDiffers = false; ///< the plan was edited since, or predicted for another machine: no error figures
    bool stale = false;      ///< figures of the last valid plan
    SensitivityPtr sensitivity;
    bool isSensitivityLate = false; ///< it is being computed, and takes noticeably long
};

/// A figure of the plan against the baseline's; less is better.
struct FigureChange {
    QString words;   ///< "−47 %"
    int against = 0; ///< -1 better, 0 equal, 1 worse
};
struct FigureChanges {
    FigureChange iteration;
    FigureChange bubble;
    FigureChange memory;
};
/// Nothing without a baseline, for the baseline itself, and where its work is other work.
[[nodiscard]] std::optional<FigureChanges> changesOf(const Figures &figures);
/// Shows the change in the ink of better or worse.
void showChange(QLabel *label, const FigureChange &change);

/// "Peak memory of device 3": of the fullest one, where there are several and that is known.
[[nodiscard]] QString peakCaption(const simulate::Metrics &metrics);
/// "479 ms", or "479 ms of 3 steps"; empty where it is not known.
[[nodiscard]] QString boundText(const simulate::Metrics &metrics, bool teachingUnits);
/// "Virtual clock: 218 ms (+2 %)": a measured value, and by how much it differs from the predicted one where that may be said.
[[nodiscard]] QString measuredText(const Figures &figures, const QString &value, double now, double predicted);
/// "The machine was busy: passes had a processor for 71 % of their time."; empty if it was not.
[[nodiscard]] QString busyText(const Figures &figures);

} // namespace stagelens::ui
