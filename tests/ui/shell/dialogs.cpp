// Every dialog of the window: its controls have names, and its buttons are in the language of the window where Qt's are not.
#include "engine/model/presets.h"
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/learn/lectures/lecture_dialog.h"
#include "ui/panels/cluster_dialog.h"
#include "ui/panels/launch_report.h"
#include "ui/panels/levers_dialog.h"
#include "ui/panels/runs/run_plot_dialog.h"
#include "ui/panels/scaled_copy_dialog.h"
#include "ui/shapes/shape_dialog.h"
#include "ui/shell/pass_kinds.h"
#include "ui/state/engine_bridge.h"
#include "ui/words/language.h"

#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QTranslator>

namespace ui_shell_dialogs {

using namespace stagelens;
using namespace Qt::StringLiterals;

class ShellDialogs : public QObject {
    Q_OBJECT
private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup()
    {
        for (const auto &dialog : m_dialogs)
            delete dialog;
        m_dialogs.clear();
        m_fixture.reset();
    }
    void everyControlHasAName();
    void buttonsNeedNoTranslationOfQt_data();
    void buttonsNeedNoTranslationOfQt();

private:
    void openAll();
    QList<QPointer<QDialog>> m_dialogs;
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void ShellDialogs::openAll()
{
    ui::MainWindow &window = m_fixture->open();
    QTRY_VERIFY(window.forecast().plan());
    auto *bridge = window.findChild<ui::EngineBridge *>();
    const service::PredictionPtr plan = window.forecast().plan();
    const auto clusters = model::hardwarePresets();
    QVERIFY(clusters.ok() && !clusters->empty());
    m_dialogs = {new ui::ShapeDialog(bridge, &window),
                 new ui::LeversDialog(bridge, &window),
                 new ui::ClusterDialog(clusters->front(), bridge, &window),
                 new ui::ScaledCopyDialog(plan->experiment, plan->experiment, &window),
                 new ui::LaunchReport(u"launch.sh"_s, {}, &window),
                 new ui::RunPlotDialog(&window),
                 new ui::LectureDialog(bridge, &window),
                 ui::showPassKinds(&window, *plan->timeline, *plan->timeline, plan->metrics, {10, 11, 12, 13})};
    for (const auto &dialog : m_dialogs)
        dialog->show();
    for (QAction *action : {window.actions().keys, window.actions().about}) {
        const auto before = window.findChildren<QDialog *>();
        action->trigger(); // the menus' own tests press them
        for (QDialog *dialog : window.findChildren<QDialog *>())
            if (!before.contains(dialog))
                m_dialogs << dialog;
    }
    QCOMPARE(m_dialogs.size(), 10);
}

namespace {

/// Qt's own parts of a control, which speak through it.
bool isInnerPart(const QWidget &widget)
{
    const QWidget *parent = widget.parentWidget();
    return widget.objectName().startsWith(u"qt_"_s) || widget.focusProxy() || parent->focusProxy() == &widget ||
           qobject_cast<const QComboBox *>(parent) || qobject_cast<const QAbstractSpinBox *>(parent) ||
           widget.inherits("QComboBoxPrivateContainer") || widget.inherits("QComboBoxListView");
}

} // namespace

void ShellDialogs::everyControlHasAName()
{
    openAll();
    QStringList nameless;
    int found = 0;
    for (const auto &dialog : m_dialogs) {
        if (dialog->windowTitle().isEmpty())
            nameless << QString::fromLatin1(dialog->metaObject()->className());
        for (QWidget *widget : dialog->findChildren<QWidget *>()) {
            if (widget->focusPolicy() == Qt::NoFocus || isInnerPart(*widget))
                continue;
            ++found;
            QAccessibleInterface *face = QAccessible::queryAccessibleInterface(widget);
            if (!face || face->text(QAccessible::Name).trimmed().isEmpty())
                nameless << u"%1: %2 %3"_s.arg(dialog->windowTitle(), QString::fromLatin1(widget->metaObject()->className()),
                                               widget->objectName());
        }
    }
    QVERIFY2(found > 50, qPrintable(QString::number(found)));
    QVERIFY2(nameless.isEmpty(), qPrintable(u"without a name:\n"_s + nameless.join(u'\n')));
}

void ShellDialogs::buttonsNeedNoTranslationOfQt_data()
{
    QTest::addColumn<QString>("code");
    QTest::newRow("Chinese") << u"zh_CN"_s;
    QTest::newRow("Korean") << u"ko"_s;
}

void ShellDialogs::buttonsNeedNoTranslationOfQt()
{
    QFETCH(QString, code);
    QTranslator own; // ours alone, as on a machine that has no translation of Qt
    if (!own.load(u":/stagelens/i18n/stagelens_%1.qm"_s.arg(code)))
        QSKIP("this build has no translations");
    QCoreApplication::installTranslator(&own);
    openAll();
    static const QRegularExpression kEnglish(u"[A-Za-z]{2,}"_s);
    QStringList english;
    int found = 0;
    for (const auto &dialog : m_dialogs)
        for (const QDialogButtonBox *box : dialog->findChildren<QDialogButtonBox *>())
            for (const QAbstractButton *button : box->buttons()) {
                ++found;
                if (kEnglish.match(button->text().remove(u"FSDP"_s)).hasMatch()) // a name in every language
                    english << dialog->windowTitle() + u": "_s + button->text();
            }
    QCoreApplication::removeTranslator(&own);
    QVERIFY2(found >= 7, qPrintable(QString::number(found)));
    QVERIFY2(english.isEmpty(), qPrintable(english.join(u'\n')));
}

STAGELENS_TEST(ShellDialogs)

} // namespace ui_shell_dialogs

#include "shell/dialogs.moc"
