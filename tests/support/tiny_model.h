// A model so small that a step takes milliseconds, for tests that really train.
#pragma once

#include "engine/model/experiment.h"
#include "engine/model/family_shape.h"
#include "engine/operators/stage_layers.h"
#include "engine/schedule/families.h"

#include <QtGlobal>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stagelens::test {

/// Eight layers of width 32; 97 vocabulary rows divide by no number of devices.
inline model::ModelConfig tinyModel()
{
    model::ModelConfig model;
    model.preset = "custom";
    model.layers = 8;
    model.hidden = 32;
    model.heads = 4;
    model.kvHeads = 4;
    model.ffn = 128;
    model.sequence = 16;
    model.vocabularySize = 97;
    return model;
}

/// The same experiment with a Llama of that size.
inline model::Experiment asLlama(model::Experiment experiment, int kvHeads)
{
    experiment.model.family = model::ModelFamily::Llama;
    experiment.model.kvHeads = kvHeads;
    experiment.model.ffn = 96;
    return experiment;
}

inline model::Experiment tinyExperiment(const std::string &family, model::VocabularyMethod method, int devices,
                                        int microbatches)
{
    model::Experiment experiment;
    experiment.model = tinyModel();
    experiment.parallel.devices = devices;
    experiment.parallel.microbatches = microbatches;
    experiment.schedule.family = family;
    experiment.schedule.vocabulary = method;
    experiment.training.mode = model::RunMode::VirtualClock;
    return operators::resolved(experiment, 2);
}

/// Smaller still, for tests of many plans.
inline model::Experiment smallExperiment(const std::string &family, model::VocabularyMethod method, int devices,
                                         int microbatches)
{
    model::Experiment experiment = tinyExperiment(family, method, devices, microbatches);
    experiment.model.hidden = 16;
    experiment.model.heads = 2;
    experiment.model.kvHeads = 2;
    experiment.model.ffn = 64;
    experiment.model.sequence = 6;
    return experiment;
}

inline schedule::Schedule scheduleOf(const model::Experiment &experiment)
{
    auto schedule = schedule::makeSchedule(experiment);
    if (!schedule)
        qFatal("%s", schedule.error().text().c_str());
    return std::move(schedule).value();
}

inline constexpr model::VocabularyMethod kAllMethods[] = {model::VocabularyMethod::None, model::VocabularyMethod::Redis,
                                                          model::VocabularyMethod::Naive, model::VocabularyMethod::Vocab1,
                                                          model::VocabularyMethod::Vocab2};

/// The field at which a family refuses a plan; empty where it must make it and the plan must train.
inline std::string_view refusedField(std::string_view family, model::VocabularyMethod method, int devices)
{
    if (family == "interlaced" && method != model::VocabularyMethod::None)
        return "schedule.vocabulary";
    if (family.starts_with("pipedream") && model::traits(method).isSharded)
        return "schedule.vocabulary";
    const bool isTwoWay = family == "dualpipe" || family == "chimera";
    return isTwoWay && devices % 2 != 0 ? "parallel.devices" : "";
}

/// Sets how many layers each stage recomputes as a whole, and which operators the others do: another combination each turn.
inline void recomputeParts(model::Experiment &experiment, int turn)
{
    model::ScheduleChoice &schedule = experiment.schedule;
    schedule.recomputeLayers.clear();
    for (std::size_t stage = 0; stage < experiment.parallel.stageLayers.size(); ++stage) {
        const int layers = experiment.parallel.stageLayers[stage];
        schedule.recomputeLayers.push_back((turn + static_cast<int>(stage)) % (layers + 1));
    }
    schedule.recomputeModules = {turn % 2 == 1, turn / 2 % 2 == 1, turn / 4 % 2 == 1};
}
/// The families of whole sequences.
inline std::vector<schedule::Family> trainedFamilies()
{
    std::vector<schedule::Family> trained;
    std::ranges::copy_if(schedule::families(), std::back_inserter(trained),
                         [](const schedule::Family &family) { return !model::cutsSequences(family.name); });
    return trained;
}

/// Every family under every method that it takes on an even number of devices.
inline std::vector<std::pair<std::string, model::VocabularyMethod>> allPlans()
{
    std::vector<std::pair<std::string, model::VocabularyMethod>> plans;
    for (const schedule::Family &family : trainedFamilies())
        for (const model::VocabularyMethod method : kAllMethods)
            if (refusedField(family.name, method, 2).empty())
                plans.emplace_back(family.name, method);
    return plans;
}

/// The families whose gradients have the same bits: synchronous, with one direction of the model, and under every method.
inline std::vector<std::string> sameBitsFamilies()
{
    std::vector<std::string> names;
    for (const schedule::Family &family : trainedFamilies())
        if (family.synchronous && family.directions == 1 && family.name != "interlaced")
            names.emplace_back(family.name);
    return names;
}

} // namespace stagelens::test
