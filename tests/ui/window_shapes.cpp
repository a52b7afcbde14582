// Plans of several ranks in the window: shapes that fit, the topology, lanes that stand for ranks, and sweeps over shapes.
#include "engine/model/presets.h"
#include "engine/service/predictions/explain.h"
#include "engine/simulate/idle_causes.h"
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/controls/number_box.h"
#include "ui/panels/compare_panel.h"
#include "ui/shapes/shape_dialog.h"
#include "ui/shapes/topology_strip.h"
#include "ui/state/gap_explanation.h"
#include "ui/state/lane_groups.h"
#include "ui/strip/choice_menu.h"
#include "ui/strip/plan_chip.h"
#include "ui/strip/plan_strip.h"
#include "ui/sweep/sweep_plan.h"
#include "ui/sweep/sweep_shapes.h"
#include "ui/words/words.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QTreeWidget>

#include <algorithm>
#include <array>

namespace ui_window_shapes {

using namespace stagelens;
using namespace Qt::StringLiterals;

namespace {

/// 2 devices x 2 tensor ranks x 2 context ranks x 2 replicas on two nodes of eight GPUs.
model::Experiment planOfRanks()
{
    model::Experiment plan;
    plan.model = test::gptOf(4, 512, 8, 256, 8192, model::DataType::Fp16);
    plan.parallel.devices = 2;
    plan.parallel.microbatches = 4;
    plan.parallel.tensor = 2;
    plan.parallel.context = 2;
    plan.parallel.replicas = 2;
    plan.parallel.zero = 1;
    plan.cost.source = model::HardwarePreset{"a100-80gb"};
    return plan;
}

std::int64_t sequencesOf(const model::Experiment &plan)
{
    return plan.parallel.stepMicrobatches() * plan.parallel.microbatchSize;
}

} // namespace

class WindowShapes : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_fixture = std::make_unique<test::WindowFixture>();
        m_fixture->open();
        m_fixture->window().document().start(planOfRanks(), {}, u"Ranks"_s);
        QTRY_VERIFY(m_fixture->window().forecast().plan() &&
                    m_fixture->window().forecast().plan()->experiment.parallel.context == 2);
    }
    void cleanup() { m_fixture.reset(); }

    /// Ctrl+P; a click on a row applies it as one step of undo and does not search again.
    void aClickOnAShapeAppliesIt()
    {
        const model::Experiment before = m_fixture->window().document().experiment();
        ui::ShapeDialog *dialog = open();
        ui::ShapeTable *table = dialog->table();
        QVERIFY2(dialog->findChild<QLabel *>(u"shapes.heading"_s)->text().contains(u"16 GPUs"_s),
                 qPrintable(dialog->findChild<QLabel *>(u"shapes.heading"_s)->text()));
        QTreeWidgetItem *item = rowOf(*table, [](const ui::ShapeRow &row) { return row.experiment.parallel.devices == 4; });
        QVERIFY(item != nullptr);
        table->scrollToItem(item);
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualItemRect(item).center());
        const model::Experiment &after = m_fixture->window().document().experiment();
        QCOMPARE(after.parallel.devices, 4);
        QCOMPARE(after.parallel.ranks(4), std::int64_t{16});
        QCOMPARE(sequencesOf(after), sequencesOf(before));
        QCOMPARE(after.training, before.training);
        QVERIFY(!dialog->isComputing());
        QTRY_VERIFY(item->font(0).bold()); // the plan's row
        QTest::keyClick(dialog, Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(m_fixture->window().document().experiment(), before);
    }

    /// The arrow keys only move; Return applies. The table says what a plan says.
    void aShapeIsAppliedByKeys()
    {
        ui::ShapeDialog *dialog = open();
        ui::ShapeTable *table = dialog->table();
        const model::Experiment before = m_fixture->window().document().experiment();
        table->setFocus();
        table->setCurrentItem(table->topLevelItem(0));
        QTest::keyClick(table, Qt::Key_Down);
        QCOMPARE(m_fixture->window().document().experiment(), before);
        const QTreeWidgetItem *item = table->currentItem();
        const QString time = item->text(ui::ShapeTable::Time);
        const QString memory = item->text(ui::ShapeTable::Memory);
        QTest::keyClick(table, Qt::Key_Return);
        QVERIFY(!(m_fixture->window().document().experiment() == before));
        QTRY_VERIFY(!m_fixture->window().forecast().isComputing());
        const simulate::Metrics &metrics = m_fixture->window().forecast().plan()->metrics;
        QCOMPARE(ui::durationText(metrics.iteration), time);
        QCOMPARE(ui::bytesText(std::ranges::max(metrics.peakMemory)), memory);
    }

    void filtersAndColumns()
    {
        ui::ShapeDialog *dialog = open();
        ui::ShapeTable *table = dialog->table();
        const int all = table->shownRows();
        auto *tensor = dialog->findChild<QComboBox *>(u"shapes.tensor"_s);
        tensor->setFocus();
        QTest::keyClick(tensor, Qt::Key_Down); // from "any" to 1
        QVERIFY(table->shownRows() > 0 && table->shownRows() < all);
        for (int i = 0; i < table->topLevelItemCount(); ++i)
            QVERIFY(table->topLevelItem(i)->isHidden() || table->topLevelItem(i)->text(ui::ShapeTable::Tensor) == u"1"_s);
        QTest::keyClick(tensor, Qt::Key_Up);
        QCOMPARE(table->shownRows(), all);
        QTest::mouseClick(dialog->findChild<QCheckBox *>(u"shapes.front"_s), Qt::LeftButton, {}, {8, 8});
        QVERIFY(table->shownRows() > 0 && table->shownRows() < all);
        QVERIFY(table->isColumnHidden(ui::ShapeTable::Days));
        QStringList plans; // no two rows read alike
        for (int i = 0; i < table->topLevelItemCount(); ++i) {
            QString plan;
            for (const int column : {ui::ShapeTable::Pipeline, ui::ShapeTable::Tensor, ui::ShapeTable::Context,
                                     ui::ShapeTable::Replicas, ui::ShapeTable::Methods, ui::ShapeTable::Microbatches})
                plan += table->topLevelItem(i)->text(column) + u'|';
            QVERIFY2(!plans.contains(plan), qPrintable(plan));
            plans << plan;
        }
        // Time and memory are seen without scrolling.
        dialog->resize(800, 600);
        QApplication::processEvents();
        const auto endOf = [&](int column) { return table->columnViewportPosition(column) + table->columnWidth(column); };
        QVERIFY2(endOf(ui::ShapeTable::Memory) <= table->viewport()->width() && endOf(ui::ShapeTable::Time) > 0,
                 qPrintable(QString::number(endOf(ui::ShapeTable::Memory))));
        auto *tokens = dialog->findChild<QLineEdit *>(u"shapes.tokens"_s);
        tokens->setFocus();
        QTest::keyClicks(tokens, u"2e12"_s);
        QVERIFY(!table->isColumnHidden(ui::ShapeTable::Days) && table->isColumnHidden(ui::ShapeTable::Money)); // no price
        const double rate = *table->rows().front().metrics->tokensPerSecond;
        const double days = 2e12 / rate / 86400;
        QVERIFY(std::abs(table->topLevelItem(0)->text(ui::ShapeTable::Days).toDouble() - days) <= 0.5);
        auto *price = dialog->findChild<QLineEdit *>(u"shapes.price"_s);
        price->setFocus();
        QTest::keyClicks(price, u"2.5"_s);
        QVERIFY(!table->isColumnHidden(ui::ShapeTable::Money));
        const model::ParallelPlan &parallel = table->rows().front().experiment.parallel;
        const double cost = days * 24 * static_cast<double>(parallel.ranks(parallel.devices)) * 2.5;
        QString shown = table->topLevelItem(0)->text(ui::ShapeTable::Money);
        QVERIFY(shown.endsWith(u" USD"_s));
        QVERIFY2(std::abs(shown.remove(u',').chopped(4).toDouble() - cost) <= 0.5, qPrintable(shown));
        price->setText(u"much"_s);
        QVERIFY(!price->accessibleDescription().isEmpty() && table->isColumnHidden(ui::ShapeTable::Money));
        price->clear();
    }

    /// What is typed on opening replaces the GPUs; what was asked is asked again on the next opening.
    void theQuestionIsRemembered()
    {
        ui::ShapeDialog *dialog = open();
        auto *gpus = dialog->findChild<ui::NumberBox *>(u"shapes.gpus"_s);
        auto *tokens = dialog->findChild<QLineEdit *>(u"shapes.tokens"_s);
        QTRY_VERIFY(gpus->hasFocus());
        QTest::keyClicks(gpus, u"32"_s);
        QCOMPARE(gpus->value(), 32);
        for (const auto &[text, value] : {std::pair{u"2T"_s, true}, std::pair{u"15 B"_s, false}, std::pair{u"2e12"_s, true}}) {
            tokens->setText(text);
            QCOMPARE(tokens->accessibleDescription().isEmpty(), value);
        }
        QTest::keyClick(gpus, Qt::Key_Return); // searches
        QVERIFY(QTest::qWaitFor([dialog] { return !dialog->isComputing(); }, test::kPatience));
        QVERIFY(dialog->findChild<QLabel *>(u"shapes.heading"_s)->text().contains(u"32 GPUs"_s));
        // Days beside time and memory, as wide as their text.
        const ui::ShapeTable *table = dialog->table();
        QVERIFY(table->columnWidth(ui::ShapeTable::Days) >
                table->fontMetrics().horizontalAdvance(table->topLevelItem(0)->text(ui::ShapeTable::Days)));
        dialog->close();
        QVERIFY(!dialog->isVisible());
        QCOMPARE(open(), dialog);
        QCOMPARE(gpus->value(), 32);
        QCOMPARE(tokens->text(), u"2e12"_s);
        QCOMPARE(gpus->findChild<QLineEdit *>()->selectedText(), u"32"_s);
        // The button applies the row and closes the window.
        dialog->table()->setCurrentItem(dialog->table()->topLevelItem(0));
        QTest::mouseClick(dialog->findChild<QPushButton *>(u"shapes.apply"_s), Qt::LeftButton);
        QVERIFY(!dialog->isVisible());
        const model::ParallelPlan &parallel = m_fixture->window().document().experiment().parallel;
        QCOMPARE(parallel.ranks(parallel.devices), std::int64_t{32});
    }

    /// Another sequence length is asked for without leaving the dialog, and stays that of the plans found.
    void anotherSequenceLengthIsAskedFor()
    {
        ui::ShapeDialog *dialog = open();
        auto *sequence = dialog->findChild<ui::NumberBox *>(u"shapes.sequence"_s);
        QCOMPARE(sequence->value(), static_cast<int>(m_fixture->window().document().experiment().model.sequence));
        QVERIFY(dialog->table()->isColumnHidden(ui::ShapeTable::Remark)); // nothing to remark: no empty column
        const int longer = 2 * sequence->value();
        sequence->setFocus();
        sequence->selectAll();
        QTest::keyClicks(sequence, QString::number(longer));
        QTest::keyClick(sequence, Qt::Key_Return);
        QVERIFY(QTest::qWaitFor([dialog] { return !dialog->isComputing(); }, test::kPatience));
        const QString asked = u" sequences of %1 tokens a step"_s.arg(ui::countText(longer));
        const QString heading = dialog->findChild<QLabel *>(u"shapes.heading"_s)->text();
        QVERIFY2(heading.contains(asked), qPrintable(heading));
        QVERIFY(!dialog->table()->rows().empty());
        for (const ui::ShapeRow &row : dialog->table()->rows())
            QCOMPARE(row.experiment.model.sequence, longer);
        dialog->table()->setCurrentItem(dialog->table()->topLevelItem(0));
        QTest::mouseClick(dialog->findChild<QPushButton *>(u"shapes.apply"_s), Qt::LeftButton);
        QCOMPARE(m_fixture->window().document().experiment().model.sequence, longer);
    }

    /// Of plans that are as fast, the smallest comes first.
    void tiesAreBrokenByMemory()
    {
        service::PlanAnswer answer;
        for (const auto &[time, memory] : {std::pair{100'000, 80}, {100'050, 70}, {100'200, 60}}) {
            auto plan = std::make_shared<service::Prediction>();
            plan->metrics.iteration = time;
            plan->metrics.peakMemory = {memory};
            answer.plans.push_back({plan, {}});
        }
        QList<qint64> memory;
        for (const ui::ShapeRow &row : ui::shapeRows(answer))
            memory << *row.memory;
        QCOMPARE(memory, (QList<qint64>{70, 80, 60}));
    }

    /// A preset with another sequence keeps its name.
    void modelsKeepTheirNames()
    {
        model::ModelConfig model = *model::modelPreset("llama-3-8b");
        model.sequence = 131072;
        model.preset = "custom";
        QCOMPARE(ui::modelName(model), u"Llama 3.1 8B"_s);
        ++model.layers;
        QCOMPARE(ui::modelName(model), u"Custom"_s);
        QCOMPARE(ui::rateText(0.3742), u"0.374"_s);
        QCOMPARE(ui::rateText(8192.4), u"8,192"_s);
    }

    /// What does not fit stays in the table with what it needs.
    void whatDoesNotFitSaysWhy()
    {
        model::Experiment plan = m_fixture->window().document().experiment();
        model::Hardware small = *model::hardwarePreset("a100-80gb");
        small.name = "small";
        small.memoryCapacity = 1 << 24;
        plan.cost.source = model::HardwarePreset{small.name, std::make_shared<const model::Hardware>(small)};
        m_fixture->window().document().edit(u"plan"_s, u"Limit"_s, plan);
        ui::ShapeDialog *dialog = open();
        ui::ShapeTable *table = dialog->table();
        QVERIFY(dialog->findChild<QLabel *>(u"shapes.heading"_s)->text().contains(u"nothing fits"_s));
        QVERIFY(table->shownRows() > 0);
        for (int i = 0; i < table->topLevelItemCount(); ++i)
            QVERIFY(!table->topLevelItem(i)->text(ui::ShapeTable::Remark).isEmpty());
        // The filter that would have left nothing comes back with the first answer in which something fits.
        auto *onlyFitting = dialog->findChild<QCheckBox *>(u"shapes.fitting"_s);
        QVERIFY(!onlyFitting->isChecked());
        m_fixture->window().document().undoStack().undo();
        QTRY_VERIFY_WITH_TIMEOUT(onlyFitting->isChecked() && !dialog->isComputing(), test::kPatience);
    }

    void severalShapesAreCompared()
    {
        ui::ShapeDialog *dialog = open();
        ui::ShapeTable *table = dialog->table();
        auto *compare = dialog->findChild<QPushButton *>(u"shapes.compare"_s);
        QVERIFY(!compare->isEnabled());
        table->setFocus();
        table->setCurrentItem(table->topLevelItem(0));
        QTest::keyClick(table, Qt::Key_Down, Qt::ShiftModifier);
        QVERIFY(compare->isEnabled());
        QTest::mouseClick(compare, Qt::LeftButton);
        QTRY_COMPARE(m_fixture->window().comparePanel().items().size(), std::size_t{2});
    }

    /// The best plans of mostly pipeline, tensor, context and data ranks, by one click.
    void leadingWaysAreCompared()
    {
        ui::ShapeDialog *dialog = open();
        const std::vector<ui::ShapeRow> rows = dialog->table()->rows();
        const auto expected = ui::leadingWays(rows);
        QVERIFY(expected.size() >= 3);
        QTest::mouseClick(dialog->findChild<QPushButton *>(u"shapes.ways"_s), Qt::LeftButton);
        const auto &items = m_fixture->window().comparePanel().items();
        QTRY_COMPARE(items.size(), expected.size());
        QVERIFY(!dialog->isVisible()); // it would cover them
        const auto degreesOf = [](const model::ParallelPlan &plan) {
            return std::array{plan.devices, plan.tensor, plan.context, plan.replicas};
        };
        constexpr std::array kNames{"Mostly pipeline: ", "Mostly tensor: ", "Mostly context: ", "Mostly data: "};
        for (std::size_t i = 0; i < items.size(); ++i) {
            QCOMPARE(items[i].name, expected[i].first);
            const auto axis = static_cast<std::size_t>(
                std::ranges::find_if(kNames,
                                     [&](const char *name) { return items[i].name.startsWith(QLatin1StringView(name)); }) -
                kNames.begin());
            QVERIFY2(axis < kNames.size(), qPrintable(items[i].name));
            QVERIFY(!items[i].name.contains(u"does not fit"_s));
            for (const ui::ShapeRow &row : rows) { // no other plan that this axis leads, and that fits, is faster
                const auto degrees = degreesOf(row.experiment.parallel);
                const bool isLed =
                    std::ranges::max(degrees) == degrees[axis] && std::ranges::count(degrees, degrees[axis]) == 1;
                QVERIFY(!row.fits || !isLed || row.metrics->iteration >= items[i].metrics.iteration);
            }
        }
        // What does not fit says so.
        std::vector<ui::ShapeRow> none = rows;
        for (ui::ShapeRow &row : none)
            row.fits = false;
        QVERIFY(ui::leadingWays(none).front().first.endsWith(u"(does not fit)"_s));
    }

    void theSearchCanBeCancelled()
    {
        model::Experiment plan = planOfRanks();
        plan.model = test::gptOf(64, 4096, 32, 2048, 131072, model::DataType::Fp16);
        plan.parallel.replicas = 128;
        m_fixture->window().document().start(plan, {}, u"Large"_s);
        QTRY_VERIFY(m_fixture->window().forecast().plan() &&
                    m_fixture->window().forecast().plan()->experiment.parallel.replicas == 128);
        m_fixture->window().actions().shapes->trigger();
        auto *dialog = m_fixture->window().findChild<ui::ShapeDialog *>(u"shapes"_s);
        QVERIFY(dialog && dialog->isComputing());
        auto *cancel = dialog->findChild<QPushButton *>(u"shapes.cancel"_s);
        QTRY_VERIFY(cancel->isVisible());
        QTest::mouseClick(cancel, Qt::LeftButton);
        QVERIFY(!dialog->isComputing() && !cancel->isVisible());
        QVERIFY(dialog->findChild<QLabel *>(u"shapes.heading"_s)->text().startsWith(u"Cancelled"_s));
        dialog->close();
    }

    void teachingPlansHaveNoShapes()
    {
        model::Experiment plan;
        plan.hasModel = false;
        plan.cost.source = model::UniformCosts{{{"F", 1}, {"B", 2}}};
        m_fixture->window().document().start(plan, {}, u"Teaching"_s);
        m_fixture->window().actions().shapes->trigger();
        auto *dialog = m_fixture->window().findChild<ui::ShapeDialog *>(u"shapes"_s);
        QTRY_VERIFY(dialog->findChild<QLabel *>(u"shapes.heading"_s)->text().startsWith(u"Shapes need a model"_s));
        QVERIFY(!dialog->findChild<QPushButton *>(u"shapes.search"_s)->isEnabled());
    }

    /// The chip names ranks and degrees; with one rank a device it reads as ever.
    void theChipNamesTheRanks()
    {
        auto *chip = m_fixture->find<ui::PlanChip>(u"strip.chip.hardware"_s);
        QCOMPARE(chip->value(), u"p 2 · t 2 · c 2 · d 2"_s);
        QVERIFY(chip->accessibleName().startsWith(u"16 × A100"_s));
        QCOMPARE(chip->toolTip().contains(u"2 devices × 2 tensor × 2 context × 2 replicas"_s), true);
        model::Experiment plan = planOfRanks();
        plan.parallel.tensor = plan.parallel.context = plan.parallel.replicas = 1;
        plan.parallel.zero = 0;
        m_fixture->window().document().edit(u"plan"_s, u"One"_s, plan);
        QVERIFY(chip->value().startsWith(u"2 × A100"_s));
        const auto entries = m_fixture->find<ui::PlanStrip>({})->menu(u"cost.hardware"_s);
        emit entries->aboutToShow();
        QVERIFY(entries->actions().contains(m_fixture->window().actions().shapes));
    }

    /// The pointer and the arrow keys light up a rank's groups; which links they cross is that of the mesh.
    void theTopologyExplainsARank()
    {
        QTest::keyClick(&m_fixture->window(), Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
        ui::TopologyStrip *strip = m_fixture->window().explorePage().topology();
        QTRY_VERIFY(strip->isVisible() && strip->topology().has_value());
        QVERIFY(strip->height() - strip->cellOf(0).bottom() > 2 * strip->fontMetrics().height()); // the sentence is below
        const ui::Topology &topology = *strip->topology();
        QCOMPARE(topology.nodes, 2);
        QCOMPARE(topology.axes.size(), std::size_t{4});
        for (const ui::TopologyAxis &axis : topology.axes) {
            QCOMPARE(axis.nodes, axis.axis == layout::Axis::Pipeline ? 2 : 1); // the slowest axis
            QVERIFY((axis.axis == layout::Axis::Pipeline ? axis.messages : axis.traffic) > 0);
        }
        const QImage plain = strip->grab().toImage();
        QTest::qWait(100); // the page is laid out, and scrolled to the strip
        QTest::mouseMove(strip, strip->cellOf(5).center());
        QTRY_COMPARE(strip->rank(), std::optional(5));
        QVERIFY(strip->sentence().startsWith(u"Rank 5 on node 0: device 0, tensor 1, context 0, data 1."_s));
        QVERIFY2(strip->sentence().contains(u"ranks 5, 13, over the network"_s), qPrintable(strip->sentence()));
        QVERIFY(strip->grab().toImage() != plain);
        QTest::keyClick(strip, Qt::Key_Right);
        QCOMPARE(strip->rank(), std::optional(6));
        QTest::keyClick(strip, Qt::Key_Escape);
        QCOMPARE(strip->rank(), std::optional<int>());
        QTest::keyClick(&m_fixture->window(), Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(!strip->isVisible());
    }

    /// A group of two tensor ranks of two replicas exchanges tokens inside a node.
    void theTopologyShowsExpertRanks()
    {
        model::Experiment experiment;
        experiment.model = model::modelPreset("mixtral-8x7b").value();
        experiment.model.dtype = model::DataType::Bf16;
        experiment.cost.source = model::HardwarePreset{"h100-sxm"};
        experiment.parallel.tensor = 2;
        experiment.parallel.replicas = 4;
        experiment.parallel.expert = 4;
        m_fixture->window().document().start(experiment, {}, u"Experts"_s);
        QTest::keyClick(&m_fixture->window(), Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
        ui::TopologyStrip *strip = m_fixture->window().explorePage().topology();
        QTRY_VERIFY(strip->isVisible() && strip->topology() && strip->topology()->axes.size() == 4);
        const ui::TopologyAxis &axis = strip->topology()->axes[2];
        QCOMPARE(axis.axis, layout::Axis::Expert);
        QCOMPARE(axis.nodes, 1);
        QVERIFY(axis.traffic > 0 && axis.wait > 0);
        const QString sentence = ui::rankSentence(5, *strip->topology());
        QVERIFY2(sentence.startsWith(u"Rank 5 on node 0: device 0, tensor 1, data 2, expert 1."_s), qPrintable(sentence));
        QVERIFY2(sentence.contains(u"It exchanges the tokens of experts with ranks 4 to 7, inside the node."_s),
                 qPrintable(sentence));
        QTest::keyClick(&m_fixture->window(), Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
    }

    /// Timeline and memory give up height before the page is scrolled.
    void theTopologyOfTheDemoFitsASmallScreen()
    {
        m_fixture->window().document().start(model::Experiment(), {}, u"Demo"_s);
        m_fixture->window().resize(1366, 768);
        QTest::keyClick(&m_fixture->window(), Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
        ui::ExplorePage &page = m_fixture->window().explorePage();
        QTRY_VERIFY(page.topology()->isVisible() && page.topology()->topology().has_value());
        QTest::qWait(100); // the page is laid out
        const auto *viewport = page.parentWidget()->parentWidget();
        QVERIFY2(page.height() <= viewport->height(), qPrintable(u"%1 %2"_s.arg(page.height()).arg(viewport->height())));
        const ui::TopologyStrip &strip = *page.topology();
        QVERIFY(strip.height() - strip.cellOf(3).bottom() > 2 * strip.fontMetrics().height()); // the sentence is below
    }

    /// Each lane shows eight equal ranks. A click on a gap says whether the pass it waits for spends time in tensor, context or
    /// data exchanges.
    void lanesAndGapsNameTheDimensions()
    {
        const ui::LaneGroup &group = m_fixture->content().groups.front();
        QCOMPARE(group.ranks, 8);
        const auto why = service::explain(*m_fixture->window().forecast().plan());
        QVERIFY(why.ok());
        QString gaps;
        for (int device = 0; device < 2; ++device)
            for (const timeline::Lane &lane = ui::laneOf(group, device); const base::Nanos begin : lane.begin)
                gaps += ui::explainGap(group, &why->idle, device, begin - 1, false);
        QVERIFY2(gaps.contains(u"along the pipeline"_s), qPrintable(gaps));
        QVERIFY2(gaps.contains(u"with tensor ranks for"_s) && gaps.contains(u"with context ranks for"_s), qPrintable(gaps));
        const QString end = ui::explainGap(group, &why->idle, 1, ui::laneOf(group, 1).end.back() + 1, false);
        QVERIFY2(end.contains(u"Its replicas sum their gradients for"_s), qPrintable(end));
    }

    /// Shapes are swept at the same sequences of a step.
    void shapesAreSwept()
    {
        const auto parameters = ui::sweepParameters();
        const auto shape = std::ranges::find(parameters, true, &ui::SweepParameter::isShape);
        QVERIFY(shape != parameters.end());
        const model::Experiment base = planOfRanks();
        const QString offered = ui::offeredValues(*shape, base);
        const auto values = ui::parseSweepValues(*shape, offered + u" 16x1x1"_s);
        QVERIFY2(values.ok(), qPrintable(offered));
        QVERIFY(values->size() >= 4);
        for (const int value : *values) {
            model::Experiment plan = base;
            shape->set(plan, value);
            QCOMPARE(plan.parallel.ranks(plan.parallel.devices), std::int64_t{16});
            if (plan.parallel.microbatches > 0)
                QCOMPARE(sequencesOf(plan), sequencesOf(base));
        }
        QCOMPARE(shape->text(ui::parseSweepValues(*shape, u"4x2x2"_s)->front()), u"4 × 2 × 2"_s);
        QVERIFY(!ui::parseSweepValues(*shape, u"4x2"_s).ok());
        QVERIFY(!ui::parseSweepValues(*shape, u"0x2x2"_s).ok());
    }

private:
    ui::ShapeDialog *open()
    {
        QTest::keyClick(&m_fixture->window(), Qt::Key_P, Qt::ControlModifier);
        auto *dialog = m_fixture->window().findChild<ui::ShapeDialog *>(u"shapes"_s);
        if (dialog == nullptr || !QTest::qWaitFor([dialog] { return !dialog->isComputing(); }, test::kPatience))
            qFatal("the shapes were not searched");
        QApplication::setActiveWindow(dialog);
        return dialog;
    }
    template <class Condition>
    static QTreeWidgetItem *rowOf(ui::ShapeTable &table, Condition isIt)
    {
        for (int i = 0; i < table.topLevelItemCount(); ++i)
            if (const auto &row = table.rows()[static_cast<std::size_t>(i)]; row.fits && isIt(row))
                return table.topLevelItem(i);
        return nullptr;
    }

    std::unique_ptr<test::WindowFixture> m_fixture;
};

STAGELENS_TEST(WindowShapes)

} // namespace ui_window_shapes

#include "window_shapes.moc"
