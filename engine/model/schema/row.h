// The builders of the rows of the schema. Internal to this folder.
#pragma once

#include "engine/model/conditions.h"
#include "engine/model/json_reader.h"
#include "engine/model/schema.h"

#include <fmt/format.h>
#include <type_traits>
#include <utility>

namespace stagelens::model {

// Returns a member as a field value.
inline FieldValue valueOf(bool member)
{
    return member;
}
inline FieldValue valueOf(int member)
{
    return std::int64_t{member};
}
inline FieldValue valueOf(base::Bytes member)
{
    return std::int64_t{member};
}
template <class T>
FieldValue valueOf(const T &member)
{
    if constexpr (std::is_enum_v<T>)
        return std::string(name(member));
    else
        return member;
}
template <class T>
FieldValue valueOf(const std::vector<T> &member)
{
    return member.empty() ? FieldValue() : FieldValue(member);
}
template <class T>
FieldValue valueOf(const std::optional<T> &member)
{
    return member ? valueOf(*member) : FieldValue();
}

// Assigns a value of the field's kind to the member, or returns its problem.
inline std::string put(const FieldValue &value, int &member)
{
    const std::int64_t wide = std::get<std::int64_t>(value);
    constexpr int kGreatest = std::numeric_limits<int>::max();
    if (wide < -kGreatest || wide > kGreatest)
        return fmt::format("is {}, beyond the greatest number {}", wide, kGreatest);
    member = static_cast<int>(wide);
    return {};
}
template <class T>
std::string put(const FieldValue &value, T &member)
{
    if constexpr (std::is_enum_v<T>) {
        const std::string &word = std::get<std::string>(value);
        const auto parsed = parse<T>(word);
        if (!parsed)
            return unknownWord(word, names<T>());
        member = *parsed;
    } else {
        member = std::get<T>(value);
    }
    return {};
}
template <class T>
std::string put(const FieldValue &value, std::vector<T> &member)
{
    member = std::holds_alternative<std::monostate>(value) ? std::vector<T>() : std::get<std::vector<T>>(value);
    return {};
}
template <class T>
std::string put(const FieldValue &value, std::optional<T> &member)
{
    if (std::holds_alternative<std::monostate>(value)) {
        member.reset();
        return {};
    }
    T inner{};
    std::string fault = put(value, inner);
    if (fault.empty())
        member = std::move(inner);
    return fault;
}

template <class T>
constexpr bool kIsOptional = false;
template <class T>
constexpr bool kIsOptional<std::optional<T>> = true;
template <class T>
constexpr bool kIsOptional<std::vector<T>> = true;

/// The kind of a member's type; as() overrides it.
template <class T>
constexpr Field::Kind kKindOf = Field::Kind::Choice; // an enumeration
template <>
inline constexpr Field::Kind kKindOf<bool> = Field::Kind::Flag;
template <>
inline constexpr Field::Kind kKindOf<int> = Field::Kind::Integer;
template <>
inline constexpr Field::Kind kKindOf<base::Bytes> = Field::Kind::Bytes;
template <>
inline constexpr Field::Kind kKindOf<std::uint64_t> = Field::Kind::Seed;
template <>
inline constexpr Field::Kind kKindOf<double> = Field::Kind::Real;
template <>
inline constexpr Field::Kind kKindOf<std::string> = Field::Kind::Text;
template <>
inline constexpr Field::Kind kKindOf<std::vector<int>> = Field::Kind::Layers;
template <class T>
constexpr Field::Kind kKindOf<std::optional<T>> = kKindOf<T>;

/// Accesses a member of an experiment.
#define MEMBER(path) member([](auto &experiment) -> auto & { return experiment.path; })

// The parts of a row, in this order: its value, its kind, and the rest.

/// The value is a member of the experiment.
template <class Access>
auto member(Access)
{
    return [](Field &field) {
        using Member = std::remove_cvref_t<decltype(Access{}(std::declval<Experiment &>()))>;
        field.kind = kKindOf<Member>;
        field.mayBeAbsent = kIsOptional<Member>;
        field.value = [](const Experiment &experiment) { return valueOf(Access{}(experiment)); };
        field.assign = [](Experiment &experiment, const FieldValue &value) { return put(value, Access{}(experiment)); };
    };
}
/// The value is not a single member.
inline auto by(FieldValue (*get)(const Experiment &), std::string (*set)(Experiment &, const FieldValue &))
{
    return [=](Field &field) {
        field.value = get;
        field.assign = set;
    };
}
/// Another way to assign the member.
inline auto setBy(std::string (*set)(Experiment &, const FieldValue &))
{
    return [=](Field &field) { field.assign = set; };
}
inline auto as(Field::Kind kind)
{
    return [=](Field &field) { field.kind = kind; };
}
inline auto range(double from, double to)
{
    return [=](Field &field) {
        field.least = from;
        field.most = to;
    };
}
inline auto oneOf(std::vector<FieldChoice> values)
{
    return [values = std::move(values)](Field &field) { field.choices = values; };
}
/// The values of a PackedPrecision; with what keeps its bits and the formats of fp8.
inline auto oneOfPacked(std::string_view same, std::string_view fp8)
{
    return oneOf({{"same", "That of the model", same},
                  {"bf16", "bf16", "Half of the bytes of fp32"},
                  {"fp8", "fp8", fp8},
                  {"int8", "int8", "With a factor for every 128 numbers"}});
}
/// The value may be absent; the text is its meaning.
inline auto orElse(std::string_view meaning)
{
    return [=](Field &field) { field.absent = meaning; };
}
/// Documents omit the field if it is absent or has this value.
inline auto omittedAt(const FieldValue &usual)
{
    return [=](Field &field) { field.leftOut = usual; };
}
/// Documents omit the field at its default.
inline auto omitted()
{
    return [](Field &field) { field.leftOut = field.value(Experiment()); };
}
/// Numbers from 0 to less than 1.
inline auto share()
{
    return [](Field &field) {
        field.least = 0;
        field.most = 1;
        field.isBelowMost = true;
    };
}
/// The window can sweep it.
inline auto sweep(Sweep how)
{
    return [=](Field &field) { field.sweep = how; };
}
inline auto where(bool (*condition)(const Experiment &))
{
    return [=](Field &field) { field.applies = condition; };
}
/// The window does not show it.
inline auto notInEditor()
{
    return [](Field &field) { field.isInEditor = false; };
}

template <class... Parts>
Field row(std::string_view path, std::string_view option, std::string_view placeholder, std::string_view caption,
          std::string_view help, const Parts &...parts)
{
    Field made{path, option, placeholder, caption, help};
    (parts(made), ...);
    return made;
}

// The rows by section, in the order of the document.
[[nodiscard]] std::vector<Field> modelRows();
[[nodiscard]] std::vector<Field> parallelRows();
[[nodiscard]] std::vector<Field> scheduleRows();
[[nodiscard]] std::vector<Field> memoryRows(); ///< of `schedule`: recomputation and offload
[[nodiscard]] std::vector<Field> costRows();
[[nodiscard]] std::vector<Field> trainingRows();
[[nodiscard]] std::vector<Field> whatIfRows();

/// Sets the policy by its word, or the layers of each stage by their numbers ("3/1/0/0").
std::string setRecompute(Experiment &experiment, const FieldValue &value);

} // namespace stagelens::model
