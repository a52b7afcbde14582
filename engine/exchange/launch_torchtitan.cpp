// A configuration of torchtitan, with its schedule CSV.
#include "engine/exchange/launch_plan.h"
#include "engine/exchange/torch_csv.h"
#include "engine/model/names.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace stagelens::exchange {
namespace {

/// The flavors of torchtitan's model llama3 (torchtitan/models/llama3/__init__.py).
struct Flavor {
    std::string_view name;
    int layers;
    int hidden;
    int heads;
    int kvHeads;
    int ffn;
};
constexpr std::array kFlavors{Flavor{"8B", 32, 4096, 32, 8, 14336}, Flavor{"70B", 80, 8192, 64, 8, 28672},
                              Flavor{"405B", 126, 16384, 128, 8, 53248}};
constexpr int kLlamaVocabulary = 128256;

/// The families whose orders PyTorch builds by name.
struct Name {
    std::string_view family;
    std::string_view torch;
};
constexpr std::array kNames{Name{"gpipe", "GPipe"},
                            Name{"1f1b", "1F1B"},
                            Name{"interleaved-1f1b", "Interleaved1F1B"},
                            Name{"breadth-first", "LoopedBFS"},
                            Name{"interleaved-zb", "InterleavedZeroBubble"},
                            Name{"zb-v", "ZBVZeroBubble"},
                            Name{"dualpipe-v", "DualPipeV"}};

/// Collects tables and keys of TOML.
class Toml {
public:
    void table(std::string_view name) { m_text += fmt::format("{}[{}]\n", m_text.empty() ? "" : "\n", name); }
    template <class Value>
    void number(std::string_view key, Value value)
    {
        m_text += fmt::format("{} = {}\n", key, value);
    }
    /// A number with a fraction: TOML distinguishes it from an integer.
    void real(std::string_view key, double value)
    {
        std::string text = fmt::format("{:g}", value);
        if (text.find_first_of(".e") == std::string::npos)
            text += ".0";
        m_text += fmt::format("{} = {}\n", key, text);
    }
    void text(std::string_view key, std::string_view value) { m_text += fmt::format("{} = {}\n", key, quotedText(value)); }
    void raw(std::string_view line) { m_text += fmt::format("{}\n", line); }
    [[nodiscard]] std::string take() { return std::move(m_text); }

