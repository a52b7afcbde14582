#include "ui/learn/page_plans.h"

#include "engine/model/experiment_json.h"
#include "engine/model/family_shape.h"
#include "engine/model/names.h"
#include "engine/model/presets.h"
#include "engine/schedule/families.h"
#include "ui/words/words.h"

#include <QFileInfo>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

LivePlan familyPlan(const std::string &family)
{
    LivePlan plan;
    plan.experiment.hasModel = false;
    plan.experiment.parallel.microbatches = 8;
    model::chooseFamily(plan.experiment.schedule, family);
    // A device does the same work in every family, so that their iterations can be compared.
    plan.experiment.cost.source =
        model::UniformCosts{{{"F", 1}, {"B", 2}, {"I", 1}, {"W", 1}, {"S", 0.5}, {"T", 0.5}}, model::UniformPer::Device};
    plan.controls = QStringList{u"parallel.devices"_s, u"parallel.microbatches"_s};
    if (model::leavesChunksOpen(family))
        plan.controls << u"schedule.chunks"_s;
    if (family == "hanayo")
        plan.controls << u"schedule.waves"_s;
    if (model::cutsSequences(family))
        plan.controls << u"schedule.sequence_slices"_s;
    return plan;
}

std::optional<LivePlan> methodPlan(model::VocabularyMethod method)
{
    constexpr int kLargeVocabulary = 262'144;
    const auto preset = model::modelPreset("gpt-4b");
    if (!preset)
        return std::nullopt;
    LivePlan plan;
    plan.experiment.model = *preset;
    plan.experiment.model.vocabularySize = kLargeVocabulary;
    plan.experiment.parallel.microbatches = 8;
    plan.experiment.cost.source = model::HardwarePreset{"a100-80gb"};
    plan.experiment.schedule.vocabulary = method;
    plan.controls = QStringList{u"schedule.vocabulary"_s, u"model.vocabulary_size"_s, u"parallel.devices"_s,
                                u"parallel.microbatches"_s, u"schedule.family"_s};
    return plan;
}

} // namespace

std::optional<LivePlan> livePlanOfPage(const QString &path)
{
    const std::string name = utf8(QFileInfo(path).completeBaseName());
    if (path.startsWith(u"vocabulary/"_s))
        if (const auto method = model::parse<model::VocabularyMethod>(name))
            return methodPlan(*method);
    if (path.startsWith(u"schedules/"_s) && schedule::findFamily(name) != nullptr)
        return familyPlan(name);
    return std::nullopt;
}

base::Result<LivePlan> livePlanOfExample(const QString &file)
{
    auto experiment = model::loadExperiment(utf8(file));
    if (!experiment)
        return std::move(experiment).error();
    LivePlan plan;
    plan.controls = QStringList{u"schedule.family"_s, u"parallel.devices"_s, u"parallel.microbatches"_s};
    if (experiment->hasModel)
        plan.controls << u"schedule.vocabulary"_s << u"model.vocabulary_size"_s;
    plan.experiment = *std::move(experiment);
    return plan;
}

} // namespace stagelens::ui
