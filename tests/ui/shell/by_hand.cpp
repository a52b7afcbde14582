// What a person does with menus, links, keys and the wheel, on real widgets.
#include "engine/model/what_if.h"
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/controllers/file_controller.h"
#include "ui/strip/choice_menu.h"
#include "ui/strip/plan_chip.h"

#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace ui_shell_by_hand {

using namespace stagelens;
using namespace Qt::StringLiterals;

class ShellByHand : public QObject {
    Q_OBJECT
private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }
    void theDeviceOfTheVerdictLeadsToItsLane();
    void theVerdictCutsTheLayersAroundASlowDevice();
    void aModelIsChosenFromItsChip();
    void theLanguageIsChosenFromTheMenu();
    void theWindowComesBackWhereItWas();
    void theKeysAreShownByTheirKey();
    void theWheelZoomsAndKeysSizeTheLanes();
    void aPassIsPulledLonger();
    void aMessageIsPulledLonger();

private:
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void ShellByHand::theDeviceOfTheVerdictLeadsToItsLane()
{
    auto &window = m_fixture->open();
    auto *sentence = m_fixture->find<QLabel>(u"headline.text"_s);
    QTRY_VERIFY(sentence->accessibleName().startsWith(u"Device 3 "_s));
    window.explorePage().timeline()->clearFocus();
    // The name begins the first of two lines.
    QTest::mouseClick(sentence, Qt::LeftButton, {}, QPoint(20, sentence->height() / 4));
    QVERIFY(window.explorePage().timeline()->hasFocus());
}

void ShellByHand::theVerdictCutsTheLayersAroundASlowDevice()
{
    auto &window = m_fixture->open();
    model::Experiment plan = window.document().experiment();
    plan.model.layers = 16;
    plan.schedule.vocabulary = model::VocabularyMethod::Vocab2;
    plan.parallel.microbatches = 64;
    plan.cost.source = model::HardwarePreset{"a100-80gb"};
    plan.whatIf.slow = "1=3";
    window.document().edit(u"what_if.slow"_s, u"Slow device"_s, plan);
    auto *action = m_fixture->find<QPushButton>(u"headline.action"_s);
    QTRY_VERIFY2_WITH_TIMEOUT(action->isVisible() && action->text().startsWith(u"Try layers "_s), qPrintable(action->text()),
                              test::kPatience);
    const base::Nanos before = window.forecast().plan()->metrics.iteration;
    QTest::mouseClick(action, Qt::LeftButton);
    const std::vector<int> cut = window.document().experiment().parallel.stageLayers;
    QCOMPARE(cut.size(), std::size_t{4});
    QCOMPARE(cut[1], std::ranges::min(cut));
    QTRY_VERIFY(window.forecast().plan()->metrics.iteration * 5 < before * 4);
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(window.document().experiment().parallel.stageLayers != cut);
}

void ShellByHand::aModelIsChosenFromItsChip()
{
    auto &window = m_fixture->open();
    auto *chip = m_fixture->find<ui::PlanChip>(u"strip.chip.model"_s);
    QTest::mouseClick(chip, Qt::LeftButton, {}, QPoint(chip->width() - 12, chip->height() / 2));
    test::WindowFixture::choose(m_fixture->find<ui::ChoiceMenu>(u"strip.model.preset"_s), u"4B GPT"_s);
    if (QTest::currentTestFailed())
        return;
    QCOMPARE(window.document().experiment().model.preset, std::string("gpt-4b"));
    QVERIFY2(chip->value().startsWith(u"4B GPT"_s), qPrintable(chip->value()));
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(window.document().experiment().model.preset != "gpt-4b");
}

void ShellByHand::theLanguageIsChosenFromTheMenu()
{
    m_fixture->open();
    m_fixture->walkMenus({u"View"_s, u"Language"_s, u"English"_s});
    if (QTest::currentTestFailed())
        return;
    QVERIFY(!QApplication::activePopupWidget());
    QTRY_COMPARE(ui::windowSettings()->value(u"language"_s).toString(), u"en"_s);
    const auto buttons = m_fixture->find<ui::MessageBar>(u"bar.notice"_s)->findChildren<QPushButton *>();
    QVERIFY(std::ranges::any_of(buttons, [](const QPushButton *button) { return button->text() == u"Restart now"_s; }));
}

