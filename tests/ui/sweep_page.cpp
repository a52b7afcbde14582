// Sweeping: what is prepared, what it costs, two linked plots, impossible points, cancelling, opening a plan.
#include "ui/sweep/sweep_page.h"
#include "engine/model/presets.h"
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/panels/compare_panel.h"
#include "ui/sweep/sweep_content.h"
#include "ui/sweep/sweep_plan.h"
#include "ui/sweep/sweep_plot.h"
#include "ui/sweep/sweep_results_view.h"
#include "ui/sweep/tick_list.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QGraphicsEffect>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>

namespace ui_sweep_page {

using namespace stagelens;
using namespace Qt::StringLiterals;

class SweepMode : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup() { m_fixture.reset(); }

    void valuesAreRead_data();
    void valuesAreRead();
    void wordsAreRead();
    void plansAreMadeOfValuesAndMethods();
    void networksAreSwept();
    void frontHoldsWhatNothingSurpasses();
    void onlyEqualWorkIsRanked();
    void whatNeedsFarTooMuchIsAtTheRim();
    void bestIsTheFastestOrTheSmallestThatIsFastEnough();
    void quickPredictionsFollowTheControls();
    void schedulesStandSideBySide();
    void aSecondParameterMakesSmallMultiples();
    void preparedSweepIsPredictedAndOpensInExplore();
    void otherSchedulesAreOffered();
    void hoveringLinksThePlots();
    void impossiblePointsStayWithTheirReason();
    void badValuesAreExplained();
    void trainingIsEstimatedAndFillsThePoints();
    void cancelKeepsWhatIsDone();
    void resultsAreExported();
    void whatWasPublishedIsCrossed();

private:
    ui::SweepPage &page() { return m_fixture->window().sweepPage(); }
    ui::SweepPlot *metricPlot() { return page().results()->metricPlots().front(); }
    QString amount() { return m_fixture->find<QLabel>(u"sweep.amount"_s)->text(); }
    void runToTheEnd();
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void SweepMode::init()
{
    m_fixture = std::make_unique<test::WindowFixture>();
    auto &window = m_fixture->open();
    QTest::keyClick(&window, Qt::Key_3, Qt::ControlModifier);
    QVERIFY(page().isVisible());
}

void SweepMode::runToTheEnd()
{
    if (m_fixture->find<QPushButton>(u"sweep.start"_s)->isVisible()) // else it starts by itself
        m_fixture->click(u"sweep.start"_s);
    QTRY_VERIFY_WITH_TIMEOUT(page().isUpToDate() && !page().isRunning(), test::kPatience);
    QCoreApplication::processEvents(); // the controls of a sweep in progress give their room back
}

void SweepMode::valuesAreRead_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QList<int>>("values");
    QTest::newRow("prepared") << u"32k, 64k, 128k, 256k"_s << QList<int>{32000, 64000, 128000, 256000};
    QTest::newRow("powers of two") << u"32Ki 256Ki"_s << QList<int>{32768, 262144};
    QTest::newRow("grouped") << u"262,144, 4"_s << QList<int>{4, 262144};
    QTest::newRow("commas alone") << u"2,4,8"_s << QList<int>{2, 4, 8};
    QTest::newRow("blanks, order, twice") << u" 8 2;4 2 "_s << QList<int>{2, 4, 8};
    for (const char *bad : {"", " , ", "8,x", "-4", "0", "1.5", "99999999999", "999999999k"})
        QTest::addRow("bad: %s", bad) << QString::fromUtf8(bad) << QList<int>{};
}

void SweepMode::valuesAreRead()
{
    QFETCH(QString, text);
    QFETCH(QList<int>, values);
    const auto read = ui::parseSweepValues(ui::sweepParameters()[0], text);
    QCOMPARE(read.ok(), !values.isEmpty());
    if (read)
        QVERIFY(std::ranges::equal(*read, values));
}

