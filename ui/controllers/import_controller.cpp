#include "ui/controllers/import_controller.h"

#include "ui/controls/message_bar.h"
#include "ui/state/engine_bridge.h"
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
    importFiles(QFileDialog::getOpenFileNames(m_bar->window(), u"Import a measured timeline: the traces of all ranks"_s, {},
                                              u"Traces (*.json);;All files (*)"_s));
}

void ImportController::importFiles(const QStringList &files)
{
    if (files.isEmpty())
        return;
    if (m_job != 0) {
        emit failed(u"%1 is still being imported. Wait for it or cancel it first."_s.arg(m_name));
        return;
    }
    std::vector<std::filesystem::path> paths;
    for (const QString &file : files)
        paths.emplace_back(utf8(file));
    m_job = m_bridge->service().submitImport(std::move(paths));
    m_name = QFileInfo(files.first()).fileName();
    m_bar->say(MessageBar::Tone::Note, u"Reading %1…"_s.arg(m_name),
               {{u"Cancel"_s, [this] { m_bridge->service().cancel(m_job); }}});
}

void ImportController::showProgress(quint64 job, double share)
{
    if (job == m_job)
        m_bar->setText(share < 1 ? u"Reading %1… %2"_s.arg(m_name, shareText(share)) : u"Storing %1…"_s.arg(m_name));
}

void ImportController::take(quint64 job, const service::ImportAnswerPtr &answer)
{
    if (job != m_job)
        return;
    m_job = 0;
    m_bar->clear();
    if (!*answer) {
        const bool isCancelled = answer->error().kind == base::ErrorKind::Cancelled;
        emit failed(isCancelled ? u"The import of %1 was cancelled. Nothing was stored."_s.arg(m_name)
                                : u"Nothing was imported. "_s + sentence(answer->error()));
        return;
    }
    const service::ImportedRun &run = **answer;
    QString words = u"Imported as run %1: %2."_s.arg(run.run).arg(run.steps == 1 ? u"1 step"_s : u"%1 steps"_s.arg(run.steps));
    if (run.incompleteSteps > 0)
        words += u" %1 at the trace's ends were not whole and are left out."_s.arg(run.incompleteSteps);
    emit imported(run.run, words);
}

} // namespace stagelens::ui
