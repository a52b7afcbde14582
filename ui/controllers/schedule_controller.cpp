#include "ui/controllers/schedule_controller.h"

#include "engine/model/what_if.h"
#include "ui/controllers/notice_controller.h"
#include "ui/controllers/window_actions.h"
#include "ui/pages/explore_page.h"
#include "ui/panels/schedule_panel.h"
#include "ui/panels/schedule_text_edit.h"
#include "ui/state/experiment_document.h"
#include "ui/state/forecast.h"
#include "ui/state/links.h"
#include "ui/state/order_edit.h"
#include "ui/state/quick_prediction.h"
#include "ui/words/problem_words.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QFileInfo>

#include <algorithm>
#include <cmath>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPauseMilliseconds = 2000;
const QString kTextField = u"schedule.text"_s;
QString ownOrderWords()
{
    return Words::tr("The order is now your own; it begins as it was. Change its text, drag passes in the picture, or take one "
                     "from a file.");
}
bool isShort(const service::Prediction &plan)
{
    return plan.schedule->passCount() <= kPassesAtOnce;
}

bool isSamePart(const model::SlowPart &a, const model::SlowPart &b)
{
    return a.target == b.target && a.index == b.index;
}

bool isSamePart(const model::SlowLink &a, const model::SlowLink &b)
{
    return std::minmax(a.from, a.to) == std::minmax(b.from, b.to);
}

/// The what-ifs with one part slower by a factor than it is in them. In tenths, so that what is pulled back is as it was.
template <class Part>
std::vector<Part> slowedBy(std::vector<Part> parts, Part part)
{
    for (const Part &each : parts)
        if (isSamePart(each, part))
            part.factor *= each.factor;
    std::erase_if(parts, [&part](const Part &each) { return isSamePart(each, part); });
    part.factor = std::max(std::round(part.factor * 10) / 10, 0.1);
    if (part.factor != 1)
        parts.push_back(part);
    return parts;
}

} // namespace

ScheduleController::ScheduleController(EngineBridge *bridge, ExperimentDocument *document, Forecast *forecast,
                                       ExplorePage *page, WindowActions *actions, NoticeController *notice)
    : m_document(document), m_forecast(forecast), m_page(page), m_panel(page->schedulePanel()), m_actions(actions),
      m_notice(notice), m_analysisJob(bridge), m_moveJob(bridge), m_repairJob(bridge), m_textJob(bridge), m_judgeJob(bridge)
{
    connectPanel();
    connect(m_forecast, &Forecast::changed, this, &ScheduleController::refresh);
    connect(m_actions->editSchedule, &QAction::toggled, this, &ScheduleController::setEditing);
    connect(m_document, &ExperimentDocument::replaced, this, [this] { m_actions->editSchedule->setChecked(false); });
    connect(m_page->timeline(), &TimelineView::passMoved, this, &ScheduleController::move);
    connect(m_page->timeline(), &TimelineView::passPulled, this, &ScheduleController::pullPass);
    connect(m_page->timeline(), &TimelineView::linkPulled, this, &ScheduleController::pullLink);
    connect(m_page->timeline(), &TimelineView::pullEnded, this, &ScheduleController::endPull);
    connect(m_page->timeline(), &TimelineView::moveRefused, this,
            [this](const QString &why) { m_notice->warn(Words::tr("The pass stays where it is. ") + why); });
    connect(m_document, &ExperimentDocument::changed, this, [this] {
        if (m_document->experiment().schedule.family != model::kCustomFamily)
            m_notice->clear(ownOrderWords());
        else if (m_isOfferDue)
            offerCustomOrder();
        m_isOfferDue = false;
    });
}

void ScheduleController::connectPanel()
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
    connect(m_panel->edit(), &ScheduleTextEdit::escaped, this, [this] {
        m_textJob.cancel();
        if (!m_document->revertGesture(kTextField))
            refresh(); // what was typed last is not in the document
    });
    connect(m_panel, &SchedulePanel::closed, this, [this] { m_actions->editSchedule->setChecked(false); });
}

void ScheduleController::setEditing(bool on)
{
    if (on) {
        m_actions->explore->trigger();
        m_actions->asTable->setChecked(false);
    }
    m_active = on;
    refresh();
    m_page->timeline()->setMoveJudge(on ? [this](const service::PassMove &move) { return refusal(move); }
                                        : TimelineView::MoveJudge());
    m_page->timeline()->setPullable(on);
    m_page->setEditing(on);
    if (on)
        m_panel->edit()->setFocus(Qt::ShortcutFocusReason);
}

