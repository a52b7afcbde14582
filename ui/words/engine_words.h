// The texts of the engine that the window shows, listed so that they are translated.
#pragma once

#include <span>

namespace stagelens::ui {

/// Captions, descriptions and choices of the schema, of schedules and of vocabulary methods, in English. engineText()
/// translates them; tests/ui/words_translations.cpp reports what is missing here.
[[nodiscard]] std::span<const char *const> engineWords();
/// The same for the presets of hardware and models.
[[nodiscard]] std::span<const char *const> presetWords();
/// The same for the numbers of a cluster.
[[nodiscard]] std::span<const char *const> hardwareWords();

} // namespace stagelens::ui
