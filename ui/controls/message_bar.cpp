#include "ui/controls/message_bar.h"

#include "ui/canvas/design.h"
#include "ui/controls/button_style.h"
#include "ui/controls/line_label.h"
#include "ui/words/plain_text.h"

#include <QApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kRadius = 6;
constexpr int kIcon = 16;
constexpr int kLineButton = 5 * kGrid;
constexpr int kEdge = 130; ///< how much darker the edge is, in percent

void colourAsLink(QPushButton &button)
{
    QPalette linked = QApplication::palette();
    linked.setColor(QPalette::ButtonText, linked.color(QPalette::Link));
    button.setPalette(linked);
}

/// Returns the background of a message.
QColor ground(MessageBar::Tone tone, const QPalette &palette)
{
    const bool isDark = palette.color(QPalette::Window).lightness() < 128;
    if (tone == MessageBar::Tone::Warning)
        return isDark ? QColor(0x5a4310) : QColor(0xfff1c9);
    return isDark ? QColor(0x23374f) : QColor(0xe3eefb);
}
} // namespace

MessageBar::MessageBar(const QString &name, QWidget *parent, Form form)
    : QFrame(parent), m_form(form), m_icon(plainLabel(this)), m_buttons(new QHBoxLayout)
{
    setObjectName(name);
    auto *layout = new QHBoxLayout(this);
    layout->setSpacing(kControlSpacing);
    layout->addWidget(m_icon);
    if (form == Form::Card) {
        layout->setContentsMargins(kPanelMargin, kGrid, kPanelMargin, kGrid);
        m_label = plainLabel(this);
        m_label->setWordWrap(true);
        m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        layout->addWidget(m_label, 1);
    } else {
        layout->setContentsMargins(kControlSpacing, 0, kControlSpacing, 0);
        m_line = new LineLabel(this);
        layout->addWidget(m_line, 1);
    }
    layout->addLayout(m_buttons);
    hide();
}

int MessageBar::say(Tone tone, const QString &text, std::vector<Action> actions)
{
    m_tone = tone;
    showIcon();
    setText(text);
    // Deleted later: the bar may be spoken to from the click of one of its own buttons.
    while (QLayoutItem *item = m_buttons->takeAt(0)) {
        item->widget()->hide();
        item->widget()->setObjectName({});
        item->widget()->deleteLater();
        delete item;
    }
    for (Action &action : actions) {
        auto *button = new QPushButton(action.caption, this);
        button->setObjectName(objectName() + u'.' + action.caption);
        if (m_form == Form::Line) {
            button->setFlat(true);
            button->setFixedHeight(kLineButton);
            colourAsLink(*button);
        }
        // Queued: the action may replace the buttons of this bar, this one among them.
        connect(button, &QPushButton::clicked, this, std::move(action.run), Qt::QueuedConnection);
        m_buttons->addWidget(button);
    }
    show();
    update();
    return ++m_message;
}

void MessageBar::showIcon()
{
    m_icon->setPixmap(glyphIcon(m_tone == Tone::Warning ? Glyph::Warning : Glyph::Info)
                          .pixmap(QSize(kIcon, kIcon) * devicePixelRatioF(), QIcon::Normal, QIcon::Off));
}

void MessageBar::setText(const QString &text)
{
    m_text = text;
    if (m_label)
        m_label->setText(text);
    else
        m_line->setText(text);
    setAccessibleName(text);
}

void MessageBar::clear()
{
    hide();
    setText({});
}

void MessageBar::clear(int message)
{
    if (message == m_message)
        clear();
}

void MessageBar::changeEvent(QEvent *event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::ApplicationPaletteChange)
        showIcon();
    if (event->type() != QEvent::ApplicationPaletteChange || m_form != Form::Line)
        return;
    for (QPushButton *button : findChildren<QPushButton *>())
        colourAsLink(*button);
}

void MessageBar::paintEvent(QPaintEvent *event)
{
    Q_UNUSED(event)
    QPainter painter(this);
    const QColor colour = ground(m_tone, palette());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(colour);
    painter.setPen(m_form == Form::Line ? QPen(Qt::NoPen) : QPen(colour.darker(kEdge)));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kRadius, kRadius);
}

} // namespace stagelens::ui
