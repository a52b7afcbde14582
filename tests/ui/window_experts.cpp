// A mixture of experts in the window: the load of its experts while it trains, and again from the database.
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/plots/expert_plot.h"

#include <QTabWidget>

namespace ui_window_experts {

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowExperts : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        m_fixture = std::make_unique<test::WindowFixture>();
        m_fixture->open();
    }
    void cleanup() { m_fixture.reset(); }

    void loadsAreShownAndStored();

private:
    /// Returns the plot of the tab "Experts"; null where there is no such tab.
    ui::ExpertPlot *plot()
    {
        auto *plot = m_fixture->window().explorePage().findChild<ui::ExpertPlot *>();
        for (const QTabWidget *tabs : m_fixture->window().explorePage().findChildren<QTabWidget *>())
            if (tabs->indexOf(plot) >= 0 && tabs->tabText(tabs->indexOf(plot)) == u"Experts")
                return plot;
        return nullptr;
    }

    std::unique_ptr<test::WindowFixture> m_fixture;
};

void WindowExperts::loadsAreShownAndStored()
{
    m_fixture->usePlanForTraining(5);
    QVERIFY(plot() == nullptr); // a dense model has none
    auto plan = m_fixture->window().document().experiment();
    plan.model.family = model::ModelFamily::Llama;
    plan.model.ffn = 64;
    plan.model.experts = 4;
    plan.model.topK = 2;
    plan.model.expertFfn = 32;
    plan.parallel.replicas = plan.parallel.expert = 2;
    m_fixture->window().document().start(plan, {}, u"Tiny experts"_s);
    QTRY_VERIFY(plot() != nullptr);
    QCOMPARE(plot()->accessibleDescription(), u"No load of experts yet"_s);
    QTest::keyClick(&m_fixture->window(), Qt::Key_F5);
    QVERIFY(m_fixture->window().runController().isTraining());
    QTRY_VERIFY_WITH_TIMEOUT(m_fixture->isSettled(), test::kPatience);
    QVERIFY(plot() != nullptr);
    const QString trained = plot()->accessibleDescription();
    QVERIFY2(trained.startsWith(u"run 1: the busiest expert rank of step 5 has 1."_s), qPrintable(trained));

    m_fixture->window().close();
    auto &window = m_fixture->open();
    const auto *run = window.runsPanel().model()->run(window.runsPanel().model()->index(0, 0));
    QVERIFY(run != nullptr);
    emit window.runsPanel().showAsked(run->id);
    QTRY_VERIFY(plot() != nullptr && plot()->accessibleDescription() == trained);
}

STAGELENS_TEST(WindowExperts)

} // namespace ui_window_experts

#include "window_experts.moc"
