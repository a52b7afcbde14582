// Models as JSON, in experiments and in the files of resources/models. Internal to this folder.
#pragma once

#include "engine/base/result.h"
#include "engine/model/json_reader.h"
#include "engine/model/model_config.h"
#include "engine/model/presets.h"

#include <string_view>

namespace stagelens::model {

/// The member "model" of an experiment.
[[nodiscard]] Json modelJson(const ModelConfig &model);
/// Reads it. A preset fills the shape first; a shape that differs from its preset is named "custom".
void readModel(const Json &json, ModelConfig &model, base::Problems &problems);
/// A file of resources/models.
[[nodiscard]] base::Result<ModelPreset> modelPresetFromJson(std::string_view text, const std::string &source);

} // namespace stagelens::model