void SweepMode::wordsAreRead()
{
    const auto schedule = std::ranges::find_if(
        ui::sweepParameters(), [](const ui::SweepParameter &parameter) { return parameter.field->path == "schedule.family"; });
    QVERIFY(schedule->isWord() && schedule->words().contains(u"zb-h1"_s) && !schedule->words().contains(u"custom"_s));
    for (const ui::SweepParameter &parameter : ui::sweepParameters()) // what is offered can be read
        QVERIFY2(parameter.values.isEmpty() || ui::parseSweepValues(parameter, parameter.values).ok(),
                 qPrintable(parameter.values));
    const auto read = ui::parseSweepValues(*schedule, u"ZB-H1, gpipe zb-h1"_s);
    QVERIFY(read.ok());
    QCOMPARE(read->size(), std::size_t{2}); // in the order written, once each
    model::Experiment plan;
    schedule->set(plan, read->front());
    QCOMPARE(plan.schedule.family, std::string("zb-h1"));
    QVERIFY(!ui::parseSweepValues(*schedule, u""_s).ok());
    const auto unknown = ui::parseSweepValues(*schedule, u"1f1b, 2f2b"_s);
    QVERIFY(!unknown.ok());
    QVERIFY(ui::qtText(unknown.error().text()).contains(u"“2f2b” is not one of: "_s));
}

void SweepMode::plansAreMadeOfValuesAndMethods()
{
    ui::SweepSetup setup = ui::preparedSweep();
    QCOMPARE(ui::sweepEntries({}, setup).size(), std::size_t{16});
    setup.second = ui::SweepAxis{1, {2, 8}};
    const auto entries = ui::sweepEntries({}, setup);
    QCOMPARE(entries.size(), std::size_t{32});
    QCOMPARE(entries.back().words, u"Vocabulary size 256,000 · Devices 8 · VOCAB-2"_s);
    QCOMPARE(entries.back().plan.parallel.devices, 8);
    QCOMPARE(entries.back().plan.model.vocabularySize, 256000);
    QCOMPARE(entries.back().series, std::size_t{7});
    QCOMPARE(ui::seriesNames(setup).size(), 8);
    model::Experiment teaching;
    teaching.hasModel = false;
    QVERIFY(ui::sweepObstacle(teaching, setup).contains(u"no model"_s));
    setup.second->parameter = 0;
    QVERIFY(!ui::sweepObstacle({}, setup).isEmpty());
    QCOMPARE(ui::sweepAmount(20, false, 0.07), u"20 predictions, about 0.1 s"_s);
    QCOMPARE(ui::sweepAmount(20, true, 660), u"20 training runs, about 11 min"_s);
}

/// A faster network between the nodes never makes a plan slower, and other figures of the hardware stay.
void SweepMode::networksAreSwept()
{
    const auto parameters = ui::sweepParameters();
    const auto network = std::ranges::find(parameters, true, &ui::SweepParameter::isNetwork);
    QVERIFY(network != parameters.end());
    QCOMPARE(network->name(), u"Gb/s between nodes"_s);
    model::Experiment base;
    base.cost.source = model::HardwarePreset{"h100-sxm"};
    const auto index = static_cast<std::size_t>(network - parameters.begin());
    const auto entries = ui::sweepEntries(base, {{index, {400, 800}}, {}, {model::VocabularyMethod::None}});
    QCOMPARE(entries.size(), std::size_t{2});
    const auto before = model::hardwarePreset("h100-sxm");
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto &choice = std::get<model::HardwarePreset>(entries[i].plan.cost.source);
        QVERIFY(choice.cluster && model::validate(entries[i].plan).empty());
        QCOMPARE(choice.cluster->betweenNodes.bytesPerSecond, i == 0 ? 50e9 : 100e9);
        QCOMPARE(choice.cluster->insideNode, before->insideNode);
    }
    QCOMPARE(entries[1].words, u"Gb/s between nodes 800 · not split"_s);
}

void SweepMode::frontHoldsWhatNothingSurpasses()
{
    std::vector<ui::SweepMark> marks;
    for (const auto &[x, y] : {std::pair{4.0, 1.0}, {1.0, 4.0}, {2.0, 5.0}, {2.0, 2.0}, {5.0, 1.0}, {1.0, 6.0}})
        marks.push_back({static_cast<int>(marks.size()), 0, x, y, timeline::Provenance::Predicted, true, 0, {}});
    marks.push_back({6, 0, 0.5, 0.5, timeline::Provenance::Predicted, false, 0, {}}); // does not fit
    marks.push_back({7, 0, 0.1, 0.1, timeline::Provenance::Predicted, true, 1, {}});  // other work
    QVERIFY(ui::paretoFront(marks, 0) == (std::vector<std::size_t>{1, 3, 0}));
}

