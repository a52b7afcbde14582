#include "ui/controllers/problem_controller.h"

#include "ui/panels/field_editor.h"
#include "ui/state/experiment_document.h"
#include "ui/state/forecast.h"
#include "ui/words/tr.h"
#include "ui/words/train_words.h"
#include "ui/words/words.h"

#include <algorithm>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kProblemDelayMilliseconds = 600;
} // namespace

ProblemController::ProblemController(ExperimentDocument *document, Forecast *forecast, MessageBar *bar,
                                     std::vector<FieldEditor *> editors)
    : m_document(document), m_forecast(forecast), m_bar(bar), m_editors(std::move(editors))
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
    if (m_forecast->problems().empty() || m_forecast->isCancelled()) {
        m_delay.stop();
        show();
    } else if (atOnce || m_bar->isVisible()) {
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
    if (m_forecast->isCancelled())
        m_bar->say(MessageBar::Tone::Note, Words::tr("The prediction was cancelled: this is the last plan that was computed."),
                   {{Words::tr("Compute"), [this] { m_forecast->refresh(); }}, undoToValid()});
    else if (m_forecast->problems().empty())
        m_bar->clear();
    else
        m_bar->say(MessageBar::Tone::Warning, lastValidPlanWords(m_forecast->plan(), m_forecast->problems()), remedies());
}

std::vector<MessageBar::Action> ProblemController::remedies()
{
    std::vector<MessageBar::Action> actions;
    const std::string &field = m_forecast->problems().front().field;
    const model::Experiment &experiment = m_document->experiment();
    if (field == "parallel.devices" && experiment.hasModel && experiment.parallel.devices > experiment.model.layers &&
        experiment.model.layers > 0) {
        actions.push_back({Words::tr("Use %1").arg(experiment.model.layers), [this] {
                               model::Experiment next = m_document->experiment();
                               next.parallel.devices = next.model.layers;
                               m_document->edit(u"parallel.devices"_s, Words::tr("Devices"), std::move(next));
                               m_document->closeGesture();
                           }});
    }
    if (field == "schedule.text" && !m_isTextShown)
        actions.push_back({Words::tr("Show the text"), [this] { emit textAsked(); }});
    if (field == "schedule.file")
        actions.push_back({Words::tr("Import schedule…"), [this] { emit scheduleFileAsked(); }});
    if (m_document->undoStack().canUndo())
        actions.push_back(undoToValid());
    return actions;
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
