// The lever board of the window, and recomputed work in the picture.
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/canvas/colours.h"
#include "ui/panels/levers_dialog.h"
#include "ui/state/lane_groups.h"
#include "ui/state/links.h"

#include <QCheckBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScreen>
#include <QTreeWidget>

namespace ui_window_levers {

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowLevers : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_fixture = std::make_unique<test::WindowFixture>();
        m_fixture->open();
        m_fixture->usePlanForTraining(1);
    }
    void cleanup() { m_fixture.reset(); }

    /// Ctrl+L opens the board; a row is applied with the keyboard as one step of undo, and the board follows the plan.
    void aLeverIsAppliedByKeys()
    {
        const model::Experiment before = m_fixture->window().document().experiment();
        ui::LeversDialog *dialog = open();
        QVERIFY(dialog->screen()->availableSize().width() >= dialog->width()); // of 800 pixels; on a larger one it has 980
        auto *tree = dialog->findChild<QTreeWidget *>(u"levers.tree"_s);
        QVERIFY(dialog->findChild<QLabel *>(u"levers.heading"_s)->text().contains(u"on its fullest device"_s));
        QTreeWidgetItem *item = rowOf(*tree, u"--recompute full"_s);
        QVERIFY(item != nullptr);
        QCOMPARE(item->text(0), u"All layers"_s);
        QCOMPARE(item->text(5), u"Same bits"_s);
        QVERIFY2(item->text(2).startsWith(u"−"_s), qPrintable(item->text(2)));
        tree->setCurrentItem(item);
        tree->setFocus();
        QTest::keyClick(tree, Qt::Key_Return);
        QCOMPARE(m_fixture->window().document().experiment().schedule.recompute, model::Recompute::Full);
        QTRY_VERIFY(!dialog->isComputing() && rowOf(*tree, u"--recompute none"_s) != nullptr);
        m_fixture->window().document().undoStack().undo();
        QCOMPARE(m_fixture->window().document().experiment(), before);
    }

    void aRowIsAppliedByTheMouse()
    {
        ui::LeversDialog *dialog = open();
        auto *tree = dialog->findChild<QTreeWidget *>(u"levers.tree"_s);
        auto *apply = dialog->findChild<QPushButton *>(u"levers.apply"_s);
        QVERIFY(!apply->isEnabled());
        QTreeWidgetItem *item = rowOf(*tree, u"--recompute-modules norms,activation"_s);
        QVERIFY(item != nullptr);
        tree->scrollToItem(item);
        QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, tree->visualItemRect(item).center());
        QVERIFY(apply->isEnabled());
        QTest::mouseClick(apply, Qt::LeftButton);
        const model::RecomputeModules &modules = m_fixture->window().document().experiment().schedule.recomputeModules;
        QVERIFY(modules.norms && modules.activation && !modules.attention);
    }

    void onlyTheFrontIsShown()
    {
        ui::LeversDialog *dialog = open();
        auto *tree = dialog->findChild<QTreeWidget *>(u"levers.tree"_s);
        const auto shown = [tree] {
            int count = 0;
            for (QTreeWidgetItemIterator it(tree, QTreeWidgetItemIterator::NotHidden); *it; ++it)
                count += (*it)->childCount() == 0 ? 1 : 0;
            return count;
        };
        const int all = shown();
        QStringList names; // of changes; a combination is named by its parts
        for (QTreeWidgetItemIterator it(tree); *it; ++it)
            if (const QTreeWidgetItem *group = (*it)->parent(); group != nullptr)
                names << group->text(0) + u'|' + (*it)->text(0) + u'|' + (*it)->text(2) + u'|' + (*it)->text(3);
        QCOMPARE(names.removeDuplicates(), 0);
        QTest::mouseClick(dialog->findChild<QCheckBox *>(u"levers.front"_s), Qt::LeftButton, {}, {8, 8});
        QVERIFY(dialog->findChild<QCheckBox *>(u"levers.front"_s)->isChecked());
        QVERIFY(shown() < all);
        for (QTreeWidgetItemIterator it(tree, QTreeWidgetItemIterator::NotHidden); *it; ++it)
            QVERIFY((*it)->childCount() > 0 || !(*it)->text(6).isEmpty());
    }

    /// A large plan takes long enough to be cancelled; the window stays alive.
    void theBoardCanBeCancelled()
    {
        model::Experiment plan = m_fixture->window().document().experiment();
        plan.model = test::gptOf(32, 1024, 16, 512, 32768);
        plan.parallel.devices = 16;
        plan.parallel.microbatches = 256;
        m_fixture->window().document().start(plan, {}, u"Large"_s);
        QTRY_VERIFY(m_fixture->window().forecast().plan() &&
                    m_fixture->window().forecast().plan()->experiment.parallel.devices == 16);
        m_fixture->window().actions().levers->trigger();
        auto *dialog = m_fixture->window().findChild<ui::LeversDialog *>(u"levers"_s);
        QVERIFY(dialog && dialog->isComputing());
        auto *cancel = dialog->findChild<QPushButton *>(u"levers.cancel"_s);
        QTRY_VERIFY(cancel->isVisible());
        QTest::mouseClick(cancel, Qt::LeftButton);
        QVERIFY(!dialog->isComputing() && !cancel->isVisible());
        QVERIFY(dialog->findChild<QLabel *>(u"levers.heading"_s)->text().startsWith(u"Cancelled"_s));
        dialog->close();
    }

    /// A plan without a model has no bytes and so no levers.
    void teachingPlansHaveNone()
    {
        model::Experiment plan;
        plan.hasModel = false;
        plan.cost.source = model::UniformCosts{{{"F", 1}, {"B", 2}}};
        m_fixture->window().document().start(plan, {}, u"Teaching"_s);
        QTRY_VERIFY(!m_fixture->window().actions().levers->isEnabled());
    }

    void recomputedWorkHasItsShade()
    {
        const QColor shade = ui::recomputedShade(ui::colours(false).pass(schedule::PassKind::B));
        const auto pixels = [&] {
            const QImage image = m_fixture->window().explorePage().timeline()->grab().toImage();
            int count = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    count += image.pixel(x, y) == shade.rgb() ? 1 : 0;
            return count;
        };
        QTRY_COMPARE(m_fixture->content().groups.size(), std::size_t{1});
        QCOMPARE(pixels(), 0);
        model::Experiment plan = m_fixture->window().document().experiment();
        plan.schedule.recomputeLayers = {1, 0};
        m_fixture->window().document().edit(u"plan"_s, u"Recompute"_s, plan);
        QTRY_VERIFY(m_fixture->content().groups.front().costs != nullptr);
        QTRY_VERIFY(pixels() > 100);
        const ui::LaneGroup &group = m_fixture->content().groups.front();
        for (std::size_t i = 0; i < ui::laneOf(group, 0).size(); ++i)
            QCOMPARE(ui::recomputedTime(group, {0, i}) > 0, ui::laneOf(group, 0).pass[i].kind == schedule::PassKind::B);
        QCOMPARE(ui::recomputedTime(group, {1, 1}), 0);
        const auto backward = std::ranges::find(ui::laneOf(group, 0).pass, schedule::PassKind::B, &schedule::Pass::kind);
        const auto index = static_cast<std::size_t>(backward - ui::laneOf(group, 0).pass.begin());
        QVERIFY(ui::describeSlice(group, {0, index}, false).contains(u"Forward computed again"_s));
    }

