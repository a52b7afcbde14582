#include "ui/panels/headline_bar.h"
#include "ui/words/plain_text.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

HeadlineBar::HeadlineBar(QWidget *parent) : QFrame(parent), m_label(plainLabel(this)), m_button(new QPushButton(this))
{
    setObjectName(u"headline"_s);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 6, 8, 6);
    layout->setSpacing(12);
    m_label->setObjectName(u"headline.text"_s);
    m_label->setWordWrap(true);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    sizeText();
    m_button->setObjectName(u"headline.action"_s);
    m_button->installEventFilter(this);
    m_button->hide();
    layout->addWidget(m_label, 1);
    layout->addWidget(m_button);
    connect(m_button, &QPushButton::clicked, this, [this] {
        if (m_headline.action)
            emit applied(*m_headline.action);
        else if (!m_headline.family.isEmpty())
            emit familyApplied(m_headline.family);
        else if (m_headline.isFix)
            emit fixApplied();
    });
}

void HeadlineBar::setHeadline(const Headline &headline)
{
    m_headline = headline;
    m_label->setText(headline.text);
    m_button->setVisible(headline.hasAction());
    m_button->setText(headline.actionCaption);
    m_button->setAccessibleDescription(headline.text);
    m_button->setToolTip(plainTip(headline.isFix    ? u"Changes this plan so that it fits. Undo takes it back."_s
                                  : headline.action ? u"Sets the vocabulary layers of this plan. Undo takes it back."_s
                                                    : u"Sets the schedule of this plan. Undo takes it back."_s));
    if (!headline.action && headline.family.isEmpty())
        emit hovered(false);
}

void HeadlineBar::sizeText()
{
    QFont larger = font();
    larger.setPointSizeF(larger.pointSizeF() * 1.15);
    m_label->setFont(larger);
}

void HeadlineBar::changeEvent(QEvent *event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        sizeText();
}

bool HeadlineBar::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Enter || event->type() == QEvent::FocusIn)
        emit hovered(true);
    else if (event->type() == QEvent::Leave || event->type() == QEvent::FocusOut || event->type() == QEvent::Hide)
        emit hovered(false);
    return QFrame::eventFilter(watched, event);
}

} // namespace stagelens::ui
