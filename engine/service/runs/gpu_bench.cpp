#include "engine/service/runs/gpu_bench.h"

#include "engine/base/temporary_folder.h"
#include "engine/base/text.h"
#include "engine/model/presets.h"
#include "engine/service/machine/environment.h"
#include "engine/service/runs/training_job.h"

#include <algorithm>
#include <filesystem>

namespace stagelens::service {
namespace {

using backend::BenchShapes;
using backend::FigureGroup;
using backend::KernelFigure;
using model::VocabularyMethod;

/// S and T of a shard of 32,768 rows, 4096 tokens, hidden 4096: 5.2 ms on an H200.
constexpr double kWantedOutputSeconds = 5.2e-3;
constexpr double kWantedOutputFlops = 3 * 2.0 * 4096 * 4096 * 32768;
constexpr double kWantedMfu = 0.5;
/// Memory-bound kernels of less traffic are bound by their launch.
constexpr double kLeastBytes = 16e6;
/// Published times of the vocabulary layers on 8 devices with sequence 2048 (arXiv 2411.05288).
constexpr double kPublishedScaling[] = {0.867, 0.913};

struct GroupKind {
    FigureGroup group;
    std::string_view name;
    double wanted;
};
constexpr GroupKind kGroups[] = {
    {FigureGroup::OutputProduct, "products of S and T", 0.90},
    {FigureGroup::LayerProduct, "products of the layers", 0.80},
    {FigureGroup::WeightGradient, "products of weight gradients, added in float", 0.80},
    {FigureGroup::Memory, "kernels that memory bounds", 0.85},
};

double quantile(std::vector<double> sorted, double share)
{
    std::ranges::sort(sorted);
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1) + 0.5)];
}

KernelResult resultOf(KernelFigure figure)
{
    KernelResult result;
    if (!figure.seconds.empty()) {
        result.seconds = quantile(figure.seconds, 0.5);
        result.spread = (quantile(figure.seconds, 0.75) - quantile(figure.seconds, 0.25)) / result.seconds;
        result.rate = (figure.flops > 0 ? figure.flops : figure.bytes) / result.seconds;
    }
    result.figure = std::move(figure);
    return result;
}

/// Suffix of the names of cuDNN's attention kernels, with which ours are compared.
constexpr std::string_view kCudnn = ", cuDNN";

void judge(KernelResult &result, const std::vector<KernelResult> &all)
{
    const KernelFigure &figure = result.figure;
    const auto rateOf = [&all](std::string_view name, std::string_view type, std::string_view shape) {
        const auto found = std::ranges::find_if(all, [&](const KernelResult &each) {
            return each.figure.name == name && (type.empty() || each.figure.type == type) &&
                   (shape.empty() || each.figure.shape == shape) && each.seconds > 0;
        });
        return found == all.end() ? 0.0 : found->rate;
    };
    const auto holdAgainst = [&result](double ceiling) {
        if (ceiling > 0 && result.seconds > 0)
            result.share = result.rate / ceiling;
    };
    if (figure.group == FigureGroup::Ceiling || figure.group == FigureGroup::HostLink)
        return;
    if (figure.group == FigureGroup::Attention) {
        const double cudnn = rateOf(figure.name + std::string(kCudnn), {}, figure.shape);
        holdAgainst(cudnn > 0 ? cudnn : rateOf("largest product", "bf16", {}));
        if (cudnn > 0)
            result.wantedShare = figure.name.find("forward") != std::string::npos ? 0.6 : 0.5;
        return;
    }
    holdAgainst(figure.flops > 0 ? rateOf("largest product", "bf16", {}) : rateOf("copy", {}, {}));
    for (const GroupKind &kind : kGroups)
        if (kind.group == figure.group && (figure.flops > 0 || figure.bytes >= kLeastBytes))
            result.wantedShare = kind.wanted;
    if (figure.group == FigureGroup::OutputLayer && figure.flops == kWantedOutputFlops)
        result.wantedSeconds = kWantedOutputSeconds;
}

/// The share of the peak of a group of kernels in sequence, without those bound by their launch.
std::optional<GroupResult> groupOf(const GroupKind &kind, const std::vector<KernelResult> &all)
{
    double least = 0; // seconds at the ceiling
    double taken = 0;
    for (const KernelResult &each : all) {
        if (each.figure.group != kind.group || !each.wantedShare || !each.share)
            continue;
        least += *each.share * each.seconds;
        taken += each.seconds;
    }
    return taken > 0 ? std::optional(GroupResult{kind.name, least / taken, kind.wanted}) : std::nullopt;
}

