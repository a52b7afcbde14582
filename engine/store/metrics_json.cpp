#include "engine/store/metrics_json.h"

#include "engine/base/text.h"

#include <nlohmann/json.hpp>

namespace stagelens::store {
namespace {

using Json = nlohmann::ordered_json;

/// One list of the members, for both directions. `visit(name, member)`.
template <class MetricsType, class Visitor>
void visitMembers(MetricsType &metrics, Visitor visit)
{
    visit("makespan_ns", metrics.makespan);
    visit("iteration_ns", metrics.iteration);
    visit("lower_bound_ns", metrics.lowerBound);
    visit("bubble_ratio", metrics.bubbleRatio);
    visit("bubble_ratio_per_device", metrics.bubbleRatioPerDevice);
    visit("busy_per_device_ns", metrics.busyPerDevice);
    visit("vocabulary_share_per_device", metrics.vocabularySharePerDevice);
    visit("tokens_per_second", metrics.tokensPerSecond);
    visit("mfu", metrics.mfu);
    visit("model_flops", metrics.modelFlops);
    visit("mfu_causal", metrics.mfuCausal);
    visit("model_flops_causal", metrics.modelFlopsCausal);
    visit("peak_memory_bytes", metrics.peakMemory);
    visit("peak_memory_by_category_bytes", metrics.peakMemoryByCategory);
    visit("peak_activation_microbatches", metrics.peakActivationMicrobatches);
}

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

template <class T>
void fromJson(const Json &json, T &value)
{
    if (!json.is_null())
        value = json.get<T>();
}
template <class T>
void fromJson(const Json &json, std::optional<T> &value)
{
    if (!json.is_null())
        value = json.get<T>();
}
void fromJson(const Json &json, std::vector<double> &values)
{
    for (const Json &value : json)
        values.push_back(value.is_null() ? 0.0 : value.get<double>());
}

} // namespace

std::string metricsToJson(const simulate::Metrics &metrics)
{
    Json document = Json::object();
    visitMembers(metrics, [&](const char *name, const auto &member) { document[name] = toJson(member); });
    return document.dump();
}

base::Result<simulate::Metrics> metricsFromJson(std::string_view text)
{
    simulate::Metrics metrics;
    try {
        const Json document = Json::parse(text);
        visitMembers(metrics, [&](const char *name, auto &member) {
            if (const auto found = document.find(name); found != document.end())
                fromJson(*found, member);
        });
    } catch (const Json::exception &error) {
        return base::Error::failed(base::concat("the stored metrics are damaged: ", error.what()));
    }
    return metrics;
}

} // namespace stagelens::store
