#include "ui/words/words.h"

#include "ui/words/engine_messages.h"
#include "ui/words/tr.h"

#include "engine/base/count.h"
#include "engine/base/text.h"
#include "engine/model/calibration.h"
#include "engine/model/conditions.h"
#include "engine/model/names.h"
#include "engine/schedule/families/interleaved.h"

#include <QDateTime>
#include <QFileInfo>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

QString qtText(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

QString engineText(std::string_view english)
{
    return Words::tr(std::string(english).c_str());
}

std::string utf8(const QString &text)
{
    return text.toStdString();
}

QString bytesText(base::Bytes bytes)
{
    return qtText(base::bytesText(bytes));
}

QString shareText(double ratio)
{
    return QString::number(std::lround(ratio * 100)) + u" %"_s;
}

QString fineShareText(double ratio)
{
    const double percent = std::abs(ratio * 100);
    if (percent == 0 || percent >= 10)
        return shareText(ratio);
    const int decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(percent))), 0, 9);
    return QString::number(ratio * 100, 'f', decimals) + u" %"_s;
}

QString changeText(double now, double before)
{
    if (before <= 0)
        return {};
    const long change = std::lround((now / before - 1) * 100);
    if (change == 0)
        return u"±0 %"_s;
    return (change > 0 ? u"+"_s : u"−"_s) + QString::number(std::abs(change)) + u" %"_s;
}

QString pointsText(double now, double before)
{
    const long change = std::lround(now * 100) - std::lround(before * 100); // of the figures that are shown
    const QString sign = change > 0 ? u"+"_s : change < 0 ? u"−"_s : u"±"_s;
    return (std::abs(change) == 1 ? Words::tr("%1%2 point") : Words::tr("%1%2 points")).arg(sign).arg(std::abs(change));
}

QString factorText(double factor)
{
    return QString::number(factor, 'f', factor < 1.1 ? 2 : 1) + u"x"_s;
}

QString countText(double count)
{
    return qtText(base::countText(std::llround(count)));
}

QString whenText(std::int64_t unixMilliseconds)
{
    return QDateTime::fromMSecsSinceEpoch(unixMilliseconds).toString(u"yyyy-MM-dd HH:mm"_s);
}

QString secondsText(double seconds)
{
    if (seconds < 90)
        return QString::number(std::max(1L, std::lround(seconds))) + Words::tr(" s");
    if (seconds < 5400)
        return QString::number(std::lround(seconds / 60)) + Words::tr(" min");
    return QString::number(seconds / 3600, 'f', 1) + Words::tr(" h");
}

QString flopsText(double flops)
{
    constexpr std::u16string_view kPrefixes = u"kMGTPEZY";
    double value = flops / 1000;
    std::size_t prefix = 0;
    for (; std::abs(value) >= 999.5 && prefix + 1 < kPrefixes.size(); ++prefix)
        value /= 1000;
    return u"%1 %2FLOP"_s.arg(QString::number(value, 'g', 3)).arg(QChar(kPrefixes[prefix]));
}

QString caption(model::VocabularyMethod method)
{
    return engineText(model::traits(method).caption);
}

QString shortName(model::VocabularyMethod method)
{
    return engineText(model::traits(method).shortName);
}

