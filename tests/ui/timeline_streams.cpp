// The rows below lanes: streams and ranks, on demand.
#include "engine/service/search/predict.h"
#include "engine/simulate/costs/pass_legs.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/canvas/colours.h"
#include "ui/canvas/layout.h"
#include "ui/pages/explore_page.h"
#include "ui/state/lane_groups.h"
#include "ui/state/links.h"
#include "ui/state/view_state.h"
#include "ui/timeline/rows/streams.h"
#include "ui/timeline/scene.h"
#include "ui/timeline/timeline_view.h"

#include <QAction>
#include <QBuffer>
#include <QPainter>
#include <QSvgGenerator>

#include <algorithm>
#include <numeric>
#include <set>

namespace ui_timeline_streams {

using namespace stagelens;
using namespace Qt::StringLiterals;
using ui::LaneDetail;
using ui::LaneRow;
using ui::Stream;

namespace {

ui::LaneGroup groupOf(const model::Experiment &experiment)
{
    const auto prediction = service::predict(experiment, 2);
    if (!prediction)
        qFatal("%s", prediction.error().text().c_str());
    return ui::predictedGroup(*prediction);
}

model::Experiment planOf(int tensor, int replicas, int zero)
{
    model::Experiment experiment = test::tinyExperiment("1f1b", model::VocabularyMethod::Vocab1, 2, 4);
    experiment.parallel.tensor = tensor;
    experiment.parallel.replicas = replicas;
    experiment.parallel.zero = zero;
    return experiment;
}

std::set<Stream> streamsOf(const ui::LaneGroup &group)
{
    std::set<Stream> streams;
    for (const LaneRow &row : ui::rowsBelow(group, LaneDetail::Streams))
        streams.insert(row.stream);
    return streams;
}

/// Busy pixels.
double busyOf(const std::vector<ui::StreamPart> &parts)
{
    return std::accumulate(parts.begin(), parts.end(), 0.0,
                           [](double sum, const ui::StreamPart &part) { return sum + part.share * part.width; });
}

std::size_t firstForward(const timeline::Lane &lane)
{
    return static_cast<std::size_t>(std::ranges::find(lane.pass, schedule::PassKind::F, &schedule::Pass::kind) -
                                    lane.pass.begin());
}

} // namespace

class TimelineStreams : public QObject {
    Q_OBJECT
private slots:
    /// What a pass is of: its step of several, and the weights that it uses.
    void iterationsAndWeightVersionsAreSaid()
    {
        model::Experiment experiment = test::tinyExperiment("pipedream", model::VocabularyMethod::None, 2, 4);
        const auto textOf = [&experiment](const schedule::Pass &pass) {
            const ui::LaneGroup group = groupOf(experiment);
            return ui::describeSlice(group, timeline::findSlice(*group.timeline, pass, 0).value(), false);
        };
        const auto forward = schedule::makePass(schedule::PassKind::F, 0, 3);
        QVERIFY(textOf(forward).contains(u"Weights: version 2"_s) && !textOf(forward).contains(u"Iteration"_s));
        experiment.schedule.iterations = 3;
        const QString text = textOf(schedule::makePass(schedule::PassKind::B, 0, 9));
        QVERIFY2(text.contains(u"Iteration 3 of 3"_s) && text.contains(u"Weights: version 8"_s), qPrintable(text));
        QCOMPARE(ui::GroupSums::of(groupOf(experiment).timeline).stepBegins.size(), std::size_t{2});
        // The axes below the lanes end with the last step.
        const timeline::TimelinePtr steps = groupOf(experiment).timeline;
        QCOMPARE(ui::lengthOf(*steps), ui::endOf(groupOf(experiment)));
        QVERIFY(ui::lengthOf(*steps) > 2 * steps->iteration());
        experiment.schedule.family = "1f1b";
        QVERIFY(textOf(forward).contains(u"Iteration 1 of 3"_s) && !textOf(forward).contains(u"Weights:"_s));
        const auto marks = ui::GroupSums::of(groupOf(experiment).timeline).stepBegins;
        QCOMPARE(marks.size(), std::size_t{2});
        QCOMPARE(marks[1], 2 * marks[0]);
    }

