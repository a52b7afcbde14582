// What-ifs in the window: fields, the verdict, the band on the end flag, and jobs that newer plans cancel.
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/controllers/sensitivity_controller.h"
#include "ui/panels/headline_bar.h"
#include "ui/shell/window_controllers.h"
#include "ui/state/fields.h"

#include <QLabel>
#include <QLineEdit>
#include <QTest>

namespace ui_window_what_if {

using namespace stagelens;
using namespace Qt::StringLiterals;
using test::WindowFixture;

namespace {

model::Experiment teaching()
{
    model::Experiment plan;
    plan.hasModel = false;
    plan.parallel.microbatches = 8;
    plan.cost.source = model::UniformCosts{{{"F", 1}, {"B", 2}}};
    return plan;
}

} // namespace

class WindowWhatIf : public QObject {
    Q_OBJECT

private slots:
    void init() { m_fixture = std::make_unique<WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }

    void theSlowDeviceIsNamed()
    {
        m_fixture->open();
        model::Experiment plan = teaching();
        plan.whatIf.slow = "3=1.5";
        m_fixture->window().document().start(plan, {}, u"Slow"_s);
        const auto verdict = [this] {
            return QString(m_fixture->window().explorePage().headline()->headline().text).replace(QChar(0xa0), u' ');
        };
        QTRY_VERIFY2(
            verdict().startsWith(u"Device 3 is 50 % slow and costs 27 % of the step. In first position it would cost 19 %."_s),
            qPrintable(verdict()));
        QVERIFY(note().contains(u"Without its what-ifs the step would take 33"_s));
        QVERIFY(!m_fixture->content().band);
        plan.whatIf.slow.clear();
        edit(plan);
        QTRY_VERIFY2(!verdict().contains(u"slow"_s), qPrintable(verdict()));
        QVERIFY(!note().contains(u"what-ifs"_s));
    }

    void theEndHasABand()
    {
        m_fixture->open();
        model::Experiment plan = teaching();
        plan.whatIf.jitter = 0.1;
        m_fixture->window().document().start(plan, {}, u"Jitter"_s);
        QTRY_VERIFY(m_fixture->content().band.has_value());
        const ui::EndBand band = *m_fixture->content().band;
        QVERIFY(band.from < band.to && band.to > m_fixture->window().forecast().plan()->metrics.iteration);
        QVERIFY(band.text.startsWith(u"5 to 95 %: "_s));
        QCOMPARE(m_fixture->content().groups.front().critical.size(), std::size_t{4});
        QVERIFY(note().contains(u"With 10 % jitter a step takes"_s) && note().contains(u"is critical most often"_s));
        ui::TimelineView &picture = *m_fixture->window().explorePage().timeline();
        const QImage with = picture.grab().toImage();
        ui::TimelineContent without = m_fixture->content();
        without.band.reset();
        without.groups.front().critical.clear();
        picture.setContent(without);
        QTRY_VERIFY(picture.grab().toImage() != with); // it is drawn
        plan.parallel.microbatches = 9;
        edit(plan);
        QVERIFY(!m_fixture->content().band); // of another plan
        QTRY_VERIFY(m_fixture->content().band.has_value());
        QVERIFY(m_fixture->content().band->to > band.to);
    }

    void aNewerPlanCancelsTheDraws()
    {
        m_fixture->open();
        model::Experiment plan = teaching();
        plan.parallel.microbatches = 256;
        plan.whatIf.jitter = 0.1;
        plan.whatIf.draws = 1'000'000;
        m_fixture->window().document().start(plan, {}, u"Long"_s);
        QTRY_VERIFY(sensitivity().isComputing());
        plan.whatIf.jitter.reset();
        plan.whatIf.draws.reset();
        edit(plan);
        QVERIFY(!sensitivity().isComputing());
        plan.whatIf.jitter = 0.1;
        edit(plan);
        QTRY_VERIFY_WITH_TIMEOUT(m_fixture->content().band.has_value(), test::kPatience); // the thread is free again
        plan.whatIf.draws = 1'000'000;
        edit(plan);
        QTRY_VERIFY(sensitivity().isComputing());
        m_fixture->close(); // with a job under way
    }

    void failuresAreForecast()
    {
        m_fixture->open();
        model::Experiment plan = teaching();
        plan.whatIf.failureInterval = 24;
        plan.whatIf.checkpointSeconds = 30;
        m_fixture->window().document().start(plan, {}, u"Failures"_s);
        QTRY_VERIFY2(note().contains(u"goodput 97."_s), qPrintable(note()));
    }

    /// The fields come from the schema; a text that is wrong marks its field, and the last plan stays.
    void fieldsExplainWhatIsWrong()
    {
        m_fixture->open();
        m_fixture->window().document().start(teaching(), {}, u"Fields"_s);
        m_fixture->openSettings();
        const auto of = std::ranges::find(ui::fieldGroups(), u"What if"_s, &ui::FieldGroup::caption);
        QVERIFY(of != ui::fieldGroups().end());
        QVERIFY(std::ranges::count(of->ids, u"what_if.slow"_s) == 1 && std::ranges::count(of->ids, u"what_if.lengths"_s) == 1);
        auto *const line = m_fixture->find<QLineEdit>(u"what_if.slow"_s);
        QVERIFY(line != nullptr);
        line->setFocus();
        QTest::keyClicks(line, u"9=1.5"_s);
        const auto &problems = m_fixture->window().forecast().problems();
        QCOMPARE(problems.size(), std::size_t{1});
        QCOMPARE(problems.front().field, std::string("what_if.slow"));
        line->selectAll();
        QTest::keyClicks(line, u"3=1.5"_s);
        QVERIFY(m_fixture->window().forecast().problems().empty());
        QCOMPARE(m_fixture->window().document().experiment().whatIf.slow, std::string("3=1.5"));
    }

private:
    void edit(const model::Experiment &plan) { m_fixture->window().document().edit(u"what_if"_s, u"What if"_s, plan); }
    [[nodiscard]] ui::SensitivityController &sensitivity() { return *m_fixture->window().controllers().sensitivity; }
    [[nodiscard]] QString note() { return m_fixture->window().findChild<QLabel *>(u"metrics.note"_s)->text(); }

    std::unique_ptr<WindowFixture> m_fixture;
};

STAGELENS_TEST(WindowWhatIf)

} // namespace ui_window_what_if

#include "window_what_if.moc"