void SweepMode::onlyEqualWorkIsRanked()
{
    struct Case {
        const char *name;
        bool hasModel;
        std::size_t first; ///< of sweepParameters(), with its values
        std::vector<int> values;
        std::optional<ui::SweepAxis> second;
        std::vector<int> workloads; ///< of the marks, series by series
    };
    constexpr std::size_t kVocabulary = 0, kDevices = 1, kMicrobatches = 2, kSize = 3, kLayers = 4;
    const std::vector<Case> cases{
        {"devices", true, kDevices, {2, 4}, {}, {0, 0, 0, 0}},
        {"microbatches", true, kMicrobatches, {8, 16}, {}, {0, 1, 0, 1}},
        {"as many tokens", true, kMicrobatches, {8, 16}, ui::SweepAxis{kSize, {1, 2}}, {0, 1, 1, 2, 0, 1, 1, 2}},
        {"vocabularies", true, kVocabulary, {1000, 2000}, {}, {0, 1, 0, 1}},
        {"layers", true, kLayers, {8, 16}, {}, {0, 1, 0, 1}},
        {"devices in teaching units", false, kDevices, {2, 4}, {}, {0, 1, 0, 1}}, // each has as many units
    };
    for (const Case &each : cases) {
        model::Experiment base;
        base.hasModel = each.hasModel;
        if (!each.hasModel)
            base.cost.source = model::UniformCosts{{{"F", 1}, {"B", 2}}, model::UniformPer::Stage};
        ui::SweepSetup setup{
            {each.first, each.values}, each.second, {model::VocabularyMethod::None, model::VocabularyMethod::Redis}};
        const auto entries = ui::sweepEntries(base, setup);
        service::SweepPoint point;
        point.done = true;
        point.iteration = 1000;
        point.peakMemory = 1000;
        std::vector<ui::SweepResult> results;
        for (const ui::SweepEntry &entry : entries)
            results.push_back({static_cast<int>(results.size()), &entry, &point});
        const ui::SweepContent memory = ui::memoryContent(setup, results);
        std::vector<int> workloads;
        for (const ui::SweepMark &mark : memory.marks)
            workloads.push_back(mark.workload);
        QVERIFY2(workloads == each.workloads, each.name);
        const bool isOneWork = std::ranges::max(each.workloads) == 0;
        for (const ui::SweepMetric &metric : ui::sweepMetrics()) {
            const QString name = ui::metricContent(setup, metric, results).y.name;
            QCOMPARE(!name.contains(u"at equal work only"_s), isOneWork);
            QVERIFY(name.contains(metric.moreIsBetter ? u"more is better"_s : u"less is better"_s));
        }
        QCOMPARE(memory.y.name.contains(u"less is better"_s), isOneWork);
    }
}

void SweepMode::whatNeedsFarTooMuchIsAtTheRim()
{
    const ui::SweepSetup setup{{1, {2, 4}}, {}, {model::VocabularyMethod::None}};
    const auto entries = ui::sweepEntries({}, setup);
    std::vector<service::SweepPoint> points(2);
    std::vector<ui::SweepResult> results;
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i].done = true;
        points[i].iteration = 100;
        points[i].peakMemory = i == 0 ? 90 : 1000;
        points[i].memoryCapacity = 100;
        results.push_back({static_cast<int>(i), &entries[i], &points[i]});
    }
    const auto marks = ui::memoryContent(setup, results).marks;
    QCOMPARE(marks[0].x, 90.0);
    QCOMPARE(marks[1].x, 150.0);
    QVERIFY(!marks[0].isClipped && marks[1].isClipped);
    QVERIFY2(marks[1].words.contains(u"1000 B"_s), qPrintable(marks[1].words)); // what it needs indeed
    const auto memory = std::ranges::find(ui::sweepMetrics(), ui::Words::tr("Peak memory"), &ui::SweepMetric::name);
    const auto heights = ui::metricContent(setup, *memory, results).marks;
    QVERIFY(*heights[0].y == 90 && *heights[1].y == 150);
}

