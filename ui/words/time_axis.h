// Marks and words of a time axis: steps of 1, 2 and 5, in ns, µs, ms, s, or in units of a teaching example.
#pragma once

#include "engine/base/units.h"

#include <QFont>
#include <QString>

#include <vector>

namespace stagelens::timeline {
struct Timeline;
}

namespace stagelens::ui {

/// Returns the latest end in the lanes: of a pass, of an optimizer step or of an exchange.
[[nodiscard]] base::Nanos lastEnd(const timeline::Timeline &timeline);
/// Returns the length of the time axis of a timeline: its iteration, or the end of all of them if it has several.
[[nodiscard]] base::Nanos lengthOf(const timeline::Timeline &timeline);

/// Distance of the marks and how their times are written.
struct TimeScale {
    base::Nanos step = 1;
    base::Nanos unit = 1; ///< nanoseconds in what the label counts
    int digits = 0;       ///< after the point
    QString unitName;     ///< "ms"; empty for teaching units
};

/// The finest scale on which marks of [begin, end) over `pixels` are at least `distance` pixels apart.
[[nodiscard]] TimeScale timeScale(base::Nanos begin, base::Nanos end, int pixels, int distance, bool teachingUnits);
/// The finest on which marks of a lane's axis and their texts in that type stand apart.
[[nodiscard]] TimeScale timeScale(base::Nanos begin, base::Nanos end, int pixels, const QFont &font, bool teachingUnits);
/// The multiples of the step within [begin, end].
[[nodiscard]] std::vector<base::Nanos> marks(const TimeScale &scale, base::Nanos begin, base::Nanos end);
/// "150 ms", written on that scale.
[[nodiscard]] QString markText(const TimeScale &scale, base::Nanos time);

/// A duration with three significant digits: "0.35 ms" reads "350 µs"; "412 ms"; "12.3 s"; "86.0 ms" if that is rounded.
[[nodiscard]] QString durationText(base::Nanos duration, bool teachingUnits = false);
/// A difference in percent with its sign: "+12 %", "−47 %".
[[nodiscard]] QString percentText(double ratio);
/// "30.9 MiB".
[[nodiscard]] QString bytesWords(base::Bytes bytes);
/// "needs 91 of 80 GiB", with as many digits as tell the two apart.
[[nodiscard]] QString needsText(base::Bytes needed, base::Bytes capacity);

} // namespace stagelens::ui
