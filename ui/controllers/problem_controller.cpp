#include "ui/controllers/problem_controller.h"

#include "engine/service/plans/schedule_text.h"
#include "ui/panels/field_editor.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/experiment_document.h"
#include "ui/state/forecast.h"
#include "ui/state/quick_prediction.h"
#include "ui/words/differences.h"
#include "ui/words/problem_words.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QFileInfo>

#include <algorithm>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kProblemDelayMilliseconds = 600;
} // namespace

ProblemController::ProblemController(EngineBridge *bridge, ExperimentDocument *document, Forecast *forecast, MessageBar *bar,
                                     std::vector<FieldEditor *> editors)
    : m_bridge(bridge), m_document(document), m_forecast(forecast), m_bar(bar), m_editors(std::move(editors)), m_search(bridge)
{
    m_delay.setSingleShot(true);
    m_delay.setInterval(kProblemDelayMilliseconds);
    connect(&m_delay, &QTimer::timeout, this, &ProblemController::show);
    connect(m_forecast, &Forecast::changed, this, [this] {
        if (!m_forecast->isStale() && !m_forecast->isComputing())
            m_validStep = m_document->undoStack().index();
        update(false);
    });
    connect(&m_document->undoStack(), &QUndoStack::indexChanged, this, &ProblemController::stepDone);
    for (FieldEditor *editor : m_editors)
        connect(editor, &FieldEditor::left, this, [this] { update(true); });
}

void ProblemController::update(bool atOnce)
{
    m_search.cancel(); // its problems may be others than the plan's by now
    if (m_forecast->problems().empty() || m_forecast->isCancelled()) {
        m_delay.stop();
        show();
    } else if (atOnce || m_bar->isVisible() || !m_forecast->plan()) {
        show();
    } else {
        m_delay.start();
    }
}

void ProblemController::markFields()
{
    for (FieldEditor *editor : m_editors) {
        QString reason;
        for (const base::Problem &problem : m_forecast->problems()) {
            if (qtText(problem.field) == editor->field().id)
                reason = sentence(problem);
        }
        editor->setProblem(reason);
    }
    emit marked(m_forecast->problems());
}

void ProblemController::show()
{
    markFields();
    const base::Problems &problems = m_forecast->problems();
    m_repair = nullptr;
    m_search.cancel();
    if (m_forecast->isCancelled()) {
        emit judged({});
        m_bar->say(MessageBar::Tone::Note, Words::tr("The prediction was cancelled: this is the last plan that was computed."),
                   {{Words::tr("Compute"), [this] { m_forecast->refresh(); }}, undoToValid()});
        return;
    }
    if (problems.empty()) {
        emit judged({});
        m_bar->clear();
        return;
    }
    m_verdict = invalidHeadline(problems, m_document->experiment());
    findRepair();
}

void ProblemController::say()
{
    emit judged(m_verdict);
    QStringList words{lastValidPlanWords(m_forecast->plan(), m_forecast->problems())};
    if (!m_isCardShown)
        words << m_verdict.text << m_verdict.second;
    words.removeAll({});
    const auto actions = remedies();
    if (words.isEmpty())
        m_bar->clear(); // there was no valid plan: all that is known is in the card
    else
        m_bar->say(MessageBar::Tone::Warning, words.join(u' '), actions);
}

