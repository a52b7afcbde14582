// Translated tours: each tour has one in every language of the window, which says the same to the program and reads well as
// Markdown. Their claims are checked beside the English ones (tours.cpp), the window by ui.words_translations.
#include "tests/support/test_program.h"
#include "tests/support/ui_test.h"
#include "ui/learn/page_files.h"
#include "ui/learn/tour.h"
#include "ui/words/language.h"
#include "ui/words/words.h"

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTextDocument>

#include <algorithm>

namespace ui_learn_translated {

using namespace stagelens;
using namespace Qt::StringLiterals;

class LearnTranslated : public QObject {
    Q_OBJECT
private slots:
    void init() { test::failOnWarnings(); }

    void everyTourIsTranslated_data();
    void everyTourIsTranslated();
    void everyTourReadsWellAsMarkdown_data();
    void everyTourReadsWellAsMarkdown();
    void everyTranslationIsOfATour();
    void aTranslatedPageLeadsWhereItsPageDoes_data();
    void aTranslatedPageLeadsWhereItsPageDoes();
    void aPageWithoutTranslationIsEnglish();
};

namespace {

struct Script {
    const char *code;
    QChar::Script script;
};
constexpr Script kTranslated[] = {{"ko", QChar::Script_Hangul}, {"zh_CN", QChar::Script_Han}};
constexpr const char *kFolders[] = {"tours", "challenges", "scenes"};

QStringList toursOf(const QString &folder)
{
    QStringList paths;
    for (const char *each : kFolders)
        for (const QString &name : QDir(ui::docsFolder().filePath(folder + QString::fromLatin1(each)))
                                       .entryList({u"*.tour"_s}, QDir::Files, QDir::Name))
            paths << QString::fromLatin1(each) + u'/' + name;
    return paths;
}

/// The pages that have a translation, by the paths of their English files.
QStringList pagesOf(const QString &code)
{
    const QDir folder(ui::docsFolder().filePath(code));
    QStringList paths;
    for (QDirIterator at(folder.path(), {u"*.markdown"_s}, QDir::Files, QDirIterator::Subdirectories); at.hasNext();)
        paths << folder.relativeFilePath(at.next()).chopped(9) + u".md"_s;
    paths.sort();
    return paths;
}

/// A tour's file, cut into what the program reads and what a reader does.
struct Halves {
    QStringList machine;
    QStringList words; ///< each is to be translated
};

/// Adds what a line of text holds for the program: figures and links, in any order.
void addText(const QString &line, QStringList &places, Halves &halves)
{
    static const QRegularExpression kPlace(u"\\{[^}]*\\}|\\]\\([^)]*\\)|`[^`]*`"_s);
    for (auto at = kPlace.globalMatch(line); at.hasNext();)
        places << at.next().captured();
    if (!line.trimmed().isEmpty())
        halves.words << line;
}

void addKey(const QString &line, Halves &halves)
{
    const QString key = line.section(u':', 0, 0);
    const QString value = line.section(u':', 1);
    if (QStringList{u"check"_s, u"goal"_s, u"outcome"_s}.contains(key)) {
        halves.machine << key + u':' + value.section(u';', 0, 0);
        halves.words << value.section(u';', 1);
    } else if (key == u"hint"_s) {
        halves.machine << key;
        halves.words << value;
    } else if (key == u"run"_s) { // its name may be that of a method
        halves.machine << key + u':' + value.section(u';', 1);
    } else {
        halves.machine << line;
    }
}

Halves halvesOf(const QString &file)
{
    QFile in(file);
    if (!in.open(QIODevice::ReadOnly))
        qFatal("%s cannot be read", qPrintable(file));
    Halves halves;
    QStringList places;
    bool isText = true;
    const auto close = [&] {
        places.sort();
        halves.machine << places.join(u' ');
        places.clear();
    };
    for (const QString &line : QString::fromUtf8(in.readAll()).split(u'\n')) {
        if (line.startsWith(u'#')) {
            close();
            halves.machine << line.section(u' ', 0, 0);
            halves.words << line.section(u' ', 1);
            isText = line.startsWith(u"# "_s);
        } else if (isText || line.trimmed().isEmpty()) {
            isText = true;
            addText(line, places, halves);
        } else {
            addKey(line, halves);
        }
    }
    close();
    return halves;
}

/// What a page has besides words: headings by their level, commands without remarks, links and code.
QStringList outlineOf(const QString &file)
{
    QFile in(file);
    if (!in.open(QIODevice::ReadOnly))
        qFatal("%s cannot be read", qPrintable(file));
    static const QRegularExpression kPlace(u"\\]\\([^)]*\\)|`[^`]*`"_s);
    QStringList outline;
    QStringList places;
    const QString text = QString::fromUtf8(in.readAll());
    for (auto at = kPlace.globalMatch(text); at.hasNext();)
        places << at.next().captured().simplified();
    for (const QString &line : text.split(u'\n'))
        if (line.startsWith(u'#'))
            outline << line.section(u' ', 0, 0);
        else if (line.startsWith(u"    "_s))
            outline << line.section(u" #"_s, 0, 0).trimmed();
        else if (line.startsWith(u"**"_s))
            outline << u"**"_s; // an entry of the glossary
    places.sort();
    return outline + places;
}

void addRows(bool withEnglish)
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QChar::Script>("script");
    const QStringList paths = toursOf({});
    QVERIFY2(paths.size() >= 23, "tours, challenges and scenes");
    for (const QString &path : paths) {
        if (withEnglish)
            QTest::newRow(qPrintable(path)) << path << QString() << QChar::Script_Latin;
        for (const Script &each : kTranslated)
            QTest::newRow(qPrintable(QString::fromLatin1(each.code) + u'/' + path))
                << path << QString::fromLatin1(each.code) << each.script;
    }
}

} // namespace

