#include "ui/sweep/sweep_plan.h"

#include "engine/base/count.h"
#include "engine/model/presets.h"
#include "engine/model/schema.h"
#include "engine/operators/stage_layers.h"
#include "engine/schedule/families.h"
#include "engine/service/plans/published.h"
#include "ui/state/fields.h"
#include "ui/sweep/sweep_shapes.h"
#include "ui/words/shape_words.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;
using model::VocabularyMethod;

namespace {

constexpr std::int64_t kMostSweepValue = 1'000'000'000;
constexpr std::size_t kVocabularySize = 0;

base::Error complaint(const QString &sentence)
{
    return base::Error::invalid("sweep", utf8(sentence));
}

/// The words that a field offers, without those that name no plan: a plan's own order, a search, costs of one's own.
const std::vector<Choice> &choicesOf(const SweepParameter &parameter)
{
    static std::map<QString, std::vector<Choice>> known;
    const QString id = qtText(parameter.field->path);
    const auto [found, isNew] = known.try_emplace(id);
    if (isNew)
        for (const Choice &choice : ui::field(id).choices)
            if (!QStringList{u"custom"_s, u"auto"_s, u"uniform"_s, u"durations"_s, u"cluster"_s}.contains(choice.value))
                found->second.push_back(choice);
    return found->second;
}

base::Result<std::vector<int>> parseNumbers(const QString &text)
{
    // A comma between groups of three digits belongs to its number, as everywhere: "262,144" is one, "2,4,8" are three.
    static const QRegularExpression kWords(u"[;\\s]+"_s);
    std::vector<int> values;
    for (QString word : text.split(kWords, Qt::SkipEmptyParts)) {
        while (word.endsWith(u','))
            word.chop(1);
        const bool isOne = base::parseCount(utf8(word)).has_value();
        for (const QString &part : isOne ? QStringList(word) : word.split(u',', Qt::SkipEmptyParts)) {
            const auto number = base::parseCount(utf8(part));
            if (!number || *number < 1 || *number > kMostSweepValue)
                return complaint(Words::tr("“%1” is not a number; write whole numbers such as 8 or 32k, separated by spaces.")
                                     .arg(part.left(20)));
            if (std::ranges::find(values, static_cast<int>(*number)) == values.end())
                values.push_back(static_cast<int>(*number));
        }
    }
    if (values.empty())
        return complaint(Words::tr("Write the values to go through, such as 32k, 64k."));
    std::ranges::sort(values);
    return values;
}

base::Result<std::vector<int>> parseWords(const SweepParameter &parameter, const QString &text)
{
    static const QRegularExpression kSeparators(u"[,;\\s]+"_s);
    const QStringList words = parameter.words();
    std::vector<int> values;
    for (const QString &word : text.split(kSeparators, Qt::SkipEmptyParts)) {
        const int value = static_cast<int>(words.indexOf(word.toLower()));
        if (value < 0)
            return complaint(Words::tr("“%1” is not one of: %2.").arg(word.left(20), words.join(u", "_s)));
        if (std::ranges::find(values, value) == values.end())
            values.push_back(value);
    }
    if (values.empty())
        return complaint(Words::tr("Write the values to go through, such as %1.").arg(parameter.values));
    return values;
}

base::Result<std::vector<int>> parseShapes(const QString &text)
{
    static const QRegularExpression kSeparators(u"[,;\\s]+"_s);
    std::vector<int> values;
    for (const QString &word : text.split(kSeparators, Qt::SkipEmptyParts)) {
        const auto shape = parseSweepShape(word.toLower());
        if (!shape)
            return complaint(Words::tr("“%1” is no shape; write pipeline x tensor x data such as 8x4x2.").arg(word.left(20)));
        if (std::ranges::find(values, *shape) == values.end())
            values.push_back(*shape);
    }
    if (values.empty())
        return complaint(Words::tr("Write the values to go through, such as %1.").arg(u"8x4x2"_s));
    return values;
}

/// Whether the family of a plan is synchronous and accepts it.
bool canRun(model::Experiment plan)
{
    const schedule::Family *family = schedule::findFamily(plan.schedule.family);
    if (family == nullptr || !family->synchronous || !model::validate(plan).empty())
        return false;
    // Conditions are of few microbatches, or of the remainder of a division by the devices or by two.
    const int devices = plan.parallel.devices;
    if (plan.parallel.microbatches > 6 * devices)
        plan.parallel.microbatches = 4 * devices + plan.parallel.microbatches % (2 * devices);
    return schedule::makeSchedule(plan).ok();
}

/// The schedules that can run a plan.
QString offeredSchedules(const SweepParameter &parameter, const model::Experiment &plan)
{
    QStringList words;
    const QStringList all = parameter.words();
    for (qsizetype i = 0; i < all.size(); ++i) {
        model::Experiment other = plan;
        model::followStages(other);
        other.schedule.vocabulary = VocabularyMethod::None;
        parameter.set(other, static_cast<int>(i));
        if (canRun(std::move(other)))
            words << all[i];
    }
    return words.isEmpty() ? parameter.values : words.join(u", "_s);
}

/// Puts the plan on a copy of its hardware whose adapters send so many Gb/s.
void setNetwork(model::Experiment &plan, int gigabits)
{
    constexpr double kBytesOfGigabit = 1e9 / 8;
    const auto *choice = std::get_if<model::HardwarePreset>(&plan.cost.source);
    auto hardware = choice != nullptr ? model::hardwareOf(*choice) : base::Result<model::Hardware>(base::Error::cancelled());
    if (!hardware)
        return;
    hardware->name += "-" + std::to_string(gigabits) + "-gbps";
    hardware->betweenNodes.bytesPerSecond = gigabits * kBytesOfGigabit;
    plan.cost.source = model::HardwarePreset{hardware->name, std::make_shared<const model::Hardware>(*hardware)};
}

double nanos(const service::SweepPoint &point)
{
    return static_cast<double>(point.iteration);
}

} // namespace

