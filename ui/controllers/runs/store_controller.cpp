#include "ui/controllers/runs/store_controller.h"

#include "ui/controllers/notice_controller.h"
#include "ui/controls/message_bar.h"
#include "ui/state/engine_bridge.h"
#include "ui/state/run_controller.h"
#include "ui/state/run_database.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QFileDialog>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

StoreController::StoreController(EngineBridge *bridge, RunController *runController, RunDatabase *database, MessageBar *bar,
                                 NoticeController *notice)
    : m_bridge(bridge), m_runController(runController), m_database(database), m_bar(bar), m_notice(notice)
{
    connect(m_database, &RunDatabase::problemChanged, this, &StoreController::refresh);
}

void StoreController::refresh()
{
    const QString problem = m_database->problem();
    if (problem.isEmpty())
        m_bar->clear();
    else
        m_bar->say(MessageBar::Tone::Warning, problem, {{Words::tr("Choose another file"), [this] { askDatabase(); }}});
}

void StoreController::askDatabase()
{
    if (m_runController->isTraining()) {
        m_notice->warnUntilRunEnds(Words::tr("A run is going on. Stop it before another database is opened."));
        return;
    }
    const QString file =
        QFileDialog::getSaveFileName(m_bar->window(), Words::tr("Where runs are stored"), {}, Words::tr("Databases (*.db)"),
                                     nullptr, QFileDialog::DontConfirmOverwrite);
    if (file.isEmpty())
        return;
    m_bridge->openDatabase(utf8(file));
    m_database->reset();
}

} // namespace stagelens::ui
