// The documentation inside the window, and the way from a page to a plan.
#include "tests/ui/window_fixture.h"
#include "ui/shell/learn_page.h"

#include <QPushButton>
#include <QTextBrowser>
#include <QTreeWidget>

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowLearn : public QObject {
    Q_OBJECT
private slots:
    void init()
    {
        test::failOnWarnings();
        m_fixture = std::make_unique<test::WindowFixture>();
    }
    void cleanup() { m_fixture.reset(); }

    void theFourthModeShowsTheFirstSteps();
    void everyPageCanBeRead();
    void aMethodsPageIsTriedOnThePlan();
    void anExampleOpensInExplore();

private:
    QTreeWidgetItem *entry(const QString &title)
    {
        auto *contents = m_fixture->find<QTreeWidget>(u"learn.contents"_s);
        return contents->findItems(title, Qt::MatchExactly | Qt::MatchRecursive).value(0);
    }
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void WindowLearn::theFourthModeShowsTheFirstSteps()
{
    auto &window = m_fixture->open();
    QTest::keyClick(&window, Qt::Key_4, Qt::ControlModifier);
    auto *text = m_fixture->find<QTextBrowser>(u"learn.text"_s);
    QVERIFY(text->isVisible());
    QVERIFY2(text->toPlainText().startsWith(u"First steps"_s), qPrintable(text->toPlainText().left(80)));
    QVERIFY(!m_fixture->find<QPushButton>(u"learn.try"_s)->isVisible());
    QTest::keyClick(&window, Qt::Key_Escape);
    QVERIFY(window.explorePage().isVisible());
}

void WindowLearn::everyPageCanBeRead()
{
    auto &window = m_fixture->open();
    window.actions().learn->trigger();
    auto *contents = m_fixture->find<QTreeWidget>(u"learn.contents"_s);
    auto *text = m_fixture->find<QTextBrowser>(u"learn.text"_s);
    int pages = 0;
    for (QTreeWidgetItemIterator at(contents); *at; ++at) {
        if ((*at)->childCount() > 0)
            continue;
        contents->setCurrentItem(*at);
        QVERIFY2(text->toPlainText().size() > 40, qPrintable((*at)->text(0)));
        ++pages;
    }
    QVERIFY(pages > 30);
}

void WindowLearn::aMethodsPageIsTriedOnThePlan()
{
    auto &window = m_fixture->open();
    window.actions().learn->trigger();
    auto *contents = m_fixture->find<QTreeWidget>(u"learn.contents"_s);
    contents->setCurrentItem(entry(u"VOCAB-2: split, 1 barrier"_s));
    m_fixture->click(u"learn.try"_s);
    QVERIFY(window.explorePage().isVisible());
    QVERIFY(window.document().experiment().schedule.vocabulary == model::VocabularyMethod::Vocab2);
    window.actions().learn->trigger();
    contents->setCurrentItem(entry(u"GPipe"_s));
    m_fixture->click(u"learn.try"_s);
    QCOMPARE(window.document().experiment().schedule.family, std::string("gpipe"));
    QVERIFY(window.forecast().problems().empty());
    window.actions().undo->trigger();
    QCOMPARE(window.document().experiment().schedule.family, std::string("1f1b"));
}

void WindowLearn::anExampleOpensInExplore()
{
    auto &window = m_fixture->open();
    window.actions().learn->trigger();
    auto *example = entry(u"Textbook 1F1B"_s);
    QVERIFY(example);
    m_fixture->find<QTreeWidget>(u"learn.contents"_s)->setCurrentItem(example);
    m_fixture->click(u"learn.try"_s);
    QVERIFY(window.explorePage().isVisible());
    QVERIFY(m_fixture->content().teachingUnits);
}

QTEST_MAIN(WindowLearn)
#include "window_learn.moc"
