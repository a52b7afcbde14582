#include "ui/controls/message_bar.h"
#include "ui/words/plain_text.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

MessageBar::MessageBar(const QString &name, QWidget *parent)
    : QFrame(parent), m_icon(plainLabel(this)), m_label(plainLabel(this)), m_buttons(new QHBoxLayout)
{
    setObjectName(name);
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 4, 8, 4);
    layout->addWidget(m_icon);
    m_label->setWordWrap(true);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    layout->addWidget(m_label, 1);
    layout->addLayout(m_buttons);
    hide();
}

int MessageBar::say(Tone tone, const QString &text, std::vector<Action> actions)
{
    m_tone = tone;
    m_icon->setText(tone == Tone::Warning ? u"⚠"_s : u"ℹ"_s);
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
        // Queued: the action may replace the buttons of this bar, this one among them.
        connect(button, &QPushButton::clicked, this, std::move(action.run), Qt::QueuedConnection);
        m_buttons->addWidget(button);
    }
    colour();
    show();
    return ++m_message;
}

void MessageBar::setText(const QString &text)
{
    m_label->setText(text);
    setAccessibleName(text);
}

void MessageBar::clear()
{
    hide();
    m_label->clear();
}

void MessageBar::clear(int message)
{
    if (message == m_message)
        clear();
}

QString MessageBar::text() const
{
    return m_label->text();
}

void MessageBar::changeEvent(QEvent *event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::ApplicationPaletteChange)
        colour();
}

void MessageBar::colour()
{
    QPalette palette;
    const bool dark = palette.color(QPalette::Window).lightness() < 128;
    const QColor warning = dark ? QColor(0x5a4310) : QColor(0xfff1c9);
    const QColor note = dark ? QColor(0x23374f) : QColor(0xe3eefb);
    palette.setColor(QPalette::Window, m_tone == Tone::Warning ? warning : note);
    setPalette(palette);
}

} // namespace stagelens::ui
