// Hardware as JSON: the presets in resources/hardware, and the files of clusters ("stagelens": "hardware/1").
#pragma once

#include "engine/base/result.h"
#include "engine/model/hardware.h"
#include "engine/model/json_reader.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace stagelens::model {

/// The member of a calibration beside those of a hardware preset.
inline constexpr const char *kSpread = "spread";

/// Returns the complete object of a cluster, for experiments and files.
[[nodiscard]] Json clusterJson(const Hardware &hardware);
/// Returns the text of a cluster's file.
[[nodiscard]] std::string clusterText(const Hardware &hardware);
/// Reads the object of an experiment, which is complete. `path` is its field ("cost.hardware").
void readCluster(const Json &json, const std::string &path, Hardware &hardware, base::Problems &problems);
/// Reads the text of a cluster file. Values that it omits come from the preset in its member "base". The name must not be that
/// of a preset. Every problem begins with `source`.
[[nodiscard]] base::Result<Hardware> clusterFromText(std::string_view text, const std::string &source);
/// The same of a file of at most 1 MiB.
[[nodiscard]] base::Result<Hardware> loadCluster(const std::filesystem::path &file);
[[nodiscard]] base::Result<> saveCluster(const Hardware &hardware, const std::filesystem::path &file);
/// Returns a copy of a preset, or of a cluster, under a name that no preset has: "h100-sxm-copy".
[[nodiscard]] Hardware copyOf(Hardware hardware);

} // namespace stagelens::model
