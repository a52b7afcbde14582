// What the tables of fields are made with.
#pragma once

#include "ui/state/fields.h"

#include <string>

namespace stagelens::ui {

[[nodiscard]] bool hasModel(const model::Experiment &experiment);

/// A whole number of the experiment that `access` reaches.
[[nodiscard]] Field integer(const QString &id, const QString &caption, const QString &option, const QString &tip,
                            std::function<int &(model::Experiment &)> access);
[[nodiscard]] Field real(const QString &id, const QString &caption, const QString &option, const QString &tip,
                         std::function<double(const model::Experiment &)> get,
                         std::function<void(model::Experiment &, double)> set);
[[nodiscard]] Field choice(const QString &id, const QString &caption, const QString &option, const QString &tip,
                           std::vector<Choice> choices, std::function<QString(const model::Experiment &)> get,
                           std::function<void(model::Experiment &, const std::string &)> set);

/// Family, file, vocabulary method and order, and the shape that the family leaves open.
void addScheduleFields(std::vector<Field> &all);
/// Data, steps, clock, backend and optimizer.
void addTrainingFields(std::vector<Field> &all);

} // namespace stagelens::ui
