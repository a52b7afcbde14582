#include "engine/exchange/timeline_json.h"

#include "engine/layout/mesh.h"
#include "engine/model/experiment_json.h"
#include "engine/model/presets.h"
#include "engine/simulate/metric_list.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace stagelens::exchange {
namespace {

using Json = nlohmann::ordered_json;

/// A count of FLOPs as an integer, where it is one.
Json countJson(const Json &count)
{
    constexpr double kExact = 9e18;
    const double number = count.is_null() ? NAN : count.get<double>();
    if (!std::isfinite(number))
        return nullptr;
    return std::abs(number) < kExact ? Json(std::llround(number)) : count;
}

template <class T>
bool isKnown(const T & /*value*/)
{
    return true;
}
template <class T>
bool isKnown(const std::optional<T> &value)
{
    return value.has_value();
}
/// An empty list means that nothing is known.
template <class T>
bool isKnown(const std::vector<T> &values)
{
    return !values.empty();
}

template <class T>
Json known(const T &value)
{
    return value;
}
template <class T>
Json known(const std::optional<T> &value)
{
    return *value;
}
Json known(const std::vector<simulate::MemoryByCategory> &devices)
{
    Json list = Json::array();
    for (const simulate::MemoryByCategory &bytes : devices) {
        Json device = Json::object();
        for (std::size_t category = 0; category < bytes.size(); ++category)
            device[std::string(simulate::name(static_cast<simulate::MemoryCategory>(category)))] = bytes[category];
        list.push_back(std::move(device));
    }
    return list;
}

Json slicesJson(const timeline::Lane &lane, const timeline::Timeline &timeline, const simulate::LaneWaits *waits)
{
    const std::vector<std::uint8_t> &directions = timeline.microbatchDirection;
    Json slices = Json::array();
    for (std::size_t i = 0; i < lane.size(); ++i) {
        const schedule::Pass &pass = lane.pass[i];
        Json slice{{"pass", schedule::name(pass.kind)},
                   {"stage", pass.stage},
                   {"microbatch", pass.microbatch / timeline.slices},
                   {"begin_ns", lane.begin[i]},
                   {"end_ns", lane.end[i]}};
        if (timeline.slices > 1)
            slice["sequence_slice"] = pass.microbatch % timeline.slices;
        if (timeline.iterations > 1)
            slice["iteration"] = timeline.stepOf(pass);
        if (const std::optional<int> version = timeline.weightVersionOf(pass))
            slice["weight_version"] = *version;
        if (schedule::isVocabularyPass(pass.kind))
            slice["vocabulary_ns"] = lane.end[i] - lane.begin[i];
        else
            slice["vocabulary_ns"] = i < lane.vocabulary.size() ? Json(lane.vocabulary[i]) : Json(nullptr);
        if (timeline::isPaired(lane, i))
            slice["paired"] = true;
        if (const auto microbatch = static_cast<std::size_t>(pass.microbatch); microbatch < directions.size())
            slice["replica"] = slice["direction"] = directions[microbatch]; // the former name, for older readers
        if (waits != nullptr) {
            slice["slack_ns"] = waits->slack[i];
            if (waits->isCritical[i] != 0)
                slice["critical"] = true;
        }
        slices.push_back(std::move(slice));
    }
    return slices;
}

Json tailJson(const timeline::Timeline &timeline, std::size_t device)
{
    Json tail = Json::array();
    for (const auto &[begin, end] : timeline.tails(static_cast<int>(device)))
        tail.push_back({{"pass", schedule::name(schedule::PassKind::O)}, {"begin_ns", begin}, {"end_ns", end}});
    return tail;
}

Json anchoredJson(const timeline::AnchoredSlice &slice)
{
    if (timeline::isCopy(slice.kind))
        return {{"transfer", timeline::name(slice.kind)},
                {"lane", slice.kind == timeline::AnchoredKind::Offload ? "copy-out" : "copy-in"},
                {"stage", slice.stage},
                {"microbatch", slice.microbatch},
                {"begin_ns", slice.begin},
                {"end_ns", slice.end},
                {"bytes", slice.bytes}};
    return {{"transfer", timeline::name(slice.kind)},
            {"lane", slice.kind == timeline::AnchoredKind::SumReplicated ? "tensor" : "data"},
            {"stage", nullptr}, // all stages of the device together
            {"microbatch", nullptr},
            {"begin_ns", slice.begin},
            {"end_ns", slice.end},
            {"bytes", slice.bytes}};
}

/// Adds the number of a microbatch, and of its slice where sequences are cut.
void addMicrobatch(Json &json, int microbatch, int slices)
{
    json["microbatch"] = microbatch / slices;
    if (slices > 1)
        json["sequence_slice"] = microbatch % slices;
}

Json transferJson(const timeline::TransferSlice &slice, int slices)
{
    Json json{{"transfer", transferWord(slice.transfer)}};
    addMicrobatch(json, slice.microbatch, slices);
    json["peer"] = slice.peer < 0 ? Json(nullptr) : Json(slice.peer);
    json["begin_ns"] = slice.begin;
    json["end_ns"] = slice.end;
    return json;
}

/// Device and stages of every device.
Json bareDevices(const timeline::Timeline &timeline)
{
    Json devices = Json::array();
    for (std::size_t device = 0; device < timeline.lanes.size(); ++device)
        devices.push_back(
            {{"device", device}, {"stages", device < timeline.stages.size() ? Json(timeline.stages[device]) : Json::array()}});
    return devices;
}

} // namespace

