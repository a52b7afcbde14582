#include "ui/controls/chip_button.h"

#include "ui/canvas/design.h"

#include <QStyleOptionButton>
#include <QStylePainter>

namespace stagelens::ui {

namespace {
constexpr int kFewestLetters = 6;
}

ChipButton::ChipButton(QWidget *parent) : QPushButton(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAutoDefault(false);
}

QSize ChipButton::sizeHint() const
{
    // The arrow of a menu keeps away from the text.
    return QPushButton::sizeHint() + QSize(menu() ? kControlSpacing : 0, 0);
}

QSize ChipButton::minimumSizeHint() const
{
    const int frame = sizeHint().width() - fontMetrics().size(Qt::TextShowMnemonic, text()).width();
    return {frame + kFewestLetters * fontMetrics().averageCharWidth(), sizeHint().height()};
}

void ChipButton::paintEvent(QPaintEvent *event)
{
    Q_UNUSED(event)
    QStylePainter painter(this);
    QStyleOptionButton option;
    initStyleOption(&option);
    int room = style()->subElementRect(QStyle::SE_PushButtonContents, &option, this).width();
    if (menu())
        room -= style()->pixelMetric(QStyle::PM_MenuButtonIndicator, &option, this) + kControlSpacing;
    option.text = fontMetrics().elidedText(option.text, Qt::ElideRight, room, Qt::TextShowMnemonic);
    painter.drawControl(QStyle::CE_PushButton, option);
}

} // namespace stagelens::ui