std::span<const SweepParameter> sweepParameters()
{
    static const std::vector<SweepParameter> kAll = [] {
        std::vector<SweepParameter> all;
        for (const model::Field &field : model::schema())
            if (!field.sweep.values.empty())
                all.push_back({&field, qtText(field.sweep.values), field.sweep.needsModel});
        std::ranges::stable_sort(all, {}, [](const SweepParameter &one) { return one.field->sweep.place; });
        all.push_back({&model::schemaField("parallel.devices"), {}, true, true});
        all.push_back({&model::schemaField("cost.hardware"), u"100, 200, 400, 800"_s, true, false, true});
        return all;
    }();
    return kAll;
}

QString SweepParameter::name() const
{
    if (isNetwork)
        return Words::tr("Gb/s between nodes");
    return isShape ? Words::tr("Shape") : engineText(field->caption);
}

QString offeredValues(const SweepParameter &parameter, const model::Experiment &plan)
{
    if (parameter.isShape)
        return offeredSweepShapes(plan);
    return parameter.field->path == "schedule.family" ? offeredSchedules(parameter, plan) : parameter.values;
}

bool SweepParameter::isWord() const
{
    if (isShape || isNetwork)
        return isShape;
    const Field &shown = ui::field(qtText(field->path));
    return shown.kind != Field::Kind::Integer && shown.kind != Field::Kind::Size && !shown.choices.empty();
}

QStringList SweepParameter::words() const
{
    QStringList words;
    if (isWord() && !isShape)
        for (const Choice &choice : choicesOf(*this))
            words << choice.value;
    return words;
}

void SweepParameter::set(model::Experiment &plan, int value) const
{
    if (isShape)
        setSweepShape(plan, value);
    else if (isNetwork)
        setNetwork(plan, value);
    else if (isWord())
        ui::field(qtText(field->path)).setValue(plan, choicesOf(*this)[static_cast<std::size_t>(value)].value);
    else
        model::edit(plan, *field, std::int64_t{value});
}

QString SweepParameter::text(int value) const
{
    if (isShape)
        return sweepShapeText(value);
    return isWord() ? choicesOf(*this)[static_cast<std::size_t>(value)].caption : countText(value);
}

base::Result<std::vector<int>> parseSweepValues(const SweepParameter &parameter, const QString &text)
{
    if (parameter.isShape)
        return parseShapes(text);
    return parameter.isWord() ? parseWords(parameter, text) : parseNumbers(text);
}

SweepSetup preparedSweep()
{
    const SweepParameter &vocabulary = sweepParameters()[kVocabularySize];
    return {{kVocabularySize, *parseSweepValues(vocabulary, vocabulary.values)},
            {},
            {VocabularyMethod::None, VocabularyMethod::Redis, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2}};
}

namespace {

/// Whether a cut of the layers that was made for one plan is one for the other.
bool hasSameStages(const model::Experiment &one, const model::Experiment &other)
{
    return one.schedule.vocabulary == other.schedule.vocabulary && one.schedule.family == other.schedule.family &&
           one.schedule.chunks == other.schedule.chunks && one.parallel.devices == other.parallel.devices &&
           one.model == other.model;
}

} // namespace

std::vector<SweepEntry> sweepEntries(const model::Experiment &base, const SweepSetup &setup)
{
    const SweepParameter &first = sweepParameters()[setup.first.parameter];
    std::vector<SweepEntry> entries;
    std::size_t series = 0;
    const auto addSeries = [&](VocabularyMethod method, std::optional<int> second) {
        for (const int value : setup.first.values) {
            SweepEntry entry{base, value, series, {}};
            entry.plan.schedule.vocabulary = method;
            model::followStages(entry.plan); // a cut made by hand for one plan hardly fits another
            if (!first.isNetwork)
                first.set(entry.plan, value);
            entry.words = u"%1 %2"_s.arg(first.name(), first.text(value));
            if (second) {
                const SweepParameter &other = sweepParameters()[setup.second->parameter];
                other.set(entry.plan, *second);
                entry.words += u" · %1 %2"_s.arg(other.name(), other.text(*second));
            }
            if (first.isNetwork) // of the hardware that the other one may have chosen
                first.set(entry.plan, value);
            if (hasSameStages(entry.plan, base))
                entry.plan.parallel.stageLayers = base.parallel.stageLayers;
            entry.words += u" · "_s + shortName(method);
            entries.push_back(std::move(entry));
        }
        ++series;
    };
    for (const VocabularyMethod method : setup.methods) {
        if (!setup.second)
            addSeries(method, {});
        else
            for (const int second : setup.second->values)
                addSeries(method, second);
    }
    return entries;
}

