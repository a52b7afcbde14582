// The documentation inside the window, and the way from a page to a plan.
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/learn/card_list.h"
#include "ui/learn/challenge_bar.h"
#include "ui/learn/lesson_picture.h"
#include "ui/morph/morph_panel.h"
#include "ui/pages/learn_page.h"
#include "ui/pages/lesson_view.h"
#include "ui/panels/play_bar.h"

#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextLayout>
#include <QTreeWidget>

namespace ui_learn_pages {

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowLearn : public QObject {
    Q_OBJECT
private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }

    void theFourthModeShowsCards();
    void aSearchFindsTitlesAndTexts();
    void theWayBackLeadsThroughWhatWasRead();
    void aLineHas68Characters();
    void theWallDissolvesInAScene();
    void aSceneZoomsFromAllGpusToOneProduct();
    void everyPageCanBeRead();
    void aMethodsPageIsTriedOnThePlan();
    void anExampleOpensInExplore();
    void aTourIsWalkedThrough();
    void whatAChangeMakesUntrueIsSaid();
    void aStepsPlanOpensInExplore();
    void anIllegalChangeKeepsThePicture();
    void aLargePlanIsSimulatedElsewhere();
    void aFamilysPageHasALivePicture();
    void thePictureIsPlayed();
    void aChallengeIsSolvedByEditing();
    void aChallengeHelps();

private:
    void openEntry(const QString &title)
    {
        m_fixture->open().actions().learn->trigger();
        QVERIFY2(entry(title), qPrintable(title));
        m_fixture->find<QTreeWidget>(u"learn.contents"_s)->setCurrentItem(entry(title));
    }
    QString text() { return m_fixture->find<QTextBrowser>(u"learn.text"_s)->toPlainText(); }
    QString progress() { return m_fixture->find<QLabel>(u"learn.progress"_s)->text(); }
    QString note() { return m_fixture->find<ui::MessageBar>(u"bar.lesson"_s)->text(); }
    ui::LessonPicture &picture() { return *m_fixture->window().learnPage().lesson()->picture(); }
    void type(const QString &field, int value)
    {
        auto *box = m_fixture->find<QSpinBox>(u"lesson."_s + field);
        QVERIFY2(box && box->isVisible(), qPrintable(field));
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, QString::number(value));
    }
    QTreeWidgetItem *entry(const QString &title)
    {
        auto *contents = m_fixture->find<QTreeWidget>(u"learn.contents"_s);
        return contents->findItems(title, Qt::MatchExactly | Qt::MatchRecursive).value(0);
    }
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void WindowLearn::theFourthModeShowsCards()
{
    auto &window = m_fixture->open();
    QTest::keyClick(&window, Qt::Key_4, Qt::ControlModifier);
    auto *cards = window.learnPage().findChild<ui::CardList *>();
    QVERIFY(cards->isVisible());
    QTRY_VERIFY(cards->isDrawn());
    QVERIFY(cards->count() >= 10);
    for (int row = 0; row < cards->count(); ++row) {
        const auto picture = cards->item(row)->data(Qt::DecorationRole).value<QPixmap>();
        QVERIFY2(!picture.isNull(), qPrintable(cards->item(row)->text()));
        const QImage image = picture.toImage();
        QSet<QRgb> colours;
        for (int x = 0; x < image.width(); x += 3)
            colours << image.pixel(x, image.height() / 2);
        QVERIFY2(colours.size() > 2, qPrintable(cards->item(row)->text())); // it shows passes
        if (!cards->item(row)->text().startsWith(u"4B GPT"_s))
            continue;
        // Its first lane has blue forwards first, then gaps and pairs of passes that can be told apart, not a mix of all.
        int changes = 0;
        for (int x = 1; x < image.width(); ++x)
            changes += image.pixel(x, 5) != image.pixel(x - 1, 5);
        QVERIFY2(changes > 20 && changes < image.width() / 3, qPrintable(QString::number(changes)));
    }
    const QString title = cards->item(0)->text();
    QTest::mouseClick(cards->viewport(), Qt::LeftButton, {}, cards->visualItemRect(cards->item(0)).center());
    QVERIFY(!cards->isVisible());
    QVERIFY2(text().startsWith(title), qPrintable(text().left(80)));
    m_fixture->click(u"learn.history"_s);
    QVERIFY(cards->isVisible());
    cards->setCurrentRow(1);
    QTest::keyClick(cards, Qt::Key_Return);
    QVERIFY(!cards->isVisible());
    m_fixture->click(u"learn.overview"_s);
    QVERIFY(cards->isVisible());
    window.learnPage().showPage(u"tutorials/first-steps.md"_s);
    QVERIFY2(text().startsWith(u"First steps"_s), qPrintable(text().left(80)));
    QVERIFY(!m_fixture->find<QPushButton>(u"learn.try"_s)->isVisible());
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(window.explorePage().isVisible());
}

