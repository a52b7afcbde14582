#include "ui/words/lever_words.h"

#include "engine/model/names.h"
#include "engine/model/schema.h"
#include "ui/words/differences.h"
#include "ui/words/time_axis.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <algorithm>
#include <array>

namespace stagelens::ui {

using namespace Qt::StringLiterals;
using service::LeverKind;

namespace {

constexpr std::array<std::string_view, 22> kFields{"schedule.recompute_layers",
                                                   "schedule.recompute_modules",
                                                   "schedule.stored_activations",
                                                   "schedule.attention",
                                                   "schedule.offload",
                                                   "parallel.microbatch_size",
                                                   "parallel.stage_layers",
                                                   "schedule.family",
                                                   "schedule.overlapped_pairs",
                                                   "schedule.vocabulary",
                                                   "schedule.vocabulary_kind",
                                                   "model.vocabulary_width",
                                                   "parallel.zero",
                                                   "parallel.sequence_parallel",
                                                   "parallel.vocabulary_sharding",
                                                   "parallel.context",
                                                   "training.optimizer.name",
                                                   "schedule.offload_optimizer",
                                                   "model.dtype",
                                                   "parallel.message_precision",
                                                   "training.gradient_compression",
                                                   "parallel.sync_every"};

std::string_view fieldOf(LeverKind kind)
{
    return kFields[static_cast<std::size_t>(kind)];
}

/// The caption of a choice, or its word.
QString choiceText(std::string_view path, std::string_view word)
{
    const auto &choices = model::schemaField(path).choices;
    const auto found = std::ranges::find(choices, word, &model::FieldChoice::value);
    return found != choices.end() && !found->caption.empty() ? engineText(found->caption) : qtText(word);
}

QString layersText(const model::ScheduleChoice &schedule)
{
    const std::vector<int> &list = schedule.recomputeLayers;
    if (list.empty())
        return schedule.recompute == model::Recompute::Full ? Words::tr("All layers")
                                                            : choiceText("schedule.recompute", model::name(schedule.recompute));
    if (list.size() == 1)
        return list[0] == 1 ? Words::tr("1 of each stage") : Words::tr("%1 of each stage").arg(list[0]);
    return countsText(list);
}

QString offloadText(const model::OffloadChoice &choice)
{
    const std::string share = QString::number(choice.fraction).toStdString();
    return choiceText("schedule.offload", choice.isAuto ? "auto" : choice.fraction > 0 ? std::string_view(share) : "none");
}

QString logitsText(const model::ScheduleChoice &schedule)
{
    if (schedule.vocabularyKind == model::VocabularyKind::Chunked)
        return schedule.logitChunks == 1 ? Words::tr("1 chunk") : Words::tr("%1 chunks").arg(schedule.logitChunks);
    return choiceText("schedule.vocabulary_kind", model::name(schedule.vocabularyKind));
}

} // namespace

QString countsText(const std::vector<int> &counts)
{
    QStringList numbers;
    for (const int count : counts)
        numbers << QString::number(count);
    return numbers.join(u'/');
}

QString leverKindText(LeverKind kind)
{
    return fieldCaption(qtText(fieldOf(kind)));
}

QString leverText(LeverKind kind, const model::Experiment &plan)
{
    switch (kind) {
    case LeverKind::Layers: return layersText(plan.schedule);
    case LeverKind::Operators: return choiceText(fieldOf(kind), model::text(plan.schedule.recomputeModules));
    case LeverKind::Stored: return choiceText(fieldOf(kind), model::name(plan.schedule.storedActivations));
    case LeverKind::Attention: return choiceText(fieldOf(kind), model::name(plan.schedule.attention));
    case LeverKind::Offload: return offloadText(plan.schedule.offload);
    case LeverKind::Microbatch:
        return Words::tr("%1, with %2 microbatches").arg(plan.parallel.microbatchSize).arg(plan.parallel.microbatches);
    case LeverKind::Cut: return countsText(plan.parallel.stageLayers);
    case LeverKind::Schedule: return familyCaption(plan.schedule.family);
    case LeverKind::Pairs: return plan.schedule.overlappedPairs ? Words::tr("On") : Words::tr("Off");
    case LeverKind::Vocabulary: return choiceText(fieldOf(kind), model::name(plan.schedule.vocabulary));
    case LeverKind::Logits: return logitsText(plan.schedule);
    case LeverKind::Width:
        return plan.model.vocabularyWidth ? QString::number(*plan.model.vocabularyWidth)
                                          : engineText(model::schemaField(fieldOf(kind)).absent);
    case LeverKind::Zero: return u"ZeRO-%1"_s.arg(plan.parallel.zero);
    case LeverKind::SequenceParallel: return plan.parallel.sequenceParallel ? Words::tr("On") : Words::tr("Off");
    case LeverKind::VocabularySharding: return choiceText(fieldOf(kind), model::name(plan.parallel.vocabularySharding));
    case LeverKind::Context:
        return Words::tr("%1 with %2 replicas, %3")
            .arg(QString::number(plan.parallel.context), QString::number(plan.parallel.replicas),
                 choiceText("parallel.context_method", model::name(plan.parallel.contextMethod)));
    case LeverKind::Optimizer: return choiceText(fieldOf(kind), plan.training.optimizer.name);
    case LeverKind::Host:
        return plan.schedule.offloadParameters  ? Words::tr("On, with the weights of the layers")
               : plan.schedule.offloadOptimizer ? Words::tr("On")
                                                : Words::tr("Off");
    case LeverKind::Messages: return choiceText(fieldOf(kind), model::name(plan.parallel.messagePrecision));
    case LeverKind::Compression: return choiceText(fieldOf(kind), operators::text(plan.training.compression));
    case LeverKind::Averaging:
        return plan.parallel.syncEvery == 1 ? Words::tr("Every step")
                                            : Words::tr("Every %1 steps").arg(plan.parallel.syncEvery);
    case LeverKind::Precision: return choiceText(fieldOf(kind), model::name(plan.model.dtype));
    }
    return {};
}

QString leverText(const service::Lever &lever, const service::LeverBoard &board)
{
    if (lever.parts.empty())
        return leverText(lever.kind, lever.experiment);
    QStringList texts;
    for (const std::size_t part : lever.parts) {
        const service::Lever &each = board.levers[part];
        texts << u"%1: %2"_s.arg(leverKindText(each.kind), leverText(each.kind, each.experiment));
    }
    return texts.join(u"; "_s);
}

QString numbersText(service::Numbers numbers)
{
    switch (numbers) {
    case service::Numbers::SameBits: return Words::tr("Same bits");
    case service::Numbers::SameMathematics: return Words::tr("Same mathematics");
    case service::Numbers::OtherMathematics: return Words::tr("Other mathematics");
    case service::Numbers::OtherModel: break;
    }
    return Words::tr("Other model");
}

QString numbersTip(service::Numbers numbers)
{
    switch (numbers) {
    case service::Numbers::SameBits: return Words::tr("Every number of the training stays the same");
    case service::Numbers::SameMathematics: return Words::tr("The numbers are rounded differently");
    case service::Numbers::OtherMathematics: return Words::tr("The model trains differently: compare the loss of two runs");
    case service::Numbers::OtherModel: break;
    }
    return Words::tr("Another model: its quality must be measured, and what it saves is not free");
}

QString boardText(const service::LeverBoard &board)
{
    const QString plan = Words::tr("Predicted: the plan takes %1 and needs %2 on its fullest device")
                             .arg(durationText(board.iteration), bytesText(board.peakMemory));
    return plan + (board.limit ? Words::tr(", which has %1.").arg(bytesText(*board.limit)) : u"."_s);
}

} // namespace stagelens::ui