void ScheduleController::edit(const QString &text)
{
    m_pause.start();
    const model::Experiment before = m_document->experiment();
    const auto read = [before, text = utf8(text)](const std::stop_token &) {
        return base::Result<model::Experiment>(service::withScheduleText(before, text));
    };
    m_textJob.run(text.size() <= static_cast<qsizetype>(kScheduleBytesAtOnce), read,
                  [this, before, text](const base::Result<model::Experiment> &next) {
                      if (m_document->experiment() != before)
                          edit(text); // it was edited meanwhile
                      else if (next)
                          m_document->edit(kTextField, Words::tr("Schedule as text"), *next);
                      else
                          m_notice->warn(sentence(next.error()));
                  });
}

void ScheduleController::repair()
{
    // While its text is shown, what was typed last may not be in the document yet.
    const QString shown = m_active ? m_panel->edit()->toPlainText() : QString();
    const model::Experiment before = m_document->experiment();
    const std::string &own = before.schedule.text;
    m_repairJob.run(
        std::max(shown.size(), static_cast<qsizetype>(own.size())) <= kLettersRepairedAtOnce && before.schedule.file.empty(),
        [choice = before.schedule, typed = utf8(shown)](const std::stop_token &) -> base::Result<service::RepairedOrder> {
            const auto text = typed.empty() ? service::editableText(choice) : base::Result<std::string>(typed);
            return text ? service::repairedOrder(*text) : text.error();
        },
        [this, before, shown](const base::Result<service::RepairedOrder> &whole) {
            const bool isUnchanged = !m_active || m_panel->edit()->toPlainText() == shown;
            if (isUnchanged && m_document->experiment() == before)
                takeRepaired(whole);
        });
}

void ScheduleController::takeRepaired(const base::Result<service::RepairedOrder> &whole)
{
    if (!whole) {
        m_notice->warn(Words::tr("The schedule cannot be repaired here. ") + sentence(whole.error()));
        return;
    }
    m_pause.stop();
    m_document->closeGesture();
    m_document->edit(kTextField, Words::tr("Repair the schedule"),
                     service::withScheduleText(m_document->experiment(), whole->text));
    m_document->closeGesture();
    m_notice->offerUndo(Words::tr("The schedule was repaired: %1.").arg(repairWords(*whole)), Words::tr("Undo"));
}

void ScheduleController::refresh()
{
    if (!m_active) {
        m_analysisJob.cancel();
        return;
    }
    if (m_forecast->isComputing() || m_textJob.isRunning())
        return; // the panel keeps its text until the plan is known
    const service::PredictionPtr plan = m_forecast->isStale() ? nullptr : m_forecast->plan(); // null: the order is not valid
    const model::ScheduleChoice &choice = m_document->experiment().schedule;
    if (plan && plan->schedule->passCount() > kMostPassesAsText) {
        m_analysisJob.cancel();
        m_panel->edit()->showText({});
        m_panel->edit()->setReadOnly(true);
        m_panel->setFaults({});
        m_panel->setWords(Words::tr("%1 passes are too many to be shown as text; passes can still be moved in the picture.")
                              .arg(countText(static_cast<double>(plan->schedule->passCount()))));
        return;
    }
    const auto analyse = [plan, choice, told = plan == m_told ? std::optional(m_recognised) : std::nullopt](
                             const std::stop_token &) -> base::Result<Analysis> {
        Analysis analysis;
        // The plan has the order of a valid file; a faulty one is shown as it is.
        const bool isShownAsGiven = choice.hasOwnOrder() && (choice.file.empty() || !plan);
        if (const auto given = isShownAsGiven ? service::editableText(choice) : base::Result<std::string>(std::string()))
            analysis.text = *given;
        if (!plan && !analysis.text.empty())
            analysis.faults = service::faultsOfText(analysis.text);
        if (plan && analysis.text.empty())
            analysis.text = service::customText(*plan->schedule);
        if (plan)
            analysis.family = told ? *told : service::recognisedFamily(*plan->schedule);
        return analysis;
    };
    const bool isSmall = isShortOrder(choice) && (!plan || isShort(*plan));
    m_analysisJob.run(isSmall, analyse, [this, plan](const base::Result<Analysis> &analysis) {
        if (plan && analysis) {
            m_told = plan;
            m_recognised = analysis->family;
        }
        if (analysis)
            show(*analysis);
        else
            m_notice->warn(sentence(analysis.error()));
    });
}

void ScheduleController::show(const Analysis &analysis)
{
    m_panel->edit()->setReadOnly(false);
    if (!analysis.text.empty()) {
        QString text = qtText(analysis.text);
        if (text.endsWith(u'\n'))
            text.chop(1); // an empty line at the end would look like one to fill
        m_panel->edit()->showText(text);
    }
    m_panel->setFaults(analysis.faults);
    m_panel->setWords(wordsOf(analysis.faults.empty()));
}