/// S + T of the whole vocabulary against shards of it.
void addScaling(GpuBench &bench)
{
    std::size_t published = 0;
    for (const std::string method : {"vocab-1", "vocab-2"}) {
        std::vector<const KernelResult *> found;
        for (const KernelResult &each : bench.kernels)
            if (each.figure.name == "S + T of " + method && each.seconds > 0)
                found.push_back(&each);
        const double wanted = kPublishedScaling[published++];
        if (found.size() < 2)
            continue;
        const KernelResult &shard = **(found.end() - 2);
        const KernelResult &whole = *found.back();
        const double shards = whole.figure.flops / shard.figure.flops;
        bench.scaling.push_back({method, static_cast<int>(shards + 0.5), whole.seconds / (shards * shard.seconds), wanted});
    }
}

struct StepPlan {
    std::string name;
    model::Experiment experiment;
    std::optional<double> wantedMfu;
};

model::Experiment experimentOf(model::ModelConfig config, int devices, int microbatches, int steps)
{
    model::Experiment experiment;
    experiment.model = std::move(config);
    experiment.parallel.devices = devices;
    experiment.parallel.microbatches = microbatches;
    experiment.training.backend = "cuda";
    experiment.training.mode = devices > 1 ? model::RunMode::VirtualClock : model::RunMode::Live;
    experiment.training.steps = steps;
    return experiment;
}

/// One rank that holds a stage, one that holds a whole model, and eight under each method of the paper's tables.
base::Result<std::vector<StepPlan>> stepPlans(BenchShapes shapes)
{
    const bool isReal = shapes == BenchShapes::Real;
    const auto preset = model::modelPreset("gpt-4b");
    if (!preset)
        return preset.error();
    model::ModelConfig paper = *preset;
    model::ModelConfig whole;
    paper.sequence = 2048;
    paper.vocabularySize = 262'144;
    whole.preset = "custom";
    whole.layers = 48; // GPT-2 XL
    whole.hidden = 1600;
    whole.heads = whole.kvHeads = 25;
    whole.ffn = 6400;
    whole.sequence = 1024;
    whole.vocabularySize = 50'304;
    model::ModelConfig gpt = whole; // 1.3B, in 8,192 tokens
    gpt.layers = 24;
    gpt.hidden = 2048;
    gpt.heads = gpt.kvHeads = 16;
    gpt.ffn = 8192;
    gpt.sequence = 2048;
    model::ModelConfig llama = gpt; // Llama 3.2 1B
    llama.family = model::ModelFamily::Llama;
    llama.layers = 16;
    llama.heads = 32;
    llama.kvHeads = 8;
    llama.vocabularySize = 128'256;
    if (!isReal) {
        whole = {};
        whole.layers = 2;
        whole.hidden = whole.ffn = 16;
        whole.heads = whole.kvHeads = 2;
        whole.sequence = 8;
        whole.vocabularySize = 64;
        whole.preset = "custom";
        paper = gpt = llama = whole;
        llama.family = model::ModelFamily::Llama;
    }
    paper.dtype = whole.dtype = gpt.dtype = llama.dtype = model::DataType::Bf16;
    model::ModelConfig stage = paper;
    const int devices = isReal ? 8 : 2;
    stage.preset = "custom";
    stage.layers = paper.layers / devices;
    stage.vocabularySize = paper.vocabularySize / devices;
    const int steps = isReal ? 4 : 1;
    std::vector<StepPlan> plans;
    plans.push_back(
        {"a stage with its share of the vocabulary, one rank", experimentOf(stage, 1, isReal ? 8 : 1, steps), kWantedMfu});
    plans.push_back({"a whole model, one rank", experimentOf(whole, 1, isReal ? 8 : 1, steps), kWantedMfu});
    if (isReal)
        plans.back().experiment.parallel.microbatchSize = 4;
    const auto addLarge = [&](const char *name, const model::ModelConfig &config) {
        plans.push_back({name, experimentOf(config, 1, 1, isReal ? 6 : 1), kWantedMfu});
        plans.back().experiment.parallel.microbatchSize = isReal ? 4 : 1;
    };
    addLarge("GPT 1.3B, 8,192 tokens, one rank", gpt);
    if (isReal) {
        gpt.vocabularySize = 50'257;
        addLarge("GPT 1.3B with GPT-2's vocabulary", gpt);
    }
    addLarge("Llama 1B, 8,192 tokens, one rank", llama);
    const auto addMethod = [&](const char *name, const char *family, VocabularyMethod method) {
        // Two steps warm up; on the virtual clock a third has every pass as often as there are microbatches.
        model::Experiment experiment = experimentOf(paper, devices, isReal ? 32 : 2, isReal ? 3 : 1);
        experiment.schedule.family = family;
        experiment.schedule.vocabulary = method;
        plans.push_back({name, std::move(experiment), {}});
    };
    addMethod("baseline", "1f1b", VocabularyMethod::None);
    addMethod("redis", "1f1b", VocabularyMethod::Redis);
    addMethod("interlaced", "interlaced", VocabularyMethod::None);
    addMethod("vocab-1", "1f1b", VocabularyMethod::Vocab1);
    addMethod("vocab-2", "1f1b", VocabularyMethod::Vocab2);
    return plans;
}

