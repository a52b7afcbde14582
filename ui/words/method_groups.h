// How schedules and vocabulary methods are grouped where a person chooses among them.
#pragma once

#include <QString>

namespace stagelens::ui {

/// Returns the group of a choice of "schedule.family" or "schedule.vocabulary": "Classic", "Zero bubble", "Split".
[[nodiscard]] QString methodGroup(const QString &field, const QString &choice);
/// Returns one line about how the timeline of a family reads: "Each chunk is half of a device's layers: ..."; empty for other
/// fields.
[[nodiscard]] QString methodReading(const QString &field, const QString &choice);

} // namespace stagelens::ui
