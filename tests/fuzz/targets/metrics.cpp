// The metrics of a stored run, as the database holds them.
#include "engine/store/metrics_json.h"
#include "tests/fuzz/support.h"

using namespace stagelens;

namespace {

void run(std::string_view input)
{
    const auto metrics = store::metricsFromJson(input);
    if (!metrics)
        return fuzz::requireMessage(metrics.error());
    const std::string text = store::metricsToJson(*metrics);
    const auto again = store::metricsFromJson(text);
    fuzz::require(again.ok() && store::metricsToJson(*again) == text, "metrics come back as they were written");
}

fuzz::Seeds seeds()
{
    simulate::Metrics metrics;
    metrics.makespan = 1900;
    metrics.bubbleRatioPerDevice = {0.1, 0.25};
    metrics.tokensPerSecond = 1234.5678901234567;
    metrics.peakMemory = {10, 30};
    metrics.peakMemoryByCategory = {{1, 2, 3, 4, 5, 6, 7}, {7, 6, 5, 4, 3, 2, 1}};
    metrics.peakActivationMicrobatches = {4, 3};
    return {store::metricsToJson(metrics),
            R"({"makespan_ns":1e300,"busy_per_device_ns":[[]],"mfu":")" + fuzz::hostileMarkup() + "\"}",
            R"({"peak_memory_by_category_bytes":[[1,2,3]]})"};
}

const fuzz::Registered kTarget{{"metrics", run, seeds}};

} // namespace