void SweepMode::bestIsTheFastestOrTheSmallestThatIsFastEnough()
{
    const ui::SweepSetup setup{{1, {2, 4, 8}}, {}, {model::VocabularyMethod::None, model::VocabularyMethod::Vocab2}};
    const model::Experiment plan;
    const auto entries = ui::sweepEntries(plan, setup);
    std::vector<service::SweepPoint> points(entries.size());
    const std::vector<std::pair<int, int>> figures{{100, 90}, {104, 50}, {105, 40}, {106, 10}, {90, 200}, {104, 50}};
    std::vector<ui::SweepResult> results;
    for (std::size_t i = 0; i < points.size(); ++i) {
        points[i].done = true;
        points[i].iteration = figures[i].first;
        points[i].peakMemory = figures[i].second;
        points[i].memoryCapacity = 100; // the fifth does not fit
        results.push_back({static_cast<int>(i), &entries[i], &points[i]});
    }
    QCOMPARE(ui::bestResult(plan, results, {}), std::optional(0));
    QCOMPARE(ui::bestResult(plan, results, {true, 0.05}), std::optional(2));
    QCOMPARE(ui::bestResult(plan, results, {true, 0.04}), std::optional(1));
    QCOMPARE(ui::bestResult(plan, results, {true, 0}), std::optional(0));
    // Plans of other work are not the best of anything, unless they all do the same.
    model::Experiment other;
    other.model.vocabularySize = 1000;
    QCOMPARE(ui::bestResult(other, results, {}), std::optional(0));
    auto mixed = ui::sweepEntries(plan, {{0, {1000, 2000}}, {}, {model::VocabularyMethod::None}});
    const std::vector<ui::SweepResult> two{{0, &mixed[0], &points[0]}, {1, &mixed[1], &points[1]}};
    QCOMPARE(ui::bestResult(plan, two, {}), std::nullopt);
    QCOMPARE(ui::bestResult(mixed[1].plan, two, {}), std::optional(1));
}

