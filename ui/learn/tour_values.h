// The words of a tour's lines: settings of fields, teaching costs.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "ui/learn/live_plan.h"
#include "ui/state/fields.h"

#include <QStringList>

#include <string>

namespace stagelens::ui {

/// An error of a tour, whose reader adds the line.
[[nodiscard]] base::Error wrong(const std::string &message);
/// Returns the field of a command line's word, without its dashes; null: there is none.
[[nodiscard]] const Field *fieldOfWord(const QString &word);
/// Reads "devices 4".
[[nodiscard]] base::Result<Setting> readSetting(const QString &part);
/// Reads "F=1 B=2" as teaching units.
[[nodiscard]] base::Result<model::UniformCosts> readCosts(const QString &text);
/// Returns what commas separate.
[[nodiscard]] QStringList partsOf(const QString &text);

/// Appends the settings of a list such as "devices 4, schedule gpipe".
[[nodiscard]] base::Result<> readSettings(const QString &value, std::vector<Setting> &settings);
/// Appends a run such as "PipeDream; schedule pipedream".
[[nodiscard]] base::Result<> readRun(const QString &value, std::vector<OfferedRun> &runs);
/// Reads the part of a timeline such as "device 3, microbatch 5, F, layer 5 gate".
[[nodiscard]] base::Result<CloseUp> readCloseUp(const QString &value);
/// Sets the data that runs train on by their name in tours: "documentation".
[[nodiscard]] base::Result<> readData(const QString &value, model::Experiment &experiment);

} // namespace stagelens::ui
