// Light and dark.
#pragma once

#include <QPalette>

namespace stagelens::ui {

enum class Appearance : unsigned char { System, Light, Dark };

/// Fusion with one of two palettes; call it once the application exists. `System` takes what the desktop's palette was at the
/// first call.
void applyAppearance(Appearance appearance);
[[nodiscard]] bool isDark();
/// Returns one of the two palettes, for what is drawn on paper whatever the window looks like.
[[nodiscard]] QPalette paletteOf(bool dark);

} // namespace stagelens::ui
