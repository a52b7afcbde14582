#include "ui/learn/lesson_picture.h"

#include "ui/controls/button_style.h"
#include "ui/controls/computing_sign.h"
#include "ui/controls/message_bar.h"
#include "ui/learn/lesson_controls.h"
#include "ui/learn/lesson_runs.h"
#include "ui/learn/reorder_bar.h"
#include "ui/morph/morph_panel.h"
#include "ui/panels/play_bar.h"
#include "ui/state/experiment_document.h"
#include "ui/state/links.h"
#include "ui/state/order_edit.h"
#include "ui/state/quick_prediction.h"
#include "ui/state/view_state.h"
#include "ui/timeline/timeline_view.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kCloseUpPitch = 72; ///< of lanes: the names of operators fit under a pass

/// Shows the part of a new plan's timeline with which it begins.
void showBegin(const LivePlan &plan, TimelineView *timeline, ViewState *view)
{
    const CloseUp closeUp = plan.closeUp.value_or(CloseUp());
    timeline->arrangeLanes(plan.closeUp ? kCloseUpPitch : 0, closeUp.device - 1);
    if (plan.range)
        view->setRange(plan.range->first, plan.range->second);
    const auto part = partOf(timeline->content(), plan);
    if (!part || !closeUp.microbatch)
        return;
    const auto [begin, end] = rangeOf(*part);
    view->setRange(begin, end);
    if (closeUp.kind)
        view->select(ViewState::Selection{0, part->first});
}

} // namespace

LessonPicture::LessonPicture(EngineBridge *bridge, QWidget *parent)
    : QWidget(parent), m_job(bridge), m_document(new ExperimentDocument(bridge, this)), m_view(new ViewState(this)),
      m_timeline(new TimelineView(m_view, this)), m_morph(new MorphPanel(this)), m_stack(new QStackedWidget(this)),
      m_computing(new ComputingSign(m_stack)), m_play(new PlayBar(m_timeline, m_view, this)),
      m_bar(new MessageBar(u"bar.lesson"_s, this)), m_figures(plainLabel(this)),
      m_controls(new LessonControls(m_document, this)), m_moves(new ReorderBar(&m_document->undoStack(), this)),
      m_runs(new LessonRuns(bridge, this)), m_morphing(new QPushButton(Words::tr("As &morph"), this)),
      m_reset(new QPushButton(Words::tr("Re&set"), this)), m_open(new QPushButton(Words::tr("&Open in Explore"), this))
{
    build();
    connectMoves();
    connect(m_document, &ExperimentDocument::changed, this, &LessonPicture::simulate);
    connect(m_document, &ExperimentDocument::preparingChanged, this, &LessonPicture::showWait);
    connect(&m_job, &LatestJob::waitChanged, this, &LessonPicture::showWait);
    connect(m_computing, &ComputingSign::cancelled, this, &LessonPicture::cancel);
    connect(m_document, &ExperimentDocument::editing, m_view, &ViewState::hold);
    connect(m_document, &ExperimentDocument::edited, m_view, &ViewState::release);
    connect(m_timeline, &TimelineView::playAsked, m_play, &PlayBar::toggle);
    connect(m_play, &PlayBar::stopped, this, [this] { m_view->follow(m_plan.followed); });
    connect(m_morphing, &QPushButton::toggled, this, &LessonPicture::setMorphing);
    connect(m_morph, &MorphPanel::failed, this, [this](const QString &why) { m_bar->say(MessageBar::Tone::Warning, why, {}); });
    connect(m_morph, &MorphPanel::exported, this, [this](const QString &file) {
        m_bar->say(MessageBar::Tone::Note, Words::tr("The animation is in %1.").arg(QFileInfo(file).fileName()), {});
    });
    connect(m_reset, &QPushButton::clicked, this, [this] { showPlan(m_plan, m_title); });
    connect(m_runs, &LessonRuns::compareAsked, this, &LessonPicture::compareAsked);
    connect(m_runs, &LessonRuns::trained, this, [this] {
        m_facts.addLosses(m_runs->losses());
        emit changed();
    });
    connect(m_open, &QPushButton::clicked, this, [this] { emit openAsked(experiment(), m_title); });
}

void LessonPicture::build()
{
    m_timeline->setObjectName(u"lesson.timeline"_s);
    // QCustomPlot cannot paint into nothing, which is what a picture has that was never laid out.
    m_timeline->setMinimumSize(m_timeline->minimumSizeHint());
    m_figures->setObjectName(u"lesson.figures"_s);
    m_figures->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_figures->setWordWrap(true);
    m_reset->setObjectName(u"lesson.reset"_s);
    m_reset->setToolTip(Words::tr("The plan as the text describes it"));
    m_open->setObjectName(u"lesson.open"_s);
    m_open->setToolTip(Words::tr("Makes this plan the experiment; Undo brings yours back"));
    auto *play = new QPushButton(glyphIcon(Glyph::Play), Words::tr("&Play"), this);
    play->setObjectName(u"lesson.play"_s);
    play->setToolTip(Words::tr("Moves through the iteration and says what happens (Space over the picture)"));
    connect(play, &QPushButton::clicked, m_play, &PlayBar::toggle);
    m_playing = play;
    m_morphing->setObjectName(u"lesson.morph"_s);
    m_morphing->setCheckable(true);
    m_morphing->setToolTip(Words::tr("Shows how the passes of the plan below fly to their places in the plan above"));
    m_stack->addWidget(m_timeline);
    m_stack->addWidget(m_morph);
    auto *buttons = new QHBoxLayout;
    buttons->addStretch(1);
    for (QPushButton *button : {m_morphing, play, m_reset, m_open}) {
        button->setAutoDefault(false);
        buttons->addWidget(button);
    }
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(8);
    layout->addWidget(m_controls);
    layout->addWidget(m_moves);
    layout->addWidget(m_stack, 1);
    layout->addWidget(m_play);
    layout->addWidget(m_bar);
    layout->addWidget(m_figures);
    layout->addWidget(m_runs);
    layout->addLayout(buttons);
}

