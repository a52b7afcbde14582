#include "ui/panels/shown_switch.h"
#include "ui/controls/button_style.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"

#include <QAction>
#include <QActionGroup>
#include <QHBoxLayout>
#include <QMenu>
#include <QShortcut>
#include <QToolButton>

#include <array>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

ShownSwitch::ShownSwitch(QWidget *parent) : QWidget(parent), m_shown(new QActionGroup(this))
{
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    struct Part {
        QString name;
        QString caption;
        QString tip;
    };
    const std::array parts{Part{Words::tr("Predicted"), Words::tr("Predicted"), Words::tr("Only the prediction")},
                           Part{Words::tr("Measured"), Words::tr("Measured"), Words::tr("Only the run that is shown")},
                           Part{Words::tr("Both"), Words::tr("Both"), Words::tr("Prediction above, run below")}};
    QList<QToolButton *> buttons;
    for (const Part &part : parts) {
        auto *action = new QAction(part.caption, m_shown);
        action->setCheckable(true);
        action->setToolTip(plainTip(part.tip));
        auto *button = new QToolButton(this);
        button->setDefaultAction(action);
        button->setFocusPolicy(Qt::StrongFocus);
        button->setObjectName(u"shown."_s + part.name);
        row->addWidget(button);
        buttons << button;
        if (&part == &parts[static_cast<std::size_t>(Shown::Measured)])
            addMeasuredMenu(button);
    }
    makeSegments(buttons);
    m_shown->actions().constLast()->setChecked(true);
    connect(m_shown, &QActionGroup::triggered, this, &ShownSwitch::shownChanged);
}

void ShownSwitch::addMeasuredMenu(QToolButton *button)
{
    auto *menu = new QMenu(button);
    menu->setObjectName(button->objectName() + u".menu"_s);
    menu->setToolTipsVisible(true);
    button->setMenu(menu);
    button->setPopupMode(QToolButton::MenuButtonPopup);
    button->defaultAction()->setToolTip(
        plainTip(Words::tr("Only the run that is shown; the list beside it (Alt+Down) chooses run and step")));
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { emit measuredMenuOpens(menu); });
    auto *open = new QShortcut(QKeySequence(Qt::ALT | Qt::Key_Down), button);
    open->setContext(Qt::WidgetShortcut);
    connect(open, &QShortcut::activated, button, &QToolButton::showMenu);
}

Shown ShownSwitch::shown() const
{
    return static_cast<Shown>(m_shown->actions().indexOf(m_shown->checkedAction()));
}

void ShownSwitch::setShown(Shown shown)
{
    m_shown->actions()[static_cast<int>(shown)]->setChecked(true);
    emit shownChanged();
}

} // namespace stagelens::ui
