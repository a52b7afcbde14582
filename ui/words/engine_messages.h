// The engine's messages in the language of the window: the engine writes English, clause by clause, and knows no Qt.
#pragma once

#include <QString>
#include <QStringList>

#include <optional>
#include <span>
#include <string_view>

namespace stagelens::ui {

/// Clauses of messages ("choose %1 to %2"), in English. Whoever adds a message to the engine's validation adds its clauses in
/// engine_message_words.cpp and translates them; tests/ui/bridge_words.cpp says which is missing.
[[nodiscard]] std::span<const char *const> engineClauses();
/// The same of failures, in failure_words.cpp.
[[nodiscard]] std::span<const char *const> failureClauses();

/// A message in the language of the window. Clauses are separated by "; "; one that is not listed stays English. Fields bear
/// their captions, whether the engine names them by their option or by their place in a document.
[[nodiscard]] QString engineMessage(std::string_view english);

/// The clause that was listed for a text and what fills its places; nothing if none fits.
struct MatchedClause {
    const char *clause;
    QStringList places;
};
[[nodiscard]] std::optional<MatchedClause> matchClause(const QString &text);
/// Puts the texts in the places %1, %2 and so on, in whatever order these are.
[[nodiscard]] QString filledClause(const QString &clause, const QStringList &places);

} // namespace stagelens::ui
