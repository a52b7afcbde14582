// The plots below the timeline: exact columns, empty states, the shared axis.
#include "engine/model/family_shape.h"
#include "engine/service/search/predict.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/ui_test.h"
#include "ui/canvas/colours.h"
#include "ui/plots/coordinates.h"
#include "ui/plots/expert_plot.h"
#include "ui/plots/memory_legend.h"
#include "ui/plots/memory_stack.h"
#include "ui/plots/plot_style.h"
#include "ui/plots/plots.h"
#include "ui/state/lane_groups.h"
#include "ui/state/view_state.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QMenu>
#include <QTimer>

#include <algorithm>
#include <cmath>

namespace ui_plots_widgets {

using namespace stagelens;

namespace {

simulate::MemoryProfile profileOf(std::vector<std::pair<base::Nanos, base::Bytes>> totals)
{
    simulate::MemoryProfile profile;
    for (const auto &[time, bytes] : totals) {
        simulate::MemoryStep step;
        step.time = time;
        step.bytes[static_cast<std::size_t>(simulate::MemoryCategory::Activations)] = bytes;
        profile.steps.push_back(step);
    }
    return profile;
}

std::shared_ptr<const simulate::MemoryProfiles> profilesOf(std::vector<simulate::MemoryProfile> profiles)
{
    std::vector<base::Bytes> peaks;
    for (const simulate::MemoryProfile &profile : profiles)
        peaks.push_back(profile.peak());
    return std::make_shared<const simulate::MemoryProfiles>(
        std::move(peaks), [profiles = std::move(profiles)](int device) { return profiles[static_cast<std::size_t>(device)]; });
}

/// Metrics of two devices that idle half of the time together.
simulate::Metrics twoDevices()
{
    simulate::Metrics metrics;
    metrics.makespan = 100;
    metrics.bubbleRatio = 0.5;
    metrics.bubbleRatioPerDevice = {0.25, 0.75};
    return metrics;
}

/// Opens the context menu at a point, and clicks its first entry.
void copyByMenu(QWidget &plot, QPoint at)
{
    QTest::mouseMove(&plot, at);
    bool isClicked = false;
    QTimer::singleShot(0, &plot, [&] { // the menu has an event loop of its own
        auto *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
        if (menu == nullptr || menu->actions().isEmpty() || !menu->actions().front()->text().startsWith(u"Copy as text"))
            return;
        isClicked = true;
        QTest::mouseClick(menu, Qt::LeftButton, Qt::NoModifier, menu->actionGeometry(menu->actions().front()).center());
    });
    QContextMenuEvent asked(QContextMenuEvent::Mouse, at, plot.mapToGlobal(at)); // which a platform sends for a right click
    QApplication::sendEvent(&plot, &asked);
    QVERIFY(isClicked);
}

int pixelsOf(const QImage &image, const QColor &colour)
{
    int count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            count += image.pixelColor(x, y) == colour ? 1 : 0;
    return count;
}

} // namespace

class PlotsWidgets : public QObject {
    Q_OBJECT
private slots:
    /// Scales, unknown values and ranges of parallel coordinates.
    void coordinatesKeepWhatIsInAllRanges()
    {
        ui::CoordinateContent content;
        content.axes = {{QStringLiteral("name"), {QStringLiteral("a"), QStringLiteral("b")}, {}, 1},
                        {QStringLiteral("wide"), {}, [](double value) { return QString::number(value); }, 1},
                        {QStringLiteral("narrow"), {}, [](double value) { return QString::number(value); }, 1}};
        const std::array wide{1.0, 10.0, 100.0, 1000.0};
        for (int i = 0; i < 4; ++i)
            content.lines.push_back(
                {i + 1, {i % 2, wide[static_cast<std::size_t>(i)], i == 3 ? std::nullopt : std::optional<double>(i)}, 0, {}});
        ui::Coordinates coordinates;
        coordinates.setContent(content);
        coordinates.setPlace(QRect(0, 0, 301, 101), 120);
        QVERIFY(coordinates.scales()[1].isLogarithmic && !coordinates.scales()[2].isLogarithmic);
        QVERIFY(std::abs(coordinates.scales()[1].share(100) - 2.0 / 3) < 1e-12);
        QCOMPARE(coordinates.pointOf(content.lines[3], 2).y(), 120.0); // unknown
        QCOMPARE(coordinates.pointOf(content.lines[0], 2).y(), 100.0);
        QCOMPARE(coordinates.pointOf(content.lines[2], 2).y(), -1.0); // 101 pixels above
        QCOMPARE(coordinates.kept(), (std::vector<qint64>{1, 2, 3, 4}));
        coordinates.setRange(1, ui::CoordinateRange{1.0 / 3, 1}); // 10 and more
        QCOMPARE(coordinates.kept(), (std::vector<qint64>{2, 3, 4}));
        coordinates.setRange(2, ui::CoordinateRange{0, 1}); // what is known
        QCOMPARE(coordinates.kept(), (std::vector<qint64>{2, 3}));
        coordinates.setRange(0, ui::CoordinateRange{1, 1}); // b
        QCOMPARE(coordinates.kept(), (std::vector<qint64>{2}));
        // Ranges follow the names of their axes.
        content.axes.erase(content.axes.begin());
        for (ui::CoordinateLine &line : content.lines)
            line.values.erase(line.values.begin());
        coordinates.setContent(content);
        QCOMPARE(coordinates.kept(), (std::vector<qint64>{2, 3}));
        QCOMPARE(coordinates.axisAt({154, 50}), std::optional<std::size_t>(1));
        QVERIFY(!coordinates.axisAt({75, 50}));
        // Only what is kept can be pointed at.
        const QPoint middle =
            ((coordinates.pointOf(content.lines[1], 0) + coordinates.pointOf(content.lines[1], 1)) / 2).toPoint();
        QVERIFY(coordinates.lineAt(middle) != nullptr);
        QCOMPARE(coordinates.lineAt(middle)->id, qint64{2});
        coordinates.clearRanges();
        QCOMPARE(coordinates.kept().size(), std::size_t{4});
    }

