#include "ui/shell/status_bar.h"

#include "ui/canvas/design.h"
#include "ui/controls/line_label.h"
#include "ui/controls/message_bar.h"
#include "ui/words/tr.h"

#include <QAbstractButton>
#include <QBoxLayout>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kStatusHeight = 6 * kGrid;
} // namespace

StatusBar::StatusBar(QAbstractButton *runs, QWidget *parent) : QStatusBar(parent), m_text(new LineLabel(this))
{
    setObjectName(u"status"_s);
    setSizeGripEnabled(false);
    setFixedHeight(kStatusHeight);
    setContentsMargins(kGrid, 0, kGrid, 0);
    m_text->setObjectName(u"status.text"_s);
    addWidget(m_text, 1);
    runs->setFixedHeight(kStatusHeight - kGrid);
    addPermanentWidget(runs);
    space();
}

void StatusBar::add(MessageBar *message)
{
    addWidget(message, 4); // a message needs more room than what is always there
    space();
}

void StatusBar::setSources(const QString &text)
{
    m_sources = text;
    say();
}

void StatusBar::setObstacle(const QString &text)
{
    m_obstacle = text;
    say();
}

void StatusBar::setMode(const QString &text)
{
    m_mode = text;
    say();
}

void StatusBar::space()
{
    for (QBoxLayout *row : layout()->findChildren<QBoxLayout *>())
        row->setSpacing(kControlSpacing);
}

void StatusBar::say()
{
    if (!m_mode.isEmpty())
        m_text->setText(m_mode);
    else
        m_text->setText(m_obstacle.isEmpty() ? m_sources
                                             : m_sources + u" · "_s + Words::tr("cannot be trained here: %1").arg(m_obstacle));
}

} // namespace stagelens::ui
