#include "ui/timeline/search_line.h"
#include "ui/controls/button_style.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

SearchLine::SearchLine(QWidget *parent) : QFrame(parent), m_edit(new QLineEdit(this)), m_count(plainLabel(this))
{
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(8, 4, 8, 4);
    row->addWidget(plainLabel(Words::tr("Find"), this));
    m_edit->setObjectName(u"search.text"_s);
    m_edit->setAccessibleName(Words::tr("Find passes"));
    m_edit->setPlaceholderText(Words::tr("B 17, stage 3, device 2"));
    m_edit->setToolTip(Words::tr("Kind, microbatch, stage N, device N. Return goes on, Shift+Return back, Esc closes"));
    m_edit->setMinimumWidth(170);
    m_count->setObjectName(u"search.count"_s);
    m_count->setMinimumWidth(m_count->fontMetrics().horizontalAdvance(u"0000 of 0000 passes"_s));
    row->addWidget(m_edit);
    row->addWidget(m_count);
    for (const auto &[arrow, by, name] :
         {std::tuple{Glyph::Previous, -1, Words::tr("Previous match")}, std::tuple{Glyph::Next, 1, Words::tr("Next match")}}) {
        auto *button = new QToolButton(this);
        button->setIcon(glyphIcon(arrow));
        button->setToolTip(plainTip(name));
        button->setAccessibleName(name);
        connect(button, &QToolButton::clicked, this, [this, by = by] { step(by); });
        row->addWidget(button);
    }
    connect(m_edit, &QLineEdit::textChanged, this, &SearchLine::search);
    hide();
}

void SearchLine::open()
{
    show();
    raise();
    m_edit->setFocus(Qt::ShortcutFocusReason);
    m_edit->selectAll();
}

void SearchLine::setTimeline(timeline::TimelinePtr timeline)
{
    if (timeline == m_timeline)
        return;
    m_timeline = std::move(timeline);
    m_matches.clear();
    m_at = -1;
    if (isVisible())
        search();
}

void SearchLine::search()
{
    const auto query = parseQuery(m_edit->text());
    m_matches = query && m_timeline ? findPasses(*m_timeline, *query) : std::vector<timeline::SliceId>();
    m_at = -1;
    say();
    if (!m_matches.empty() && m_edit->hasFocus())
        step(1);
}

void SearchLine::step(int by)
{
    const auto count = std::ssize(m_matches);
    if (count == 0)
        return;
    m_at = m_at < 0 && by < 0 ? count - 1 : (m_at + by + count) % count;
    say();
    emit found(m_matches[static_cast<std::size_t>(m_at)]);
}

void SearchLine::say()
{
    if (m_edit->text().trimmed().isEmpty())
        m_count->clear();
    else if (!parseQuery(m_edit->text()))
        m_count->setText(Words::tr("write B 17 or stage 3"));
    else
        m_count->setText(m_matches.empty() ? Words::tr("no such pass")
                                           : Words::tr("%1 of %2 passes").arg(m_at + 1).arg(m_matches.size()));
}

void SearchLine::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        step((event->modifiers() & Qt::ShiftModifier) != 0 ? -1 : 1);
    } else if (event->key() == Qt::Key_Escape) {
        hide();
        emit closed();
    } else {
        QFrame::keyPressEvent(event);
    }
}

} // namespace stagelens::ui