void WindowLearn::aSearchFindsTitlesAndTexts()
{
    auto &window = m_fixture->open();
    window.actions().learn->trigger();
    window.actions().find->trigger();
    auto *search = m_fixture->find<QLineEdit>(u"learn.search"_s);
    QVERIFY(search->hasFocus());
    const auto shown = [this] {
        QStringList titles;
        for (QTreeWidgetItemIterator at(m_fixture->find<QTreeWidget>(u"learn.contents"_s), QTreeWidgetItemIterator::NotHidden);
             *at; ++at)
            if ((*at)->parent() != nullptr && !(*at)->parent()->isHidden())
                titles << (*at)->text(0);
        return titles;
    };
    const qsizetype all = shown().size();
    QTest::keyClicks(search, u"wall dissolves"_s);
    QVERIFY2(shown().contains(u"The wall dissolves"_s) && shown().size() < all, qPrintable(shown().join(u", "_s)));
    QTest::keyClick(search, Qt::Key_Return);
    QVERIFY2(text().startsWith(u"The wall dissolves"_s), qPrintable(text().left(80)));
    search->setFocus();
    search->clear();
    QTest::keyClicks(search, u"nosuchword"_s);
    QVERIFY(shown().isEmpty());
    QTest::keyClick(search, Qt::Key_Escape);
    QCOMPARE(shown().size(), all);
    QVERIFY(window.learnPage().isVisible());
}

void WindowLearn::theWayBackLeadsThroughWhatWasRead()
{
    openEntry(u"Glossary"_s);
    auto *contents = m_fixture->find<QTreeWidget>(u"learn.contents"_s);
    contents->setCurrentItem(entry(u"V-Half"_s));
    contents->setCurrentItem(entry(u"Textbook 1F1B"_s));
    auto *back = m_fixture->find<QPushButton>(u"learn.history"_s);
    QTest::keyClick(&m_fixture->window(), Qt::Key_Left, Qt::AltModifier);
    QTRY_VERIFY2(text().startsWith(u"V-Half"_s), qPrintable(text().left(40))); // a shortcut shows the button pressed first
    QCOMPARE(contents->currentItem(), entry(u"V-Half"_s));
    QTest::mouseClick(back, Qt::LeftButton);
    QVERIFY(text().startsWith(u"Glossary"_s));
    QTest::mouseClick(back, Qt::LeftButton);
    QVERIFY(m_fixture->window().learnPage().findChild<ui::CardList *>()->isVisible());
    QVERIFY(!back->isEnabled());
}

void WindowLearn::aLineHas68Characters()
{
    openEntry(u"Understanding the bubble"_s);
    m_fixture->window().resize(2560, 1440);
    QApplication::processEvents();
    auto *browser = m_fixture->find<QTextBrowser>(u"learn.text"_s);
    int longest = 0;
    for (QTextBlock block = browser->document()->begin(); block.isValid(); block = block.next())
        for (int line = 0;
             line < block.layout()->lineCount() && !block.charFormat().fontFixedPitch() && block.textList() == nullptr; ++line)
            longest = std::max(longest, block.layout()->lineAt(line).textLength());
    QVERIFY2(longest > 55 && longest <= 84, qPrintable(QString::number(longest))); // 68 of average width
}

