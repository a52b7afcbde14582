// Challenges whose passes are moved: by mouse and keyboard, with a score, undo and reset.
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/learn/challenge_bar.h"
#include "ui/learn/lesson_picture.h"
#include "ui/pages/learn_page.h"
#include "ui/pages/lesson_view.h"

#include <QLabel>
#include <QPushButton>

namespace ui_learn_reorder {

using namespace stagelens;
using namespace Qt::StringLiterals;
using schedule::PassKind;

class WindowReorder : public QObject {
    Q_OBJECT
private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }
    void aDraggedPassChangesTheScore();
    void anInvalidOrderIsExplained();
    void theChallengeIsSolvedWithTheMouse();
    void theChallengeIsSolvedWithTheKeyboard();
    void undoIsOfThePicture();
    void theSolutionIsAnOrder();
    void otherLessonsMoveNothing();

private:
    void show(const QString &challenge)
    {
        auto &window = m_fixture->open();
        window.actions().learn->trigger();
        window.learnPage().showPage(u"challenges/"_s + challenge);
        QApplication::processEvents();
        QApplication::processEvents(); // the picture is laid out after the text
    }
    ui::LessonPicture &picture() { return *m_fixture->window().learnPage().lesson()->picture(); }
    ui::ChallengeBar &challenge() { return *m_fixture->window().learnPage().findChild<ui::ChallengeBar *>(); }
    QString score() { return m_fixture->find<QLabel>(u"lesson.score"_s)->text(); }
    QString note() { return m_fixture->find<ui::MessageBar>(u"bar.lesson"_s)->text(); }
    const timeline::Lane &lane(int device)
    {
        return picture().timeline()->content().groups[0].timeline->lanes[static_cast<std::size_t>(device)];
    }
    /// "F0 F1 B0 B1".
    QString order(int device)
    {
        QStringList words;
        for (const schedule::Pass &pass : lane(device).pass)
            words << QString::fromUtf8(schedule::name(pass.kind)) + QString::number(pass.microbatch);
        return words.join(u' ');
    }
    std::size_t indexOf(int device, PassKind kind, int microbatch)
    {
        for (std::size_t i = 0; i < lane(device).size(); ++i)
            if (lane(device).pass[i].kind == kind && lane(device).pass[i].microbatch == microbatch)
                return i;
        qFatal("no such pass");
    }
    /// Carries a pass into the left half of another.
    void drag(int device, std::size_t slice, std::size_t before, bool drop = true)
    {
        ui::TimelineView *view = picture().timeline();
        const QRect place = view->placeOf(0, {device, before});
        const QPoint begin = view->placeOf(0, {device, slice}).center();
        const QPoint target(place.left() + place.width() / 4, place.center().y());
        QTest::mousePress(view, Qt::LeftButton, {}, begin);
        QTest::mouseMove(view, begin + (target - begin) / 2);
        QTest::mouseMove(view, target);
        if (drop)
            QTest::mouseRelease(view, Qt::LeftButton, {}, target);
        QCoreApplication::processEvents();
    }
    void dragBefore(int device, PassKind kind, int microbatch, PassKind beforeKind, int beforeMicrobatch)
    {
        drag(device, indexOf(device, kind, microbatch), indexOf(device, beforeKind, beforeMicrobatch));
    }
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void WindowReorder::aDraggedPassChangesTheScore()
{
    show(u"6-1f1b-by-hand.tour"_s);
    QVERIFY(m_fixture->find<QLabel>(u"lesson.score"_s)->isVisible() && m_fixture->find<QLabel>(u"lesson.how"_s)->isVisible());
    QCOMPARE(
        score(),
        u"Makespan 18 units, goal 18 units · 4 microbatches held, cap 3 · no score above the cap (lower bound 18 units)"_s);
    QCOMPARE(order(2), u"F0 F1 F2 F3 B0 B1 B2 B3"_s);
    QVERIFY(!picture().isChanged() && !challenge().isSolved());
    dragBefore(2, PassKind::B, 0, PassKind::F, 3);
    QCOMPARE(order(2), u"F0 F1 F2 B0 F3 B1 B2 B3"_s);
    QVERIFY2(score().contains(u"4 microbatches held, cap 3"_s), qPrintable(score())); // of the others
    QCOMPARE(picture().experiment().schedule.family, std::string("custom"));
    QVERIFY(picture().isChanged());
    for (const int device : {1, 0})
        dragBefore(device, PassKind::B, 0, PassKind::F, 3);
    // The cap is kept, but nothing is won: the iteration is longer.
    QCOMPARE(score(), u"Makespan 24 units, goal 18 units · 3 microbatches held, cap 3 · score 75 % (lower bound 18 units)"_s);
    QVERIFY2(challenge().text().contains(u"\nMet: No device holds"_s) && !challenge().isSolved(),
             qPrintable(challenge().text()));
    const auto &content = picture().timeline()->content();
    QVERIFY(content.baseline && content.ghost);
    QCOMPARE(content.baseline->end, base::Nanos{18'000'000});
}

/// By the words of the validator, while the pass is held and when it is let go.
void WindowReorder::anInvalidOrderIsExplained()
{
    show(u"6-1f1b-by-hand.tour"_s);
    ui::TimelineView *view = picture().timeline();
    drag(0, indexOf(0, PassKind::B, 0), indexOf(0, PassKind::F, 3), false);
    QCOMPARE(view->cursor().shape(), Qt::ForbiddenCursor);
    const QRect place = view->placeOf(0, {0, indexOf(0, PassKind::F, 3)});
    QTest::mouseRelease(view, Qt::LeftButton, {}, {place.left() + place.width() / 4, place.center().y()});
    QVERIFY2(note().startsWith(u"The pass stays where it is. "_s) && note().contains(u"device"_s), qPrintable(note()));
    QCOMPARE(order(0), u"F0 F1 F2 F3 B0 B1 B2 B3"_s);
    QVERIFY(!picture().isChanged() && !picture().hasFailed());
    dragBefore(2, PassKind::B, 0, PassKind::F, 3);
    QVERIFY(!m_fixture->find<ui::MessageBar>(u"bar.lesson"_s)->isVisible()); // what is possible takes the words away
    // A backward before its own forward.
    drag(2, indexOf(2, PassKind::B, 3), indexOf(2, PassKind::F, 3));
    QVERIFY2(note().contains(u"B3"_s) || note().contains(u"B 3"_s), qPrintable(note()));
    // Escape lets go of a pass, and does not leave Learn.
    drag(2, indexOf(2, PassKind::B, 1), indexOf(2, PassKind::F, 3), false);
    QTest::keyClick(view, Qt::Key_Escape);
    QTest::mouseRelease(view, Qt::LeftButton, {}, view->rect().center());
    QVERIFY(m_fixture->window().learnPage().isVisible());
    QCOMPARE(order(2), u"F0 F1 F2 B0 F3 B1 B2 B3"_s);
}

void WindowReorder::theChallengeIsSolvedWithTheMouse()
{
    show(u"6-1f1b-by-hand.tour"_s);
    for (int microbatch = 0; microbatch < 3; ++microbatch)
        dragBefore(2, PassKind::B, microbatch, PassKind::F, microbatch + 1);
    for (int microbatch = 0; microbatch < 2; ++microbatch)
        dragBefore(1, PassKind::B, microbatch, PassKind::F, microbatch + 2);
    QVERIFY(!challenge().isSolved());
    dragBefore(0, PassKind::B, 0, PassKind::F, 3);
    QVERIFY2(challenge().isSolved() && challenge().text().startsWith(u"Solved"_s), qPrintable(score() + order(2)));
    QCOMPARE(score(), u"Makespan 18 units, goal 18 units · 3 microbatches held, cap 3 · score 100 % (lower bound 18 units)"_s);
    m_fixture->click(u"lesson.reset"_s);
    QVERIFY(!challenge().isSolved() && !picture().isChanged());
    QCOMPARE(order(2), u"F0 F1 F2 F3 B0 B1 B2 B3"_s);
    QVERIFY(!m_fixture->find<QPushButton>(u"lesson.undo"_s)->isEnabled());
}

void WindowReorder::theChallengeIsSolvedWithTheKeyboard()
{
    show(u"7-weight-gradients-can-wait.tour"_s);
    QVERIFY2(score().startsWith(u"Makespan 13 units, goal 11 units · 3 microbatches held, cap 3"_s), qPrintable(score()));
    ui::TimelineView *view = picture().timeline();
    view->setFocus(Qt::TabFocusReason);
    auto *state = picture().findChild<ui::ViewState *>();
    const auto later = [&](int device, int microbatch, int places) {
        // The arrow keys reach the pass: lanes first, then along one.
        if (!state->selection())
            QTest::keyClick(view, Qt::Key_Right);
        while (state->selection()->slice.device != device)
            QTest::keyClick(view, state->selection()->slice.device < device ? Qt::Key_Down : Qt::Key_Up);
        const auto to = indexOf(device, PassKind::W, microbatch);
        while (state->selection()->slice.index != to)
            QTest::keyClick(view, state->selection()->slice.index < to ? Qt::Key_Right : Qt::Key_Left);
        for (int i = 0; i < places; ++i)
            QTest::keyClick(view, Qt::Key_Right, Qt::AltModifier | Qt::ShiftModifier);
        QCoreApplication::processEvents();
    };
    later(2, 0, 4); // behind F1 I1 W1? step by step: F1, I1, W1, F2
    later(2, 1, 3);
    QVERIFY2(!challenge().isSolved(), qPrintable(score()));
    later(2, 0, 1);
    later(1, 0, 2);
    later(1, 1, 1);
    QVERIFY2(challenge().isSolved(), qPrintable(score() + u'\n' + order(1) + u'\n' + order(2)));
    QVERIFY2(score().startsWith(u"Makespan 11 units"_s), qPrintable(score()));
}

void WindowReorder::undoIsOfThePicture()
{
    show(u"6-1f1b-by-hand.tour"_s);
    auto &window = m_fixture->window();
    const model::Experiment inExplore = window.document().experiment();
    model::Experiment edited = inExplore;
    edited.parallel.microbatches = 12;
    window.document().edit(u"parallel.microbatches"_s, u"Microbatches"_s, edited);
    window.document().closeGesture();
    auto *undo = m_fixture->find<QPushButton>(u"lesson.undo"_s);
    QVERIFY(!undo->isEnabled());
    for (const int device : {2, 1})
        dragBefore(device, PassKind::B, 0, PassKind::F, 3);
    QVERIFY(undo->isEnabled());
    picture().timeline()->setFocus();
    QTest::keyClick(picture().timeline(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(order(1), u"F0 F1 F2 F3 B0 B1 B2 B3"_s);
    QCOMPARE(order(2), u"F0 F1 F2 B0 F3 B1 B2 B3"_s);
    QTest::keyClick(picture().timeline(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(order(1), u"F0 F1 F2 B0 F3 B1 B2 B3"_s);
    m_fixture->click(u"lesson.undo"_s);
    m_fixture->click(u"lesson.undo"_s);
    QVERIFY(!picture().isChanged() && !undo->isEnabled());
    QCOMPARE(window.document().experiment().parallel.microbatches, 12); // Explore's plan is another one
}

void WindowReorder::theSolutionIsAnOrder()
{
    show(u"7-weight-gradients-can-wait.tour"_s);
    m_fixture->click(u"challenge.show"_s);
    QVERIFY2(challenge().isSolved() && challenge().text().startsWith(u"This is a solution"_s), qPrintable(challenge().text()));
    QCOMPARE(order(2), u"F0 I0 F1 I1 F2 I2 W0 W1 W2"_s);
    m_fixture->click(u"lesson.undo"_s);
    QVERIFY(!challenge().isSolved());
    QCOMPARE(order(2), u"F0 I0 W0 F1 I1 W1 F2 I2 W2"_s);
    m_fixture->click(u"challenge.show"_s);
    m_fixture->click(u"lesson.open"_s);
    QVERIFY(m_fixture->window().explorePage().isVisible());
    QCOMPARE(m_fixture->window().document().experiment().schedule.family, std::string("custom"));
    QVERIFY(m_fixture->window().forecast().problems().empty());
}

void WindowReorder::otherLessonsMoveNothing()
{
    show(u"6-1f1b-by-hand.tour"_s);
    dragBefore(2, PassKind::B, 0, PassKind::F, 3);
    m_fixture->window().learnPage().showPage(u"challenges/2-fewer-activations.tour"_s);
    QVERIFY(!m_fixture->find<QLabel>(u"lesson.score"_s)->isVisible());
    QApplication::processEvents();
    QApplication::processEvents();
    const QString before = order(3);
    drag(3, indexOf(3, PassKind::B, 0), indexOf(3, PassKind::F, 7));
    QCOMPARE(order(3), before);
    QVERIFY(!picture().isChanged());
    m_fixture->window().learnPage().showPage(u"challenges/6-1f1b-by-hand.tour"_s);
    QCOMPARE(order(2), u"F0 F1 F2 F3 B0 B1 B2 B3"_s);
}

STAGELENS_TEST(WindowReorder)

} // namespace ui_learn_reorder

#include "learn/reorder.moc"
