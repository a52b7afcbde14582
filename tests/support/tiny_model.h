// A model so small that a step takes milliseconds, for tests that really train.
#pragma once

#include "engine/model/experiment.h"
#include "engine/schedule/families.h"

#include <string>

namespace stagelens::test {

/// Eight layers of width 32; 97 vocabulary rows divide by no number of devices.
inline model::Experiment tinyExperiment(const std::string &family, model::VocabularyMethod method, int devices,
                                        int microbatches)
{
    model::Experiment experiment;
    experiment.model.preset = "custom";
    experiment.model.layers = 8;
    experiment.model.hidden = 32;
    experiment.model.heads = 4;
    experiment.model.kvHeads = 4;
    experiment.model.ffn = 128;
    experiment.model.sequence = 16;
    experiment.model.vocabularySize = 97;
    experiment.parallel.devices = devices;
    experiment.parallel.microbatches = microbatches;
    experiment.schedule.family = family;
    experiment.schedule.vocabulary = method;
    experiment.training.mode = model::RunMode::VirtualClock;
    return model::resolved(experiment, 2);
}

inline constexpr model::VocabularyMethod kAllMethods[] = {model::VocabularyMethod::None, model::VocabularyMethod::Redis,
                                                          model::VocabularyMethod::Naive, model::VocabularyMethod::Vocab1,
                                                          model::VocabularyMethod::Vocab2};

} // namespace stagelens::test
