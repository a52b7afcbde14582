#include "app/cli/commands/bench_gpu.h"

#include "app/cli/commands/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/report.h"
#include "app/cli/table.h"
#include "engine/base/text.h"
#include "engine/model/experiment_json.h"
#include "engine/service/machine/environment.h"
#include "engine/service/runs/gpu_bench.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iostream>
#include <iterator>

namespace stagelens::cli {
namespace {

using backend::FigureGroup;
using Json = nlohmann::ordered_json;

/// As FigureGroup counts them.
constexpr const char *kGroupNames[] = {"ceiling",   "output-product", "layer-product", "weight-gradient", "memory",
                                       "attention", "output-layer",   "host-link",     "experts"};

const char *name(FigureGroup group)
{
    return kGroupNames[static_cast<std::size_t>(group)];
}

std::string wantedText(const service::KernelResult &result)
{
    if (result.wantedSeconds)
        return fmt::format("at most {}", timeText(static_cast<base::Nanos>(*result.wantedSeconds * 1e9)));
    return result.wantedShare ? percentText(*result.wantedShare) : std::string();
}

void printKernels(const service::GpuBench &bench)
{
    Table table({"kernel", "elements", "shape", "median", "spread", "rate", "of the ceiling", "wanted"});
    for (const service::KernelResult &each : bench.kernels) {
        const backend::KernelFigure &figure = each.figure;
        if (figure.seconds.empty()) {
            table.add({figure.name, figure.type, figure.shape, "-", "", figure.fault, "", ""});
            continue;
        }
        table.add({figure.name, figure.type, figure.shape, timeText(static_cast<base::Nanos>(each.seconds * 1e9)),
                   percentText(each.spread), countText(each.rate) + (figure.flops > 0 ? "FLOP/s" : "B/s"),
                   each.share ? percentText(*each.share) : std::string(), wantedText(each)});
    }
    table.print(std::cout);
}

void printSteps(const service::GpuBench &bench)
{
    Table table({"step", "method", "median", "bubble", "MFU", "wanted", "peak memory", "remark"});
    for (const service::StepResult &step : bench.steps) {
        const std::string plan = planText(step.experiment);
        if (!step.fault.empty()) {
            table.add({step.name, plan, "-", "", "", "", "", step.fault});
            continue;
        }
        table.add({step.name, plan, timeText(step.iteration), percentText(step.bubble), percentText(step.mfu),
                   step.wantedMfu ? percentText(*step.wantedMfu) : std::string(), base::bytesText(step.peakMemory),
                   step.remark});
    }
    table.print(std::cout);
}

void print(const service::GpuBench &bench)
{
    std::cout << bench.gpu << "\n\n";
    printKernels(bench);
    std::cout
        << "\nThe ceiling is the largest product in bf16, or of what memory bounds the copy, read and written; of attention "
           "cuDNN's where it is built.\n\n";
    Table groups({"in a row", "of the ceiling", "wanted"});
    for (const service::GroupResult &group : bench.groups)
        groups.add({std::string(group.name), percentText(group.share), percentText(group.wanted)});
    for (const service::ScalingResult &scaling : bench.scaling)
        groups.add({fmt::format("S + T of {} cut into {}, of linear", scaling.method, scaling.shards),
                    percentText(scaling.share), percentText(scaling.wanted)});
    groups.print(std::cout);
    std::cout << "\nOne device: measured live, so that its bubble is what lies between its passes.\nSeveral: "
              << provenanceText(timeline::Provenance::MeasuredVirtualClock) << ".\n";
    printSteps(bench);
}

Json kernelsJson(const service::GpuBench &bench)
{
    Json kernels = Json::array();
    for (const service::KernelResult &each : bench.kernels) {
        const backend::KernelFigure &figure = each.figure;
        Json kernel = {{"name", figure.name},
                       {"group", name(figure.group)},
                       {"elements", figure.type},
                       {"shape", figure.shape},
                       {"unit", "s"},
                       {"flops", figure.flops},
                       {"bytes", figure.bytes},
                       {"median", each.seconds},
                       {"spread", each.spread},
                       {"samples", figure.seconds},
                       {"rate", each.rate},
                       {"rate_unit", figure.flops > 0 ? "FLOP/s" : "B/s"}};
        kernel["share_of_ceiling"] = each.share ? Json(*each.share) : Json(nullptr);
        kernel["wanted_share"] = each.wantedShare ? Json(*each.wantedShare) : Json(nullptr);
        kernel["wanted_seconds"] = each.wantedSeconds ? Json(*each.wantedSeconds) : Json(nullptr);
        if (!figure.fault.empty())
            kernel["fault"] = figure.fault;
        kernels.push_back(std::move(kernel));
    }
    return kernels;
}

Json stepsJson(const service::GpuBench &bench)
{
    Json steps = Json::array();
    for (const service::StepResult &step : bench.steps) {
        Json entry = {{"name", step.name},
                      {"kind", timeline::name(step.kind)},
                      {"experiment", model::toJson(step.experiment)},
                      {"remark", step.remark}};
        if (step.fault.empty())
            entry.update({{"iteration_ns", step.iteration},
                          {"bubble_ratio", step.bubble},
                          {"mfu_of_ceiling", step.mfu},
                          {"tokens_per_second", step.tokensPerSecond},
                          {"peak_memory_bytes", step.peakMemory}});
        else
            entry["fault"] = step.fault;
        entry["wanted_mfu"] = step.wantedMfu ? Json(*step.wantedMfu) : Json(nullptr);
        steps.push_back(std::move(entry));
    }
    return steps;
}

Json definitions()
{
    return {{"median", "seconds of one run, by two events on the GPU's stream around a few runs in a row; random inputs"},
            {"spread", "difference of the samples' quartiles over the median"},
            {"flops", "of one run, a multiply-add as two; attention under its mask"},
            {"bytes", "that one run must read and write at least, each array once"},
            {"share_of_ceiling",
             "rate over that of `largest product` (bf16), of `copy` where flops is 0, of attention over cuDNN's "
             "of the same shape where that is built"},
            {"groups", "the share that the group's kernels reach one after the other: weighted with FLOPs or bytes"},
            {"scaling", "time of the whole vocabulary on one device over shards times the time of one shard; `wanted` is what "
                        "arXiv 2411.05288 reached on 8 devices"},
            {"mfu_of_ceiling", "model FLOPs / iteration / (devices x largest product of the type that the run computes in)"}};
}

void printAsJson(const service::GpuBench &bench)
{
    Json groups = Json::array();
    for (const service::GroupResult &group : bench.groups)
        groups.push_back({{"name", group.name}, {"share_of_ceiling", group.share}, {"wanted_share", group.wanted}});
    Json scaling = Json::array();
    for (const service::ScalingResult &each : bench.scaling)
        scaling.push_back(
            {{"method", each.method}, {"shards", each.shards}, {"share_of_linear", each.share}, {"wanted", each.wanted}});
    printJson({{"stagelens", "bench/1"},
               {"backend", "cuda"},
               {"environment", service::environment()},
               {"gpus", bench.gpu},
               {"whole", bench.isWhole},
               {"definitions", definitions()},
               {"kernels", kernelsJson(bench)},
               {"groups", std::move(groups)},
               {"scaling", std::move(scaling)},
               {"steps", stepsJson(bench)}});
}

} // namespace

base::Error namedByOption(base::Error error)
{
    for (base::Problem &problem : error.problems)
        if (problem.field == "training.backend")
            problem.field = "--backend";
    return error;
}

int benchGpu(bool asJson, bool isSmall, service::BenchParts parts)
{
    const InterruptScope interrupt;
    const auto shapes = isSmall ? backend::BenchShapes::Small : backend::BenchShapes::Real;
    const auto bench =
        service::benchGpu(shapes, parts, interrupt.token(), [](const std::string &what) { std::cerr << what << '\n'; });
    if (!bench)
        return fail(namedByOption(bench.error()));
    if (asJson)
        printAsJson(*bench);
    else
        print(*bench);
    return bench->isWhole ? kDone : kCancelled;
}

} // namespace stagelens::cli
