// The one list of metrics as members of JSON: of documents (engine/exchange) and of the run database (engine/store).
#pragma once

#include "engine/simulate/metrics.h"

#include <cstdint>

namespace stagelens::simulate {

/// A metric as a member of JSON.
struct MetricMember {
    enum class Shown : std::uint8_t {
        Always,  ///< in documents; null if unknown
        IfKnown, ///< in documents, if known
        Never,   ///< in the database only
    };
    const char *name;
    Shown shown = Shown::Always;
    bool isStored = true;        ///< in the database, which has what is known of measured timelines
    const char *group = nullptr; ///< in documents, the object that has it
    bool isCount = false;        ///< in documents an integer
};

/// Calls `visit(member, value)` for each metric, in the order of the documents.
template <class MetricsType, class Visitor>
void visitMetrics(MetricsType &metrics, Visitor visit)
{
    using enum MetricMember::Shown;
    const auto predicted = [&visit](const char *name, auto &value, const char *group = nullptr) {
        visit(MetricMember{.name = name, .shown = IfKnown, .isStored = false, .group = group}, value);
    };
    visit(MetricMember{"makespan_ns"}, metrics.makespan);
    visit(MetricMember{"iteration_ns"}, metrics.iteration);
    visit(MetricMember{"lower_bound_ns"}, metrics.lowerBound);
    visit(MetricMember{"bubble_ratio"}, metrics.bubbleRatio);
    visit(MetricMember{"bubble_ratio_per_device"}, metrics.bubbleRatioPerDevice);
    visit(MetricMember{"busy_per_device_ns", Never}, metrics.busyPerDevice);
    visit(MetricMember{"vocabulary_share_per_device"}, metrics.vocabularySharePerDevice);
    visit(MetricMember{"tokens_per_second"}, metrics.tokensPerSecond);
    visit(MetricMember{"mfu"}, metrics.mfu);
    visit(MetricMember{.name = "model_flops", .isCount = true}, metrics.modelFlops);
    visit(MetricMember{"mfu_causal"}, metrics.mfuCausal);
    visit(MetricMember{.name = "model_flops_causal", .isCount = true}, metrics.modelFlopsCausal);
    visit(MetricMember{"peak_memory_bytes"}, metrics.peakMemory);
    visit(MetricMember{"peak_memory_by_category_bytes"}, metrics.peakMemoryByCategory);
    visit(MetricMember{"peak_activation_microbatches"}, metrics.peakActivationMicrobatches);
    visit(MetricMember{"anchored_activation_microbatches", IfKnown}, metrics.anchoredActivationMicrobatches);
    visit(MetricMember{"peak_host_bytes", IfKnown}, metrics.peakHost);
    predicted("exposed_exchange_ns", metrics.exposedExchange);
    predicted("tensor", metrics.tensorPerDevice, "exposed_ns_per_device");
    predicted("data", metrics.replicaPerDevice, "exposed_ns_per_device");
    predicted("context", metrics.contextPerDevice, "exposed_ns_per_device");
    predicted("expert", metrics.expertPerDevice, "exposed_ns_per_device");
    predicted("tensor", metrics.tensorTraffic, "traffic_bytes_per_rank");
    predicted("context", metrics.contextTraffic, "traffic_bytes_per_rank");
    predicted("expert", metrics.expertTraffic, "traffic_bytes_per_rank");
    predicted("data", metrics.replicaTraffic, "traffic_bytes_per_rank");
    predicted("pipeline", metrics.pipelineTraffic, "traffic_bytes_per_rank");
    visit(MetricMember{"processor_share", IfKnown}, metrics.processorShare);
    visit(MetricMember{"typical_of_steps", IfKnown}, metrics.typicalOfSteps);
    predicted("iterations", metrics.iterations);
    predicted("makespan_per_iteration_ns", metrics.makespanPerIteration);
    predicted("steady_bubble_ratio", metrics.steadyBubbleRatio);
    predicted("published_iteration_ns", metrics.publishedIteration);
}

} // namespace stagelens::simulate
