#include "ui/learn/expression.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace stagelens::ui {

namespace {

constexpr int kDeepest = 32; ///< parentheses within each other
constexpr double kEqual = 1e-6;

bool isDigit(char letter)
{
    return std::isdigit(static_cast<unsigned char>(letter)) != 0;
}

bool isNameLetter(char letter)
{
    return letter == '_' || std::isalnum(static_cast<unsigned char>(letter)) != 0;
}

base::Error unreadable(std::string_view text)
{
    return base::Error::invalid(
        "", fmt::format("'{}' is no expression; write numbers and names with + - * / and parentheses", text));
}

} // namespace

/// Recursive descent: sum = product {(+|-) product}, product = atom {(*|/) atom}.
class ExpressionParser {
public:
    explicit ExpressionParser(std::string_view text) : m_text(text) {}
    base::Result<Expression> run()
    {
        if (!sum(0) || peek() != '\0')
            return unreadable(m_text);
        return std::move(m_made);
    }

private:
    using Operation = Expression::Operation;

    char peek()
    {
        while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])) != 0)
            ++m_at;
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }
    bool take(char letter)
    {
        const bool found = peek() == letter;
        m_at += found ? 1 : 0;
        return found;
    }
    void add(Operation operation) { m_made.m_steps.push_back({operation}); }

    bool sum(int depth)
    {
        if (!product(depth))
            return false;
        for (char next = peek(); next == '+' || next == '-'; next = peek()) {
            ++m_at;
            if (!product(depth))
                return false;
            add(next == '+' ? Operation::Add : Operation::Subtract);
        }
        return true;
    }
    bool product(int depth)
    {
        if (!atom(depth))
            return false;
        for (char next = peek(); next == '*' || next == '/'; next = peek()) {
            ++m_at;
            if (!atom(depth))
                return false;
            add(next == '*' ? Operation::Multiply : Operation::Divide);
        }
        return true;
    }
    bool atom(int depth)
    {
        if (depth > kDeepest)
            return false;
        if (take('(')) {
            return sum(depth + 1) && take(')');
        }
        if (take('-')) {
            const bool found = atom(depth + 1);
            add(Operation::Negate);
            return found;
        }
        const char first = peek();
        return isDigit(first) || first == '.' ? number() : name();
    }
    bool number()
    {
        double value = 0;
        const char *begin = m_text.data() + m_at;
        const auto [end, error] = std::from_chars(begin, m_text.data() + m_text.size(), value);
        if (error != std::errc())
            return false;
        m_at += static_cast<std::size_t>(end - begin);
        m_made.m_steps.push_back({Operation::Number, value});
        return true;
    }
    bool name()
    {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && isNameLetter(m_text[m_at]))
            ++m_at;
        m_made.m_steps.push_back({Operation::Name, 0, std::string(m_text.substr(begin, m_at - begin))});
        return m_at > begin;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    Expression m_made;
};

base::Result<Expression> Expression::parse(std::string_view text)
{
    return ExpressionParser(text).run();
}

bool Expression::apply(Operation operation, std::vector<double> &stack)
{
    if (operation == Operation::Negate) {
        stack.back() = -stack.back();
        return true;
    }
    const double right = stack.back();
    stack.pop_back();
    double &left = stack.back();
    switch (operation) {
    case Operation::Add: left += right; return true;
    case Operation::Subtract: left -= right; return true;
    case Operation::Multiply: left *= right; return true;
    default: left /= right; return right != 0;
    }
}

std::optional<double> Expression::value(const Lookup &lookup) const
{
    std::vector<double> stack;
    for (const Step &step : m_steps) {
        if (step.operation == Operation::Number) {
            stack.push_back(step.number);
        } else if (step.operation == Operation::Name) {
            const std::optional<double> found = lookup(step.name);
            if (!found)
                return std::nullopt;
            stack.push_back(*found);
        } else if (!apply(step.operation, stack)) {
            return std::nullopt;
        }
    }
    return stack.empty() ? std::nullopt : std::optional(stack.back());
}

std::vector<std::string> Expression::names() const
{
    std::vector<std::string> found;
    for (const Step &step : m_steps)
        if (step.operation == Operation::Name)
            found.push_back(step.name);
    return found;
}

base::Result<Claim> Claim::parse(std::string_view text)
{
    // The longer signs first: "<=" begins with "<".
    static constexpr std::array<std::pair<std::string_view, Relation>, 5> kSigns{{{"<=", Relation::AtMost},
                                                                                  {">=", Relation::AtLeast},
                                                                                  {"<", Relation::Less},
                                                                                  {">", Relation::Greater},
                                                                                  {"=", Relation::Equal}}};
    for (const auto &[sign, relation] : kSigns) {
        const std::size_t at = text.find(sign);
        if (at == std::string_view::npos)
            continue;
        auto left = Expression::parse(text.substr(0, at));
        auto right = Expression::parse(text.substr(at + sign.size()));
        if (!left)
            return left.error();
        if (!right)
            return right.error();
        Claim claim;
        claim.m_left = *std::move(left);
        claim.m_right = *std::move(right);
        claim.m_relation = relation;
        return claim;
    }
    return base::Error::invalid("", fmt::format("'{}' compares nothing; write < <= > >= or = between two expressions", text));
}

std::optional<bool> Claim::holds(const Lookup &lookup) const
{
    const std::optional<double> left = m_left.value(lookup);
    const std::optional<double> right = m_right.value(lookup);
    if (!left || !right)
        return std::nullopt;
    switch (m_relation) {
    case Relation::Less: return *left < *right;
    case Relation::AtMost: return *left <= *right;
    case Relation::Greater: return *left > *right;
    case Relation::AtLeast: return *left >= *right;
    case Relation::Equal: break;
    }
    return std::abs(*left - *right) <= kEqual * std::max(std::abs(*left), std::abs(*right));
}

bool Claim::limits(std::string_view name) const
{
    return m_relation == Relation::AtMost && m_left.isName(name);
}

std::vector<std::string> Claim::names() const
{
    std::vector<std::string> found = m_left.names();
    const std::vector<std::string> more = m_right.names();
    found.insert(found.end(), more.begin(), more.end());
    return found;
}

} // namespace stagelens::ui