private:
    ui::LeversDialog *open()
    {
        const auto isReady = [this] {
            const auto &plan = m_fixture->window().forecast().plan();
            return plan && plan->experiment.parallel.devices == 2 && m_fixture->window().actions().levers->isEnabled();
        };
        if (!QTest::qWaitFor(isReady))
            qFatal("the plan was not predicted");
        QTest::keyClick(&m_fixture->window(), Qt::Key_L, Qt::ControlModifier);
        auto *dialog = m_fixture->window().findChild<ui::LeversDialog *>(u"levers"_s);
        if (dialog == nullptr || !QTest::qWaitFor([dialog] { return !dialog->isComputing(); }, test::kPatience))
            qFatal("the lever board was not computed");
        return dialog;
    }
    /// The row whose hint ends with the options.
    static QTreeWidgetItem *rowOf(const QTreeWidget &tree, const QString &options)
    {
        for (int i = 0; i < tree.topLevelItemCount(); ++i)
            for (int row = 0; row < tree.topLevelItem(i)->childCount(); ++row) {
                QTreeWidgetItem *item = tree.topLevelItem(i)->child(row);
                if (item->data(0, Qt::UserRole + 1).toString() == options)
                    return item;
            }
        return nullptr;
    }

    std::unique_ptr<test::WindowFixture> m_fixture;
};

STAGELENS_TEST(WindowLevers)

} // namespace ui_window_levers

#include "window_levers.moc"
