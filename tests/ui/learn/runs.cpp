// Runs that a tour offers to train: progress, their losses in one plot, stop, failure, and the way to Compare.
#include "engine/base/file.h"
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/learn/lesson_picture.h"
#include "ui/learn/lesson_runs.h"
#include "ui/pages/learn_page.h"
#include "ui/pages/lesson_view.h"
#include "ui/panels/compare_panel.h"
#include "ui/plots/plots.h"

#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTextBrowser>

namespace ui_learn_runs {

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowLessonRuns : public QObject {
    Q_OBJECT
private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }

    void theLossesOfAllRunsAreInOnePlot();
    void trainedRunsAreCompared();
    void aStopKeepsTheStepsSoFar();
    void anotherStepStopsTheTraining();
    void aChangeOfThePlanDropsTheLosses();
    void aFailedRunIsExplained();
    void anOutcomeThatDoesNotHoldIsSaid();
    void aStepWithoutRunsOffersNone();
    void sixteenExpertsAreFoundAndTrained();

private:
    /// A tour of two steps; the first offers two runs of a tiny model.
    static QString tour(int steps, const QString &second = u"vocabulary vocab-2"_s,
                        const QString &outcome = u"apart_b < 0.001"_s)
    {
        return u"# T\n## One\nplan: model gpt-demo, layers 2, hidden 32, heads 2, sequence 16, vocabulary-size 256, "
               u"hardware cpu-local, devices 2, microbatches 4, mode virtual-clock, steps %1\nchange: microbatches\n"
               u"run: First\nrun: Second; %2\noutcome: %3; the losses coincide\n\nLoss {loss_b}.\n## Two\n\nNothing.\n"_s.arg(
                   QString::number(steps), second, outcome);
    }
    void show(const QString &text)
    {
        auto &window = m_fixture->open();
        window.actions().learn->trigger();
        auto tour = ui::parseTour(text, u"t.tour"_s);
        QVERIFY2(tour.ok(), tour ? "" : tour.error().text().c_str());
        window.learnPage().showOwnTour(*std::move(tour));
        QApplication::processEvents();
    }
    void trainAll()
    {
        m_fixture->click(u"lesson.train"_s);
        QVERIFY(runs().isTraining());
        QTRY_VERIFY_WITH_TIMEOUT(!runs().isTraining(), test::kPatience);
    }
    ui::LessonRuns &runs() { return *m_fixture->window().learnPage().lesson()->picture()->runs(); }
    QString words(const QString &label) { return m_fixture->find<QLabel>(label)->text(); }
    QString page() { return m_fixture->find<QTextBrowser>(u"learn.text"_s)->toPlainText(); }
    QPushButton *button(const QString &name) { return m_fixture->find<QPushButton>(name); }
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void WindowLessonRuns::theLossesOfAllRunsAreInOnePlot()
{
    show(tour(3));
    QCOMPARE(button(u"lesson.train"_s)->text(), u"&Train 2 runs"_s);
    QVERIFY2(words(u"lesson.training"_s).startsWith(u"3 steps each, on this computer"_s),
             qPrintable(words(u"lesson.training"_s)));
    QTRY_VERIFY2(words(u"lesson.training"_s).contains(u"; about "_s), qPrintable(words(u"lesson.training"_s)));
    auto *plot = runs().findChild<ui::LossPlot *>();
    QVERIFY(!plot->isVisible() && !button(u"lesson.compare"_s)->isVisible() && page().contains(u"Loss –."_s));
    m_fixture->click(u"lesson.train"_s);
    QVERIFY2(words(u"lesson.training"_s).startsWith(u"First (run 1 of 2): "_s), qPrintable(words(u"lesson.training"_s)));
    QTRY_VERIFY_WITH_TIMEOUT(!runs().isTraining(), test::kPatience);
    const auto losses = runs().losses();
    QCOMPARE(losses.size(), std::size_t{2});
    QCOMPARE(losses[0].size(), std::size_t{3});
    QVERIFY2(losses[0][2] < losses[0][0], "it learns");
    QVERIFY(plot->isVisible());
    QVERIFY2(plot->accessibleDescription().contains(u"First: "_s) && plot->accessibleDescription().contains(u"; Second: "_s),
             qPrintable(plot->accessibleDescription()));
    const QString mean = QString::number((losses[0][0] + losses[0][1] + losses[0][2]) / 3, 'f', 3);
    QVERIFY2(words(u"lesson.losses"_s).startsWith(u"First: mean loss %1\nSecond: mean loss "_s.arg(mean)),
             qPrintable(words(u"lesson.losses"_s)));
    QVERIFY2(page().contains(u"Loss %1."_s.arg(QString::number(losses[1][2], 'g', 3))), qPrintable(page()));
    QVERIFY(!m_fixture->find<ui::MessageBar>(u"bar.lesson"_s)->isVisible());
    QTRY_COMPARE(m_fixture->window().runsPanel().model()->rowCount(), 2); // stored like any other
}

void WindowLessonRuns::trainedRunsAreCompared()
{
    show(tour(2));
    trainAll();
    m_fixture->click(u"lesson.compare"_s);
    auto *compare = &m_fixture->window().comparePanel();
    QTRY_VERIFY(compare->isVisible());
    QCOMPARE(compare->items().size(), std::size_t{2});
    QCOMPARE(compare->items()[0].losses, runs().losses()[0]);
    QVERIFY(compare->items()[1].experiment.schedule.vocabulary == model::VocabularyMethod::Vocab2);
}

void WindowLessonRuns::aStopKeepsTheStepsSoFar()
{
    show(tour(100000));
    m_fixture->click(u"lesson.train"_s);
    QTRY_VERIFY2_WITH_TIMEOUT(words(u"lesson.training"_s).startsWith(u"First (run 1 of 2): step "_s),
                              qPrintable(words(u"lesson.training"_s)), test::kPatience);
    auto *plot = runs().findChild<ui::LossPlot *>();
    QTRY_VERIFY(plot->isVisible());
    QVERIFY(!button(u"lesson.train"_s)->isVisible());
    m_fixture->click(u"lesson.stop"_s);
    QTRY_VERIFY_WITH_TIMEOUT(!runs().isTraining(), test::kPatience);
    QVERIFY(plot->isVisible() && runs().losses().empty());
    QVERIFY(!button(u"lesson.compare"_s)->isVisible());
    QCOMPARE(button(u"lesson.train"_s)->text(), u"&Train again"_s);
    QTRY_COMPARE(m_fixture->window().runsPanel().model()->rowCount(), 1);
    const auto *run = m_fixture->window().runsPanel().model()->run(m_fixture->window().runsPanel().model()->index(0, 0));
    QTRY_VERIFY(run && run->status == store::RunStatus::Cancelled);
}

void WindowLessonRuns::anotherStepStopsTheTraining()
{
    show(tour(100000));
    m_fixture->click(u"lesson.train"_s);
    QTRY_VERIFY_WITH_TIMEOUT(runs().findChild<ui::LossPlot *>()->isVisible(), test::kPatience);
    m_fixture->click(u"learn.next"_s);
    QVERIFY(!runs().isTraining() && !runs().isVisible());
    const auto status = [this]() -> std::optional<store::RunStatus> {
        auto *model = m_fixture->window().runsPanel().model();
        return model->rowCount() == 1 ? std::optional(model->run(model->index(0, 0))->status) : std::nullopt;
    };
    QTRY_VERIFY_WITH_TIMEOUT(status() == store::RunStatus::Cancelled, test::kPatience);
    m_fixture->click(u"learn.back"_s);
    QCOMPARE(button(u"lesson.train"_s)->text(), u"&Train 2 runs"_s);
}

void WindowLessonRuns::aChangeOfThePlanDropsTheLosses()
{
    show(tour(2));
    trainAll();
    const auto losses = runs().losses();
    auto *box = m_fixture->find<QSpinBox>(u"lesson.parallel.microbatches"_s);
    box->setFocus();
    box->selectAll();
    QTest::keyClicks(box, u"6"_s);
    QTRY_VERIFY(runs().losses().empty());
    QVERIFY(!runs().findChild<ui::LossPlot *>()->isVisible());
    m_fixture->click(u"lesson.reset"_s); // the plan whose losses are known
    QTRY_VERIFY(runs().losses() == losses);
    QVERIFY(runs().findChild<ui::LossPlot *>()->isVisible());
    m_fixture->click(u"learn.next"_s);
    m_fixture->click(u"learn.back"_s);
    QTRY_VERIFY(runs().losses() == losses);
}

void WindowLessonRuns::aFailedRunIsExplained()
{
    show(tour(2, u"backend cuda, mode live"_s));
    trainAll();
    auto *bar = m_fixture->find<ui::MessageBar>(u"bar.lesson.runs"_s);
    QVERIFY(bar->isVisible());
    QVERIFY2(bar->text().startsWith(u"Second was not trained. "_s) && bar->text().size() > 40, qPrintable(bar->text()));
    QVERIFY(runs().losses().empty() && !button(u"lesson.compare"_s)->isVisible());
    m_fixture->click(u"bar.lesson.runs.Try again"_s);
    QTRY_VERIFY(runs().isTraining());
    QVERIFY2(!bar->isVisible(), qPrintable(bar->text()));
    QTRY_VERIFY_WITH_TIMEOUT(!runs().isTraining(), test::kPatience);
}

void WindowLessonRuns::anOutcomeThatDoesNotHoldIsSaid()
{
    show(tour(2, u"seed 7"_s));
    trainAll();
    const QString note = m_fixture->find<ui::MessageBar>(u"bar.lesson"_s)->text();
    QVERIFY2(note.contains(u"otherwise than the text says: the losses coincide."_s), qPrintable(note));
}

void WindowLessonRuns::aStepWithoutRunsOffersNone()
{
    m_fixture->open().actions().learn->trigger();
    m_fixture->window().learnPage().showPage(u"tours/1-bubble.tour"_s);
    QVERIFY(!runs().isVisible() && !button(u"lesson.train"_s)->isVisible());
}

/// By search, keys and mouse, as far as the first losses of its first run.
void WindowLessonRuns::sixteenExpertsAreFoundAndTrained()
{
    auto &window = m_fixture->open();
    QTest::keyClick(&window, Qt::Key_4, Qt::ControlModifier);
    auto *search = m_fixture->find<QLineEdit>(u"learn.search"_s);
    QTRY_VERIFY(search->isVisible());
    QTest::keyClicks(search, u"sixteen experts"_s);
    QTest::keyClick(search, Qt::Key_Return);
    QTRY_VERIFY2(page().startsWith(u"Sixteen experts"_s), qPrintable(page().left(80)));
    for (int step = 1; step < 3; ++step)
        QTest::keyClick(&window, Qt::Key_PageDown, Qt::ControlModifier);
    QTRY_COMPARE(button(u"lesson.train"_s)->text(), u"&Train 2 runs"_s);
    QVERIFY2(words(u"lesson.training"_s).startsWith(u"4000 steps each, on this computer"_s),
             qPrintable(words(u"lesson.training"_s)));
    QTRY_VERIFY(button(u"lesson.train"_s)->isVisible() && button(u"lesson.train"_s)->isEnabled());
    QApplication::processEvents(); // lays out what the step shows
    m_fixture->click(u"lesson.train"_s);
    QVERIFY(runs().isTraining());
    QTRY_VERIFY2_WITH_TIMEOUT(words(u"lesson.training"_s).startsWith(u"Dense (run 1 of 2): step "_s) || !runs().isTraining(),
                              qPrintable(words(u"lesson.training"_s)), test::kPatience);
    QVERIFY2(runs().isTraining(), qPrintable(m_fixture->find<ui::MessageBar>(u"bar.lesson.runs"_s)->text()));
    QTRY_VERIFY_WITH_TIMEOUT(runs().findChild<ui::LossPlot *>()->isVisible(), test::kPatience);
    m_fixture->click(u"lesson.stop"_s);
    QTRY_VERIFY_WITH_TIMEOUT(!runs().isTraining(), test::kPatience);
    QVERIFY(!m_fixture->find<ui::MessageBar>(u"bar.lesson.runs"_s)->isVisible());
}

STAGELENS_TEST(WindowLessonRuns)

} // namespace ui_learn_runs

#include "learn/runs.moc"
