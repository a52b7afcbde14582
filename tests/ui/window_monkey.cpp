// A monkey at the window: random keys, clicks, drags, wheels, drops, resizes and actions. Nothing it does may crash the window,
// raise a warning of Qt or cost the experiment it began with. STAGELENS_SEED repeats a run; STAGELENS_EVENTS chooses its
// length.
#include "engine/base/random.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/sweep/sweep_page.h"

#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QSpinBox>
#include <QTimer>
#include <QToolButton>
#include <QWheelEvent>

namespace ui_window_monkey {

using namespace stagelens;
using namespace Qt::StringLiterals;

namespace {

// So that a run takes a minute or a few; the 20,000 of the release check are asked for with STAGELENS_EVENTS.
constexpr int kEvents = test::kIsSanitized ? 1000 : 4000;
constexpr int kDialogMilliseconds = 10; ///< after which a modal dialog or a popup is closed with Esc

std::uint64_t numberFrom(const char *variable, std::uint64_t otherwise)
{
    bool given = false;
    const std::uint64_t own = qEnvironmentVariable(variable).toULongLong(&given);
    return given ? own : otherwise;
}

struct Stroke {
    int key;
    Qt::KeyboardModifiers modifiers;
};

/// Every key that does something, without those that end the program.
const std::vector<Stroke> &strokes()
{
    static const std::vector<Stroke> known = [] {
        std::vector<Stroke> made;
        for (const int key :
             {Qt::Key_F5,      Qt::Key_F6,        Qt::Key_F11,    Qt::Key_F2,       Qt::Key_F,           Qt::Key_0,
              Qt::Key_C,       Qt::Key_A,         Qt::Key_D,      Qt::Key_W,        Qt::Key_S,           Qt::Key_T,
              Qt::Key_N,       Qt::Key_Space,     Qt::Key_Slash,  Qt::Key_Question, Qt::Key_BracketLeft, Qt::Key_BracketRight,
              Qt::Key_Left,    Qt::Key_Right,     Qt::Key_Up,     Qt::Key_Down,     Qt::Key_PageUp,      Qt::Key_PageDown,
              Qt::Key_Home,    Qt::Key_End,       Qt::Key_Return, Qt::Key_Enter,    Qt::Key_Escape,      Qt::Key_Tab,
              Qt::Key_Backtab, Qt::Key_Backspace, Qt::Key_Delete, Qt::Key_Menu,     Qt::Key_Alt})
            made.push_back({key, Qt::NoModifier});
        for (const int key :
             {Qt::Key_Z, Qt::Key_Y,    Qt::Key_A,     Qt::Key_C,      Qt::Key_V,   Qt::Key_X,  Qt::Key_B, Qt::Key_F,
              Qt::Key_T, Qt::Key_N,    Qt::Key_S,     Qt::Key_O,      Qt::Key_0,   Qt::Key_1,  Qt::Key_2, Qt::Key_3,
              Qt::Key_4, Qt::Key_Plus, Qt::Key_Minus, Qt::Key_Return, Qt::Key_Tab, Qt::Key_End})
            made.push_back({key, Qt::ControlModifier});
        for (const int key : {Qt::Key_Z, Qt::Key_B, Qt::Key_C, Qt::Key_S})
            made.push_back({key, Qt::ControlModifier | Qt::ShiftModifier});
        for (const int key : {Qt::Key_F5, Qt::Key_F5, Qt::Key_F5, Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down})
            made.push_back({key, Qt::ShiftModifier});
        for (const int key : {Qt::Key_Left, Qt::Key_Right, Qt::Key_F, Qt::Key_V, Qt::Key_R, Qt::Key_Down})
            made.push_back({key, Qt::AltModifier});
        return made;
    }();
    return known;
}

const QStringList &texts()
{
    static const QStringList known = {
        u"0"_s,     u"1"_s,        u"2"_s,      u"3"_s,        u"4"_s,         u"8"_s,
        u"16"_s,    u"64"_s,       u"512"_s,    u"-1"_s,       u"1e9"_s,       u"99999999999999999999"_s,
        u"0.5"_s,   u"nan"_s,      u"inf"_s,    u"1,000"_s,    u"B 17"_s,      u"stage 3"_s,
        u"2/2/2"_s, u"1/1/1/1"_s,  u"256000"_s, u"漢字 😀 ß"_s, u"%1 %n <b>"_s, u"/no/such/file"_s,
        u"--"_s,    u"device 1"_s, u"1F1B"_s,   u"\\ \" '"_s,  u"F=1,B=2"_s,   u"\t"_s};
    return known;
}

} // namespace

class WindowMonkey : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup() { m_fixture.reset(); }

