#include "ui/state/fields.h"

#include "engine/base/count.h"
#include "engine/model/family_shape.h"
#include "engine/model/hardware_json.h"
#include "engine/model/presets.h"
#include "engine/model/schema.h"
#include "engine/operators/sizes.h"
#include "engine/schedule/families.h"
#include "engine/service/plans/schedule_text.h"
#include "ui/state/quick_prediction.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QStringList>

#include <algorithm>
#include <array>
#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;
using model::Experiment;
using model::FieldValue;
using Row = model::Field;

namespace {

constexpr double kGiB = 1 << 30;
const QString kCluster = u"cluster"_s; ///< the choice of hardware that the experiment contains

Field::Kind kindOf(Row::Kind kind)
{
    switch (kind) {
    case Row::Kind::Integer:
    case Row::Kind::Seed: return Field::Kind::Integer;
    case Row::Kind::Size: return Field::Kind::Size;
    case Row::Kind::Bytes:
    case Row::Kind::Real: return Field::Kind::Real;
    case Row::Kind::Choice: return Field::Kind::Choice;
    case Row::Kind::File: return Field::Kind::File;
    case Row::Kind::Flag: return Field::Kind::Flag;
    case Row::Kind::Text:
    case Row::Kind::Layers:
    case Row::Kind::Pair:
    case Row::Kind::Times: break;
    }
    return Field::Kind::Text;
}

template <class Number>
QVariant listText(const std::vector<Number> &numbers, const QString &separator)
{
    QStringList words;
    for (const Number number : numbers)
        words << QString::number(number);
    return words.join(separator);
}

/// As its control shows it. An absent number is 0.
QVariant shownValue(const Row &row, const FieldValue &value)
{
    switch (row.kind) {
    case Row::Kind::Integer:
    case Row::Kind::Size: {
        const auto *number = std::get_if<std::int64_t>(&value);
        return number != nullptr ? static_cast<int>(*number) : 0;
    }
    case Row::Kind::Seed: return static_cast<int>(std::get<std::uint64_t>(value));
    case Row::Kind::Bytes: {
        const auto *bytes = std::get_if<std::int64_t>(&value);
        return bytes != nullptr ? static_cast<double>(*bytes) / kGiB : 0.0;
    }
    case Row::Kind::Real: {
        const auto *number = std::get_if<double>(&value);
        return number != nullptr ? *number : 0.0;
    }
    case Row::Kind::Flag: return std::get<bool>(value);
    case Row::Kind::Layers: {
        const auto *layers = std::get_if<std::vector<int>>(&value);
        return layers != nullptr ? listText(*layers, u"/"_s) : QString();
    }
    case Row::Kind::Pair: return listText(std::get<std::vector<double>>(value), u", "_s);
    case Row::Kind::Choice:
    case Row::Kind::Text:
    case Row::Kind::File:
    case Row::Kind::Times: break;
    }
    const auto *text = std::get_if<std::string>(&value);
    return text != nullptr ? qtText(*text) : QString();
}

/// Whole numbers of a line; a word that is no number becomes -1, which the validation refuses.
FieldValue layersOf(const QString &text)
{
    std::vector<int> layers;
    const QStringList words = text.trimmed().isEmpty() ? QStringList() : text.split(u'/');
    for (const QString &word : words) {
        const auto count = base::parseCount(utf8(word));
        layers.push_back(count && std::in_range<int>(*count) ? static_cast<int>(*count) : -1);
    }
    return layers.empty() ? FieldValue() : FieldValue(layers);
}

/// Two numbers of a line; what is none becomes -1, which the validation refuses.
FieldValue pairOf(const QString &text)
{
    const QStringList words = text.split(u',');
    std::vector<double> pair(2, -1);
    for (std::size_t i = 0; i < pair.size() && words.size() == 2; ++i) {
        bool isNumber = false;
        const double number = words[static_cast<qsizetype>(i)].trimmed().toDouble(&isNumber);
        pair[i] = isNumber ? number : -1;
    }
    return pair;
}

FieldValue valueOf(const Row &row, const QVariant &shown)
{
    const bool isZeroAbsent = row.mayBeAbsent && !row.absent.empty();
    switch (row.kind) {
    case Row::Kind::Integer:
    case Row::Kind::Size: return isZeroAbsent && shown.toInt() == 0 ? FieldValue() : FieldValue(std::int64_t{shown.toInt()});
    case Row::Kind::Seed: return static_cast<std::uint64_t>(std::max(0, shown.toInt()));
    case Row::Kind::Bytes:
        return shown.toDouble() > 0 ? FieldValue(static_cast<std::int64_t>(shown.toDouble() * kGiB)) : FieldValue();
    case Row::Kind::Real: return isZeroAbsent && shown.toDouble() <= 0 ? FieldValue() : FieldValue(shown.toDouble());
    case Row::Kind::Flag: return shown.toBool();
    case Row::Kind::Layers: return layersOf(shown.toString());
    case Row::Kind::Pair: return pairOf(shown.toString());
    case Row::Kind::Choice:
    case Row::Kind::Text:
    case Row::Kind::File:
    case Row::Kind::Times: break;
    }
    return row.mayBeAbsent && shown.toString().isEmpty() ? FieldValue() : FieldValue(utf8(shown.toString()));
}

/// A row's help as a sentence.
QString sentenceOf(std::string_view help)
{
    QString text = qtText(help) + u'.';
    text[0] = text[0].toUpper();
    return engineText(utf8(text));
}

/// The row as something to edit.
Field fieldOf(const Row &row)
{
    Field field{qtText(row.path), engineText(row.caption), qtText(row.option), sentenceOf(row.help), kindOf(row.kind), {}, {}};
    field.value = [&row](const Experiment &experiment) { return shownValue(row, row.value(experiment)); };
    field.setValue = [&row](Experiment &experiment, const QVariant &shown) {
        model::edit(experiment, row, valueOf(row, shown));
    };
    for (const model::FieldChoice &choice : row.choices)
        field.choices.push_back(
            {qtText(choice.value),
             row.kind == Row::Kind::Size ? countText(qtText(choice.value).toDouble()) : engineText(choice.caption),
             engineText(choice.tip)});
    field.applies = row.applies;
    field.zero = row.absent.empty() ? QString() : engineText(row.absent);
    return field;
}

/// Returns "46.7B parameters, 28 % active" of a mixture of experts.
QString sizeText(const model::ModelConfig &model)
{
    const std::int64_t all = operators::totalParameters(model);
    if (!model.hasExperts())
        return parametersText(all);
    const double share = static_cast<double>(operators::activeParameters(model)) / static_cast<double>(all);
    return Words::tr("%1, %2 % active").arg(parametersText(all)).arg(qRound(100 * share));
}

void completePreset(Field &field)
{
    if (const auto found = model::modelPresets(); found.ok()) {
        // The smallest first: those that train on a desk.
        std::vector<model::ModelPreset> sorted = *found;
        std::ranges::stable_sort(sorted, {},
                                 [](const model::ModelPreset &one) { return operators::totalParameters(one.model); });
        for (const model::ModelPreset &preset : sorted)
            field.choices.push_back({qtText(preset.model.preset),
                                     modelCaption(preset.model.preset) + u" · "_s + sizeText(preset.model),
                                     engineText(preset.description) + u" ("_s + qtText(preset.model.preset) + u')'});
    }
    field.choices.push_back({u"custom"_s, Words::tr("Custom"), Words::tr("A model whose sizes were changed by hand")});
    field.choices.push_back(
        {QString(), Words::tr("None (teaching units)"), Words::tr("One layer a stage and durations by hand")});
    field.value = [](const Experiment &experiment) {
        return experiment.hasModel ? qtText(experiment.model.preset) : QString();
    };
    field.setValue = [](Experiment &experiment, const QVariant &shown) {
        experiment.hasModel = !shown.toString().isEmpty();
        if (!experiment.hasModel) {
            if (!std::holds_alternative<model::UniformCosts>(experiment.cost.source))
                experiment.cost.source = model::UniformCosts{{{"F", 1}, {"B", 2}}, model::UniformPer::Device};
            return;
        }
        model::followStages(experiment);
        if (const auto preset = model::modelPreset(utf8(shown.toString())); preset.ok())
            experiment.model = *preset;
    };
}

void completeFamily(Field &field)
{
    for (const schedule::Family &family : schedule::families())
        field.choices.push_back({qtText(family.name), familyCaption(family.name), engineText(family.description)});
    field.choices.push_back(
        {qtText(model::kCustomFamily), familyCaption(model::kCustomFamily),
         Words::tr("The order of the moment, to be changed by hand; or one from a file (--schedule-file FILE)")});
    field.setValue = [choose = field.setValue](Experiment &experiment, const QVariant &shown) {
        if (utf8(shown.toString()) == model::kCustomFamily)
            experiment = service::withOwnOrder(std::move(experiment));
        else
            choose(experiment, shown);
    };
    field.isSlow = [](const Experiment &experiment, const QVariant &shown) { // the order is built, written and read
        return utf8(shown.toString()) == model::kCustomFamily && !experiment.schedule.hasOwnOrder() && !isQuick(experiment);
    };
}

/// Makes the hardware a cluster of the user, unless it is one.
void takeCopy(Experiment &experiment)
{
    const auto *preset = std::get_if<model::HardwarePreset>(&experiment.cost.source);
    if (preset != nullptr && preset->cluster)
        return;
    const auto hardware = model::hardwareOf(preset != nullptr ? *preset : model::HardwarePreset());
    if (!hardware)
        return;
    auto cluster = std::make_shared<const model::Hardware>(model::copyOf(*hardware));
    experiment.cost.source = model::HardwarePreset{cluster->name, cluster};
}

void completeCosts(Field &field)
{
    if (const auto found = model::hardwarePresets(); found.ok()) {
        for (const model::Hardware &hardware : *found) {
            const bool local = hardware.name == "cpu-local";
            field.choices.insert(local ? field.choices.begin() : field.choices.end(),
                                 {qtText(hardware.name), hardwareName(hardware.name), engineText(hardware.description)});
        }
    }
    field.choices.push_back(
        {u"uniform"_s, Words::tr("Teaching units"), Words::tr("--uniform F=1,B=2,...: the same on every device")});
    field.choices.push_back(
        {u"durations"_s, Words::tr("Durations from a file"),
         Words::tr("--durations FILE: measured elsewhere, or by Experiment > Costs from the run that is shown")});
    field.choices.push_back(
        {kCluster, Words::tr("Cluster of your own"),
         Words::tr("--hardware FILE: a copy of a preset that is edited with Copy and edit in the hardware chip")});
    field.value = [](const Experiment &experiment) {
        if (const auto *preset = std::get_if<model::HardwarePreset>(&experiment.cost.source))
            return preset->cluster ? kCluster : qtText(preset->name);
        return std::holds_alternative<model::UniformCosts>(experiment.cost.source) ? u"uniform"_s : u"durations"_s;
    };
    field.setValue = [](Experiment &experiment, const QVariant &shown) {
        const std::string name = utf8(shown.toString());
        if (shown.toString() == kCluster)
            takeCopy(experiment);
        else if (name == "uniform")
            experiment.cost.source =
                model::UniformCosts{{{"F", 1}, {"B", 2}, {"S", 0.25}, {"T", 0.25}}, model::UniformPer::Device};
        else if (name == "durations")
            experiment.cost.source = model::DurationsFile{};
        else
            experiment.cost.source = model::HardwarePreset{name};
        experiment.hasModel = experiment.hasModel || std::holds_alternative<model::HardwarePreset>(experiment.cost.source);
    };
}

/// One of the durations that a teaching example has.
Field uniformField(const Row &row, const std::string &key, const QString &caption)
{
    Field field{qtText(row.path) + u'.' + qtText(key),
                caption,
                qtText(row.option) + u' ' + qtText(key) + u'=',
                Words::tr("Milliseconds; one millisecond is one unit."),
                Field::Kind::Real,
                {},
                {}};
    field.value = [key](const Experiment &experiment) {
        const auto &costs = std::get<model::UniformCosts>(experiment.cost.source).milliseconds;
        const auto found = costs.find(key);
        return QVariant(found == costs.end() ? 0.0 : found->second);
    };
    field.setValue = [key](Experiment &experiment, const QVariant &shown) {
        std::get<model::UniformCosts>(experiment.cost.source).milliseconds[key] = shown.toDouble();
    };
    field.applies = [](const Experiment &experiment) {
        return std::holds_alternative<model::UniformCosts>(experiment.cost.source);
    };
    return field;
}

/// Offers the ZeRO stages by what replicas shard, instead of as a number.
void completeZero(Field &field)
{
    field.kind = Field::Kind::Choice;
    field.choices = {
        {u"0"_s, Words::tr("Nothing"), Words::tr("Every replica holds all and sums all gradients")},
        {u"1"_s, Words::tr("ZeRO-1: optimizer state"), Words::tr("As fast, and smaller: each replica updates its share")},
        {u"2"_s, Words::tr("ZeRO-2: gradients too"),
         Words::tr("From their reduction on; less at the peak only if every backward reduces")},
        {u"3"_s, Words::tr("ZeRO-3: parameters too"), Words::tr("Between steps; less at the peak only if every pass gathers")}};
    field.value = [](const Experiment &experiment) { return QString::number(experiment.parallel.zero); };
    field.setValue = [](Experiment &experiment, const QVariant &shown) { experiment.parallel.zero = shown.toString().toInt(); };
}

/// What only the rooms above the model know of a field: presets, families, and what a family has by itself.
void complete(Field &field)
{
    if (field.id == u"model.preset"_s) {
        completePreset(field);
    } else if (field.id == u"schedule.family"_s) {
        completeFamily(field);
    } else if (field.id == u"schedule.file"_s) {
        field.setValue = [](Experiment &experiment, const QVariant &shown) {
            experiment = service::withScheduleFile(std::move(experiment), utf8(shown.toString()));
        };
        field.isSlow = [](const Experiment &, const QVariant &shown) { return !isShortSchedule(utf8(shown.toString())); };
    } else if (field.id == u"schedule.chunks"_s) {
        field.value = [](const Experiment &experiment) { return QVariant(model::stagesPerDevice(experiment.schedule)); };
    } else if (field.id == u"schedule.waves"_s) {
        field.value = [](const Experiment &experiment) { return QVariant(experiment.schedule.waves.value_or(1)); };
    } else if (field.id == u"parallel.zero"_s) {
        completeZero(field);
    } else if (field.id == u"schedule.sequence_slices"_s) {
        field.value = [](const Experiment &experiment) { return QVariant(model::slicesOf(experiment.schedule)); };
    } else if (field.id == u"cost.hardware"_s) {
        completeCosts(field);
    }
}

/// The group in which the editor has a field.
std::size_t groupOf(const QString &id)
{
    constexpr std::array kStarts{u"model.", u"parallel.", u"schedule.", u"cost.", u"training.data", u"training.", u"what_if."};
    const auto found = std::ranges::find_if(kStarts, [&](const char16_t *start) { return id.startsWith(QStringView(start)); });
    return static_cast<std::size_t>(found - kStarts.begin());
}

} // namespace

