// How the window shows its picture: as a table, in a presentation, played, with the critical path, without a run.
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/canvas/colours.h"
#include "ui/controllers/plan_controller.h"
#include "ui/morph/morph_panel.h"
#include "ui/pages/learn_page.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/inspector_panel.h"
#include "ui/panels/play_bar.h"
#include "ui/state/links.h"
#include "ui/sweep/sweep_page.h"

#include <QClipboard>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QToolButton>

namespace ui_window_picture {

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowPicture : public QObject {
    Q_OBJECT
private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }

    void theTableShowsTheSamePasses();
    void copyingFromTheTableGivesItsRows();
    void aMarkedRangeIsDescribedInThePanel();
    void theCriticalPathIsShownOnDemand();
    void playingTellsWhatHappens();
    void playingRevealsPassesAndFillsStacks();
    void theBaselineMorphsIntoThePlan();
    void oneMicrobatchIsFollowedStepByStep();
    void whatAPaperMeasuredStandsBesideThePrediction();
    void theExampleOfEqualMemoryIsOne();
    void presentationLeavesOnlyThePicture();
    void thePageInFrontIsPresented();
    void panesComeBackAsTheyWere();
    void compareAndSweepOwnTheWindow();
    void aFamilyRaisesAGhost();
    void measuredWithoutARunSaysSo();
    void findOpensOverThePicture();

private:
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void WindowPicture::theTableShowsTheSamePasses()
{
    auto &window = m_fixture->open();
    auto *view = window.findChild<ui::ViewState *>();
    auto *table = m_fixture->find<QTableView>(u"passes.table"_s);
    view->select(ui::ViewState::Selection{0, {1, 5}});
    window.actions().asTable->trigger();
    QVERIFY(table->isVisible());
    QVERIFY(!window.explorePage().timeline()->isVisible());
    QCOMPARE(table->model()->rowCount(), 4 * 16 * 2);
    QCOMPARE(table->currentIndex().row(), 16 * 2 + 5);
    QTest::keyClick(table, Qt::Key_Down);
    QCOMPARE(view->selection()->slice, (timeline::SliceId{1, 6}));
    const int row = table->currentIndex().row();
    QCOMPARE(table->model()->index(row, 0).data().toString(), u"Predicted"_s);
    QCOMPARE(table->model()->index(row, 1).data().toInt(), 1);
    window.controllers().plan->chooseMethod(model::VocabularyMethod::Vocab2);
    QVERIFY(table->model()->rowCount() > 4 * 16 * 2);
    window.actions().asTable->trigger();
    QVERIFY(window.explorePage().timeline()->isVisible());
}

void WindowPicture::copyingFromTheTableGivesItsRows()
{
    auto &window = m_fixture->open();
    auto *table = m_fixture->find<QTableView>(u"passes.table"_s);
    window.actions().asTable->trigger();
    table->selectionModel()->clearCurrentIndex(); // as other rows do
    const auto copied = [table] {
        QGuiApplication::clipboard()->setText(u"before"_s);
        QTest::keyClick(table, Qt::Key_C, Qt::ControlModifier);
        return QGuiApplication::clipboard()->text().split(u'\n');
    };
    const QStringList all = copied();
    QCOMPARE(all.size(), table->model()->rowCount() + 1); // with the header
    table->setCurrentIndex(table->model()->index(3, 2));
    QCOMPARE(copied(), (QStringList{all[0], all[4]}));
}

void WindowPicture::aMarkedRangeIsDescribedInThePanel()
{
    auto &window = m_fixture->open();
    auto *view = window.findChild<ui::ViewState *>();
    view->setMark(0, view->span() / 2);
    const QString text = window.findChild<ui::InspectorPanel *>()->text();
    QVERIFY2(text.startsWith(u"Range 0 ns to "_s) && text.contains(u"Device 3: busy "_s), qPrintable(text));
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(!view->mark());
}

void WindowPicture::theCriticalPathIsShownOnDemand()
{
    auto &window = m_fixture->open();
    auto *timeline = window.explorePage().timeline();
    QVERIFY(!m_fixture->content().groups[0].why);
    QTest::keyClick(timeline, Qt::Key_C);
    QVERIFY(window.actions().criticalPath->isChecked());
    QVERIFY(m_fixture->content().critical);
    const auto &steps = m_fixture->content().groups[0].why->path.steps;
    QCOMPARE(steps.back().end - steps.front().begin, m_fixture->content().groups[0].timeline->makespan());
    window.controllers().plan->chooseMethod(model::VocabularyMethod::Vocab2); // another plan, another path
    QVERIFY(m_fixture->content().groups[0].why);
    QTest::keyClick(timeline, Qt::Key_C);
    QVERIFY(!m_fixture->content().critical);
}

void WindowPicture::playingTellsWhatHappens()
{
    auto &window = m_fixture->open();
    auto *view = window.findChild<ui::ViewState *>();
    auto *timeline = window.explorePage().timeline();
    QTest::keyClick(timeline, Qt::Key_Space);
    QVERIFY(window.explorePage().playBar()->isPlaying());
    QTRY_VERIFY(view->playhead().value_or(0) > 0);
    const auto *button = m_fixture->find<QToolButton>(u"play.pause"_s);
    QCoreApplication::processEvents();
    const QRect place = button->geometry();
    QTest::keyClick(timeline, Qt::Key_Space);
    QVERIFY(!window.explorePage().playBar()->isPlaying());
    QCoreApplication::processEvents();
    QCOMPARE(button->geometry(), place); // although "Play" and "Pause" are not equally wide
    const auto *caption = m_fixture->find<QLabel>(u"play.caption"_s);
    QVERIFY2(caption->text().contains(u" of 4 devices work · "_s), qPrintable(caption->text()));
    m_fixture->find<QSpinBox>(u"play.follow"_s)->setValue(0);
    QVERIFY2(caption->text().contains(u"Microbatch 0"_s), qPrintable(caption->text()));
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(!view->playhead());
    const auto &group = m_fixture->content().groups[0];
    QCOMPARE(ui::playCaption(group, 0, 0, false), u"At 0 ns · Microbatch 0: F 0 on device 0"_s);
    const QString begin = ui::playCaption(group, 0, {}, false);
    QVERIFY2(begin.contains(u"1 of 4 devices work · device 0: F 0 · device 1 waits for F 0 of device 0 · "_s),
             qPrintable(begin));
}

void WindowPicture::playingRevealsPassesAndFillsStacks()
{
    auto &window = m_fixture->open();
    auto *view = window.findChild<ui::ViewState *>();
    auto *timeline = window.explorePage().timeline();
    const auto &group = m_fixture->content().groups[0];
    QApplication::processEvents();
    const timeline::Lane &lane = group.timeline->lanes[0];
    const QRect early = timeline->placeOf(0, {0, 0});
    const QRect late = timeline->placeOf(0, {0, lane.size() - 1});
    const auto colourIn = [&](const QRect &place) {
        return timeline->grab().toImage().pixelColor(QPoint(place.center().x(), place.top() + 3) *
                                                     timeline->devicePixelRatioF());
    };
    const QColor first = colourIn(early);
    const QColor last = colourIn(late);
    const QColor track = ui::coloursFor(timeline->palette()).lane;
    window.explorePage().playBar()->stepTo(true);
    view->setPlayhead(lane.end[0] + 1);
    QApplication::processEvents();
    QCOMPARE(colourIn(early), first);
    const QColor hidden = colourIn(late);
    QVERIFY2(std::abs(hidden.lightness() - track.lightness()) < 12 && hidden != last, qPrintable(hidden.name()));
    // In place of the load bar the stack: it grows from one activation to those that wait for their backward.
    const auto stackOf = [&] {
        const QRect header(0, early.top(), early.left() - 8, early.height());
        const QImage image = timeline->grab().toImage();
        const QColor block = ui::coloursFor(timeline->palette()).pass(schedule::PassKind::F);
        int painted = 0;
        for (int x = header.left(); x < header.right(); ++x)
            painted += image.pixelColor(QPoint(x, header.center().y() + 8) * timeline->devicePixelRatioF()) == block ? 1 : 0;
        return painted;
    };
    view->setPlayhead(lane.end[0] - 1); // the next forward has not begun
    QApplication::processEvents();
    const int one = stackOf();
    QVERIFY(one > 0);
    view->setPlayhead(lane.begin[4] - 1); // 1F1B holds four on device 0 before its first backward
    QApplication::processEvents();
    QVERIFY2(stackOf() > 3 * one, qPrintable(u"%1 and %2"_s.arg(one).arg(stackOf())));
    QCOMPARE(ui::waitReason(group, 0, lane.begin[4] - 1), u"waits for the message of B 0 from device 1"_s);
    QVERIFY(ui::waitReason(group, 0, lane.begin[0]).isEmpty());
    QCOMPARE(ui::waitReason(group, 0, group.timeline->makespan()), u"done"_s);
    QTest::keyClick(&window, Qt::Key_Escape);
    QApplication::processEvents();
    QCOMPARE(colourIn(late), last);
    QCOMPARE(stackOf(), 0);
}

void WindowPicture::theBaselineMorphsIntoThePlan()
{
    auto &window = m_fixture->open();
    QTest::keyClick(&window, Qt::Key_M, Qt::ControlModifier);
    auto *morph = window.explorePage().morph();
    QVERIFY(morph->isVisible());
    QVERIFY(!morph->view()->morph()); // the plan is its own baseline, and the view says so
    window.controllers().plan->chooseMethod(model::VocabularyMethod::Vocab2);
    QTRY_VERIFY(morph->view()->morph());
    QVERIFY(morph->view()->morph()->toEnd < morph->view()->morph()->fromEnd);
    QTest::keyClick(morph->view(), Qt::Key_End);
    QCOMPARE(morph->view()->progress(), 1.0);
    window.actions().play->trigger();
    QVERIFY(morph->isPlaying() && !window.explorePage().playBar()->isPlaying());
    window.actions().asTable->trigger(); // the table replaces the animation
    QVERIFY(!window.actions().morph->isChecked() && !morph->isVisible() && !morph->isPlaying());
    window.actions().morph->trigger();
    QVERIFY(!window.actions().asTable->isChecked() && morph->isVisible());
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(window.explorePage().timeline()->isVisible());
}

void WindowPicture::oneMicrobatchIsFollowedStepByStep()
{
    auto &window = m_fixture->open();
    auto *view = window.findChild<ui::ViewState *>();
    auto *bar = window.explorePage().playBar();
    const auto &group = m_fixture->content().groups[0];
    QApplication::processEvents();
    const QRect unplayed = window.explorePage().timeline()->placeOf(0, {0, 1});
    const QColor plain = window.explorePage().timeline()->grab().toImage().pixelColor(unplayed.center());
    bar->stepTo(true);
    QVERIFY(bar->isVisible() && !bar->isPlaying());
    QCOMPARE(*view->playhead(), group.timeline->lanes[0].end[0]);
    m_fixture->click(u"play.earlier"_s);
    QCOMPARE(*view->playhead(), 0);
    auto *follow = m_fixture->find<QSpinBox>(u"play.follow"_s);
    QCOMPARE(follow->maximum(), 15); // of 16 microbatches
    QApplication::processEvents();
    const QRect other = window.explorePage().timeline()->placeOf(0, {0, 1}); // F 1 on device 0
    const auto colour = [&] { return window.explorePage().timeline()->grab().toImage().pixelColor(other.center()); };
    const auto faded = [&] { return std::abs(colour().red() - plain.red()); }; // F is blue
    follow->setValue(0);
    QCOMPARE(view->followed(), 0);
    QApplication::processEvents();
    const int hidden = faded(); // it has not begun
    for (int i = 0; i < 9; ++i)
        m_fixture->click(u"play.later"_s);
    QVERIFY(*view->playhead() >= group.timeline->lanes[0].end[1]);
    QApplication::processEvents();
    QVERIFY2(faded() > 20 && faded() + 20 < hidden, "passes of other microbatches are dimmed, and hidden before they begin");
    const auto *caption = m_fixture->find<QLabel>(u"play.caption"_s);
    QVERIFY2(caption->text().contains(u"Microbatch 0"_s), qPrintable(caption->text()));
    // A magnified view goes along with the playhead.
    view->zoom(0, 30);
    view->setPlayhead(view->end() - 1);
    m_fixture->click(u"play.later"_s);
    QVERIFY(*view->playhead() >= view->begin() && *view->playhead() < view->end());
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(!view->followed());
    view->fit();
    QApplication::processEvents();
    QCOMPARE(window.explorePage().timeline()->grab().toImage().pixelColor(unplayed.center()), plain);
}

void WindowPicture::whatAPaperMeasuredStandsBesideThePrediction()
{
    const QString examples = qEnvironmentVariable("STAGELENS_RESOURCES") + u"/examples/"_s;
    auto &window = m_fixture->open(examples + u"gpt-4b-8xa100-256k.stagelens.json"_s);
    const auto *iteration = m_fixture->find<QLabel>(u"metrics.iteration.published"_s);
    QVERIFY2(iteration->isVisible() && iteration->text().startsWith(u"Published: 24.0 s (predicted "_s),
             qPrintable(iteration->text()));
    QVERIFY(iteration->toolTip().contains(u"2411.05288"_s));
    QVERIFY(m_fixture->content().published);
    QCOMPARE(m_fixture->content().published->text, u"Published 24.0 s"_s);
    window.controllers().plan->chooseMethod(model::VocabularyMethod::Vocab2);
    QCOMPARE(m_fixture->content().published->text, u"Published 12.7 s"_s);
    model::Experiment other = window.document().experiment();
    other.parallel.microbatches = 64; // nobody has published that
    window.document().edit(u"parallel.microbatches"_s, u"Microbatches"_s, other);
    QVERIFY(!m_fixture->content().published && !iteration->isVisible());
}

void WindowPicture::theExampleOfEqualMemoryIsOne()
{
    const QString examples = qEnvironmentVariable("STAGELENS_RESOURCES") + u"/examples/"_s;
    m_fixture->open(examples + u"two-schedules-equal-memory.stagelens.json"_s);
    QCOMPARE(m_fixture->find<QLabel>(u"metrics.memory.change"_s)->text(), u"±0 %"_s);
    const QString change = m_fixture->find<QLabel>(u"metrics.iteration.change"_s)->text();
    QVERIFY2(change.startsWith(u'−'), qPrintable(change)); // in less time than the baseline
}

void WindowPicture::presentationLeavesOnlyThePicture()
{
    auto &window = m_fixture->open();
    m_fixture->openSettings();
    auto *editor = m_fixture->find<QDockWidget>(u"dock.experiment"_s);
    const auto pixels = [&window] { return QFontInfo(window.explorePage().timeline()->font()).pixelSize(); };
    const int before = pixels();
    QTest::keyClick(&window, Qt::Key_F11);
    QVERIFY(!editor->isVisible());
    QVERIFY(window.explorePage().timeline()->isVisible());
    QVERIFY(pixels() >= 24);
    auto *title = m_fixture->find<QLabel>(u"presentation.title"_s);
    QVERIFY(title->isVisible() && QFontInfo(title->font()).pixelSize() >= 24);
    QCOMPARE(title->text(), u"Demo GPT, vocabulary 8,192: 1F1B · 4 devices × 16 microbatches, on this computer"_s);
    for (const QLabel *label : window.explorePage().findChildren<QLabel *>())
        QVERIFY2(!label->isVisible() || label->text().isEmpty() || QFontInfo(label->font()).pixelSize() >= 24,
                 qPrintable(label->objectName() + u": "_s + label->text()));
    QVERIFY(!window.menuWidget()->isVisible()); // with the line below it
    auto *bar = window.explorePage().playBar();
    QVERIFY(bar->isVisible()); // the bar is there before anything is played, with words that say how
    QVERIFY(!window.findChild<ui::ViewState *>()->playhead());
    QVERIFY(m_fixture->find<QLabel>(u"play.caption"_s)->text().startsWith(u"Space plays "_s));
    QTest::keyClick(window.explorePage().timeline(), Qt::Key_Space);
    QVERIFY(bar->isPlaying());
    auto *caption = m_fixture->find<QLabel>(u"play.caption"_s);
    for (int moment = 0; moment < 24; ++moment) { // the whole sentence is seen
        m_fixture->click(u"play.later"_s);
        QApplication::processEvents();
        const QRect room(0, 0, caption->width(), QWIDGETSIZE_MAX);
        const int needed = caption->fontMetrics().boundingRect(room, Qt::TextWordWrap, caption->text()).height();
        QVERIFY2(caption->height() >= needed, qPrintable(caption->text()));
    }
    bar->stop();
    QVERIFY(bar->isVisible());
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(editor->isVisible());
    QCOMPARE(pixels(), before);
    QVERIFY(!title->isVisible());
    QVERIFY(!bar->isVisible());
    QVERIFY(window.menuWidget()->isVisible());
    QVERIFY(!window.isFullScreen());
}

void WindowPicture::thePageInFrontIsPresented()
{
    auto &window = m_fixture->open();
    const auto *contents = m_fixture->find<QWidget>(u"learn.contents"_s);
    for (auto [mode, page] : {std::pair<QAction *, QWidget *>{window.actions().learn, &window.learnPage()},
                              {window.actions().compare, &window.comparePanel()},
                              {window.actions().sweep, &window.sweepPage()}}) {
        mode->trigger();
        const int before = QFontInfo(page->font()).pixelSize();
        QTest::keyClick(&window, Qt::Key_F11);
        QVERIFY(page->isVisible() && !window.explorePage().isVisible());
        QVERIFY(mode->isChecked());
        QVERIFY(QFontInfo(page->font()).pixelSize() >= std::max(24, before));
        QVERIFY(!window.menuWidget()->isVisible() && !window.runsPanel().isVisible());
        QVERIFY(!contents->isVisible());
        QTest::keyClick(&window, Qt::Key_Escape);
        QVERIFY(page->isVisible() && window.menuWidget()->isVisible() && !window.isFullScreen());
        QCOMPARE(QFontInfo(page->font()).pixelSize(), before);
        QCOMPARE(contents->isVisible(), mode == window.actions().learn);
    }
}

void WindowPicture::panesComeBackAsTheyWere()
{
    auto &window = m_fixture->open();
    m_fixture->openSettings();
    const QList<QDockWidget *> docks = {m_fixture->find<QDockWidget>(u"dock.experiment"_s),
                                        m_fixture->find<QDockWidget>(u"dock.figures"_s),
                                        m_fixture->find<QDockWidget>(u"dock.runs"_s)};
    QVERIFY(!docks[2]->isVisible()); // folded
    window.resizeDocks({docks[0]}, {333}, Qt::Horizontal);
    QTest::qWait(1);
    const auto placed = [&docks] {
        QList<QRect> places;
        for (const QDockWidget *dock : docks)
            places << (dock->isVisible() ? dock->geometry() : QRect());
        return places;
    };
    const QList<QRect> before = placed();
    QCOMPARE(before[0].width(), 333);
    const auto &actions = window.actions();
    // Learn within a presentation, a presentation within Learn, and out of them in either order.
    const QList<QList<QAction *>> ways = {{actions.presentation, actions.learn, actions.presentation, actions.explore},
                                          {actions.learn, actions.presentation, actions.presentation, actions.explore},
                                          {actions.learn, actions.presentation, actions.explore, actions.presentation},
                                          {actions.sweep, actions.presentation, actions.presentation, actions.explore},
                                          {actions.compare, actions.learn, actions.sweep, actions.explore}};
    for (const QList<QAction *> &way : ways) {
        for (QAction *step : way) {
            step->trigger();
            QTest::qWait(1);
            const bool away = actions.presentation->isChecked() || !actions.explore->isChecked();
            QCOMPARE(docks[0]->isVisible(), !away);
            QVERIFY(!docks[2]->isVisible());
        }
        QTRY_COMPARE(placed(), before);
    }
    // Panes behind one another: the one in front is in front again.
    window.resize(1100, 800);
    QTest::qWait(1);
    QVERIFY(!docks[1]->isVisible());
    docks[1]->toggleViewAction()->trigger();
    QTRY_VERIFY(docks[0]->visibleRegion().isEmpty() && !docks[1]->visibleRegion().isEmpty());
    for (QAction *step : {actions.learn, actions.explore, actions.presentation, actions.presentation}) {
        step->trigger();
        QTest::qWait(1);
    }
    QTRY_VERIFY(docks[0]->visibleRegion().isEmpty() && !docks[1]->visibleRegion().isEmpty());
}

void WindowPicture::compareAndSweepOwnTheWindow()
{
    auto &window = m_fixture->open();
    m_fixture->openSettings();
    auto *settings = m_fixture->find<QDockWidget>(u"dock.experiment"_s);
    auto *figures = m_fixture->find<QDockWidget>(u"dock.figures"_s);
    auto *runs = m_fixture->find<QDockWidget>(u"dock.runs"_s);
    const auto shown = [&] { return QList<bool>{settings->isVisible(), figures->isVisible(), runs->isVisible()}; };
    m_fixture->click(u"runs.fold"_s);
    QCOMPARE(shown(), (QList<bool>{true, true, true}));
    QTest::qWait(1); // the runs get their room
    const QRect place = settings->geometry();
    for (const Qt::Key page : {Qt::Key_2, Qt::Key_3}) {
        QTest::keyClick(&window, page, Qt::ControlModifier);
        QCOMPARE(shown(), (QList<bool>{false, false, true})); // the runs are everyone's
    }
    QTest::keyClick(&window, Qt::Key_4, Qt::ControlModifier);
    QCOMPARE(shown(), (QList<bool>{false, false, false}));
    QTest::keyClick(&window, Qt::Key_3, Qt::ControlModifier);
    QCOMPARE(shown(), (QList<bool>{false, false, true}));
    QTest::keyClick(&window, Qt::Key_1, Qt::ControlModifier);
    QCOMPARE(shown(), (QList<bool>{true, true, true}));
    QTRY_COMPARE(settings->geometry(), place);
}

void WindowPicture::aFamilyRaisesAGhost()
{
    auto &window = m_fixture->open();
    QTRY_VERIFY(window.forecast().familyOptions().options.size() > 3);
    window.explorePage().setGhostFamily(u"gpipe"_s);
    QVERIFY(m_fixture->content().ghost.has_value());
    QVERIFY(m_fixture->content().ghost->text.startsWith(u"GPipe: "_s));
    window.explorePage().setGhostFamily({});
    QVERIFY(!m_fixture->content().ghost.has_value());
}

void WindowPicture::measuredWithoutARunSaysSo()
{
    auto &window = m_fixture->open();
    m_fixture->click(u"shown.Measured"_s);
    auto *bar = m_fixture->find<ui::MessageBar>(u"bar.provenance"_s);
    QVERIFY(bar->isVisible());
    QCOMPARE(bar->text(), u"Nothing was measured yet: this is the prediction."_s);
    QCOMPARE(m_fixture->content().groups[0].caption, u"Predicted"_s);
    m_fixture->usePlanForTraining(3);
    m_fixture->click(u"bar.provenance.Train this plan"_s);
    QTRY_VERIFY(window.runController().shown() && !window.runController().isTraining());
    QVERIFY(!bar->isVisible() || !bar->text().startsWith(u"Nothing"_s));
}

void WindowPicture::findOpensOverThePicture()
{
    auto &window = m_fixture->open();
    QCOMPARE(window.actions().find->shortcut().toString(), u"Ctrl+F"_s);
    QTest::keyClick(&window, Qt::Key_F, Qt::ControlModifier);
    auto *edit = window.explorePage().timeline()->findChild<QLineEdit *>(u"search.text"_s);
    QVERIFY(edit->isVisible());
    edit->setFocus();
    QTest::keyClicks(edit, u"B 3"_s);
    const auto selection = window.findChild<ui::ViewState *>()->selection();
    QVERIFY(selection.has_value());
    const auto &lane = m_fixture->content().groups[0].timeline->lanes[static_cast<std::size_t>(selection->slice.device)];
    QCOMPARE(lane.pass[selection->slice.index].microbatch, 3);
}

STAGELENS_TEST(WindowPicture)

} // namespace ui_window_picture

#include "window_picture.moc"
