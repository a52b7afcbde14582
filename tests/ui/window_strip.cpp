// The plan strip: chips in fixed slots, numbers edited in place, pickers, problems, and training.
#include "engine/base/file.h"
#include "engine/model/calibration.h"
#include "engine/schedule/families.h"
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/canvas/colours.h"
#include "ui/controls/message_bar.h"
#include "ui/state/experiment_document.h"
#include "ui/state/run_database.h"
#include "ui/strip/choice_menu.h"
#include "ui/strip/method_picker.h"
#include "ui/strip/plan_chip.h"
#include "ui/strip/plan_strip.h"

#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QToolButton>
#include <QTreeWidget>

namespace ui_window_strip {

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowStrip : public QObject {
    Q_OBJECT
private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }

    void nothingMovesWhileThePlanTrains();
    void aNumberIsTypedIntoItsChip();
    void theWheelAndTheKeysStepANumber();
    void aNumberIsDraggedSideways();
    void aChipOpensItsPicker_data();
    void aChipOpensItsPicker();
    void theMethodPickerShowsWhatEachWouldGive();
    void whatDoesNotFitHasARedBar();
    void theFastestScheduleIsFound();
    void presetsAreNamedForPeople();
    void figuresSayWhatNoRunMeasured();
    void aProblemMarksItsChip();
    void theStatusBarSaysWhyAPlanCannotTrain();
    void theSettingsOpenAndAreSearched();
    void theSettingsAreRemembered();
    void theRunSheetSaysWhatTrainDoes();
    void theStripFitsEveryWidth_data();
    void theStripFitsEveryWidth();
    void aNarrowChipKeepsItsMeaning();

private:
    [[nodiscard]] const model::Experiment &experiment() { return m_fixture->window().document().experiment(); }
    ui::PlanChip *chip(const QString &name) { return m_fixture->find<ui::PlanChip>(u"strip.chip."_s + name); }
    QSpinBox *number(const QString &field) { return m_fixture->find<QSpinBox>(u"strip."_s + field); }
    QList<QRect> places()
    {
        QList<QRect> all;
        for (const QWidget *child :
             m_fixture->window().findChild<ui::PlanStrip *>()->findChildren<QWidget *>(QString(), Qt::FindDirectChildrenOnly))
            if (!child->isWindow())
                all << child->geometry();
        return all;
    }
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void WindowStrip::nothingMovesWhileThePlanTrains()
{
    auto &window = m_fixture->open();
    m_fixture->usePlanForTraining(200);
    const QList<QRect> before = places();
    m_fixture->click(u"strip.train"_s);
    QTRY_VERIFY(m_fixture->find<QToolButton>(u"strip.stop"_s)->isVisible());
    QVERIFY(!m_fixture->find<QToolButton>(u"strip.train"_s)->isVisible());
    QCOMPARE(places(), before);
    m_fixture->click(u"strip.stop"_s);
    QTRY_VERIFY_WITH_TIMEOUT(m_fixture->isSettled(), test::kPatience);
    QTRY_VERIFY(m_fixture->find<QToolButton>(u"strip.train"_s)->isVisible());
    QCOMPARE(places(), before);
    QVERIFY(!window.runController().isTraining());
}

void WindowStrip::aNumberIsTypedIntoItsChip()
{
    auto &window = m_fixture->open();
    QCOMPARE(chip(u"microbatches"_s)->value(), u"16"_s);
    auto *line = number(u"parallel.microbatches"_s)->findChild<QLineEdit *>();
    QTest::mouseClick(line, Qt::LeftButton);
    QVERIFY(number(u"parallel.microbatches"_s)->hasFocus());
    QTest::keyClicks(line, u"32"_s); // the click has selected the number
    QTest::keyClick(line, Qt::Key_Return);
    QCOMPARE(experiment().parallel.microbatches, 32);
    QCOMPARE(chip(u"microbatches"_s)->value(), u"32"_s);
    QCOMPARE(window.document().undoStack().count(), 1);
    auto *size = number(u"model.vocabulary_size"_s);
    size->setFocus();
    size->selectAll();
    QTest::keyClicks(size, u"256k"_s);
    QTest::keyClick(size, Qt::Key_Return);
    QCOMPARE(size->text(), u"256,000"_s);
    QVERIFY(size->width() >= size->sizeHint().width()); // the whole number is seen
    window.actions().undo->trigger();
    window.actions().redo->trigger(); // set by the document
    QTRY_VERIFY(size->width() >= size->sizeHint().width());
    window.actions().undo->trigger();
    window.actions().undo->trigger();
    QCOMPARE(experiment().parallel.microbatches, 16);
}

void WindowStrip::theWheelAndTheKeysStepANumber()
{
    auto &window = m_fixture->open();
    auto *field = number(u"parallel.microbatches"_s);
    const auto turn = [field](int notches) {
        QWheelEvent wheel({2, 2}, field->mapToGlobal(QPointF(2, 2)), {}, {0, 120 * notches}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(field, &wheel);
    };
    QSignalSpy ended(field, &QAbstractSpinBox::editingFinished);
    turn(1);
    turn(1);
    QCOMPARE(experiment().parallel.microbatches, 18);
    QVERIFY(ended.wait()); // a pause ends the gesture
    turn(-1);
    QCOMPARE(experiment().parallel.microbatches, 17);
    QCOMPARE(window.document().undoStack().count(), 2);
    auto *size = number(u"model.vocabulary_size"_s);
    size->setFocus();
    QTest::keyClick(size, Qt::Key_Up);
    QCOMPARE(experiment().model.vocabularySize, 16'384); // a size doubles
    QTest::keyClick(size, Qt::Key_Down);
    QTest::keyClick(size, Qt::Key_Down);
    QCOMPARE(experiment().model.vocabularySize, 4'096);
}

void WindowStrip::aNumberIsDraggedSideways()
{
    auto &window = m_fixture->open();
    auto *line = number(u"parallel.microbatches"_s)->findChild<QLineEdit *>();
    const QPoint from = line->rect().center();
    QTest::mousePress(line, Qt::LeftButton, {}, from);
    for (int x = 4; x <= 40; x += 4)
        QTest::mouseMove(line, from + QPoint(x, 0));
    QTest::mouseRelease(line, Qt::LeftButton, {}, from + QPoint(40, 0));
    QCOMPARE(experiment().parallel.microbatches, 21);
    QVERIFY(!line->hasFocus());
    QCOMPARE(window.document().undoStack().count(), 1); // one gesture
    QTest::mousePress(line, Qt::LeftButton, {}, from);
    QTest::mouseMove(line, from - QPoint(4000, 0));
    QTest::mouseRelease(line, Qt::LeftButton, {}, from - QPoint(4000, 0));
    QCOMPARE(experiment().parallel.microbatches, 1); // and no further
}

void WindowStrip::aChipOpensItsPicker_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("field");
    QTest::newRow("model") << u"model"_s << u"model.preset"_s;
    QTest::newRow("hardware") << u"hardware"_s << u"cost.hardware"_s;
    QTest::newRow("schedule") << u"schedule"_s << u"schedule.family"_s;
    QTest::newRow("vocabulary") << u"vocabulary"_s << u"schedule.vocabulary"_s;
}

void WindowStrip::aChipOpensItsPicker()
{
    QFETCH(const QString, name);
    QFETCH(const QString, field);
    auto &window = m_fixture->open();
    auto *strip = window.findChild<ui::PlanStrip *>();
    QWidget *menu = strip->methods(field) ? static_cast<QWidget *>(strip->methods(field)) : strip->menu(field);
    QTest::mouseClick(chip(name), Qt::LeftButton, {}, chip(name)->rect().center() + QPoint(0, -15)); // beside the number
    QTRY_VERIFY(menu->isVisible());
    QTest::keyClick(menu, Qt::Key_Escape);
    QTRY_VERIFY(!menu->isVisible());
    chip(name)->setFocus();
    QTest::keyClick(chip(name), Qt::Key_Return);
    QTRY_VERIFY(menu->isVisible());
    menu->close();
}

void WindowStrip::theMethodPickerShowsWhatEachWouldGive()
{
    auto &window = m_fixture->open();
    QTRY_VERIFY(window.forecast().familyOptions().state == ui::FamilyOptions::State::Tried);
    auto *picker = m_fixture->find<ui::MethodPicker>(u"picker.schedule.family"_s);
    QTest::mouseClick(chip(u"schedule"_s), Qt::LeftButton);
    QTRY_VERIFY(picker->isVisible());
    QCOMPARE(picker->width(), 520);
    QTreeWidget *table = picker->table();
    QCOMPARE(table->currentItem(), picker->row(u"1f1b"_s));
    const auto *gpipe = picker->row(u"gpipe"_s);
    QVERIFY(!gpipe->text(ui::MethodPicker::Time).isEmpty() && !gpipe->text(ui::MethodPicker::Memory).isEmpty());
    QCOMPARE(gpipe->parent(), picker->row(u"1f1b"_s)->parent()); // one group
    QVERIFY(picker->row(u"zb-h1"_s)->parent() != gpipe->parent());
    int onFront = 0;
    for (const schedule::Family &family : schedule::families())
        onFront += picker->row(QString::fromUtf8(family.name.data()))->icon(ui::MethodPicker::Front).isNull() ? 0 : 1;
    QVERIFY(onFront > 0 && onFront < 10);
    // The pointer raises the ghost of the end; sorting keeps the groups.
    table->scrollToItem(picker->row(u"gpipe"_s));
    QTest::mouseMove(table->viewport(), table->visualItemRect(picker->row(u"gpipe"_s)).center());
    QTRY_VERIFY(m_fixture->content().ghost.has_value());
    table->sortByColumn(ui::MethodPicker::Time, Qt::AscendingOrder);
    const QTreeWidgetItem *classic = gpipe->parent();
    QCOMPARE(table->topLevelItem(0), classic);
    QTest::keyClick(table, Qt::Key_Escape);
    QTRY_VERIFY(!picker->isVisible());
    QVERIFY(!m_fixture->content().ghost.has_value());
    QCOMPARE(experiment().schedule.family, std::string("1f1b"));
    // And a click chooses.
    QTest::mouseClick(chip(u"schedule"_s), Qt::LeftButton);
    table->scrollToItem(picker->row(u"gpipe"_s));
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualItemRect(picker->row(u"gpipe"_s)).center());
    QCOMPARE(experiment().schedule.family, std::string("gpipe"));
    QVERIFY(!picker->isVisible());
}

/// GPipe holds the activations of all microbatches of the 4B model, 1F1B those of eight.
void WindowStrip::whatDoesNotFitHasARedBar()
{
    auto &window =
        m_fixture->open(qEnvironmentVariable("STAGELENS_RESOURCES") + u"/examples/gpt-4b-8xa100-256k.stagelens.json"_s);
    QTRY_VERIFY_WITH_TIMEOUT(window.forecast().familyOptions().state == ui::FamilyOptions::State::Tried, test::kPatience);
    auto *picker = m_fixture->find<ui::MethodPicker>(u"picker.schedule.family"_s);
    QTest::mouseClick(chip(u"schedule"_s), Qt::LeftButton);
    QTRY_VERIFY(picker->isVisible());
    QTreeWidget *table = picker->table();
    const QRgb red = ui::coloursFor(table->palette()).alarm.rgb();
    const auto hasRedBar = [&](const QString &family) {
        const QTreeWidgetItem *item = picker->row(family);
        table->scrollToItem(item);
        QRect bar = table->visualItemRect(item);
        bar.setLeft(table->columnViewportPosition(ui::MethodPicker::Difference));
        const QImage image = table->viewport()->grab(bar).toImage();
        for (int x = 0; x < image.width(); ++x)
            if (image.pixel(x, image.height() / 2) == red)
                return true;
        return false;
    };
    QVERIFY2(!picker->row(u"gpipe"_s)->text(ui::MethodPicker::Time).isEmpty(), "no figures");
    QVERIFY(hasRedBar(u"gpipe"_s));
    QVERIFY(!hasRedBar(u"1f1b"_s));
}

void WindowStrip::theFastestScheduleIsFound()
{
    auto &window = m_fixture->open();
    const model::Experiment before = window.document().experiment();
    const base::Nanos time = window.forecast().plan()->metrics.iteration;
    auto *picker = m_fixture->find<ui::MethodPicker>(u"picker.schedule.family"_s);
    QTest::mouseClick(chip(u"schedule"_s), Qt::LeftButton);
    QTRY_VERIFY(picker->isVisible());
    auto *command = picker->findChild<QToolButton *>(u"picker.schedule.family.search-schedules"_s);
    QVERIFY(command && picker->rect().contains(command->geometry()));
    QTest::mouseClick(command, Qt::LeftButton);
    QVERIFY(!picker->isVisible());
    auto *notice = m_fixture->find<ui::MessageBar>(u"bar.notice"_s);
    QTRY_VERIFY_WITH_TIMEOUT(notice->isVisible() && notice->text().contains(u", the fastest of "_s), test::kPatience);
    QVERIFY(window.document().experiment().schedule.family != "auto");
    QTRY_VERIFY(window.forecast().plan()->experiment.schedule.family != "1f1b");
    QVERIFY(window.forecast().plan()->metrics.iteration < time);
    m_fixture->click(u"bar.notice.Undo"_s);
    QTRY_VERIFY(window.document().experiment() == before);
    // An edit meanwhile ends the search, and nothing is applied.
    window.actions().searchSchedules->trigger();
    model::Experiment next = before;
    next.parallel.microbatches = 24;
    window.document().edit(u"parallel.microbatches"_s, u"Microbatches"_s, next);
    QVERIFY2(notice->text().startsWith(u"The plan was edited"_s), qPrintable(notice->text()));
    QTest::qWait(300);
    QVERIFY(window.document().experiment() == next);
    // So does Cancel, and the next search shows its progress again.
    for (int search = 0; search < 2; ++search) {
        notice->clear();
        window.actions().searchSchedules->trigger();
        QTRY_VERIFY(notice->text().startsWith(u"Searching schedules: "_s));
        m_fixture->click(u"bar.notice.Cancel"_s);
        QTRY_VERIFY(!notice->isVisible());
        QVERIFY(window.document().experiment() == next);
    }
}

void WindowStrip::presetsAreNamedForPeople()
{
    auto &window = m_fixture->open();
    QCOMPARE(chip(u"model"_s)->value(), u"Demo GPT · vocabulary 8,192"_s);
    auto *menu = window.findChild<ui::PlanStrip *>()->menu(u"model.preset"_s);
    QTest::mouseClick(chip(u"model"_s), Qt::LeftButton, {}, QPoint(20, 8));
    QTRY_VERIFY(menu->isVisible());
    QStringList names;
    for (const QAction *action : menu->actions())
        names << action->text();
    QVERIFY2(names.contains(u"Llama 3.1 405B · 406B parameters"_s), qPrintable(names.join(u'\n')));
    QVERIFY(names.constFirst().startsWith(u"Demo "_s)); // the smallest first
    QCOMPARE(menu->actions().constLast(), window.actions().importModel);
    for (QAction *action : menu->actions())
        if (action->data().toString() == u"gemma-2-27b"_s)
            action->trigger();
    menu->close();
    QCOMPARE(experiment().model.hidden, 4608);
    QCOMPARE(chip(u"model"_s)->value(), u"Gemma 2 27B · vocabulary 256,000"_s);
    auto *hardware = window.findChild<ui::PlanStrip *>()->menu(u"cost.hardware"_s);
    QTest::mouseClick(chip(u"hardware"_s), Qt::LeftButton, {}, QPoint(20, 8));
    QTRY_VERIFY(hardware->isVisible());
    for (QAction *action : hardware->actions())
        if (action->data().toString() == u"a100-80gb"_s)
            action->trigger();
    hardware->close();
    QCOMPARE(chip(u"hardware"_s)->value(), u"4 × A100 80 GB"_s);
}

void WindowStrip::figuresSayWhatNoRunMeasured()
{
    auto &window = m_fixture->open();
    auto *provenance = m_fixture->find<QLabel>(u"metrics.provenance"_s);
    QTRY_COMPARE(provenance->text(), u"Predicted with unmeasured costs"_s);
    QVERIFY(provenance->toolTip().contains(u"general values"_s));
    for (const auto &[hardware, tip] :
         {std::pair("a100-80gb", u"Hidden width: 128, measured 1,024 to 8,192"_s), std::pair("b200", u"No run on"_s)}) {
        model::Experiment plan = experiment();
        plan.cost.source = model::HardwarePreset{hardware};
        window.document().start(plan, {}, u"Plan"_s);
        QTRY_VERIFY(provenance->text().endsWith(u", beyond measured runs"_s) && provenance->toolTip().contains(tip));
    }
    const model::Calibration measured{*model::hardwarePreset(model::kLocalProcessor), 0.02};
    QVERIFY(base::writeFile(model::calibrationFile(model::kLocalProcessor), model::calibrationToJson(measured)).ok());
    model::Experiment here = experiment();
    here.cost.source = model::HardwarePreset{std::string(model::kLocalProcessor)};
    window.document().start(here, {}, u"Plan"_s);
    QTRY_COMPARE(provenance->text(), u"Predicted for this computer"_s);
}

void WindowStrip::aProblemMarksItsChip()
{
    auto &window = m_fixture->open();
    auto *devices = number(u"parallel.devices"_s);
    devices->setFocus();
    devices->selectAll();
    QTest::keyClicks(devices, u"9"_s);
    QTest::keyClick(devices, Qt::Key_Return);
    QVERIFY(chip(u"hardware"_s)->hasProblem());
    QVERIFY(!chip(u"model"_s)->hasProblem());
    auto *settings = m_fixture->find<QToolButton>(u"strip.settings"_s);
    QCOMPARE(settings->text(), u"All settings (1)"_s);
    const auto field = [this] { return m_fixture->find<QSpinBox>(u"parallel.devices"_s); };
    QTest::mouseClick(settings, Qt::LeftButton);
    QTRY_VERIFY(field()->isVisible() && field()->hasFocus());
    m_fixture->find<QDockWidget>(u"dock.experiment"_s)->hide();
    QTest::mouseClick(chip(u"hardware"_s), Qt::LeftButton, {}, QPoint(chip(u"hardware"_s)->width() / 2, 8));
    QTRY_VERIFY(field()->isVisible() && field()->hasFocus());
    window.actions().undo->trigger();
    QTRY_VERIFY(!chip(u"hardware"_s)->hasProblem());
    QCOMPARE(settings->text(), u"All settings"_s);
}

void WindowStrip::theStatusBarSaysWhyAPlanCannotTrain()
{
    auto &window = m_fixture->open();
    m_fixture->usePlanForTraining(1);
    auto *status = m_fixture->find<QWidget>(u"status.text"_s);
    QTRY_VERIFY(window.forecast().isCurrent() && !status->accessibleName().contains(u"cannot be trained"_s));
    model::Experiment plan = window.document().experiment();
    plan.parallel.replicas = 2;
    plan.parallel.zero = 2;
    plan.parallel.zero2 = model::ZeroGradients::Eager;
    plan.model.tied = true; // which such a run refuses
    window.document().edit(u"parallel.zero2"_s, u"ZeRO-2"_s, plan);
    QTRY_VERIFY2(status->accessibleName().contains(u" · cannot be trained here: "_s), qPrintable(status->accessibleName()));
    // In the words of the window.
    QVERIFY2(!status->accessibleName().contains(u"--"_s) && !status->accessibleName().contains(u"simulate"_s),
             qPrintable(status->accessibleName()));
    QTest::keyClick(&window, Qt::Key_F5);
    QVERIFY(!window.runController().isTraining());
    window.document().undoStack().undo();
    QTRY_VERIFY2(!status->accessibleName().contains(u"cannot be trained"_s), qPrintable(status->accessibleName()));
}

void WindowStrip::theSettingsOpenAndAreSearched()
{
    auto &window = m_fixture->open();
    auto *dock = m_fixture->find<QDockWidget>(u"dock.experiment"_s);
    QVERIFY(!dock->isVisible()); // closed at the first start
    QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier);
    QTRY_VERIFY(dock->isVisible());
    auto *search = m_fixture->find<QLineEdit>(u"settings.search"_s);
    QTRY_VERIFY(search->hasFocus());
    QTest::keyClicks(search, u"learning"_s);
    QTRY_VERIFY(m_fixture->find<QWidget>(u"training.optimizer.lr"_s)->isVisible());
    QVERIFY(!m_fixture->find<QWidget>(u"schedule.recompute"_s)->isVisible());
    QVERIFY(!m_fixture->find<QToolButton>(u"group.Model"_s)->isVisible());
    QTest::keyClick(search, Qt::Key_Return); // to the first of them
    QVERIFY(!search->hasFocus() && dock->isAncestorOf(QApplication::focusWidget()));
    search->setText(u"fsdp"_s);
    QTRY_VERIFY(m_fixture->find<QWidget>(u"parallel.zero"_s)->isVisible());
    // What only a cluster has is found at the hardware, and what is nowhere is said.
    auto *hint = m_fixture->find<QLabel>(u"settings.hint"_s);
    QVERIFY(!hint->isVisible());
    search->setText(u"bandwidth gb/s"_s);
    QVERIFY(hint->isVisible() && hint->text().contains(u"Copy and edit"_s) && !hint->text().contains(u"Nothing"_s));
    QVERIFY(m_fixture->find<QWidget>(u"cost.hardware"_s)->isVisible());
    search->setText(u"no such thing"_s);
    QVERIFY2(hint->isVisible() && hint->text().startsWith(u"Nothing found. "_s), qPrintable(hint->text()));
    search->setFocus();
    QTest::keyClick(search, Qt::Key_Escape);
    QVERIFY(search->text().isEmpty() && !hint->isVisible());
    QTRY_VERIFY(m_fixture->find<QWidget>(u"schedule.recompute"_s)->isVisible());
    QTest::keyClick(&window, Qt::Key_E, Qt::ControlModifier);
    QTRY_VERIFY(!dock->isVisible());
    m_fixture->click(u"strip.settings"_s);
    QTRY_VERIFY(dock->isVisible());
}

void WindowStrip::theSettingsAreRemembered()
{
    m_fixture->open();
    m_fixture->openSettings();
    m_fixture->window().close();
    m_fixture->open();
    QTRY_VERIFY(m_fixture->find<QDockWidget>(u"dock.experiment"_s)->isVisible());
}

void WindowStrip::theRunSheetSaysWhatTrainDoes()
{
    auto &window = m_fixture->open();
    auto *sheet = m_fixture->find<QFrame>(u"run.sheet"_s);
    QVERIFY(!sheet->isVisible());
    m_fixture->click(u"strip.train.sheet"_s);
    QTRY_VERIFY(sheet->isVisible());
    auto *steps = m_fixture->find<QSpinBox>(u"sheet.training.steps"_s);
    QTRY_VERIFY(steps->hasFocus());
    QTest::keySequence(steps, QKeySequence::SelectAll);
    QTest::keyClicks(steps, u"3"_s);
    QTest::keyClick(steps, Qt::Key_Return);
    QCOMPARE(experiment().training.steps, 3);
    QCOMPARE(m_fixture->find<QToolButton>(u"strip.train"_s)->text(), u"Train 3 steps"_s);
    const QString where = m_fixture->find<QLabel>(u"run.where"_s)->text();
    QVERIFY2(where.contains(u"CPU"_s) && where.contains(u"about "_s), qPrintable(where));
    m_fixture->click(u"run.start"_s);
    QVERIFY(!sheet->isVisible());
    QVERIFY(window.runController().isTraining());
    QTRY_VERIFY_WITH_TIMEOUT(m_fixture->isSettled(), test::kPatience);
    QCOMPARE(window.runDatabase().runs().ids.size(), std::size_t{1});
}

void WindowStrip::theStripFitsEveryWidth_data()
{
    QTest::addColumn<int>("width");
    for (const int width : {683, 800, 1024, 1366, 1440, 2560})
        QTest::addRow("%d", width) << width;
}

void WindowStrip::theStripFitsEveryWidth()
{
    QFETCH(const int, width);
    auto &window = m_fixture->open();
    window.resize(width, 600);
    QCOMPARE(window.width(), width);
    const auto *strip = window.findChild<ui::PlanStrip *>();
    QTRY_COMPARE(strip->width(), width);
    QList<QRect> all = places();
    for (qsizetype i = 0; i < all.size(); ++i) {
        QVERIFY(strip->rect().contains(all[i]));
        for (qsizetype j = 0; j < i; ++j)
            QVERIFY2(!all[i].intersects(all[j]), qPrintable(QString::number(i) + u' ' + QString::number(j)));
    }
}

void WindowStrip::aNarrowChipKeepsItsMeaning()
{
    auto &window = m_fixture->open();
    const auto shown = [this](const QString &name) { return chip(name)->shownValue().replace(QChar(0xa0), u' '); };
    window.resize(800, 600);
    QTRY_COMPARE(window.findChild<ui::PlanStrip *>()->width(), 800);
    QCOMPARE(shown(u"model"_s), u"Demo GPT · 8,192"_s);
    QCOMPARE(shown(u"hardware"_s), u"4 × CPU"_s);
    QCOMPARE(shown(u"microbatches"_s), u"16"_s);
    QCOMPARE(shown(u"schedule"_s), u"1F1B"_s);
    QCOMPARE(shown(u"vocabulary"_s), u"Not split"_s);
    QCOMPARE(chip(u"hardware"_s)->toolTip(), u"4 × This computer"_s); // the whole is one hover away
    model::Experiment plan = experiment();
    plan.schedule.vocabulary = model::VocabularyMethod::Vocab2;
    plan.cost.source = model::HardwarePreset{"a100-80gb"};
    plan.schedule.family = "interleaved-1f1b";
    plan.schedule.chunks = 2;
    window.document().edit(u"plan"_s, u"plan"_s, plan);
    QCOMPARE(shown(u"hardware"_s), u"4 × A100"_s);
    QCOMPARE(shown(u"vocabulary"_s), u"VOCAB-2"_s);
    const QString interleaved = shown(u"schedule"_s);
    plan.schedule.family = "interleaved-zb";
    window.document().edit(u"plan"_s, u"plan"_s, plan);
    QVERIFY2(shown(u"schedule"_s) != interleaved && interleaved.endsWith(u"1B"_s), qPrintable(interleaved));
    // In the narrowest window the name of the model stays, and its number gives way.
    window.resize(683, 600);
    QTRY_COMPARE(window.findChild<ui::PlanStrip *>()->width(), 683);
    QCOMPARE(shown(u"model"_s), u"Demo GPT"_s);
    QCOMPARE(shown(u"hardware"_s), u"4 × A100"_s);
    QCOMPARE(shown(u"vocabulary"_s), u"VOCAB-2"_s);
    // A number of several digits is edited at any width.
    auto *microbatches = m_fixture->find<QSpinBox>(u"strip.parallel.microbatches"_s);
    QVERIFY(microbatches->isVisible() && chip(u"microbatches"_s)->rect().contains(microbatches->parentWidget()->geometry()));
    window.resize(1440, 900);
    QTRY_COMPARE(shown(u"hardware"_s), u"4 × A100 80 GB"_s);
    QCOMPARE(shown(u"model"_s), u"Demo GPT · vocabulary 8,192"_s);
}

STAGELENS_TEST(WindowStrip)

} // namespace ui_window_strip

#include "window_strip.moc"
