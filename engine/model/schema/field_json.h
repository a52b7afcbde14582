// The fields of an experiment as JSON. Internal to this folder.
#pragma once

#include "engine/model/json_reader.h"
#include "engine/model/schema.h"

#include <string_view>

namespace stagelens::model {

/// Adds the fields below a path to a document: those of "parallel" as `document["parallel"]["devices"]`, ...
void addFields(Json &document, const Experiment &experiment, std::string_view path);

/// Reads a field from its object; does nothing if it is absent.
void readField(ObjectReader &reader, const Field &field, Experiment &experiment, base::Problems &problems);

/// Reads the object at a path with all its fields and nested objects; unknown members are problems. `parent` contains the
/// object; if the object is absent, nothing changes.
void readFields(ObjectReader &parent, std::string_view path, Experiment &experiment, base::Problems &problems);

} // namespace stagelens::model
