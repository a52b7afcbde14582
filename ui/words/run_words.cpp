#include "ui/words/run_words.h"

#include "engine/base/count.h"
#include "engine/model/names.h"
#include "engine/schedule/families.h"
#include "ui/words/differences.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype kMostWords = 3;
/// From so many fields on it is simply another model.
constexpr qsizetype kAnotherModel = 3;

/// How the database spells what the table shows.
std::vector<std::string> spellings(const QString &word)
{
    std::vector<std::string> all{utf8(word)};
    for (const std::string &method : model::names<model::VocabularyMethod>()) {
        const auto parsed = model::parse<model::VocabularyMethod>(method);
        if (parsed && shortName(*parsed).contains(word, Qt::CaseInsensitive))
            all.push_back(method);
    }
    for (const schedule::Family &family : schedule::families())
        if (familyCaption(family.name).contains(word, Qt::CaseInsensitive))
            all.emplace_back(family.name);
    const bool namesVocabulary = word.startsWith(u'v', Qt::CaseInsensitive);
    if (const auto size = base::parseCount(utf8(namesVocabulary ? word.mid(1) : word)))
        all.push_back("v" + std::to_string(*size));
    return all;
}

} // namespace

std::vector<std::vector<std::string>> filterWords(const QString &filter)
{
    std::vector<std::vector<std::string>> words;
    // The table writes "V 8,192", "not split" and "measured live"; each part of them is found by itself.
    for (const QString &word : filter.simplified().split(u' ', Qt::SkipEmptyParts))
        if (word != u"·"_s)
            words.push_back(spellings(word));
    return words;
}

QString differenceWords(const model::Experiment &baseline, const model::Experiment &run)
{
    QStringList words;
    QStringList ofModel;
    for (const FieldDifference &difference : planDifferences(baseline, run)) {
        const QString &field = difference.field;
        // What follows from the method and the layers is no choice of its own; the kind of clock has its column.
        if (field == u"parallel.stage_layers"_s || field == u"training.mode"_s)
            continue;
        const bool speaksForItself = field == u"schedule.vocabulary"_s || field == u"schedule.family"_s;
        const QString text = speaksForItself ? difference.second : fieldCaption(field) + u' ' + difference.second;
        (field.startsWith(u"model."_s) ? ofModel : words) << text;
    }
    if (ofModel.size() >= kAnotherModel)
        ofModel = {Words::tr("another model") + (run.model.preset.empty() || run.model.preset == "custom"
                                                     ? QString()
                                                     : u" (%1)"_s.arg(qtText(run.model.preset)))};
    words = ofModel + words;
    if (words.isEmpty())
        return Words::tr("as the baseline");
    if (words.size() > kMostWords)
        words = words.mid(0, kMostWords) << Words::tr("and %1 more").arg(words.size() - kMostWords);
    return words.join(u"; "_s);
}

std::optional<int> medianStep(const store::RunRecord &run)
{
    const auto median = store::medianIndex(run.iterations);
    return median ? std::optional(run.summary.resumedSteps + static_cast<int>(*median) + 1) : std::nullopt;
}

QString typicalText(const simulate::Metrics &metrics)
{
    return metrics.typicalOfSteps ? Words::tr(", typical of %1 steps").arg(*metrics.typicalOfSteps) : QString();
}

BadEnd badEnd(const store::RunSummary &run)
{
    BadEnd end;
    if (run.status != store::RunStatus::Failed && run.status != store::RunStatus::Interrupted)
        return end;
    end.words =
        Words::tr("%1 %2.").arg(run.id > 0 ? Words::tr("Run %1").arg(run.id) : Words::tr("The run"),
                                run.status == store::RunStatus::Failed ? Words::tr("failed") : Words::tr("was interrupted"));
    static const QRegularExpression kField(u"^(schedule|[a-z_]+(?:\\.[a-z_]+)+): "_s); // as base::Error::text() writes it
    for (QString line : qtText(run.reason).split(u'\n', Qt::SkipEmptyParts)) {
        if (const auto match = kField.match(line); match.hasMatch()) {
            end.field = match.captured(1) == u"schedule"_s ? u"schedule.family"_s : match.captured(1);
            line.remove(0, match.capturedLength());
        }
        end.words += u' ' + sentence(base::Problem{{}, utf8(line)});
    }
    // The reason comes first, since a narrow status bar cuts the end.
    end.words += u' ' + Words::tr("Steps done: %1 of %2.").arg(run.stepsDone).arg(run.stepsPlanned);
    return end;
}

} // namespace stagelens::ui
