// The one sentence over the picture: what holds the devices up, and the one change that helps most.
#pragma once

#include "engine/service/engine_service.h"
#include "engine/service/predictions/sensitivity.h"
#include "ui/words/advice/family_options.h"
#include "ui/words/advice/memory_fix.h"

#include <QString>

#include <optional>
#include <vector>

namespace stagelens::ui {

/// The plan in the order of another schedule, with another vocabulary method, or both; or with another cut of its layers.
struct Alternative {
    QString words;                                      ///< with what it costs: "V-Half, −4.7 GiB, +0.4 % time"
    QString family = {};                                ///< its schedule; empty: the plan's own
    std::optional<model::VocabularyMethod> method = {}; ///< absent: the plan's own
    std::vector<int> stageLayers = {};                  ///< empty: the plan's own cut; else only the cut is another
};

/// A sentence with at most one action. Every figure in it is computed.
struct Headline {
    QString text;
    QString second; ///< the best alternative and its price, or that nothing which was tried helps; empty until that is known
    std::vector<Alternative> alternatives = {}; ///< those that `second` names, in its order
    std::optional<Alternative> change = {};     ///< the action: another schedule, method or cut
    bool isFix = false;                         ///< the action is the memory fix
    bool isRepair = false;                      ///< the action makes an invalid plan valid
    bool isOfShapes = false;                    ///< the action opens the search over shapes
    QString actionCaption = {};                 ///< "Try VOCAB-2"
    QString actionTip = {};                     ///< what a repair changes
    [[nodiscard]] bool hasAction() const { return change || isFix || isRepair || isOfShapes; }
};

/// `advice` may be null while it is being computed: the sentence then says only what the prediction shows. `fix` is the change
/// that was found to fit, if there is one. A slow device or link of the `sensitivity` is named before all others. Says that
/// nothing helps only of what was tried, and what was not.
[[nodiscard]] Headline makeHeadline(const service::Prediction &prediction, const service::Advice *advice,
                                    const MemoryFix *fix = nullptr, const FamilyOptions &families = {},
                                    const service::Sensitivity *sensitivity = nullptr);

/// Iteration of the plan with that method, if the advice knows it.
[[nodiscard]] const service::Advice::Option *findOption(const service::Advice &advice, model::VocabularyMethod method);

} // namespace stagelens::ui