RunSnapshotPtr lastOf(const model::Experiment &experiment, const std::filesystem::path &database, std::stop_token stop)
{
    RunSnapshotPtr last;
    runTraining(experiment, {}, database, machineCores(), std::move(stop),
                [&last](RunSnapshotPtr now) { last = std::move(now); });
    return last;
}

/// `peak`: FLOP/s of the largest product.
StepResult stepOf(const StepPlan &plan, const std::filesystem::path &database, double peak, const std::stop_token &stop)
{
    StepResult result{.name = plan.name, .experiment = plan.experiment, .wantedMfu = plan.wantedMfu};
    RunSnapshotPtr run = lastOf(plan.experiment, database, stop);
    // A plan that does not fit is refused before it starts.
    if (run->error && run->error->kind == base::ErrorKind::InvalidInput) {
        model::Experiment less = plan.experiment;
        less.schedule.recompute = model::Recompute::Full;
        if (RunSnapshotPtr again = lastOf(less, database, stop); !again->error) {
            result.remark = "with --recompute full: " + run->error->problems.front().message;
            run = std::move(again);
        }
    }
    result.experiment = run->record.experiment;
    result.kind = run->record.summary.kind;
    if (run->error || !run->record.metrics) {
        result.fault = run->error ? run->error->text() : "no step was done";
        return result;
    }
    const simulate::Metrics &metrics = *run->record.metrics;
    result.iteration = metrics.iteration;
    result.bubble = metrics.bubbleRatio;
    result.tokensPerSecond = metrics.tokensPerSecond.value_or(0);
    result.peakMemory = metrics.peakMemory.empty() ? 0 : std::ranges::max(metrics.peakMemory);
    const double possible = peak * result.experiment.parallel.devices * static_cast<double>(result.iteration) * 1e-9;
    result.mfu = possible > 0 ? metrics.modelFlops.value_or(0) / possible : 0;
    return result;
}

} // namespace

GpuBench judged(std::vector<KernelFigure> figures)
{
    GpuBench bench;
    for (KernelFigure &figure : figures)
        bench.kernels.push_back(resultOf(std::move(figure)));
    for (KernelResult &result : bench.kernels)
        judge(result, bench.kernels);
    for (const GroupKind &kind : kGroups)
        if (const auto group = groupOf(kind, bench.kernels))
            bench.groups.push_back(*group);
    addScaling(bench);
    return bench;
}

base::Result<GpuBench> benchGpu(BenchShapes shapes, BenchParts parts, std::stop_token stop,
                                const std::function<void(const std::string &)> &say)
{
    const runtime::GpuList found = runtime::gpus();
    if (!found.problem.empty())
        return base::Error::invalid("training.backend", "cuda is not available: " + found.problem);
    const auto plans = stepPlans(shapes);
    if (!plans)
        return plans.error();
    say("kernels");
    auto figures = runtime::benchKernels(
        shapes, parts == BenchParts::Steps ? backend::BenchKernels::Ceilings : backend::BenchKernels::All, stop);
    if (!figures)
        return figures.error();
    GpuBench bench = judged(std::move(figures).value());
    bench.gpu = runtime::gpusText(found.gpus);
    if (parts == BenchParts::Kernels) {
        bench.isWhole = !stop.stop_requested();
        return bench;
    }
    double peak = 0;
    for (const KernelResult &each : bench.kernels)
        if (each.figure.name == "largest product" && each.figure.type == "bf16")
            peak = each.rate;
    const auto folder = base::TemporaryFolder::make(); // its runs need not be found again
    if (!folder)
        return folder.error();
    for (const StepPlan &plan : *plans) {
        if (stop.stop_requested())
            break;
        say(plan.name);
        StepResult step = stepOf(plan, folder->path() / "runs.db", peak, stop);
        if (!stop.stop_requested())
            bench.steps.push_back(std::move(step));
    }
    bench.isWhole = !stop.stop_requested();
    return bench;
}

} // namespace stagelens::service
