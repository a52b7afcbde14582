#include "ui/learn/reorder_bar.h"

#include "ui/canvas/design.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QUndoStack>
#include <QVBoxLayout>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

ReorderBar::ReorderBar(QUndoStack *undo, QWidget *parent) : QWidget(parent), m_score(plainLabel(this))
{
    m_score->setObjectName(u"lesson.score"_s);
    m_score->setWordWrap(true);
    m_score->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto *how = plainLabel(Words::tr("Drag a pass to another place of its lane. With the keyboard, choose one with the arrow "
                                     "keys and move it with Alt+Shift+← and →."),
                           this);
    how->setObjectName(u"lesson.how"_s);
    how->setWordWrap(true);
    auto *button = new QPushButton(Words::tr("&Undo"), this);
    button->setObjectName(u"lesson.undo"_s);
    button->setToolTip(Words::tr("Puts the pass back that was moved last (Ctrl+Z)"));
    button->setAutoDefault(false);
    button->setEnabled(false);
    connect(button, &QPushButton::clicked, undo, &QUndoStack::undo);
    connect(undo, &QUndoStack::canUndoChanged, button, &QPushButton::setEnabled);
    auto *words = new QVBoxLayout;
    words->setSpacing(4);
    words->addWidget(m_score);
    words->addWidget(how);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addLayout(words, 1);
    row->addWidget(button, 0, Qt::AlignBottom);
    setFonts();
    hide();
}

void ReorderBar::setScore(const QString &score)
{
    m_score->setText(score);
}

void ReorderBar::setFonts()
{
    m_score->setFont(scaled(font(), TypeSize::Heading, QFont::DemiBold));
}

void ReorderBar::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        setFonts();
}

} // namespace stagelens::ui