    void nothingItDoesBreaksTheWindow();

private:
    template <class List>
    const auto &any(const List &list)
    {
        return list[static_cast<decltype(list.size())>(below(static_cast<int>(list.size())))];
    }
    int below(int bound) { return static_cast<int>(m_random->nextInteger(0, bound - 1)); }
    bool chance(int percent) { return below(100) < percent; }

    void writeHostileFiles();
    /// A widget that a person could reach now: of the popup or dialog in front, else of the window.
    QWidget *target();
    QPoint anyPoint(const QWidget *widget)
    {
        return {below(std::max(1, widget->width())), below(std::max(1, widget->height()))};
    }
    void act();
    void press();
    void type();
    void click();
    void drag();
    void wheel();
    void drop();
    void trigger();
    /// Closes what waits for an answer: inside a nested event loop nobody else can.
    void closeWhatIsOpen();
    void settle();

    std::unique_ptr<test::WindowFixture> m_fixture;
    std::unique_ptr<base::Random> m_random;
    QStringList m_files;
    bool m_acting = false;
};

void WindowMonkey::init()
{
    // The suite repeats one walk, so that a failure is the change's; other seeds are for whoever looks for more.
    const std::uint64_t seed = numberFrom("STAGELENS_SEED", 7);
    qInfo("STAGELENS_SEED=%llu", static_cast<unsigned long long>(seed));
    m_random = std::make_unique<base::Random>(seed);
    QApplication::setQuitOnLastWindowClosed(false);
    m_fixture = std::make_unique<test::WindowFixture>();
    writeHostileFiles();
}

