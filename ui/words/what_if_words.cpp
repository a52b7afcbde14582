#include "ui/words/what_if_words.h"

#include "engine/model/what_if.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

/// A part that costs less of the step is not worth a sentence.
constexpr double kSlowNoticeable = 0.01;

double shareLost(base::Nanos with, base::Nanos without)
{
    return with > 0 ? static_cast<double>(with - without) / static_cast<double>(with) : 0;
}

const service::WhatIfPart *costliest(const service::Sensitivity &sensitivity)
{
    const auto least = std::ranges::min_element(sensitivity.parts, {}, &service::WhatIfPart::without);
    return least == sensitivity.parts.end() ? nullptr : &*least;
}

/// "Device 3 is 12 % slow", "Link 2-3 takes 4x as long", "The sequences have unequal lengths, which".
QString subjectOf(const service::WhatIfPart &part)
{
    if (part.factor <= 0)
        return Words::tr("The unequal lengths of the sequences cost");
    QString name = qtText(part.name);
    name[0] = name[0].toUpper();
    if (part.name.starts_with("link"))
        return Words::tr("%1 takes %2 as long and costs").arg(name, factorText(part.factor));
    return Words::tr("%1 is %2 slow and costs").arg(name, shareText(part.factor - 1));
}

QString hoursText(double hours)
{
    return hours == 1 ? Words::tr("hour") : Words::tr("%1 hours").arg(hours);
}

QString failuresText(const simulate::FailureForecast &failures, double hours)
{
    return Words::tr("With a failure every %1, a checkpoint every %2 (%3) is best: goodput %4 %.")
        .arg(hoursText(hours),
             failures.steps == 1 ? Words::tr("step") : countText(static_cast<double>(failures.steps)) + Words::tr(" steps"),
             secondsText(failures.period))
        .arg(failures.goodput * 100, 0, 'f', 1);
}

QString jitterText(const simulate::JitterResult &jitter, bool units)
{
    const auto most = std::ranges::max_element(jitter.criticalShare);
    QString text =
        Words::tr("With %1 % jitter a step takes %2 on average, 5 to 95 %: %3 – %4 (%5 draws).")
            .arg(QString::number(jitter.variation * 100, 'g', 3), durationText(jitter.iteration.mean, units),
                 durationText(jitter.iteration.p05, units), durationText(jitter.iteration.p95, units), countText(jitter.draws));
    if (jitter.criticalShare.size() > 1)
        text += Words::tr(" Device %1 is critical most often, in %2 of the draws.")
                    .arg(most - jitter.criticalShare.begin())
                    .arg(shareText(*most));
    return text;
}

} // namespace

QString slowVerdict(const service::Sensitivity &sensitivity)
{
    const service::WhatIfPart *part = costliest(sensitivity);
    if (part == nullptr)
        return {};
    const double lost = shareLost(sensitivity.iteration, part->without);
    if (lost < kSlowNoticeable)
        return {};
    QString text = Words::tr("%1 %2 of the step.").arg(subjectOf(*part), shareText(lost));
    if (part->ifFirst && lost - shareLost(*part->ifFirst, part->without) >= kSlowNoticeable)
        text += Words::tr(" In first position it would cost %1.").arg(shareText(shareLost(*part->ifFirst, part->without)));
    return text.replace(u" %"_s, u"\u00a0%"_s); // a line does not begin with the sign
}

QString sensitivityNote(const service::Prediction &plan, const service::Sensitivity &sensitivity)
{
    QStringList notes;
    const bool units = inTeachingUnits(plan.experiment);
    if (!sensitivity.parts.empty())
        notes << Words::tr("Without its what-ifs the step would take %1.").arg(durationText(sensitivity.planned, units));
    const model::ParallelPlan &parallel = plan.experiment.parallel;
    if (!sensitivity.parts.empty() && parallel.replicas > 1)
        notes << (parallel.reducesEagerly() && parallel.shardGroups() == 1
                      ? Words::tr("Replicas exchange in every pass: each takes as long as in the slowest.")
                      : Words::tr("The picture shows replica %1, which ends last.").arg(plan.timeline->replica));
    if (sensitivity.jitter)
        notes << jitterText(*sensitivity.jitter, units);
    if (sensitivity.failures)
        notes << failuresText(*sensitivity.failures, plan.experiment.whatIf.failureInterval.value_or(0));
    return notes.join(u'\n');
}

QString bandText(const simulate::Quantiles &iteration, bool units)
{
    return Words::tr("5 to 95 %: %1 – %2").arg(durationText(iteration.p05, units), durationText(iteration.p95, units));
}

QString criticalText(double share)
{
    return Words::tr("critical %1").arg(shareText(share));
}

} // namespace stagelens::ui
