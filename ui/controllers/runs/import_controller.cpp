#include "ui/controllers/runs/import_controller.h"

#include "ui/controls/message_bar.h"
#include "ui/panels/runs/straggler_dialog.h"
#include "ui/state/engine_bridge.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QFileDialog>
#include <QFileInfo>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

ImportController::ImportController(EngineBridge *bridge, MessageBar *bar) : m_bridge(bridge), m_bar(bar)
{
    connect(m_bridge, &EngineBridge::importProgressed, this, &ImportController::showProgress);
    connect(m_bridge, &EngineBridge::importArrived, this, &ImportController::take);
}

void ImportController::ask()
{
    importFiles(QFileDialog::getOpenFileNames(m_bar->window(), Words::tr("Import a measured timeline: the traces of all ranks"),
                                              {}, Words::tr("Traces (*.json *.csv);;All files (*)")));
}

void ImportController::importFiles(const QStringList &files)
{
    if (files.isEmpty())
        return;
    if (m_job != 0) {
        emit failed(Words::tr("%1 is still being imported. Wait for it or cancel it first.").arg(m_name));
        return;
    }
    std::vector<std::filesystem::path> paths;
    for (const QString &file : files)
        paths.emplace_back(utf8(file));
    m_job = m_bridge->service().submitImport(std::move(paths));
    m_name = QFileInfo(files.first()).fileName();
    m_bar->say(MessageBar::Tone::Note, Words::tr("Reading %1…").arg(m_name),
               {{Words::tr("Cancel"), [this] { m_bridge->service().cancel(m_job); }}});
}

void ImportController::showProgress(quint64 job, double share)
{
    if (job == m_job)
        m_bar->setText(share < 1 ? Words::tr("Reading %1… %2").arg(m_name, shareText(share))
                                 : Words::tr("Storing %1…").arg(m_name));
}

void ImportController::take(quint64 job, const service::ImportAnswerPtr &answer)
{
    if (job != m_job)
        return;
    m_job = 0;
    m_bar->clear();
    if (!*answer) {
        const bool isCancelled = answer->error().kind == base::ErrorKind::Cancelled;
        emit failed(isCancelled ? Words::tr("The import of %1 was cancelled. Nothing was stored.").arg(m_name)
                                : Words::tr("Nothing was imported. ") + sentence(answer->error()));
        return;
    }
    const service::ImportedRun &run = **answer;
    QString words = Words::tr("Imported as run %1: %2.")
                        .arg(run.run)
                        .arg(run.steps == 1 ? Words::tr("1 step") : Words::tr("%1 steps").arg(run.steps));
    if (run.incompleteSteps > 0)
        words += Words::tr(" %1 at the trace's ends were not whole and are left out.").arg(run.incompleteSteps);
    emit imported(run.run, words);
    if (run.stragglers) {
        auto *dialog = new StragglerDialog(m_name, run.stragglers, m_bar->window());
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->show();
    }
}

} // namespace stagelens::ui