QString familyCaption(std::string_view family)
{
    static const std::map<std::string_view, QString> kCaptions{
        {"gpipe", u"GPipe"_s},
        {"1f1b", u"1F1B"_s},
        {"eager-1f1b", u"Eager 1F1B"_s},
        {"interleaved-1f1b", u"Interleaved 1F1B"_s},
        {"breadth-first", u"Breadth-first"_s},
        {"zb-h1", u"ZB-H1"_s},
        {"zb-h2", u"ZB-H2"_s},
        {"interleaved-zb", u"Interleaved ZB"_s},
        {"gis", u"GIS"_s},
        {"po-h", u"PO-H"_s},
        {"po-f", u"PO-F"_s},
        {"zb-auto", u"ZB automatic"_s},
        {"zb-v", u"ZB-V"_s},
        {"v-half", u"V-Half"_s},
        {"v-min", u"V-Min"_s},
        {"v-zb", u"V-ZB"_s},
        {"1f1b-v", u"1F1B-V"_s},
        {"interlaced", u"Interlaced"_s},
        {"dualpipe", u"DualPipe"_s},
        {"dualpipe-v", u"DualPipeV"_s},
        {"chimera", u"Chimera"_s},
        {"hanayo", u"Hanayo"_s},
        {"seq1f1b", u"Seq1F1B"_s},
        {"seq1f1b-zb", u"Seq1F1B ZB"_s},
        {"pipedream", u"PipeDream"_s},
        {"pipedream-2bw", u"PipeDream-2BW"_s},
        {model::kCustomFamily, Words::tr("Custom order")},
    };
    const auto found = kCaptions.find(family);
    return found == kCaptions.end() ? qtText(family) : found->second;
}

QString caption(timeline::Provenance provenance)
{
    switch (provenance) {
    case timeline::Provenance::Predicted: return Words::tr("Predicted");
    case timeline::Provenance::MeasuredLive: return Words::tr("Measured live");
    case timeline::Provenance::MeasuredVirtualClock: return Words::tr("Virtual clock");
    case timeline::Provenance::Published: return Words::tr("Published");
    case timeline::Provenance::Imported: return Words::tr("Imported");
    }
    return {};
}

QString explanation(timeline::Provenance provenance)
{
    switch (provenance) {
    case timeline::Provenance::Predicted: return Words::tr("simulated from the costs of each pass");
    case timeline::Provenance::MeasuredLive: return Words::tr("wall clock, all devices at once");
    case timeline::Provenance::MeasuredVirtualClock: return Words::tr("each pass measured alone, concurrency simulated");
    case timeline::Provenance::Published: return Words::tr("from a paper");
    case timeline::Provenance::Imported: return Words::tr("from another program's trace");
    }
    return {};
}

QString caption(store::RunStatus status)
{
    switch (status) {
    case store::RunStatus::Running: return Words::tr("running");
    case store::RunStatus::Finished: return Words::tr("finished");
    case store::RunStatus::Failed: return Words::tr("failed");
    case store::RunStatus::Cancelled: return Words::tr("cancelled");
    case store::RunStatus::Interrupted: return Words::tr("interrupted");
    }
    return {};
}

QString withMethod(const QString &family, model::VocabularyMethod method)
{
    return method == model::ScheduleChoice().vocabulary ? family : family + u" · "_s + shortName(method);
}

QString planCaption(const model::Experiment &experiment)
{
    const std::string &file = experiment.schedule.file;
    const QString family = file.empty() ? familyCaption(experiment.schedule.family)
                                        : Words::tr("Custom: ") + qtText(std::filesystem::path(file).filename().string());
    return withMethod(family, experiment.schedule.vocabulary) +
           Words::tr(" · %1 devices × %2 microbatches").arg(experiment.parallel.devices).arg(experiment.parallel.microbatches) +
           (experiment.parallel.tensor > 1 ? Words::tr(" × %1 tensor").arg(experiment.parallel.tensor) : QString()) +
           (experiment.parallel.context > 1 ? Words::tr(" × %1 context").arg(experiment.parallel.context) : QString()) +
           (experiment.parallel.replicas > 1 ? Words::tr(" × %1 replicas").arg(experiment.parallel.replicas) : QString());
}

QString microbatchText(int microbatch, int slices)
{
    return slices == 1 ? QString::number(microbatch) : u"%1.%2"_s.arg(microbatch / slices).arg(microbatch % slices);
}

