// Comparing two to six things: what is said to differ, what is called better, how timelines are aligned.
#include "engine/model/family_shape.h"
#include "engine/operators/stage_layers.h"
#include "tests/support/test_program.h"
#include "tests/support/ui_test.h"
#include "ui/controls/enlarge.h"
#include "ui/controls/message_bar.h"
#include "ui/panels/compare_panel.h"
#include "ui/panels/compare_table.h"
#include "ui/plots/time_bars.h"
#include "ui/timeline/timeline_view.h"

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>

namespace ui_compare_page {

using namespace stagelens;
using namespace Qt::StringLiterals;
using ui::CompareItem;
using ui::ComparisonRow;

namespace {

/// A run of some steps around a time, on one machine.
CompareItem run(base::Nanos iteration, base::Bytes peak)
{
    CompareItem item;
    item.name = u"run of %1"_s.arg(iteration);
    item.kind = timeline::Provenance::MeasuredLive;
    item.environment = {{"host", "here"}, {"cpu", "one"}};
    item.experiment = operators::resolved(item.experiment, 4);
    for (int i = 0; i < 10; ++i)
        item.iterations.push_back(iteration + i);
    item.metrics.iteration = iteration;
    item.metrics.tokensPerSecond = 2048e9 / static_cast<double>(iteration);
    item.metrics.peakMemory = {peak / 2, peak};
    timeline::Timeline timeline;
    timeline.provenance = item.kind;
    timeline::Lane lane;
    lane.push(schedule::makePass(schedule::PassKind::F, 0, 0), 0, iteration / 4);
    lane.push(schedule::makePass(schedule::PassKind::F, 0, 1), iteration / 4, iteration);
    timeline.lanes = {lane};
    timeline.stages = {{0}};
    item.timeline = std::make_shared<const timeline::Timeline>(timeline);
    return item;
}

const ComparisonRow *find(const ui::Comparison &comparison, const QString &what)
{
    for (const ComparisonRow &row : comparison.rows)
        if (row.what == what)
            return &row;
    return nullptr;
}

} // namespace

class ComparePage : public QObject {
    Q_OBJECT
private slots:
    void init() { test::failOnWarnings(); }
    void onlyWhatDiffersStandsThereInOrder();
    void betterIsSaidBeyondTheNoiseAlone();
    void theIterationIsTheTypicalStepAsElsewhere();
    void nothingIsBetterAcrossKindsOrMachines();
    void tokensLeadWhereStepsDiffer();
    void teachingPlansOfOtherWorkAreNotRanked();
    void timelinesAreAligned();
    void chipsChooseTheBaseline();
    void addStaysUnderThePointer();
    void sixChipsShareOneRow();
    void chosenTwiceBeforeTheChipsAreMadeAnew();
    void equalMemoryHidesWhatIsAboveA();
    void sevenAreTooMany();
    void cellsAreCopied();
    void barsSayWhereTheTimeGoes();
    void largeTypeFits();
};

void ComparePage::onlyWhatDiffersStandsThereInOrder()
{
    CompareItem a = run(100'000, 1000);
    CompareItem b = run(100'000, 1000);
    CompareItem c = run(100'000, 1000);
    c.experiment.parallel.devices = 8;
    c.experiment.cost.collectives = model::Collectives::Blocking;
    c.environment["commit"] = "abc";
    a.environment["commit"] = "def";
    const std::vector<CompareItem> items{a, b, c};
    const ui::Comparison comparison = ui::compareItems(items);
    const ComparisonRow *devices = find(comparison, u"Devices"_s);
    QVERIFY(devices);
    QCOMPARE(devices->values, QStringList({u"4"_s, u"4"_s, u"8"_s}));
    QVERIFY(!find(comparison, u"Microbatches"_s));
    QVERIFY(!find(comparison, u"Bubble"_s)); // the same in all
    QCOMPARE(find(comparison, u"Commit"_s)->values[1], u"–"_s);
    QVERIFY(std::ranges::is_sorted(comparison.rows, {}, &ComparisonRow::section));
    QVERIFY(comparison.rows.front().section == ComparisonRow::Section::Metrics);
    QVERIFY(comparison.doubts.isEmpty());
    // Chips say the same in a few words, and names where nothing differs.
    std::vector<CompareItem> named{a, b};
    named[0].name = u"first"_s;
    named[1].name = u"second"_s;
    QCOMPARE(ui::distinctNames(named), QStringList({u"first"_s, u"second"_s}));
    named[1].experiment.schedule.vocabulary = model::VocabularyMethod::Vocab2;
    named[1].experiment.parallel.microbatches = 32;
    named[1].run = 12;
    named[0].experiment.schedule.vocabulary = model::VocabularyMethod::None;
    named[0].experiment.parallel.microbatches = 16;
    const QStringList distinct = ui::distinctNames(named);
    QVERIFY2(distinct[0].contains(u"Microbatches 16"_s) && distinct[0].contains(u"not split"_s), qPrintable(distinct[0]));
    QVERIFY2(distinct[1].startsWith(u"run 12 · "_s) && distinct[1].contains(u"Microbatches 32"_s) &&
                 distinct[1].contains(u"VOCAB-2"_s) && !distinct[1].contains(u"Devices"_s),
             qPrintable(distinct[1]));
    // Plans that differ in more than three fields are told apart by their own names, unless two have the same.
    named[1].run = 0;
    named[1].experiment.parallel.devices = 8;
    named[1].experiment.parallel.tensor = 2;
    QCOMPARE(ui::distinctNames(named), QStringList({u"first"_s, u"second"_s}));
    named[1].name = named[0].name;
    QVERIFY(ui::distinctNames(named)[1].contains(u"Microbatches 32"_s));
}

void ComparePage::barsSayWhereTheTimeGoes()
{
    simulate::Metrics metrics;
    metrics.makespan = 90;
    metrics.iteration = 100;
    metrics.busyPerDevice = {60, 80};
    metrics.vocabularySharePerDevice = {0, 0.5};
    metrics.tensorPerDevice = {10, 10};
    metrics.exposedExchange = 4;
    const ui::TimeParts parts = ui::timePartsOf(metrics);
    // Layers, vocabulary, tensor, context, expert, replicas, gradients, optimizer, idle.
    QCOMPARE(parts, (ui::TimeParts{40, 20, 10, 0, 0, 0, 4, 6, 20}));
    metrics.iteration = 50; // figures that contradict one another still fill the bar, and no more
    QCOMPARE(std::accumulate(parts.begin(), parts.end(), base::Nanos{0}), base::Nanos{100});
    const ui::TimeParts cut = ui::timePartsOf(metrics);
    QCOMPARE(std::accumulate(cut.begin(), cut.end(), base::Nanos{0}), base::Nanos{50});

    ui::TimeBars bars;
    metrics.iteration = 100 * base::kNanosPerMilli;
    metrics.makespan = 90 * base::kNanosPerMilli;
    metrics.busyPerDevice = {60 * base::kNanosPerMilli, 80 * base::kNanosPerMilli};
    metrics.tensorPerDevice = {};
    metrics.exposedExchange.reset();
    simulate::Metrics shorter = metrics;
    shorter.iteration /= 2;
    bars.setBars({{u"A"_s, metrics}, {u"B"_s, shorter}});
    bars.resize(600, bars.sizeHint().height());
    QCOMPARE(bars.textAt({60, 8}), u"A: layers 50 ms, 50 % of the iteration"_s);
    QVERIFY(bars.textAt({480, 8}).startsWith(u"A: idle "_s));
    const int second = bars.sizeHint().height() / 2;
    QVERIFY(bars.textAt({60, second}).startsWith(u"B: layers "_s));
    QVERIFY(bars.textAt({480, second}).isEmpty()); // half as long, on the same axis
    QVERIFY(bars.accessibleDescription().contains(u"B: layers "_s));
    bars.setBars({});
    QVERIFY(bars.isHidden());
}

void ComparePage::betterIsSaidBeyondTheNoiseAlone()
{
    CompareItem noisy = run(95'000, 1000);
    noisy.iterations = {1, 1, 90'000, 95'000, 101'000, 120'000};
    CompareItem few = run(50'000, 1000);
    few.iterations.resize(2);
    const std::vector<CompareItem> items{run(100'000, 1000), run(50'000, 2000), noisy, few};
    const ui::Comparison comparison = ui::compareItems(items);
    const ComparisonRow *row = find(comparison, u"Iteration"_s);
    QCOMPARE(row->verdicts, QStringList({{}, u"better −50 %"_s, u"no clear difference"_s, u"no clear difference"_s}));
    const QString &steps = find(comparison, u"Half of the steps took"_s)->values[1];
    QVERIFY2(steps.endsWith(u"(of 8)"_s), qPrintable(steps));
    QCOMPARE(find(comparison, u"Tokens/s"_s)->verdicts[1], u"better +100 %"_s);
    QCOMPARE(find(comparison, u"Peak memory"_s)->verdicts[1], u"worse +100 %"_s);
    QCOMPARE(comparison.rows[comparison.rows.size() - 2].what, u"Peak memory"_s); // beside speed
}

void ComparePage::theIterationIsTheTypicalStepAsElsewhere()
{
    // Other programs lengthened every step by a tenth; the list of runs and the timeline show the typical step.
    const auto typical = [](base::Nanos iteration) {
        CompareItem item = run(iteration * 11 / 10, 1000);
        item.metrics.iteration = iteration;
        item.metrics.tokensPerSecond = 2048e9 / static_cast<double>(iteration);
        item.metrics.typicalOfSteps = 8;
        return item;
    };
    const std::vector<CompareItem> items{typical(100 * base::kNanosPerMilli), typical(50 * base::kNanosPerMilli)};
    const ui::Comparison comparison = ui::compareItems(items);
    const ComparisonRow *row = find(comparison, u"Iteration"_s);
    QCOMPARE(row->values[0], u"100 ms"_s);
    const ComparisonRow *steps = find(comparison, u"Half of the steps took"_s);
    QVERIFY2(steps->values[0].startsWith(u"110 – "_s) && steps->values[0].endsWith(u"ms (of 8)"_s),
             qPrintable(steps->values[0]));
    QCOMPARE(find(comparison, u"Tokens/s"_s)->values[0], u"20,480"_s);
    QCOMPARE(row->verdicts[1], u"better −50 %"_s);
}

void ComparePage::nothingIsBetterAcrossKindsOrMachines()
{
    CompareItem predicted = run(50'000, 1000);
    predicted.kind = timeline::Provenance::Predicted;
    predicted.iterations.clear();
    predicted.environment.clear();
    CompareItem elsewhere = run(50'000, 1000);
    elsewhere.environment["cpu"] = "another";
    const std::vector<CompareItem> items{run(100'000, 1000), predicted, elsewhere};
    const ui::Comparison comparison = ui::compareItems(items);
    QCOMPARE(find(comparison, u"Iteration"_s)->verdicts, QStringList({{}, {}, {}}));
    QCOMPARE(comparison.doubts.size(), 2);
    QVERIFY(comparison.doubts[0].startsWith(u"A is Measured live, B is Predicted, C is Measured live"_s));
    QVERIFY(comparison.doubts[1].contains(u"different machines"_s));
    // Nor is a busy machine passed over.
    CompareItem disturbed = run(50'000, 1000);
    disturbed.metrics.processorShare = 0.5;
    QCOMPARE(ui::compareItems(std::vector{run(100'000, 1000), disturbed}).doubts,
             QStringList(u"The machine was busy: passes had a processor for a part of their time only (B 50 %)."_s));
}

void ComparePage::tokensLeadWhereStepsDiffer()
{
    CompareItem more = run(190'000, 1000);
    more.experiment.parallel.microbatches *= 2;
    const std::vector<CompareItem> items{run(100'000, 1000), more};
    const ui::Comparison comparison = ui::compareItems(items);
    std::vector<QString> metrics;
    for (const ComparisonRow &row : comparison.rows)
        if (row.section == ComparisonRow::Section::Metrics)
            metrics.push_back(row.what);
    QVERIFY(metrics == (std::vector<QString>{u"Tokens/s"_s, u"Peak memory"_s, u"Iteration"_s, u"Half of the steps took"_s}));
    for (const ComparisonRow &row : comparison.rows)
        QVERIFY2(row.verdicts[1].isEmpty(), qPrintable(row.what + u' ' + row.verdicts[1]));
    QCOMPARE(comparison.doubts, QStringList(u"Not the same work, so nothing is called better: B and A: they train different "
                                            "numbers of tokens a step. Compare tokens/s."_s));
}

void ComparePage::teachingPlansOfOtherWorkAreNotRanked()
{
    const auto item = [](const std::string &family, model::UniformPer per) {
        model::Experiment experiment;
        experiment.hasModel = false;
        experiment.parallel.microbatches = 8;
        model::chooseFamily(experiment.schedule, family);
        experiment.cost.source = model::UniformCosts{{{"F", 1}, {"B", 2}}, per};
        const auto prediction = service::predict(experiment, 2);
        if (!prediction)
            qFatal("%s", prediction.error().text().c_str());
        return ui::itemOf(**prediction, QString::fromStdString(family));
    };
    using enum model::UniformPer;
    const auto verdictOf = [](const std::vector<CompareItem> &items) {
        return find(ui::compareItems(items), u"Iteration"_s)->verdicts[1];
    };
    const std::vector<CompareItem> doubled{item("interleaved-1f1b", Stage), item("gpipe", Stage)};
    QCOMPARE(doubled[0].metrics.iteration, 57 * base::kNanosPerMilli);
    QCOMPARE(verdictOf(doubled), QString());
    QVERIFY2(ui::compareItems(doubled).doubts.join(u' ').contains(u"take 24 and 12 units"_s),
             qPrintable(ui::compareItems(doubled).doubts.join(u' ')));
    const std::vector<CompareItem> equal{item("interleaved-1f1b", Device), item("gpipe", Stage)};
    QCOMPARE(equal[0].metrics.iteration, 57 * base::kNanosPerMilli / 2);
    QCOMPARE(verdictOf(equal), u"worse +16 %"_s);
    QVERIFY(ui::compareItems(equal).doubts.isEmpty());
}

void ComparePage::timelinesAreAligned()
{
    const std::vector<timeline::TimelinePtr> timelines{run(100'000, 1).timeline, run(40'000, 1).timeline};
    const auto plain = ui::align(timelines, ui::Alignment::Begin, 0);
    QVERIFY(plain[1].timeline == timelines[1] && plain[1].mark.isEmpty());
    const auto scaled = ui::align(timelines, ui::Alignment::Scaled, 0);
    QCOMPARE(scaled[1].timeline->iteration(), base::Nanos{100'000});
    QCOMPARE(scaled[1].mark, u"scaled x2.5"_s);
    QVERIFY(scaled[0].mark.isEmpty());
    const auto moved = ui::align(timelines, ui::Alignment::Microbatch, 1);
    QCOMPARE(moved[1].timeline->lanes[0].begin[1], base::Nanos{25'000});
    QVERIFY(moved[1].mark.startsWith(u"moved by"_s));
    QCOMPARE(ui::align(timelines, ui::Alignment::Microbatch, 9)[0].mark, u"has no microbatch 9"_s);
}

void ComparePage::chipsChooseTheBaseline()
{
    ui::ComparePanel panel;
    panel.resize(1100, 700);
    panel.show();
    QVERIFY(panel.findChild<QWidget *>(u"compare.empty"_s)->isVisible());
    panel.setItems({run(100'000, 1000), run(50'000, 2000), run(70'000, 500)});
    QVERIFY(!panel.findChild<QWidget *>(u"compare.empty"_s)->isVisible());
    QCOMPARE(panel.timeline()->content().groups.size(), std::size_t{3});
    QVERIFY(panel.timeline()->content().groups[2].caption.startsWith(u"C · Measured live · run of 70000"_s));
    auto *chip = panel.findChild<QPushButton *>(u"compare.chip.C"_s);
    QVERIFY(chip);
    chip->menu()->actions().first()->trigger(); // make it A
    QTRY_COMPARE(panel.items()[0].name, u"run of 70000"_s);
    QCOMPARE(panel.items()[1].name, u"run of 100000"_s);
    QTRY_VERIFY(panel.findChildren<QPushButton *>(u"compare.chip.A"_s).size() == 1);
    panel.findChild<QPushButton *>(u"compare.chip.A"_s)->menu()->actions().last()->trigger(); // remove
    QTRY_COMPARE(panel.items().size(), std::size_t{2});
    QCOMPARE(panel.table()->columnCount(), 3);
}

void ComparePage::addStaysUnderThePointer()
{
    ui::ComparePanel panel;
    panel.resize(1366, 700);
    panel.show();
    auto *add = panel.findChild<QPushButton *>(u"compare.add"_s);
    auto *alignment = panel.findChild<QComboBox *>(u"compare.alignment"_s);
    const auto place = [&panel](QWidget *widget) { return QRect(widget->mapTo(&panel, QPoint()), widget->size()); };
    const QRect before = place(add);
    const QRect behind = place(alignment);
    for (int i = 0; i < 6; ++i) {
        panel.add(run(100'000 + i, 1000));
        QTest::qWait(1); // the layout
        QCOMPARE(place(add), before);
        QCOMPARE(place(alignment), behind);
        auto *newest = panel.findChild<QPushButton *>(u"compare.chip."_s + ui::chipOf(static_cast<std::size_t>(i)));
        QVERIFY(!place(newest).intersects(before));
    }
}

void ComparePage::sixChipsShareOneRow()
{
    ui::ComparePanel panel;
    panel.resize(900, 700);
    panel.show();
    for (int i = 0; i < 6; ++i) {
        CompareItem item = run(100'000 + i, 1000);
        item.name = QString(120, u'm');
        panel.add(std::move(item));
    }
    QTRY_COMPARE(panel.width(), 900); // long names make it no wider
    QRect before;
    for (std::size_t i = 0; i < 6; ++i) {
        auto *chip = panel.findChild<QPushButton *>(u"compare.chip."_s + ui::chipOf(i));
        const QRect place(chip->mapTo(&panel, QPoint()), chip->size());
        QVERIFY(panel.rect().contains(place) && place.width() > 60 && place.height() == 28);
        QVERIFY(i == 0 || (place.top() == before.top() && place.left() > before.right()));
        QVERIFY(chip->accessibleName().endsWith(QString(120, u'm')));
        before = place;
    }
}

/// A second choice may come before the first one has run: both are meant for what they were made for, or for nothing.
void ComparePage::chosenTwiceBeforeTheChipsAreMadeAnew()
{
    ui::ComparePanel panel;
    panel.show();
    panel.setItems({run(100'000, 1000), run(50'000, 2000), run(70'000, 500)});
    const auto actions = [&panel](const QString &chip) {
        return panel.findChild<QPushButton *>(u"compare.chip."_s + chip)->menu()->actions();
    };
    actions(u"C"_s).last()->trigger(); // remove, twice
    actions(u"C"_s).last()->trigger();
    actions(u"C"_s).first()->trigger(); // and make it A
    QTRY_COMPARE(panel.items().size(), std::size_t{2});
    QTest::qWait(1);
    QCOMPARE(panel.items().size(), std::size_t{2});
    QCOMPARE(panel.items()[0].name, u"run of 100000"_s);
    actions(u"B"_s).first()->trigger(); // B to the front, then what was A away: B remains
    actions(u"A"_s).last()->trigger();
    QTRY_COMPARE(panel.items().size(), std::size_t{1});
    QCOMPARE(panel.items()[0].name, u"run of 50000"_s);
}

void ComparePage::equalMemoryHidesWhatIsAboveA()
{
    ui::ComparePanel panel;
    panel.show();
    panel.setItems({run(100'000, 1000), run(50'000, 2000), run(70'000, 1000)});
    panel.findChild<QCheckBox *>(u"compare.equalMemory"_s)->click();
    QCOMPARE(panel.timeline()->content().groups.size(), std::size_t{2});
    QCOMPARE(panel.table()->columnCount(), 3);
    QCOMPARE(panel.table()->horizontalHeaderItem(2)->text(), u"C against A"_s);
    QTRY_VERIFY(panel.findChild<QPushButton *>(u"compare.chip.B"_s)->text().contains(u"hidden: needs"_s));
    QTest::keyClick(panel.findChild<QComboBox *>(u"compare.alignment"_s), Qt::Key_Down);
    QVERIFY(panel.findChild<QSpinBox *>(u"compare.microbatch"_s)->isVisible());
}

void ComparePage::sevenAreTooMany()
{
    ui::ComparePanel panel;
    for (int i = 0; i < 8; ++i)
        panel.add(run(100'000 + i, 1000));
    QCOMPARE(panel.items().size(), ui::ComparePanel::kMost);
    QVERIFY(!panel.findChild<QPushButton *>(u"compare.add"_s)->isEnabled());
}

void ComparePage::cellsAreCopied()
{
    ui::ComparePanel panel;
    panel.show();
    panel.setItems({run(100'000, 1000), run(50'000, 2000)});
    QApplication::setActiveWindow(&panel); // shortcuts need it
    panel.table()->setFocus();
    panel.table()->selectAll();
    QTest::keyClick(panel.table(), Qt::Key_C, Qt::ControlModifier);
    const QString copied = QApplication::clipboard()->text();
    QVERIFY2(copied.contains(u"Peak memory\t"_s), qPrintable(copied));
}

/// In a presentation rows are as high, and columns as wide, as the larger type.
void ComparePage::largeTypeFits()
{
    ui::ComparePanel panel;
    panel.resize(1440, 900);
    panel.show();
    panel.setItems({run(100'000, 1000), run(50'000, 2000)});
    ui::enlarge(panel, true);
    QApplication::processEvents();
    const QTableWidget *table = panel.table();
    QVERIFY(QFontInfo(table->font()).pixelSize() >= 24);
    for (int row = 0; row < table->rowCount(); ++row) {
        QVERIFY(table->rowHeight(row) >= table->fontMetrics().height());
        QVERIFY(table->columnSpan(row, 0) > 1 ||
                table->columnWidth(0) >= table->fontMetrics().horizontalAdvance(table->item(row, 0)->text()));
    }
}

STAGELENS_TEST(ComparePage)

} // namespace ui_compare_page

#include "compare_page.moc"
