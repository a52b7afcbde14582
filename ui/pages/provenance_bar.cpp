#include "ui/pages/provenance_bar.h"

#include "engine/model/names.h"
#include "ui/pages/explore_content.h"
#include "ui/state/forecast.h"
#include "ui/state/run_controller.h"
#include "ui/words/differences.h"
#include "ui/words/run_words.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

ProvenanceBar::ProvenanceBar(Forecast *forecast, RunController *runController, const ExploreContent *content, QWidget *parent)
    : MessageBar(u"bar.provenance"_s, parent, Form::Line), m_forecast(forecast), m_runController(runController),
      m_content(content)
{}

void ProvenanceBar::refresh()
{
    const auto &plan = m_forecast->plan();
    const auto &run = m_runController->shown();
    const BadEnd end = run ? badEnd(run->record.summary) : BadEnd();
    if (plan && !end.words.isEmpty()) {
        sayBadEnd(end);
        return;
    }
    const bool isBeside = plan && m_content->run();
    if (plan && run && !isBeside && inTeachingUnits(plan->experiment) &&
        m_runController->shownDifferences(plan->experiment).empty()) {
        say(MessageBar::Tone::Note,
            Words::tr("Run %1 measured this plan in milliseconds; teaching units have no common axis with it. Choose "
                      "the costs of this computer to see both.")
                .arg(run->record.summary.id),
            {{Words::tr("Hide the run"), [this] { m_runController->showNone(); }}});
        return;
    }
    if (m_content->shown == Shown::Measured && !(isBeside && run->record.timeline) && !m_runController->isTraining()) {
        say(MessageBar::Tone::Note, Words::tr("Nothing was measured yet: this is the prediction."),
            {{Words::tr("Train this plan"), [this] { emit trainAsked(); }}});
        return;
    }
    if (!isBeside || !run->record.timeline || m_content->shown == Shown::Predicted || !m_content->runDiffers()) {
        clear();
        return;
    }
    sayDifferences();
}

void ProvenanceBar::sayDifferences()
{
    const auto &plan = m_forecast->plan();
    const auto &run = m_runController->shown();
    const QString from = Words::tr("From run %1").arg(run->record.summary.id);
    const auto found = m_runController->shownDifferences(plan->experiment);
    if (found.empty() && m_content->runIsEmulated()) {
        const std::string_view format = model::name(run->record.experiment.model.dtype);
        say(MessageBar::Tone::Note,
            from + Words::tr(", which emulates %1 on processors: predictions do not count the conversions, so no error is "
                             "shown.")
                       .arg(QString::fromUtf8(format.data(), static_cast<qsizetype>(format.size()))),
            {{Words::tr("Hide the run"), [this] { m_runController->showNone(); }}});
        return;
    }
    if (found.empty()) {
        say(MessageBar::Tone::Note,
            from + Words::tr(", measured on this computer; the prediction is for %1, so no error is shown.")
                       .arg(costCaption(plan->experiment)),
            {{Words::tr("Hide the run"), [this] { m_runController->showNone(); }}});
        return;
    }
    say(MessageBar::Tone::Note, from + Words::tr(", which differs: ") + differencesText(found) + u'.',
        {{Words::tr("Show its plan"), [this] { emit showPlanAsked(); }},
         {Words::tr("Train this plan"), [this] { emit trainAsked(); }}});
}

void ProvenanceBar::sayBadEnd(const BadEnd &end)
{
    const service::RunSnapshot &run = *m_runController->shown();
    QString words = end.words + (run.record.timeline ? Words::tr(" What was measured remains.") : QString());
    std::vector<MessageBar::Action> actions;
    if (const auto found = m_runController->shownDifferences(m_forecast->plan()->experiment); !found.empty()) {
        words += Words::tr(" It differs from this plan: %1.").arg(differencesText(found));
        actions.push_back({Words::tr("Show its plan"), [this] { emit showPlanAsked(); }});
    } else if (!end.field.isEmpty()) {
        actions.push_back(
            {Words::tr("Go to %1").arg(fieldCaption(end.field)), [this, field = end.field] { emit fieldAsked(field); }});
    } else {
        actions.push_back({Words::tr("Train this plan"), [this] { emit trainAsked(); }});
    }
    actions.push_back({Words::tr("Hide the run"), [this] { m_runController->showNone(); }});
    say(MessageBar::Tone::Warning, words, std::move(actions));
}

} // namespace stagelens::ui
