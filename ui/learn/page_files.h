// Where the pages and tours of Learn are: below resources/docs, translated ones below resources/docs/CODE.
#pragma once

#include <QDir>
#include <QString>

namespace stagelens::ui {

/// resources/docs, of the sources or of an installed program.
[[nodiscard]] QDir docsFolder();
/// Returns the file of a page in a language (a code of languages()): of "tours/1-bubble.tour" in Korean
/// resources/docs/ko/tours/1-bubble.tour, of "glossary.md" resources/docs/ko/glossary.markdown: runs train on the *.md of
/// resources/docs, and no translation may change them. The English file if the page is not translated.
[[nodiscard]] QString pageFile(const QString &path, const QString &language);
/// The same in the language of the window. Links, history and contents know a page by its path in every language.
[[nodiscard]] QString pageFile(const QString &path);

} // namespace stagelens::ui
