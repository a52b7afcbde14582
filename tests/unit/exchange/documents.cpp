// The JSON, Chrome trace and CSV of timelines and schedules.
#include "engine/exchange/timeline_json.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <nlohmann/json.hpp>
#include <set>

namespace unit_exchange_documents {

using namespace stagelens;
using Json = nlohmann::ordered_json;
using schedule::makePass;
using schedule::PassKind;

namespace {

/// Two devices: F with a vocabulary share and an overlapped pair on the first, S on the second.
timeline::Timeline sampleTimeline()
{
    timeline::Timeline timeline;
    timeline::Lane first;
    first.begin = {0, 1500, 2500};
    first.end = {1500, 2500, 2500};
    first.pass = {makePass(PassKind::F, 0, 0), makePass(PassKind::F, 0, 1), makePass(PassKind::B, 0, 0)};
    first.pass[1].pairedWithNext = true;
    first.vocabulary = {500, 0, 0};
    first.tailBegin = 3000;
    first.tailEnd = 3001;
    timeline::Lane second;
    second.begin = {1600};
    second.end = {1'234'567};
    second.pass = {makePass(PassKind::S, 1, 0)};
    timeline.lanes = {first, second};
    timeline.stages = {{0}, {1}};
    timeline.transfers = {{1500, 1600, 0, 0, 1, schedule::Transfer::Send},
                          {1600, 1700, 0, 1, -1, schedule::Transfer::BroadcastX}};
    return timeline;
}

std::vector<std::string> keysOf(const Json &object)
{
    std::vector<std::string> keys;
    for (const auto &[key, value] : object.items())
        keys.push_back(key);
    return keys;
}

} // namespace

class ExchangeDocuments : public QObject {
    Q_OBJECT
private slots:
    void documentIsTheContract()
    {
        const Json document = exchange::timelineDocument({}, sampleTimeline(), {}, true);
        QVERIFY(keysOf(document) ==
                (std::vector<std::string>{"stagelens", "kind", "experiment", "layout", "metrics", "devices"}));
        model::Experiment uniform;
        uniform.cost.source = model::UniformCosts{{{"F", 1}}};
        QCOMPARE(exchange::layoutJson(uniform, 12).dump(),
                 std::string(R"({"ranks":12,"devices":12,"tensor":1,"context":1,"replicas":1,"expert":1,"zero":0,)"
                             R"("shard_replicas":1,"sync_every":1,"order":"tp-cp-dp-pp","nodes":null})"));
        uniform.cost.source = model::HardwarePreset{"a100-80gb"};
        QCOMPARE(exchange::layoutJson(uniform, 12)["nodes"].get<int>(), 2); // 8 GPUs a node
        uniform.parallel.tensor = 0;
        QVERIFY(exchange::layoutJson(uniform, 12).is_null());
        QCOMPARE(document["stagelens"].get<std::string>(), std::string("timeline/1"));
        QCOMPARE(document["kind"].get<std::string>(), std::string("predicted"));
        QVERIFY(document["experiment"].is_object());
        const Json &device = document["devices"][0];
        QVERIFY(keysOf(device) == (std::vector<std::string>{"device", "stages", "slices", "tail", "transfers"}));
        QCOMPARE(
            device["slices"].dump(),
            std::string(
                R"([{"pass":"F","stage":0,"microbatch":0,"begin_ns":0,"end_ns":1500,"vocabulary_ns":500},)"
                R"({"pass":"F","stage":0,"microbatch":1,"begin_ns":1500,"end_ns":2500,"vocabulary_ns":0,"paired":true},)"
                R"({"pass":"B","stage":0,"microbatch":0,"begin_ns":2500,"end_ns":2500,"vocabulary_ns":0,"paired":true}])"));
        QCOMPARE(device["tail"].dump(), std::string(R"([{"pass":"O","begin_ns":3000,"end_ns":3001}])"));
        QCOMPARE(device["transfers"].dump(),
                 std::string(R"([{"transfer":"send","microbatch":0,"peer":1,"begin_ns":1500,"end_ns":1600}])"));
        const Json &other = document["devices"][1];
        QCOMPARE(other["slices"][0]["vocabulary_ns"].get<std::int64_t>(), 1'232'967); // all of S
        QVERIFY(other["tail"].is_array() && other["tail"].empty());
        QVERIFY(other["transfers"][0]["peer"].is_null());
        QCOMPARE(other["transfers"][0]["transfer"].get<std::string>(), std::string("c0"));
    }

    void unknownShareIsNull()
    {
        timeline::Timeline timeline = sampleTimeline();
        timeline.lanes[0].vocabulary.clear();
        QVERIFY(exchange::devicesJson(timeline)[0]["slices"][0]["vocabulary_ns"].is_null());
    }

