// Range statistics, search, minimap, messages, colours and differences: what one asks the timeline for.
#include "engine/simulate/idle_causes.h"
#include "tests/support/test_program.h"
#include "tests/support/ui_test.h"
#include "tests/ui/lane_groups.h"
#include "ui/canvas/colours.h"
#include "ui/canvas/qcp.h"
#include "ui/state/view_state.h"
#include "ui/timeline/pass_search.h"

#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>

#include <array>
#include <map>

namespace ui_timeline_tools {

using namespace stagelens;
using ui::TimelineContent;
using ui::TimelineView;
using ui::ViewState;

class TimelineTools : public QObject {
    Q_OBJECT

    std::unique_ptr<ViewState> m_state;
    std::unique_ptr<TimelineView> m_view;

    void show(TimelineContent content)
    {
        m_view->setContent(std::move(content));
        QCoreApplication::processEvents();
    }
    QColor colourAt(int group, timeline::SliceId slice)
    {
        const QRect place = m_view->placeOf(group, slice);
        const QPointF inside(place.center().x(), place.top() + 4);
        return m_view->grab().toImage().pixelColor((inside * m_view->devicePixelRatioF()).toPoint());
    }
    void drag(QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mousePress(m_view.get(), Qt::LeftButton, modifiers, from);
        QTest::mouseMove(m_view.get(), to);
        QTest::mouseRelease(m_view.get(), Qt::LeftButton, modifiers, to);
        QCoreApplication::processEvents();
    }

private slots:
    void init()
    {
        test::failOnWarnings();
        m_state = std::make_unique<ViewState>();
        m_view = std::make_unique<TimelineView>(m_state.get());
        m_view->resize(1000, 420);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    void cleanup()
    {
        m_view.reset();
        m_state.reset();
    }

    void aPeriodicScheduleIsPaintedWithoutARhythm()
    {
        // 8 x 128 of 1F1B: passes of about 2, 4 and 7 pixels, and lanes of any height.
        const ui::LaneGroup group = test::makeGroup(8, 128, model::VocabularyMethod::None);
        for (const QSize size : {QSize(1000, 420), QSize(1161, 420), QSize(1337, 150)}) {
            m_view->resize(size);
            TimelineContent content;
            content.groups = {group};
            show(std::move(content));
            const QImage image = m_view->grab().toImage();
            const QColor forward = ui::coloursFor(m_view->palette()).pass(schedule::PassKind::F);
            const QColor backward = ui::coloursFor(m_view->palette()).pass(schedule::PassKind::B);
            const QRect first = m_view->placeOf(0, {0, 0});
            const QRect last = m_view->placeOf(0, {0, 255});
            for (int device = 0; device < 8; ++device) {
                const QRect lane = m_view->placeOf(0, {device, 0});
                const int middle = (first.left() + last.right()) / 2;
                const auto painted = [&](int x, const QColor &colour) {
                    int count = 0;
                    for (int y = lane.top(); y <= lane.bottom(); ++y)
                        count += image.pixelColor(x, y) == colour ? 1 : 0;
                    return count;
                };
                for (int x = middle - 200; x < middle + 200; ++x)
                    QCOMPARE(image.pixelColor(x, lane.bottom()), image.pixelColor(middle, lane.bottom()));
                for (const QColor &colour : {forward, backward}) {
                    const int expected = painted(middle, colour);
                    for (int x = middle - 200; x < middle + 200; ++x)
                        QVERIFY2(std::abs(painted(x, colour) - expected) <= 1,
                                 qPrintable(QStringLiteral("device %1 at %2: %3 pixels instead of %4 in %5 x %6")
                                                .arg(device)
                                                .arg(x)
                                                .arg(painted(x, colour))
                                                .arg(expected)
                                                .arg(size.width())
                                                .arg(size.height())));
                }
            }
        }
    }

    void otherColoursHaveNoRhythmOfTheirOwnEither_data()
    {
        QTest::addColumn<ui::ColourBy>("by");
        QTest::addColumn<int>("pixels");
        QTest::addColumn<int>("height");
        // Of the eight colours' repetition, 8 rounds of F and B: passes of 1.4 and 2.9 pixels, 0.5 and 1.1, far below one.
        for (const int pixels : {58, 22, 6, 2})
            QTest::addRow("microbatches, %d pixels", pixels) << ui::ColourBy::Microbatch << pixels << 420;
        QTest::newRow("microbatches, low lanes") << ui::ColourBy::Microbatch << 18 << 110;
        QTest::newRow("chunks") << ui::ColourBy::Chunk << 22 << 420;
        QTest::newRow("slack") << ui::ColourBy::Slack << 22 << 420;
        QTest::newRow("slack, low lanes") << ui::ColourBy::Slack << 58 << 110;
    }

    void otherColoursHaveNoRhythmOfTheirOwnEither()
    {
        QFETCH(ui::ColourBy, by);
        QFETCH(int, pixels);
        QFETCH(int, height);
        constexpr int kDevices = 8;
        constexpr base::Nanos kUnit = 1'000'000;
        constexpr base::Nanos kRepetition = 8 * 5 * kUnit; // eight rounds, each of F and B on the last device
        m_view->resize(1000, height);
        TimelineContent content;
        content.groups = {test::makeGroup(kDevices, 8192, model::VocabularyMethod::None, kUnit)};
        content.colourBy = by;
        const auto why = std::make_shared<simulate::Explanation>();
        for (const timeline::Lane &lane : content.groups[0].timeline->lanes) {
            simulate::LaneWaits waits;
            for (const schedule::Pass &pass : lane.pass)
                waits.slack.push_back(pass.kind == schedule::PassKind::F ? 0 : content.groups[0].timeline->makespan());
            waits.isCritical.assign(lane.size(), 0);
            why->path.lanes.push_back(waits);
        }
        content.groups[0].why = why;
        show(content);
        const QRect axis = m_view->findChild<QCustomPlot *>()->axisRect()->rect();
        const base::Nanos begin = m_state->span() / 3;
        m_state->setRange(begin, begin + kRepetition * axis.width() / pixels);
        QCoreApplication::processEvents();
        const QImage image = m_view->grab().toImage();
        const QRgb lane = ui::colours(false).lane.rgb();
        const QRgb grid = ui::colours(false).grid.rgb();         // marks of time have their own period
        const int from = axis.left() + axis.width() / 4 / 6 * 6; // on the grid of columns
        for (int device = 0; device < kDevices; ++device) {
            const timeline::Lane &passes = content.groups[0].timeline->lanes[static_cast<std::size_t>(device)];
            const QRect place = m_view->placeOf(0, {device, timeline::firstEndingAfter(passes, m_state->begin())});
            QVERIFY(device > 0 || place.height() > 0);
            if (!image.rect().contains(place)) // the lanes are scrolled
                continue;
            std::map<QRgb, int> sums;
            for (int x = from; x < from + pixels; ++x) {
                for (int y = place.top(); y <= place.bottom(); ++y) {
                    const QRgb colour = image.pixel(x, y);
                    ++sums[colour];
                    if (colour == lane || colour == grid)
                        continue;
                    // A period later the picture is the same, but for one pixel of a column's rounding.
                    if (image.pixel(x, y - 1) == colour && image.pixel(x, y + 1) == colour)
                        QVERIFY2(std::ranges::any_of(std::array{-1, 0, 1},
                                                     [&](int near) { return image.pixel(x + pixels, y + near) == colour; }),
                                 qPrintable(QStringLiteral("device %1 at %2, %3").arg(device).arg(x).arg(y)));
                }
            }
            if (by != ui::ColourBy::Microbatch || height < 200)
                continue;
            // Each microbatch has F and B, so each colour has as much of the picture.
            const double expected = (device + 1 == kDevices ? 5.0 : 3.0) / 40 * pixels * place.height();
            for (const QColor &colour : ui::colours(false).microbatches)
                QVERIFY2(std::abs(sums[colour.rgb()] - expected) <= expected / 8 + std::min(pixels, 6) / 2.0, // of rounding
                         qPrintable(QStringLiteral("device %1: %2 has %3 pixels and not %4")
                                        .arg(device)
                                        .arg(colour.name())
                                        .arg(sums[colour.rgb()])
                                        .arg(expected)));
        }
    }

    /// M keeps a range as a bar on the ruler, to which a click and Shift+M lead back.
    void rangesAreBookmarked()
    {
        TimelineContent content;
        content.groups = {test::makeGroup(4, 8, model::VocabularyMethod::None)};
        show(content);
        const QImage plain = m_view->grab().toImage();
        m_state->setMark(4'000'000, 6'000'000);
        QTest::keyClick(m_view.get(), Qt::Key_M);
        m_state->setMark(20'000'000, 22'000'000);
        QTest::keyClick(m_view.get(), Qt::Key_M);
        const std::vector<ViewState::Mark> both{{4'000'000, 6'000'000}, {20'000'000, 22'000'000}};
        QCOMPARE(m_state->bookmarks(), both);
        m_state->clearMark();
        const QImage barred = m_view->grab().toImage();
        int bar = -1; // a place of the first bar, by what changed
        int line = -1;
        for (int y = 0; y < plain.height() && bar < 0; ++y)
            for (int x = 0; x < plain.width() && bar < 0; ++x)
                if (plain.pixel(x, y) != barred.pixel(x, y))
                    bar = x + 3, line = y + 2;
        QVERIFY(bar > 0);
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, QPoint(bar, line));
        QCOMPARE(m_state->mark(), std::optional(both[0]));
        QVERIFY(m_state->begin() < 4'000'000 && m_state->begin() > 3'000'000 && m_state->end() > 6'000'000);
        QTest::keyClick(m_view.get(), Qt::Key_M, Qt::ShiftModifier);
        QCOMPARE(m_state->mark(), std::optional(both[1]));
        QTest::keyClick(m_view.get(), Qt::Key_M, Qt::ShiftModifier);
        QCOMPARE(m_state->mark(), std::optional(both[0])); // round
        QTest::keyClick(m_view.get(), Qt::Key_M);
        QCOMPARE(m_state->bookmarks(), std::vector{both[1]});
        m_state->clearMark();
        m_state->fit();
        m_state->setRange(1'000'000, 3'000'000);
        QTest::keyClick(m_view.get(), Qt::Key_M); // nothing is marked: what is visible
        QCOMPARE(m_state->bookmarks().front(), (ViewState::Mark{m_state->begin(), m_state->end()}));
    }

