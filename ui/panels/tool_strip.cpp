#include "ui/panels/tool_strip.h"
#include "ui/words/plain_text.h"

#include "ui/controls/flow_layout.h"
#include "ui/panels/field_editor.h"
#include "ui/state/experiment_document.h"

#include <QAction>
#include <QActionGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QShortcut>
#include <QToolButton>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

QToolButton *buttonOf(QAction *action, QWidget *parent)
{
    auto *button = new QToolButton(parent);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setFocusPolicy(Qt::StrongFocus);
    return button;
}

/// Widgets that stay together in one row, at one height with all others.
QWidget *row(QWidget *parent, const QList<QWidget *> &parts, int gap)
{
    auto *box = new QWidget(parent);
    auto *layout = new QHBoxLayout(box);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(gap);
    for (QWidget *part : parts)
        layout->addWidget(part);
    box->setMinimumHeight(28);
    return box;
}

} // namespace

ToolStrip::ToolStrip(ExperimentDocument *document, const RunActions &run, QWidget *parent)
    : QWidget(parent), m_shown(new QActionGroup(this)), m_progress(plainLabel(this))
{
    auto *layout = new FlowLayout(this, 14, 4);
    layout->setContentsMargins(8, 4, 8, 4);
    QToolButton *trainButton = buttonOf(run.plan, this);
    trainButton->setObjectName(u"strip.train"_s);
    connect(run.copy, &QAction::enabledChanged, trainButton, [trainButton, run](bool on) {
        trainButton->removeAction(on ? run.plan : run.copy); // two actions would make it a menu
        trainButton->setDefaultAction(on ? run.copy : run.plan);
    });
    QToolButton *stopButton = buttonOf(run.stop, this);
    stopButton->setObjectName(u"strip.stop"_s);
    layout->addWidget(row(this, {trainButton, stopButton}, 4));
    m_progress->setObjectName(u"strip.progress"_s);
    QWidget *progress = row(this, {m_progress}, 0);
    layout->addWidget(progress);
    progress->hide();
    for (const QString &id : {u"model.preset"_s, u"model.vocabulary_size"_s, u"parallel.devices"_s, u"parallel.microbatches"_s,
                              u"schedule.family"_s, u"schedule.vocabulary"_s, u"cost.hardware"_s}) {
        auto *editor = new FieldEditor(ui::field(id), document, this);
        editor->control()->setObjectName(u"strip."_s + id);
        m_editors.push_back(editor);
        QWidget *const place = row(this, {editor->makeCaption(this), editor}, 5);
        layout->addWidget(place);
        if (editor->field().applies)
            connect(document, &ExperimentDocument::changed, place,
                    [place, editor, document] { place->setVisible(editor->field().applies(document->experiment())); });
    }
    QList<QWidget *> buttons;
    for (const auto &[text, tip] :
         {std::pair{u"Predicted"_s, u"Only the prediction"_s}, std::pair{u"Measured"_s, u"Only the run that is shown"_s},
          std::pair{u"Both"_s, u"Prediction above, run below"_s}}) {
        auto *action = new QAction(text, m_shown);
        action->setCheckable(true);
        action->setToolTip(plainTip(tip));
        QToolButton *button = buttonOf(action, this);
        button->setObjectName(u"strip.shown."_s + text);
        buttons << button;
        if (m_shown->actions().size() == static_cast<int>(Shown::Measured) + 1)
            addMeasuredMenu(button);
    }
    m_shown->actions().constLast()->setChecked(true);
    connect(m_shown, &QActionGroup::triggered, this, &ToolStrip::shownChanged);
    layout->addWidget(row(this, buttons, 0));
}

void ToolStrip::addMeasuredMenu(QToolButton *button)
{
    auto *menu = new QMenu(button);
    menu->setObjectName(button->objectName() + u".menu"_s);
    menu->setToolTipsVisible(true);
    button->setMenu(menu);
    button->setPopupMode(QToolButton::MenuButtonPopup);
    button->defaultAction()->setToolTip(u"Only the run that is shown; the list beside it (Alt+Down) chooses run and step"_s);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { emit measuredMenuOpens(menu); });
    auto *open = new QShortcut(QKeySequence(Qt::ALT | Qt::Key_Down), button);
    open->setContext(Qt::WidgetShortcut);
    connect(open, &QShortcut::activated, button, &QToolButton::showMenu);
}

Shown ToolStrip::shown() const
{
    return static_cast<Shown>(m_shown->actions().indexOf(m_shown->checkedAction()));
}

void ToolStrip::setShown(Shown shown)
{
    m_shown->actions()[static_cast<int>(shown)]->setChecked(true);
    emit shownChanged();
}

void ToolStrip::setProgress(const QString &text)
{
    m_progress->setText(text);
    m_progress->parentWidget()->setVisible(!text.isEmpty());
    m_progress->setAccessibleName(text);
    layout()->invalidate();
}

} // namespace stagelens::ui
