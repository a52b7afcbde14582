// The timeline as a person uses it: real mouse and key events on the real widget.
#include "tests/support/test_program.h"
#include "tests/support/ui_test.h"
#include "tests/ui/lane_groups.h"
#include "ui/state/view_state.h"
#include "ui/timeline/timeline_view.h"

#include <QAccessible>
#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QPicture>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSvgGenerator>

#include <memory>

namespace ui_timeline_input {

using namespace stagelens;
using test::makeGroup;
using test::measured;
using ui::TimelineContent;
using ui::TimelineView;
using ui::ViewState;

class TimelineInput : public QObject {
    Q_OBJECT

    std::unique_ptr<ViewState> m_state;
    std::unique_ptr<TimelineView> m_view;

    void show(TimelineContent content)
    {
        m_view->setContent(std::move(content));
        QCoreApplication::processEvents();
    }
    void showGroups(std::vector<ui::LaneGroup> groups)
    {
        TimelineContent content;
        content.groups = std::move(groups);
        show(std::move(content));
    }
    QPoint centre(int group, timeline::SliceId slice) const { return m_view->placeOf(group, slice).center(); }
    void wheel(QPoint at, QPoint turn, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QWheelEvent event(at, m_view->mapToGlobal(at), {}, turn, Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
        QApplication::sendEvent(m_view.get(), &event);
        QCoreApplication::processEvents();
    }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QTest::keyClick(m_view.get(), key, modifiers);
        QCoreApplication::processEvents();
    }
    QImage picture(QSize size) const
    {
        QImage image(size, QImage::Format_RGB32);
        image.fill(Qt::magenta); // whatever is not painted stands out
        QPainter painter(&image);
        m_view->render(&painter, size);
        return image;
    }
    QByteArray drawnAsSvg() const
    {
        QBuffer buffer;
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setSize({900, 400});
        QPainter painter(&generator);
        m_view->render(&painter, {900, 400});
        painter.end();
        return buffer.data();
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

    void theAxisSpansPlanAndBaseline()
    {
        const ui::LaneGroup group = makeGroup(4, 8, model::VocabularyMethod::None);
        TimelineContent content;
        content.groups = {group};
        content.baseline = ui::EndFlag{2 * group.timeline->makespan(), QStringLiteral("baseline")};
        show(content);
        QCOMPARE(m_state->span(), 2 * group.timeline->makespan());
        content.baseline.reset();
        show(content);
        QCOMPARE(m_state->span(), group.timeline->makespan());
    }

    void hoverSaysWhatAPassWaitedFor()
    {
        showGroups({makeGroup(4, 8, model::VocabularyMethod::None)});
        // The first forward of device 2 waits for that of device 1.
        const QString text = m_view->describe(centre(0, {2, 0}));
        QVERIFY2(text.startsWith(QStringLiteral("F 0 on device 2")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("Stage 2, microbatch 0")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("Begins at 2 ms, takes 1 ms")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("Waited 2 ms for F 0 on device 1")), qPrintable(text));
        const QString last = m_view->describe(centre(0, {3, 0}));
        QVERIFY2(last.contains(QStringLiteral("Vocabulary layers: 1 ms (50 %)")), qPrintable(last));
        QVERIFY(m_view->describe({5, 5}).isEmpty());
    }

    void anUnknownVocabularyPartIsSaid()
    {
        ui::LaneGroup group = makeGroup(2, 2, model::VocabularyMethod::None);
        timeline::Timeline unknown = *group.timeline;
        for (timeline::Lane &lane : unknown.lanes)
            lane.vocabulary.clear();
        group.timeline = std::make_shared<const timeline::Timeline>(unknown);
        showGroups({group});
        QVERIFY(m_view->describe(centre(0, {1, 0})).contains(QStringLiteral("Vocabulary part: not known")));
    }

    void aClickSelectsAndTheSelectionSpeaks()
    {
        showGroups({makeGroup(4, 8, model::VocabularyMethod::Vocab2)});
        QSignalSpy changed(m_state.get(), &ViewState::selectionChanged);
        const timeline::SliceId slice{1, 6};
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, centre(0, slice));
        QCOMPARE(changed.count(), 1);
        QVERIFY(m_state->selection().has_value());
        QCOMPARE(m_state->selection()->slice, slice);
        QAccessibleInterface *interface = QAccessible::queryAccessibleInterface(m_view.get());
        QVERIFY(interface != nullptr);
        QCOMPARE(interface->text(QAccessible::Name), QStringLiteral("Timeline"));
        QCOMPARE(interface->text(QAccessible::Value), m_view->describeSelection());
        QVERIFY(m_view->describeSelection().contains(QStringLiteral("on device 1")));
        key(Qt::Key_Escape);
        QVERIFY(!m_state->selection());
    }