    void init() { test::failOnWarnings(); }

    void columnsNeverLoseAPeak()
    {
        const auto profile = profileOf({{0, 10}, {500, 90}, {501, 10}, {800, 40}});
        const auto columns = ui::memoryColumns(profile, {0, 1000, 100, 2, 0}, 1000);
        int width = 0;
        base::Bytes peak = 0;
        for (const ui::MemoryColumn &column : columns) {
            QCOMPARE(column.x, width);
            width += column.width;
            peak = std::max(peak, column.step->total());
        }
        QCOMPARE(width, 100);
        QCOMPARE(peak, 90); // a nanosecond long, and still there
        QCOMPARE(columns.size(), std::size_t{4});
        QCOMPARE(columns.back().x, 80);
        // A window that begins in the middle shows what is held there.
        QCOMPARE(ui::memoryColumns(profile, {600, 700, 100, 2, 0}, 1000).front().step->total(), 10);
        QVERIFY(ui::memoryColumns(profile, {2000, 3000, 100, 2, 0}, 1000).empty());
        QVERIFY(ui::memoryColumns({}, {0, 1000, 100, 2, 0}, 1000).empty());
    }

    void memoryShowsTheWorstTheChosenOrTheSelectedDevice()
    {
        ui::ViewState state;
        state.setSpan(1000);
        ui::MemoryPlot plot(&state);
        plot.resize(900, 180);
        plot.setContent({.profiles = profilesOf({profileOf({{0, 100}}), profileOf({{0, 300}}), profileOf({{0, 200}})}),
                         .end = 1000,
                         .capacity = 400,
                         .caption = QStringLiteral("Predicted"),
                         .activations = {4, 2, 1}});
        QCOMPARE(plot.accessibleDescription(),
                 QStringLiteral(
                     "Device 1: peak 300 B, activations of 2 microbatches · capacity 400 B; activations 300 B; total 300 B"));
        auto *devices = plot.findChild<QComboBox *>();
        QVERIFY(devices != nullptr);
        QCOMPARE(devices->count(), 4);
        const QColor activations =
            ui::coloursFor(plot.palette()).memory[static_cast<std::size_t>(simulate::MemoryCategory::Activations)];
        const int worst = pixelsOf(plot.grab().toImage(), activations);
        state.select(ui::ViewState::Selection{0, {0, 0}});
        QVERIFY(plot.accessibleDescription().startsWith(QStringLiteral("Device 0: peak 100 B")));
        const int selected = pixelsOf(plot.grab().toImage(), activations);
        QVERIFY(selected > 0);
        QVERIFY2(std::abs(worst - 3 * selected) < worst / 10, qPrintable(QStringLiteral("%1 %2").arg(worst).arg(selected)));
    }

