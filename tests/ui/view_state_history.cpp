// The visible range: fit, zoom, pan, history.
#include "tests/support/test_program.h"
#include "tests/support/ui_test.h"
#include "ui/state/view_state.h"

#include <QSignalSpy>

namespace ui_view_state_history {

using namespace stagelens;
using ui::ViewState;

class ViewStateHistory : public QObject {
    Q_OBJECT
private slots:
    void init() { test::failOnWarnings(); }

    void aFittedViewFollowsTheSpan()
    {
        ViewState state;
        QSignalSpy changed(&state, &ViewState::rangeChanged);
        state.setSpan(1'000'000);
        QVERIFY(state.isFitted());
        QCOMPARE(state.begin(), 0);
        QVERIFY(state.end() >= 1'000'000 && state.end() <= 1'100'000);
        QCOMPARE(changed.count(), 1);
        state.setSpan(1'000'000);
        QCOMPARE(changed.count(), 1);
    }

    void aHeldAxisWaitsForItsRelease()
    {
        ViewState state;
        state.setSpan(1'000'000);
        const base::Nanos end = state.end();
        state.hold();
        state.setSpan(3'000'000);
        QCOMPARE(state.end(), end);
        QVERIFY(state.isFitted());
        state.release();
        QVERIFY(state.end() >= 3'000'000);
        state.setRange(200'000, 400'000);
        state.hold();
        state.setSpan(2'000'000);
        state.release(); // a zoomed view keeps its range
        QCOMPARE(state.end(), 400'000);
    }

    void aZoomedViewKeepsItsRange()
    {
        ViewState state;
        state.setSpan(1'000'000);
        state.setRange(200'000, 400'000);
        QVERIFY(!state.isFitted());
        state.setSpan(800'000);
        QCOMPARE(state.begin(), 200'000);
        QCOMPARE(state.end(), 400'000);
        state.setSpan(1'000); // nothing is left there
        QVERIFY(state.isFitted());
    }

    void zoomKeepsTheMomentUnderThePointer()
    {
        ViewState state;
        state.setSpan(1'000'000);
        const double before = 300'000.0 / static_cast<double>(state.end());
        state.zoom(300'000, 4);
        const double after = static_cast<double>(300'000 - state.begin()) / static_cast<double>(state.end() - state.begin());
        QVERIFY(std::abs(before - after) < 1e-4);
        state.zoom(300'000, 0.01);
        QVERIFY(state.isFitted());
        state.zoom(500'000, 1e12);
        QCOMPARE(state.end() - state.begin(), 100);
        state.zoom(500'000, 0); // no zoom at all
        QCOMPARE(state.end() - state.begin(), 100);
    }

    void panStopsNearTheEnds()
    {
        ViewState state;
        state.setSpan(1'000'000);
        state.pan(500'000);
        QVERIFY(state.isFitted());
        state.setRange(0, 100'000);
        state.pan(-10'000'000);
        QVERIFY(state.begin() >= -60'000 && state.end() > 0);
        state.pan(90'000'000);
        QVERIFY(state.begin() < 1'050'000);
        QCOMPARE(state.end() - state.begin(), 100'000);
    }

    void historyGoesBackAndForward()
    {
        ViewState state;
        state.setSpan(1'000'000);
        state.setRange(100'000, 300'000);
        state.setRange(500'000, 600'000);
        state.zoom(550'000, 2);
        state.zoom(550'000, 2);
        state.pan(1'000);
        state.back(); // the three are one gesture
        QCOMPARE(state.begin(), 500'000);
        state.back();
        QCOMPARE(state.begin(), 100'000);
        state.back();
        QVERIFY(state.isFitted());
        state.back();
        QVERIFY(state.isFitted());
        state.setSpan(2'000'000); // "fit" in the history means the whole of today
        state.forward();
        QCOMPARE(state.end(), 300'000);
        state.fit();
        state.forward(); // a new step ends what was ahead
        QVERIFY(state.isFitted());
        QVERIFY(state.end() >= 2'000'000);
    }

    void selectionTellsOnce()
    {
        ViewState state;
        QSignalSpy changed(&state, &ViewState::selectionChanged);
        state.select(ViewState::Selection{0, {1, 2}});
        state.select(ViewState::Selection{0, {1, 2}});
        QCOMPARE(changed.count(), 1);
        state.select(std::nullopt);
        QCOMPARE(changed.count(), 2);
    }
};

STAGELENS_TEST(ViewStateHistory)

} // namespace ui_view_state_history

#include "view_state_history.moc"