    void whatReplicasExchangeIsShownAndSaid()
    {
        ui::LaneGroup group = makeGroup(4, 8, model::VocabularyMethod::None);
        showGroups({group});
        const QImage without = picture({1000, 420});
        auto timeline = std::make_shared<timeline::Timeline>(*group.timeline);
        timeline::Lane &lane = timeline->lanes[3];
        const base::Nanos end = lane.end.back();
        const base::Nanos span = timeline->makespan() / 8;
        lane.anchored = {{end, end + span, 3 << 20, timeline::AnchoredKind::ReduceGradients}};
        group.timeline = timeline;
        showGroups({group});
        QVERIFY(picture({1000, 420}) != without);
        const QRect last = m_view->placeOf(0, {3, lane.size() - 1});
        const QString text = m_view->describe({last.right() + 8, last.center().y()});
        QVERIFY2(text.startsWith(QStringLiteral("Replicas sum their gradients of device 3")), qPrintable(text));
        QVERIFY2(text.endsWith(QStringLiteral("Each rank sends 3.00 MiB")), qPrintable(text));
        // One that ends last lengthens what the axis spans.
        timeline->lanes[0].anchored = {
            {timeline->makespan(), 2 * timeline->makespan(), 1, timeline::AnchoredKind::ReduceGradients}};
        showGroups({group});
        QCOMPARE(m_state->span(), 2 * timeline->makespan());
    }

    void aClickOnAGapAsksWhy()
    {
        showGroups({makeGroup(4, 8, model::VocabularyMethod::None)});
        QSignalSpy gap(m_view.get(), &TimelineView::gapClicked);
        const QRect first = m_view->placeOf(0, {3, 0});
        const QPoint before(first.left() - 8, first.center().y());
        QVERIFY(m_view->describe(before).startsWith(QStringLiteral("Device 3 is idle\nFor 3 ms, before F 0")));
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, before);
        QCOMPARE(gap.count(), 1);
        QCOMPARE(gap.front().at(1).toInt(), 3);
        QVERIFY(gap.front().at(2).toLongLong() < 3'000'000);
        QSignalSpy forgotten(m_view.get(), &TimelineView::gapForgotten);
        key(Qt::Key_Escape);
        QCOMPARE(forgotten.count(), 1);
        QVERIFY(!m_state->selection());
    }

    void theWheelZoomsAtThePointer()
    {
        showGroups({makeGroup(4, 16, model::VocabularyMethod::None)});
        const timeline::SliceId slice{2, 9};
        const QPoint at = centre(0, slice);
        wheel(at, {0, 360});
        QVERIFY(!m_state->isFitted());
        QVERIFY(std::abs(centre(0, slice).x() - at.x()) <= m_view->placeOf(0, slice).width() / 2 + 1);
        const base::Nanos begin = m_state->begin();
        wheel(at, {0, -120}, Qt::ShiftModifier);
        QVERIFY(m_state->begin() > begin);
        wheel(at, {0, -4800});
        QVERIFY(m_state->isFitted());
    }

