// Where a run differs from its prediction, by kind of pass, and whether the machine was busy.
#include "ui/shell/pass_kinds.h"
#include "engine/service/search/predict.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/ui/lane_groups.h"
#include "tests/ui/window_fixture.h"
#include "ui/panels/figures/metrics_panel.h"
#include "ui/plots/step_strip.h"
#include "ui/words/words.h"

#include <QDialog>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>

namespace ui_pass_kinds {

using namespace stagelens;
using namespace Qt::StringLiterals;
using schedule::PassKind;

class PassKinds : public QObject {
    Q_OBJECT
private slots:
    void init() { test::failOnWarnings(); }

    void rowsCountAndCompareThePassesOfAKind()
    {
        const ui::LaneGroup predicted = test::makeGroup(4, 8, model::VocabularyMethod::None);
        timeline::Timeline measured = *predicted.timeline;
        base::Nanos slower = 0;
        for (timeline::Lane &lane : measured.lanes) // every backward a fifth longer, on one device half as long again
            for (std::size_t i = 0; i < lane.size(); ++i)
                if (lane.pass[i].kind == PassKind::B) {
                    const base::Nanos length = lane.end[i] - lane.begin[i];
                    const base::Nanos more = &lane == &measured.lanes[1] ? length / 2 : length / 5;
                    lane.end[i] += more;
                    slower += more;
                }
        for (timeline::Lane &lane : measured.lanes)
            for (std::size_t i = 0; i < lane.size(); ++i)
                lane.processor.push_back((lane.end[i] - lane.begin[i]) / (lane.pass[i].kind == PassKind::B ? 2 : 1));
        const std::vector<ui::PassKindRow> rows = ui::passKindRows(*predicted.timeline, measured);
        QCOMPARE(rows.size(), 2U);
        QVERIFY(rows[0].kind == PassKind::F && rows[1].kind == PassKind::B);
        QCOMPARE(rows[0].count, 32U);
        QCOMPARE(rows[0].gained, 0);
        QCOMPARE(rows[0].lower, 1.0);
        QCOMPARE(rows[1].count, 32U);
        QCOMPARE(rows[0].processor, std::optional(1.0));
        QVERIFY(std::abs(*rows[1].processor - 0.5) < 1e-6);
        QCOMPARE(rows[1].gained, slower);
        QCOMPARE(rows[1].predicted, 2'000'000);
        QCOMPARE(rows[1].measured, 2'400'000);
        QVERIFY(std::abs(rows[1].lower - 1.2) < 1e-9 && std::abs(rows[1].upper - 1.2) < 1e-9);
    }

    void passesOfOneTimelineAloneAreLeftOut()
    {
        const ui::LaneGroup whole = test::makeGroup(4, 8, model::VocabularyMethod::None);
        const ui::LaneGroup split = test::makeGroup(4, 8, model::VocabularyMethod::Vocab2);
        const auto rows = ui::passKindRows(*whole.timeline, *split.timeline);
        for (const ui::PassKindRow &row : rows)
            QVERIFY(row.kind == PassKind::F || row.kind == PassKind::B);
        QVERIFY(ui::passKindRows({}, *whole.timeline).empty());
    }

    void aBusyMachineIsSaid()
    {
        const std::vector<base::Nanos> idle{200, 150, 100, 101, 99, 100, 102, 100};
        QVERIFY(ui::busyMachineText({}, idle).isEmpty()); // the first two steps warm up
        const std::vector<base::Nanos> busy{100, 100, 100, 150, 99, 170, 102, 140};
        QVERIFY2(ui::busyMachineText({}, busy).contains(u"busy"_s), qPrintable(ui::busyMachineText({}, busy)));
        QVERIFY(ui::busyMachineText({}, {100, 100, 100, 900}).isEmpty()); // too few to know
        QVERIFY(ui::busyMachineText({}, {}).isEmpty());
        simulate::Metrics metrics;
        metrics.processorShare = 0.97;
        QVERIFY(ui::busyMachineText(metrics, idle).isEmpty());
        metrics.processorShare = 0.38; // as even as on an idle machine, but long
        QVERIFY2(ui::busyMachineText(metrics, idle).contains(u"38 %"_s), qPrintable(ui::busyMachineText(metrics, idle)));
    }

    void stepsAreDotsOfTheirDurations()
    {
        ui::StepStrip strip;
        strip.resize(600, strip.sizeHint().height());
        strip.setSteps({200, 150, 100, 104, 96, 100}, 80);
        QVERIFY(!strip.placeOf(6));
        for (std::size_t step = 1; step < 6; ++step) // the first is at the top
            QVERIFY(strip.placeOf(step)->y() > strip.placeOf(step - 1)->y());
        QCOMPARE(strip.placeOf(2)->x(), strip.placeOf(5)->x()); // as long
        QVERIFY(strip.placeOf(4)->x() < strip.placeOf(2)->x() && strip.placeOf(2)->x() < strip.placeOf(0)->x());
        // 150 is in the middle of 100 and 200.
        const int length = strip.placeOf(0)->x() - strip.placeOf(2)->x();
        QVERIFY(std::abs((strip.placeOf(0)->x() - strip.placeOf(1)->x()) * 2 - length) <= 2);
        QCOMPARE(strip.textAt(*strip.placeOf(3)), u"Step 4: 104 ns"_s);
        QCOMPARE(strip.textAt({2, 2}), QString());
        QVERIFY2(strip.accessibleDescription().contains(u"predicted 80 ns"_s), qPrintable(strip.accessibleDescription()));
        QVERIFY(!strip.grab().isNull());
    }

