// Lectures: scenes taken from the window, put in order, kept in a file, presented and exported.
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/controllers/plan_controller.h"
#include "ui/controls/theme.h"
#include "ui/learn/lectures/lecture_dialog.h"
#include "ui/learn/lesson_picture.h"
#include "ui/learn/slides.h"
#include "ui/morph/morph_panel.h"
#include "ui/pages/learn_page.h"
#include "ui/shell/lecture_controller.h"
#include "ui/words/engine_messages.h"
#include "ui/words/words.h"

#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTextBrowser>

namespace ui_learn_lectures {

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowLecture : public QObject {
    Q_OBJECT
private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }
    void scenesAreTakenAndPutInOrder();
    void aLectureIsPresentedWithARemoteControl();
    void aLectureWithoutAFileComesBack();
    void whatCannotBeWrittenIsNotCalledSaved();
    void aMorphIsAScene();
    void aFileKeepsPlansViewsAndNotes();
    void aBrokenFileIsExplained_data();
    void aBrokenFileIsExplained();

private:
    ui::LectureDialog *openEditor()
    {
        QTest::keyClick(&m_fixture->open(), Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
        return m_fixture->window().findChild<ui::LectureDialog *>();
    }
    QString status() { return m_fixture->find<QLabel>(u"lecture.status"_s)->text(); }
    void name(const QString &title, const QString &notes)
    {
        auto *line = m_fixture->find<QLineEdit>(u"lecture.scene"_s);
        line->selectAll();
        QTest::keyClicks(line, title);
        QTest::keyClicks(m_fixture->find<QPlainTextEdit>(u"lecture.notes"_s), notes);
    }
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void WindowLecture::scenesAreTakenAndPutInOrder()
{
    auto *editor = openEditor();
    QVERIFY(editor && editor->isVisible());
    auto *list = m_fixture->find<QListWidget>(u"lecture.list"_s);
    QVERIFY(!m_fixture->find<QPushButton>(u"lecture.present"_s)->isEnabled());
    m_fixture->click(u"lecture.add"_s);
    name(u"The wall"_s, u"Three devices wait."_s);
    m_fixture->window().controllers().plan->chooseMethod(model::VocabularyMethod::Vocab2);
    auto *view = m_fixture->window().findChild<ui::ViewState *>();
    view->setRange(0, view->span() / 2);
    m_fixture->click(u"lecture.add"_s);
    name(u"Dissolved"_s, u"The bubble is {bubble}."_s);
    QCOMPARE(list->count(), 2);
    QCOMPARE(list->item(0)->text(), u"1. The wall"_s);
    QCOMPARE(list->item(1)->text(), u"2. Dissolved"_s);
    m_fixture->click(u"lecture.up"_s);
    QCOMPARE(list->item(0)->text(), u"1. Dissolved"_s);
    QCOMPARE(list->currentRow(), 0);
    QVERIFY(!m_fixture->find<QPushButton>(u"lecture.up"_s)->isEnabled());
    QVERIFY(status().contains(u"Not saved"_s));
    const QString file = m_fixture->path(u"talk.lecture.json"_s);
    editor->saveAs(file);
    QVERIFY2(status().contains(u"talk.lecture.json"_s), qPrintable(status()));
    m_fixture->click(u"lecture.remove"_s); // written at once
    const auto kept = ui::readLecture(file);
    QVERIFY2(kept.ok(), kept ? "" : kept.error().text().c_str());
    QCOMPARE(kept->scenes.size(), std::size_t{1});
    QCOMPARE(kept->scenes[0].title, u"The wall"_s);
    QCOMPARE(kept->scenes[0].notes, u"Three devices wait."_s);
    // A plan that a picture of Learn cannot draw is no scene.
    model::Experiment large = m_fixture->window().document().experiment();
    large.parallel.microbatches = 600;
    m_fixture->window().document().replace(large, {}, u"Large"_s);
    QTRY_COMPARE(m_fixture->window().forecast().plan()->experiment.parallel.microbatches, 600);
    m_fixture->click(u"lecture.add"_s);
    QVERIFY2(status().contains(u"600 microbatches are more than the 512"_s), qPrintable(status()));
    QCOMPARE(list->count(), 1);
}

void WindowLecture::aLectureIsPresentedWithARemoteControl()
{
    auto *editor = openEditor();
    for (const QString &title : {u"First"_s, u"Second"_s}) {
        m_fixture->click(u"lecture.add"_s);
        name(title, u"The bubble is {bubble}."_s);
    }
    m_fixture->find<QListWidget>(u"lecture.list"_s)->setCurrentRow(0);
    m_fixture->click(u"lecture.present"_s);
    auto &window = m_fixture->window();
    QVERIFY(!editor->isVisible() && window.learnPage().isVisible() && window.actions().presentation->isChecked());
    auto *text = m_fixture->find<QTextBrowser>(u"learn.text"_s);
    QVERIFY2(text->toPlainText().contains(u"First"_s) && text->toPlainText().contains(u" %."_s),
             qPrintable(text->toPlainText()));
    QApplication::setActiveWindow(&window);
    QTest::keyClick(&window, Qt::Key_PageDown);
    QTRY_VERIFY(text->toPlainText().startsWith(u"Second"_s)); // a shortcut shows the button pressed first
    QTest::keyClick(&window, Qt::Key_PageUp);
    QTRY_VERIFY(text->toPlainText().contains(u"First"_s));
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(!window.actions().presentation->isChecked());
    QTRY_VERIFY(editor->isVisible() && window.actions().explore->isChecked()); // back where it was presented from
    // One that was left for another page does not lead back.
    m_fixture->click(u"lecture.present"_s);
    window.actions().sweep->trigger();
    QTest::keyClick(&window, Qt::Key_Escape);
    QTRY_VERIFY(!window.actions().presentation->isChecked());
    QTest::qWait(1);
    QVERIFY(window.actions().sweep->isChecked() && !editor->isVisible());
    window.actions().explore->trigger();
    const QString slides = m_fixture->path(u"talk.pdf"_s);
    ui::EngineBridge bridge(service::ServiceOptions{m_fixture->path(u"slides.db"_s).toStdString(), 1});
    ui::SlideExport slideExport(&bridge);
    slideExport.start(ui::tourOf(editor->lecture()), slides);
    QTRY_VERIFY(!slideExport.isRunning());
    const auto read = [&slides] {
        QFile pdf(slides);
        return pdf.open(QIODevice::ReadOnly) ? pdf.readAll() : QByteArray();
    };
    const QByteArray light = read();
    QVERIFY(light.startsWith("%PDF-"));
    // Pages are white whatever the window looks like.
    const auto restore = qScopeGuard([] { ui::applyAppearance(ui::Appearance::Light); });
    ui::applyAppearance(ui::Appearance::Dark);
    slideExport.start(ui::tourOf(editor->lecture()), slides);
    QTRY_VERIFY(!slideExport.isRunning());
    QCOMPARE(read().size(), light.size());
}

void WindowLecture::aLectureWithoutAFileComesBack()
{
    openEditor();
    m_fixture->click(u"lecture.add"_s);
    name(u"The wall"_s, u"Three devices wait."_s);
    QVERIFY2(status().contains(u"kept for the next start"_s), qPrintable(status()));
    m_fixture->close(); // without closeEvent(), as a crash would
    auto *editor = openEditor();
    QCOMPARE(editor->lecture().scenes.size(), std::size_t{1});
    QCOMPARE(editor->lecture().scenes[0].title, u"The wall"_s);
    QCOMPARE(editor->lecture().scenes[0].notes, u"Three devices wait."_s);
    QVERIFY2(status().contains(u"not saved in a file"_s), qPrintable(status()));
    // A file that is opened takes its place on the screen, not on the disk.
    auto *back = m_fixture->find<QPushButton>(u"lecture.unsaved"_s);
    QVERIFY(!back->isVisible());
    const QString other = m_fixture->path(u"other.lecture.json"_s);
    QVERIFY(ui::writeLecture({u"Other"_s, {}}, other).ok());
    editor->openFile(other);
    QCOMPARE(editor->lecture().title, u"Other"_s);
    QVERIFY(back->isVisible());
    m_fixture->click(u"lecture.unsaved"_s);
    QCOMPARE(editor->lecture().scenes.size(), std::size_t{1});
    QVERIFY(editor->file().isEmpty() && !back->isVisible());
    // Once it has a file, the next start begins with an empty lecture.
    editor->saveAs(m_fixture->path(u"talk.lecture.json"_s));
    m_fixture->close();
    editor = openEditor();
    QVERIFY(editor->lecture().scenes.empty());
    m_fixture->click(u"lecture.add"_s);
    m_fixture->click(u"lecture.remove"_s);
    QVERIFY(!QFile::exists(m_fixture->path(u"session.lecture.json"_s)));
}

void WindowLecture::whatCannotBeWrittenIsNotCalledSaved()
{
    auto *editor = openEditor();
    m_fixture->click(u"lecture.add"_s);
    editor->saveAs(m_fixture->path(u"no/such/folder.lecture.json"_s));
    QVERIFY2(status().startsWith(u"The lecture was not saved."_s), qPrintable(status()));
    name(u"Later"_s, {});
    m_fixture->close();
    editor = openEditor();
    QCOMPARE(editor->lecture().scenes.at(0).title, u"Later"_s);
    // Nor is a change lost when the file of the lecture can no longer be written.
    const QString folder = m_fixture->path(u"removable"_s);
    QVERIFY(QDir().mkpath(folder));
    editor->saveAs(folder + u"/talk.lecture.json"_s);
    QVERIFY2(status().startsWith(u"Saved in "_s), qPrintable(status()));
    QVERIFY(QDir(folder).removeRecursively());
    name(u"L"_s, {});
    QVERIFY2(status().startsWith(u"The lecture was not saved."_s) && status().contains(u"kept for the next start"_s),
             qPrintable(status()));
    name(u"Latest"_s, {});
    QVERIFY2(status().contains(u"kept for the next start"_s), qPrintable(status()));
    m_fixture->close();
    QCOMPARE(openEditor()->lecture().scenes.at(0).title, u"Latest"_s);
}

void WindowLecture::aMorphIsAScene()
{
    auto *editor = openEditor();
    auto &window = m_fixture->window();
    window.controllers().plan->chooseMethod(model::VocabularyMethod::Vocab2);
    QTRY_VERIFY(window.forecast().isCurrent() && window.forecast().comparableBaseline());
    QTest::keyClick(&window, Qt::Key_M, Qt::ControlModifier);
    QTRY_VERIFY(window.explorePage().isMorphing());
    m_fixture->click(u"lecture.add"_s);
    const ui::LectureScene scene = editor->lecture().scenes.at(0);
    QCOMPARE(scene.title, u"1F1B → 1F1B · VOCAB-2"_s);
    QVERIFY(scene.plan.other && scene.plan.other->schedule.vocabulary == model::VocabularyMethod::None);
    const auto read = ui::lectureFromJson(ui::lectureToJson(editor->lecture()), u"x"_s);
    QVERIFY2(read.ok(), read ? "" : read.error().text().c_str());
    QVERIFY(read->scenes[0].plan.morph && read->scenes[0].plan.other == scene.plan.other);
    m_fixture->click(u"lecture.present"_s);
    auto *picture = window.learnPage().findChild<ui::LessonPicture *>();
    QTRY_VERIFY(picture->morph()->isVisible() && picture->morph()->view()->morph());
    QTest::keyClick(picture->morph()->view(), Qt::Key_Space);
    QVERIFY(picture->morph()->isPlaying());
    picture->morph()->stop();
    // The way to the plan that it is of itself is a plan alone.
    QTest::keyClick(&window, Qt::Key_Escape);
    m_fixture->click(u"mode.explore"_s);
    window.controllers().plan->chooseMethod(model::VocabularyMethod::None);
    QTRY_VERIFY(window.forecast().isCurrent() && window.explorePage().isMorphing());
    QTest::keyClick(&window, Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
    m_fixture->click(u"lecture.add"_s);
    QVERIFY(!editor->lecture().scenes.at(1).plan.other);
}

void WindowLecture::aFileKeepsPlansViewsAndNotes()
{
    ui::Lecture lecture;
    lecture.title = u"演讲"_s;
    ui::LectureScene scene;
    scene.title = u"{ no place"_s;
    scene.notes = u"*Notes* {bubble"_s;
    scene.plan.experiment.parallel.microbatches = 12;
    scene.plan.experiment.training.seed = 9'007'199'254'740'993ULL; // 2^53 + 1
    scene.plan.colourBy = ui::ColourBy::Slack;
    scene.plan.critical = true;
    scene.plan.range = {1, 9'007'199'254'740'993LL};
    scene.plan.axis = 12'345'678'901;
    lecture.scenes = {scene, {}};
    const auto read = ui::lectureFromJson(ui::lectureToJson(lecture), u"x"_s);
    QVERIFY2(read.ok(), read ? "" : read.error().text().c_str());
    QCOMPARE(read->title, lecture.title);
    QCOMPARE(read->scenes.size(), std::size_t{2});
    const ui::LectureScene &same = read->scenes[0];
    QVERIFY(same.title == scene.title && same.notes == scene.notes);
    QVERIFY(same.plan.experiment == scene.plan.experiment);
    QVERIFY(same.plan.colourBy == ui::ColourBy::Slack && same.plan.critical && same.plan.range == scene.plan.range);
    QCOMPARE(same.plan.axis, scene.plan.axis);
    QVERIFY(!read->scenes[1].plan.range && read->scenes[1].plan.axis == 0);
    QCOMPARE(ui::tourOf(*read).steps.size(), std::size_t{2}); // a brace that is no place is no fault
    QVERIFY(!ui::writeLecture(lecture, m_fixture->path(u"no/such/folder.json"_s)).ok());
}

void WindowLecture::aBrokenFileIsExplained_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("says");
    const QByteArray head = R"({"format": "stagelens-lecture", "version": 1, "scenes": [)";
    QTest::newRow("empty") << QByteArray() << u"is no JSON object"_s;
    QTest::newRow("an experiment") << QByteArray(R"({"format": "stagelens"})") << u"is no lecture"_s;
    QTest::newRow("newer") << QByteArray(R"({"format": "stagelens-lecture", "version": 2})") << u"a version other than 1"_s;
    QTest::newRow("no plan") << head + R"({"title": "x"}]})" << u"scene 1: has no plan"_s;
    QTest::newRow("wrong plan") << head + R"({"plan": {"parallel": {"devices": "x"}}}]})" << u"scene 1"_s;
    QTest::newRow("unsound") << head + R"({"plan": {"stagelens": "experiment/2", "parallel": {"devices": 0}}}]})"
                             << u"parallel.devices"_s;
    QTest::newRow("colour") << head + R"({"plan": {"stagelens": "experiment/2"}, "colour": "red"}]})"
                            << u"use kind, microbatch"_s;
    QTest::newRow("range") << head + R"({"plan": {"stagelens": "experiment/2"}, "range": ["5", "2"]}]})"
                           << u"no begin and end"_s;
    QTest::newRow("axis") << head + R"({"plan": {"stagelens": "experiment/2"}, "axis": "long"}]})" << u"is no time"_s;
}

void WindowLecture::aBrokenFileIsExplained()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QString, says);
    const auto read = ui::lectureFromJson(text, u"l.json"_s);
    QVERIFY(!read);
    QVERIFY2(read.error().text().find("l.json") == 0 && ui::qtText(read.error().text()).contains(says),
             read.error().text().c_str());
    const QString message = ui::qtText(read.error().problems.front().message);
    if (says != u"parallel.devices"_s && says != u"scene 1"_s) // problems of the experiment, which others list
        for (const QString &clause : message.split(u"; "_s))
            QVERIFY2(ui::matchClause(clause), qPrintable(clause));
}

STAGELENS_TEST(WindowLecture)

} // namespace ui_learn_lectures

#include "learn/lectures.moc"