void ShellByHand::theWindowComesBackWhereItWas()
{
    ui::WindowOptions options;
    options.database = m_fixture->path(u"runs.db"_s).toStdString();
    QRect place(40, 30, 700, 620); // within the screen of the tests
    for (const bool isFirst : {true, false}) {
        ui::MainWindow window(options);
        window.show();
        if (isFirst) {
            window.setGeometry(place);
            QApplication::processEvents();
            place = window.geometry();
        }
        QTRY_COMPARE(window.size(), place.size());
        QTRY_VERIFY((window.geometry().topLeft() - place.topLeft()).manhattanLength() <= 4); // the frame is not known exactly
        window.close();
    }
}

void ShellByHand::theKeysAreShownByTheirKey()
{
    auto &window = m_fixture->open();
    QTest::keyClick(&window, Qt::Key_Question);
    QDialog *shown = nullptr;
    const auto isShown = [&] {
        for (QDialog *dialog : window.findChildren<QDialog *>())
            if (dialog->isVisible() && dialog->windowTitle() == u"Keys and mouse"_s)
                shown = dialog;
        return shown != nullptr;
    };
    QTRY_VERIFY(isShown());
    QTest::keyClick(shown, Qt::Key_Escape);
    QVERIFY(!shown->isVisible());
}

void ShellByHand::theWheelZoomsAndKeysSizeTheLanes()
{
    auto &window = m_fixture->open();
    ui::TimelineView *view = window.explorePage().timeline();
    const auto *state = window.findChild<ui::ViewState *>();
    const auto width = [state] { return state->end() - state->begin(); };
    const base::Nanos whole = width();
    const QPointF at(view->width() * 0.6, view->height() * 0.6);
    const auto turn = [&](int steps, Qt::KeyboardModifiers keys) {
        QWheelEvent wheel(at, view->mapToGlobal(at), {}, QPoint(0, 120 * steps), Qt::NoButton, keys, Qt::NoScrollPhase, false);
        QApplication::sendEvent(view, &wheel);
    };
    turn(1, Qt::ControlModifier);
    const base::Nanos zoomed = width();
    QVERIFY(zoomed < whole);
    turn(-1, Qt::NoModifier);
    QVERIFY(width() > zoomed);
    view->setFocus();
    QTest::keyClick(view, Qt::Key_0);
    QCOMPARE(width(), whole);
    const QImage before = view->grab().toImage();
    QTest::keyClick(view, Qt::Key_Plus, Qt::ControlModifier);
    QTRY_VERIFY(view->grab().toImage() != before);
    QTest::keyClick(view, Qt::Key_Minus, Qt::ControlModifier);
    QTRY_VERIFY(view->grab().toImage() == before);
}

void ShellByHand::aPassIsPulledLonger()
{
    auto &window = m_fixture->open();
    ui::TimelineView *view = window.explorePage().timeline();
    view->setFocus();
    QTest::keyClick(view, Qt::Key_E);
    QTRY_VERIFY(m_fixture->content().groups.front().movable);
    const base::Nanos before = window.forecast().plan()->metrics.iteration;
    const auto endOf = [&](int device) {
        const QRect place = view->placeOf(0, {device, 0});
        return QPoint(place.right(), place.center().y());
    };
    const QRect pass = view->placeOf(0, {3, 0});
    QVERIFY2(pass.width() >= 20, qPrintable(QString::number(pass.width())));
    const QPoint end = endOf(3);
    const QPoint longer = end + QPoint(pass.width() / 2, 0);
    QTest::mouseMove(view, end - QPoint(pass.width() / 2, 0));
    QVERIFY(view->cursor().shape() != Qt::SizeHorCursor);
    QTest::mouseMove(view, end);
    QCOMPARE(view->cursor().shape(), Qt::SizeHorCursor);
    const auto pull = [&] {
        QTest::mousePress(view, Qt::LeftButton, {}, end);
        QTest::mouseMove(view, end + QPoint(8, 0));
        QTest::mouseMove(view, longer);
    };
    const int steps = window.document().undoStack().count();
    // The picture follows while it is pulled, at the same scale; Esc lets go of it as it was.
    const base::Nanos wide = window.findChild<ui::ViewState *>()->end();
    pull();
    QCOMPARE(window.document().experiment().whatIf.slow, std::string("3=1.5"));
    QTRY_VERIFY(window.forecast().isCurrent() && window.forecast().plan()->metrics.iteration * 5 > before * 6);
    QTRY_VERIFY(view->placeOf(0, {3, 0}).width() * 5 > pass.width() * 7);
    QCOMPARE(window.findChild<ui::ViewState *>()->end(), wide);
    QTest::keyClick(view, Qt::Key_Escape);
    QTest::mouseRelease(view, Qt::LeftButton, {}, longer);
    QVERIFY(window.document().experiment().whatIf.slow.empty());
    QTRY_VERIFY(window.forecast().isCurrent() && window.forecast().plan()->metrics.iteration == before);
    // Pulled further and back, it is one step of undo.
    QTRY_COMPARE(view->placeOf(0, {3, 0}).width(), pass.width());
    pull();
    QTest::mouseMove(view, end + QPoint(pass.width(), 0));
    QCOMPARE(window.document().experiment().whatIf.slow, std::string("3=2"));
    QTest::mouseMove(view, longer);
    QTest::mouseRelease(view, Qt::LeftButton, {}, longer);
    QCOMPARE(window.document().experiment().whatIf.slow, std::string("3=1.5"));
    QCOMPARE(window.document().undoStack().count(), steps + 1);
    QTRY_VERIFY(window.forecast().isCurrent() && window.forecast().plan()->metrics.iteration * 5 > before * 6);
    // A press in the middle still moves the pass; a click still selects.
    QTest::mouseClick(view, Qt::LeftButton, {}, view->placeOf(0, {0, 0}).center());
    QVERIFY(window.findChild<ui::ViewState *>()->selection());
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(window.document().experiment().whatIf.slow.empty());
    QVERIFY(window.document().experiment().schedule.family != model::kCustomFamily);
    // Outside the edit mode an end is no handle.
    QTest::keyClick(view, Qt::Key_E);
    QTRY_VERIFY(!m_fixture->content().groups.front().movable);
    QTest::mouseMove(view, endOf(3));
    QVERIFY(view->cursor().shape() != Qt::SizeHorCursor);
}