    /// P and a click left of the name keep a lane at the top while the others scroll.
    void lanesArePinned()
    {
        TimelineContent content;
        content.groups = {test::makeGroup(48, 48, model::VocabularyMethod::None)};
        show(content);
        for (int i = 0; i < 12; ++i)
            QTest::keyClick(m_view.get(), Qt::Key_Plus, Qt::ControlModifier), QCoreApplication::processEvents();
        const auto place = [this](int device) {
            QCoreApplication::processEvents(); // drawing is queued
            return m_view->placeOf(0, {device, 0});
        };
        const QRect first = place(0);
        QVERIFY(!m_view->rect().contains(place(20).center())); // the lanes scroll
        m_view->showLane(24);
        const QRect seen = place(20);
        QVERIFY2(m_view->rect().contains(seen.center()), qPrintable(QString::number(seen.y())));
        QTest::mouseMove(m_view.get(), seen.center());
        QTest::keyClick(m_view.get(), Qt::Key_P);
        QCOMPARE(m_state->pinned(), std::vector{20});
        QCOMPARE(place(20).top(), first.top());
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, QPoint(5, place(22).center().y()));
        QCOMPARE(m_state->pinned(), (std::vector{20, 22}));
        const int second = place(22).top();
        QVERIFY(second > first.top());
        for (int page = 0; page < 40; ++page) {
            QTest::keyClick(m_view.get(), Qt::Key_PageUp);
            QCOMPARE(place(20).top(), first.top());
            QCOMPARE(place(22).top(), second);
        }
        // The others begin below them, whole, and can all be reached with the arrows.
        QVERIFY(place(0).top() > place(22).bottom());
        const QRect lane = place(22);
        m_state->select(ViewState::Selection{0, {0, 0}});
        for (int device = 1; device < 48; ++device) {
            if (device == 20 || device == 22)
                continue; // these come first
            QTest::keyClick(m_view.get(), Qt::Key_Down);
            QCOMPARE(m_state->selection()->slice.device, device);
            const QRect here = place(device);
            QVERIFY2(here.top() > lane.bottom() && here.bottom() < m_view->height(), qPrintable(QString::number(device)));
        }
        for (int device = 46; device >= 0; --device)
            if (device != 20 && device != 22) {
                QTest::keyClick(m_view.get(), Qt::Key_Up);
                QVERIFY2(place(device).top() > lane.bottom(), qPrintable(QString::number(device)));
            }
        QVERIFY(m_view->describe(QPoint(5, lane.center().y())).contains(QStringLiteral("Device 22 is pinned")));
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, QPoint(5, lane.center().y()));
        QCOMPARE(m_state->pinned(), std::vector{20});
        m_state->select(ViewState::Selection{0, {20, 0}});
        QTest::mouseMove(m_view.get(), QPoint(m_view->width() / 2, 2)); // no lane there: that of the selection
        QTest::keyClick(m_view.get(), Qt::Key_P);
        QVERIFY(m_state->pinned().empty());
        QCOMPARE(place(0).top(), first.top());
        // More pins than there is room for: the others keep a third of the height.
        for (int device = 0; device < 48; ++device)
            m_state->togglePinned(device);
        QVERIFY(m_view->rect().contains(place(0).center()));
        m_view->showLane(47);
        const QRect last = place(47);
        QVERIFY(m_view->rect().contains(last.center()));
        QCOMPARE(place(0).top(), first.top());
    }

    void aDragWithShiftMarksARange()
    {
        TimelineContent content;
        content.groups = {test::makeGroup(4, 8, model::VocabularyMethod::None)};
        show(content);
        // Device 0 begins with four forwards of 1 ms each.
        const QRect first = m_view->placeOf(0, {0, 0});
        const QRect last = m_view->placeOf(0, {0, 3});
        drag({first.left(), first.center().y()}, {last.right() + 1, first.center().y()}, Qt::ShiftModifier);
        QVERIFY(m_state->mark().has_value());
        QVERIFY(std::abs(m_state->mark()->end - 4'000'000) < 150'000);
        m_state->setMark(0, 4'000'000);
        const QString text = m_view->describeSelection();
        QVERIFY2(text.startsWith(QStringLiteral("Range 0 ns to 4 ms: 4 ms")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("Device 0: busy 100 %")), qPrintable(text));
        // 4 + 3 + 2 of the 16 ms are F, and one ms of device 3 with half of it in the output layer.
        QVERIFY2(text.contains(QStringLiteral("10 passes, busy 62 %, idle 38 %")) ||
                     text.contains(QStringLiteral("10 passes, busy 63 %, idle 37 %")) ||
                     text.contains(QStringLiteral("10 passes, busy 63 %, idle 38 %")),
                 qPrintable(text));
        QTest::keyClick(m_view.get(), Qt::Key_F);
        QVERIFY(m_state->begin() <= 0 && m_state->end() < m_state->span());
        QTest::keyClick(m_view.get(), Qt::Key_Escape);
        QVERIFY(!m_state->mark());
        m_state->setMark(9, 3);
        QCOMPARE(*m_state->mark(), (ViewState::Mark{3, 9}));
        m_state->select(ViewState::Selection{0, {0, 0}});
        QVERIFY(!m_state->mark());
    }

    void theMinimapFollowsTheLanesAndNothingElse()
    {
        TimelineContent content;
        content.groups = {test::makeGroup(4, 8, model::VocabularyMethod::None)};
        show(content);
        m_state->zoom(m_state->span() / 2, 4);
        // The uncovered part of the picture's last lines, where the minimap stands.
        const auto corner = [this] {
            QCoreApplication::processEvents();
            return m_view->grab(QRect(m_view->width() - 150, m_view->height() - 30, 140, 26)).toImage();
        };
        const QImage before = corner();
        content.ghost = ui::EndFlag{content.groups[0].timeline->iteration() / 2, QStringLiteral("VOCAB-2")};
        show(content);
        QCOMPARE(corner(), before);
        const base::Nanos end = content.groups[0].timeline->iteration();
        auto shorter = std::make_shared<timeline::Timeline>(*content.groups[0].timeline);
        for (timeline::Lane &lane : shorter->lanes)
            lane.begin.resize(1), lane.end.resize(1), lane.pass.resize(1), lane.vocabulary.clear();
        content.groups[0].timeline = shorter;
        content.baseline = ui::EndFlag{end, {}}; // the span stays
        show(content);
        QVERIFY(corner() != before);
    }

    void aDragOnTheRulerMarksToo()
    {
        TimelineContent content;
        content.groups = {test::makeGroup(4, 8, model::VocabularyMethod::None)};
        show(content);
        const int ruler = 2 * m_view->fontMetrics().height() + 20;
        const base::Nanos begin = m_state->begin();
        drag({400, ruler}, {600, ruler});
        QVERIFY(m_state->mark().has_value());
        QCOMPARE(m_state->begin(), begin);
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, {500, ruler});
        QVERIFY(!m_state->mark());
    }

    void queriesAreUnderstood_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("found"); // -1: not understood
        QTest::newRow("kind and microbatch") << QStringLiteral("B 3") << 4;
        QTest::newRow("together") << QStringLiteral("b3") << 4;
        QTest::newRow("stage") << QStringLiteral("stage 2") << 16;
        QTest::newRow("device and kind") << QStringLiteral("F device 1") << 8;
        QTest::newRow("short") << QStringLiteral("d1 m7") << 2;
        QTest::newRow("number alone") << QStringLiteral("5") << 8;
        QTest::newRow("none there") << QStringLiteral("W 1") << 0;
        QTest::newRow("far") << QStringLiteral("stage 99999") << 0;
        QTest::newRow("word") << QStringLiteral("hello") << -1;
        QTest::newRow("unfinished") << QStringLiteral("stage") << -1;
        QTest::newRow("huge") << QStringLiteral("99999999999999999999") << -1;
        QTest::newRow("empty") << QString() << -1;
    }
    void queriesAreUnderstood()
    {
        QFETCH(QString, text);
        QFETCH(int, found);
        const auto group = test::makeGroup(4, 8, model::VocabularyMethod::None);
        const auto query = ui::parseQuery(text);
        QCOMPARE(query ? static_cast<int>(ui::findPasses(*group.timeline, *query).size()) : -1, found);
    }

    void searchWalksThroughTheMatches()
    {
        TimelineContent content;
        content.groups = {test::makeGroup(4, 8, model::VocabularyMethod::None)};
        show(content);
        QTest::keyClick(m_view.get(), Qt::Key_Slash);
        auto *edit = m_view->findChild<QLineEdit *>(QStringLiteral("search.text"));
        auto *count = m_view->findChild<QLabel *>(QStringLiteral("search.count"));
        QVERIFY(edit->isVisible());
        edit->setFocus();
        QTest::keyClicks(edit, QStringLiteral("F 2"));
        QCOMPARE(count->text(), QStringLiteral("1 of 4 passes"));
        QCOMPARE(m_state->selection()->slice.device, 0);
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(m_state->selection()->slice.device, 1);
        QTest::keyClick(edit, Qt::Key_Return, Qt::ShiftModifier);
        QTest::keyClick(edit, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(m_state->selection()->slice.device, 3);
        QTest::keyClicks(edit, QStringLiteral(" zebra"));
        QCOMPARE(count->text(), QStringLiteral("write B 17 or stage 3"));
        QTest::keyClick(edit, Qt::Key_Escape);
        QVERIFY(!edit->isVisible());
    }

    void theMinimapStandsThereWhileZoomedAndMovesTheView()
    {
        TimelineContent content;
        content.groups = {test::makeGroup(4, 16, model::VocabularyMethod::None)};
        show(content);
        const QPoint place(900, m_view->height() - 15);
        const base::Nanos fitted = m_state->begin();
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, place);
        QCOMPARE(m_state->begin(), fitted); // nothing is there yet
        m_state->zoom(0, 8);
        QCoreApplication::processEvents();
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, place);
        const base::Nanos middle = (m_state->begin() + m_state->end()) / 2;
        QVERIFY(middle > m_state->span() * 3 / 4);
    }

    void messagesAreExplained()
    {
        TimelineContent content;
        auto group = test::makeGroup(4, 4, model::VocabularyMethod::None);
        timeline::Timeline with = *group.timeline;
        with.transfers = {{1'000'000, 1'500'000, 0, 0, 1, schedule::Transfer::Send},
                          {1'200'000, 1'700'000, 1, 0, 1, schedule::Transfer::Send},
                          {2'000'000, 2'400'000, 0, 3, -1, schedule::Transfer::BroadcastX}};
        group.timeline = std::make_shared<const timeline::Timeline>(with);
        content.groups = {group};
        show(content);
        const QRect lane = m_view->placeOf(0, {1, 0});
        const double nanos = static_cast<double>(m_view->placeOf(0, {0, 0}).width()) / 1e6;
        const int left = m_view->placeOf(0, {0, 0}).left();
        const auto at = [&](double time) { return QPoint(left + static_cast<int>(time * nanos), lane.bottom() + 5); };
        const QString both = m_view->describe(at(1'350'000));
        QVERIFY2(both.startsWith(QStringLiteral("Message of microbatch 0, device 0 to device 1")), qPrintable(both));
        QVERIFY2(both.contains(QStringLiteral("Message of microbatch 1")), qPrintable(both));
        QVERIFY(m_view->describe(at(2'200'000)).contains(QStringLiteral("all devices")));
        QVERIFY(m_view->describe(at(3'500'000)).startsWith(QStringLiteral("Nothing is on its way to device 1")));
    }

    void aWaitIsSplitIntoWaitingAndTransfer()
    {
        TimelineContent content;
        auto group = test::makeGroup(4, 4, model::VocabularyMethod::None);
        timeline::Timeline late = *group.timeline;
        for (std::size_t device = 1; device < 4; ++device) { // 0.5 ms for each message
            for (base::Nanos &time : late.lanes[device].begin)
                time += 500'000 * static_cast<base::Nanos>(device);
            for (base::Nanos &time : late.lanes[device].end)
                time += 500'000 * static_cast<base::Nanos>(device);
        }
        group.timeline = std::make_shared<const timeline::Timeline>(late);
        content.groups = {group};
        show(content);
        const QString text = m_view->describe(m_view->placeOf(0, {1, 0}).center());
        QVERIFY2(
            text.contains(QStringLiteral("Waited 1.5 ms for F 0 on device 0: 1 ms until it ended, 500 µs for its message")),
            qPrintable(text));
    }

    void hoverTellsTheDifferenceOfPredictedAndMeasured()
    {
        const auto predicted = test::makeGroup(4, 8, model::VocabularyMethod::None);
        TimelineContent content;
        content.groups = {predicted, test::measured(predicted)};
        show(content);
        const QString text = m_view->describe(m_view->placeOf(1, {1, 4}).center());
        QVERIFY2(text.contains(QStringLiteral(": +10 %; begins ")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("later than predicted")), qPrintable(text));
        content.groups[1].faded = true; // of another plan: no error figures
        show(content);
        QVERIFY(!m_view->describe(m_view->placeOf(1, {1, 4}).center()).contains(QStringLiteral("later")));
    }

    void coloursMeanWhatIsAskedFor()
    {
        const ui::Colours &palette = ui::colours(false);
        TimelineContent content;
        content.groups = {test::makeGroup(4, 8, model::VocabularyMethod::None)};
        show(content);
        QCOMPARE(colourAt(0, {1, 2}), palette.pass(schedule::PassKind::F));
        content.colourBy = ui::ColourBy::Microbatch;
        show(content);
        QCOMPARE(colourAt(0, {0, 3}), palette.microbatches[3]);
        content.colourBy = ui::ColourBy::Chunk;
        show(content);
        QCOMPARE(colourAt(0, {0, 3}), palette.microbatches[0]);
        // The middle of an idle-free chain has no slack.
        auto why = std::make_shared<simulate::Explanation>();
        for (const timeline::Lane &lane : content.groups[0].timeline->lanes) {
            simulate::LaneWaits waits;
            waits.bound.resize(lane.size());
            waits.slack.assign(lane.size(), content.groups[0].timeline->makespan());
            waits.isCritical.assign(lane.size(), 0);
            why->path.lanes.push_back(waits);
        }
        why->path.lanes[0].slack[0] = 0;
        why->path.lanes[0].isCritical[0] = 1;
        content.groups[0].why = why;
        content.colourBy = ui::ColourBy::Slack;
        show(content);
        QCOMPARE(colourAt(0, {0, 0}), palette.slack.front());
        QCOMPARE(colourAt(0, {0, 3}), palette.slack.back());
        QVERIFY(m_view->describe(m_view->placeOf(0, {0, 0}).center()).contains(QStringLiteral("On the critical path")));
    }

    void theCriticalPathRunsThroughItsLanes()
    {
        using Step = simulate::PathStep;
        constexpr base::Nanos kPass = 1'000'000;
        TimelineContent content;
        content.groups = {test::makeGroup(4, 8, model::VocabularyMethod::None)};
        const auto why = std::make_shared<simulate::Explanation>();
        why->path.steps = {Step{.kind = Step::Kind::Pass, .begin = 0, .end = kPass, .slice = {0, 0}, .to = {}},
                           Step{.kind = Step::Kind::Transfer, .begin = kPass, .end = kPass, .slice = {0, 0}, .to = {1, 0}},
                           Step{.kind = Step::Kind::Pass, .begin = kPass, .end = 2 * kPass, .slice = {1, 0}, .to = {}}};
        content.groups[0].why = why;
        const QColor alarm = ui::coloursFor(m_view->palette()).alarm;
        // Pixels of the line where it runs along the first pass, from lane to lane, and along a pass that it leaves out.
        const auto pixels = [&](bool shown) {
            content.critical = shown;
            show(content);
            const QImage picture = m_view->grab().toImage();
            const QRect from = m_view->placeOf(0, {0, 0});
            const QRect to = m_view->placeOf(0, {1, 0});
            const QRect out = m_view->placeOf(0, {2, 0});
            std::array<int, 3> found{};
            for (int near = -3; near <= 3; ++near) {
                found[0] += picture.pixelColor(from.left() + 4, from.bottom() - 3 + near) == alarm ? 1 : 0;
                found[1] += picture.pixelColor(to.left() + near, (from.bottom() + to.top()) / 2) == alarm ? 1 : 0;
                found[2] += picture.pixelColor(out.left() + 4, out.bottom() - 3 + near) == alarm ? 1 : 0;
            }
            return found;
        };
        QCOMPARE(pixels(false), (std::array{0, 0, 0}));
        const auto shown = pixels(true);
        QVERIFY2(shown[0] > 0 && shown[1] > 0 && shown[2] == 0,
                 qPrintable(QStringLiteral("%1 %2 %3").arg(shown[0]).arg(shown[1]).arg(shown[2])));
        // So many jumps that each is narrower than a pixel: the lanes are marked all the same.
        why->path.steps.clear();
        for (base::Nanos time = 0; time < 8 * kPass; time += 100)
            why->path.steps.push_back(Step{.kind = Step::Kind::Pass,
                                           .begin = time,
                                           .end = time + 100,
                                           .slice = {static_cast<std::int32_t>(time / 100 % 2), 0},
                                           .to = {}});
        QVERIFY(pixels(true)[0] > 0);
    }

    void chunksAreLighterAndPairsStandOverEachOther()
    {
        QVERIFY(ui::chunkShade(Qt::blue, 1).lightnessF() > QColor(Qt::blue).lightnessF());
        QCOMPARE(ui::chunkShade(Qt::blue, 0), QColor(Qt::blue));
        QCOMPARE(ui::chunkLetter(2), QChar(u'c'));
        auto group = test::makeGroup(2, 4, model::VocabularyMethod::None);
        timeline::Timeline paired = *group.timeline;
        std::size_t first = 1;
        while (paired.lanes[1].end[first] != paired.lanes[1].begin[first + 1])
            ++first;
        paired.lanes[1].pass[first].pairedWithNext = true;
        group.timeline = std::make_shared<const timeline::Timeline>(paired);
        TimelineContent content;
        content.groups = {group};
        show(content);
        const QRect upper = m_view->placeOf(0, {1, first});
        const QRect lower = m_view->placeOf(0, {1, first + 1});
        QCOMPARE(upper.left(), lower.left());
        QCOMPARE(upper.right(), lower.right());
        QVERIFY(lower.top() >= upper.bottom() - 1);
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, lower.center());
        QCOMPARE(m_state->selection()->slice.index, first + 1);
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, {upper.right() - 3, upper.center().y()});
        QCOMPARE(m_state->selection()->slice.index, first);
    }
};

STAGELENS_TEST(TimelineTools)

} // namespace ui_timeline_tools

#include "timeline_tools.moc"