    void theFiguresOpenTheTable()
    {
        test::WindowFixture fixture;
        auto &window = fixture.open();
        fixture.usePlanForTraining(6);
        auto *button = fixture.find<QPushButton>(u"metrics.byKind"_s);
        QVERIFY(!button->isVisible());
        QTest::keyClick(&window, Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(fixture.isSettled() && button->isVisible(), test::kPatience);
        QTest::mouseClick(button, Qt::LeftButton);
        auto *table = window.findChild<QTableWidget *>(u"passKinds.table"_s);
        QVERIFY(table && table->isVisible());
        QCOMPARE(table->rowCount(), 2); // F and B
        QCOMPARE(table->item(0, 0)->text(), u"F"_s);
        QCOMPARE(table->item(0, 1)->text(), u"8"_s); // 2 devices x 4 microbatches
        QVERIFY(window.findChild<QLabel *>(u"passKinds.iteration"_s)->text().contains(u"predicted"_s));
        const QString iteration = window.findChild<QLabel *>(u"passKinds.iteration"_s)->text();
        QVERIFY2(iteration.contains(u", typical of 4 steps"_s), qPrintable(iteration));
        const auto *steps = window.findChild<ui::StepStrip *>(u"passKinds.steps"_s);
        QVERIFY(steps && steps->isVisible() && steps->placeOf(1));
        auto *dialog = window.findChild<QDialog *>(u"passKinds"_s);
        QTest::keyClick(dialog, Qt::Key_Escape);
        QTRY_VERIFY(!window.findChild<QDialog *>(u"passKinds"_s));
    }

    void theFiguresSayThatTheMachineWasBusy()
    {
        test::WindowFixture fixture;
        auto &window = fixture.open();
        fixture.usePlanForTraining(4);
        QTest::keyClick(&window, Qt::Key_F5);
        QTRY_VERIFY_WITH_TIMEOUT(fixture.isSettled() && window.runController().shown(), test::kPatience);
        auto run = std::make_shared<service::RunSnapshot>(*window.runController().shown());
        QVERIFY(run->record.metrics && run->record.metrics->processorShare);
        ui::MetricsPanel panel;
        const auto *busy = panel.findChild<QLabel *>(u"metrics.busy"_s);
        const auto show = [&](double share) {
            run->record.metrics->processorShare = share;
            ui::Figures figures;
            figures.plan = window.forecast().plan();
            figures.run = run;
            panel.setFigures(figures);
            return busy->isVisibleTo(&panel) ? busy->text() : QString();
        };
        QVERIFY2(show(0.38).contains(u"38 %"_s), qPrintable(busy->text()));
        QCOMPARE(show(0.99), QString());
    }

    void theFiguresHaveHostMemoryWithOffload()
    {
        test::WindowFixture fixture;
        auto prediction = std::make_shared<service::Prediction>(*fixture.open().forecast().plan());
        ui::MetricsPanel panel;
        const auto *host = panel.findChild<QLabel *>(u"metrics.host"_s);
        const auto show = [&](std::vector<base::Bytes> peaks) {
            prediction->metrics.peakHost = std::move(peaks);
            ui::Figures figures;
            figures.plan = prediction;
            panel.setFigures(figures);
            return host->isVisibleTo(&panel) ? host->text() : QString();
        };
        QCOMPARE(show({}), QString());
        QCOMPARE(show({1 << 20, 3 << 20}), ui::bytesText(3 << 20));
    }

    /// The iteration is that of one step; what is of all steps says so.
    void theFiguresOfSeveralStepsSaySo()
    {
        model::Experiment experiment = test::tinyExperiment("pipedream", model::VocabularyMethod::None, 2, 4);
        ui::MetricsPanel panel;
        const auto show = [&](const QString &label) {
            const auto prediction = service::predict(experiment, 2);
            if (!prediction)
                qFatal("%s", prediction.error().text().c_str());
            ui::Figures figures;
            figures.plan = *prediction;
            panel.setFigures(figures);
            return panel.findChild<QLabel *>(u"metrics."_s + label)->text();
        };
        QVERIFY(!show(u"bound"_s).contains(u"steps"_s) && !show(u"note"_s).contains(u"all steps"_s));
        experiment.schedule.iterations = 3;
        QVERIFY2(show(u"bound"_s).endsWith(u" of 3 steps"_s), qPrintable(show(u"bound"_s)));
        QVERIFY2(show(u"note"_s).contains(u"The bubble is that of all steps"_s), qPrintable(show(u"note"_s)));
        experiment.schedule.family = "1f1b"; // drains after each of them
        QVERIFY2(!show(u"note"_s).contains(u"fill and drain"_s), qPrintable(show(u"note"_s)));
    }
};

STAGELENS_TEST(PassKinds)

} // namespace ui_pass_kinds

#include "pass_kinds.moc"
