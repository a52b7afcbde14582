// The language of the window.
#pragma once

#include <QString>
#include <QStringList>

namespace stagelens::ui {

/// A language that the window speaks.
struct Language {
    QString code; ///< "en", "zh_CN", "ko"
    QString name; ///< in that language
};
/// English first; the others as far as this build has their translations.
[[nodiscard]] QList<Language> languages();
/// The language for a person's choice: a code, or empty for that of the desktop. English where there is no other.
[[nodiscard]] QString languageFor(const QString &choice, const QStringList &desktop);
/// Lets all texts read from now on be in that language. Called once, before the first window: texts that are on the screen or
/// kept in tables stay as they are.
void installLanguage(const QString &code);
/// Returns the code of the installed language. Threads may read it once the first window exists.
[[nodiscard]] QString currentLanguage();

} // namespace stagelens::ui
