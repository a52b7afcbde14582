// In what two experiments differ, in words.
#pragma once

#include "engine/model/experiment.h"

#include <QString>
#include <QStringList>

#include <span>
#include <vector>

namespace stagelens::ui {

struct FieldDifference {
    QString field;  ///< "parallel.devices"
    QString first;  ///< value in the first, as text
    QString second; ///< value in the second
};

/// A field that is not the same in all of several experiments, with the value of each as text.
struct FieldValues {
    QString field;
    QStringList values;
};
/// Every leaf of the documents that differs.
[[nodiscard]] std::vector<FieldValues> differingFields(std::span<const model::Experiment *const> experiments);
/// The same of two.
[[nodiscard]] std::vector<FieldDifference> differences(const model::Experiment &first, const model::Experiment &second);
/// As above, but only what changes the order or the work of passes: a measured timeline still belongs to a plan that differs in
/// costs, steps or seed alone. Both must be resolved.
[[nodiscard]] std::vector<FieldDifference> planDifferences(const model::Experiment &first, const model::Experiment &second);
/// "Vocabulary layers: VOCAB-1 → VOCAB-2" and so on, separated by semicolons.
[[nodiscard]] QString differencesText(const std::vector<FieldDifference> &found);
/// What a person calls a field of the document: "Microbatches" for "parallel.microbatches".
[[nodiscard]] QString fieldCaption(const QString &field);

} // namespace stagelens::ui
