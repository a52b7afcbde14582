#include "ui/words/differences.h"

#include "engine/model/experiment_json.h"
#include "engine/model/names.h"
#include "engine/model/schema.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <nlohmann/json.hpp>

#include <QCryptographicHash>
#include <QMap>
#include <QStringList>

#include <algorithm>
#include <array>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

/// The leaves of a document by their dotted path; a list is one leaf.
void flatten(const nlohmann::ordered_json &value, const QString &path, QMap<QString, QString> &leaves)
{
    if (!value.is_object()) {
        leaves[path] = qtText(value.is_string() ? value.get<std::string>() : value.dump());
        return;
    }
    for (const auto &[key, member] : value.items())
        flatten(member, path.isEmpty() ? qtText(key) : path + u'.' + qtText(key), leaves);
}

/// A value as a person reads it: methods and choices by their names, a list as "10/10/8/8", absent as a dash.
QString valueText(const QString &field, const QString &value)
{
    const model::Field *const known = model::findField(utf8(field));
    if (known != nullptr && known->kind == model::Field::Kind::Flag && (known->leftOut || !value.isEmpty())) {
        const bool isOn = value.isEmpty() ? *known->leftOut == model::FieldValue(true) : value == u"true"_s;
        return isOn ? Words::tr("On") : Words::tr("Off");
    }
    if (value.isEmpty() || value == u"null"_s)
        return u"–"_s;
    if (field == u"schedule.vocabulary"_s) {
        if (const auto method = model::parse<model::VocabularyMethod>(utf8(value)))
            return shortName(*method);
    }
    // Two orders are told apart, not read, in a table.
    if (field == u"schedule.text"_s)
        return Words::tr("order ") +
               QString::fromLatin1(QCryptographicHash::hash(value.toUtf8(), QCryptographicHash::Sha1).toHex(0)).left(6);
    if (field == u"schedule.family"_s)
        return familyCaption(utf8(value));
    if (known != nullptr)
        if (const auto choice = std::ranges::find(known->choices, utf8(value), &model::FieldChoice::value);
            choice != known->choices.end() && !choice->caption.empty())
            return engineText(choice->caption);
    if (value.startsWith(u'[') && value.endsWith(u']'))
        return value.sliced(1, value.size() - 2).replace(u',', u'/');
    return value;
}

/// Whether a field changes the order or the work of passes.
bool isOfPlan(const QString &field)
{
    return field.startsWith(u"model."_s) || field.startsWith(u"parallel."_s) || field.startsWith(u"schedule."_s) ||
           field == u"training.mode"_s || field == u"training.backend"_s;
}

} // namespace

std::vector<FieldValues> differingFields(std::span<const model::Experiment *const> experiments)
{
    std::vector<QMap<QString, QString>> leaves(experiments.size());
    QMap<QString, QString> all;
    for (std::size_t i = 0; i < experiments.size(); ++i) {
        flatten(model::toJson(*experiments[i]), {}, leaves[i]);
        all.insert(leaves[i]);
    }
    std::vector<FieldValues> found;
    for (const QString &field : all.keys()) {
        if (field == u"model.preset"_s)
            continue;
        FieldValues row{field, {}};
        bool differs = false;
        for (const auto &document : leaves) {
            differs = differs || document.value(field) != leaves.front().value(field);
            row.values << valueText(field, document.value(field));
        }
        if (differs)
            found.push_back(std::move(row));
    }
    return found;
}

std::vector<FieldDifference> differences(const model::Experiment &first, const model::Experiment &second)
{
    const std::array<const model::Experiment *, 2> both{&first, &second};
    std::vector<FieldDifference> found;
    for (const FieldValues &row : differingFields(both))
        found.push_back({row.field, row.values[0], row.values[1]});
    return found;
}

std::vector<FieldDifference> planDifferences(const model::Experiment &first, const model::Experiment &second)
{
    std::vector<FieldDifference> found = differences(first, second);
    std::erase_if(found, [](const FieldDifference &difference) { return !isOfPlan(difference.field); });
    return found;
}

QString differencesText(const std::vector<FieldDifference> &found)
{
    QStringList words;
    for (const FieldDifference &difference : found)
        words << fieldCaption(difference.field) + u": "_s + difference.first + u" → "_s + difference.second;
    if (words.size() > 3)
        words = words.mid(0, 3) << Words::tr("and %1 more").arg(words.size() - 3);
    return words.join(u"; "_s);
}

QString fieldCaption(const QString &field)
{
    if (const model::Field *known = model::findField(utf8(field)); known != nullptr)
        return engineText(known->caption);
    QString last = field.section(u'.', -1).replace(u'_', u' ');
    if (!last.isEmpty())
        last[0] = last[0].toUpper();
    return last;
}

} // namespace stagelens::ui
