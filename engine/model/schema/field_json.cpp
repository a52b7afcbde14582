#include "engine/model/schema/field_json.h"

#include "engine/base/text.h"
#include "engine/model/hardware_json.h"

#include <set>

namespace stagelens::model {

namespace {

using Kind = Field::Kind;

Json jsonOf(const FieldValue &value)
{
    return std::visit(
        [](const auto &held) {
            if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>)
                return Json();
            else
                return Json(held);
        },
        value);
}

template <class T>
std::string takeAs(const Json &json, FieldValue &value)
{
    T held{};
    std::string fault = take(json, held);
    if (fault.empty())
        value = std::move(held);
    return fault;
}

/// Converts a member to a value of the field's kind, or returns its problem.
std::string takeField(const Json &json, const Field &field, FieldValue &value)
{
    if (json.is_null() && field.mayBeAbsent)
        return {};
    switch (field.kind) {
    case Kind::Integer:
    case Kind::Size: {
        int number = 0;
        std::string fault = take(json, number);
        value = std::int64_t{number};
        return fault;
    }
    case Kind::Bytes: return takeAs<std::int64_t>(json, value);
    case Kind::Seed: return takeAs<std::uint64_t>(json, value);
    case Kind::Real: return takeAs<double>(json, value);
    case Kind::Flag: return takeAs<bool>(json, value);
    case Kind::Layers: return takeAs<std::vector<int>>(json, value);
    case Kind::Pair: return takeAs<std::vector<double>>(json, value);
    case Kind::Choice:
    case Kind::Text:
    case Kind::File:
    case Kind::Times: break;
    }
    return takeAs<std::string>(json, value);
}

std::string_view jsonKey(const Field &field)
{
    return field.path.substr(field.path.rfind('.') + 1);
}
std::string_view parentOf(const Field &field)
{
    return field.path.substr(0, field.path.rfind('.'));
}

/// Returns the cluster that the field of hardware contains, or null.
const Hardware *clusterOf(const Field &field, const Experiment &experiment)
{
    const auto *choice = std::get_if<HardwarePreset>(&experiment.cost.source);
    return field.path == "cost.hardware" && choice != nullptr ? choice->cluster.get() : nullptr;
}

/// Reads a cluster of the user, which replaces a preset's name.
void readCluster(const Json &json, const Field &field, Experiment &experiment, base::Problems &problems)
{
    auto cluster = std::make_shared<Hardware>();
    const std::size_t before = problems.size();
    readCluster(json, std::string(field.path), *cluster, problems);
    if (problems.size() == before)
        experiment.cost.source = HardwarePreset{cluster->name, std::move(cluster)};
}

bool isBelow(const Field &field, std::string_view path)
{
    return field.path.size() > path.size() && field.path.starts_with(path) && field.path[path.size()] == '.';
}

} // namespace

void addFields(Json &document, const Experiment &experiment, std::string_view below)
{
    for (const Field &field : schema()) {
        if (!isBelow(field, below))
            continue;
        const FieldValue value = field.value(experiment);
        if (field.leftOut && (std::holds_alternative<std::monostate>(value) || value == *field.leftOut))
            continue;
        Json *object = &document;
        for (const std::string_view part : base::split(parentOf(field), '.'))
            object = &(*object)[std::string(part)];
        const Hardware *const cluster = clusterOf(field, experiment);
        (*object)[std::string(jsonKey(field))] = cluster != nullptr ? clusterJson(*cluster) : jsonOf(value);
    }
}

void readField(ObjectReader &reader, const Field &field, Experiment &experiment, base::Problems &problems)
{
    const std::string key(jsonKey(field));
    const Json *member = reader.find(key);
    if (member == nullptr)
        return;
    if (field.path == "cost.hardware" && member->is_object())
        return readCluster(*member, field, experiment, problems);
    FieldValue value;
    std::string fault;
    if (field.kind == Kind::Times) {
        std::map<std::string, double> times;
        ObjectReader(*member, std::string(field.path), problems).readAll(times);
        value = std::move(times);
    } else {
        fault = takeField(*member, field, value);
    }
    if (fault.empty())
        fault = field.assign(experiment, value);
    if (!fault.empty())
        reader.problem(key, std::move(fault));
}

void readFields(ObjectReader &parent, std::string_view path, Experiment &experiment, base::Problems &problems)
{
    const Json *member = parent.find(path.substr(path.rfind('.') + 1));
    if (member == nullptr)
        return;
    ObjectReader reader(*member, std::string(path), problems);
    std::set<std::string> inner;
    for (const Field &field : schema()) {
        if (parentOf(field) == path)
            readField(reader, field, experiment, problems);
        else if (isBelow(field, path) && inner.emplace(parentOf(field)).second)
            readFields(reader, parentOf(field), experiment, problems);
    }
    reader.finish();
}

} // namespace stagelens::model
