// What a device would hold under another plan, as an outline over its memory.
#pragma once

#include "engine/simulate/memory_profiles.h"
#include "ui/canvas/colours.h"

#include <QFontMetrics>
#include <QPainter>
#include <QPen>
#include <QString>

#include <optional>

namespace stagelens::ui {

/// The pen of a ghost's outline.
[[nodiscard]] inline QPen ghostPen(const Colours &colours)
{
    return {colours.ink, 1, Qt::DotLine};
}

/// The profile of the shown device, and its entry in the legend.
struct MemoryGhost {
    simulate::MemoryProfiles::Maker make; ///< null: no ghost
    QString words;                        ///< "without ZeRO"
    std::optional<simulate::MemoryProfile> profile;

    /// Computes the profile of a device; -1: none.
    void show(int device);
    [[nodiscard]] base::Bytes peak() const { return profile ? profile->peak() : 0; }
    /// "41.2 GiB without ZeRO".
    [[nodiscard]] QString text() const;
    /// Returns the width of the entry with a gap behind it; 0 without a ghost.
    [[nodiscard]] int width(const QFontMetrics &metrics) const;
    /// Paints a sample of the line and the text into a row of that height.
    void paint(QPainter &painter, const Colours &colours, int x, int height) const;
};

} // namespace stagelens::ui