void WindowMonkey::writeHostileFiles()
{
    const auto write = [this](const QString &name, const QByteArray &bytes) {
        QFile file(m_fixture->path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        m_files << file.fileName();
    };
    write(u"empty.stagelens.json"_s, {});
    write(u"cut.stagelens.json"_s, R"({"stagelens": "experiment/1", "model": {"preset": "gpt-)");
    write(u"huge.stagelens.json"_s,
          R"({"stagelens": "experiment/1", "parallel": {"devices": 2147483647, "microbatches": 1e308}})");
    write(u"negative.stagelens.json"_s,
          R"({"stagelens": "experiment/1", "parallel": {"devices": -4, "microbatches": -1, "stage_layers": [-1, 9]}})");
    write(u"wide.stagelens.json"_s, R"({"stagelens": "experiment/1", "parallel": {"devices": 32, "microbatches": 64}})");
    write(u"deep.json"_s, QByteArray(100'000, '['));
    write(u"config.json"_s, R"({"model_type": "llama", "hidden_size": 0, "num_hidden_layers": -3, "vocab_size": "many"})");
    write(u"trace.json"_s, R"({"traceEvents": [{"ph": "X", "name": "PP:0F0", "ts": -1, "dur": 1e300, "pid": 0}, 7]})");
    write(u"schedule.csv"_s, "0F0,0F1,0B0\n1F0,,1B9\n,,,9999999999F0\n");
    write(u"schedule.txt"_s, "device 0: F0 F0 B7\ndevice -1:\n");
    write(u"noise.bin"_s, QByteArray::fromHex("00ff80c3287b22e28ca1f09f9880") + QByteArray(5000, '\x9f'));
    m_files << m_fixture->path(u"."_s) << m_fixture->path(u"no-such-file"_s) << u"/dev/null"_s;
}

QWidget *WindowMonkey::target()
{
    QWidget *front = QApplication::activePopupWidget();
    if (!front)
        front = QApplication::activeModalWidget();
    if (!front)
        front = &m_fixture->window();
    QList<QWidget *> reachable;
    for (QWidget *widget : front->findChildren<QWidget *>())
        if (widget->isVisible() && widget->isEnabled())
            reachable << widget;
    return reachable.isEmpty() ? front : any(reachable);
}

void WindowMonkey::press()
{
    QWidget *widget = chance(70) ? QApplication::focusWidget() : target();
    const Stroke &stroke = any(strokes());
    QTest::keyClick(widget ? widget : target(), static_cast<Qt::Key>(stroke.key), stroke.modifiers);
}

void WindowMonkey::type()
{
    QWidget *widget = target();
    if (chance(70)) {
        QList<QWidget *> fields;
        for (QWidget *field : m_fixture->window().findChildren<QWidget *>())
            if (field->isVisible() && field->isEnabled() &&
                (qobject_cast<QAbstractSpinBox *>(field) || qobject_cast<QLineEdit *>(field) ||
                 qobject_cast<QComboBox *>(field)))
                fields << field;
        if (!fields.isEmpty())
            widget = any(fields);
        widget->setFocus();
        QTest::keyClick(widget, Qt::Key_A, Qt::ControlModifier);
    }
    const QPointer<QWidget> alive = widget;
    for (const QChar letter : any(texts()))
        if (alive)
            QTest::sendKeyEvent(QTest::Click, alive, Qt::Key_unknown, QString(letter), Qt::NoModifier);
    if (alive && chance(50))
        QTest::keyClick(alive, chance(50) ? Qt::Key_Return : Qt::Key_Tab);
}

void WindowMonkey::click()
{
    const QPointer<QWidget> widget = target();
    const QPoint point = anyPoint(widget);
    const Qt::KeyboardModifiers held = chance(10) ? Qt::ShiftModifier : chance(10) ? Qt::ControlModifier : Qt::NoModifier;
    QTest::mouseMove(widget, point);
    if (widget)
        QTest::mouseClick(widget, chance(85) ? Qt::LeftButton : Qt::RightButton, held, point);
    if (widget && chance(15))
        QTest::mouseDClick(widget, Qt::LeftButton, held, point);
}

void WindowMonkey::drag()
{
    const QPointer<QWidget> widget = target();
    const Qt::KeyboardModifiers held = chance(30) ? Qt::ShiftModifier : Qt::NoModifier;
    QTest::mousePress(widget, Qt::LeftButton, held, anyPoint(widget));
    for (int step = 0; step < 3 && widget; ++step) {
        const QPoint point = anyPoint(widget);
        QMouseEvent move(QEvent::MouseMove, point, widget->mapToGlobal(point), Qt::NoButton, Qt::LeftButton, held);
        QApplication::sendEvent(widget, &move);
    }
    if (widget)
        QTest::mouseRelease(widget, Qt::LeftButton, held, anyPoint(widget));
}

void WindowMonkey::wheel()
{
    QWidget *widget = target();
    const QPoint point = anyPoint(widget);
    const int turn = (below(9) - 4) * 120;
    const Qt::KeyboardModifiers held = chance(30) ? Qt::ControlModifier : chance(30) ? Qt::ShiftModifier : Qt::NoModifier;
    QWheelEvent event(point, widget->mapToGlobal(point), {}, chance(80) ? QPoint(0, turn) : QPoint(turn, 0), Qt::NoButton, held,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(widget, &event);
}

void WindowMonkey::drop()
{
    QMimeData data;
    if (chance(80))
        data.setUrls({QUrl::fromLocalFile(any(m_files))});
    else if (chance(50))
        data.setUrls({QUrl(u"https://example.invalid/plan.json"_s), QUrl()});
    else
        data.setText(any(texts()));
    auto &window = m_fixture->window();
    const QPoint point = anyPoint(&window);
    QDragEnterEvent enter(point, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    enter.ignore();
    QApplication::sendEvent(&window, &enter);
    if (!enter.isAccepted())
        return;
    QDropEvent dropped(point, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &dropped);
}

void WindowMonkey::trigger()
{
    QList<QAction *> actions;
    for (QAction *action : m_fixture->window().actions().findChildren<QAction *>())
        if (action->isEnabled() && action != m_fixture->window().actions().quit && !action->text().endsWith(u'…'))
            actions << action;
    any(actions)->trigger();
}

void WindowMonkey::act()
{
    auto &window = m_fixture->window();
    const int choice = below(100);
    if (choice < 28)
        press();
    else if (choice < 38)
        type();
    else if (choice < 66)
        click();
    else if (choice < 74)
        drag();
    else if (choice < 83)
        wheel();
    else if (choice < 86)
        drop();
    else if (choice < 88)
        window.resize(200 + below(1800), 150 + below(1200));
    else if (choice < 94)
        trigger();
    else if (choice < 97)
        (chance(60) ? window.actions().undo : window.actions().redo)->trigger();
    else if (choice < 98)
        window.actions().stop->trigger();
    else
        QTest::mouseMove(target());
}

void WindowMonkey::closeWhatIsOpen()
{
    QWidget *front = QApplication::activePopupWidget();
    if (!front)
        front = QApplication::activeModalWidget();
    if (!front && m_acting) // a nested event loop of something else, such as a drag
        front = &m_fixture->window();
    if (front)
        QTest::keyClick(front, Qt::Key_Escape);
}

void WindowMonkey::settle()
{
    auto &window = m_fixture->window();
    for (int round = 0; round < 20; ++round) {
        closeWhatIsOpen();
        QApplication::processEvents();
    }
    window.sweepPage().cancel();
    window.runController().stop();
    QTRY_VERIFY_WITH_TIMEOUT(!window.runController().isTraining() && !window.sweepPage().isRunning(), test::kPatience);
}

void WindowMonkey::nothingItDoesBreaksTheWindow()
{
    auto &window = m_fixture->open();
    m_fixture->usePlanForTraining(20);
    const model::Experiment first = window.document().experiment();
    QTimer closer;
    connect(&closer, &QTimer::timeout, this, &WindowMonkey::closeWhatIsOpen);
    closer.start(kDialogMilliseconds);
    const auto events = static_cast<int>(numberFrom("STAGELENS_EVENTS", kEvents));
    for (int event = 0; event < events && !QTest::currentTestFailed(); ++event) {
        m_acting = true;
        act();
        m_acting = false;
        if (event % 4 == 0)
            QApplication::processEvents();
        if (!window.isVisible())
            window.show();
    }
    closer.stop();
    settle();
    if (QTest::currentTestFailed())
        return;
    while (window.document().undoStack().canUndo())
        window.document().undoStack().undo();
    QVERIFY2(window.document().experiment() == first, "undoing everything does not give the first experiment");
    window.actions().explore->trigger();
    window.resize(1440, 900);
    m_fixture->find<QToolButton>(u"shown.Predicted"_s)->click(); // whatever it last chose to see
    auto *devices = m_fixture->find<QSpinBox>(u"strip.parallel.devices"_s);
    devices->setValue(1);
    QCOMPARE(window.document().experiment().parallel.devices, 1);
    QTRY_VERIFY(!m_fixture->content().stale);
    QCOMPARE(m_fixture->content().groups.at(0).timeline->devices(), 1);
    QVERIFY(!window.grab().isNull());
}

STAGELENS_TEST(WindowMonkey)

} // namespace ui_window_monkey

#include "window_monkey.moc"