    void aDragPansAndDoesNotSelect()
    {
        showGroups({makeGroup(4, 16, model::VocabularyMethod::None)});
        m_state->zoom(m_state->span() / 2, 4);
        QCoreApplication::processEvents();
        const base::Nanos begin = m_state->begin();
        QTest::mousePress(m_view.get(), Qt::LeftButton, {}, {600, 200});
        QTest::mouseMove(m_view.get(), {500, 200});
        QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, {500, 200});
        QVERIFY(m_state->begin() > begin);
        QVERIFY(!m_state->selection());
    }

    void keysWalkThroughThePicture()
    {
        showGroups({makeGroup(4, 8, model::VocabularyMethod::None)});
        key(Qt::Key_Right);
        QCOMPARE(m_state->selection()->slice, (timeline::SliceId{0, 0}));
        key(Qt::Key_Right);
        QCOMPARE(m_state->selection()->slice, (timeline::SliceId{0, 1}));
        key(Qt::Key_Left);
        key(Qt::Key_Left);
        QCOMPARE(m_state->selection()->slice, (timeline::SliceId{0, 0}));
        key(Qt::Key_BracketRight); // F 0 goes on to device 1
        QCOMPARE(m_state->selection()->slice, (timeline::SliceId{1, 0}));
        key(Qt::Key_BracketLeft);
        QCOMPARE(m_state->selection()->slice, (timeline::SliceId{0, 0}));
        key(Qt::Key_Down);
        QCOMPARE(m_state->selection()->slice.device, 1);
        key(Qt::Key_F);
        QVERIFY(!m_state->isFitted());
        key(Qt::Key_Left, Qt::AltModifier);
        QVERIFY(m_state->isFitted());
        key(Qt::Key_Right, Qt::AltModifier);
        QVERIFY(!m_state->isFitted());
        key(Qt::Key_0);
        QVERIFY(m_state->isFitted());
        key(Qt::Key_W);
        const base::Nanos width = m_state->end() - m_state->begin();
        key(Qt::Key_D);
        key(Qt::Key_A);
        QCOMPARE(m_state->end() - m_state->begin(), width);
        key(Qt::Key_S);
        QVERIFY(m_state->isFitted());
    }

    void theSelectionFollowsItsPassIntoNewContent()
    {
        showGroups({makeGroup(4, 8, model::VocabularyMethod::None)});
        const timeline::SliceId slice{2, 7};
        m_state->select(ViewState::Selection{0, slice});
        const schedule::Pass pass = m_view->content().groups[0].timeline->lanes[2].pass[7];
        showGroups({makeGroup(4, 16, model::VocabularyMethod::Vocab1)});
        QVERIFY(m_state->selection().has_value());
        const auto now = m_state->selection()->slice;
        QCOMPARE(m_view->content().groups[0].timeline->lanes[2].pass[now.index], pass);
        showGroups({makeGroup(2, 8, model::VocabularyMethod::None)});
        QVERIFY(!m_state->selection());
        QVERIFY(m_view->describeSelection().contains(QStringLiteral("No pass is selected")));
    }

    void predictedAndMeasuredShareADevice()
    {
        const ui::LaneGroup predicted = makeGroup(4, 8, model::VocabularyMethod::None);
        showGroups({predicted, measured(predicted)});
        const QRect upper = m_view->placeOf(0, {1, 0});
        const QRect lower = m_view->placeOf(1, {1, 0});
        QVERIFY(lower.top() > upper.bottom() && lower.top() - upper.bottom() < 4);
        QVERIFY(m_view->placeOf(0, {2, 0}).top() > lower.bottom());
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, centre(1, {1, 0}));
        QCOMPARE(m_state->selection()->group, 1);
        // Groups of different plans stand below each other.
        showGroups({predicted, makeGroup(8, 8, model::VocabularyMethod::None)});
        QVERIFY(m_view->placeOf(1, {0, 0}).top() > m_view->placeOf(0, {3, 0}).bottom());
    }

    void manyLanesScroll()
    {
        showGroups({makeGroup(32, 64, model::VocabularyMethod::None)});
        QVERIFY(m_view->placeOf(0, {31, 0}).bottom() < m_view->height()); // they fit
        for (int i = 0; i < 5; ++i)
            key(Qt::Key_Plus, Qt::ControlModifier);
        const int hidden = m_view->placeOf(0, {31, 0}).bottom();
        QVERIFY(hidden > m_view->height());
        key(Qt::Key_PageDown);
        QVERIFY(m_view->placeOf(0, {31, 0}).bottom() < hidden);
        wheel({20, 200}, {0, 120'000});
        QCOMPARE(m_view->placeOf(0, {31, 0}).bottom(), hidden);
        m_state->select(ViewState::Selection{0, {30, 3}});
        key(Qt::Key_Down); // the selection is brought into view
        QCoreApplication::processEvents();
        QVERIFY(m_view->placeOf(0, {31, 0}).bottom() <= m_view->height());
    }

    void thePictureIsCompleteAtAnySize()
    {
        const ui::LaneGroup predicted = makeGroup(4, 8, model::VocabularyMethod::Vocab1);
        TimelineContent content;
        content.groups = {predicted, measured(predicted)};
        content.baseline = ui::EndFlag{predicted.timeline->makespan() * 3 / 2, QStringLiteral("baseline 30 ms")};
        content.ghost = ui::EndFlag{predicted.timeline->makespan() / 2, QStringLiteral("VOCAB-2")};
        for (const bool stale : {false, true}) {
            content.stale = stale;
            show(content);
            for (const QSize size : {QSize(1100, 480), QSize(320, 120), QSize(60, 20), QSize(2400, 1600)}) {
                const QImage image = picture(size);
                bool complete = true;
                for (int y = 0; y < size.height(); y += 3)
                    for (int x = 0; x < size.width(); x += 3)
                        complete = complete && image.pixelColor(x, y) != QColor(Qt::magenta);
                QVERIFY(complete);
            }
        }
        show({});
        QCOMPARE(picture({600, 200}).pixelColor(2, 190), picture({600, 200}).pixelColor(590, 190));
    }

    void fillsMeanThePassKind()
    {
        showGroups({makeGroup(4, 8, model::VocabularyMethod::None)});
        const QImage image = m_view->grab().toImage();
        const double ratio = m_view->devicePixelRatioF();
        const QRect place = m_view->placeOf(0, {1, 0});
        const QPoint inside(place.left() + place.width() / 2, place.top() + 4);
        QCOMPARE(image.pixelColor((QPointF(inside) * ratio).toPoint()), QColor(QStringLiteral("#2B6CB0")));
        // The same content draws the same picture.
        const QImage first = picture({700, 300});
        QCOMPARE(picture({700, 300}), first);
    }

    void exportsKeepTextAsText()
    {
        showGroups({makeGroup(4, 8, model::VocabularyMethod::None)});
        const QByteArray svg = drawnAsSvg();
        QVERIFY(svg.contains("Device 3"));
        QVERIFY(svg.contains("Predicted"));
        QVERIFY(svg.contains("#2b6cb0"));
    }

    /// Eight forwards of a lane, some of which are short: numbers on seven or more, kinds on all or none.
    void passesOfOneKindAreLabelledAlike()
    {
        const auto labelsOf = [this](int shorter, double share, base::Nanos length, double vocabulary = 0) {
            auto timeline = std::make_shared<timeline::Timeline>();
            timeline::Lane &lane = timeline->lanes.emplace_back();
            for (int i = 0; i < 8; ++i) {
                const auto duration = i < shorter ? static_cast<base::Nanos>(share * static_cast<double>(length)) : length;
                lane.push(schedule::makePass(schedule::PassKind::F, 0, i), i * length, i * length + duration);
            }
            lane.push(schedule::makePass(schedule::PassKind::B, 0, 7), 800, 801); // the axis is as long for each
            lane.vocabulary.assign(lane.size(), 0);
            for (int i = 0; i < 8; ++i) // of the last pass a tenth
                lane.vocabulary[i] =
                    static_cast<base::Nanos>((i < 7 ? vocabulary : vocabulary / 5) * static_cast<double>(length));
            timeline->stages = {{0}};
            ui::LaneGroup group;
            group.timeline = std::move(timeline);
            showGroups({std::move(group)});
            static const QRegularExpression label(QStringLiteral(">(F )?[0-7]<"));
            QStringList found;
            for (auto all = label.globalMatch(QString::fromUtf8(drawnAsSvg())); all.hasNext();)
                found << all.next().captured().mid(1).chopped(1);
            return found.mid(1).join(u','); // without the 0 of the ruler
        };
        QCOMPARE(labelsOf(0, 1, 100), QStringLiteral("F 0,F 1,F 2,F 3,F 4,F 5,F 6,F 7"));
        QCOMPARE(labelsOf(1, 0.2, 100), QStringLiteral("0,1,2,3,4,5,6,7"));
        QCOMPARE(labelsOf(1, 0.1, 100), QStringLiteral("1,2,3,4,5,6,7"));
        QCOMPARE(labelsOf(2, 0.1, 100), QString());
        // A pass is labelled in the larger of its two parts, layers or vocabulary. Which one that is differs between passes.
        QCOMPARE(labelsOf(0, 1, 30, 0.6), QStringLiteral("0,1,2,3,4,5,6,7"));
        QCOMPARE(labelsOf(0, 1, 20, 0.6), QString());
    }

    /// Forwards have room for their letters, backwards have not: then neither has any.
    void allKindsOfALaneAreNamedAlike()
    {
        const auto lettersOf = [this](base::Nanos backward) {
            auto timeline = std::make_shared<timeline::Timeline>();
            timeline::Lane &lane = timeline->lanes.emplace_back();
            for (int i = 0; i < 4; ++i) {
                lane.push(schedule::makePass(schedule::PassKind::F, 0, i), i * 200, i * 200 + 100);
                lane.push(schedule::makePass(schedule::PassKind::B, 0, i), i * 200 + 100, i * 200 + 100 + backward);
            }
            lane.vocabulary.assign(lane.size(), 0);
            timeline->stages = {{0}};
            ui::LaneGroup group;
            group.timeline = std::move(timeline);
            showGroups({std::move(group)});
            const QString svg = QString::fromUtf8(drawnAsSvg());
            return std::pair(svg.count(QRegularExpression(QStringLiteral(">F [0-9]<"))),
                             svg.count(QRegularExpression(QStringLiteral(">B [0-9]<"))));
        };
        QCOMPARE(lettersOf(100), std::pair(qsizetype{4}, qsizetype{4}));
        QCOMPARE(lettersOf(20), std::pair(qsizetype{0}, qsizetype{0}));
    }

    /// Two threads add the lanes of so many boxes on a screen, one those of a file.
    void manyBoxesLookTheSameInAFile()
    {
        showGroups({makeGroup(16, 2000, model::VocabularyMethod::Vocab1)});
        static constexpr QSize kSize{900, 400};
        const auto paper = [] {
            QImage image(2 * kSize, QImage::Format_RGB32);
            image.setDevicePixelRatio(2);
            image.fill(Qt::magenta);
            return image;
        };
        QImage screen = paper();
        QPainter painter(&screen);
        m_view->render(&painter, kSize);
        painter.end();
        QPicture file;
        painter.begin(&file);
        m_view->render(&painter, kSize);
        painter.end();
        QImage drawn = paper();
        painter.begin(&drawn);
        painter.drawPicture(0, 0, file);
        painter.end();
        // Text may lie a pixel lower; the lanes are equal.
        const QPoint first = 2 * m_view->placeOf(0, {0, 0}).topLeft();
        const QRect lanes(first, screen.rect().bottomRight());
        QVERIFY(lanes.width() > screen.width() / 2 && lanes.height() > screen.height() / 2);
        QCOMPARE(screen.copy(lanes), drawn.copy(lanes));
    }

    void theBaselineFlagSpeaksForBothEnds()
    {
        TimelineContent content;
        content.groups = {makeGroup(4, 8, model::VocabularyMethod::Vocab2)};
        const base::Nanos end = content.groups[0].timeline->makespan();
        content.baseline = ui::EndFlag{2 * end, QStringLiteral("baseline 60 ms, now 30 ms")};
        show(content);
        QCOMPARE(drawnAsSvg().count("now "), 1);
        m_state->setRange(end / 2, end * 3 / 2); // the baseline's end is out of sight
        QCOMPARE(drawnAsSvg().count("baseline"), 0);
        QCOMPARE(drawnAsSvg().count("now "), 1);
    }

    void hoverDoesNotDisturbThePicture()
    {
        showGroups({makeGroup(4, 8, model::VocabularyMethod::None)});
        const QImage before = m_view->grab().toImage();
        QTest::mouseMove(m_view.get(), centre(0, {1, 3}));
        QCoreApplication::processEvents();
        QVERIFY(m_view->grab().toImage() != before);
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(m_view.get(), &leave);
        QCoreApplication::processEvents();
        QCOMPARE(m_view->grab().toImage(), before);
    }
};

STAGELENS_TEST(TimelineInput)

} // namespace ui_timeline_input

#include "timeline_input.moc"