    /// A basic string of TOML.
    static std::string quotedText(std::string_view value)
    {
        std::string quoted = "\"";
        for (const char c : value) {
            if (c == '"' || c == '\\')
                quoted += '\\';
            quoted += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? '_' : c;
        }
        return quoted + '"';
    }

private:
    std::string m_text;
};

void addModel(const LaunchPlan &plan, Toml &toml, Launch &launch)
{
    const model::ModelConfig &model = plan.model();
    toml.table("model");
    toml.text("name", "llama3");
    const auto *const flavor = std::ranges::find_if(kFlavors, [&](const Flavor &each) {
        return each.layers == model.layers && each.hidden == model.hidden && each.heads == model.heads &&
               each.kvHeads == model.kvHeads && each.ffn == model.ffn;
    });
    const bool isKnown = model.family == model::ModelFamily::Llama && flavor != kFlavors.end();
    toml.text("flavor", isKnown ? flavor->name : std::string_view("stagelens"));
    if (model.family == model::ModelFamily::Gpt)
        launch.omitted.push_back("architecture gpt: torchtitan trains Llama; its layers have other operators, parameters and "
                                 "no biases");
    if (model.hasExperts())
        launch.omitted.push_back("experts: torchtitan's llama3 has one MLP in each layer");
    if (!isKnown)
        launch.omitted.push_back(fmt::format(
            "model shape: torchtitan has no such flavor; add \"stagelens\" to llama3_configs in "
            "torchtitan/models/llama3/__init__.py with dim {}, n_layers {}, n_heads {}, n_kv_heads {}, hidden_dim {}",
            model.hidden, model.layers, model.heads, model.kvHeads, model.ffn));
    if (model.vocabularySize != kLlamaVocabulary)
        launch.omitted.push_back(
            fmt::format("vocabulary size {}: torchtitan takes the tokenizer's; give one of that size in tokenizer_path",
                        model.vocabularySize));
    if (model.tied)
        launch.omitted.push_back("tied embeddings: torchtitan's llama3 has two matrices");
}

void addTraining(const LaunchPlan &plan, Toml &toml, Launch &launch)
{
    const model::TrainingPlan &training = plan.experiment.training;
    const std::int64_t local = std::int64_t{plan.microbatches()} * plan.parallel().microbatchSize;
    toml.table("optimizer");
    toml.text("name", "AdamW");
    toml.real("lr", training.optimizer.learningRate);
    toml.real("beta1", training.optimizer.beta1);
    toml.real("beta2", training.optimizer.beta2);
    toml.real("weight_decay", training.optimizer.weightDecay);
    toml.table("lr_scheduler");
    toml.number("warmup_steps", 0);
    toml.real("min_lr_factor", 1);
    toml.table("training");
    toml.text("dataset", "c4_test");
    toml.number("seq_len", plan.model().sequence);
    toml.number("local_batch_size", plan.devices() > 1 ? local : plan.parallel().microbatchSize);
    toml.number("global_batch_size", plan.globalBatch());
    toml.real("max_norm", training.optimizer.clip.value_or(1e9));
    toml.number("steps", training.steps);
    toml.number("seed", training.seed);
    const bool isFull = plan.model().dtype == model::DataType::Fp32;
    toml.text("mixed_precision_param", isFull ? "float32" : "bfloat16");
    if (plan.model().dtype == model::DataType::Fp16)
        launch.omitted.push_back("fp16: torchtitan trains in bf16 or fp32; the configuration says bf16");
    if (plan.model().dtype == model::DataType::Fp8)
        launch.omitted.push_back("products in fp8: the configuration says bf16");
    if (!training.optimizer.clip)
        launch.omitted.push_back("gradient clipping off: torchtitan always clips; the configuration has a norm that is never "
                                 "reached");
    if (training.data != "synthetic")
        launch.omitted.push_back("training data: the configuration names c4_test, torchtitan's small sample");
}

/// The modules of each stage: the embedding before the first layers, norm and output behind the last.
std::string modulesText(const std::vector<int> &layers)
{
    std::vector<std::string> stages;
    int layer = 0;
    for (std::size_t stage = 0; stage < layers.size(); ++stage) {
        std::vector<std::string> names;
        if (stage == 0)
            names.emplace_back("\"tok_embeddings\"");
        for (int i = 0; i < layers[stage]; ++i)
            names.push_back(fmt::format("\"layers.{}\"", layer++));
        if (stage + 1 == layers.size())
            names.insert(names.end(), {"\"norm\"", "\"output\""});
        stages.push_back(fmt::format("    [{}]", base::join(names, ", ")));
    }
    return fmt::format("[\n{}\n]", base::join(stages, ",\n"));
}

/// Names the schedule, or writes it as a file where PyTorch does not build that order.
void addSchedule(const LaunchPlan &plan, Toml &toml, Launch &launch)
{
    const std::string &family = plan.schedule.family();
    const auto *const known = std::ranges::find(kNames, family, &Name::family);
    const bool isMulti = plan.chunks() > 1;
    if (known != kNames.end() && !plan.experiment.schedule.groupSize && !plan.experiment.schedule.overlappedPairs) {
        toml.text("pipeline_parallel_schedule", known->torch);
        return;
    }
    const auto csv = torchCsvOf(plan.schedule);
    if (isMulti && csv && (plan.isLooped() || plan.isV())) {
        // The name only sets the placement of the stages; the order is that of the file.
        toml.text("pipeline_parallel_schedule", plan.isV() ? "ZBVZeroBubble" : "Interleaved1F1B");
        toml.text("pipeline_parallel_schedule_csv", plan.scheduleFile);
        launch.scheduleCsv = writeTorchCsv(*csv);
        return;
    }
    toml.text("pipeline_parallel_schedule", isMulti ? "Interleaved1F1B" : "1F1B");
    const std::string why = !csv       ? "PyTorch's CSV cannot express it"
                            : !isMulti ? "PyTorch reads orders from a file only for two stages a rank or more"
                                       : "torchtitan places stages in a loop or as a V";
    launch.omitted.push_back(
        fmt::format("schedule {}: {}; the configuration says {}", family, why, isMulti ? "Interleaved1F1B" : "1F1B"));
}

void addParallel(const LaunchPlan &plan, Toml &toml, Launch &launch)
{
    const model::ParallelPlan &parallel = plan.parallel();
    toml.table("parallelism");
    const bool isSharded = parallel.zero > 0;
    toml.number("data_parallel_replicate_degree", isSharded ? parallel.shardGroups() : parallel.replicas);
    toml.number("data_parallel_shard_degree", isSharded ? parallel.replicas / parallel.shardGroups() : 1);
    if (isSharded) {
        const bool reshards = parallel.zero == 3 && parallel.zero3 == model::ZeroParameters::Reshard;
        toml.text("fsdp_reshard_after_forward", reshards ? "always" : "never");
        if (parallel.zero == 1 || parallel.zero == 2)
            launch.omitted.push_back(fmt::format(
                "ZeRO {}: torchtitan shards {} too (FSDP); the configuration keeps parameters gathered after the forward",
                parallel.zero, parallel.zero == 1 ? "gradients and parameters" : "parameters"));
    }
    toml.number("tensor_parallel_degree", parallel.tensor);
    toml.number("context_parallel_degree", parallel.context);
    toml.number("pipeline_parallel_degree", plan.devices());
    if (plan.devices() > 1) {
        toml.number("pipeline_parallel_microbatch_size", parallel.microbatchSize);
        addSchedule(plan, toml, launch);
        toml.raw(fmt::format("module_fqns_per_model_part = {}", modulesText(plan.stageLayers())));
    }
    if (parallel.tensor > 1 && !parallel.sequenceParallel)
        launch.omitted.push_back("no sequence parallelism: torchtitan's tensor parallelism always has it");
    if (parallel.rankOrder != model::ParallelPlan().rankOrder)
        launch.omitted.push_back(fmt::format("rank order {}: torchtitan has tp-cp-dp-pp", parallel.rankOrder));
    toml.table("activation_checkpoint");
    const model::Recompute recompute = plan.experiment.schedule.recompute;
    toml.text("mode", model::name(recompute));
    if (recompute == model::Recompute::Selective) {
        toml.text("selective_ac_option", "op");
        launch.omitted.push_back("selective recomputation: torchtitan's policy per operator recomputes other operators");
    }
    if (!plan.experiment.schedule.recomputeLayers.empty() || plan.experiment.schedule.recomputeModules.any())
        launch.omitted.push_back("recomputed layers and operators: torchtitan recomputes all layers, or operators of its own");
    if (plan.experiment.schedule.attention == model::Attention::Materialised)
        launch.omitted.push_back("materialised attention: torchtitan calls scaled_dot_product_attention");
}

} // namespace

Launch torchtitanLaunch(const LaunchPlan &plan)
{
    Launch launch;
    Toml toml;
    toml.raw(fmt::format("# {} ranks: NGPU={} CONFIG_FILE=THIS_FILE ./run_train.sh, in a checkout of torchtitan.", plan.ranks(),
                         std::min<std::int64_t>(plan.ranks(), plan.devicesPerNode)));
    addModel(plan, toml, launch);
    addTraining(plan, toml, launch);
    addParallel(plan, toml, launch);
    omitVocabulary(plan, "torchtitan", launch);
    launch.text = toml.take();
    return launch;
}

} // namespace stagelens::exchange
