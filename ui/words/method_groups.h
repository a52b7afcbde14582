// How schedules and vocabulary methods are grouped where a person chooses among them.
#pragma once

#include <QString>

namespace stagelens::ui {

/// Returns the group of a choice of "schedule.family" or "schedule.vocabulary": "Classic", "Zero bubble", "Split".
[[nodiscard]] QString methodGroup(const QString &field, const QString &choice);

} // namespace stagelens::ui
