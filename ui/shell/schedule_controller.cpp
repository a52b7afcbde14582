#include "ui/shell/schedule_controller.h"

#include "ui/panels/schedule_panel.h"
#include "ui/panels/schedule_text_edit.h"
#include "ui/state/experiment_document.h"
#include "ui/state/forecast.h"
#include "ui/state/links.h"
#include "ui/words/words.h"

#include <QFileInfo>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPauseMilliseconds = 2000;
const QString kTextField = u"schedule.text"_s;

} // namespace

ScheduleController::ScheduleController(ExperimentDocument *document, Forecast *forecast, SchedulePanel *panel, QObject *parent)
    : QObject(parent), m_document(document), m_forecast(forecast), m_panel(panel)
{
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPauseMilliseconds);
    const auto endStep = [this] {
        m_pause.stop();
        if (m_active)
            m_document->closeGesture();
    };
    connect(&m_pause, &QTimer::timeout, this, endStep);
    connect(m_panel->edit(), &ScheduleTextEdit::left, this, endStep);
    connect(m_panel->edit(), &ScheduleTextEdit::edited, this, &ScheduleController::edit);
    connect(m_panel->edit(), &ScheduleTextEdit::escaped, this, [this] { m_document->revertGesture(kTextField); });
    connect(m_forecast, &Forecast::changed, this, &ScheduleController::refresh);
}

void ScheduleController::setActive(bool active)
{
    m_active = active;
    refresh();
}

void ScheduleController::edit(const QString &text)
{
    m_pause.start();
    m_document->edit(kTextField, u"Schedule as text"_s, service::withScheduleText(m_document->experiment(), utf8(text)));
}

void ScheduleController::refresh()
{
    if (!m_active)
        return;
    const service::PredictionPtr &plan = m_forecast->plan();
    const bool sound = plan && !m_forecast->isStale();
    const model::ScheduleChoice &choice = m_document->experiment().schedule;
    // The plan has the order of a sound file; a faulty one is shown as it is.
    const bool isShownAsGiven = choice.hasOwnOrder() && (choice.file.empty() || !sound);
    const auto given = isShownAsGiven ? service::editableText(choice) : base::Result<std::string>(std::string());
    const std::string own = given ? *given : std::string();
    if (sound && plan->schedule->passCount() > kMostPassesAsText) {
        m_panel->edit()->showText({});
        m_panel->edit()->setReadOnly(true);
        m_panel->setFaults({});
        m_panel->setWords(u"%1 passes are too many to be shown as text; passes can still be moved in the picture."_s.arg(
            countText(static_cast<double>(plan->schedule->passCount()))));
        return;
    }
    m_panel->edit()->setReadOnly(false);
    if (!own.empty() || sound) {
        QString text = qtText(own.empty() ? service::customText(*plan->schedule) : own);
        if (text.endsWith(u'\n'))
            text.chop(1); // an empty line at the end would look like one to fill
        m_panel->edit()->showText(text);
    }
    if (sound && plan != m_told) {
        m_told = plan;
        m_recognised = service::recognisedFamily(*plan->schedule);
    }
    std::vector<service::TextFault> faults;
    if (!own.empty() && !sound)
        faults = service::faultsOfText(own);
    m_panel->setFaults(faults);
    m_panel->setWords(wordsOf(faults.empty()));
}

QString ScheduleController::wordsOf(bool sound) const
{
    if (!sound)
        return u"The picture shows the last valid plan until this is mended."_s;
    const model::ScheduleChoice &choice = m_document->experiment().schedule;
    const QString how = u" Type, or drag a pass in the picture; what is changed becomes a custom order."_s;
    if (!choice.hasOwnOrder())
        return u"The order of %1."_s.arg(familyCaption(choice.family)) + how;
    QString words =
        m_recognised.empty() ? u"A custom order, which no family makes."_s : u"This is %1."_s.arg(familyCaption(m_recognised));
    if (!choice.file.empty())
        words += u" It comes from %1."_s.arg(QFileInfo(qtText(choice.file)).fileName());
    return words;
}

QString ScheduleController::refusal(const service::PassMove &move) const
{
    if (!m_forecast->plan() || m_forecast->isStale())
        return u"The picture shows the last valid plan: mend the experiment first."_s;
    const auto moved = service::withMovedPass(*m_forecast->plan()->schedule, move);
    return moved ? QString() : sentence(moved.error());
}

void ScheduleController::move(const service::PassMove &move)
{
    if (!m_forecast->plan() || m_forecast->isStale())
        return;
    const schedule::Schedule &now = *m_forecast->plan()->schedule;
    const auto moved = service::withMovedPass(now, move);
    if (!moved) {
        emit failed(sentence(moved.error()));
        return;
    }
    const QString name = passText(now.device(move.device)[move.from]);
    m_document->closeGesture();
    m_document->edit(kTextField, u"Move %1 of device %2"_s.arg(name).arg(move.device),
                     service::withScheduleText(m_document->experiment(), service::customText(*moved)));
    m_document->closeGesture();
}

void ScheduleController::open(const QString &file)
{
    model::Experiment next = service::withScheduleFile(m_document->experiment(), utf8(file));
    const QString name = QFileInfo(file).fileName();
    const auto followed = service::followed(next);
    const auto text = service::editableText(next.schedule);
    if (!followed && !text) {
        emit failed(notOpened(file, followed.error()));
        return;
    }
    const bool isFaulty = !followed || (text && !service::faultsOfText(*text).empty());
    m_document->closeGesture();
    m_document->edit(u"schedule.file"_s, u"Schedule from %1"_s.arg(name), std::move(next));
    m_document->closeGesture();
    if (isFaulty)
        emit faulty(u"%1 has faults, which are marked in its text. What you change stays in the experiment."_s.arg(name));
}

void ScheduleController::write(const QString &file, service::ScheduleFormat format)
{
    if (!m_forecast->plan() || m_forecast->isStale()) {
        emit failed(u"The picture shows the last valid plan; mend the experiment before its order is written."_s);
        return;
    }
    const service::PredictionPtr &plan = m_forecast->plan();
    const auto left = service::writeSchedule(plan->experiment, *plan->schedule, format, utf8(file));
    if (!left)
        emit failed(u"The schedule was not written. "_s + sentence(left.error()));
    else if (!left->empty())
        emit warned(u"%1 was written without a part: %2."_s.arg(QFileInfo(file).fileName(), qtText(*left)));
}

} // namespace stagelens::ui