std::string_view transferWord(schedule::Transfer transfer)
{
    switch (transfer) {
    case schedule::Transfer::Local: return "local";
    case schedule::Transfer::Send: return "send";
    case schedule::Transfer::BroadcastX: return "c0";
    case schedule::Transfer::Statistics: return "c1";
    case schedule::Transfer::ReduceGradient: return "c2";
    case schedule::Transfer::EmbedReduce: return "embed-reduce";
    case schedule::Transfer::EmbedBroadcast: return "embed-broadcast";
    }
    return "local";
}

nlohmann::ordered_json metricsJson(const simulate::Metrics &metrics)
{
    Json json;
    simulate::visitMetrics(metrics, [&json](const simulate::MetricMember &member, const auto &value) {
        using enum simulate::MetricMember::Shown;
        if (member.shown == Never || (member.shown == IfKnown && !isKnown(value)))
            return;
        Json &place = member.group == nullptr ? json[member.name] : json[member.group][member.name];
        if (isKnown(value))
            place = known(value);
        if (member.isCount)
            place = countJson(place);
    });
    return json;
}

nlohmann::ordered_json kernelsJson(const timeline::KernelTrace &trace)
{
    Json kernels = Json::array();
    for (const timeline::KernelSlice &slice : trace.slices)
        kernels.push_back({{"device", slice.device},
                           {"name", trace.names[static_cast<std::size_t>(slice.name)]},
                           {"begin_ns", slice.begin},
                           {"end_ns", slice.end}});
    return kernels;
}

nlohmann::ordered_json devicesJson(const timeline::Timeline &timeline, const simulate::Explanation *explanation)
{
    Json devices = bareDevices(timeline);
    for (std::size_t device = 0; device < timeline.lanes.size(); ++device) {
        const simulate::LaneWaits *waits = explanation == nullptr ? nullptr : &explanation->path.lanes[device];
        devices[device]["slices"] = slicesJson(timeline.lanes[device], timeline, waits);
        devices[device]["tail"] = tailJson(timeline, device);
        devices[device]["transfers"] = Json::array();
    }
    for (const timeline::TransferSlice &slice : timeline.transfers)
        if (slice.device >= 0 && slice.device < timeline.devices())
            devices[static_cast<std::size_t>(slice.device)]["transfers"].push_back(transferJson(slice, timeline.slices));
    for (std::size_t device = 0; device < timeline.lanes.size(); ++device)
        for (const timeline::AnchoredSlice &slice : timeline.lanes[device].anchored)
            devices[device]["transfers"].push_back(anchoredJson(slice));
    return devices;
}

