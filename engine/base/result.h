// Result<T>: the return type of functions that can fail for a reason outside the code.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace stagelens::base {

/// A problem and the field or file that causes it.
struct Problem {
    std::string field;   ///< option, JSON field ("parallel.devices") or file that is at fault; empty if none is
    std::string message; ///< lower-case, with the numbers in it and what to do
    friend bool operator==(const Problem &, const Problem &) = default;
};
using Problems = std::vector<Problem>;

/// Decides the exit status of the command line and the tone of the window.
enum class ErrorKind : unsigned char {
    InvalidInput, ///< the person's input is wrong (exit 2)
    Failed,       ///< the work failed (exit 1)
    Cancelled,    ///< the person stopped it (exit 130)
};

/// Why there is no value: a kind and every problem found, at least one.
struct [[nodiscard]] Error {
    ErrorKind kind = ErrorKind::Failed;
    Problems problems;

    static Error invalid(std::string field, std::string message)
    {
        return {ErrorKind::InvalidInput, {{std::move(field), std::move(message)}}};
    }
    static Error invalid(Problems found) { return {ErrorKind::InvalidInput, std::move(found)}; }
    static Error failed(std::string message, std::string field = {})
    {
        return {ErrorKind::Failed, {{std::move(field), std::move(message)}}};
    }
    static Error cancelled() { return {ErrorKind::Cancelled, {{"", "cancelled"}}}; }

    /// All problems, one a line, each as "field: message".
    [[nodiscard]] std::string text() const
    {
        std::string all;
        for (const Problem &problem : problems) {
            if (!all.empty())
                all += '\n';
            all += problem.field.empty() ? problem.message : problem.field + ": " + problem.message;
        }
        return all;
    }
};

/// The value of a Result without one.
struct Done {};

/// A value or the Error that explains its absence. Ask ok() before you take the value.
template <class T = Done>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}     // NOLINT(*-explicit-*)
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {} // NOLINT(*-explicit-*)
    Result() requires std::is_same_v<T, Done> : m_state(std::in_place_index<0>) {}

    [[nodiscard]] bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    [[nodiscard]] const T &value() const & { return std::get<0>(m_state); }
    [[nodiscard]] T &value() & { return std::get<0>(m_state); }
    // By value, so that `for (x : list().value())` does not outlive what it walks through.
    [[nodiscard]] T value() && { return std::get<0>(std::move(m_state)); }
    const T &operator*() const & { return value(); }
    T &operator*() & { return value(); }
    T operator*() && { return std::move(*this).value(); }
    const T *operator->() const { return &value(); }
    T *operator->() { return &value(); }

    [[nodiscard]] const Error &error() const & { return std::get<1>(m_state); }
    [[nodiscard]] Error error() && { return std::get<1>(std::move(m_state)); }

private:
    std::variant<T, Error> m_state;
};

} // namespace stagelens::base