void WindowLearn::theWallDissolvesInAScene()
{
    openEntry(u"The wall dissolves"_s);
    m_fixture->click(u"learn.next"_s);
    auto *morph = picture().morph();
    QVERIFY(morph->isVisible() && !picture().timeline()->isVisible());
    QVERIFY(morph->view()->morph());
    QVERIFY(morph->view()->morph()->toEnd < morph->view()->morph()->fromEnd);
    QTest::keyClick(morph->view(), Qt::Key_Space);
    QVERIFY(morph->isPlaying());
    QTest::keyClick(&m_fixture->window(), Qt::Key_Escape); // ends playing, and not the page
    QVERIFY(!morph->isPlaying() && m_fixture->window().learnPage().isVisible());
    QVERIFY(!m_fixture->find<QPushButton>(u"lesson.play"_s)->isVisible()); // the morph has its own
    QVERIFY(m_fixture->find<QLabel>(u"lesson.figures"_s)->text().contains(u"Before: iteration"_s));
    QApplication::processEvents(); // the step is laid out
    auto *play = picture().findChild<QPushButton *>(u"morph.play"_s);
    QVERIFY(play->isVisible() && play->isEnabled());
    QTest::mouseClick(play, Qt::LeftButton);
    QTRY_VERIFY(morph->view()->progress() > 0);
    m_fixture->click(u"lesson.morph"_s);
    QVERIFY(picture().timeline()->isVisible() && !morph->isPlaying());
    m_fixture->click(u"learn.next"_s);
    QVERIFY(picture().timeline()->isVisible());
}

void WindowLearn::aSceneZoomsFromAllGpusToOneProduct()
{
    auto &window = m_fixture->open();
    window.actions().learn->trigger();
    window.learnPage().showPage(u"scenes/4-from-16384-gpus.tour"_s);
    QTRY_VERIFY(picture().facts().value("ranks") == 16384.0);
    double share = 1;
    for (int step = 2; step <= 6; ++step) {
        m_fixture->click(u"learn.next"_s);
        QTRY_VERIFY2(picture().facts().value("part_share").value_or(2) < share, qPrintable(progress()));
        share = *picture().facts().value("part_share");
        QTRY_VERIFY2(!text().contains(u'–'), qPrintable(text()));
    }
    QVERIFY2(text().contains(u"3.57 TFLOP"_s) && text().contains(u"705 TFLOP/s"_s), qPrintable(text()));
    ui::TimelineView *view = picture().timeline();
    const timeline::Lane &lane = view->content().groups[0].timeline->lanes[3];
    std::size_t pass = 0;
    while (lane.pass[pass].kind != schedule::PassKind::F || lane.pass[pass].microbatch != 5)
        ++pass;
    const auto place = [&] { return view->placeOf(0, {3, pass}); };
    const auto shown = [&] { return place() & view->rect(); }; // the pass begins and ends outside of the picture
    QTRY_VERIFY2(shown().width() > view->width() / 2,
                 qPrintable(u"%1 + %2 of %3"_s.arg(place().left()).arg(place().width()).arg(view->width())));
    const QString hover = view->describe({view->width() * 2 / 3, shown().center().y()});
    QVERIFY2(hover.contains(u"Operator layer 5 gate, up: "_s) && hover.contains(u", 3.57 TFLOP of a rank at 705 TFLOP/s"_s),
             qPrintable(hover));
    // Back at all devices, nothing is left of the close-up.
    for (int step = 6; step > 1; --step)
        m_fixture->click(u"learn.back"_s);
    QTRY_VERIFY(!picture().facts().value("part_share") && view->placeOf(0, {15, 0}).isValid());
}

void WindowLearn::everyPageCanBeRead()
{
    auto &window = m_fixture->open();
    window.actions().learn->trigger();
    auto *contents = m_fixture->find<QTreeWidget>(u"learn.contents"_s);
    auto *text = m_fixture->find<QTextBrowser>(u"learn.text"_s);
    int pages = 0;
    for (QTreeWidgetItemIterator at(contents); *at; ++at) {
        if ((*at)->childCount() > 0)
            continue;
        contents->setCurrentItem(*at);
        QVERIFY2(contents->fontMetrics().horizontalAdvance((*at)->text(0)) < contents->visualItemRect(*at).width() ||
                     (*at)->parent()->text(0) == u"How Stagelens works"_s, // folded at first; its titles are long
                 qPrintable((*at)->text(0)));
        QVERIFY2(text->toPlainText().size() > 40, qPrintable((*at)->text(0)));
        ++pages;
    }
    QVERIFY(pages > 30);
}