void LessonPicture::connectMoves()
{
    connect(m_timeline, &TimelineView::passMoved, this, &LessonPicture::move);
    connect(m_timeline, &TimelineView::moveRefused, this, [this](const QString &why) {
        m_bar->say(MessageBar::Tone::Warning, Words::tr("The pass stays where it is. ") + why);
    });
}

const model::Experiment &LessonPicture::experiment() const
{
    return m_document->experiment();
}

bool LessonPicture::isChanged() const
{
    return experiment() != m_plan.experiment;
}

void LessonPicture::showPlan(const LivePlan &plan, const QString &title)
{
    stopPlaying();
    m_plan = plan;
    m_plan.experiment = loosened(plan.experiment); // as the document will have it
    m_title = title;
    m_note.clear();
    m_facts = {};
    m_start.reset();
    m_now.reset();
    m_goal.reset();
    m_moves->setVisible(plan.reorder);
    m_timeline->setMoveJudge(plan.reorder ? [this](const service::PassMove &asked) { return refusal(asked); }
                                          : TimelineView::MoveJudge());
    m_controls->setFields(plan.controls);
    m_runs->setRuns(plan.runs);
    m_morphing->setVisible(besideOf(plan, plan.experiment).has_value());
    m_morphing->setChecked(plan.morph);
    setMorphing(plan.morph);
    m_view->release();
    m_view->fit();
    m_view->select(std::nullopt);
    m_view->follow(plan.followed);
    m_isNew = true;
    m_document->start(plan.experiment, {}, title); // simulates it
}

void LessonPicture::setMorphing(bool on)
{
    stopPlaying();
    m_stack->setCurrentWidget(on ? static_cast<QWidget *>(m_morph) : m_timeline);
    m_playing->setVisible(!on); // the morph has its own
    sayFigures();
}

void LessonPicture::simulate()
{
    const model::Experiment now = experiment();
    m_reset->setEnabled(isChanged());
    const auto isCheap = [](const model::Experiment &one) { return isQuick(one) || !livePlanProblems(one).empty(); };
    const auto beside = besideOf(m_plan, now);
    const bool isSmall = isCheap(now) && (!beside || isCheap(*beside));
    m_job.run(
        isSmall, [plan = m_plan, now](const std::stop_token &stop) { return ui::simulated(plan, now, stop); },
        [this](const base::Result<LiveSimulation> &answer) { take(answer); });
}

void LessonPicture::showWait()
{
    const LatestJob::Wait wait = std::max(m_job.wait(), m_document->wait());
    m_computing->setState(wait != LatestJob::Wait::None, wait == LatestJob::Wait::Long);
}

void LessonPicture::cancel()
{
    m_document->cancel();
    if (!m_job.isRunning())
        return;
    m_job.cancel();
    m_failed = true;
    m_open->setEnabled(false);
    TimelineContent content = m_timeline->content();
    content.stale = true;
    m_timeline->setContent(std::move(content));
    m_bar->say(MessageBar::Tone::Note, Words::tr("The prediction was cancelled: this is the last plan that was computed."),
               {{Words::tr("Compute"), [this] { simulate(); }}});
    emit changed();
}

void LessonPicture::take(const base::Result<LiveSimulation> &simulated)
{
    m_failed = !simulated;
    m_open->setEnabled(!m_failed);
    if (!simulated) {
        TimelineContent content = m_timeline->content();
        content.stale = true;
        m_timeline->setContent(std::move(content));
        say(&simulated.error());
        emit changed();
        return;
    }
    const auto &[plan, beside, why, whyBeside] = *simulated;
    if (!m_start)
        m_start = plan;
    m_now = plan;
    m_facts = factsOf(*simulated, *m_start);
    m_runs->setPlan(experiment());
    m_facts.addLosses(m_runs->losses());
    TimelineContent content = contentOf(m_plan, *simulated);
    showGoal(content);
    m_timeline->setContent(std::move(content));
    if (std::exchange(m_isNew, false))
        showBegin(m_plan, m_timeline, m_view);
    if (const auto part = partOf(m_timeline->content(), m_plan))
        m_facts.addPart(part->time, part->flops);
    if (beside)
        m_morph->setPlans({beside->timeline, methodName(beside->experiment)}, {plan->timeline, methodName(plan->experiment)},
                          inTeachingUnits(plan->experiment));
    sayFigures();
    m_note.clear();
    say(nullptr);
    emit changed();
}