void addLegs(nlohmann::ordered_json &document, const timeline::Timeline &timeline, simulate::PassLegs &legs)
{
    for (std::size_t device = 0; device < timeline.lanes.size(); ++device) {
        const timeline::Lane &lane = timeline.lanes[device];
        Json &slices = document["devices"][device]["slices"];
        for (std::size_t i = 0; i < lane.size(); ++i) {
            Json list = Json::array();
            for (const simulate::PassLeg &leg : legs.of(static_cast<int>(device), lane.pass[i], lane.end[i] - lane.begin[i]))
                list.push_back({{"name", leg.name},
                                {"lane", !leg.isExchange ? "compute"
                                         : leg.isContext ? "context"
                                         : leg.isExpert  ? "expert"
                                                         : "tensor"},
                                {"begin_ns", lane.begin[i] + leg.begin},
                                {"end_ns", lane.begin[i] + leg.end}});
            slices[i]["legs"] = std::move(list);
        }
    }
}

nlohmann::ordered_json idleJson(const simulate::IdleTotals &totals)
{
    Json json = Json::object();
    for (std::size_t cause = 0; cause < totals.size(); ++cause)
        json[std::string(simulate::name(static_cast<simulate::IdleCause>(cause)))] = totals[cause];
    return json;
}

nlohmann::ordered_json criticalPathJson(const simulate::CriticalPath &path, const timeline::Timeline &timeline)
{
    Json steps = Json::array();
    for (const simulate::PathStep &step : path.steps) {
        const schedule::Pass &pass = timeline.lanes[static_cast<std::size_t>(step.slice.device)].pass[step.slice.index];
        Json json;
        switch (step.kind) {
        case simulate::PathStep::Kind::Pass:
            json = {{"device", step.slice.device}, {"pass", schedule::name(pass.kind)}, {"stage", pass.stage}};
            addMicrobatch(json, pass.microbatch, timeline.slices);
            break;
        case simulate::PathStep::Kind::Transfer:
            // What is not sent lies between two steps, which all devices have ended and none has begun.
            json = {{"transfer", step.transfer == schedule::Transfer::Local ? "step-end" : transferWord(step.transfer)},
                    {"device", step.slice.device},
                    {"to", step.to.device}};
            addMicrobatch(json, pass.microbatch, timeline.slices);
            break;
        case simulate::PathStep::Kind::Overhead: json = {{"overhead", true}, {"device", step.to.device}}; break;
        }
        json["begin_ns"] = step.begin;
        json["end_ns"] = step.end;
        steps.push_back(std::move(json));
    }
    return steps;
}

nlohmann::ordered_json layoutJson(const model::Experiment &experiment, int devices)
{
    const model::ParallelPlan &plan = experiment.parallel;
    const std::optional<layout::Mesh> mesh = layout::meshOf(plan, devices);
    if (!mesh)
        return nullptr;
    Json nodes;
    if (const auto *preset = std::get_if<model::HardwarePreset>(&experiment.cost.source))
        if (const auto hardware = model::hardwareOf(*preset)) {
            const int perNode = std::max(hardware->devicesPerNode, 1);
            nodes = (mesh->ranks() + perNode - 1) / perNode;
        }
    return {{"ranks", mesh->ranks()},
            {"devices", devices},
            {"tensor", plan.tensor},
            {"context", plan.context},
            {"replicas", plan.replicas},
            {"expert", plan.expert},
            {"zero", plan.zero},
            {"shard_replicas", plan.replicas / plan.shardGroups()},
            {"sync_every", plan.syncEvery},
            {"order", layout::rankOrderText(mesh->order())},
            {"nodes", std::move(nodes)}};
}

nlohmann::ordered_json timelineDocument(const model::Experiment &experiment, const timeline::Timeline &timeline,
                                        const simulate::Metrics &metrics, bool withSlices,
                                        const simulate::Explanation *explanation)
{
    Json figures = metricsJson(metrics);
    if (explanation != nullptr) {
        figures["idle_by_cause_ns"] = idleJson(explanation->idle.total);
        figures["idle_by_cause_per_device_ns"] = Json::array();
        for (const simulate::IdleTotals &totals : explanation->idle.perDevice)
            figures["idle_by_cause_per_device_ns"].push_back(idleJson(totals));
        if (withSlices)
            figures["critical_path"] = criticalPathJson(explanation->path, timeline);
    }
    return {{"stagelens", "timeline/1"},
            {"kind", timeline::name(timeline.provenance)},
            {"experiment", model::toJson(experiment)},
            {"layout", layoutJson(experiment, timeline.devices())},
            {"metrics", std::move(figures)},
            {"devices", withSlices ? devicesJson(timeline, explanation) : bareDevices(timeline)}};
}

} // namespace stagelens::exchange