void LearnTranslated::everyTourIsTranslated_data()
{
    addRows(false);
}

void LearnTranslated::everyTourIsTranslated()
{
    QFETCH(const QString, path);
    QFETCH(const QString, code);
    QFETCH(const QChar::Script, script);
    const QString english = ui::pageFile(path, u"en"_s);
    const QString file = ui::pageFile(path, code);
    QVERIFY2(file != english, qPrintable(u"resources/docs/%1/%2 is missing; translate resources/docs/%2"_s.arg(code, path)));
    const Halves wanted = halvesOf(english);
    const Halves given = halvesOf(file);
    for (qsizetype i = 0; i < std::min(wanted.machine.size(), given.machine.size()); ++i)
        QCOMPARE(given.machine[i], wanted.machine[i]);
    QCOMPARE(given.machine.size(), wanted.machine.size());
    for (const QString &words : given.words)
        QVERIFY2(std::ranges::any_of(words, [script](QChar letter) { return letter.script() == script; }), qPrintable(words));
    const auto one = ui::readTour(ui::utf8(english));
    const auto other = ui::readTour(ui::utf8(file));
    QVERIFY2(one && other, other ? "" : other.error().text().c_str());
    QCOMPARE(other->steps.size(), one->steps.size());
    for (std::size_t i = 0; i < one->steps.size(); ++i)
        QVERIFY(other->steps[i].plan.experiment == one->steps[i].plan.experiment);
}

void LearnTranslated::everyTourReadsWellAsMarkdown_data()
{
    addRows(true);
}

/// An asterisk that closes nothing is shown: "**27 %**is" is not bold, because no letter may follow where a sign precedes. All
/// figures are dashes here, which are such signs.
void LearnTranslated::everyTourReadsWellAsMarkdown()
{
    QFETCH(const QString, path);
    QFETCH(const QString, code);
    const auto tour = ui::readTour(ui::utf8(ui::pageFile(path, code)));
    QVERIFY2(tour.ok(), tour ? "" : tour.error().text().c_str());
    for (const ui::TourStep &step : tour->steps) {
        QTextDocument page;
        page.setMarkdown(u"*%1*\n\n## %2\n\n%3"_s.arg(tour->summary, step.title, step.text.fill({})));
        const QString text = page.toPlainText();
        QVERIFY2(!text.contains(u'*') && !text.contains(u'`'), qPrintable(text));
    }
}

void LearnTranslated::everyTranslationIsOfATour()
{
    for (const Script &each : kTranslated)
        QCOMPARE(toursOf(QString::fromLatin1(each.code) + u'/'), toursOf({}));
}

void LearnTranslated::aTranslatedPageLeadsWhereItsPageDoes_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("code");
    for (const Script &each : kTranslated) {
        const QString code = QString::fromLatin1(each.code);
        const QStringList paths = pagesOf(code);
        for (const QString &path : {u"glossary.md"_s, u"tutorials/first-steps.md"_s})
            QVERIFY2(paths.contains(path), qPrintable(code + u'/' + path));
        for (const QString &path : paths)
            QTest::newRow(qPrintable(code + u'/' + path)) << path << code;
    }
}

void LearnTranslated::aTranslatedPageLeadsWhereItsPageDoes()
{
    QFETCH(const QString, path);
    QFETCH(const QString, code);
    const QString english = ui::pageFile(path, u"en"_s);
    const QString file = ui::pageFile(path, code);
    QVERIFY2(file != english && !file.endsWith(u".md"_s), qPrintable(file));
    QCOMPARE(outlineOf(file), outlineOf(english));
    QFile page(file);
    QVERIFY(page.open(QIODevice::ReadOnly));
    QTextDocument shown;
    static const QRegularExpression kCode(u"`[^`]*`"_s);
    // A reader sees the asterisks of code and those behind a backslash; the pages mean them.
    shown.setMarkdown(QString::fromUtf8(page.readAll()).replace(kCode, u"code"_s).remove(u"\\*"_s));
    QVERIFY2(!shown.toPlainText().contains(u'*'), qPrintable(shown.toPlainText()));
}

void LearnTranslated::aPageWithoutTranslationIsEnglish()
{
    const QString page = u"tours/1-bubble.tour"_s;
    QCOMPARE(ui::pageFile(page, u"en"_s), ui::docsFolder().filePath(page));
    QCOMPARE(ui::pageFile(page, {}), ui::docsFolder().filePath(page));
    QCOMPARE(ui::pageFile(page, u"ko"_s), ui::docsFolder().filePath(u"ko/"_s + page));
    QCOMPARE(ui::pageFile(u"architecture.md"_s, u"ko"_s), ui::docsFolder().filePath(u"architecture.md"_s));
    QCOMPARE(ui::currentLanguage(), u"en"_s);
    QCOMPARE(ui::pageFile(page), ui::docsFolder().filePath(page));
}

STAGELENS_TEST(LearnTranslated)

} // namespace ui_learn_translated

#include "learn/translated.moc"