QString planNote(const model::Experiment &experiment)
{
    QStringList notes;
    if (const std::optional<int> grown = schedule::grownGroup(experiment))
        notes << Words::tr("Groups of up to %1 microbatches: the rest would not fill the pipeline.").arg(*grown);
    if (model::kPairsHideNothing(experiment))
        notes << (experiment.cost.collectives == model::Collectives::Blocking
                      ? Words::tr("Overlapped pairs hide nothing here: collectives are blocking.")
                      : Words::tr("Overlapped pairs hide nothing here: they overlap all-to-alls of experts on several ranks."));
    if (const model::ParallelPlan &plan = experiment.parallel; plan.ranks(1) > 1) {
        QString ranks = Words::tr("%1 ranks = %2 devices").arg(plan.ranks(plan.devices)).arg(plan.devices);
        if (plan.tensor > 1)
            ranks += Words::tr(" × %1 tensor").arg(plan.tensor);
        if (plan.context > 1)
            ranks += Words::tr(" × %1 context").arg(plan.context);
        if (plan.replicas > 1)
            ranks += Words::tr(" × %1 replicas").arg(plan.replicas);
        notes << ranks + Words::tr(". Throughput and MFU are of all ranks, bubble and memory of one rank of each device.");
        if (plan.zero > 1 && !plan.reducesEagerly())
            notes << Words::tr("At its peak a rank holds as much as with ZeRO-1; ZeRO-%1 saves memory beside the peak.")
                         .arg(plan.zero);
        if (plan.averagesWeights())
            notes << Words::tr(
                         "Each replica trains alone, and their weights are averaged every %1 steps: the iteration is the mean "
                         "of these steps, and the timeline shows the last, with the average. The losses are those of another "
                         "training than with the sum of the gradients.")
                         .arg(plan.syncEvery);
    }
    return notes.join(u'\n');
}

QString runName(const store::RunSummary &run)
{
    if (!run.name.empty())
        return qtText(run.name);
    const QString name =
        u"%1 · %2 · %3x%4"_s.arg(familyCaption(run.family), shortName(run.vocabulary)).arg(run.devices).arg(run.microbatches);
    return run.vocabularySize > 0 ? name + u" · V "_s + countText(static_cast<double>(run.vocabularySize)) : name;
}

QString costCaption(const model::Experiment &experiment)
{
    if (const auto *preset = std::get_if<model::HardwarePreset>(&experiment.cost.source))
        return preset->name == "cpu-local" ? Words::tr("this computer") : hardwareName(preset->name);
    if (std::holds_alternative<model::UniformCosts>(experiment.cost.source))
        return Words::tr("teaching units");
    return Words::tr("a durations file");
}

bool isUnmeasured(const service::Prediction &prediction)
{
    std::error_code ignored;
    return prediction.hardware && prediction.hardware->name == model::kLocalProcessor &&
           !std::filesystem::exists(model::calibrationFile(model::kLocalProcessor), ignored);
}

QString beyondMeasuredText(const service::Prediction &prediction)
{
    if (!prediction.hardware || !prediction.experiment.hasModel)
        return {};
    if (!model::isMeasured(*prediction.hardware))
        return Words::tr("No run on %1 was measured: its costs are estimates from published figures.")
            .arg(costCaption(prediction.experiment));
    QStringList beyond;
    for (const model::Extrapolation &each : model::extrapolations(*prediction.hardware, prediction.experiment)) {
        const QString what = each.field == "model.hidden"       ? Words::tr("Hidden width")
                             : each.field == "parallel.devices" ? Words::tr("Devices")
                                                                : Words::tr("Tokens of a microbatch");
        beyond += Words::tr("%1: %L2, measured %L3 to %L4")
                      .arg(what)
                      .arg(each.value)
                      .arg(each.measured.least)
                      .arg(each.measured.most);
    }
    return beyond.join(u'\n');
}

QString hardwareCaption(const model::Experiment &experiment)
{
    QString text = costCaption(experiment);
    if (!std::holds_alternative<model::HardwarePreset>(experiment.cost.source) || text == Words::tr("this computer"))
        text[0] = text[0].toUpper();
    return text;
}