    /// A plan without bytes shows the microbatches whose activations each device holds.
    void teachingPlansShowHeldMicrobatches()
    {
        model::Experiment experiment;
        experiment.hasModel = false;
        experiment.parallel.devices = 4;
        experiment.parallel.microbatches = 8;
        experiment.schedule.family = "1f1b";
        experiment.cost.source = model::UniformCosts{{{"F", 1.0}, {"B", 2.0}}};
        for (const auto &[family, first] :
             {std::pair{"1f1b", 4.0}, std::pair{"gpipe", 8.0}, std::pair{"interleaved-1f1b", 5.5}}) {
            experiment.schedule.family = family;
            model::chooseFamily(experiment.schedule, family);
            const auto plan = service::predict(experiment, 2);
            QVERIFY2(plan.ok(), family);
            const auto held = ui::heldMicrobatches((*plan)->timeline, ui::kMicrobatch);
            QCOMPARE(static_cast<double>(held->peaks()[0]), first * ui::kMicrobatch);
            const auto profile = held->of(0);
            QCOMPARE(profile->steps.back().total(), base::Bytes{0}); // all are freed
            ui::ViewState state;
            state.setSpan((*plan)->timeline->iteration());
            ui::MemoryPlot plot(&state);
            plot.resize(900, 180);
            plot.setContent({.profiles = held, .inMicrobatches = true, .end = (*plan)->timeline->iteration()});
            QCOMPARE(plot.accessibleDescription(),
                     QStringLiteral("Device 0 holds the activations of at most %1 microbatches").arg(first));
        }
    }

    /// The picture of a second plan is that of a plot which has seen no other.
    void memoryPictureIsOfOnePlan()
    {
        ui::ViewState state;
        state.setSpan(1000);
        const auto show = [&](ui::MemoryPlot &plot, double activations) {
            plot.resize(900, 180);
            plot.setContent({.profiles = profilesOf({profileOf({{0, 300}})}), .end = 1000, .activations = {activations}});
            return plot.grab().toImage();
        };
        ui::MemoryPlot used(&state);
        const QImage first = show(used, 4);
        const QImage second = show(used, 32);
        QVERIFY(first != second);
        ui::MemoryPlot fresh(&state);
        QCOMPARE(second, show(fresh, 32));
    }

    void memoryAxisSpansPlanBaselineAndANearCapacity()
    {
        ui::ViewState state;
        state.setSpan(1000);
        ui::MemoryPlot plot(&state);
        plot.resize(900, 180);
        const auto show = [&](base::Bytes peak, base::Bytes capacity, base::Bytes baseline) {
            plot.setContent({.profiles = profilesOf({profileOf({{0, peak}}), profileOf({{0, peak / 2}})}),
                             .end = 1000,
                             .capacity = capacity,
                             .baseline = baseline});
            return plot.top();
        };
        QCOMPARE(show(316, 800, 316), 316);
        QCOMPARE(show(255, 800, 316), 316); // less memory looks lower
        QCOMPARE(show(400, 800, 316), 400);
        QCOMPARE(show(600, 800, 316), 800); // within 1.5x
        QCOMPARE(show(316, 800, 600), 800);
        QCOMPARE(show(900, 800, 316), 900);
        QCOMPARE(show(316, 0, 0), 316);
        // The baseline is a line in the picture.
        const QColor line = ui::coloursFor(plot.palette()).muted;
        show(255, 0, 0);
        const int without = pixelsOf(plot.grab().toImage(), line);
        show(255, 0, 316);
        QVERIFY(pixelsOf(plot.grab().toImage(), line) > without + 300);
    }

