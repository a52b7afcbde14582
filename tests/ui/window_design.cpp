// The look of the window in every mode: sizes of type from the scale, margins and spacings on the grid, no text cut off.
#include "tests/support/test_program.h"
#include "tests/ui/window_fixture.h"
#include "ui/canvas/design.h"
#include "ui/controls/button_style.h"
#include "ui/panels/headline_bar.h"

#include <QAbstractButton>
#include <QFontInfo>
#include <QFormLayout>
#include <QGridLayout>
#include <QLabel>
#include <QLayout>
#include <QPushButton>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>

namespace ui_window_design {

using namespace stagelens;
using namespace Qt::StringLiterals;

class WindowDesign : public QObject {
    Q_OBJECT
private slots:
    void init() { m_fixture = std::make_unique<test::WindowFixture>(); }
    void cleanup() { m_fixture.reset(); }
    void everyModeKeepsToScaleAndGrid_data();
    void everyModeKeepsToScaleAndGrid();
    void presentedTypeIsLarge();
    void noButtonHasALetterForAnIcon();
    void aLongVerdictKeepsItsSecondLine();
    void noLineOfAVerdictEndsWithinAName();
    void aWiderVerdictIsNotHigher();

private:
    std::unique_ptr<test::WindowFixture> m_fixture;
};

namespace {

QString nameOf(const QObject *object)
{
    QStringList path;
    for (; object && path.size() < 3; object = object->parent())
        path.prepend(object->objectName().isEmpty() ? QString::fromLatin1(object->metaObject()->className())
                                                    : object->objectName());
    return path.join(u" / "_s);
}

/// The faults of the visible widgets, one a line.
QStringList offScale(const QWidget &window)
{
    QList<int> sizes;
    for (const ui::TypeSize size : ui::kTypeScale)
        sizes << QFontInfo(ui::scaled(window.font(), size)).pixelSize();
    QStringList faults;
    for (const QWidget *widget : window.findChildren<QWidget *>())
        if (const int size = QFontInfo(widget->font()).pixelSize(); widget->isVisible() && !sizes.contains(size))
            faults << u"%1: type of %2 px"_s.arg(nameOf(widget)).arg(size);
    return faults;
}

QStringList offGrid(const QWidget &window)
{
    QStringList faults;
    const auto check = [&faults](const QLayout &layout, const QString &what, int pixels) {
        if (pixels > 0 && pixels % ui::kGrid != 0)
            faults << u"%1: %2 of %3 px"_s.arg(nameOf(&layout), what).arg(pixels);
    };
    for (const QLayout *layout : window.findChildren<QLayout *>()) {
        const auto *form = qobject_cast<const QFormLayout *>(layout);
        const auto *grid = qobject_cast<const QGridLayout *>(layout);
        if (!form && !grid && !qobject_cast<const QBoxLayout *>(layout))
            continue; // of Qt's own window and docks
        const QMargins margins = layout->contentsMargins();
        for (const int margin : {margins.left(), margins.top(), margins.right(), margins.bottom()})
            check(*layout, u"margin"_s, margin);
        check(*layout, u"spacing"_s, form ? form->verticalSpacing() : grid ? grid->verticalSpacing() : layout->spacing());
        check(*layout, u"spacing"_s, form ? form->horizontalSpacing() : grid ? grid->horizontalSpacing() : layout->spacing());
    }
    return faults;
}

/// Buttons and labels of one line that are narrower than their text.
QStringList cutOff(const QWidget &window)
{
    QStringList faults;
    for (const QWidget *widget : window.findChildren<QWidget *>()) {
        const auto *label = qobject_cast<const QLabel *>(widget);
        const auto *button = qobject_cast<const QPushButton *>(widget);
        const bool isFixed = (label && !label->wordWrap() && label->sizePolicy().horizontalPolicy() != QSizePolicy::Ignored) ||
                             (button && !button->text().isEmpty());
        if (isFixed && widget->isVisible() && widget->width() < widget->minimumSizeHint().width())
            faults << u"%1: %2 of %3 px are seen"_s.arg(nameOf(widget)).arg(widget->width()).arg(widget->sizeHint().width());
    }
    return faults;
}

} // namespace

void WindowDesign::everyModeKeepsToScaleAndGrid_data()
{
    QTest::addColumn<QString>("action");
    QTest::addColumn<QSize>("size");
    for (const QSize size : {QSize(1366, 768), QSize(1440, 900), QSize(2560, 1440)})
        for (const QString &action : {u"explore"_s, u"settings"_s, u"edit-schedule"_s, u"compare"_s, u"sweep"_s, u"learn"_s})
            QTest::addRow("%s %d", qPrintable(action), size.width()) << u"action."_s + action << size;
}

void WindowDesign::everyModeKeepsToScaleAndGrid()
{
    QFETCH(const QString, action);
    QFETCH(const QSize, size);
    ui::MainWindow &window = m_fixture->open();
    window.resize(size);
    window.findChild<QAction *>(action)->trigger();
    // A prediction that arrives changes texts, and the layouts follow an event later.
    const auto faults = [&] { return offScale(window) + offGrid(window) + cutOff(window); };
    QTRY_VERIFY2(faults().isEmpty(), qPrintable(faults().join(u'\n')));
}

void WindowDesign::presentedTypeIsLarge()
{
    ui::MainWindow &window = m_fixture->open();
    window.actions().presentation->trigger();
    QApplication::processEvents();
    constexpr int kLeastPixels = 24;
    for (const QWidget *widget : window.explorePage().findChildren<QWidget *>())
        if (widget->isVisible())
            QVERIFY2(QFontInfo(widget->font()).pixelSize() >= kLeastPixels, qPrintable(nameOf(widget)));
    QVERIFY(window.findChild<QLabel *>(u"presentation.title"_s)->isVisible());
}

/// Else a page that is scrolled swings between two heights for ever: the scroll bar narrows the card, the lower card removes
/// the bar.
void WindowDesign::aWiderVerdictIsNotHigher()
{
    for (const int pixels : {0, 24, 32}) { // of the type of a presentation
        ui::HeadlineBar bar;
        bar.show();
        if (pixels > 0) {
            QFont font = bar.font();
            font.setPixelSize(pixels);
            bar.setFont(font);
        }
        ui::Headline headline;
        headline.text = u"Device 3 holds the others up: 68 % of its work is the output layer; the others idle 73 % of the "
                        u"time. VOCAB-2 would make the iteration about 1.8x as fast."_s;
        headline.second = u"Also: V-Half, −4.7 GiB, +0.4 %."_s;
        bar.setHeadline(headline);
        int narrower = QWIDGETSIZE_MAX;
        for (int width = 300; width <= 2400; width += 3) {
            bar.resize(width, bar.height());
            QVERIFY2(bar.height() <= narrower, qPrintable(u"%1 px of type, %2 px wide"_s.arg(pixels).arg(width)));
            narrower = bar.height();
        }
    }
}

void WindowDesign::aLongVerdictKeepsItsSecondLine()
{
    ui::HeadlineBar bar;
    bar.resize(700, 90); // a window of 800 pixels has about that
    bar.show();
    const auto *text = bar.findChild<QLabel *>(u"headline.text"_s);
    const auto *second = bar.findChild<QLabel *>(u"headline.second"_s);
    ui::Headline headline;
    headline.second = u"Also: V-Half, −4.7 GiB, +0.4 %."_s;
    headline.text = u"All devices are equally busy."_s;
    bar.setHeadline(headline);
    const int height = bar.height();
    QVERIFY(second->isVisible());
    headline.text = u"Device 3 holds the others up: 68 % of its work is the output layer; the others idle 73 % of the time. "
                    u"VOCAB-2 would make the iteration about 1.8x as fast."_s;
    bar.setHeadline(headline);
    QApplication::processEvents();
    QCOMPARE(bar.height(), height); // nothing below it moves
    QVERIFY(second->isVisible());
    const int needed =
        QFontMetrics(text->font()).boundingRect(QRect(0, 0, text->width(), 1000), Qt::TextWordWrap, headline.text).height();
    QVERIFY2(needed <= text->height(), qPrintable(u"%1 of %2"_s.arg(needed).arg(text->height())));
    QVERIFY(text->geometry().bottom() < second->geometry().top() && second->geometry().bottom() <= bar.rect().bottom() - 4);
}

void WindowDesign::noLineOfAVerdictEndsWithinAName()
{
    ui::HeadlineBar bar;
    bar.show();
    ui::Headline headline;
    headline.text = u"The devices are evenly loaded; they idle 11 % of the time. V-ZB with VOCAB-1 would make the iteration "
                    u"about 1.1x as fast."_s;
    bar.setHeadline(headline);
    const auto *label = bar.findChild<QLabel *>(u"headline.text"_s);
    int lines = 0;
    for (int width = 500; width <= 1600; width += 2) {
        bar.resize(width, bar.height());
        QTextDocument shown;
        shown.setHtml(label->text());
        shown.setDefaultFont(label->font());
        shown.setDocumentMargin(0);
        shown.setTextWidth(label->width());
        QVERIFY(shown.size().height() > 0); // lays it out
        const QTextBlock block = shown.firstBlock();
        for (int i = 0; i + 1 < block.layout()->lineCount(); ++i, ++lines) {
            const QTextLine line = block.layout()->lineAt(i);
            const QChar last = block.text().at(line.textStart() + line.textLength() - 1);
            QVERIFY2(last.isSpace(), qPrintable(u"%1 px: %2"_s.arg(width).arg(last)));
        }
    }
    QVERIFY(lines > 200);
}

void WindowDesign::noButtonHasALetterForAnIcon()
{
    auto &window = m_fixture->open();
    window.actions().editSchedule->trigger();
    static const QRegularExpression kIcons(u"[▸▾◂◀▶✕✓⟳⋯×⚠ℹ●○▲▼]"_s); // fonts draw them in sizes of their own
    int seen = 0;
    for (const auto *button : window.findChildren<QAbstractButton *>()) {
        QVERIFY2(!kIcons.match(button->text()).hasMatch(), qPrintable(button->objectName() + u": "_s + button->text()));
        seen += button->icon().isNull() ? 0 : 1;
    }
    QVERIFY(seen >= 6);
    for (const auto *label : window.findChildren<QLabel *>())
        QVERIFY2(label->text() != u"⚠"_s && label->text() != u"ℹ"_s, qPrintable(label->objectName()));
    // They follow the theme.
    const auto inkOf = [](ui::Glyph glyph) {
        const QImage picture = ui::glyphIcon(glyph).pixmap(QSize(32, 32), QIcon::Normal, QIcon::Off).toImage();
        QColor ink;
        for (int y = 0; y < picture.height(); ++y)
            for (int x = 0; x < picture.width(); ++x)
                if (picture.pixelColor(x, y).alpha() == 255)
                    ink = picture.pixelColor(x, y);
        return ink;
    };
    using ui::Glyph;
    for (const Glyph glyph : {Glyph::Play, Glyph::Stop, Glyph::Previous, Glyph::Next, Glyph::Close, Glyph::Warning, Glyph::Info,
                              Glyph::Dot, Glyph::Ring, Glyph::Check}) {
        QVERIFY(inkOf(glyph).isValid() && inkOf(glyph).lightness() < 128);
        ui::applyAppearance(ui::Appearance::Dark);
        QVERIFY(inkOf(glyph).lightness() > 128);
        ui::applyAppearance(ui::Appearance::Light);
        QVERIFY(ui::glyphIcon(glyph).pixmap(QSize(0, 16)).isNull()); // of a button without room, and no warning
    }
}

STAGELENS_TEST(WindowDesign)

} // namespace ui_window_design

#include "window_design.moc"
