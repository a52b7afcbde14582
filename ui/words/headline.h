// The one sentence over the picture: what holds the devices up, and the one change that helps most.
#pragma once

#include "engine/service/engine_service.h"
#include "engine/service/predictions/sensitivity.h"

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace stagelens::ui {

/// Another plan that the second line of a verdict names, with what it costs.
struct Alternative {
    QString words;                                 ///< as in the line: "V-Half, −4.7 GiB, +0.4 % time"
    QString family = {};                           ///< its schedule; empty: the plan's own
    std::optional<model::VocabularyMethod> method; ///< absent: the plan's own
};

/// A sentence with at most one action. Every figure in it is computed.
struct Headline {
    QString text;
    QString second; ///< the best alternative and its price, or that nothing which was tried helps; empty until that is known
    std::vector<Alternative> alternatives = {}; ///< those that `second` names, in its order
    std::optional<model::VocabularyMethod> action;
    QString family;         ///< the action is this schedule; empty: it is another one
    bool isFix = false;     ///< the action is the memory fix
    bool isRepair = false;  ///< the action makes an invalid plan valid
    QString actionCaption;  ///< "Try VOCAB-2"
    QString actionTip = {}; ///< what a repair changes
    [[nodiscard]] bool hasAction() const { return action || isFix || isRepair || !family.isEmpty(); }
};

/// What a plan would be in the order of another schedule family; absent where it cannot be made.
struct FamilyOption {
    std::string family;
    std::optional<base::Nanos> iteration;
    std::optional<base::Bytes> peakMemory;
    std::optional<base::Nanos> experts = {}; ///< the most that a device's passes wait for all-to-alls of experts
};
/// The plan with each schedule family, as far as they were tried.
struct FamilyOptions {
    /// Combining: each was tried with the plan's own method, and is being tried with the fastest one.
    enum class State : unsigned char { Trying, Combining, Tried, NotTried };
    State state = State::NotTried;
    [[nodiscard]] bool isSettled() const { return state == State::Tried || state == State::NotTried; }
    std::vector<FamilyOption> options;
    std::optional<model::VocabularyMethod> fastest =
        {};                                  ///< the method of those tried that fits; absent where it is the plan's own
    std::vector<FamilyOption> combined = {}; ///< each family with that method
};

/// A change that may make a plan fit into its devices' memory.
struct MemoryFix {
    QString words; ///< "full recomputation"
    model::Experiment experiment;
    base::Bytes peakMemory = 0; ///< of its prediction; 0 before
};
/// The changes worth trying, the smallest first; none where the plan fits or a vocabulary method makes it fit.
[[nodiscard]] std::vector<MemoryFix> memoryFixes(const service::Prediction &prediction, const service::Advice &advice);

/// The change to a plan that recomputes layers of its stages.
[[nodiscard]] MemoryFix recomputationFix(model::Experiment plan);

/// `advice` may be null while it is being computed: the sentence then says only what the prediction shows. `fix` is the change
/// that was found to fit, if there is one. A slow device or link of the `sensitivity` is named before all others. Says that
/// nothing helps only of what was tried, and what was not.
[[nodiscard]] Headline makeHeadline(const service::Prediction &prediction, const service::Advice *advice,
                                    const MemoryFix *fix = nullptr, const FamilyOptions &families = {},
                                    const service::Sensitivity *sensitivity = nullptr);

/// Iteration of the plan with that method, if the advice knows it.
[[nodiscard]] const service::Advice::Option *findOption(const service::Advice &advice, model::VocabularyMethod method);

} // namespace stagelens::ui
