// The window's translations: nothing is untranslated, and what they say fits. The layouts are measured by this program again,
// started in each language: texts on the screen do not change theirs.
#include "engine/model/capabilities.h"
#include "engine/model/hardware_fields.h"
#include "engine/model/presets.h"
#include "engine/model/schema.h"
#include "engine/schedule/families.h"
#include "tests/ui/window_fixture.h"
#include "ui/learn/contents_list.h"
#include "ui/learn/page_files.h"
#include "ui/pages/learn_page.h"
#include "ui/pages/lesson_view.h"
#include "ui/panels/cluster_dialog.h"
#include "ui/state/fields.h"
#include "ui/words/engine_messages.h"
#include "ui/words/engine_words.h"
#include "ui/words/language.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QActionGroup>
#include <QFile>
#include <QFontDatabase>
#include <QLabel>
#include <QMenuBar>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextBrowser>
#include <QToolButton>
#include <QTreeWidget>
#include <QXmlStreamReader>

#include <set>

using namespace stagelens;
using namespace Qt::StringLiterals;

namespace {

constexpr const char *kLanguage = "STAGELENS_TEST_LANGUAGE";

struct Entry {
    QString source;
    QString translation;
    bool isFinished = false;
};

QList<Entry> entriesOf(const QString &file)
{
    QList<Entry> entries;
    QFile in(file);
    if (!in.open(QIODevice::ReadOnly))
        qFatal("%s cannot be read", qPrintable(file));
    QXmlStreamReader reader(&in);
    while (!reader.atEnd()) {
        if (reader.readNext() != QXmlStreamReader::StartElement)
            continue;
        if (reader.name() == u"message") {
            entries.push_back({});
        } else if (reader.name() == u"source") {
            entries.back().source = reader.readElementText();
        } else if (reader.name() == u"translation") {
            entries.back().isFinished = !reader.attributes().hasAttribute(u"type"_s);
            entries.back().translation = reader.readElementText(QXmlStreamReader::IncludeChildElements).trimmed();
        }
    }
    return entries;
}

QString root()
{
    return QFileInfo(qEnvironmentVariable("STAGELENS_RESOURCES")).dir().absolutePath();
}

QString translationOf(const QString &code)
{
    return root() + u"/resources/translations/stagelens_%1.ts"_s.arg(code);
}

QString lupdate()
{
    for (const QString &folder : {u"/usr/lib/qt6/bin"_s, u"/usr/lib64/qt6/bin"_s})
        if (QFile::exists(folder + u"/lupdate"_s))
            return folder + u"/lupdate"_s;
    return {};
}

std::set<QString> placesOf(const QString &text)
{
    static const QRegularExpression kPlace(u"%L?[0-9n]"_s);
    std::set<QString> places;
    for (auto at = kPlace.globalMatch(text); at.hasNext();)
        places.insert(at.next().captured());
    return places;
}

/// Of a widget that shows its text in one line: how many pixels are missing.
int missingPixels(const QWidget &widget)
{
    static const QRegularExpression kMnemonic(u"\\(&[A-Za-z0-9]\\)|&"_s);
    if (const auto *label = qobject_cast<const QLabel *>(&widget)) {
        if (label->wordWrap() || label->text().contains(u'<'))
            return 0;
        QString text = label->text();
        if (label->buddy() != nullptr)
            text.remove(kMnemonic);
        return label->fontMetrics().horizontalAdvance(text) - label->contentsRect().width();
    }
    if (const auto *button = qobject_cast<const QAbstractButton *>(&widget)) {
        QString text = button->text();
        text.remove(kMnemonic);
        return button->fontMetrics().horizontalAdvance(text) - button->width() + 2;
    }
    return 0;
}

/// In the viewport, the middle of the first link's second letter.
QPoint placeOfLink(const QTextBrowser &text)
{
    for (QTextBlock block = text.document()->begin(); block.isValid(); block = block.next())
        for (auto at = block.begin(); !at.atEnd(); ++at)
            if (at.fragment().charFormat().isAnchor()) {
                QTextCursor cursor(block);
                cursor.setPosition(at.fragment().position() + 1);
                return text.cursorRect(cursor).center();
            }
    return {};
}

} // namespace

class WordsTranslations : public QObject {
    Q_OBJECT
private slots:
    void init() { test::failOnWarnings(); }