QString modelCaption(std::string_view preset)
{
    static const std::map<std::string_view, QString> kModels{
        {"custom", Words::tr("Custom")},
        {"gpt-demo", u"Demo GPT"_s},
        {"llama-demo", u"Demo Llama"_s},
        {"moe-demo", u"Demo MoE"_s},
        {"moe-16-demo", u"Demo MoE 16"_s},
        {"deepseek-v3", u"DeepSeek-V3"_s},
        {"mixtral-8x7b", u"Mixtral 8x7B"_s},
        {"qwen3-30b-a3b", u"Qwen3 30B-A3B"_s},
        {"gpt2-124m", u"GPT-2 small"_s},
        {"gpt-4b", u"4B GPT"_s},
        {"gpt-7b", u"7B GPT"_s},
        {"gpt-10b", u"10B GPT"_s},
        {"gpt-16b", u"16B GPT"_s},
        {"gpt-21b", u"21B GPT"_s},
        {"gpt-30b", u"30B GPT"_s},
        {"gpt-3-175b", u"GPT-3 175B"_s},
        {"mt-nlg-530b", u"MT-NLG 530B"_s},
        {"gpt-1t", u"1T GPT"_s},
        {"llama-3-8b", u"Llama 3.1 8B"_s},
        {"llama-3.1-70b", u"Llama 3.1 70B"_s},
        {"llama-3.1-405b", u"Llama 3.1 405B"_s},
        {"gemma-2-2b", u"Gemma 2 2B"_s},
        {"gemma-2-9b", u"Gemma 2 9B"_s},
        {"gemma-2-27b", u"Gemma 2 27B"_s},
    };
    const auto found = kModels.find(preset);
    return found == kModels.end() ? qtText(preset) : found->second;
}

QString hardwareName(std::string_view preset)
{
    static const std::map<std::string_view, QString> kHardware{
        {"cpu-local", Words::tr("This computer")},
        {"gpu-local", Words::tr("This computer's GPU")},
        {"a100-80gb", u"A100 80 GB"_s},
        {"h100-sxm", u"H100 80 GB"_s},
        {"h200", u"H200 141 GB"_s},
        {"b200", u"B200 180 GB"_s},
        {"gb200-nvl72", u"GB200 NVL72 186 GB"_s},
        {"gb300-nvl72", u"GB300 NVL72 279 GB"_s},
        {"mi300x", u"MI300X 192 GB"_s},
        {"rtx-4090", u"RTX 4090 24 GB"_s},
    };
    const auto found = kHardware.find(preset);
    return found == kHardware.end() ? qtText(preset) : found->second;
}

QString parametersText(std::int64_t count)
{
    const auto number = static_cast<double>(count);
    const auto text = [](double value) { return QString::number(value, 'f', value < 10 ? 1 : 0); };
    return (number >= 1e9 ? text(number / 1e9) + u'B' : text(number / 1e6) + u'M') + Words::tr(" parameters");
}

bool inTeachingUnits(const model::Experiment &experiment)
{
    return std::holds_alternative<model::UniformCosts>(experiment.cost.source);
}

QString sentence(const base::Problem &problem)
{
    QString text = engineMessage(problem.message);
    if (!text.isEmpty())
        text[0] = text[0].toUpper();
    if (!text.endsWith(u'.') && !text.endsWith(u'?'))
        text = Words::tr("%1.").arg(text);
    return text;
}

QString sentence(const base::Error &error)
{
    QStringList all;
    for (const base::Problem &problem : error.problems)
        all << sentence(problem);
    return all.join(u' ');
}

QString notOpened(const QString &file, const base::Error &error)
{
    return Words::tr("%1 was not opened. %2").arg(QFileInfo(file).fileName(), sentence(error));
}

QString notWritten(const QString &file, const base::Error &error)
{
    return Words::tr("%1 was not written. %2").arg(QFileInfo(file).fileName(), sentence(error));
}

} // namespace stagelens::ui
