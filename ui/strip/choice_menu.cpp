#include "ui/strip/choice_menu.h"

#include "ui/state/experiment_document.h"
#include "ui/words/plain_text.h"

namespace stagelens::ui {

using namespace Qt::StringLiterals;

ChoiceMenu::ChoiceMenu(const Field &field, ExperimentDocument *document, QWidget *parent)
    : QMenu(parent), m_field(field), m_document(document)
{
    setObjectName(u"strip."_s + field.id);
    setToolTipsVisible(true);
    connect(this, &QMenu::aboutToShow, this, &ChoiceMenu::fill);
    connect(this, &QMenu::triggered, this, [this](QAction *action) {
        if (action->data().isValid())
            choose(action->data().toString());
    });
}

void ChoiceMenu::choose(const QString &value)
{
    m_document->choose(m_field, value);
    emit chosen(value);
}

void ChoiceMenu::addExtra(QAction *action)
{
    m_extra << action;
}

void ChoiceMenu::fill()
{
    for (QAction *extra : m_extra)
        removeAction(extra);
    clear();
    const QString now = m_field.value(m_document->experiment()).toString();
    for (const Choice &choice : m_field.choices) {
        QString words = choice.caption;
        words.replace(u'&', u"&&"_s);
        QAction *action = addAction(words);
        action->setData(choice.value);
        action->setToolTip(plainTip(choice.tip));
        action->setCheckable(true);
        action->setChecked(choice.value == now);
        if (choice.value == now)
            setActiveAction(action);
    }
    if (m_extra.isEmpty())
        return;
    addSeparator();
    addActions(m_extra);
}

} // namespace stagelens::ui
