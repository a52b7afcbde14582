// The texts of the engine that the window shows, listed so that they are translated.
#pragma once

#include <span>

namespace stagelens::ui {

/// Captions, descriptions and choices of the schema, of schedules, vocabulary methods and presets, in English. engineText()
/// translates them; tests/ui/words_translations.cpp says which is missing here.
[[nodiscard]] std::span<const char *const> engineWords();

} // namespace stagelens::ui