void WindowLearn::aMethodsPageIsTriedOnThePlan()
{
    auto &window = m_fixture->open();
    window.actions().learn->trigger();
    auto *contents = m_fixture->find<QTreeWidget>(u"learn.contents"_s);
    contents->setCurrentItem(entry(u"VOCAB-2: split, 1 barrier"_s));
    m_fixture->click(u"learn.try"_s);
    QVERIFY(window.explorePage().isVisible());
    QVERIFY(window.document().experiment().schedule.vocabulary == model::VocabularyMethod::Vocab2);
    window.actions().learn->trigger();
    contents->setCurrentItem(entry(u"GPipe"_s));
    m_fixture->click(u"learn.try"_s);
    QCOMPARE(window.document().experiment().schedule.family, std::string("gpipe"));
    QVERIFY(window.forecast().problems().empty());
    window.actions().undo->trigger();
    QCOMPARE(window.document().experiment().schedule.family, std::string("1f1b"));
}

void WindowLearn::anExampleOpensInExplore()
{
    auto &window = m_fixture->open();
    window.actions().learn->trigger();
    for (const QString &title : {u"Demo: the slow last device"_s, u"4B GPT on 8 A100, vocabulary 256k"_s,
                                 u"Two schedules at equal memory"_s, u"Textbook 1F1B"_s}) {
        auto *example = entry(title);
        QVERIFY2(example, qPrintable(title));
        m_fixture->find<QTreeWidget>(u"learn.contents"_s)->setCurrentItem(example);
        QVERIFY(text().startsWith(title));
        QVERIFY2(picture().isVisible() && note().isEmpty(), qPrintable(note()));
        QVERIFY(!picture().timeline()->content().groups.empty());
    }
    QCOMPARE(picture().experiment().parallel.devices, 4);
    type(u"parallel.devices"_s, 6); // the picture lives
    QCOMPARE(picture().timeline()->content().groups[0].timeline->devices(), 6);
    m_fixture->click(u"lesson.reset"_s);
    m_fixture->click(u"lesson.open"_s);
    QVERIFY(window.explorePage().isVisible());
    QVERIFY(m_fixture->content().teachingUnits);
    QCOMPARE(window.document().title(), u"Textbook 1F1B"_s);
    QCOMPARE(window.document().experiment().parallel.devices, 4);
}

void WindowLearn::aTourIsWalkedThrough()
{
    openEntry(u"The bubble"_s);
    auto &window = m_fixture->window();
    QVERIFY2(text().contains(u"The iteration takes 12 units"_s) && text().contains(u"75 %"_s), qPrintable(text()));
    QCOMPARE(progress(), u"1 of 5"_s);
    QVERIFY(!m_fixture->find<QPushButton>(u"learn.back"_s)->isEnabled());
    QVERIFY(picture().timeline()->isVisible());
    QVERIFY(!m_fixture->find<QDockWidget>(u"dock.figures"_s)->isVisible()); // its plan is not this picture's
    type(u"parallel.devices"_s, 8);
    QVERIFY2(text().contains(u"The iteration takes 24 units"_s) && text().contains(u"88 %"_s), qPrintable(text()));
    QCOMPARE(picture().timeline()->content().groups[0].timeline->devices(), 8);
    m_fixture->click(u"learn.next"_s);
    QCOMPARE(progress(), u"2 of 5"_s);
    QVERIFY2(text().contains(u"43 %"_s), qPrintable(text())); // the step's own plan again
    QTest::keyClick(&window, Qt::Key_PageDown, Qt::ControlModifier);
    QCOMPARE(progress(), u"3 of 5"_s);
    QTest::keyClick(&window, Qt::Key_PageUp, Qt::ControlModifier);
    QCOMPARE(progress(), u"2 of 5"_s);
    for (int i = 0; i < 5; ++i)
        m_fixture->click(u"learn.next"_s);
    QCOMPARE(progress(), u"5 of 5"_s);
    QVERIFY(!m_fixture->find<QPushButton>(u"learn.next"_s)->isEnabled());
    QCOMPARE(picture().timeline()->content().groups.size(), 2U);
    QCOMPARE(picture().timeline()->content().groups[1].caption, u"Predicted · 1F1B"_s);
    QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier);
    QVERIFY(m_fixture->find<QDockWidget>(u"dock.figures"_s)->isVisible());
}