    /// The outline has the memory of the same plan with ZeRO 0, and the axis has room for it.
    void memoryOutlinesTheUnshardedPlan()
    {
        model::Experiment experiment = test::tinyExperiment("1f1b", model::VocabularyMethod::None, 2, 4);
        experiment.parallel.replicas = 4;
        const auto whole = service::predict(experiment, 2);
        QVERIFY(whole.ok());
        for (const int zero : {0, 1, 2, 3}) {
            experiment.parallel.zero = zero;
            const auto plan = service::predict(experiment, 2);
            QVERIFY(plan.ok());
            ui::ViewState state;
            state.setSpan((*plan)->timeline->iteration());
            ui::MemoryPlot plot(&state);
            plot.resize(900, 180);
            ui::MemoryContent content{.profiles = (*plan)->memory, .end = (*plan)->timeline->iteration()};
            content.ghost = ui::unshardedMemory((*plan)->experiment, (*plan)->schedule, (*plan)->timeline);
            content.ghostWords = QStringLiteral("without ZeRO");
            plot.setContent(content);
            QCOMPARE(plot.ghostPeak() > 0, zero > 0);
            if (zero == 0)
                continue;
            QCOMPARE(plot.ghostPeak(), std::ranges::max((*whole)->metrics.peakMemory));
            QCOMPARE(plot.top(), plot.ghostPeak());
            // Above the stack: where it is not drawn these rows are empty.
            const QImage picture = plot.grab().toImage();
            const int with = pixelsOf(picture, ui::coloursFor(plot.palette()).ink);
            content.ghost = nullptr;
            plot.setContent(content);
            QVERIFY(with > pixelsOf(plot.grab().toImage(), ui::coloursFor(plot.palette()).ink) + 100);
        }
    }

    void memoryLegendStaysInsideItsWidth()
    {
        const simulate::MemoryByCategory all{3 << 20, 3 << 20, 7 << 20, 10 << 20, 1 << 20, 192 << 10, 512 << 10};
        const QFontMetrics metrics(QApplication::font());
        for (const auto &[width, figures] : {std::pair{1600, true}, std::pair{920, true}, std::pair{600, false}}) {
            const auto legend = ui::memoryLegend(all, metrics, 150, 300, width);
            QCOMPARE(legend.size(), all.size());
            QCOMPARE(legend[0].text.contains(QChar(u' ')), figures);
            for (std::size_t i = 0; i < legend.size(); ++i) {
                QVERIFY(legend[i].place.x() + metrics.horizontalAdvance(legend[i].text) <= width);
                QVERIFY(i == 0 || legend[i].place.y() > legend[i - 1].place.y() ||
                        legend[i].place.x() > legend[i - 1].place.x());
            }
        }
    }

    /// Where the first row has no room it ends with a whole word, and its tooltip says the rest.
    void memoryHeadingIsElidedAtWords()
    {
        const QFontMetrics metrics(QApplication::font());
        const QString text = QStringLiteral("Device 0: peak 30.9 MiB, activations of 4 microbatches");
        for (int width = 40; width < metrics.horizontalAdvance(text); width += 7) {
            const QString shown = ui::elidedAtWords(text, metrics, width);
            QVERIFY(metrics.horizontalAdvance(shown) <= width);
            QVERIFY2(shown == u"…" || (shown.endsWith(u'…') && text.startsWith(shown.chopped(1) + u' ')), qPrintable(shown));
        }
        QCOMPARE(ui::elidedAtWords(text, metrics, metrics.horizontalAdvance(text)), text);
        ui::ViewState state;
        state.setSpan(1000);
        ui::MemoryPlot plot(&state);
        plot.setContent({.profiles = profilesOf({profileOf({{0, 300}})}), .end = 1000, .capacity = 400, .activations = {4}});
        plot.resize(1200, 180);
        plot.show();
        QVERIFY(plot.toolTip().isEmpty());
        plot.resize(400, 180);
        QVERIFY2(plot.toolTip().contains(QStringLiteral("activations of 4 microbatches · capacity 400 B")),
                 qPrintable(plot.toolTip()));
    }

