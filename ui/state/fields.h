// What can be edited, as a table: the editor and the strip above the picture are made from it.
#pragma once

#include "engine/model/experiment.h"

#include <QString>
#include <QVariant>

#include <functional>
#include <vector>

namespace stagelens::ui {

struct Choice {
    QString value;
    QString caption;
    QString tip;
};

/// One thing to edit. `id` is its field in the document, the one that a Problem names.
struct Field {
    enum class Kind : unsigned char { Integer, Size, Real, Choice, Text, File, Flag };
    QString id;
    QString caption;
    QString option; ///< the command line's word
    QString tip;    ///< one sentence
    Kind kind = Kind::Integer;
    std::function<QVariant(const model::Experiment &)> value;
    std::function<void(model::Experiment &, const QVariant &)> setValue;
    std::vector<Choice> choices = {};                            ///< of Choice, and suggestions of Size
    std::function<bool(const model::Experiment &)> applies = {}; ///< absent: always
    QString zero = {};                                           ///< what a number's 0 stands for, shown in its place
    /// Returns whether setValue() may take over 10 ms with a value; absent: with none.
    std::function<bool(const model::Experiment &, const QVariant &)> isSlow = {};
};

/// All fields, in the order of the editor.
[[nodiscard]] const std::vector<Field> &fields();
[[nodiscard]] const Field &field(const QString &id);

struct FieldGroup {
    QString caption;
    std::vector<QString> ids;
};
/// Model, Devices, Schedule, Costs, Data, Training.
[[nodiscard]] const std::vector<FieldGroup> &fieldGroups();

} // namespace stagelens::ui
