// Arithmetic over named figures: what a tour's text says and claims is computed, never written down.
#pragma once

#include "engine/base/result.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::ui {

/// The value of a name, or nothing where it has none.
using Lookup = std::function<std::optional<double>(std::string_view name)>;

/// Numbers, names (letters, digits, `_`), + - * / and parentheses.
class Expression {
public:
    /// InvalidInput, without a field, where the text is no such expression.
    [[nodiscard]] static base::Result<Expression> parse(std::string_view text);
    /// Nothing where a name has no value or a divisor is 0.
    [[nodiscard]] std::optional<double> value(const Lookup &lookup) const;
    [[nodiscard]] std::vector<std::string> names() const;
    /// Returns whether this is the name alone.
    [[nodiscard]] bool isName(std::string_view name) const
    {
        return m_steps.size() == 1 && m_steps.front().operation == Operation::Name && m_steps.front().name == name;
    }

private:
    friend class ExpressionParser;
    enum class Operation : unsigned char { Number, Name, Add, Subtract, Multiply, Divide, Negate };
    struct Step {
        Operation operation = Operation::Number;
        double number = 0;
        std::string name = {};
    };
    [[nodiscard]] static bool apply(Operation operation, std::vector<double> &stack);
    std::vector<Step> m_steps; ///< postfix, so that evaluating needs no recursion
};

/// Two expressions and how they relate: < <= > >=, or = (equal to a millionth).
class Claim {
public:
    [[nodiscard]] static base::Result<Claim> parse(std::string_view text);
    /// Nothing where a side has no value.
    [[nodiscard]] std::optional<bool> holds(const Lookup &lookup) const;
    [[nodiscard]] std::vector<std::string> names() const;
    /// Returns whether this is `name <= ...`.
    [[nodiscard]] bool limits(std::string_view name) const;
    /// Returns the value of the right side.
    [[nodiscard]] std::optional<double> limit(const Lookup &lookup) const { return m_right.value(lookup); }

private:
    enum class Relation : unsigned char { Less, AtMost, Greater, AtLeast, Equal };
    Expression m_left;
    Expression m_right;
    Relation m_relation = Relation::Equal;
};

} // namespace stagelens::ui