    void memoryFollowsTheSharedAxis()
    {
        ui::ViewState state;
        state.setSpan(1'000'000);
        ui::MemoryPlot plot(&state);
        plot.resize(900, 180);
        plot.show();
        plot.setContent({.profiles = profilesOf({profileOf({{0, 100}, {500'000, 0}})}), .end = 1'000'000});
        QWheelEvent event({500, 90}, {500, 90}, {}, {0, 480}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&plot, &event);
        QVERIFY(!state.isFitted());
        QTest::mouseMove(&plot, {400, 90});
        QCoreApplication::processEvents();
        QVERIFY(!plot.grab().isNull());
    }

    /// Arrow keys choose the device; Ctrl+C and the menu copy what it holds.
    void memoryIsCopiedAsText()
    {
        ui::ViewState state;
        state.setSpan(1000);
        ui::MemoryPlot plot(&state);
        plot.resize(900, 180);
        simulate::MemoryProfile fullest = profileOf({{0, 100}, {500, 300}});
        for (simulate::MemoryStep &step : fullest.steps)
            step.bytes[simulate::at(simulate::MemoryCategory::Parameters)] = 50;
        plot.setContent({.profiles = profilesOf({profileOf({{0, 100}}), fullest}),
                         .end = 1000,
                         .capacity = 400,
                         .caption = QStringLiteral("Predicted")});
        plot.show();
        QApplication::clipboard()->clear();
        QTest::keyClick(&plot, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text(),
                 QStringLiteral("Device 1: peak 350 B · capacity 400 B · Predicted\nparameters\t50 B\nactivations\t300 B\n"
                                "total\t350 B"));
        QTest::keyClick(&plot, Qt::Key_Down); // device 0
        QVERIFY(plot.accessibleDescription().startsWith(
            QStringLiteral("Device 0: peak 100 B · capacity 400 B; activations 100 B")));
        QTest::keyClick(&plot, Qt::Key_C, Qt::ControlModifier);
        QVERIFY(QApplication::clipboard()->text().startsWith(QStringLiteral("Device 0: peak 100 B")));
        QTest::keyClick(&plot, Qt::Key_Down);
        QTest::keyClick(&plot, Qt::Key_Down); // there is no third
        QVERIFY(plot.accessibleDescription().startsWith(QStringLiteral("Device 1")));
        QTest::keyClick(&plot, Qt::Key_Up);
        QVERIFY(plot.accessibleDescription().startsWith(QStringLiteral("Device 0")));
        QTest::keyClick(&plot, Qt::Key_Up);
        QVERIFY(plot.accessibleDescription().startsWith(QStringLiteral("Device 1"))); // the fullest
        copyByMenu(plot, {300, 100});
        const QString text = QApplication::clipboard()->text();
        QVERIFY2(text.contains(QStringLiteral("\tat the peak, 500 ns\tat ")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("\nactivations\t300 B\t100 B\ntotal\t350 B\t150 B")), qPrintable(text));
        // The ring is that of the Tab key, not of a click.
        QApplication::setActiveWindow(&plot); // which the menu was
        const QColor ring = ui::coloursFor(plot.palette()).focus;
        plot.setFocus(Qt::MouseFocusReason);
        QCOMPARE(plot.grab().toImage().pixelColor(1, 90) == ring, false);
        plot.clearFocus();
        plot.setFocus(Qt::TabFocusReason);
        QTRY_COMPARE(plot.grab().toImage().pixelColor(1, 90), ring);
    }

    void bubblesAndLossesAreCopiedAsText()
    {
        simulate::BubbleCauses causes;
        causes.fillAndDrain = 100;
        ui::BubblePlot bubble;
        bubble.resize(420, 200);
        bubble.setBubbles(twoDevices(), causes, QStringLiteral("Predicted"));
        bubble.show();
        QTest::keyClick(&bubble, Qt::Key_C, Qt::ControlModifier);
        const QString bubbles =
            QStringLiteral("Bubble 50 % of all devices' time · Predicted\nfill and drain\t50 %\nunequal stages\t0 %\n"
                           "vocabulary layers\t0 %\nbarriers and messages\t0 %\nidle of device 0\t25 %\n"
                           "idle of device 1\t75 %");
        QCOMPARE(QApplication::clipboard()->text(), bubbles);
        ui::LossPlot loss;
        loss.resize(420, 180);
        loss.setCurves({{QStringLiteral("run 1"), {9.0, 8.25}}, {QStringLiteral("run 2"), {9.5}}}, std::nullopt);
        loss.show();
        copyByMenu(loss, {100, 100});
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("step\trun 1\trun 2\n1\t9\t9.5\n2\t8.25\t"));
        bubble.setBubbles({}, std::nullopt, {});
        QTest::keyClick(&bubble, Qt::Key_C, Qt::ControlModifier); // nothing replaces what was copied
        QVERIFY(QApplication::clipboard()->text().startsWith(QStringLiteral("step")));
    }

    void emptyPlotsSayASentence()
    {
        ui::ViewState state;
        ui::MemoryPlot memory(&state);
        ui::BubblePlot bubble;
        ui::LossPlot loss;
        ui::ExpertPlot experts;
        for (QWidget *plot : std::initializer_list<QWidget *>{&memory, &bubble, &loss, &experts}) {
            plot->resize(500, 160);
            const QImage image = plot->grab().toImage();
            QVERIFY(pixelsOf(image, ui::coloursFor(plot->palette()).background) < image.width() * image.height());
            QVERIFY(!plot->accessibleName().isEmpty());
        }
    }

    /// The share of each device has its bar, or a cell where there is no height for bars.
    void eachDeviceShowsItsBubble()
    {
        simulate::Metrics metrics = twoDevices();
        simulate::BubbleCauses causes;
        causes.fillAndDrain = 100;
        ui::BubblePlot plot;
        for (const int height : {110, 300}) {
            plot.resize(600, height);
            plot.setBubbles(metrics, causes, QStringLiteral("Predicted"));
            const QColor idle = ui::coloursFor(plot.palette()).idle;
            const int one = pixelsOf(plot.grab().toImage(), idle);
            metrics.bubbleRatioPerDevice = {0, 0};
            plot.setBubbles(metrics, causes, QStringLiteral("Predicted"));
            QVERIFY2(one > pixelsOf(plot.grab().toImage(), idle) + 1000, qPrintable(QString::number(height)));
            metrics.bubbleRatioPerDevice = {0.25, 0.75};
        }
    }

    void bubblesAreSaidInWords()
    {
        const simulate::Metrics metrics = twoDevices();
        simulate::BubbleCauses causes;
        causes.fillAndDrain = 20;
        causes.vocabularyLayers = 80;
        ui::BubblePlot plot;
        plot.resize(420, 200);
        plot.setBubbles(metrics, causes, QStringLiteral("Predicted"));
        QCOMPARE(plot.accessibleDescription(),
                 QStringLiteral("50 % of all devices' time; fill and drain 10 %; unequal stages 0 %; "
                                "vocabulary layers 40 %; barriers and messages 0 %"));
        const ui::Colours &colours = ui::coloursFor(plot.palette());
        const QImage image = plot.grab().toImage();
        QVERIFY(pixelsOf(image, colours.causes[2]) > 2 * pixelsOf(image, colours.causes[3]));
        plot.setBubbles({}, std::nullopt, {});
        QVERIFY(!plot.grab().isNull());
    }

    /// What no pass hides of all-to-alls is beside the bubble, in a colour of its own.
    void exposedAllToAllsArePartOfTheBar()
    {
        simulate::Metrics metrics = twoDevices();
        metrics.expertPerDevice = {30, 20};
        simulate::BubbleCauses causes;
        causes.fillAndDrain = 100;
        ui::BubblePlot plot;
        plot.resize(420, 200);
        plot.setBubbles(metrics, causes, QStringLiteral("Predicted"));
        QVERIFY2(plot.accessibleDescription().endsWith(QStringLiteral("; all-to-alls of experts, inside passes 25 %")),
                 qPrintable(plot.accessibleDescription()));
        const ui::Colours &colours = ui::coloursFor(plot.palette());
        const QImage image = plot.grab().toImage();
        const int ofExperts = pixelsOf(image, colours.expert);
        const int ofBubble = pixelsOf(image, colours.causes[0]);
        QVERIFY2(ofExperts > ofBubble / 3 && ofExperts < ofBubble,
                 qPrintable(QStringLiteral("%1 %2").arg(ofExperts).arg(ofBubble)));
    }

    /// Two layers, the second with a busiest expert that has all rows; a dense layer between them is not drawn.
    void loadsOfExpertsAreDrawn()
    {
        using timeline::RouterStep;
        const auto stepOf = [](int step, std::int64_t moved) {
            return std::make_shared<const RouterStep>(
                RouterStep{step, {{{25, 25, 25, 25}, 0, 50 * std::log(4.0), 50}, {}, {{100 - moved, moved, 0, 0}, 10, 0, 50}}});
        };
        ui::ExpertPlot plot;
        plot.resize(700, 180);
        plot.setSteps({stepOf(0, 0), stepOf(1, 50)}, 1, QStringLiteral("run 7"));
        QCOMPARE(plot.accessibleDescription(),
                 QStringLiteral("run 7: the busiest expert of step 2 has 2.0x the mean of its layer"));
        QVERIFY(plot.textAt({0, 0}).isEmpty());
        QStringList texts;
        for (int y = 0; y < plot.height(); ++y)
            for (int x = 0; x < plot.width(); ++x)
                if (const QString text = plot.textAt({x, y}); !text.isEmpty() && !texts.contains(text))
                    texts << text;
        QCOMPARE(texts.size(), 2 * 2 * 4); // steps, layers, experts
        QVERIFY2(texts.contains(QStringLiteral("step 1, layer 2, expert 0: 100 rows, 4.0x the mean of its layer; entropy 0.0 % "
                                               "of the greatest; 10 rows of the layer dropped")),
                 qPrintable(texts.join(u'\n')));
        QVERIFY(
            texts.contains(QStringLiteral("step 2, layer 0, expert 3: 25 rows, 1.00x the mean of its layer; entropy 100.0 % "
                                          "of the greatest")));
        plot.show();
        QTest::keyClick(&plot, Qt::Key_C, Qt::ControlModifier);
        QVERIFY2(QApplication::clipboard()->text().contains(
                     QStringLiteral("\nlayer\texpert 0\texpert 1\texpert 2\texpert 3\n0\t1.00x\t1.00x\t1.00x\t1.00x\n"
                                    "2\t2.0x\t2.0x\t0.00x\t0.00x\n")),
                 qPrintable(QApplication::clipboard()->text()));
        plot.hide();
        const QImage uneven = plot.grab().toImage();
        plot.setSteps({stepOf(0, 0), stepOf(1, 50)}, 2, QStringLiteral("run 7")); // two ranks with two experts each
        QCOMPARE(plot.accessibleDescription(),
                 QStringLiteral("run 7: the busiest expert rank of step 2 has 2.0x the mean of its layer"));
        QVERIFY(plot.grab().toImage() != uneven);
        // Many steps and experts are drawn as fewer, and none of their rows is lost.
        std::vector<timeline::RouterStepPtr> many;
        for (int step = 0; step < 5000; ++step)
            many.push_back(std::make_shared<const RouterStep>(
                RouterStep{step, std::vector<timeline::RouterCounts>(8, {std::vector<std::int64_t>(128, 3), 0, 1, 1})}));
        plot.setSteps(many, 1, QStringLiteral("run 8"));
        const QString text = plot.textAt({plot.width() / 4, plot.height() / 2});
        QVERIFY2(text.startsWith(u"steps ") && text.contains(u": 30 rows, 1.00x"), qPrintable(text)); // 5 steps, 2 experts
        plot.setSteps({}, 1, {});
        QVERIFY(plot.textAt({200, 90}).isEmpty());
    }

    void lossStandsTheUnexpected()
    {
        ui::LossPlot plot;
        plot.resize(420, 180);
        plot.setCurves({{QStringLiteral("run 1"), {9.0}}}, std::log(8192));
        QVERIFY(!plot.grab().isNull());
        plot.setCurves({{QStringLiteral("run 1"), {9.0, 8.0, std::nan("")}}, {QStringLiteral("run 2"), {}}}, std::nullopt);
        QVERIFY(!plot.grab().isNull());
        plot.setCurves({{QStringLiteral("run 1"), {9.0, 7.5}}}, std::log(8192));
        QCOMPARE(plot.accessibleDescription(), QStringLiteral("run 1: 7.500"));
        plot.setCurves({}, std::nullopt);
        QVERIFY(!plot.grab().isNull());
    }

    /// Steps whose gradients overflowed have a cross; those beyond the losses, or without a loss, have none.
    void skippedStepsHaveACross()
    {
        ui::LossPlot plot;
        plot.resize(420, 180);
        const auto curveWith = [&](std::vector<int> skipped) {
            plot.setCurves({{.name = QStringLiteral("run 1"),
                             .losses = {9.0, 9.0, 8.0, std::nan(""), 7.5},
                             .skipped = std::move(skipped)}},
                           std::nullopt);
            return plot.grab().toImage().copy(0, 40, 420, 140); // below the words
        };
        const QImage none = curveWith({});
        const QImage one = curveWith({1});
        QCOMPARE(plot.accessibleDescription(), QStringLiteral("run 1: 7.500 · × steps skipped: 1"));
        QVERIFY(one != none);
        QVERIFY(curveWith({1, 2}) != one);
        QCOMPARE(curveWith({3, 99, -1}), none);
        QCOMPARE(plot.accessibleDescription(), QStringLiteral("run 1: 7.500 · × steps skipped: 3"));
    }
};

STAGELENS_TEST(PlotsWidgets)

} // namespace ui_plots_widgets

#include "plots_widgets.moc"
