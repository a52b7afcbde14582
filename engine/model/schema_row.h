// The builders of the rows of the schema. Internal to this folder.
#pragma once

#include "engine/base/text.h"
#include "engine/model/json_reader.h"
#include "engine/model/schema.h"

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
        return base::concat("is ", wide, ", beyond the greatest number ", kGreatest);
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

/// A row under construction.
struct Row : Field {
    Row &&range(double from, double to) &&
    {
        least = from;
        most = to;
        return std::move(*this);
    }
    Row &&oneOf(std::vector<FieldChoice> values) &&
    {
        choices = std::move(values);
        return std::move(*this);
    }
    /// Makes the field optional; `meaning` is the meaning of absence.
    Row &&orElse(std::string_view meaning) &&
    {
        absent = meaning;
        return std::move(*this);
    }
    /// Documents omit the field if it is absent or has this value.
    Row &&unless(FieldValue usual = {}) &&
    {
        leftOut = std::move(usual);
        return std::move(*this);
    }
    Row &&where(bool (*condition)(const Experiment &)) &&
    {
        applies = condition;
        return std::move(*this);
    }
    /// The window does not show it.
    Row &&notInEditor() &&
    {
        isInEditor = false;
        return std::move(*this);
    }
    /// For a value that is not a single member.
    Row &&by(FieldValue (*get)(const Experiment &), std::string (*set)(Experiment &, const FieldValue &)) &&
    {
        value = get;
        assign = set;
        return std::move(*this);
    }
};

/// Accesses a member of an experiment.
#define MEMBER(path)                                                                                                           \
    [](auto &experiment) -> auto &                                                                                             \
    {                                                                                                                          \
        return experiment.path;                                                                                                \
    }

struct Nothing {};

/// `Access` accesses the member of an experiment.
template <class Access = Nothing>
Row row(std::string_view path, std::string_view option, std::string_view placeholder, std::string_view caption,
        std::string_view help, Field::Kind kind, Access = {})
{
    Row made{{path, option, placeholder, caption, help, kind}};
    if constexpr (!std::is_same_v<Access, Nothing>) {
        made.mayBeAbsent = kIsOptional<std::remove_cvref_t<decltype(Access{}(std::declval<Experiment &>()))>>;
        made.value = [](const Experiment &experiment) { return valueOf(Access{}(experiment)); };
        made.assign = [](Experiment &experiment, const FieldValue &value) { return put(value, Access{}(experiment)); };
    }
    return made;
}

/// Sets the policy by its word, or the layers of each stage by their numbers ("3/1/0/0").
std::string setRecompute(Experiment &experiment, const FieldValue &value);
/// Sets the layers of each stage, which replace full recomputation.
std::string setRecomputeLayers(Experiment &experiment, const ParsedField &parsed);
/// Returns the problems of the layers that each of so many stages recomputes.
[[nodiscard]] base::Problems recomputeProblems(const Experiment &experiment, int stages);
/// The rows of `schedule.recompute_layers` and `schedule.recompute_modules`.
[[nodiscard]] std::vector<Field> recomputeRows();
/// Returns the problems of compressed gradients. The degrees must be positive.
[[nodiscard]] base::Problems compressionProblems(const Experiment &experiment);
/// The rows of offload.
[[nodiscard]] std::vector<Field> offloadRows();
/// The rows of how numbers are stored and sent.
[[nodiscard]] std::vector<Field> numericsRows();
/// The rows of `what_if`.
[[nodiscard]] std::vector<Field> whatIfRows();

} // namespace stagelens::model