void SweepMode::quickPredictionsFollowTheControls()
{
    QTRY_VERIFY_WITH_TIMEOUT(page().isUpToDate(), test::kPatience); // without a click
    QVERIFY(!m_fixture->find<QPushButton>(u"sweep.start"_s)->isVisible());
    auto *values = m_fixture->find<QLineEdit>(u"sweep.firstValues"_s);
    values->setFocus();
    values->selectAll();
    QTest::keyClicks(values, u"8k 16k"_s);
    QVERIFY(!page().isUpToDate());
    QTRY_VERIFY_WITH_TIMEOUT(page().isUpToDate(), test::kPatience);
    QVERIFY(metricPlot()->placeOf(7));
    QVERIFY(!metricPlot()->placeOf(8));
    // An edit of the plan elsewhere is followed when the page is seen again.
    QTest::keyClick(&m_fixture->window(), Qt::Key_1, Qt::ControlModifier);
    auto plan = m_fixture->window().document().experiment();
    plan.parallel.microbatches = 4;
    m_fixture->window().document().edit(u"parallel.microbatches"_s, u"microbatches"_s, plan);
    QVERIFY(!page().isUpToDate());
    QTest::keyClick(&m_fixture->window(), Qt::Key_3, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(page().isUpToDate(), test::kPatience);
}

void SweepMode::schedulesStandSideBySide()
{
    auto *first = m_fixture->find<QComboBox>(u"sweep.first"_s);
    first->setCurrentIndex(first->findText(u"Schedule"_s));
    // Ticked are all synchronous schedules that can run the plan.
    auto *ticks = m_fixture->find<ui::TickList>(u"sweep.firstTicks"_s);
    auto *typed = m_fixture->find<QLineEdit>(u"sweep.firstValues"_s);
    QVERIFY(ticks->isVisible() && !typed->isVisible());
    const QStringList all = typed->text().split(u", "_s);
    for (const QString &word : {u"gpipe"_s, u"1f1b"_s, u"v-half"_s, u"v-min"_s, u"seq1f1b"_s, u"po-f"_s})
        QVERIFY2(all.contains(word), qPrintable(typed->text()));
    QVERIFY(!all.contains(u"pipedream"_s));
    QVERIFY2(ticks->text().startsWith(u"%1 of "_s.arg(all.size())), qPrintable(ticks->text()));
    QVERIFY2(amount().startsWith(u"%1 predictions"_s.arg(4 * all.size())), qPrintable(amount()));
    QAction *gpipe = ticks->menu()->actions()[3]; // after "all", "none" and a line
    QCOMPARE(gpipe->text(), u"GPipe"_s);
    gpipe->trigger();
    QVERIFY(!typed->text().contains(u"gpipe"_s));
    typed->setText(u"gpipe, 1f1b, interleaved-1f1b, zb-h1, v-half"_s);
    QVERIFY2(ticks->text().startsWith(u"5 of "_s) && gpipe->isChecked(), qPrintable(ticks->text()));
    runToTheEnd();
    const auto *plot = metricPlot();
    const auto results = QJsonDocument::fromJson(QByteArray::fromStdString(page().results()->text(u"json"_s))).array();
    QCOMPARE(results.size(), 20);
    QCOMPARE(results[0][u"schedule"].toString(), u"gpipe"_s);
    QCOMPARE(results[4][u"schedule"].toString(), u"v-half"_s);
    for (int id = 0; id + 1 < 5; ++id) // in the order written, at equal distances
        QVERIFY(plot->placeOf(id)->x() < plot->placeOf(id + 1)->x());
    // All do the same work: the fastest is marked, then the smallest that is fast enough.
    const auto figure = [&](int id, const char16_t *name) { return results[id].toObject()[QStringView(name)].toDouble(); };
    int fastest = 0;
    for (int id = 1; id < results.size(); ++id)
        if (figure(id, u"iteration_ns") < figure(fastest, u"iteration_ns"))
            fastest = id;
    QCOMPARE(plot->highlighted(), fastest);
    auto *goal = m_fixture->find<QCheckBox>(u"sweep.goal"_s);
    goal->setFocus();
    QTest::keyClick(goal, Qt::Key_Space);
    const int smallest = plot->highlighted();
    QVERIFY(figure(smallest, u"iteration_ns") <= 1.05 * figure(fastest, u"iteration_ns"));
    for (int id = 0; id < results.size(); ++id)
        QVERIFY(figure(id, u"peak_memory_bytes") >= figure(smallest, u"peak_memory_bytes") ||
                figure(id, u"iteration_ns") > 1.05 * figure(fastest, u"iteration_ns"));
    // Its series side by side: all five schedules with its method.
    m_fixture->click(u"sweep.compare"_s);
    QTRY_COMPARE_WITH_TIMEOUT(m_fixture->window().comparePanel().items().size(), std::size_t{5}, test::kPatience);
    QVERIFY(m_fixture->window().comparePanel().isVisible());
    for (const auto &item : m_fixture->window().comparePanel().items())
        QVERIFY(item.experiment.schedule.vocabulary ==
                m_fixture->window().comparePanel().items()[0].experiment.schedule.vocabulary);
    QTest::keyClick(&m_fixture->window(), Qt::Key_3, Qt::ControlModifier);
    m_fixture->click(u"sweep.open"_s);
    QTRY_VERIFY(m_fixture->window().explorePage().isVisible());
    QCOMPARE(m_fixture->window().document().experiment().schedule.family,
             results[smallest].toObject()[u"schedule"].toString().toStdString());
}

void SweepMode::aSecondParameterMakesSmallMultiples()
{
    auto *second = m_fixture->find<QComboBox>(u"sweep.second"_s);
    second->setCurrentIndex(second->findText(u"Microbatches"_s));
    m_fixture->find<QLineEdit>(u"sweep.secondValues"_s)->setText(u"8, 16, 32"_s);
    runToTheEnd();
    const auto &plots = page().results()->metricPlots();
    QCOMPARE(plots.size(), std::size_t{3});
    // Method by method, the values of the second parameter: plot n has every third line of four points.
    for (int id = 0; id < 48; ++id)
        for (std::size_t plot = 0; plot < plots.size(); ++plot)
            QCOMPARE(plots[plot]->placeOf(id).has_value(), static_cast<std::size_t>(id / 4) % 3 == plot);
    QVERIFY(plots[2]->accessibleName().startsWith(u"Microbatches 32: "_s));
    // More microbatches take longer. All plots have one y range, so the point of the same plan is higher.
    QVERIFY(plots[0]->placeOf(3)->y() > plots[2]->placeOf(11)->y());
    second->setCurrentIndex(0);
    runToTheEnd();
    QCOMPARE(plots.size(), std::size_t{1});
}

void SweepMode::preparedSweepIsPredictedAndOpensInExplore()
{
    QVERIFY2(amount().startsWith(u"16 predictions, about "_s), qPrintable(amount()));
    runToTheEnd();
    auto *plot = metricPlot();
    for (int id = 0; id < 16; ++id) {
        QVERIFY2(plot->placeOf(id), qPrintable(QString::number(id)));
        QVERIFY(plot->rect().contains(*plot->placeOf(id)));
        QVERIFY(page().results()->memoryPlot()->placeOf(id));
    }
    QTest::mouseDClick(plot, Qt::LeftButton, {}, *plot->placeOf(15));
    QTRY_VERIFY(m_fixture->window().explorePage().isVisible());
    const auto &plan = m_fixture->window().document().experiment();
    QCOMPARE(plan.model.vocabularySize, 256000);
    QVERIFY(plan.schedule.vocabulary == model::VocabularyMethod::Vocab2);
    m_fixture->window().document().undoStack().undo();
    QCOMPARE(m_fixture->window().document().experiment().model.vocabularySize, 8192);
}

void SweepMode::otherSchedulesAreOffered()
{
    m_fixture->find<QLineEdit>(u"sweep.firstValues"_s)->setText(u"8k"_s);
    runToTheEnd();
    auto *goal = m_fixture->find<QCheckBox>(u"sweep.goal"_s);
    goal->setFocus();
    QTest::keyClick(goal, Qt::Key_Space);
    const QString words = m_fixture->find<QLabel>(u"sweep.point"_s)->text();
    QVERIFY2(words.endsWith(u" · Only 1F1B was tried."_s), qPrintable(words));
    m_fixture->click(u"sweep.vary"_s);
    QTRY_VERIFY_WITH_TIMEOUT(page().isUpToDate() && !page().isRunning(), test::kPatience);
    QVERIFY(!m_fixture->find<QPushButton>(u"sweep.vary"_s)->isVisible());
    QCOMPARE(m_fixture->find<QComboBox>(u"sweep.first"_s)->currentText(), u"Schedule"_s);
    QVERIFY(metricPlot()->highlighted() >= 0);
    // Of one family more are tried again; trainings are only set up.
    m_fixture->find<QLineEdit>(u"sweep.firstValues"_s)->setText(u"1f1b"_s);
    runToTheEnd();
    m_fixture->usePlanForTraining(3);
    runToTheEnd();
    m_fixture->find<QComboBox>(u"sweep.how"_s)->setCurrentIndex(1);
    QVERIFY(m_fixture->find<QPushButton>(u"sweep.vary"_s)->isVisible());
    m_fixture->click(u"sweep.vary"_s);
    QVERIFY(!page().isRunning());
    QVERIFY(m_fixture->find<QLineEdit>(u"sweep.firstValues"_s)->text().contains(u"gpipe"_s));
}

void SweepMode::hoveringLinksThePlots()
{
    runToTheEnd();
    auto *metric = metricPlot();
    auto *memory = page().results()->memoryPlot();
    QTest::mouseClick(memory, Qt::LeftButton, {}, {1, 1}); // ends what a double click before has begun
    QTest::mouseMove(memory, *memory->placeOf(12));
    QTRY_VERIFY(metric->highlighted() >= 0);
    QCOMPARE(metric->highlighted(), memory->highlighted());
    auto *words = m_fixture->find<QLabel>(u"sweep.point"_s);
    QVERIFY2(words->text().contains(u"Predicted"_s), qPrintable(words->text()));
    metric->setFocus();
    QTest::keyClick(metric, Qt::Key_Right);
    QTest::keyClick(metric, Qt::Key_Right);
    QVERIFY(metric->highlighted() >= 0);
    auto *open = m_fixture->find<QPushButton>(u"sweep.open"_s);
    QVERIFY(open->isEnabled());
    QTest::keyClick(metric, Qt::Key_Return);
    QTRY_VERIFY(m_fixture->window().explorePage().isVisible());
}

void SweepMode::impossiblePointsStayWithTheirReason()
{
    m_fixture->find<QComboBox>(u"sweep.first"_s)->setCurrentIndex(1);        // devices
    m_fixture->find<QLineEdit>(u"sweep.firstValues"_s)->setText(u"4, 64"_s); // more devices than layers
    QVERIFY2(amount().startsWith(u"8 predictions"_s), qPrintable(amount()));
    runToTheEnd();
    auto *plot = metricPlot();
    QVERIFY(plot->placeOf(1));
    QTest::mouseClick(plot, Qt::LeftButton, {}, *plot->placeOf(1));
    const QString words = m_fixture->find<QLabel>(u"sweep.point"_s)->text();
    QVERIFY2(words.contains(u"Devices 64"_s) && words.contains(u"impossible"_s), qPrintable(words));
    QVERIFY(!page().results()->memoryPlot()->placeOf(1));
    QVERIFY(m_fixture->find<ui::MessageBar>(u"sweep.bar"_s)->text().contains(u"impossible here, marked ×"_s));
}

void SweepMode::badValuesAreExplained()
{
    runToTheEnd();
    const auto isGrey = [this] { return page().results()->picture()->graphicsEffect()->isEnabled(); };
    QVERIFY(!isGrey());
    auto *values = m_fixture->find<QLineEdit>(u"sweep.firstValues"_s);
    values->setText(u"32k, many"_s);
    QVERIFY(isGrey()); // they answer another question
    QVERIFY2(amount().contains(u"“many” is not a number"_s), qPrintable(amount()));
    QVERIFY(!m_fixture->find<QPushButton>(u"sweep.start"_s)->isEnabled());
    values->setText(u"32k"_s);
    for (int method = 0; method < 5; ++method)
        m_fixture->find<QCheckBox>(u"sweep.method.%1"_s.arg(method))->setChecked(false);
    QCOMPARE(amount(), u"Choose at least one method."_s);
}

void SweepMode::trainingIsEstimatedAndFillsThePoints()
{
    m_fixture->usePlanForTraining(3);
    m_fixture->find<QComboBox>(u"sweep.first"_s)->setCurrentIndex(2); // microbatches
    m_fixture->find<QLineEdit>(u"sweep.firstValues"_s)->setText(u"4, 8"_s);
    runToTheEnd(); // predictions first
    m_fixture->find<QComboBox>(u"sweep.how"_s)->setCurrentIndex(1);
    QVERIFY(amount().startsWith(u"8 training runs, estimating"_s));
    QTRY_VERIFY2_WITH_TIMEOUT(amount().startsWith(u"8 training runs, about "_s), qPrintable(amount()), test::kPatience);
    runToTheEnd();
    QTRY_COMPARE(m_fixture->window().runsPanel().model()->rowCount(), 8);
    QVERIFY(metricPlot()->placeOf(0));         // the predictions stay
    QVERIFY(metricPlot()->placeOf(1'000'000)); // beside them the runs
    QTest::mouseClick(metricPlot(), Qt::LeftButton, {}, *metricPlot()->placeOf(1'000'007));
    const QString words = m_fixture->find<QLabel>(u"sweep.point"_s)->text();
    QVERIFY2(words.contains(u"Virtual clock"_s) || words.contains(u"Predicted"_s), qPrintable(words));
}

void SweepMode::cancelKeepsWhatIsDone()
{
    m_fixture->usePlanForTraining(100000);
    m_fixture->find<QComboBox>(u"sweep.how"_s)->setCurrentIndex(1);
    m_fixture->find<QComboBox>(u"sweep.first"_s)->setCurrentIndex(2);
    m_fixture->find<QLineEdit>(u"sweep.firstValues"_s)->setText(u"4, 8"_s);
    m_fixture->click(u"sweep.start"_s);
    QTRY_VERIFY_WITH_TIMEOUT(page().isRunning(), 5000);
    m_fixture->click(u"sweep.cancel"_s);
    QTRY_VERIFY_WITH_TIMEOUT(!page().isRunning(), test::kPatience);
    const QString text = m_fixture->find<ui::MessageBar>(u"sweep.bar"_s)->text();
    QVERIFY2(text.startsWith(u"Cancelled: "_s) && text.contains(u"of 8 are done and stay"_s), qPrintable(text));
    QVERIFY(m_fixture->find<QPushButton>(u"sweep.start"_s)->isEnabled());
}

void SweepMode::whatWasPublishedIsCrossed()
{
    m_fixture->open(qEnvironmentVariable("STAGELENS_RESOURCES") + u"/examples/gpt-4b-8xa100-256k.stagelens.json"_s);
    QTest::keyClick(&m_fixture->window(), Qt::Key_3, Qt::ControlModifier);
    m_fixture->find<QLineEdit>(u"sweep.firstValues"_s)->setText(u"48000, 256000"_s); // the paper has the second
    runToTheEnd();
    constexpr int kFirstPublished = 2'000'000;
    auto *metric = metricPlot();
    QVERIFY(metric->placeOf(kFirstPublished));
    QVERIFY(page().results()->memoryPlot()->placeOf(kFirstPublished + 3)); // of each of the four methods
    QVERIFY(!metric->placeOf(kFirstPublished + 4));
    emit metric->pointed(kFirstPublished);
    const QString words = m_fixture->find<QLabel>(u"sweep.point"_s)->text();
    QVERIFY2(words.contains(u"Vocabulary size 256,000 · not split · Published: 24.0 s, 31.6 GiB, "_s), qPrintable(words));
    QVERIFY(!words.contains(u"bubble"_s));
    const auto legend = m_fixture->window().sweepPage().results()->picture()->findChildren<QLabel *>();
    QVERIFY(std::ranges::any_of(legend, [](const QLabel *label) { return label->text() == u"Published"_s; }));
    const QByteArrayList lines = QByteArray::fromStdString(page().results()->text(u"csv"_s)).trimmed().split('\n');
    QCOMPARE(lines.size(), 1 + 8 + 4);
    QVERIFY2(lines[9].contains(",1f1b,none,published,23959400000,,"), lines[9].constData());
    // Its plan is opened as that of any other.
    emit metric->opened(kFirstPublished);
    QCOMPARE(m_fixture->window().document().experiment().model.vocabularySize, 256000);
}

void SweepMode::resultsAreExported()
{
    auto *button = m_fixture->find<QPushButton>(u"sweep.export"_s);
    const auto &actions = m_fixture->window().actions();
    QVERIFY(!button->isEnabled());
    QVERIFY(!actions.exportPng->isEnabled());
    runToTheEnd();
    QVERIFY(button->isEnabled());
    QVERIFY(actions.exportPng->isEnabled());
    const auto exported = [&](const QString &name) {
        const QString path = m_fixture->path(name);
        if (const auto saved = page().results()->exportTo(path, QFileInfo(path).suffix()); !saved)
            qWarning("%s", saved.error().text().c_str());
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QList<QByteArray> lines = exported(u"sweep.csv"_s).trimmed().split('\n');
    QCOMPARE(lines.size(), 17);
    QVERIFY2(lines[0].startsWith("vocabulary_size,devices,microbatches,"), lines[0].constData());
    QVERIFY2(lines[16].startsWith("256000,4,16,") && lines[16].contains(",vocab-2,predicted,"), lines[16].constData());
    const QJsonArray rows = QJsonDocument::fromJson(exported(u"sweep.json"_s)).array();
    QCOMPARE(rows.size(), 16);
    QVERIFY(rows[15].toObject()[u"iteration_ns"].toDouble() > 0);
    QVERIFY(rows[15].toObject()[u"run"].isNull());
    // Words and lines, and not a picture of them.
    const QByteArray drawing = exported(u"sweep.svg"_s);
    QVERIFY(drawing.contains(">Iteration over vocabulary size<"));
    QVERIFY(drawing.contains(">Peak memory of a device<"));
    QVERIFY(QImage::fromData(exported(u"sweep.png"_s)).width() > 2 * metricPlot()->width());
    QVERIFY(exported(u"sweep.pdf"_s).startsWith("%PDF"));
    QVERIFY(!page().results()->exportTo(m_fixture->path(u"sweep.txt"_s), u"txt"_s).ok());
    QVERIFY(!page().results()->exportTo(m_fixture->path(u"no/where.csv"_s), u"csv"_s).ok());
}

STAGELENS_TEST(SweepMode)

} // namespace ui_sweep_page

#include "sweep_page.moc"