    void withoutSlicesDevicesAreBare()
    {
        const Json document = exchange::timelineDocument({}, sampleTimeline(), {}, false);
        QCOMPARE(document["devices"].dump(), std::string(R"([{"device":0,"stages":[0]},{"device":1,"stages":[1]}])"));
    }

    void unknownMetricsAreNull()
    {
        const Json json = exchange::metricsJson({});
        QVERIFY(keysOf(json) ==
                (std::vector<std::string>{"makespan_ns", "iteration_ns", "lower_bound_ns", "bubble_ratio",
                                          "bubble_ratio_per_device", "vocabulary_share_per_device", "tokens_per_second", "mfu",
                                          "model_flops", "mfu_causal", "model_flops_causal", "peak_memory_bytes",
                                          "peak_memory_by_category_bytes", "peak_activation_microbatches"}));
        for (const char *key : {"lower_bound_ns", "vocabulary_share_per_device", "tokens_per_second", "mfu", "model_flops",
                                "peak_memory_bytes", "peak_memory_by_category_bytes"})
            QVERIFY2(json[key].is_null(), key);
        QCOMPARE(json["makespan_ns"].get<std::int64_t>(), 0);
    }

    void knownMetricsStandThere()
    {
        simulate::Metrics metrics;
        metrics.lowerBound = 1627;
        metrics.modelFlops = 123'456'789'012.0;
        metrics.mfu = 0.5;
        metrics.peakMemory = {28};
        metrics.peakMemoryByCategory = {{1, 2, 3, 4, 5, 6, 7}};
        metrics.peakActivationMicrobatches = {4, 3.5};
        const Json json = exchange::metricsJson(metrics);
        QCOMPARE(json["lower_bound_ns"].get<std::int64_t>(), 1627);
        QCOMPARE(json["model_flops"].dump(), std::string("123456789012"));
        QCOMPARE(
            json["peak_memory_by_category_bytes"].dump(),
            std::string(
                R"([{"parameters":1,"gradients":2,"optimizer":3,"activations":4,"vocabulary":5,"communication":6,"workspace":7}])"));
        QCOMPARE(json["peak_activation_microbatches"].dump(), std::string("[4.0,3.5]"));
    }

    /// Names of kernels come from libraries; their line ends, controls and ill-formed bytes made the trace no JSON.
    void namesOfKernelsAreEscaped()
    {
        const timeline::KernelTrace kernels{{"a\"b\\c\n\x1b[31m", "\xff"}, {{0, 5, 0, 0}, {5, 9, 0, 1}}};
        const Json trace = Json::parse(exchange::chromeTrace(sampleTimeline(), {.kernels = &kernels}), nullptr, false);
        QVERIFY(trace.is_object());
        std::vector<std::string> names;
        for (const Json &event : trace["traceEvents"])
            if (event.value("cat", "") == "kernel")
                names.push_back(event["name"].get<std::string>());
        QVERIFY((names == std::vector<std::string>{"a\"b\\c\n\x1b[31m", "\xef\xbf\xbd"}));
    }

    void chromeTraceIsJsonWithExactTimes()
    {
        simulate::MemoryProfile profile;
        profile.steps = {{0, {1, 2, 3}}, {1500, {1}}};
        const std::string text = exchange::chromeTrace(sampleTimeline(), {.memory = std::array{profile}});
        const Json trace = Json::parse(text, nullptr, false);
        QVERIFY(trace.is_object());
        std::map<std::string, int> phases;
        std::set<std::string> names;
        for (const Json &event : trace["traceEvents"]) {
            ++phases[event["ph"].get<std::string>()];
            names.insert(event["name"].get<std::string>());
        }
        QVERIFY(phases == (std::map<std::string, int>{{"M", 4}, {"X", 5}, {"b", 2}, {"e", 2}, {"C", 2}}));
        QVERIFY(names.contains("F1") && names.contains("S0") && names.contains("O") && names.contains("send 0"));
        QVERIFY(text.find(R"("ts":1.600,"dur":1232.967)") != std::string::npos);
        QVERIFY(text.find(R"("name":"device 1")") != std::string::npos);
        QVERIFY(text.find("predicted") != std::string::npos);
        QVERIFY(Json::parse(exchange::chromeTrace({}), nullptr, false).is_object());
    }

    void timelineCsvHasARowASlice()
    {
        timeline::Timeline timeline = sampleTimeline();
        timeline.lanes[0].vocabulary.clear();
        QCOMPARE(exchange::timelineCsv(timeline), std::string("device,pass,stage,microbatch,begin_ns,end_ns,vocabulary_ns\n"
                                                              "0,F,0,0,0,1500,\n"
                                                              "0,F,0,1,1500,2500,\n"
                                                              "0,B,0,0,2500,2500,\n"
                                                              "1,S,1,0,1600,1234567,1232967\n"));
    }
};

STAGELENS_TEST(ExchangeDocuments)

} // namespace unit_exchange_documents

#include "exchange/documents.moc"