void LessonPicture::sayFigures()
{
    if (!m_facts.value("iteration"))
        return;
    const auto figure = [this](const char *name) {
        const auto value = m_facts.value(name);
        return value ? m_facts.written(*value, Facts::formOf(name)) : QString();
    };
    QString words = Words::tr("%1: iteration %2, bubble %3, microbatches held: at most %4")
                        .arg(caption(timeline::Provenance::Predicted), figure("iteration"), figure("bubble"), figure("held"));
    if (const QString peak = figure("peak"); !peak.isEmpty())
        words += Words::tr(", peak memory ") + peak;
    if (!figure("other_iteration").isEmpty())
        words +=
            (m_stack->currentWidget() == m_morph ? Words::tr("\nBefore: iteration %1, bubble %2, microbatches held: at most %3")
                                                 : Words::tr("\nBelow: iteration %1, bubble %2, microbatches held: at most %3"))
                .arg(figure("other_iteration"), figure("other_bubble"), figure("other_held"));
    m_figures->setText(words);
}

void LessonPicture::say(const base::Error *error)
{
    m_controls->showProblems(error);
    if (error != nullptr)
        m_bar->say(MessageBar::Tone::Warning, sentence(*error) + Words::tr(" The picture shows the plan before."),
                   {{Words::tr("Undo"), [this] { m_document->undoStack().undo(); }}});
    else if (!m_note.isEmpty())
        m_bar->say(MessageBar::Tone::Note, m_note);
    else
        m_bar->clear();
}

void LessonPicture::setNote(const QString &note)
{
    m_note = note;
    if (!m_failed)
        say(nullptr);
}

void LessonPicture::change(const std::vector<Setting> &settings, const QString &words)
{
    if (settings.empty())
        return;
    edit(settings.front().field, words, besideOf(experiment(), settings));
}

void LessonPicture::reorder(const QStringList &orders, const QString &words)
{
    if (const auto next = withOrders(experiment(), orders); next)
        edit(u"schedule.text"_s, words, *next);
    else
        say(&next.error());
}

void LessonPicture::edit(const QString &field, const QString &words, const model::Experiment &next)
{
    m_document->closeGesture();
    m_document->edit(field, words, next);
    m_document->closeGesture();
}

QString LessonPicture::refusal(const service::PassMove &move) const
{
    if (m_failed || !m_now || m_job.isRunning())
        return Words::tr("The plan is being computed.");
    return moveRefusal(*m_now->schedule, move);
}

void LessonPicture::move(const service::PassMove &move)
{
    const auto next = withMove(experiment(), *m_now->schedule, move);
    if (!next)
        return say(&next.error());
    const QString name = passText(m_now->schedule->device(move.device)[move.from]);
    edit(u"schedule.text"_s, Words::tr("Move %1 of device %2").arg(name).arg(move.device), *next);
}

void LessonPicture::setScore(const QString &score, std::optional<base::Nanos> goal)
{
    m_moves->setScore(score);
    if (goal == m_goal)
        return;
    m_goal = goal;
    TimelineContent content = m_timeline->content();
    showGoal(content);
    m_timeline->setContent(std::move(content));
}

void LessonPicture::showGoal(TimelineContent &content) const
{
    if (!m_plan.reorder || !m_start || content.groups.empty())
        return;
    content.groups.front().movable = true;
    content.hasFlags = true;
    const bool units = content.teachingUnits;
    const base::Nanos start = m_start->metrics.makespan;
    content.baseline = EndFlag{start, Words::tr("start %1").arg(durationText(start, units))};
    if (m_goal)
        content.ghost = EndFlag{*m_goal, Words::tr("goal %1").arg(durationText(*m_goal, units))};
}

bool LessonPicture::event(QEvent *event)
{
    // Undo and redo are of this plan, not of the one in Explore.
    const auto *key = event->type() == QEvent::ShortcutOverride ? static_cast<QKeyEvent *>(event) : nullptr;
    const QUndoStack &undo = m_document->undoStack();
    if (key != nullptr &&
        ((undo.canUndo() && key->matches(QKeySequence::Undo)) || (undo.canRedo() && key->matches(QKeySequence::Redo)))) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void LessonPicture::keyPressEvent(QKeyEvent *event)
{
    QUndoStack &undo = m_document->undoStack();
    if (undo.canUndo() && event->matches(QKeySequence::Undo))
        undo.undo();
    else if (undo.canRedo() && event->matches(QKeySequence::Redo))
        undo.redo();
    else
        QWidget::keyPressEvent(event);
}

bool LessonPicture::stopPlaying()
{
    const bool played = !m_play->isHidden() || m_morph->isPlaying();
    m_morph->stop();
    if (!m_play->isHidden())
        m_play->stop();
    return played;
}

void LessonPicture::hideEvent(QHideEvent *event)
{
    stopPlaying();
    QWidget::hideEvent(event);
}

} // namespace stagelens::ui
