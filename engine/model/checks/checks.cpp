#include "engine/model/checks/checks.h"

#include "engine/base/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace stagelens::model {

namespace {

/// The text of a range, whose end is of the field's type.
template <class Number>
std::string rangeText(const Field &field)
{
    if (std::isinf(field.most))
        return fmt::format("{:g} or more", field.least);
    return fmt::format("{:g}{}{}", field.least, field.isBelowMost ? " to less than " : " to ",
                       base::valueText(static_cast<Number>(field.most)));
}

/// Why a number is out of a field's range; empty if it is not. Written so that NaN is out of it.
template <class Number>
std::string rangeFault(const Field &field, Number value, std::string_view verb)
{
    const auto number = static_cast<double>(value);
    const bool isLow = field.isBelowMost ? number < field.most : number <= field.most;
    return number >= field.least && isLow && std::isfinite(number)
               ? std::string()
               : fmt::format("{} {}; choose {}", verb, base::valueText(value), rangeText<Number>(field));
}

} // namespace

bool Checks::inRange(const Field &field)
{
    m_ranged.insert(field.path);
    const FieldValue value = field.value(experiment);
    const std::size_t before = m_problems.size();
    const auto check = [&](auto number, std::string_view verb) {
        if (std::string fault = rangeFault(field, number, verb); !fault.empty())
            fails(field.path, std::move(fault));
    };
    if (const auto *whole = std::get_if<std::int64_t>(&value))
        check(*whole, "is");
    else if (const auto *number = std::get_if<double>(&value))
        check(*number, "is");
    else if (const auto *numbers = std::get_if<std::vector<double>>(&value))
        for (const double each : *numbers)
            check(each, "has");
    return m_problems.size() == before;
}

bool Checks::isChoice(std::string_view path)
{
    const Field &field = schemaField(path);
    const auto word = std::get<std::string>(field.value(experiment));
    std::vector<std::string> words;
    for (const FieldChoice &choice : field.choices)
        words.emplace_back(choice.value);
    return holds(std::ranges::find(words, word) != words.end(), path,
                 fmt::format("is `{}`; choose {}", word, base::join(words, " or ")));
}

bool Checks::isText(const std::string &value, std::string_view field)
{
    return holds(!value.empty(), field, "is empty; name one") &&
           holds(base::isUtf8(value) && value.find('\0') == std::string::npos, field,
                 "holds bytes that are no UTF-8 text; rename it");
}

void Checks::rest(std::string_view path, Unused unused)
{
    const auto hasProblem = [&](const Field &field) {
        return std::ranges::find(m_problems, field.path, &base::Problem::field) != m_problems.end();
    };
    for (const Field &field : schema())
        if (field.hasRange() && field.path.starts_with(path) && !m_ranged.contains(field.path) && !hasProblem(field) &&
            (unused == Unused::Check || !field.applies || field.applies(experiment)))
            inRange(field);
}

void Checks::add(base::Problems problems)
{
    m_problems.insert(m_problems.end(), std::make_move_iterator(problems.begin()), std::make_move_iterator(problems.end()));
}

} // namespace stagelens::model
