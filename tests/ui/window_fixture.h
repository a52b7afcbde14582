// A real window over a data folder of its own, for the tests of the window.
#pragma once

#include "tests/support/gpt_shape.h"
#include "tests/support/ui_test.h"
#include "ui/controllers/window_actions.h"
#include "ui/controls/message_bar.h"
#include "ui/controls/theme.h"
#include "ui/pages/explore_page.h"
#include "ui/panels/runs/runs_panel.h"
#include "ui/shell/main_window.h"
#include "ui/state/experiment_document.h"
#include "ui/state/forecast.h"
#include "ui/state/run_controller.h"
#include "ui/state/run_database.h"
#include "ui/state/view_state.h"
#include "ui/timeline/timeline_view.h"

#include <QAbstractButton>
#include <QApplication>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QTemporaryDir>

#include <memory>

namespace stagelens::test {

using namespace Qt::StringLiterals;

/// Answers Qt's own file dialog with `file`. QFileDialog::selectFile() does nothing once the field of the name has the focus.
inline void answer(QFileDialog &dialog, const QString &file)
{
    dialog.findChild<QLineEdit *>(u"fileNameEdit"_s)->setText(file);
    QMetaObject::invokeMethod(&dialog, "accept");
}

/// Points the data folder into a temporary one; opens and reopens windows over it. Made anew for each test function, which any
/// warning of Qt's fails.
class WindowFixture {
public:
    WindowFixture()
    {
        failOnWarnings();
        qputenv("STAGELENS_DATA_DIR", m_folder.path().toUtf8());
        ui::applyAppearance(ui::Appearance::Light);
    }

    /// A window that has read the stored runs.
    ui::MainWindow &open(const QString &file = {})
    {
        openAtOnce(file);
        if (!QTest::qWaitFor([this] { return isSettled(); }))
            qFatal("the stored runs were not read");
        return *m_window;
    }
    /// A window as it is before anything else has happened.
    ui::MainWindow &openAtOnce(const QString &file = {})
    {
        m_window.reset();
        ui::WindowOptions options;
        options.database = m_folder.filePath(u"runs.db"_s).toStdString();
        options.file = file;
        m_window = std::make_unique<ui::MainWindow>(options);
        m_window->resize(1440, 900);
        m_window->show();
        QApplication::setActiveWindow(m_window.get()); // the offscreen platform activates nothing, and shortcuts need it
        return *m_window;
    }
    void close() { m_window.reset(); }
    /// Opens the dock of all settings, which is closed at the first start.
    void openSettings()
    {
        m_window->actions().settings->trigger();
        QApplication::processEvents();
    }
    /// Returns whether no run is in progress and the table of runs is up to date.
    bool isSettled() const { return !m_window->runController().isTraining() && !m_window->runDatabase().isRefreshing(); }
    ui::MainWindow &window() { return *m_window; }
    QString path(const QString &name) const { return m_folder.filePath(name); }

    /// The control of that name, for real keys and clicks; Explore's own where a lesson has one of the same name.
    template <class Widget>
    Widget *find(const QString &name)
    {
        if (auto *const found = m_window->explorePage().findChild<Widget *>(name))
            return found;
        return m_window->findChild<Widget *>(name);
    }
    /// Waits for the button, as a person does: bars appear when a job has ended, a little after what the job changed.
    void click(const QString &button)
    {
        QTRY_VERIFY2(find<QAbstractButton>(button), qPrintable(button));
        QTest::mouseClick(find<QAbstractButton>(button), Qt::LeftButton);
    }
    /// Clicks an entry of an open menu that begins so.
    static void choose(QMenu *menu, const QString &entry)
    {
        QTRY_VERIFY2(menu->isVisible(), qPrintable(entry));
        for (QAction *action : menu->actions())
            if (action->text().remove(u'&').startsWith(entry)) {
                QTest::mouseMove(menu, menu->actionGeometry(action).center());
                QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
                return;
            }
        QFAIL(qPrintable(entry + u" is not in the menu"_s));
    }
    /// Goes through menus of the window, by the beginning of each entry.
    void walkMenus(const QStringList &entries)
    {
        auto *bar = m_window->findChild<QMenuBar *>();
        QMenu *menu = nullptr;
        for (QAction *action : bar->actions())
            if (action->text().remove(u'&') == entries.front()) {
                QTest::mouseClick(bar, Qt::LeftButton, {}, bar->actionGeometry(action).center());
                menu = action->menu();
            }
        for (const QString &entry : entries.mid(1)) {
            QVERIFY2(menu, qPrintable(entry));
            QMenu *within = nullptr;
            for (QAction *action : menu->actions())
                if (action->text().remove(u'&').startsWith(entry))
                    within = action->menu();
            choose(menu, entry);
            if (QTest::currentTestFailed())
                return;
            menu = within;
        }
    }
    /// A plan small enough to train in an instant: one layer a device, tiny widths.
    void usePlanForTraining(int steps)
    {
        model::Experiment plan;
        plan.model = gptOf(2, 32, 2, 16, 256);
        plan.parallel.devices = 2;
        plan.parallel.microbatches = 4;
        plan.training.steps = steps;
        plan.training.mode = model::RunMode::VirtualClock;
        m_window->document().start(plan, {}, u"Tiny"_s);
    }
    const ui::TimelineContent &content() { return m_window->explorePage().timeline()->content(); }

private:
    QTemporaryDir m_folder;
    std::unique_ptr<ui::MainWindow> m_window;
};

} // namespace stagelens::test
