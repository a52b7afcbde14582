// A page whose height depends on the bar beside it.
#include "ui/shell/page_scroll.h"
#include "tests/support/test_program.h"

#include <QScrollBar>
#include <QVBoxLayout>
#include <QtTest>

namespace ui_shell_page_scroll {

using namespace stagelens;

namespace {

/// A part that is higher where it is wider.
class Part : public QWidget {
protected:
    void resizeEvent(QResizeEvent *event) override
    {
        QWidget::resizeEvent(event);
        setMinimumHeight(width() < 300 ? 100 : 300);
    }
};

} // namespace

class ShellPageScroll : public QObject {
    Q_OBJECT
private slots:
    void aPageThatIsLowerBesideTheBarSettles();
};

void ShellPageScroll::aPageThatIsLowerBesideTheBarSettles()
{
    ui::PageScroll scroll;
    scroll.setFrameShape(QFrame::NoFrame);
    scroll.setWidgetResizable(true);
    auto *page = new QWidget;
    auto *rows = new QVBoxLayout(page);
    rows->setContentsMargins({});
    rows->addWidget(new Part);
    scroll.setWidget(page);
    scroll.resize(300, 200);
    scroll.show();
    QTRY_VERIFY(scroll.verticalScrollBar()->isVisible());
    QTRY_COMPARE(page->size(), scroll.viewport()->size());
    QCOMPARE(scroll.verticalScrollBar()->maximum(), 0);
    scroll.resize(300, 400);
    QTRY_VERIFY(!scroll.verticalScrollBar()->isVisible());
    QTRY_COMPARE(page->size(), QSize(300, 400));
}

STAGELENS_TEST(ShellPageScroll)

} // namespace ui_shell_page_scroll

#include "shell/page_scroll.moc"
