#include "ui/words/shape_words.h"

#include "engine/model/presets.h"
#include "engine/service/search/planned_shapes.h"
#include "ui/words/differences.h"
#include "ui/words/engine_messages.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kFsdpStage = 3; ///< of ZeRO: the parameters are sharded as well
constexpr double kHoursOfDay = 24;
constexpr double kAsFast = 0.001; ///< plans whose times differ by no larger share are as fast
constexpr double kSecondsOfHour = 3600;

base::Bytes peakOf(const simulate::Metrics &metrics)
{
    return metrics.peakMemory.empty() ? 0 : std::ranges::max(metrics.peakMemory);
}

base::Nanos timeOf(const ShapeRow &row)
{
    return row.metrics ? row.metrics->iteration : 0;
}

double shareOn(const std::vector<base::Nanos> &times, std::size_t device, base::Nanos whole)
{
    return device < times.size() && whole > 0 ? static_cast<double>(times[device]) / static_cast<double>(whole) : 0;
}

/// "Chunks 4", "layers 2/2/1/3"; "As published" alone, since a word says what it is.
QString choiceText(const FieldValues &field, qsizetype index)
{
    const QString &value = field.values[index];
    if (field.field == u"parallel.stage_layers"_s)
        return Words::tr("layers %1").arg(value);
    bool isNumber = false;
    static_cast<void>(value.toDouble(&isNumber));
    return isNumber ? fieldCaption(field.field) + u' ' + value : value;
}

} // namespace

std::vector<ShapeRow> shapeRows(const service::PlanAnswer &answer)
{
    std::vector<ShapeRow> rows;
    for (const service::PlannedRun &run : answer.plans)
        rows.push_back({run.prediction->experiment, run.prediction->metrics, peakOf(run.prediction->metrics), true, true, {}});
    std::ranges::stable_sort(rows, {}, timeOf);
    // Of plans that are as fast, the one with the least memory comes first.
    for (auto first = rows.begin(); first != rows.end();) {
        const double slowest = static_cast<double>(timeOf(*first)) * (1 + kAsFast);
        const auto end = std::find_if(first, rows.end(),
                                      [slowest](const ShapeRow &row) { return static_cast<double>(timeOf(row)) > slowest; });
        std::stable_sort(first, end, [](const ShapeRow &a, const ShapeRow &b) { return a.memory < b.memory; });
        first = end;
    }
    for (const service::PlannedShape &shape : answer.shapes) {
        const bool isKnown = std::ranges::any_of(answer.plans, [&shape](const service::PlannedRun &run) {
            return service::isSameShape(run.prediction->experiment.parallel, shape.experiment.parallel);
        });
        if (!isKnown)
            rows.push_back({shape.experiment, shape.metrics, shape.memory, shape.fits, false, engineMessage(shape.refusal)});
    }
    return rows;
}

std::vector<std::pair<QString, model::Experiment>> leadingWays(const std::vector<ShapeRow> &rows)
{
    const auto orderOf = [](const ShapeRow &row) {
        return std::pair(!row.fits, row.fits ? timeOf(row) : row.memory.value_or(0));
    };
    std::vector<std::pair<QString, model::Experiment>> ways;
    for (const auto &[degree, name] : {std::pair{&model::ParallelPlan::devices, Words::tr("Mostly pipeline")},
                                       std::pair{&model::ParallelPlan::tensor, Words::tr("Mostly tensor")},
                                       std::pair{&model::ParallelPlan::context, Words::tr("Mostly context")},
                                       std::pair{&model::ParallelPlan::replicas, Words::tr("Mostly data")}}) {
        const ShapeRow *best = nullptr;
        for (const ShapeRow &row : rows) {
            const model::ParallelPlan &plan = row.experiment.parallel;
            const std::array degrees{plan.devices, plan.tensor, plan.context, plan.replicas};
            const bool isLed = std::ranges::count_if(degrees, [&](int each) { return each >= plan.*degree; }) == 1;
            if (isLed && row.metrics && (best == nullptr || orderOf(row) < orderOf(*best)))
                best = &row;
        }
        if (best == nullptr)
            continue;
        QString words = name + u": "_s + shapeText(best->experiment.parallel) + u", "_s + methodsText(best->experiment);
        if (!best->fits)
            words = Words::tr("%1 (does not fit)").arg(words);
        ways.emplace_back(std::move(words), best->experiment);
    }
    return ways;
}

QString shapeText(const model::ParallelPlan &plan)
{
    QStringList parts;
    for (const auto &[degree, text] :
         {std::pair{plan.devices, Words::tr("%1 devices")}, std::pair{plan.tensor, Words::tr("%1 tensor")},
          std::pair{plan.context, Words::tr("%1 context")}, std::pair{plan.replicas, Words::tr("%1 replicas")}})
        if (degree > 1)
            parts << text.arg(degree);
    return parts.isEmpty() ? Words::tr("1 device") : parts.join(u" × "_s);
}

QString shortShapeText(const model::ParallelPlan &plan)
{
    QStringList parts;
    for (const auto &[degree, text] :
         {std::pair{plan.tensor, Words::tr("tensor %1")}, std::pair{plan.context, Words::tr("context %1")},
          std::pair{plan.replicas, Words::tr("data %1")}})
        if (degree > 1)
            parts << text.arg(degree);
    return parts.join(u" × "_s);
}