const std::vector<Field> &fields()
{
    static const std::vector<Field> all = [] {
        std::vector<Field> made;
        for (const Row &row : model::schema()) {
            if (row.kind == Row::Kind::Times) {
                for (const auto &[key, caption] :
                     {std::pair{"F", Words::tr("Forward F")}, std::pair{"B", Words::tr("Backward B")},
                      std::pair{"S", Words::tr("Vocabulary S")}, std::pair{"T", Words::tr("Vocabulary T")},
                      std::pair{"send", Words::tr("Message")}})
                    made.push_back(uniformField(row, key, caption));
            } else if (!row.option.empty() && row.isInEditor) {
                made.push_back(fieldOf(row));
                complete(made.back());
            }
        }
        // One choice is none.
        std::erase_if(made, [](const Field &field) { return field.kind == Field::Kind::Choice && field.choices.size() < 2; });
        std::ranges::stable_sort(made, {}, [](const Field &field) { return groupOf(field.id); });
        return made;
    }();
    return all;
}

const Field &field(const QString &id)
{
    const auto found = std::find_if(fields().begin(), fields().end(), [&id](const Field &one) { return one.id == id; });
    Q_ASSERT(found != fields().end());
    return *found;
}

const std::vector<FieldGroup> &fieldGroups()
{
    static const std::vector<FieldGroup> groups = [] {
        std::vector<FieldGroup> made{{Words::tr("Model"), {}},  {Words::tr("Devices"), {}}, {Words::tr("Schedule"), {}},
                                     {Words::tr("Costs"), {}},  {Words::tr("Data"), {}},    {Words::tr("Training"), {}},
                                     {Words::tr("What if"), {}}};
        for (const Field &one : fields())
            made[groupOf(one.id)].ids.push_back(one.id);
        return made;
    }();
    return groups;
}

} // namespace stagelens::ui
