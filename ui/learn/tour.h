// Tours: explanations in steps, each with a plan that is simulated when it is shown. Read from resources/docs/tours.
#pragma once

#include "engine/base/result.h"
#include "ui/learn/facts.h"
#include "ui/learn/live_plan.h"

#include <QString>

#include <filesystem>
#include <vector>

namespace stagelens::ui {

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
    std::vector<CheckedClaim> outcomes; ///< of the runs that the step offers to train
    std::vector<CheckedClaim> goals;    ///< of a challenge: what the reader's change is to make true
    QString hint;
    std::vector<Setting> solution; ///< changes that reach every goal
    QStringList solvedOrder;       ///< or orders of devices that do, see withOrders()
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
///     close-up: device 3, microbatch 5, F, layer 5 gate (the part that is shown first; see CloseUp)
///     morph: yes (from the plan beside to this one)
///     check: bubble < 0.3; less than a third is bubble
///     data: documentation (runs train on the texts of the documentation)
///     run: PipeDream; schedule pipedream (offered to be trained; two to six of a step, the first is the baseline)
///     outcome: apart_b < 0.001; the losses coincide (once the runs are trained; see Facts)
///     goal: bubble < 0.1; the bubble is below 10 % (of a challenge; `start_bubble` is that of the plan as it was given)
///     hint: a sentence that helps
///     solution: microbatches 32
///     reorder: yes (the reader moves the passes of devices instead of changing fields)
///     order: 0: F0 F1 B0 B1 (a device's passes in the plan; the others keep those of its schedule)
///     solution: 0: F0 B0 F1 B1 (of `reorder`: a device's passes)
///     (an empty line)
///     Markdown with {bubble} and {iteration / other_iteration|factor}.
///
/// `example` is one of resources/examples; without it the plan continues from the step before (the first: 1F1B, 4 x 8, F 1, B
/// 2). A step with goals is a challenge: it has a hint and a solution, whose fields the reader may change. With `reorder`, one
/// goal is `makespan <= ...`; one that is `held <= ...` is the cap of memory that the score names.
///
/// `plan` has options of the command line, without their dashes; `beside` those of a second plan, shown below the first.
///
/// Returns the plan of a challenge with its solution.
[[nodiscard]] base::Result<model::Experiment> solved(const TourStep &step);
/// InvalidInput with file and line in the problem's field where it cannot be read: nothing of a broken tour is shown.
[[nodiscard]] base::Result<Tour> readTour(const std::filesystem::path &file);
/// Reads the contents of a tour file; errors call the file `name`.
[[nodiscard]] base::Result<Tour> parseTour(const QString &text, const QString &name);

} // namespace stagelens::ui