QString methodsText(const model::Experiment &plan)
{
    QStringList parts{withMethod(familyCaption(plan.schedule.family), plan.schedule.vocabulary)};
    if (plan.schedule.recompute == model::Recompute::Full)
        parts << Words::tr("full recomputation");
    else if (plan.schedule.recompute == model::Recompute::Selective)
        parts << Words::tr("selective recomputation");
    if (plan.parallel.zero == kFsdpStage && plan.parallel.zero3 == model::ZeroParameters::KeepUntilBackward)
        parts << Words::tr("ZeRO-%1 in every microbatch").arg(plan.parallel.zero);
    else if (plan.parallel.zero == kFsdpStage && plan.parallel.reducesEagerly())
        parts << Words::tr("ZeRO-%1 in every pass (FSDP)").arg(plan.parallel.zero);
    else if (plan.parallel.zero > 0)
        parts << (plan.parallel.reducesEagerly() ? Words::tr("ZeRO-%1 in every pass").arg(plan.parallel.zero)
                                                 : u"ZeRO-%1"_s.arg(plan.parallel.zero));
    if (plan.parallel.averagesWeights())
        parts << Words::tr("average every %1 steps").arg(plan.parallel.syncEvery);
    return parts.join(u" · "_s);
}

QStringList methodsTexts(const std::vector<ShapeRow> &rows)
{
    QStringList texts;
    std::map<QString, std::vector<std::size_t>> alike;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const model::ParallelPlan &plan = rows[i].experiment.parallel;
        texts << methodsText(rows[i].experiment);
        alike[u"%1 · %2 · %3"_s.arg(texts.back(), shapeText(plan)).arg(plan.microbatchSize)].push_back(i);
    }
    for (const auto &[text, group] : alike) {
        std::vector<const model::Experiment *> plans;
        for (const std::size_t i : group)
            plans.push_back(&rows[i].experiment);
        for (const FieldValues &field : differingFields(plans))
            for (std::size_t i = 0; i < group.size(); ++i)
                texts[static_cast<qsizetype>(group[i])] += u" · "_s + choiceText(field, static_cast<qsizetype>(i));
    }
    return texts;
}

ExchangeShares exchangeShares(const simulate::Metrics &metrics)
{
    ExchangeShares most;
    const std::size_t devices = metrics.busyPerDevice.size();
    for (std::size_t device = 0; device < devices; ++device) {
        const ExchangeShares shares{shareOn(metrics.tensorPerDevice, device, metrics.iteration),
                                    shareOn(metrics.contextPerDevice, device, metrics.iteration),
                                    shareOn(metrics.replicaPerDevice, device, metrics.iteration)};
        if (shares.all() > most.all())
            most = shares;
    }
    if (metrics.exposedExchange && metrics.iteration > 0)
        most.replicas += static_cast<double>(*metrics.exposedExchange) / static_cast<double>(metrics.iteration);
    return most;
}

QString exchangesText(const ExchangeShares &shares)
{
    constexpr double kLeastShown = 0.005;
    QStringList parts;
    for (const auto &[share, text] :
         {std::pair{shares.tensor, Words::tr("tensor %1")}, std::pair{shares.context, Words::tr("context %1")},
          std::pair{shares.replicas, Words::tr("data %1")}})
        if (share >= kLeastShown)
            parts << text.arg(shareText(share));
    return parts.join(u", "_s);
}

std::optional<TrainingCost> trainingCost(const ShapeRow &row, double tokens, double price)
{
    if (!row.metrics || !row.metrics->tokensPerSecond || *row.metrics->tokensPerSecond <= 0 || tokens <= 0)
        return std::nullopt;
    const model::ParallelPlan &plan = row.experiment.parallel;
    const double hours = tokens / *row.metrics->tokensPerSecond / kSecondsOfHour;
    const double gpuHours = hours * static_cast<double>(plan.ranks(plan.devices));
    return TrainingCost{hours / kHoursOfDay, gpuHours, price > 0 ? std::optional(gpuHours * price) : std::nullopt};
}

QString modelName(const model::ModelConfig &model)
{
    static const auto presets = model::modelPresets();
    for (const model::ModelPreset &preset : presets.ok() ? *presets : std::vector<model::ModelPreset>()) {
        model::ModelConfig same = preset.model;
        same.vocabularySize = model.vocabularySize;
        same.sequence = model.sequence;
        same.preset = model.preset;
        if (same == model)
            return modelCaption(preset.model.preset);
    }
    return modelCaption(model.preset);
}

QString rateText(double perSecond)
{
    constexpr double kLeastWhole = 100;
    return std::abs(perSecond) < kLeastWhole ? QString::number(perSecond, 'g', 3) : countText(perSecond);
}

QString obstacleText(const ShapeRow &row, std::optional<base::Bytes> limit)
{
    if (!row.refusal.isEmpty())
        return row.refusal;
    if (row.fits)
        return {};
    if (!row.memory || !limit)
        return Words::tr("does not fit");
    return row.metrics ? Words::tr("needs %1 of %2").arg(bytesText(*row.memory), bytesText(*limit))
                       : Words::tr("needs at least %1 of %2").arg(bytesText(*row.memory), bytesText(*limit));
}

QString leftOutText(const service::PlanAnswer &answer)
{
    QStringList lines{Words::tr("%1 plans predicted, %2 ruled out by their bounds of time and memory.")
                          .arg(countText(static_cast<double>(answer.tried)), countText(static_cast<double>(answer.beaten)))};
    for (const service::PlanRejection &each : answer.rejected)
        lines << Words::tr("Left out: %1 with %2.").arg(countText(static_cast<double>(each.count)), engineMessage(each.reason));
    return lines.join(u'\n');
}

} // namespace stagelens::ui
