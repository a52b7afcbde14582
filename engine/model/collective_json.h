// Tables of collectives as JSON, in the files of hardware. Internal to this folder.
#pragma once

#include "engine/base/result.h"
#include "engine/model/hardware.h"
#include "engine/model/json_reader.h"

#include <string>
#include <vector>

namespace stagelens::model {

/// Returns a whole number without a point, so that people can read it.
[[nodiscard]] Json numberJson(double value);
/// Returns the member "collectives".
[[nodiscard]] Json collectivesJson(const std::vector<CollectiveTable> &tables);
/// Reads the member "collectives"; each table replaces one of the hardware of the same operation, ranks and nodes. `path` is
/// that of the object.
void readCollectives(ObjectReader &reader, const std::string &path, Hardware &hardware, base::Problems &problems);

} // namespace stagelens::model
