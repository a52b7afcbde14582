// The window is closed while something long is under way: it ends soon, and what was trained stays.
#include "engine/store/run_store.h"
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/learn/lesson_picture.h"
#include "ui/learn/lesson_runs.h"
#include "ui/pages/learn_page.h"
#include "ui/pages/lesson_view.h"
#include "ui/sweep/sweep_page.h"

#include <QComboBox>
#include <QElapsedTimer>
#include <QPushButton>

#include <functional>

namespace ui_shell_closing {

using namespace stagelens;
using namespace Qt::StringLiterals;

using Work = std::function<void(test::WindowFixture &)>;

/// A tour whose first run would go on much longer than the test.
constexpr auto kTour = "# T\n## One\nplan: model gpt-demo, layers 2, hidden 32, heads 2, sequence 16, vocabulary-size 256, "
                       "hardware cpu-local, devices 2, microbatches 4, mode virtual-clock, steps 100000\nchange: microbatches\n"
                       "run: First\nrun: Second; vocabulary vocab-2\noutcome: apart_b < 0.001; the losses coincide\n\n"
                       "Loss {loss_b}.\n## Two\n\nNothing.\n";

model::Experiment planOfRanks()
{
    model::Experiment plan;
    plan.model = test::gptOf(8, 1024, 8, 512, 65536, model::DataType::Fp16);
    plan.parallel.devices = 4;
    plan.parallel.replicas = 4;
    plan.parallel.microbatches = 16;
    plan.cost.source = model::HardwarePreset{"a100-80gb"};
    return plan;
}

class ShellClosing : public QObject {
    Q_OBJECT

private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }

    void closesAtOnce_data()
    {
        QTest::addColumn<Work>("begin");
        QTest::addColumn<bool>("trains");
        const auto row = [](const char *name, bool trains, Work begin) { QTest::newRow(name) << std::move(begin) << trains; };
        row("search for a schedule", false, [](test::WindowFixture &fixture) {
            fixture.window().document().start(planOfRanks(), {}, u"Plan"_s);
            fixture.window().actions().searchSchedules->trigger();
        });
        row("measuring this computer", false,
            [](test::WindowFixture &fixture) { fixture.window().actions().calibrate->trigger(); });
        row("levers", false, [](test::WindowFixture &fixture) {
            fixture.window().document().start(planOfRanks(), {}, u"Plan"_s);
            fixture.window().actions().levers->trigger();
        });
        row("shapes", false, [](test::WindowFixture &fixture) {
            fixture.window().document().start(planOfRanks(), {}, u"Plan"_s);
            fixture.window().actions().shapes->trigger();
        });
        row("training of a tour", true, [](test::WindowFixture &fixture) {
            fixture.window().actions().learn->trigger();
            auto tour = ui::parseTour(QString::fromLatin1(kTour), u"t.tour"_s);
            QVERIFY2(tour.ok(), tour ? "" : tour.error().text().c_str());
            fixture.window().learnPage().showOwnTour(*std::move(tour));
            QApplication::processEvents();
            fixture.click(u"lesson.train"_s);
            QVERIFY(fixture.window().learnPage().lesson()->picture()->runs()->isTraining());
        });
        row("sweep of runs", true, [](test::WindowFixture &fixture) {
            QTest::keyClick(&fixture.window(), Qt::Key_3, Qt::ControlModifier);
            fixture.usePlanForTraining(100000);
            fixture.find<QComboBox>(u"sweep.how"_s)->setCurrentIndex(1);
            fixture.find<QComboBox>(u"sweep.first"_s)->setCurrentIndex(2); // microbatches
            fixture.find<QLineEdit>(u"sweep.firstValues"_s)->setText(u"4, 8"_s);
            fixture.click(u"sweep.start"_s);
            QTRY_VERIFY_WITH_TIMEOUT(fixture.window().sweepPage().isRunning(), 5000);
        });
    }
    /// At once, and after what was begun has done something: a run is stored where there is one.
    void closesAtOnce()
    {
        QFETCH(const Work, begin);
        QFETCH(const bool, trains);
        for (const int wait : {0, 300}) {
            m_fixture->open();
            begin(*m_fixture);
            if (QTest::currentTestFailed())
                return;
            QTest::qWait(wait);
            if (trains && wait > 0)
                QTRY_VERIFY_WITH_TIMEOUT(!stored().empty(), test::kPatience);
            QElapsedTimer clock;
            clock.start();
            QVERIFY(m_fixture->window().close());
            m_fixture->close();
            QVERIFY2(clock.elapsed() < 10'000, qPrintable(QString::number(clock.elapsed())));
        }
        // What was trained ended as cancelled, with the steps that it had.
        const auto runs = stored();
        QCOMPARE(!runs.empty(), trains);
        for (const store::RunSummary &run : runs)
            QCOMPARE(run.status, store::RunStatus::Cancelled);
    }

private:
    [[nodiscard]] std::vector<store::RunSummary> stored() const
    {
        auto store = store::RunStore::open(m_fixture->path(u"runs.db"_s).toStdString());
        auto runs = store ? store->read().list() : store.error();
        return runs ? *std::move(runs) : std::vector<store::RunSummary>{};
    }

    std::unique_ptr<test::WindowFixture> m_fixture;
};

STAGELENS_TEST(ShellClosing)

} // namespace ui_shell_closing

#include "shell/closing.moc"
