#include "ui/sweep/tick_list.h"

#include "ui/words/plain_text.h"
#include "ui/words/tr.h"

#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

/// Stays open when an entry is ticked.
class StayingMenu : public QMenu {
public:
    using QMenu::QMenu;

protected:
    void mouseReleaseEvent(QMouseEvent *event) override
    {
        if (!tick(actionAt(event->pos())))
            QMenu::mouseReleaseEvent(event);
    }
    void keyPressEvent(QKeyEvent *event) override
    {
        const bool isTick = event->key() == Qt::Key_Space || event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
        if (!isTick || !tick(activeAction()))
            QMenu::keyPressEvent(event);
    }

private:
    static bool tick(QAction *action)
    {
        if (action == nullptr || action->isSeparator() || !action->isEnabled())
            return false;
        action->trigger();
        return true;
    }
};

} // namespace

TickList::TickList(const QString &name, QWidget *parent) : QToolButton(parent), m_menu(new StayingMenu(this))
{
    setObjectName(name);
    setPopupMode(QToolButton::InstantPopup);
    setToolButtonStyle(Qt::ToolButtonTextOnly);
    setMenu(m_menu);
}

void TickList::setChoices(const QStringList &words, const QStringList &captions)
{
    m_menu->clear();
    m_choices.clear();
    connect(m_menu->addAction(Words::tr("Tick all")), &QAction::triggered, this, [this] { tickAll(true); });
    connect(m_menu->addAction(Words::tr("Tick none")), &QAction::triggered, this, [this] { tickAll(false); });
    m_menu->addSeparator();
    for (qsizetype i = 0; i < words.size(); ++i) {
        QAction *choice = m_menu->addAction(QString(captions[i]).replace(u'&', u"&&"_s));
        choice->setCheckable(true);
        choice->setData(words[i]);
        connect(choice, &QAction::triggered, this, [this] {
            showCount();
            emit edited(ticked());
        });
        m_choices << choice;
    }
    showCount();
}

void TickList::setTicked(const QStringList &words)
{
    for (QAction *choice : m_choices)
        choice->setChecked(words.contains(choice->data().toString()));
    showCount();
}

void TickList::tickAll(bool on)
{
    for (QAction *choice : m_choices)
        choice->setChecked(on);
    showCount();
    emit edited(ticked());
}

QStringList TickList::ticked() const
{
    QStringList words;
    for (const QAction *choice : m_choices)
        if (choice->isChecked())
            words << choice->data().toString();
    return words;
}

void TickList::showCount()
{
    QStringList names;
    for (const QAction *choice : m_choices)
        if (choice->isChecked())
            names << choice->text();
    setText(Words::tr("%1 of %2 chosen").arg(names.size()).arg(m_choices.size()));
    setToolTip(plainTip(names.join(u", "_s)));
}

} // namespace stagelens::ui