void WindowLearn::whatAChangeMakesUntrueIsSaid()
{
    openEntry(u"The bubble"_s);
    m_fixture->window().learnPage().lesson()->showStep(2);
    QVERIFY(note().isEmpty());
    auto *reset = m_fixture->find<QPushButton>(u"lesson.reset"_s);
    QVERIFY(!reset->isEnabled());
    type(u"parallel.microbatches"_s, 2);
    QVERIFY2(note().contains(u"no longer so: less than a fifth is bubble"_s), qPrintable(note()));
    QVERIFY2(!note().contains(u"waits (p - 1)"_s), "that still holds");
    QTest::mouseClick(reset, Qt::LeftButton);
    QVERIFY(!picture().isChanged());
    QVERIFY(!m_fixture->find<ui::MessageBar>(u"bar.lesson"_s)->isVisible());
}

void WindowLearn::aStepsPlanOpensInExplore()
{
    openEntry(u"The vocabulary bottleneck"_s);
    auto &window = m_fixture->window();
    window.learnPage().lesson()->showStep(3);
    m_fixture->click(u"lesson.open"_s);
    QVERIFY(window.explorePage().isVisible());
    const model::Experiment &experiment = window.document().experiment();
    QVERIFY(experiment.schedule.vocabulary == model::VocabularyMethod::Vocab2);
    QCOMPARE(experiment.model.vocabularySize, 262'144);
    QVERIFY2(window.windowTitle().contains(u"The vocabulary bottleneck"_s), qPrintable(window.windowTitle()));
    window.actions().undo->trigger();
    QCOMPARE(window.document().experiment().model.preset, std::string("gpt-demo"));
}

void WindowLearn::anIllegalChangeKeepsThePicture()
{
    openEntry(u"1F1B against GPipe"_s);
    type(u"parallel.devices"_s, 0);
    QVERIFY(picture().timeline()->content().stale);
    QCOMPARE(picture().timeline()->content().groups[0].timeline->devices(), 4);
    QVERIFY2(note().contains(u"The picture shows the plan before."_s), qPrintable(note()));
    type(u"parallel.devices"_s, 999);
    QVERIFY2(note().contains(u"999 devices are more than the 32 of this picture"_s), qPrintable(note()));
    QVERIFY(!m_fixture->find<QPushButton>(u"lesson.open"_s)->isEnabled());
    type(u"parallel.devices"_s, 6);
    QCOMPARE(picture().timeline()->content().groups[0].timeline->devices(), 6);
    QVERIFY(!picture().timeline()->content().stale);
}

/// The earlier picture stays until the answer arrives.
void WindowLearn::aLargePlanIsSimulatedElsewhere()
{
    m_fixture->open().actions().learn->trigger();
    m_fixture->window().learnPage().showPage(u"schedules/1f1b.md"_s);
    const auto shown = [this] { return picture().timeline()->content().groups.front().timeline; };
    const auto before = shown();
    ui::LivePlan large;
    large.experiment.hasModel = false;
    large.experiment.cost.source = model::UniformCosts{{{"F", 1}, {"B", 2}}, model::UniformPer::Device};
    large.experiment.parallel.devices = 32;
    large.experiment.parallel.microbatches = 256;
    large.range = std::pair<base::Nanos, base::Nanos>(0, 40'000'000);
    picture().showPlan(large, u"Large"_s);
    QCOMPARE(shown(), before);
    QTRY_COMPARE(shown()->devices(), 32);
    QVERIFY(picture().facts().value("iteration") && !picture().hasFailed());
    // A newer plan wins, whatever is under way.
    picture().showPlan(large, u"Large"_s);
    large.experiment.parallel.devices = 4;
    large.experiment.parallel.microbatches = 4;
    picture().showPlan(large, u"Small"_s);
    QCOMPARE(shown()->devices(), 4);
    QCoreApplication::processEvents();
    QCOMPARE(shown()->devices(), 4);
}

void WindowLearn::aFamilysPageHasALivePicture()
{
    openEntry(u"V-Half"_s);
    QVERIFY(picture().isVisible());
    QVERIFY(!m_fixture->find<QLabel>(u"learn.progress"_s)->isVisible());
    QCOMPARE(picture().experiment().schedule.family, std::string("v-half"));
    auto *figures = m_fixture->find<QLabel>(u"lesson.figures"_s);
    const QString before = figures->text();
    QVERIFY2(before.contains(u"microbatches held: at most 3"_s), qPrintable(before));
    type(u"parallel.devices"_s, 8);
    QVERIFY2(figures->text().contains(u"microbatches held: at most 5"_s), qPrintable(figures->text()));
    QVERIFY2(!figures->text().contains(u'<'), qPrintable(figures->text())); // it is shown as it is
    m_fixture->find<QTreeWidget>(u"learn.contents"_s)->setCurrentItem(entry(u"Glossary"_s));
    QVERIFY(!picture().isVisible());
}

void WindowLearn::thePictureIsPlayed()
{
    openEntry(u"The bubble"_s);
    auto &window = m_fixture->window();
    window.learnPage().lesson()->showStep(3);
    auto *bar = picture().findChild<ui::PlayBar *>();
    auto *view = picture().findChild<ui::ViewState *>();
    QCOMPARE(view->followed(), 2); // as the step says
    QTest::keyClick(picture().timeline(), Qt::Key_Space);
    QVERIFY(bar->isPlaying());
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(!bar->isVisible() && !view->playhead());
    QVERIFY(window.learnPage().isVisible()); // Escape ends one thing at a time
    QCOMPARE(view->followed(), 2);
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(window.explorePage().isVisible());
}

void WindowLearn::aChallengeIsSolvedByEditing()
{
    openEntry(u"A tenth of bubble"_s);
    auto *challenge = m_fixture->window().learnPage().findChild<ui::ChallengeBar *>();
    QVERIFY(challenge->isVisible() && !challenge->isSolved());
    QVERIFY2(challenge->text().startsWith(u"1 of 2 goals are met"_s), qPrintable(challenge->text()));
    QVERIFY2(challenge->text().contains(u"Not met yet: The bubble is below 10 %"_s), qPrintable(challenge->text()));
    type(u"parallel.microbatches"_s, 8);
    QVERIFY(!challenge->isSolved());
    type(u"parallel.microbatches"_s, 32);
    QVERIFY2(challenge->isSolved() && challenge->text().startsWith(u"Solved"_s), qPrintable(challenge->text()));
    type(u"parallel.microbatches"_s, 0); // of no plan
    QVERIFY(!challenge->isSolved());
    m_fixture->click(u"lesson.reset"_s);
    QVERIFY(!challenge->isSolved());
    m_fixture->find<QTreeWidget>(u"learn.contents"_s)->setCurrentItem(entry(u"The bubble"_s));
    QVERIFY(!challenge->isVisible());
}

void WindowLearn::aChallengeHelps()
{
    openEntry(u"A hidden fault"_s);
    QApplication::processEvents();
    auto *challenge = m_fixture->window().learnPage().findChild<ui::ChallengeBar *>();
    auto *hint = m_fixture->find<QLabel>(u"challenge.hint"_s);
    QVERIFY(!hint->isVisible() && !challenge->isSolved());
    m_fixture->click(u"challenge.ask"_s);
    QVERIFY(hint->isVisible() && hint->text().contains(u"layers"_s));
    m_fixture->click(u"challenge.show"_s);
    QVERIFY2(challenge->isSolved() && challenge->text().startsWith(u"This is a solution"_s), qPrintable(challenge->text()));
    QVERIFY(picture().isChanged());
    m_fixture->click(u"lesson.reset"_s);
    QVERIFY(!challenge->isSolved());
}

STAGELENS_TEST(WindowLearn)

} // namespace ui_learn_pages

#include "learn/pages.moc"