QString ScheduleController::wordsOf(bool sound) const
{
    if (!sound)
        return Words::tr("Click a fault to go to its place.");
    const model::ScheduleChoice &choice = m_document->experiment().schedule;
    const QString how = Words::tr(" Type, or drag a pass in the picture; what is changed becomes a custom order.");
    if (!choice.hasOwnOrder())
        return Words::tr("The order of %1.").arg(familyCaption(choice.family)) + how;
    QString words = m_recognised.empty() ? Words::tr("A custom order, which no family makes.")
                                         : Words::tr("This is %1.").arg(familyCaption(m_recognised));
    if (!choice.file.empty())
        words += Words::tr(" It comes from %1.").arg(QFileInfo(qtText(choice.file)).fileName());
    return words;
}

QString ScheduleController::refusal(const service::PassMove &move)
{
    if (m_forecast->isComputing())
        return Words::tr("The plan is being computed.");
    if (!m_forecast->isCurrent())
        return Words::tr("The picture shows the last valid plan: mend the experiment first.");
    const service::PredictionPtr &plan = m_forecast->plan();
    if (isShort(*plan))
        return moveRefusal(*plan->schedule, move);
    m_judgeJob.start(
        [plan, move](const std::stop_token &) { return base::Result<QString>(moveRefusal(*plan->schedule, move)); },
        [this, plan, move](const base::Result<QString> &why) {
            if (why && plan == m_forecast->plan())
                m_page->timeline()->answerMove(move, *why);
        });
    return {};
}

void ScheduleController::move(const service::PassMove &move)
{
    const service::PredictionPtr &plan = m_forecast->plan();
    if (!m_forecast->isCurrent())
        return;
    const model::Experiment before = m_document->experiment();
    const auto moved = [plan, move, before](const std::stop_token &) { return withMove(before, *plan->schedule, move); };
    const QString name = passText(plan->schedule->device(move.device)[move.from]);
    m_moveJob.run(isShort(*plan), moved, [this, before, name, move](const base::Result<model::Experiment> &next) {
        if (m_document->experiment() != before)
            return; // it was edited meanwhile
        if (!next) {
            m_notice->warn(Words::tr("The pass stays where it is. ") + sentence(next.error()));
            return;
        }
        m_document->closeGesture();
        m_document->edit(kTextField, Words::tr("Move %1 of device %2").arg(name).arg(move.device), *next);
        m_document->closeGesture();
    });
}

void ScheduleController::pull(const QString &field, const QString &label, const std::function<void(model::WhatIf &)> &change)
{
    if (!m_pulled && !m_forecast->isCurrent())
        return; // the picture is of another plan
    if (!m_pulled) {
        m_pulled = {m_document->experiment(), field};
        m_document->closeGesture();
    }
    model::Experiment next = m_pulled->before;
    change(next.whatIf);
    m_document->edit(field, label, std::move(next));
}

void ScheduleController::pullPass(int device, double factor)
{
    pull(u"what_if.slow"_s, Words::tr("Slow device %1").arg(device), [&](model::WhatIf &whatIf) {
        if (auto parts = model::parseSlowParts(whatIf.slow))
            whatIf.slow =
                model::slowText(slowedBy(std::move(*parts), model::SlowPart{model::SlowTarget::Device, device, factor}));
    });
}

void ScheduleController::pullLink(int from, int to, double factor)
{
    pull(u"what_if.slow_link"_s, Words::tr("Slow link %1-%2").arg(from).arg(to), [&](model::WhatIf &whatIf) {
        if (auto links = model::parseSlowLinks(whatIf.slowLink))
            whatIf.slowLink = model::slowLinkText(slowedBy(std::move(*links), model::SlowLink{from, to, factor}));
    });
}

void ScheduleController::endPull(bool isKept)
{
    if (!m_pulled)
        return;
    if (!isKept)
        m_document->revertGesture(m_pulled->field);
    m_pulled.reset();
    m_document->closeGesture();
}

void ScheduleController::offerCustomOrder()
{
    m_isOfferDue = m_document->isPreparing();
    if (m_isOfferDue || m_document->experiment().schedule.text.empty())
        return; // or the problem's bar or the file says what it is
    std::vector<MessageBar::Action> actions;
    if (!m_actions->editSchedule->isChecked())
        actions.push_back({Words::tr("Edit the order"), [this] { m_actions->editSchedule->setChecked(true); }});
    actions.push_back({Words::tr("Open a file…"), [this] { emit fileAsked(); }});
    m_notice->offer(ownOrderWords(), actions);
}

} // namespace stagelens::ui