QStringList seriesNames(const SweepSetup &setup)
{
    QStringList names;
    for (const VocabularyMethod method : setup.methods) {
        if (!setup.second) {
            names << shortName(method);
            continue;
        }
        const SweepParameter &other = sweepParameters()[setup.second->parameter];
        for (const int second : setup.second->values)
            names << u"%1 · %2 %3"_s.arg(shortName(method), other.name(), other.text(second));
    }
    return names;
}

QString sweepObstacle(const model::Experiment &base, const SweepSetup &setup)
{
    if (setup.methods.empty())
        return Words::tr("Choose at least one method.");
    const std::size_t count =
        setup.first.values.size() * (setup.second ? setup.second->values.size() : 1) * setup.methods.size();
    if (count > kMostSweepPlans)
        return Words::tr("These are %1 plans; at most %2 are swept at once. Use fewer values.").arg(count).arg(kMostSweepPlans);
    if (setup.second && setup.second->parameter == setup.first.parameter)
        return Words::tr("Choose two different parameters.");
    const bool needsModel = sweepParameters()[setup.first.parameter].needsModel ||
                            (setup.second && sweepParameters()[setup.second->parameter].needsModel);
    if (needsModel && !base.hasModel)
        return Words::tr("This teaching example has no model: sweep devices or microbatches, or choose a model.");
    return {};
}

PublishedPoints publishedPoints(std::span<const SweepEntry> entries, int cores)
{
    PublishedPoints found;
    for (const SweepEntry &entry : entries) {
        if (!entry.plan.hasModel || !model::validate(entry.plan).empty())
            continue;
        const service::PublishedResult *result = service::publishedFor(operators::resolved(entry.plan, cores));
        if (result == nullptr)
            continue;
        service::SweepPoint point;
        point.done = true;
        point.kind = timeline::Provenance::Published;
        point.iteration = result->iteration;
        point.peakMemory = result->peakMemory;
        const model::ParallelPlan &parallel = entry.plan.parallel;
        point.tokensPerSecond = static_cast<double>(parallel.microbatches) * parallel.microbatchSize *
                                entry.plan.model.sequence / (static_cast<double>(result->iteration) / 1e9);
        found.entries.push_back(entry);
        found.points.push_back(std::move(point));
    }
    return found;
}

std::optional<double> bubbleOf(const service::SweepPoint &point)
{
    return point.kind == timeline::Provenance::Published ? std::nullopt : std::optional(point.bubbleRatio);
}

std::span<const SweepMetric> sweepMetrics()
{
    using Point = service::SweepPoint;
    using Figure = std::optional<double>;
    static const std::array<SweepMetric, 5> kAll{
        {{Words::tr("Iteration"), false, [](const Point &point) { return Figure(nanos(point)); },
          [](double value) { return durationText(static_cast<base::Nanos>(value)); }},
         {Words::tr("Tokens/s"), true, [](const Point &point) { return point.tokensPerSecond; },
          [](double value) { return rateText(value); }},
         {Words::tr("Bubble"), false, [](const Point &point) { return bubbleOf(point); },
          [](double value) { return shareText(value); }},
         {Words::tr("Peak memory"), false,
          [](const Point &point) { return point.peakMemory > 0 ? Figure(static_cast<double>(point.peakMemory)) : Figure(); },
          [](double value) { return bytesText(static_cast<base::Bytes>(value)); }},
         {u"MFU"_s, true, [](const Point &point) { return point.mfu; },
          [](double value) { return QString::number(value * 100, 'f', 1) + u" %"_s; }}}};
    return kAll;
}

QString impossibility(const service::SweepPoint &point)
{
    if (point.error)
        return sentence(*point.error);
    if (point.memoryCapacity > 0 && point.peakMemory > point.memoryCapacity)
        return Words::tr("Does not fit: needs %1 of %2.").arg(bytesText(point.peakMemory), bytesText(point.memoryCapacity));
    return {};
}

QString sweepAmount(std::size_t count, bool train, std::optional<double> seconds)
{
    const QString what = train ? (count == 1 ? Words::tr("training run") : Words::tr("training runs"))
                               : (count == 1 ? Words::tr("prediction") : Words::tr("predictions"));
    QString text = u"%1 %2"_s.arg(count).arg(what);
    if (seconds)
        text += Words::tr(", about ") +
                (*seconds < 10 ? QString::number(std::max(*seconds, 0.1), 'f', 1) + Words::tr(" s") : secondsText(*seconds));
    return text;
}

} // namespace stagelens::ui