void ProblemController::findRepair()
{
    const service::PredictionPtr &plan = m_forecast->plan();
    std::vector<PlanRepair> repairs =
        repairsOf(m_document->experiment(), m_forecast->problems(), plan ? &plan->experiment : nullptr);
    const model::ScheduleChoice &choice = m_document->experiment().schedule;
    const std::string &field = m_forecast->problems().front().field;
    const bool isOfOrder = repairs.empty() && (field == "schedule.text" || (field == "schedule.file" && !choice.file.empty()));
    const bool isShort = choice.file.empty() && static_cast<qsizetype>(choice.text.size()) <= kLettersRepairedAtOnce;
    const bool isSmall = isOfOrder ? isShort : arePlannedAtOnce(repairs);
    if (!isSmall)
        say(); // the repair follows
    m_search.run(
        isSmall,
        [repairs = std::move(repairs), order = isOfOrder ? std::optional(choice) : std::nullopt,
         cores = m_bridge->cores()](const std::stop_token &) -> base::Result<Remedy> {
            Remedy remedy{firstPlanned(repairs, cores), {}};
            if (const auto text = order ? service::editableText(*order) : base::Result<std::string>(std::string())) {
                if (auto repaired = service::repairedOrder(*text))
                    remedy.order = *std::move(repaired);
            }
            return remedy;
        },
        [this](const base::Result<Remedy> &remedy) {
            offer(remedy ? *remedy : Remedy{});
            say();
        });
}

void ProblemController::offer(const Remedy &remedy)
{
    const model::Experiment &experiment = m_document->experiment();
    const std::string field = m_forecast->problems().front().field;
    const auto propose = [&](const QString &caption, const QString &tip, std::function<void()> run) {
        m_verdict.isRepair = true;
        m_verdict.actionCaption = caption;
        m_verdict.actionTip = tip;
        m_repair = std::move(run);
    };
    if (const auto &nearest = remedy.number) {
        const QString caption = fieldCaption(qtText(field));
        const QString value = countText(static_cast<double>(nearest->value));
        if (m_verdict.second.isEmpty())
            m_verdict.second = Words::tr("%1 is the nearest value with which the plan is valid.").arg(value);
        propose(Words::tr("Use %1").arg(value), Words::tr("Sets %1 to %2. Undo takes it back.").arg(caption, value),
                [this, caption, field, next = nearest->experiment] {
                    m_document->closeGesture();
                    m_document->edit(qtText(field), caption, next);
                    m_document->closeGesture();
                });
    } else if (remedy.order) {
        propose(Words::tr("Repair the schedule"),
                Words::tr("Changes the order: %1. Undo takes it back.").arg(repairWords(*remedy.order)),
                [this] { emit orderRepairAsked(); });
    } else if (field == "schedule.file" && !QFileInfo::exists(qtText(experiment.schedule.file))) {
        propose(Words::tr("Import schedule…"), Words::tr("Reads the order from another file. Undo takes it back."),
                [this] { emit scheduleFileAsked(); });
    }
}

std::vector<MessageBar::Action> ProblemController::remedies()
{
    std::vector<MessageBar::Action> actions;
    if (m_forecast->problems().front().field == "schedule.text" && !m_isTextShown)
        actions.push_back({Words::tr("Show the text"), [this] { emit textAsked(); }});
    if (m_document->undoStack().canUndo())
        actions.push_back(undoToValid());
    return actions;
}

void ProblemController::repair()
{
    if (const auto run = m_repair) // which replaces the verdict
        run();
}

void ProblemController::setCardShown(bool shown)
{
    if (std::exchange(m_isCardShown, shown) == shown || !m_bar->isVisible())
        return;
    if (m_forecast->problems().empty() || m_forecast->isCancelled())
        show();
    else
        say(); // with the repair that is known or looked for
}

MessageBar::Action ProblemController::undoToValid()
{
    // The newest step may be another one than that which made the problem: an edit elsewhere, or a run that was deleted.
    QUndoStack &undo = m_document->undoStack();
    const int steps = undo.index() - std::min(m_validStep, undo.index() - 1);
    return {steps == 1 ? Words::tr("Undo") : Words::tr("Undo %1 steps").arg(steps),
            [this, &undo] { undo.setIndex(std::max(std::min(m_validStep, undo.index() - 1), 0)); }};
}

void ProblemController::stepDone()
{
    if (m_forecast->isComputing())
        return;
    // A step that merges with the one before may have made it invalid.
    const int step = m_document->undoStack().index();
    m_validStep = m_forecast->isStale() ? std::min(m_validStep, step - 1) : step;
    if (m_bar->isVisible())
        show();
}

} // namespace stagelens::ui