    void onlyStreamsWithWorkAreRows()
    {
        QCOMPARE(streamsOf(groupOf(planOf(1, 1, 0))), (std::set{Stream::Pipeline}));
        QCOMPARE(streamsOf(groupOf(planOf(2, 1, 0))), (std::set{Stream::Pipeline, Stream::Tensor}));
        QCOMPARE(streamsOf(groupOf(planOf(1, 2, 1))), (std::set{Stream::Pipeline, Stream::Data}));
        model::Experiment context = planOf(1, 1, 0);
        context.parallel.context = 2;
        QVERIFY(streamsOf(groupOf(context)).contains(Stream::Context));
        model::Experiment offload = planOf(1, 1, 0);
        offload.schedule.offload = {.fraction = 1};
        QVERIFY(streamsOf(groupOf(offload)).contains(Stream::Copy));
        QVERIFY(ui::rowsBelow(groupOf(planOf(2, 2, 1)), LaneDetail::Devices).empty());
    }

    /// Data streams are busy as long as the anchored work lasts, tensor streams for the share of the passes in exchanges.
    void rowsShowTheTimeOfTheirWork()
    {
        const ui::LaneGroup group = groupOf(planOf(2, 2, 1));
        const base::Nanos end = ui::endOf(group);
        const ui::LaneWindow window{0, end, 4000, 2, 0};
        const double pixel = static_cast<double>(end) / window.width;
        for (int device = 0; device < 2; ++device) {
            base::Nanos data = 0;
            for (const timeline::AnchoredSlice &slice : laneOf(group, device).anchored)
                data += slice.kind == timeline::AnchoredKind::SumReplicated ? 0 : slice.end - slice.begin;
            QVERIFY(data > 0);
            const double shown = busyOf(ui::streamParts(group, device, Stream::Data, nullptr, window)) * pixel;
            QVERIFY2(std::abs(shown - static_cast<double>(data)) < 2 * pixel, qPrintable(u"%1 of %2"_s.arg(shown).arg(data)));
            const double tensor = busyOf(ui::streamParts(group, device, Stream::Tensor, nullptr, window)) * pixel;
            const auto inPasses = static_cast<double>(group.metrics.tensorPerDevice[static_cast<std::size_t>(device)]);
            QVERIFY(tensor > 0.95 * inPasses && tensor < 1.05 * inPasses + 100 * pixel);
        }
    }

    /// The operators of a pass fill it, and one that the pointer meets is named where passes are wide.
    void operatorsAreSeenFromNearBy()
    {
        ui::ViewState state;
        ui::TimelineView view(&state);
        view.resize(1200, 400);
        ui::TimelineContent content;
        content.groups = {groupOf(planOf(2, 1, 0))};
        const timeline::Lane lane = laneOf(content.groups[0], 0);
        const std::size_t forward = firstForward(lane);
        const base::Nanos duration = lane.end[forward] - lane.begin[forward];
        const std::vector<simulate::PassLeg> legs = content.groups[0].legs(0, lane.pass[forward], duration);
        QVERIFY(legs.size() > 3);
        QCOMPARE(legs.front().begin, base::Nanos{0});
        QCOMPARE(legs.back().end, duration);
        QVERIFY(std::ranges::any_of(legs, &simulate::PassLeg::isExchange)); // of the tensor ranks
        view.setContent(content);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const auto at = [&](std::size_t slice, double share) {
            QCoreApplication::processEvents();
            const QRect place = view.placeOf(0, {0, slice});
            return QPoint(place.left() + static_cast<int>(share * place.width()), place.bottom() - 3);
        };
        QVERIFY(!view.describe(at(forward, 0.5)).contains(u"Operator"_s));
        state.setRange(lane.begin[forward] - duration / 4, lane.end[forward] + duration / 4);
        for (const double share : {0.02, 0.45, 0.98}) {
            const auto time = static_cast<base::Nanos>(share * static_cast<double>(duration));
            const auto leg = std::ranges::find_if(legs, [time](const auto &each) { return each.end > time; });
            const QString text = view.describe(at(forward, share));
            QVERIFY2(text.contains(u"Operator %1: "_s.arg(QString::fromStdString(leg->name))), qPrintable(text));
        }
        // Teaching durations do not say what is inside.
        model::Experiment teaching = planOf(1, 1, 0);
        teaching.cost.source = model::UniformCosts{{{"F", 1.0}, {"B", 2.0}}};
        QVERIFY(!groupOf(teaching).legs);
    }

