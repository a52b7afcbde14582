// Tables of the pages fit beside the contents, also in a window of 1366 pixels.
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/pages/learn_page.h"

#include <QAbstractTextDocumentLayout>
#include <QTextBrowser>
#include <QTextFrame>
#include <QTextTable>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>

namespace ui_learn_tables {

using namespace stagelens;
using namespace Qt::StringLiterals;

class LearnTables : public QObject {
    Q_OBJECT
private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }
    void noTableIsWiderThanItsPage_data();
    void noTableIsWiderThanItsPage();

private:
    std::unique_ptr<test::WindowFixture> m_fixture;
};

void LearnTables::noTableIsWiderThanItsPage_data()
{
    QTest::addColumn<QSize>("size");
    QTest::newRow("1366x768") << QSize(1366, 768);
    QTest::newRow("800x600") << QSize(800, 600);
}

void LearnTables::noTableIsWiderThanItsPage()
{
    QFETCH(QSize, size);
    ui::MainWindow &window = m_fixture->open();
    window.resize(size);
    window.actions().learn->trigger();
    auto *contents = m_fixture->find<QTreeWidget>(u"learn.contents"_s);
    auto *text = m_fixture->find<QTextBrowser>(u"learn.text"_s);
    int tables = 0;
    QStringList wide;
    QStringList plain; // headers
    for (QTreeWidgetItemIterator at(contents); *at; ++at) {
        contents->setCurrentItem(*at);
        QApplication::processEvents();
        if (!text->isVisible())
            continue;
        for (QTextFrame *frame : text->document()->rootFrame()->childFrames()) {
            if (!qobject_cast<QTextTable *>(frame))
                continue;
            ++tables;
            auto *table = qobject_cast<QTextTable *>(frame);
            const QTextTableCell first = table->cellAt(0, 0);
            QTextCursor cell = first.firstCursorPosition();
            const bool hasEmptyLine = cell.block().length() == 1 && cell != first.lastCursorPosition();
            cell.movePosition(QTextCursor::NextCharacter, QTextCursor::KeepAnchor);
            const bool isWord = !cell.selectedText().trimmed().isEmpty() && !cell.charFormat().fontFixedPitch();
            if (hasEmptyLine || (isWord && cell.charFormat().fontWeight() != QFont::Bold))
                plain << (*at)->text(0);
            const QRectF place = text->document()->documentLayout()->frameBoundingRect(frame);
            if (place.right() > text->viewport()->width())
                wide << u"%1: %2 of %3 pixels"_s.arg((*at)->text(0)).arg(place.right()).arg(text->viewport()->width());
        }
    }
    QVERIFY2(tables > 3, qPrintable(QString::number(tables)));
    QVERIFY2(wide.isEmpty(), qPrintable(wide.join(u'\n')));
    QVERIFY2(plain.isEmpty(), qPrintable(plain.join(u'\n')));
}

STAGELENS_TEST(LearnTables)

} // namespace ui_learn_tables

#include "learn/tables.moc"
