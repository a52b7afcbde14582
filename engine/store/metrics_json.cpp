#include "engine/store/metrics_json.h"

#include "engine/model/json_reader.h"
#include "engine/simulate/metric_list.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stagelens::store {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json toJson(const T &value)
{
    return value; // a number that is not finite becomes null when it is written
}
template <class T>
Json toJson(const std::optional<T> &value)
{
    return value ? Json(*value) : Json(nullptr);
}

// fromJson() returns the problem or an empty text, as model::take() does. Null is a number that was not finite.
template <class T>
std::string fromJson(const Json &json, T &value)
{
    return json.is_null() ? std::string() : model::take(json, value);
}
std::string fromJson(const Json &json, std::vector<double> &values)
{
    std::vector<std::optional<double>> found;
    std::string wrong = model::take(json, found);
    for (const std::optional<double> &value : found)
        values.push_back(value.value_or(0));
    return wrong;
}
std::string fromJson(const Json &json, std::vector<simulate::MemoryByCategory> &devices)
{
    std::vector<std::vector<base::Bytes>> found;
    if (std::string wrong = model::take(json, found); !wrong.empty())
        return wrong;
    for (const std::vector<base::Bytes> &bytes : found) {
        if (bytes.size() != simulate::kMemoryCategoryCount)
            return fmt::format("must have {} numbers a device", simulate::kMemoryCategoryCount);
        std::ranges::copy(bytes, devices.emplace_back().begin());
    }
    return {};
}

} // namespace

std::string metricsToJson(const simulate::Metrics &metrics)
{
    Json document = Json::object();
    simulate::visitMetrics(metrics, [&](const simulate::MetricMember &member, const auto &value) {
        if (member.isStored)
            document[member.name] = toJson(value);
    });
    return document.dump();
}

base::Result<simulate::Metrics> metricsFromJson(std::string_view text)
{
    const auto damaged = [](std::string_view what) {
        return base::Error::failed(fmt::format("the stored metrics are damaged: {}", what));
    };
    const auto document = model::parseDocument(text, {});
    if (!document)
        return damaged(document.error().problems.front().message);
    simulate::Metrics metrics;
    std::string fault;
    simulate::visitMetrics(metrics, [&](const simulate::MetricMember &member, auto &value) {
        const auto found = document->find(member.name);
        if (!member.isStored || found == document->end() || !fault.empty())
            return;
        if (const std::string wrong = fromJson(*found, value); !wrong.empty())
            fault = fmt::format("{} {}", member.name, wrong);
    });
    if (!fault.empty())
        return damaged(fault);
    return metrics;
}

} // namespace stagelens::store
