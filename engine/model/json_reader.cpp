#include "engine/model/json_reader.h"

#include "engine/base/printable.h"
#include "engine/base/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <unordered_set>

namespace stagelens::model {
namespace {

using base::Error;
using base::Result;

/// Checks bounds and duplicates in a first pass over the text, before anything is built.
class Inspector : public nlohmann::json_sax<Json> {
public:
    explicit Inspector(const JsonBounds &bounds) : m_bounds(bounds) {}

    bool null() override { return true; }
    bool boolean(bool /*value*/) override { return true; }
    bool number_integer(number_integer_t /*value*/) override { return true; }
    bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
    bool number_float(number_float_t /*value*/, const string_t & /*text*/) override { return true; }
    bool string(string_t & /*value*/) override { return true; }
    bool binary(binary_t & /*value*/) override { return true; }
    bool start_object(std::size_t /*size*/) override { return enter(); }
    bool start_array(std::size_t /*size*/) override { return enter(); }
    bool end_object() override { return leave(); }
    bool end_array() override { return leave(); }
    bool key(string_t &value) override
    {
        std::unordered_set<std::string> &seen = m_keys.back();
        if (seen.size() == m_bounds.mostMembers)
            return refuse(fmt::format("has an object of more than {} members; no file that is read here needs more",
                                      m_bounds.mostMembers));
        if (!seen.insert(value).second)
            return refuse(fmt::format("gives the member `{}` twice in one object; remove one", shown(value)));
        return true;
    }
    bool parse_error(std::size_t position, const std::string & /*token*/,
                     const nlohmann::detail::exception & /*cause*/) override
    {
        m_errorPosition = position;
        return false;
    }

    /// Returns the position of the first syntax error, in bytes from 1.
    [[nodiscard]] std::optional<std::size_t> errorPosition() const { return m_errorPosition; }
    [[nodiscard]] const std::string &refusal() const { return m_refusal; }

private:
    bool enter()
    {
        if (m_keys.size() == m_bounds.deepest)
            return refuse(
                fmt::format("is nested deeper than {} levels; no file that is read here needs more", m_bounds.deepest));
        m_keys.emplace_back();
        return true;
    }
    bool leave()
    {
        m_keys.pop_back();
        return true;
    }
    bool refuse(std::string message)
    {
        m_refusal = std::move(message);
        return false;
    }

    JsonBounds m_bounds;
    std::vector<std::unordered_set<std::string>> m_keys; ///< of each object or array that is open
    std::optional<std::size_t> m_errorPosition;
    std::string m_refusal;
};

std::string syntaxMessage(std::string_view text, std::size_t position)
{
    if (position > text.size())
        return text.empty() ? "is empty; it should hold a JSON document"
                            : "ends in the middle of the JSON document; it was cut short";
    const std::string_view before = text.substr(0, position == 0 ? 0 : position - 1);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t lineBegin = before.rfind('\n');
    const std::size_t column = before.size() - (lineBegin == std::string_view::npos ? 0 : lineBegin + 1) + 1;
    return fmt::format("is not JSON at line {}, column {}; mend it there", line, column);
}

std::string pretty(const Json &json, std::size_t depth)
{
    const auto compact = [](const Json &value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); };
    const std::string indent(2 * depth + 2, ' ');
    std::vector<std::string> lines;
    if (json.is_array() && !json.empty() && json.front().is_object()) {
        for (const Json &entry : json)
            lines.push_back(indent + compact(entry));
        return "[\n" + base::join(lines, ",\n") + '\n' + std::string(2 * depth, ' ') + ']';
    }
    if (!json.is_object() || json.empty())
        return compact(json);
    for (const auto &[key, value] : json.items())
        lines.push_back(indent + compact(key) + ": " + pretty(value, depth + 1));
    return "{\n" + base::join(lines, ",\n") + '\n' + std::string(2 * depth, ' ') + '}';
}

/// "did you mean x?" after a separator, or nothing.
std::string suggestion(const std::string &word, const std::vector<std::string> &known, std::string_view separator)
{
    const std::string closest = base::closestWord(word, known);
    return closest.empty() ? closest : fmt::format("{}did you mean {}?", separator, closest);
}

} // namespace

Result<> inspectJson(std::string_view text, const std::string &source, const JsonBounds &bounds)
{
    if (text.size() > static_cast<std::size_t>(bounds.longest))
        return Error::invalid(source, fmt::format("is {} long and at most {} is accepted",
                                                  base::bytesText(static_cast<std::int64_t>(text.size())),
                                                  base::bytesText(bounds.longest)));
    Inspector inspector(bounds);
    if (!Json::sax_parse(text, &inspector)) {
        if (const auto position = inspector.errorPosition())
            return Error::invalid(source, syntaxMessage(text, *position));
        return Error::invalid(source, inspector.refusal());
    }
    return {};
}

