#include "ui/strip/run_sheet.h"

#include "ui/canvas/design.h"
#include "ui/controls/strip_button.h"
#include "ui/panels/field_editor.h"
#include "ui/strip/place_picker.h"
#include "ui/strip/run_place.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"

#include <QAction>
#include <QFormLayout>
#include <QLabel>
#include <QScreen>
#include <QVBoxLayout>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kSheetWidth = 360;
constexpr int kSheetMargin = 16;
constexpr int kTrainHeight = 36;
constexpr int kFieldWidth = 200;
} // namespace

RunSheet::RunSheet(ExperimentDocument *document, QAction *train, QAction *trainCopy, QAction *stop, QWidget *parent)
    : QFrame(parent, Qt::Popup), m_train(train), m_trainCopy(trainCopy), m_stop(stop),
      m_start(new StripButton(StripButton::Tone::Filled, this)), m_title(plainLabel(Words::tr("Train here"), this)),
      m_where(plainLabel(this))
{
    setObjectName(u"run.sheet"_s);
    setAccessibleName(Words::tr("Run"));
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(kSheetMargin, kSheetMargin, kSheetMargin, kSheetMargin);
    layout->setSpacing(12);
    m_title->setFont(scaled(font(), TypeSize::Heading, QFont::DemiBold));
    layout->addWidget(m_title);
    m_where->setObjectName(u"run.where"_s);
    m_where->setWordWrap(true);
    m_where->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    layout->addWidget(m_where);
    m_form = new QFormLayout;
    m_form->setVerticalSpacing(8);
    m_form->setHorizontalSpacing(12);
    m_form->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
    for (const QString &id : {u"training.steps"_s, u"training.data"_s, u"training.optimizer.name"_s, u"training.optimizer.lr"_s,
                              u"training.seed"_s, u"model.dtype"_s, u"training.backend"_s, u"training.mode"_s}) {
        const auto known = std::ranges::find(fields(), id, &Field::id);
        if (known == fields().end())
            continue; // a field with a single choice is not shown
        auto *editor = new FieldEditor(*known, document, this);
        editor->control()->setObjectName(u"sheet."_s + id);
        if (id != u"training.data"_s) // it has a button beside it
            editor->control()->setMinimumWidth(kFieldWidth);
        m_form->addRow(editor->makeCaption(this), editor);
        m_editors.push_back(editor);
    }
    layout->addLayout(m_form);
    m_start->setObjectName(u"run.start"_s);
    m_start->setFixedHeight(kTrainHeight);
    m_start->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(m_start, &QToolButton::clicked, this, &QWidget::close);
    layout->addWidget(m_start);
    auto *more = new StripButton(StripButton::Tone::Quiet, this);
    more->setText(Words::tr("All training settings"));
    more->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(more, &QToolButton::clicked, this, [this] {
        close();
        emit settingsAsked();
    });
    layout->addWidget(more);
    for (QAction *action : {train, trainCopy, stop}) {
        connect(action, &QAction::changed, this, &RunSheet::describe);
        connect(action, &QAction::enabledChanged, this, &RunSheet::offer);
    }
    offer();
    setFixedWidth(kSheetWidth);
}

void RunSheet::setPlace(RunPlace *place)
{
    auto *picker = new PlacePicker(place, this);
    connect(picker, &PlacePicker::predictionAsked, this, &RunSheet::predictionAsked);
    connect(picker, &PlacePicker::sizeChanged, this, &QWidget::adjustSize, Qt::QueuedConnection);
    connect(place, &RunPlace::changed, this, [this, place] {
        m_title->setText(place->isHere() ? Words::tr("Train here") : Words::tr("Train on another machine"));
    });
    int widest = 0;
    for (FieldEditor *editor : m_editors)
        widest = std::max(widest, m_form->labelForField(editor)->sizeHint().width());
    picker->setCaptionWidth(widest);
    qobject_cast<QVBoxLayout *>(layout())->insertWidget(1, picker);
}

void RunSheet::openBelow(const QWidget &button)
{
    adjustSize();
    const QRect screen = button.screen()->availableGeometry();
    QRect place(QPoint(), size());
    place.moveTopRight(button.mapToGlobal(button.rect().bottomRight()) + QPoint(0, 4));
    place.moveLeft(std::clamp(place.left(), screen.left(), std::max(screen.left(), screen.right() - place.width())));
    place.moveTop(std::clamp(place.top(), screen.top(), std::max(screen.top(), screen.bottom() - place.height())));
    move(place.topLeft());
    show();
    if (!m_editors.empty())
        m_editors.front()->setFocus(Qt::PopupFocusReason);
}

void RunSheet::showEvent(QShowEvent *event)
{
    QFrame::showEvent(event);
    describe();
}

void RunSheet::offer()
{
    QAction *now = m_stop->isEnabled() ? m_stop : m_trainCopy->isEnabled() ? m_trainCopy : m_train;
    for (QAction *other : {m_train, m_trainCopy, m_stop})
        if (other != now)
            m_start->removeAction(other); // two actions would make it a menu
    m_start->setDefaultAction(now);
    m_start->setGlyph(now == m_stop ? Glyph::Stop : Glyph::Play);
}

void RunSheet::describe()
{
    // The actions' tips say where and how long, or why not.
    m_where->setText((m_trainCopy->isEnabled() ? m_trainCopy : m_train)->toolTip().section(Words::tr(" (F5)"), 0, 0));
}

} // namespace stagelens::ui
