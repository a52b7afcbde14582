#include "ui/words/language.h"

#include <QCoreApplication>
#include <QFile>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

QString translationFile(const QString &code)
{
    return u":/stagelens/i18n/stagelens_%1.qm"_s.arg(code);
}

QString &installedCode()
{
    static QString code = u"en"_s;
    return code;
}

} // namespace

QList<Language> languages()
{
    QList<Language> known{{u"en"_s, u"English"_s}};
    for (const Language &each : {Language{u"zh_CN"_s, u"简体中文"_s}, Language{u"ko"_s, u"한국어"_s}})
        if (QFile::exists(translationFile(each.code)))
            known << each;
    return known;
}

QString languageFor(const QString &choice, const QStringList &desktop)
{
    const QList<Language> known = languages();
    for (const QString &wanted : choice.isEmpty() ? desktop : QStringList{choice}) {
        const QLocale locale(wanted);
        if (locale.language() == QLocale::English)
            return known.front().code;
        for (const Language &each : known) {
            const QLocale own(each.code);
            // Traditional characters are another script: English reads better to its readers than simplified ones.
            if (own.language() == locale.language() && own.script() == locale.script())
                return each.code;
        }
    }
    return known.front().code;
}

void installLanguage(const QString &code)
{
    if (code.isEmpty() || code == u"en"_s)
        return;
    // Qt's own words (dialogs for files, menus of text fields) where the desktop has their translation.
    auto *ofQt = new QTranslator(QCoreApplication::instance());
    if (ofQt->load(u"qtbase_"_s + code, QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(ofQt);
    auto *own = new QTranslator(QCoreApplication::instance());
    if (own->load(translationFile(code))) {
        QCoreApplication::installTranslator(own);
        installedCode() = code;
    }
}

QString currentLanguage()
{
    return installedCode();
}

} // namespace stagelens::ui