Result<Json> parseDocument(std::string_view text, const std::string &source)
{
    auto document = parseJson(text, source);
    if (document && !document->is_object())
        return Error::invalid(source, fmt::format("holds {}; a JSON object {{ ... }} is expected", typeName(*document)));
    return document;
}

std::string prettyJson(const Json &value)
{
    return pretty(value, 0);
}

std::string_view typeName(const Json &value)
{
    switch (value.type()) {
    case Json::value_t::null: return "null";
    case Json::value_t::object: return "an object";
    case Json::value_t::array: return "a list";
    case Json::value_t::string: return "text";
    case Json::value_t::boolean: return "true or false";
    case Json::value_t::number_float:
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned: return "a number";
    default: return "something unknown";
    }
}

std::string shown(std::string_view word)
{
    constexpr std::size_t kLongest = 64;
    return base::printable(word, kLongest);
}

std::string unknownWord(const std::string &word, const std::vector<std::string> &known)
{
    return fmt::format("is `{}`; choose {}{}", shown(word), base::join(known, ", "), suggestion(word, known, "; "));
}

namespace {

std::string wrongType(std::string_view wanted, const Json &found)
{
    return fmt::format("must be {}, not {}", wanted, found.is_number() ? found.dump() : std::string(typeName(found)));
}

} // namespace

std::string take(const Json &value, bool &target)
{
    if (!value.is_boolean())
        return wrongType("true or false", value);
    target = value.get<bool>();
    return {};
}

std::string take(const Json &value, std::int64_t &target)
{
    if (!value.is_number_integer())
        return wrongType("a whole number", value);
    // A positive number is stored unsigned and may be beyond the signed range.
    constexpr std::uint64_t kGreatest = std::numeric_limits<std::int64_t>::max();
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > kGreatest)
        return fmt::format("is {}, beyond the greatest number {}", value.get<std::uint64_t>(), kGreatest);
    target = value.get<std::int64_t>();
    return {};
}

std::string take(const Json &value, int &target)
{
    std::int64_t wide = 0;
    if (std::string wrong = take(value, wide); !wrong.empty())
        return wrong;
    constexpr int kGreatest = std::numeric_limits<int>::max();
    if (wide < -kGreatest || wide > kGreatest)
        return fmt::format("is {}, beyond the greatest number {}", wide, kGreatest);
    target = static_cast<int>(wide);
    return {};
}

std::string take(const Json &value, std::uint64_t &target)
{
    if (!value.is_number_unsigned())
        return wrongType("a whole number of 0 or more", value);
    target = value.get<std::uint64_t>();
    return {};
}

std::string take(const Json &value, double &target)
{
    if (!value.is_number())
        return wrongType("a number", value);
    target = value.get<double>();
    return {};
}

std::string take(const Json &value, std::string &target)
{
    if (!value.is_string())
        return wrongType("text", value);
    target = value.get<std::string>();
    return {};
}

ObjectReader::ObjectReader(const Json &value, std::string path, base::Problems &problems)
    : m_path(std::move(path)), m_problems(problems)
{
    if (value.is_object())
        m_object = &value;
    else
        m_problems.push_back({m_path, fmt::format("must be an object {{ }}, not {}", typeName(value))});
}

void ObjectReader::problem(std::string_view key, std::string message)
{
    m_problems.push_back({m_path.empty() ? shown(key) : fmt::format("{}.{}", m_path, shown(key)), std::move(message)});
}

const Json *ObjectReader::find(std::string_view key)
{
    m_known.emplace_back(key);
    if (m_object == nullptr)
        return nullptr;
    const auto member = m_object->find(key);
    return member == m_object->end() ? nullptr : &*member;
}

void ObjectReader::readAll(std::map<std::string, double> &target)
{
    if (m_object == nullptr)
        return;
    for (const auto &[key, value] : m_object->items())
        read(key, target[key]);
}

void ObjectReader::finish()
{
    if (m_object == nullptr)
        return;
    for (const auto &[key, value] : m_object->items()) {
        if (std::find(m_known.begin(), m_known.end(), key) == m_known.end())
            problem(key, "unknown" + suggestion(key, m_known, "; "));
    }
}

} // namespace stagelens::model