    void everyTextIsTranslated_data()
    {
        QTest::addColumn<QString>("code");
        QTest::newRow("Chinese") << u"zh_CN"_s;
        QTest::newRow("Korean") << u"ko"_s;
    }
    void everyTextIsTranslated()
    {
        if (isChild())
            QSKIP("measures layouts");
        if (lupdate().isEmpty())
            QSKIP("lupdate (qt6-l10n-tools) is not installed");
        QFETCH(QString, code);
        // A copy, brought up to date with the sources as they are now.
        const QTemporaryDir folder;
        const QString copy = folder.filePath(u"copy.ts"_s);
        QVERIFY(QFile::copy(translationOf(code), copy));
        QProcess update;
        update.setWorkingDirectory(root());
        update.start(lupdate(), {u"-silent"_s, u"-no-obsolete"_s, u"-locations"_s, u"none"_s, u"ui"_s, u"app"_s, u"-I"_s,
                                 u"."_s, u"-ts"_s, copy});
        QVERIFY(update.waitForFinished(120'000) && update.exitCode() == 0);
        const QList<Entry> entries = entriesOf(copy);
        QVERIFY2(entries.size() > 900, qPrintable(QString::number(entries.size())));
        QStringList missing;
        for (const Entry &entry : entries)
            if (!entry.isFinished || entry.translation.isEmpty())
                missing << entry.source;
        QVERIFY2(missing.isEmpty(),
                 qPrintable(u"%1 texts have no translation; run resources/translations/update and translate them:\n%2"_s
                                .arg(missing.size())
                                .arg(missing.join(u"\n"_s))));
    }

    void placeholdersAreKept_data() { everyTextIsTranslated_data(); }
    void placeholdersAreKept()
    {
        QFETCH(QString, code);
        for (const Entry &entry : entriesOf(translationOf(code))) {
            QVERIFY2(placesOf(entry.source) == placesOf(entry.translation),
                     qPrintable(entry.source + u" -> "_s + entry.translation));
            QVERIFY2(entry.source.count(u'\t') == entry.translation.count(u'\t'), qPrintable(entry.source));
        }
    }

    void everyTextOfTheEngineIsListed()
    {
        std::set<std::string> listed;
        for (const auto &texts : {ui::engineWords(), ui::presetWords(), ui::hardwareWords()})
            for (const char *text : texts)
                QVERIFY2(listed.insert(text).second, text);
        QStringList missing;
        const auto need = [&](std::string_view text) {
            if (!text.empty() && !listed.contains(std::string(text)))
                missing << ui::qtText(text);
        };
        for (const model::Field &field : model::schema()) {
            if (field.option.empty() || !field.isInEditor || field.kind == model::Field::Kind::Times)
                continue;
            need(field.caption);
            QString help = ui::qtText(field.help) + u'.';
            help[0] = help[0].toUpper();
            need(ui::utf8(help));
            need(field.absent);
            for (const model::FieldChoice &choice : field.choices) {
                if (field.kind != model::Field::Kind::Size)
                    need(choice.caption);
                need(choice.tip);
            }
        }
        for (const auto &method : model::kVocabularyMethods) {
            need(method.caption);
            need(method.shortName);
        }
        for (const schedule::Family &family : schedule::families())
            need(family.description);
        for (const model::ModelPreset &preset : *model::modelPresets())
            need(preset.description);
        for (const model::Hardware &hardware : *model::hardwarePresets())
            if (hardware.name != "cpu-local") // described by its calibration
                need(hardware.description);
        for (const model::HardwareField &field : model::hardwareFields()) {
            need(field.caption);
            need(field.help);
        }
        QVERIFY2(missing.isEmpty(),
                 qPrintable(u"add these to ui/words/engine_words.cpp, or to the file of their kind beside it:\n"_s +
                            missing.join(u"\n"_s)));
    }

    void everyReasonOfACapabilityIsTranslated_data() { everyTextIsTranslated_data(); }
    /// Word for word: a clause such as "choose %1" would leave the rest of a remedy in English.
    void everyReasonOfACapabilityIsTranslated()
    {
        QFETCH(QString, code);
        std::set<QString> translated;
        for (const Entry &entry : entriesOf(translationOf(code)))
            if (entry.isFinished && !entry.translation.isEmpty())
                translated.insert(entry.source);
        QStringList missing;
        for (const model::Capability &each : model::capabilities())
            for (const std::string_view text : {each.reason, each.remedy}) {
                const QString clause = ui::qtText(text);
                const auto matched = ui::matchClause(clause);
                if (!text.empty() && (!matched || matched->clause != text || !translated.contains(clause)))
                    missing << clause;
            }
        QVERIFY2(missing.isEmpty(),
                 qPrintable(u"add these to ui/words/engine_message_words.cpp and translate them:\n"_s + missing.join(u"\n"_s)));
    }

    void theDesktopsLanguageIsFound()
    {
        if (ui::languages().size() < 3)
            QSKIP("this build has no translations");
        QCOMPARE(ui::languageFor({}, {u"zh-Hans-CN"_s}), u"zh_CN"_s);
        QCOMPARE(ui::languageFor({}, {u"ko-KR"_s, u"en"_s}), u"ko"_s);
        QCOMPARE(ui::languageFor({}, {u"de-DE"_s, u"ko"_s}), u"ko"_s);
        QCOMPARE(ui::languageFor({}, {u"zh-Hant-TW"_s}), u"en"_s); // another script
        QCOMPARE(ui::languageFor({}, {u"en-US"_s, u"ko"_s}), u"en"_s);
        QCOMPARE(ui::languageFor(u"ko"_s, {u"zh-CN"_s}), u"ko"_s);
        QCOMPARE(ui::languageFor(u"en"_s, {u"zh-CN"_s}), u"en"_s);
        QCOMPARE(ui::languageFor(u"nonsense"_s, {u"zh-CN"_s}), u"en"_s);
    }

    void aChoiceIsKeptForTheNextStart()
    {
        if (isChild() || ui::languages().size() < 3)
            QSKIP("this build has no translations");
        test::WindowFixture fixture;
        auto &window = fixture.open();
        QAction *korean = window.actions().languages->actions().constLast();
        QCOMPARE(korean->text(), u"한국어"_s);
        korean->trigger();
        QTRY_VERIFY(fixture.find<ui::MessageBar>(u"bar.notice"_s)->text().contains(u"한국어"_s));
        window.close();
        fixture.open();
        QVERIFY(fixture.window().actions().languages->actions().constLast()->isChecked());
    }

    void layoutsHoldInEachLanguage_data() { everyTextIsTranslated_data(); }
    void layoutsHoldInEachLanguage()
    {
        if (isChild())
            QSKIP("it is that program");
        if (ui::languages().size() < 3)
            QSKIP("this build has no translations");
        QFETCH(QString, code);
        QProcess again;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QString::fromLatin1(kLanguage), code);
        again.setProcessEnvironment(environment);
        again.setProcessChannelMode(QProcess::MergedChannels);
        again.start(QCoreApplication::applicationFilePath(), {u"nothingIsClipped"_s, u"placesOfAFileStandInFront"_s,
                                                              u"learnSpeaksTheLanguage"_s, u"aClusterSpeaksTheLanguage"_s});
        QVERIFY(again.waitForFinished(300'000));
        QVERIFY2(again.exitStatus() == QProcess::NormalExit && again.exitCode() == 0, again.readAll().constData());
    }

    /// In each language: also run by layoutsHoldInEachLanguage().
    void placesOfAFileStandInFront()
    {
        test::WindowFixture fixture;
        fixture.open();
        using ui::Words;
        const auto place = [](int line, int word) { return Words::tr("line %1, word %2").arg(line).arg(word); };
        const QString twice = Words::tr("%1 runs twice, first at %2").arg(u"F1@1"_s, place(2, 3));
        const QString text =
            Words::tr("%1; %2").arg(Words::tr("%1: %2").arg(place(3, 4), twice), Words::tr("remove one of the two"));
        QCOMPARE(ui::engineMessage("line 3, word 4: F1@1 runs twice, first at line 2, word 3; remove one of the two"), text);
        QCOMPARE(ui::engineMessage("line 3, word 34: F2@1 is missing"),
                 Words::tr("%1: %2").arg(place(3, 34), Words::tr("%1 is missing").arg(u"F2@1"_s)));
    }

    void learnSpeaksTheLanguage()
    {
        test::WindowFixture fixture;
        auto &window = fixture.open();
        window.actions().learn->trigger();
        const QString page = u"tours/12-losses-coincide.tour"_s;
        QFile file(ui::pageFile(page, qEnvironmentVariable(kLanguage, u"en"_s)));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString title = QString::fromUtf8(file.readLine()).mid(2).trimmed();
        // Typed as an input method does.
        auto *search = fixture.find<QLineEdit>(u"learn.search"_s);
        const auto *contents = fixture.find<QTreeWidget>(u"learn.contents"_s);
        for (const QString &words : {title, u"timelines differ"_s}) {
            search->clear();
            QInputMethodEvent typed;
            typed.setCommitString(words);
            QApplication::sendEvent(search, &typed);
            QTest::keyClick(search, Qt::Key_Return);
            QVERIFY(contents->currentItem() != nullptr);
            QCOMPARE(contents->currentItem()->text(0), title);
        }
        auto *text = fixture.find<QTextBrowser>(u"learn.text"_s);
        QTRY_VERIFY2(text->toPlainText().startsWith(title), qPrintable(text->toPlainText().left(80)));
        // A link leads to the same page from every language.
        window.learnPage().lesson()->showStep(3);
        QTRY_VERIFY(text->toHtml().contains(u"measurements.md"_s));
        QTest::mouseClick(text->viewport(), Qt::LeftButton, {}, placeOfLink(*text));
        QTRY_VERIFY2(text->toPlainText().startsWith(ui::titleOfPage(u"measurements.md"_s)),
                     qPrintable(text->toPlainText().left(80)));
        QCOMPARE(contents->currentItem()->text(0), ui::titleOfPage(u"measurements.md"_s));
    }

    void aClusterSpeaksTheLanguage()
    {
        ui::ClusterDialog dialog(*model::hardwarePreset("h200"), nullptr);
        const bool isEnglish = qEnvironmentVariable(kLanguage, u"en"_s) == u"en"_s;
        const auto speaks = [isEnglish](const QString &shown, std::string_view english) {
            return shown.contains(ui::qtText(english)) == isEnglish;
        };
        for (const model::HardwareField &field : model::hardwareFields()) {
            auto *line = dialog.findChild<QLineEdit *>(u"cluster."_s + ui::qtText(field.key));
            QVERIFY2(speaks(line->accessibleName(), field.caption), qPrintable(line->accessibleName()));
            QVERIFY2(speaks(line->toolTip(), field.help), qPrintable(line->toolTip()));
            const QString sound = line->text();
            line->setText(u"-1"_s);
            QVERIFY2(speaks(dialog.problem(), field.caption) && speaks(dialog.problem(), "choose"),
                     qPrintable(dialog.problem()));
            line->setText(u"many"_s);
            QVERIFY2(speaks(dialog.problem(), "is no number"), qPrintable(dialog.problem()));
            line->setText(sound);
        }
    }

    void nothingIsClipped()
    {
        test::WindowFixture fixture;
        auto &window = fixture.open();
        window.resize(1366, 768);
        const QString code = qEnvironmentVariable(kLanguage, u"en"_s);
        QCOMPARE(window.actions().save->text() == u"&Save"_s, code == u"en"_s);
        fixture.openSettings();
        QStringList clipped;
        const auto look = [&](const QString &where) {
            QApplication::processEvents();
            for (const QWidget *widget : window.findChildren<QWidget *>())
                if (widget->isVisible() && widget->width() > 0 && missingPixels(*widget) > 0)
                    clipped
                        << u"%1: %2 (%3 pixels)"_s.arg(where, widget->property("text").toString()).arg(missingPixels(*widget));
            QVERIFY(window.minimumSizeHint().width() <= 1366 && window.width() == 1366);
        };
        for (QAction *mode : window.actions().modes->actions()) {
            mode->trigger();
            look(mode->text());
        }
        window.learnPage().showPage(u"scenes/1-the-wall-dissolves.tour"_s);
        window.learnPage().lesson()->showStep(1);
        look(u"scene"_s);
        QVERIFY2(clipped.isEmpty(), qPrintable(clipped.join(u"\n"_s)));
    }

private:
    static bool isChild() { return qEnvironmentVariableIsSet(kLanguage); }
};

int main(int argc, char **argv)
{
    QApplication application(argc, argv);
    ui::installLanguage(qEnvironmentVariable(kLanguage));
    WordsTranslations test;
    return QTest::qExec(&test, argc, argv);
}
#include "words_translations.moc"
