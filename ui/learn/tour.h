// Tours: explanations in steps, each with a plan that is simulated when it is shown. Read from resources/docs/tours.
#pragma once

#include "engine/model/experiment.h"
#include "ui/learn/facts.h"
#include "ui/timeline/timeline_view.h"

#include <QString>
#include <QStringList>
#include <QVariant>

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

namespace stagelens::ui {

/// A value for a field of the experiment (models/fields.h).
struct Setting {
    QString field;
    QVariant value;
};

/// What a live picture shows, and what of it a reader may change.
struct LivePlan {
    model::Experiment experiment;
    /// Changes that make the plan beside it, applied to whatever the reader made of the first; empty: one plan alone.
    std::vector<Setting> beside;
    QStringList controls; ///< fields that the reader may change
    ColourBy colourBy = ColourBy::Kind;
    std::optional<int> followed; ///< microbatch that stands out
    bool critical = false;       ///< with the critical path
    bool morph = false;          ///< the passes of the plan beside fly to their places in this one
    /// Of the time axis that is shown first; absent: all.
    std::optional<std::pair<base::Nanos, base::Nanos>> range;
};

/// The plan beside that of a picture.
[[nodiscard]] model::Experiment besideOf(const model::Experiment &experiment, const std::vector<Setting> &changes);
/// Why a plan is not drawn as a live picture: it is unsound, or larger than what is simulated while one types.
[[nodiscard]] base::Problems livePlanProblems(const model::Experiment &experiment);

/// What a step's text says, in a form that can be checked.
struct CheckedClaim {
    Claim claim;
    QString words; ///< "less than a third is bubble"
    int line = 0;
};

struct TourStep {
    QString title;
    LivePlan plan;
    FilledText text; ///< Markdown
    std::vector<CheckedClaim> claims;
    std::vector<CheckedClaim> goals; ///< of a challenge: what the reader's change is to make true
    QString hint;
    std::vector<Setting> solution; ///< changes that reach every goal; empty: no challenge
    int line = 0;                  ///< of its title
};

struct Tour {
    QString title;
    QString summary;
    std::vector<TourStep> steps; ///< at least one
};

/// A tour's file:
///
///     # Title
///     A sentence about it.
///     ## Title of a step
///     example: NAME
///     plan: devices 4, schedule zb-h1, costs F=1 B=2
///     beside: schedule gpipe
///     change: devices, microbatches
///     colour: kind | microbatch | chunk
///     follow: 0
///     critical: yes
///     morph: yes (from the plan beside to this one)
///     check: bubble < 0.3; less than a third is bubble
///     goal: bubble < 0.1; the bubble is below 10 % (of a challenge; `start_bubble` is that of the plan as it was given)
///     hint: a sentence that helps
///     solution: microbatches 32
///     (an empty line)
///     Markdown with {bubble} and {iteration / other_iteration|factor}.
///
/// `example` is one of resources/examples; without it the plan goes on from the step before (the first: 1F1B, 4 x 8, F 1, B 2).
/// A step with goals is a challenge: it has a hint and a solution, whose fields the reader may change.
///
/// `plan` has options of the command line, without their dashes; `beside` those of a second plan, shown below the first.
///
/// InvalidInput with file and line in the problem's field where it cannot be read: nothing of a broken tour is shown.
[[nodiscard]] base::Result<Tour> readTour(const std::filesystem::path &file);
/// Reads the contents of a tour file; errors call the file `name`.
[[nodiscard]] base::Result<Tour> parseTour(const QString &text, const QString &name);

} // namespace stagelens::ui