void ShellByHand::aMessageIsPulledLonger()
{
    auto &window = m_fixture->open();
    ui::TimelineView *view = window.explorePage().timeline();
    view->setFocus();
    QTest::keyClick(view, Qt::Key_E);
    QTRY_VERIFY(m_fixture->content().groups.front().movable);
    // Zooms in on the first message to device 1, until it is wide.
    const timeline::Timeline &plan = *m_fixture->content().groups.front().timeline;
    const auto sent = std::ranges::find_if(plan.transfers, [](const timeline::TransferSlice &t) { return t.peer == 1; });
    QVERIFY(sent != plan.transfers.end());
    const timeline::TransferSlice message = *sent;
    const base::Nanos length = message.end - message.begin;
    auto *state = window.findChild<ui::ViewState *>();
    state->setRange(message.begin - 4 * length, message.end + 4 * length);
    QTRY_VERIFY(view->placeOf(0, {message.device, 0}).width() > view->width());
    const QRect lane = view->placeOf(0, {1, 0});
    const QRect sender = view->placeOf(0, {message.device, 0}); // not clipped
    const timeline::Lane &senders = plan.lanes[static_cast<std::size_t>(message.device)];
    const auto xOf = [&](base::Nanos time) {
        const double scale = sender.width() / static_cast<double>(senders.end.front() - senders.begin.front());
        return sender.right() + static_cast<int>(std::lround(static_cast<double>(time - senders.end.front()) * scale));
    };
    // The strip of messages is under the passes; the pointer's shape tells where its end is.
    std::optional<QPoint> end;
    for (int y = lane.bottom(); y < lane.bottom() + 14 && !end; ++y)
        for (int x = xOf(message.end) - 20; x < xOf(message.end) + 20 && !end; ++x) {
            QTest::mouseMove(view, {x, y});
            if (view->cursor().shape() == Qt::SizeHorCursor && view->describe({x - 5, y}).contains(u"device 1"_s))
                end = QPoint(x, y);
        }
    QVERIFY(end);
    const int width = xOf(message.end) - xOf(message.begin);
    QTest::mousePress(view, Qt::LeftButton, {}, *end);
    QTest::mouseMove(view, *end + QPoint(8, 0));
    QTest::mouseMove(view, *end + QPoint(width, 0));
    QTest::mouseRelease(view, Qt::LeftButton, {}, *end + QPoint(width, 0));
    const auto links = model::parseSlowLinks(window.document().experiment().whatIf.slowLink);
    QVERIFY(links && links->size() == 1);
    QCOMPARE(links->front().from, static_cast<int>(message.device));
    QCOMPARE(links->front().to, 1);
    QVERIFY(std::abs(links->front().factor - 2) < 0.35);
    QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(window.document().experiment().whatIf.slowLink.empty());
}

STAGELENS_TEST(ShellByHand)

} // namespace ui_shell_by_hand

#include "shell/by_hand.moc"