    /// Each of an overlapped pair has its operators in its half, over the time of both, from whichever side it is seen.
    void operatorsOfPairsAreInTheirHalves()
    {
        ui::ViewState state;
        ui::TimelineView view(&state);
        view.resize(1200, 600);
        ui::TimelineContent content;
        model::Experiment plan = test::tinyExperiment("dualpipe", model::VocabularyMethod::None, 4, 10);
        content.groups = {groupOf(plan)};
        const timeline::Lane lane = laneOf(content.groups[0], 0);
        std::size_t first = 0;
        while (first < lane.size() && !lane.pass[first].pairedWithNext)
            ++first;
        QVERIFY(first + 1 < lane.size());
        const base::Nanos begin = lane.begin[first];
        const base::Nanos duration = lane.end[first + 1] - begin;
        view.setContent(content);
        view.arrangeLanes(90, 0);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const auto checkAt = [&](double share) {
            QCoreApplication::processEvents();
            const auto time = static_cast<base::Nanos>(share * static_cast<double>(duration));
            for (const std::size_t slice : {first, first + 1}) {
                const QRect half = view.placeOf(0, {0, slice});
                const auto legs = content.groups[0].legs(0, lane.pass[slice], duration);
                const auto leg = std::ranges::find_if(legs, [time](const auto &each) { return each.end > time; });
                QVERIFY(leg != legs.end());
                const QPoint point(half.left() + static_cast<int>(share * half.width()), half.bottom() - 3);
                const QString text = view.describe(point);
                QVERIFY2(text.contains(u"Operator %1: "_s.arg(QString::fromStdString(leg->name))) &&
                             text.contains(u"of the overlapped pair (predicted)"_s),
                         qPrintable(text));
                // The strip begins with a line.
                const QImage picture = view.grab().toImage();
                int lines = 0;
                for (int y = half.center().y(); y <= half.bottom(); ++y)
                    lines += picture.pixelColor(point.x(), y) == ui::coloursFor(view.palette()).ink ? 1 : 0;
                QVERIFY(lines >= 1);
            }
        };
        state.setRange(begin - duration / 4, begin + duration + duration / 4);
        for (const double share : {0.1, 0.5, 0.9})
            checkAt(share);
        state.setRange(begin + duration / 20, begin + duration / 5); // of the first's own time
        checkAt(0.1);
        state.setRange(begin + duration - duration / 5, begin + duration - duration / 20); // of the second's
        checkAt(0.9);
    }

    /// Lanes of Predicted beside Measured are low: their operators have names all the same.
    void operatorsOfLowLanesHaveNames()
    {
        ui::ViewState state;
        ui::TimelineView view(&state);
        view.resize(1200, 400);
        ui::TimelineContent content;
        content.groups = {groupOf(planOf(1, 1, 0))};
        const timeline::Lane lane = laneOf(content.groups[0], 0);
        const std::size_t forward = firstForward(lane);
        view.setContent(content);
        state.setRange(lane.begin[forward], lane.end[forward]);
        view.show();
        const auto laneHeight = [&] {
            QCoreApplication::processEvents();
            return view.placeOf(0, {0, forward}).height();
        };
        for (int height = 400; laneHeight() > 24 && height > 60; height -= 4)
            view.resize(1200, height);
        QVERIFY2(laneHeight() <= 24 && laneHeight() >= 22, qPrintable(QString::number(laneHeight())));
        QBuffer buffer;
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        generator.setSize(view.size());
        QPainter painter(&generator);
        view.render(&painter, view.size());
        painter.end();
        QVERIFY(QString::fromUtf8(buffer.data()).contains(u"qkv"_s));
    }

    void ranksAreNamedByTheirCoordinates()
    {
        const ui::LaneGroup group = groupOf(planOf(2, 2, 1));
        std::vector<LaneRow> rows = ui::rowsBelow(group, LaneDetail::Ranks);
        std::erase_if(rows, [](const LaneRow &row) { return row.kind == LaneRow::Kind::Stream; });
        QCOMPARE(rows.size(), std::size_t{4});
        QCOMPARE(ui::nameOf(rows[0], group, 0), u"rank 0 t0 d0"_s);
        QCOMPARE(ui::nameOf(rows[1], group, 0), u"rank 1 t1 d0"_s);
        QCOMPARE(ui::nameOf(rows[3], group, 1), u"rank 7 t1 d1"_s);
        const ui::LaneGroup many = groupOf(planOf(2, 32, 1));
        rows = ui::rowsBelow(many, LaneDetail::Ranks);
        QCOMPARE(rows.back().kind, LaneRow::Kind::MoreRanks);
        QCOMPARE(ui::nameOf(rows.back(), many, 0), u"48 more ranks"_s);
    }

