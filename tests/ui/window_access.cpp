// The window without eyes and without a mouse: what takes the focus has a name, and the keyboard comes to it, in every mode.
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/controllers/compare_controller.h"
#include "ui/panels/compare_panel.h"
#include "ui/state/run_database.h"

#include <QAccessible>
#include <QActionGroup>
#include <QLineEdit>
#include <QSet>
#include <QToolButton>

namespace ui_window_access {

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowAccess : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void cleanupTestCase() { m_fixture.reset(); }
    void init() { test::failOnWarnings(); }
    void everythingThatTakesTheFocusHasAName_data() { modes(); }
    void everythingThatTakesTheFocusHasAName();
    void tabComesToEverything_data() { modes(); }
    void tabComesToEverything();
    void f6WalksThePanes_data() { modes(); }
    void f6WalksThePanes();

private:
    static void modes()
    {
        QTest::addColumn<QString>("page");
        QTest::newRow("explore") << u"ExplorePage"_s;
        QTest::newRow("compare") << u"ComparePanel"_s;
        QTest::newRow("sweep") << u"SweepPage"_s;
        QTest::newRow("learn") << u"LearnPage"_s;
    }
    /// The mode of the data row.
    void enter();
    std::unique_ptr<test::WindowFixture> m_fixture;
};

namespace {

/// "MainWindow / ExplorePage / schedule.panel"
QString pathOf(const QObject *object)
{
    QString path;
    for (; object; object = object->parent()) {
        const QString type = QString::fromLatin1(object->metaObject()->className()).section(u"::"_s, -1);
        const QString name = object->objectName().isEmpty() ? type : object->objectName();
        path = path.isEmpty() ? name : name + u" / "_s + path;
    }
    return path;
}

/// Qt's own parts of a control, which speak through it.
bool isInnerPart(const QWidget &widget)
{
    const QWidget *parent = widget.parentWidget();
    return widget.objectName().startsWith(u"qt_"_s) || widget.focusProxy() || (parent && parent->focusProxy() == &widget) ||
           (qobject_cast<const QLineEdit *>(&widget) &&
            (parent->inherits("QComboBox") || parent->inherits("QAbstractSpinBox")));
}

/// What a person can come to now.
QList<QWidget *> stops(const QWidget &window, Qt::FocusPolicy by)
{
    QList<QWidget *> found;
    for (QWidget *widget : window.findChildren<QWidget *>())
        if (widget->isVisible() && widget->isEnabled() && (widget->focusPolicy() & by) && !isInnerPart(*widget))
            found << widget;
    return found;
}

} // namespace

void WindowAccess::initTestCase()
{
    test::failOnWarnings();
    m_fixture = std::make_unique<test::WindowFixture>();
    auto &window = m_fixture->open();
    m_fixture->openSettings();
    window.resize(1440, 3000); // with everything unfolded nothing has to be scrolled to
    m_fixture->usePlanForTraining(2);
    for (int run = 0; run < 2; ++run) { // two, so that the table of runs is unfolded
        QTest::keyClick(&window, Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(m_fixture->isSettled(), test::kPatience);
    }
    for (QToolButton *button : window.findChildren<QToolButton *>())
        if (button->objectName().startsWith(u"group."_s) && !button->isChecked())
            QTest::mouseClick(button, Qt::LeftButton);
    window.actions().editSchedule->trigger();
    const auto &runs = window.runDatabase().runs().ids;
    window.controllers().compare->compareRuns({runs.begin(), runs.end()});
    QTRY_COMPARE(window.comparePanel().items().size(), std::size_t{2});
}

void WindowAccess::enter()
{
    QFETCH(const QString, page);
    auto &actions = m_fixture->window().actions();
    const QString mode = QString::fromLatin1(QTest::currentDataTag());
    for (QAction *action : actions.modes->actions())
        if (action->objectName().endsWith(mode))
            action->trigger();
    const auto shown = stops(m_fixture->window(), Qt::TabFocus);
    QVERIFY2(std::ranges::any_of(shown, [&page](const QWidget *stop) { return pathOf(stop).contains(page); }),
             qPrintable(page));
}

void WindowAccess::everythingThatTakesTheFocusHasAName()
{
    enter();
    QStringList nameless;
    for (QWidget *widget : stops(m_fixture->window(), Qt::StrongFocus)) {
        QAccessibleInterface *face = QAccessible::queryAccessibleInterface(widget);
        if (!face || face->text(QAccessible::Name).trimmed().isEmpty())
            nameless << pathOf(widget);
    }
    QVERIFY2(nameless.isEmpty(), qPrintable(u"without a name:\n"_s + nameless.join(u'\n')));
}

void WindowAccess::tabComesToEverything()
{
    enter();
    auto &window = m_fixture->window();
    const auto wanted = stops(window, Qt::TabFocus);
    QSet<const QWidget *> reached;
    wanted.front()->setFocus(Qt::TabFocusReason);
    for (qsizetype step = 0; step < 6 * wanted.size() && QApplication::focusWidget(); ++step) {
        for (const QWidget *at = QApplication::focusWidget(); at; at = at->parentWidget())
            reached << at; // with a control's inner part the control
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    }
    QStringList missed;
    for (const QWidget *widget : wanted)
        if (!reached.contains(widget))
            missed << pathOf(widget);
    QVERIFY2(missed.isEmpty(), qPrintable(u"Tab ends at %1 and does not come to:\n"_s.arg(pathOf(QApplication::focusWidget())) +
                                          missed.join(u'\n')));
}

void WindowAccess::f6WalksThePanes()
{
    enter();
    QFETCH(const QString, page);
    auto &window = m_fixture->window();
    QStringList path;
    stops(window, Qt::TabFocus).front()->setFocus(Qt::TabFocusReason);
    for (int step = 0; step < 8; ++step) {
        QTest::keyClick(&window, Qt::Key_F6);
        QWidget *focused = QApplication::focusWidget();
        path << pathOf(focused);
        // Where the keyboard is can be seen.
        const auto picture = [&window, focused] {
            QApplication::processEvents();
            return window.grab(QRect(focused->mapTo(&window, QPoint()), focused->size())).toImage();
        };
        const QImage with = picture();
        focused->clearFocus();
        QVERIFY2(picture() != with, qPrintable(path.back() + u" looks the same without the keyboard"_s));
        focused->setFocus(Qt::TabFocusReason);
    }
    QStringList panes{page};
    if (page != u"LearnPage"_s) // where the panels of the plan are hidden
        panes += {u"PlanStrip"_s, u"dock.runs"_s};
    if (page == u"ExplorePage"_s)
        panes << u"ExperimentEditor"_s;
    for (const QString &pane : panes)
        QVERIFY2(path.filter(pane).size() > 0, qPrintable(pane + u" is not in:\n"_s + path.join(u'\n')));
}

STAGELENS_TEST(WindowAccess)

} // namespace ui_window_access

#include "window_access.moc"
