#include "ui/words/problem_words.h"

#include "engine/model/schema.h"
#include "ui/words/differences.h"
#include "ui/words/engine_messages.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <algorithm>
#include <cmath>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

/// "Devices must be 1 to 1,024, not 100,000."; empty if the field is no whole number outside a closed range.
QString rangeWords(const model::Field &field, const model::Experiment &experiment)
{
    const model::FieldValue value = field.value(experiment);
    const auto *number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || !std::isfinite(field.least) || !std::isfinite(field.most) || field.isBelowMost)
        return {};
    const auto now = static_cast<double>(*number);
    if (now >= field.least && now <= field.most)
        return {};
    return Words::tr("%1 must be %2 to %3, not %4.")
        .arg(fieldCaption(qtText(field.path)), countText(field.least), countText(field.most), countText(now));
}

/// The sentence after the name of its field: "is 3, which does not divide heads (4)."
QString lowerSentence(const base::Problem &problem)
{
    const QString text = engineMessage(problem.message);
    return text.endsWith(u'.') || text.endsWith(u'?') ? text : Words::tr("%1.").arg(text);
}

/// Every problem but the first.
QString othersWords(const base::Problems &problems, const model::Experiment &experiment)
{
    QStringList others;
    for (std::size_t index = 1; index < problems.size(); ++index)
        others << problemWords(problems[index], experiment);
    return others.join(u' ');
}

} // namespace

QString lastValidPlanWords(const service::PredictionPtr &plan, const base::Problems &problems)
{
    if (!plan)
        return {};
    // The field that is wrong now is named with the value that it had.
    const std::string &field = problems.front().field;
    const model::ParallelPlan &parallel = plan->experiment.parallel;
    QString shown = planCaption(plan->experiment);
    if (field == "parallel.devices")
        shown = Words::tr("%1 devices").arg(parallel.devices);
    else if (field == "parallel.microbatches")
        shown = Words::tr("%1 microbatches").arg(parallel.microbatches);
    return Words::tr("Showing the last valid plan: %1.").arg(shown);
}

QString problemWords(const base::Problem &problem, const model::Experiment &experiment)
{
    const model::Field *field = model::findField(problem.field);
    if (field == nullptr)
        return sentence(problem);
    if (const QString words = rangeWords(*field, experiment); !words.isEmpty())
        return words;
    if (problem.field == "schedule.text") // its faults name line and word
        return sentence(problem);
    return Words::tr("%1: %2").arg(fieldCaption(qtText(field->path)), lowerSentence(problem));
}

QString repairWords(const service::RepairedOrder &repaired)
{
    QStringList changes;
    const auto say = [&changes](std::size_t count, const QString &words) {
        if (count > 0)
            changes << words.arg(countText(static_cast<double>(count)));
    };
    say(repaired.removed, Words::tr("removed: %1"));
    say(repaired.added, Words::tr("added: %1"));
    say(repaired.moved, Words::tr("moved: %1"));
    return changes.isEmpty() ? Words::tr("no pass changed") : Words::tr("passes %1").arg(changes.join(u", "_s));
}

Headline invalidHeadline(const base::Problems &problems, const model::Experiment &experiment)
{
    Headline headline;
    headline.text = problemWords(problems.front(), experiment);
    if (problems.front().field == "schedule.text")
        headline.text = Words::tr("The schedule is invalid. %1").arg(headline.text);
    const auto more = static_cast<int>(problems.size()) - 1;
    if (more == 1)
        headline.second = Words::tr("1 more problem: %1").arg(othersWords(problems, experiment));
    else if (more > 1)
        headline.second = Words::tr("%1 more problems: %2").arg(QString::number(more), othersWords(problems, experiment));
    return headline;
}

} // namespace stagelens::ui
