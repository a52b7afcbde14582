// A plan as a live picture: what is drawn, and what of it a reader may change.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "engine/passes/pass.h"
#include "ui/state/timeline_content.h"

#include <QString>
#include <QStringList>
#include <QVariant>

#include <optional>
#include <utility>
#include <vector>

namespace stagelens::ui {

/// A value for a field of the experiment (ui/state/fields.h).
struct Setting {
    QString field;
    QVariant value;
};

/// A run that a picture offers to train: its plan with changes.
struct OfferedRun {
    QString name;
    std::vector<Setting> changes; ///< empty: the plan as it is
};

/// The part of a plan's timeline that is shown first: a device, or its passes of a microbatch, or the first of them of a kind,
/// or the operators of that pass whose names begin so.
struct CloseUp {
    int device = 0;
    std::optional<int> microbatch = {};
    std::optional<schedule::PassKind> kind = {};
    QString operators = {}; ///< "layer 5 gate"; empty: whole passes
};

/// What a live picture shows, and what of it a reader may change.
struct LivePlan {
    model::Experiment experiment;
    /// Changes that make the plan beside it, applied to whatever the reader made of the first; empty: one plan alone.
    std::vector<Setting> beside;
    /// Another plan beside it, whatever the reader makes of the first; instead of changes.
    std::optional<model::Experiment> other;
    QStringList controls; ///< fields that the reader may change
    ColourBy colourBy = ColourBy::Kind;
    std::optional<int> followed;  ///< microbatch that is emphasised
    bool critical = false;        ///< with the critical path
    bool reorder = false;         ///< the reader moves passes along their lanes
    bool morph = false;           ///< the passes of the plan beside fly to their places in this one
    std::vector<OfferedRun> runs; ///< trained one after another when the reader wants it; compared with the first
    std::optional<CloseUp> closeUp;
    /// Of the time axis that is shown first; absent: all.
    std::optional<std::pair<base::Nanos, base::Nanos>> range;
    base::Nanos axis = 0; ///< the time axis spans at least this: that of scenes which are compared
};

/// Returns the plan beside that which a reader made of the picture's; nothing if it has one plan alone.
[[nodiscard]] std::optional<model::Experiment> besideOf(const LivePlan &plan, const model::Experiment &experiment);
void apply(const Setting &setting, model::Experiment &experiment);
/// Returns an experiment with changes: the plan beside that of a picture.
[[nodiscard]] model::Experiment besideOf(const model::Experiment &experiment, const std::vector<Setting> &changes);
/// Returns why a plan is not drawn as a live picture: it is invalid, or too large to be simulated while one types.
[[nodiscard]] base::Problems livePlanProblems(const model::Experiment &experiment);

} // namespace stagelens::ui
