// A model so small that a step takes milliseconds, for tests that really train.
#pragma once

#include "engine/model/experiment.h"
#include "engine/schedule/families.h"

#include <QtGlobal>

#include <string>
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
    return model::resolved(experiment, 2);
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

/// What trains beside gpipe and 1f1b.
inline constexpr const char *kOtherFamilies[] = {"eager-1f1b",    "zb-h1",          "zb-h2",  "zb-auto",   "interleaved-1f1b",
                                                 "breadth-first", "interleaved-zb", "zb-v",   "v-half",    "v-min",
                                                 "v-zb",          "1f1b-v",         "hanayo", "dualpipe-v"};

/// Every one of them under every method that it takes.
inline std::vector<std::pair<std::string, model::VocabularyMethod>> otherPlans()
{
    std::vector<std::pair<std::string, model::VocabularyMethod>> plans{{"interlaced", model::VocabularyMethod::None}};
    for (const char *family : kOtherFamilies)
        for (const model::VocabularyMethod method : kAllMethods)
            plans.emplace_back(family, method);
    return plans;
}

} // namespace stagelens::test
