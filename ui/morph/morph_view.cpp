#include "ui/morph/morph_view.h"

#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QKeyEvent>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace stagelens::ui {

MorphView::MorphView(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(Words::tr("Morph between two plans"));
}

void MorphView::setMorph(std::shared_ptr<const Morph> morph, MorphSide from, MorphSide to, bool teachingUnits)
{
    m_morph = std::move(morph);
    m_from = std::move(from);
    m_to = std::move(to);
    m_units = teachingUnits;
    m_reason.clear();
    update();
}

void MorphView::setReason(const QString &reason)
{
    m_morph.reset();
    m_reason = reason;
    update();
}

void MorphView::setProgress(double progress)
{
    m_progress = std::clamp(progress, 0.0, 1.0);
    setAccessibleDescription(Words::tr("%1 of the way from %2 to %3").arg(shareText(m_progress), m_from.name, m_to.name));
    update();
}

MorphLook MorphView::look() const
{
    MorphLook made;
    made.colours = &coloursFor(palette());
    made.font = font();
    made.font.setPixelSize(QFontInfo(font()).pixelSize());
    made.from = m_from.name;
    made.to = m_to.name;
    made.teachingUnits = m_units;
    return made;
}

void MorphView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const MorphLook style = look();
    if (m_morph) {
        paintMorph(painter, *m_morph, style, rect(), m_progress);
    } else {
        painter.fillRect(rect(), style.colours->background);
        painter.setPen(style.colours->muted);
        painter.drawText(rect().adjusted(24, 0, -24, 0), Qt::AlignCenter | Qt::TextWordWrap, m_reason);
    }
    if (hasFocus()) {
        painter.setPen(QPen(style.colours->focus, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void MorphView::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Left: emit moved(-0.02); break;
    case Qt::Key_Right: emit moved(0.02); break;
    case Qt::Key_Home: emit moved(-1); break;
    case Qt::Key_End: emit moved(1); break;
    case Qt::Key_Space: emit playAsked(); break;
    default: QWidget::keyPressEvent(event);
    }
}

} // namespace stagelens::ui
