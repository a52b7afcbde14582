// A cluster of one's own in the window, and plans for other frameworks.
#include "engine/model/experiment_json.h"
#include "engine/model/hardware_json.h"
#include "engine/model/presets.h"
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/controllers/export_controller.h"
#include "ui/panels/cluster_dialog.h"
#include "ui/panels/launch_report.h"
#include "ui/shell/window_controllers.h"
#include "ui/state/forecast.h"
#include "ui/strip/choice_menu.h"
#include "ui/strip/plan_chip.h"
#include "ui/strip/plan_strip.h"
#include "ui/words/words.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace ui_window_cluster {

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowCluster : public QObject {
    Q_OBJECT
private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }

    /// The last entry of the chip's menu; what is used there is one step of undo and part of the saved experiment.
    void aPresetIsCopiedAndEdited()
    {
        auto &window = m_fixture->open();
        usePreset("h100-sxm");
        const model::Experiment before = window.document().experiment();
        ui::ClusterDialog *dialog = edit();
        line(*dialog, u"nodes"_s)->setText(u"16"_s);
        line(*dialog, u"between_nodes.bytes_per_second"_s)->setText(u"25"_s); // GB/s
        const auto bits = [dialog](const QString &link) {
            return dialog->findChild<QLabel *>(u"cluster."_s + link + u".bytes_per_second.bits"_s)->text();
        };
        QCOMPARE(bits(u"between_nodes"_s), u"= 200 Gb/s a GPU, 1600 Gb/s a node"_s);
        QCOMPARE(bits(u"inside_node"_s), u"= 1200 Gb/s a GPU"_s);
        dialog->findChild<QLineEdit *>(u"cluster.name"_s)->setText(u"my-cluster"_s);
        QCOMPARE(dialog->problem(), QString());
        dialog->findChild<QPushButton *>(u"cluster.use"_s)->click();
        const auto &choice = std::get<model::HardwarePreset>(window.document().experiment().cost.source);
        QVERIFY(choice.cluster && choice.name == "my-cluster");
        QCOMPARE(choice.cluster->nodes, 16);
        QCOMPARE(choice.cluster->betweenNodes.bytesPerSecond, 25e9);
        QCOMPARE(choice.cluster->derivedFrom, std::string("h100-sxm"));
        // Fields that were not edited keep their full precision.
        model::Hardware same = *model::hardwarePreset("h100-sxm");
        QCOMPARE(choice.cluster->insideNode, same.insideNode);
        QCOMPARE(choice.cluster->collectives, same.collectives);
        QCOMPARE(m_fixture->find<ui::PlanChip>(u"strip.chip.hardware"_s)->value(), u"4 × my-cluster"_s);
        const QString file = m_fixture->path(u"plan.stagelens.json"_s);
        QVERIFY(window.document().save(file).ok());
        const auto saved = model::loadExperiment(file.toStdString());
        QVERIFY(saved.ok() && std::get<model::HardwarePreset>(saved->cost.source) == choice);
        window.document().undoStack().undo();
        QCOMPARE(window.document().experiment(), before);
    }

    void whatIsWrongIsMarked()
    {
        m_fixture->open();
        usePreset("h200");
        ui::ClusterDialog *dialog = edit();
        auto *use = dialog->findChild<QPushButton *>(u"cluster.use"_s);
        auto *message = dialog->findChild<QLabel *>(u"cluster.message"_s);
        QVERIFY(use->isEnabled());
        for (const auto &[key, text, problem] :
             {std::tuple(u"nodes"_s, u"-1"_s, u"Nodes is -1; choose 0 to 16777216 (the nearest is 0)"_s),
              {u"devices_per_node"_s, u"many"_s, u"GPUs a node is no number"_s},
              {u"between_nodes.oversubscription"_s, u"0.5"_s, u"(the nearest is 1)"_s}}) {
            QLineEdit *edited = line(*dialog, key);
            const QString sound = edited->text();
            edited->setText(text);
            QVERIFY2(dialog->problem().contains(problem), qPrintable(dialog->problem()));
            QCOMPARE(message->text(), dialog->problem());
            QVERIFY(!use->isEnabled());
            QVERIFY(!edited->accessibleDescription().isEmpty());
            edited->setText(sound);
            QVERIFY(use->isEnabled() && dialog->problem().isEmpty());
        }
        dialog->findChild<QLineEdit *>(u"cluster.name"_s)->setText(u"h100-sxm"_s);
        QVERIFY2(dialog->problem().contains(u"is a preset"_s), qPrintable(dialog->problem()));
        dialog->reject();
        QVERIFY(!std::get<model::HardwarePreset>(m_fixture->window().document().experiment().cost.source).cluster);
    }

    void filesAreWrittenAndRead()
    {
        m_fixture->open();
        usePreset("h200");
        ui::ClusterDialog *dialog = edit();
        auto *message = dialog->findChild<QLabel *>(u"cluster.message"_s);
        line(*dialog, u"nodes"_s)->setText(u"7"_s);
        const QString file = m_fixture->path(u"mine.json"_s);
        dialog->saveTo(file);
        QTRY_VERIFY(message->text().startsWith(u"Saved as"_s));
        QVERIFY(*model::loadCluster(file.toStdString()) == dialog->cluster());
        dialog->saveTo(u"/dev/full"_s);
        QTRY_VERIFY2(message->text().startsWith(u"The cluster was not saved."_s), qPrintable(message->text()));
        line(*dialog, u"nodes"_s)->setText(u"9"_s);
        dialog->openFrom(file);
        QTRY_COMPARE(line(*dialog, u"nodes"_s)->text(), u"7"_s);
        QFile bad(m_fixture->path(u"bad.json"_s));
        QVERIFY(bad.open(QIODevice::WriteOnly) && bad.write("{\"stagelens\": \"hardware/9\"}") > 0);
        bad.close();
        dialog->openFrom(bad.fileName());
        QTRY_VERIFY2(message->text().contains(u"reads `hardware/1` only"_s), qPrintable(message->text()));
        QCOMPARE(dialog->cluster().nodes, 7);
        // The window may close while a file is being written.
        dialog->saveTo(file);
        dialog->close();
    }

    void aPlanIsExportedForAFramework()
    {
        auto &window = m_fixture->open();
        model::Experiment plan = window.document().experiment();
        plan.schedule.vocabulary = model::VocabularyMethod::Vocab2;
        window.document().start(plan, {}, u"Plan"_s);
        auto *menu = window.actions().launchExports;
        QTRY_VERIFY(menu->menuAction()->isEnabled());
        QCOMPARE(menu->actions().size(), 3);
        const QString file = m_fixture->path(u"launch.sh"_s);
        QSignalSpy written(window.controllers().exports.get(), &ui::ExportController::written);
        window.controllers().exports->exportLaunch(u"megatron"_s, file);
        QTRY_COMPARE(written.size(), 1);
        QFile script(file);
        QVERIFY(script.open(QIODevice::ReadOnly));
        QVERIFY(script.readAll().contains("--pipeline-model-parallel-size 4"));
        auto *report = m_fixture->find<ui::LaunchReport>(u"launch.report"_s);
        QVERIFY2(report->text().contains(u"vocabulary vocab-2"_s), qPrintable(report->text()));
        report->close();
        QSignalSpy failed(window.controllers().exports.get(), &ui::ExportController::failed);
        window.controllers().exports->exportLaunch(u"deepspeed"_s, u"/dev/full"_s);
        QTRY_COMPARE(failed.size(), 1);
        plan.hasModel = false;
        plan.cost.source = model::UniformCosts{{{"F", 1}, {"B", 2}}, {}};
        plan.schedule.vocabulary = model::VocabularyMethod::None;
        window.document().start(plan, {}, u"Plan"_s);
        QTRY_VERIFY(!menu->menuAction()->isEnabled());
        QVERIFY(menu->menuAction()->toolTip().contains(u"choose one"_s));
    }

    /// The chip's list measures this computer again and says by how much equal passes differ.
    void thisComputerIsMeasuredAgain()
    {
        auto &window = m_fixture->open();
        auto *menu = window.findChild<ui::PlanStrip *>()->menu(u"cost.hardware"_s);
        emit menu->aboutToShow();
        QAction *measure = window.actions().calibrate;
        auto *forecast = window.findChild<ui::Forecast *>();
        QTRY_VERIFY(forecast->isCurrent());
        const base::Nanos took = forecast->plan()->metrics.iteration;
        QVERIFY(menu->actions().contains(measure));
        measure->trigger();
        QVERIFY(!measure->isEnabled());
        auto *notice = m_fixture->find<ui::MessageBar>(u"bar.notice"_s);
        // On a busy computer it is said that it is too busy, and the item can be clicked again.
        QTRY_VERIFY_WITH_TIMEOUT(measure->isEnabled(), 240'000);
        if (notice->text().contains(u"measure again"_s))
            QSKIP("other programs keep this computer busy");
        QVERIFY2(notice->text().startsWith(u"This computer was measured: equal passes differ by "_s),
                 qPrintable(notice->text()));
        QTRY_VERIFY(forecast->isCurrent());
        const base::Nanos takes = forecast->plan()->metrics.iteration;
        if (std::abs(static_cast<double>(takes - took)) > 0.02 * static_cast<double>(took))
            QTRY_VERIFY2(notice->text().contains(
                             u"now takes %1; before it was %2."_s.arg(ui::durationText(takes), ui::durationText(took))),
                         qPrintable(notice->text()));
        QVERIFY2(measure->text().contains(u"equal passes differ by"_s), qPrintable(measure->text()));
    }

private:
    void usePreset(const char *name)
    {
        model::Experiment plan = m_fixture->window().document().experiment();
        plan.cost.source = model::HardwarePreset{name};
        m_fixture->window().document().start(plan, {}, u"Plan"_s);
    }
    ui::ClusterDialog *edit()
    {
        auto *menu = m_fixture->window().findChild<ui::PlanStrip *>()->menu(u"cost.hardware"_s);
        emit menu->aboutToShow();
        m_fixture->window().actions().copyHardware->trigger();
        ui::ClusterDialog *dialog = nullptr;
        [&] { QTRY_VERIFY((dialog = m_fixture->window().findChild<ui::ClusterDialog *>()) != nullptr); }();
        return dialog;
    }
    static QLineEdit *line(ui::ClusterDialog &dialog, const QString &key)
    {
        return dialog.findChild<QLineEdit *>(u"cluster."_s + key);
    }
    std::unique_ptr<test::WindowFixture> m_fixture;
};

STAGELENS_TEST(WindowCluster)

} // namespace ui_window_cluster

#include "window_cluster.moc"
