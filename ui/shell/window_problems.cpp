// What MainWindow says of a plan that cannot be, and the way back to one that can.
#include "ui/panels/experiment_editor.h"
#include "ui/panels/field_editor.h"
#include "ui/panels/tool_strip.h"
#include "ui/shell/explore_page.h"
#include "ui/shell/main_window.h"
#include "ui/shell/window_actions.h"
#include "ui/state/experiment_document.h"
#include "ui/state/forecast.h"
#include "ui/words/train_words.h"
#include "ui/words/words.h"

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

void MainWindow::updateProblems(bool atOnce)
{
    if (m_forecast->problems().empty() || m_forecast->isCancelled()) {
        m_problemDelay.stop();
        showProblems();
    } else if (atOnce || m_explore->problemBar()->isVisible()) {
        showProblems();
    } else {
        m_problemDelay.start();
    }
}

void MainWindow::showProblems()
{
    const base::Problems &problems = m_forecast->problems();
    std::vector<FieldEditor *> editors = m_strip->editors();
    editors.insert(editors.end(), m_editor->editors().begin(), m_editor->editors().end());
    for (FieldEditor *editor : editors) {
        QString reason;
        for (const base::Problem &problem : problems) {
            if (qtText(problem.field) == editor->field().id)
                reason = sentence(problem);
        }
        editor->setProblem(reason);
    }
    if (m_forecast->isCancelled()) {
        m_explore->problemBar()->say(MessageBar::Tone::Note,
                                     u"The prediction was cancelled: this is the last plan that was computed."_s,
                                     {{u"Compute"_s, [this] { m_forecast->refresh(); }}, undoToSound()});
        return;
    }
    if (problems.empty()) {
        m_explore->problemBar()->clear();
        return;
    }
    std::vector<MessageBar::Action> actions;
    const model::Experiment &experiment = m_document->experiment();
    if (problems.front().field == "parallel.devices" && experiment.hasModel &&
        experiment.parallel.devices > experiment.model.layers && experiment.model.layers > 0) {
        actions.push_back({u"Use %1"_s.arg(experiment.model.layers), [this] {
                               model::Experiment next = m_document->experiment();
                               next.parallel.devices = next.model.layers;
                               m_document->edit(u"parallel.devices"_s, u"Devices"_s, std::move(next));
                               m_document->closeGesture();
                           }});
    }
    if (problems.front().field == "schedule.text" && !m_actions->editSchedule->isChecked())
        actions.push_back({u"Show the text"_s, [this] { m_actions->editSchedule->setChecked(true); }});
    if (problems.front().field == "schedule.file")
        actions.push_back({u"Open a schedule…"_s, [this] { askOpenSchedule(); }});
    if (m_document->undoStack().canUndo())
        actions.push_back(undoToSound());
    m_explore->problemBar()->say(MessageBar::Tone::Warning, lastValidPlanWords(m_forecast->plan(), problems),
                                 std::move(actions));
}

MessageBar::Action MainWindow::undoToSound()
{
    // The newest step may be another one than that which made the problem: an edit elsewhere, or a run that was deleted.
    QUndoStack &undo = m_document->undoStack();
    const int steps = undo.index() - std::min(m_soundStep, undo.index() - 1);
    return {steps == 1 ? u"Undo"_s : u"Undo %1 steps"_s.arg(steps),
            [this, &undo] { undo.setIndex(std::max(std::min(m_soundStep, undo.index() - 1), 0)); }};
}

void MainWindow::stepDone()
{
    const int step = m_document->undoStack().index();
    if (m_forecast->isComputing())
        return;
    // A step that merges with the one before may have made it unsound.
    m_soundStep = m_forecast->isStale() ? std::min(m_soundStep, step - 1) : step;
    if (m_explore->problemBar()->isVisible())
        showProblems();
}

} // namespace stagelens::ui
