// Reads untrusted JSON: bounded, strict, and with every problem reported.
#pragma once

#include "engine/base/result.h"
#include "engine/model/names.h"

#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace stagelens::model {

using Json = nlohmann::ordered_json;

/// Maximum size of a document.
inline constexpr base::Bytes kLargestDocument = base::Bytes{16} << 20;

/// Bounds of a JSON text, so that parsing, copying and destroying it neither overflow the stack nor take long.
struct JsonBounds {
    base::Bytes longest = kLargestDocument;
    std::size_t deepest = 32;
    std::size_t mostMembers = 256; ///< of one object; Json searches members linearly
};
/// For objects with a member per tensor of a model; requires a value type that finds members in a tree.
inline constexpr JsonBounds kTensorListBounds{kLargestDocument, 32, 1'000'000};

/// Checks a text before anything is built. Fails if it is not JSON (with line and column), exceeds the bounds, or repeats a
/// member of an object.
[[nodiscard]] base::Result<> inspectJson(std::string_view text, const std::string &source, const JsonBounds &bounds);

/// Parses an untrusted text; the only function that parses a whole JSON text in the engine and the programs.
template <class Value = Json>
[[nodiscard]] base::Result<Value> parseJson(std::string_view text, const std::string &source, const JsonBounds &bounds = {})
{
    if (auto fine = inspectJson(text, source, bounds); !fine)
        return std::move(fine).error();
    return Value::parse(text, nullptr, false);
}

/// As parseJson(), and the value must be an object.
[[nodiscard]] base::Result<Json> parseDocument(std::string_view text, const std::string &source);

/// Returns JSON with one member per line and lists on one line, except for lists of objects, so that documents can be read and
/// compared.
[[nodiscard]] std::string prettyJson(const Json &value);

/// Returns the type of a value in words ("text", "a number").
[[nodiscard]] std::string_view typeName(const Json &value);
/// Returns an untrusted word for use in a message: printable() and short.
[[nodiscard]] std::string shown(std::string_view word);
/// "is `vocab1`; choose none, redis, ... (did you mean vocab-1?)".
[[nodiscard]] std::string unknownWord(const std::string &word, const std::vector<std::string> &known);

// take() assigns a value to a variable and returns an empty text, or returns the problem and leaves the variable unchanged.
[[nodiscard]] std::string take(const Json &value, bool &target);
[[nodiscard]] std::string take(const Json &value, int &target);
[[nodiscard]] std::string take(const Json &value, std::int64_t &target);
[[nodiscard]] std::string take(const Json &value, std::uint64_t &target);
[[nodiscard]] std::string take(const Json &value, double &target);
[[nodiscard]] std::string take(const Json &value, std::string &target);

/// Assigns an enumerator by its word.
template <class Enum>
requires std::is_enum_v<Enum>
[[nodiscard]] std::string take(const Json &value, Enum &target)
{
    std::string word;
    if (std::string wrong = take(value, word); !wrong.empty())
        return wrong;
    const auto parsed = parse<Enum>(word);
    if (!parsed)
        return unknownWord(word, names<Enum>());
    target = *parsed;
    return {};
}

/// Null means absent.
template <class T>
[[nodiscard]] std::string take(const Json &value, std::optional<T> &target)
{
    T inner{};
    std::string wrong = value.is_null() ? std::string() : take(value, inner);
    if (wrong.empty())
        target = value.is_null() ? std::nullopt : std::optional<T>(std::move(inner));
    return wrong;
}

template <class T>
[[nodiscard]] std::string take(const Json &value, std::vector<T> &target)
{
    if (!value.is_array())
        return fmt::format("must be a list [ ], not {}", typeName(value));
    std::vector<T> entries(value.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (const std::string wrong = take(value[i], entries[i]); !wrong.empty())
            return fmt::format("entry {} (counted from 0) {}", i, wrong);
    }
    target = std::move(entries);
    return {};
}

/// Reads the members of one object into variables. Records every problem with the member's path; the variable is then
/// unchanged.
class ObjectReader {
public:
    /// `path` is that of the object ("model"); empty for the document itself. A value that is not an object is a problem.
    ObjectReader(const Json &value, std::string path, base::Problems &problems);

    /// Returns the member of that name, or null if it is absent.
    const Json *find(std::string_view key);
    void problem(std::string_view key, std::string message);
    /// Does nothing if the member is absent.
    template <class T>
    void read(std::string_view key, T &target)
    {
        const Json *member = find(key);
        if (member == nullptr)
            return;
        if (std::string wrong = take(*member, target); !wrong.empty())
            problem(key, std::move(wrong));
    }
    /// As read(); an absent member is a problem.
    template <class T>
    void require(std::string_view key, T &target)
    {
        if (find(key) == nullptr)
            problem(key, "missing");
        else
            read(key, target);
    }
    /// Reads all members as numbers by name.
    void readAll(std::map<std::string, double> &target);
    /// Reports every member that was not read as unknown.
    void finish();

private:
    const Json *m_object = nullptr;
    std::string m_path;
    base::Problems &m_problems;
    std::vector<std::string> m_known;
};

} // namespace stagelens::model
