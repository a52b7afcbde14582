#include "ui/plots/copied_figures.h"

#include "ui/canvas/colours.h"
#include "ui/words/tr.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFocusEvent>
#include <QKeyEvent>
#include <QPainter>

#include <utility>

namespace stagelens::ui {

CopiedFigures::CopiedFigures(QWidget *plot, std::function<QString()> figures)
    : QWidget(plot), m_plot(plot), m_figures(std::move(figures))
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
    plot->setFocusPolicy(Qt::StrongFocus);
    plot->installEventFilter(this);
    plot->setContextMenuPolicy(Qt::ActionsContextMenu);
    const QString key = QKeySequence(QKeySequence::Copy).toString(QKeySequence::NativeText);
    auto *copy = new QAction(Words::tr("Copy as text") + u'\t' + key, plot);
    connect(copy, &QAction::triggered, this, [this] { copyText(m_underMenu); });
    plot->addAction(copy);
}

void CopiedFigures::copyText(const QString &text)
{
    if (!text.isEmpty())
        QApplication::clipboard()->setText(text);
}

bool CopiedFigures::eventFilter(QObject *watched, QEvent *event)
{
    switch (event->type()) {
    case QEvent::KeyPress:
        if (!static_cast<QKeyEvent *>(event)->matches(QKeySequence::Copy))
            break;
        copyText(m_figures());
        return true;
    case QEvent::ContextMenu: m_underMenu = m_figures(); break;
    case QEvent::FocusIn: {
        const Qt::FocusReason by = static_cast<QFocusEvent *>(event)->reason();
        setGeometry(m_plot->rect());
        raise();
        setVisible(by == Qt::TabFocusReason || by == Qt::BacktabFocusReason || by == Qt::ShortcutFocusReason);
        break;
    }
    case QEvent::FocusOut: hide(); break;
    case QEvent::Resize: setGeometry(m_plot->rect()); break;
    default: break;
    }
    return QWidget::eventFilter(watched, event);
}

void CopiedFigures::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setPen(QPen(coloursFor(palette()).focus, 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

} // namespace stagelens::ui
