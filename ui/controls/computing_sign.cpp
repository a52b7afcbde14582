#include "ui/controls/computing_sign.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kProgressWidth = 120;
} // namespace

ComputingSign::ComputingSign(QWidget *parent)
    : QFrame(parent), m_progress(new QProgressBar(this)), m_cancel(new QPushButton(Words::tr("Cancel"), this))
{
    setObjectName(u"computing"_s);
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setSpacing(8);
    auto *word = plainLabel(Words::tr("computing…"), this);
    layout->addWidget(word);
    m_progress->setRange(0, 0); // how much is left is not known
    m_progress->setFixedWidth(kProgressWidth);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(Words::tr("Prediction under way"));
    layout->addWidget(m_progress);
    m_cancel->setObjectName(u"computing.cancel"_s);
    m_cancel->setToolTip(Words::tr("Keep the last plan in the picture; undo takes the edit back"));
    layout->addWidget(m_cancel);
    connect(m_cancel, &QPushButton::clicked, this, &ComputingSign::cancelled);
    parent->installEventFilter(this);
    hide();
}

void ComputingSign::setState(bool shown, bool isLong)
{
    m_progress->setVisible(isLong);
    m_cancel->setVisible(isLong);
    setVisible(shown);
    if (shown)
        place();
}

bool ComputingSign::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize && isVisible())
        place();
    return QFrame::eventFilter(watched, event);
}

void ComputingSign::place()
{
    layout()->activate();
    resize(sizeHint());
    move((parentWidget()->width() - width()) / 2, (parentWidget()->height() - height()) / 2);
    raise();
}

} // namespace stagelens::ui