    /// Rows lie below their lane and above the next one; lanes that do not fit scroll.
    void rowsLieBelowTheirLanes()
    {
        ui::TimelineContent content;
        content.groups.push_back(groupOf(planOf(2, 4, 1)));
        content.groups[0].below = ui::rowsBelow(content.groups[0], LaneDetail::Ranks);
        const std::size_t rows = content.groups[0].below.size();
        for (const QSize size : {QSize(900, 1200), QSize(900, 300)}) {
            const ui::TimelineLayout layout = ui::layoutTimeline(content, size, QFontMetrics(QFont()), {});
            QCOMPARE(layout.rows.size(), std::size_t{2});
            int last = 0;
            for (const ui::TimelineLayout::Row &row : layout.rows) {
                QCOMPARE(row.below.size(), rows);
                QVERIFY(row.lane.top() > last);
                last = row.header.bottom();
                for (const auto &below : row.below) {
                    QVERIFY(below.lane.top() > last && below.lane.height() > 5);
                    last = below.lane.bottom();
                }
            }
            QCOMPARE(layout.greatestScroll() > 0, size.height() == 300);
            QVERIFY(last - layout.axis.top() <= layout.contentHeight);
        }
    }

    /// A click on the sign beside a lane shows streams, then also ranks, then hides both. Pointing at a row describes it.
    void theSignBesideALaneOpensThem()
    {
        test::WindowFixture fixture;
        fixture.open();
        auto &window = fixture.window();
        ui::TimelineView *timeline = window.explorePage().timeline();
        QTRY_VERIFY(!timeline->content().groups.empty());
        const auto group = [&]() -> const ui::LaneGroup & { return timeline->content().groups.front(); };
        QVERIFY(!group().next); // of one rank and its messages
        window.document().start(planOf(2, 2, 1), {}, u"Ranks"_s);
        QTRY_VERIFY(group().next == LaneDetail::Streams);
        const auto where = [&](const QString &text) -> QPoint {
            for (int y = 0; y < timeline->height(); y += 2)
                for (int x = 0; x < timeline->width(); x += 2)
                    if (timeline->describe({x, y}).contains(text))
                        return {x, y};
            return {};
        };
        const QString offersStreams = u"Show below each lane what is exchanged and copied"_s;
        QTRY_VERIFY(!where(offersStreams).isNull());
        const QPoint sign = where(offersStreams) + QPoint(4, 4);
        QTest::mouseClick(timeline, Qt::LeftButton, {}, sign);
        QTRY_VERIFY(group().next == LaneDetail::Ranks);
        QTRY_VERIFY(!where(u"Device 0, tensor\nBusy for "_s).isNull());
        QVERIFY(!where(u" of F 0"_s).isNull()); // at that time
        QVERIFY(window.findChild<QAction *>(u"action.lanes-streams"_s)->isChecked());
        QTest::mouseClick(timeline, Qt::LeftButton, {}, where(u"also its ranks"_s) + QPoint(4, 4));
        QTRY_VERIFY(group().next == LaneDetail::Devices);
        QTRY_VERIFY(!where(u"Device 1, rank 7 t1 d1"_s).isNull());
        QTest::mouseClick(timeline, Qt::LeftButton, {}, where(u"Hide the rows"_s) + QPoint(4, 4));
        QTRY_VERIFY(group().next == LaneDetail::Streams && group().below.empty());
    }

    /// The text beside a stream gives the time its row shows.
    void streamsAreSummedUp()
    {
        const ui::LaneGroup group = groupOf(planOf(2, 2, 1));
        base::Nanos tensor = group.metrics.tensorPerDevice[1];
        for (const timeline::AnchoredSlice &slice : laneOf(group, 1).anchored)
            tensor += slice.kind == timeline::AnchoredKind::SumReplicated ? slice.end - slice.begin : 0;
        QVERIFY(std::abs(ui::streamTime(group, 1, Stream::Tensor, nullptr) - tensor) <= 1);
        QCOMPARE(ui::streamTime(group, 1, Stream::Expert, nullptr), 0);
    }

    /// View > Lanes shows them, and the picture has their colours.
    void theViewMenuOpensThem()
    {
        test::WindowFixture fixture;
        fixture.open();
        auto &window = fixture.window();
        ui::TimelineView *timeline = window.explorePage().timeline();
        QTRY_VERIFY(!timeline->content().groups.empty());
        const auto below = [&] { return timeline->content().groups.front().below.size(); };
        QCOMPARE(below(), std::size_t{0});
        window.findChild<QAction *>(u"action.lanes-streams"_s)->trigger();
        QTRY_VERIFY(below() > 0);
        QVERIFY(!timeline->grab().isNull());
        window.findChild<QAction *>(u"action.lanes-devices"_s)->trigger();
        QTRY_COMPARE(below(), std::size_t{0});
    }
};

STAGELENS_TEST(TimelineStreams)

} // namespace ui_timeline_streams

#include "timeline_streams.moc"
