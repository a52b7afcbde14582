#include "ui/learn/page_files.h"

#include "engine/base/file.h"
#include "ui/words/language.h"
#include "ui/words/words.h"

#include <QFile>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

QDir docsFolder()
{
    return QDir(qtText((base::resourceFolder() / "docs").string()));
}

QString pageFile(const QString &path, const QString &language)
{
    QString translated = docsFolder().filePath(language + u'/' + path);
    if (translated.endsWith(u".md"_s))
        translated = translated.chopped(3) + u".markdown"_s;
    return !language.isEmpty() && QFile::exists(translated) ? translated : docsFolder().filePath(path);
}

QString pageFile(const QString &path)
{
    return pageFile(path, currentLanguage());
}

} // namespace stagelens::ui
