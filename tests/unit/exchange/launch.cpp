// Plans for other frameworks: the names of their arguments, the values, and what is left out.
#include "engine/exchange/launch.h"
#include "engine/exchange/torch_csv.h"
#include "engine/model/family_shape.h"
#include "engine/model/presets.h"
#include "engine/operators/stage_layers.h"
#include "engine/schedule/families.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace unit_exchange_launch {

using namespace stagelens;
using exchange::Launch;

namespace {

/// The arguments of megatron/training/arguments.py at the commit that Framework::version names.
const std::set<std::string> kMegatron{
    "--num-layers", "--hidden-size", "--ffn-hidden-size", "--num-attention-heads", "--kv-channels", "--group-query-attention",
    "--num-query-groups", "--seq-length", "--max-position-embeddings", "--untie-embeddings-and-output-weights",
    "--attention-dropout", "--hidden-dropout", "--position-embedding-type", "--normalization", "--norm-epsilon",
    "--rotary-base", "--swiglu", "--disable-bias-linear", "--use-rope-scaling", "--rope-scaling-factor", "--bf16", "--fp16",
    "--fp8-format", "--fp8-recipe", "--accumulate-allreduce-grads-in-fp32", "--attention-backend",
    "--pipeline-model-parallel-layout", "--num-virtual-stages-per-pipeline-rank",
    "--microbatch-group-size-per-virtual-pipeline-stage", "--tensor-model-parallel-size", "--sequence-parallel",
    "--context-parallel-size", "--pipeline-model-parallel-size", "--micro-batch-size", "--global-batch-size",
    "--use-distributed-optimizer", "--use-megatron-fsdp", "--data-parallel-sharding-strategy", "--use-tp-pp-dp-mapping",
    "--recompute-granularity", "--recompute-method", "--recompute-num-layers", "--train-iters", "--seed", "--optimizer", "--lr",
    "--lr-decay-style", "--adam-beta1", "--adam-beta2", "--weight-decay", "--clip-grad", "--mock-data", "--tokenizer-type",
    "--vocab-size",
    // of torchrun
    "--nnodes", "--nproc-per-node", "--node-rank", "--master-addr", "--master-port"};

/// The fields of torchtitan/config/job_config.py, with their sections.
const std::set<std::string> kTorchtitan{"model.name",
                                        "model.flavor",
                                        "optimizer.name",
                                        "optimizer.lr",
                                        "optimizer.beta1",
                                        "optimizer.beta2",
                                        "optimizer.weight_decay",
                                        "lr_scheduler.warmup_steps",
                                        "lr_scheduler.min_lr_factor",
                                        "training.dataset",
                                        "training.seq_len",
                                        "training.local_batch_size",
                                        "training.global_batch_size",
                                        "training.max_norm",
                                        "training.steps",
                                        "training.seed",
                                        "training.mixed_precision_param",
                                        "parallelism.data_parallel_replicate_degree",
                                        "parallelism.data_parallel_shard_degree",
                                        "parallelism.fsdp_reshard_after_forward",
                                        "parallelism.tensor_parallel_degree",
                                        "parallelism.context_parallel_degree",
                                        "parallelism.pipeline_parallel_degree",
                                        "parallelism.pipeline_parallel_microbatch_size",
                                        "parallelism.pipeline_parallel_schedule",
                                        "parallelism.pipeline_parallel_schedule_csv",
                                        "parallelism.module_fqns_per_model_part",
                                        "activation_checkpoint.mode",
                                        "activation_checkpoint.selective_ac_option"};

model::Experiment planOf(const char *family, const char *preset = "llama-3-8b")
{
    model::Experiment experiment;
    experiment.model = *model::modelPreset(preset);
    experiment.parallel.devices = 4;
    experiment.parallel.microbatches = 8;
    model::chooseFamily(experiment.schedule, family);
    return experiment;
}

Launch launched(const char *format, model::Experiment experiment)
{
    experiment = operators::resolved(experiment, 2);
    const auto schedule = schedule::makeSchedule(experiment);
    if (!schedule)
        qFatal("%s", schedule.error().text().c_str());
    auto launch = exchange::launchOf(format, experiment, *schedule, 8, "plan.csv");
    if (!launch)
        qFatal("%s", launch.error().text().c_str());
    return std::move(launch).value();
}

bool has(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}
bool omits(const Launch &launch, const std::string &part)
{
    return std::ranges::any_of(launch.omitted, [&](const std::string &each) { return has(each, part); });
}

} // namespace

class ExchangeLaunch : public QObject {
    Q_OBJECT

private slots:
    void othersSumGradientsInEveryStep()
    {
        model::Experiment experiment = planOf("1f1b");
        experiment.parallel.replicas = 2;
        for (const char *format : {"megatron", "torchtitan", "deepspeed"}) {
            experiment.parallel.syncEvery = 8;
            QVERIFY(omits(launched(format, experiment), "averages every 8 steps"));
            experiment.parallel.syncEvery = 1;
            QVERIFY(!omits(launched(format, experiment), "averages"));
        }
    }

    void othersKeepLogits()
    {
        model::Experiment experiment = planOf("1f1b");
        for (const char *format : {"megatron", "torchtitan", "deepspeed"}) {
            experiment.schedule.vocabularyKind = model::VocabularyKind::RecomputeLogits;
            QVERIFY(omits(launched(format, experiment), "recomputed logits"));
            experiment.schedule.vocabularyKind = model::VocabularyKind::Full;
            QVERIFY(!omits(launched(format, experiment), "recomputed logits"));
            QVERIFY(!omits(launched(format, experiment), "vocabulary of width"));
            experiment.model.vocabularyWidth = 64;
            QVERIFY(omits(launched(format, experiment), "vocabulary of width 64"));
            experiment.model.vocabularyWidth.reset();
            experiment.model.inputHashes = 2;
            QVERIFY(omits(launched(format, experiment), "input of 2 hashes"));
            experiment.model.inputHashes = 0;
            QVERIFY(!omits(launched(format, experiment), "output heads"));
            experiment.model.outputHeads = 3;
            QVERIFY(omits(launched(format, experiment), "3 output heads"));
            experiment.model.outputHeads = 1;
            experiment.model.adaptiveCutoffs = {100};
            QVERIFY(omits(launched(format, experiment), "adaptive softmax"));
            experiment.model.adaptiveCutoffs.clear();
            experiment.model.sampledWords = 64;
            QVERIFY(omits(launched(format, experiment), "sampled softmax"));
            experiment.model.sampledWords.reset();
            experiment.schedule.vocabularyKind = model::VocabularyKind::Chunked;
            experiment.schedule.logitChunks = 8;
            QVERIFY(omits(launched(format, experiment), "output layer in 8 chunks"));
            experiment.schedule.vocabularyKind = model::VocabularyKind::Full;
            experiment.schedule.logitChunks = 1;
            QVERIFY(!omits(launched(format, experiment), "chunks"));
        }
    }

    void megatronIsGivenThePlan()
    {
        model::Experiment experiment = planOf("1f1b");
        experiment.parallel.tensor = 2; // predicted or not, the arguments exist
        experiment.parallel.replicas = 4;
        experiment.parallel.zero = 1;
        experiment.parallel.microbatchSize = 2;
        const Launch launch = launched("megatron", experiment);
        for (const char *part :
             {"torchrun --nnodes 4 --nproc-per-node 8", "--tensor-model-parallel-size 2 --sequence-parallel",
              "--pipeline-model-parallel-size 4", "--micro-batch-size 2", "--global-batch-size 64",
              "--use-distributed-optimizer", "--num-layers 32", "--hidden-size 4096", "--ffn-hidden-size 14336",
              "--group-query-attention --num-query-groups 8", "--bf16", "--rotary-base 10000", "--swiglu",
              "--vocab-size 128255", "--untie-embeddings-and-output-weights"})
            QVERIFY2(has(launch.text, part), (std::string(part) + "\n" + launch.text).c_str());
        QVERIFY(!has(launch.text, "--pipeline-model-parallel-layout") && !has(launch.text, "--recompute"));
        QVERIFY2(launch.omitted.empty(), launch.omitted.empty() ? "" : launch.omitted[0].c_str());
    }

    /// Each choice that an exported launch leaves out is in its list of omitted choices.
    void choicesAreNotDroppedSilently()
    {
        for (const char *format : {"megatron", "torchtitan", "deepspeed"}) {
            const auto isListed = [format](const char *part, const auto &choose) {
                model::Experiment experiment = planOf("1f1b", "gpt-4b");
                QVERIFY(!omits(launched(format, experiment), part));
                choose(experiment);
                QVERIFY2(omits(launched(format, experiment), part), (std::string(format) + ": " + part).c_str());
            };
            isListed("optimizer muon", [](auto &each) { each.training.optimizer.name = "muon"; });
            isListed("activations on the host", [](auto &each) { each.schedule.offload.fraction = 0.5; });
            isListed("optimizer state on the host", [](auto &each) { each.schedule.offloadOptimizer = true; });
            isListed("loss scale 1024", [](auto &each) {
                each.model.dtype = model::DataType::Fp16;
                each.training.lossScale.fixed = 1024;
            });
        }
    }

    /// Expert ranks have whole experts there, too.
    void megatronIsGivenTheExpertRanks()
    {
        model::Experiment experiment = planOf("1f1b", "mixtral-8x7b");
        experiment.parallel.tensor = 2;
        experiment.parallel.replicas = 4;
        QVERIFY(!has(launched("megatron", experiment).text, "--expert-"));
        experiment.parallel.expert = 8;
        const Launch launch = launched("megatron", experiment);
        QVERIFY2(has(launch.text, "--expert-model-parallel-size 8 --expert-tensor-parallel-size 1"), launch.text.c_str());
        QVERIFY(launch.omitted.empty());
        experiment.parallel.context = 2;
        experiment.parallel.replicas = 4;
        QVERIFY(omits(launched("megatron", experiment), "groups of expert ranks within a context rank"));
        experiment = planOf("interleaved-1f1b", "mixtral-8x7b");
        experiment.parallel.replicas = experiment.parallel.expert = 4;
        experiment.schedule.overlappedPairs = true;
        const Launch paired = launched("megatron", experiment);
        QVERIFY(has(paired.text, "--overlap-moe-expert-parallel-comm") && !omits(paired, "overlapped pairs: "));
    }

    /// Megatron's recipe with factors of 128 x 128 weights and 1 x 128 activations.
    void productsIn8Bits()
    {
        model::Experiment experiment = planOf("1f1b");
        experiment.model.dtype = model::DataType::Fp8;
        const Launch megatron = launched("megatron", experiment);
        checkMegatron(megatron.text);
        QVERIFY(has(megatron.text, "--bf16") && has(megatron.text, "--fp8-format e4m3 --fp8-recipe blockwise"));
        for (const char *format : {"torchtitan", "deepspeed"})
            QVERIFY(omits(launched(format, experiment), "fp8"));
    }

    void sequenceParallelismIsAChoice()
    {
        model::Experiment experiment = planOf("1f1b");
        experiment.parallel.tensor = 2;
        QVERIFY(has(launched("torchtitan", experiment).text, "tensor_parallel_degree = 2"));
        QVERIFY(!omits(launched("torchtitan", experiment), "no sequence parallelism"));
        QVERIFY(omits(launched("deepspeed", experiment), "tensor parallelism: "));
        experiment.parallel.sequenceParallel = false;
        QVERIFY(!has(launched("megatron", experiment).text, "--sequence-parallel"));
        QVERIFY(omits(launched("torchtitan", experiment), "no sequence parallelism"));
    }

    void megatronIsGivenTheCut()
    {
        model::Experiment experiment = planOf("1f1b");
        experiment.parallel.stageLayers = {7, 8, 8, 9};
        QVERIFY(has(launched("megatron", experiment).text, "--pipeline-model-parallel-layout \"Et*7|t*8|t*8|t*9L\""));
        experiment.schedule.vocabulary = model::VocabularyMethod::Redis;
        experiment.parallel.stageLayers = {11, 11, 10, 0};
        QVERIFY(has(launched("megatron", experiment).text, "\"Et*11|t*11|t*10|L\""));
        experiment = planOf("interleaved-1f1b");
        const Launch interleaved = launched("megatron", experiment);
        QVERIFY(has(interleaved.text, "--num-virtual-stages-per-pipeline-rank 2"));
        QVERIFY2(interleaved.omitted.empty(), interleaved.omitted.empty() ? "" : interleaved.omitted[0].c_str());
    }

    void whatAFrameworkLacksIsNamed()
    {
        model::Experiment experiment = planOf("1f1b");
        experiment.schedule.vocabulary = model::VocabularyMethod::Vocab1;
        for (const exchange::Framework &framework : exchange::frameworks())
            QVERIFY2(omits(launched(framework.format.data(), experiment), "vocabulary vocab-1: "), framework.format.data());
        QVERIFY(omits(launched("megatron", planOf("zb-h1")), "schedule zb-h1: Megatron-LM runs 1F1B"));
        QVERIFY(omits(launched("megatron", planOf("zb-v")), "placement of the stages"));
        QVERIFY(omits(launched("deepspeed", planOf("gpipe")), "schedule gpipe: DeepSpeed's pipeline engine runs 1F1B"));
        QVERIFY(omits(launched("torchtitan", planOf("1f1b", "gpt-4b")), "architecture gpt"));
        QVERIFY(omits(launched("torchtitan", planOf("chimera")), "PyTorch's CSV cannot express it"));
        QVERIFY(omits(launched("torchtitan", planOf("zb-h1")), "only for two stages a rank or more"));
        experiment = planOf("1f1b");
        experiment.schedule.overlappedPairs = true;
        for (const char *format : {"megatron", "deepspeed"})
            QVERIFY(omits(launched(format, experiment), "overlapped pairs: "));
        QVERIFY(omits(launched("torchtitan", experiment), "only for two stages a rank or more"));
        experiment = planOf("interleaved-1f1b");
        experiment.schedule.overlappedPairs = true;
        QVERIFY(has(launched("torchtitan", experiment).scheduleCsv, "OVERLAP_F_B"));
        QVERIFY(omits(launched("megatron", experiment), "overlapped pairs: ")); // without experts
        experiment = planOf("1f1b");
        experiment.parallel.rankOrder = "dp-tp-cp-pp";
        for (const exchange::Framework &framework : exchange::frameworks())
            QVERIFY2(omits(launched(framework.format.data(), experiment), "rank order dp-tp-cp-pp"), framework.format.data());
    }

    void recomputedPartsAreWrittenOrNamed()
    {
        model::Experiment experiment = planOf("1f1b");
        experiment.schedule.recomputeLayers = {2};
        const Launch even = launched("megatron", experiment);
        QVERIFY(has(even.text, "--recompute-method block") && has(even.text, "--recompute-num-layers 2"));
        checkMegatron(even.text);
        for (const char *framework : {"torchtitan", "deepspeed"})
            QVERIFY(omits(launched(framework, experiment), "recomputed layers and operators"));
        experiment.schedule.recomputeLayers.assign(static_cast<std::size_t>(experiment.parallel.devices), 0);
        experiment.schedule.recomputeLayers.front() = 1;
        experiment.schedule.recomputeModules.norms = true;
        const Launch uneven = launched("megatron", experiment);
        QVERIFY(!has(uneven.text, "--recompute") && omits(uneven, "recomputed layers of each stage") &&
                omits(uneven, "recomputed operators (norms)"));
    }

    /// Every argument exists there, whatever the plan.
    void onlyKnownNamesAreWritten()
    {
        for (const schedule::Family &family : schedule::families()) {
            for (const char *preset : {"llama-3-8b", "gpt-4b"}) {
                for (const model::Recompute recompute :
                     {model::Recompute::None, model::Recompute::Selective, model::Recompute::Full}) {
                    model::Experiment experiment = planOf(std::string(family.name).c_str(), preset);
                    if (!family.synchronous || model::cutsSequences(family.name))
                        continue;
                    experiment.schedule.recompute = recompute;
                    experiment.parallel.replicas = 2;
                    experiment.parallel.zero = static_cast<int>(recompute);
                    experiment.training.optimizer.clip = 1.0;
                    checkMegatron(launched("megatron", experiment).text);
                    checkTorchtitan(launched("torchtitan", experiment));
                    const auto json = nlohmann::json::parse(launched("deepspeed", experiment).text);
                    QCOMPARE(json["train_batch_size"].get<int>(), json["train_micro_batch_size_per_gpu"].get<int>() *
                                                                      json["gradient_accumulation_steps"].get<int>() * 2);
                    for (const auto &[key, value] : json.items())
                        QVERIFY2(std::set<std::string>({"train_batch_size", "train_micro_batch_size_per_gpu",
                                                        "gradient_accumulation_steps", "steps_per_print", "optimizer",
                                                        "gradient_clipping", "bf16", "fp16", "data_types", "zero_optimization",
                                                        "pipeline"})
                                     .contains(key),
                                 key.c_str());
                }
            }
        }
    }

    void torchtitanIsGivenTheOrder()
    {
        const Launch named = launched("torchtitan", planOf("interleaved-zb"));
        QVERIFY(has(named.text, "pipeline_parallel_schedule = \"InterleavedZeroBubble\"") && named.scheduleCsv.empty());
        QVERIFY(has(named.text, "flavor = \"8B\""));
        QVERIFY(has(named.text, "[\"tok_embeddings\", \"layers.0\", \"layers.1\", \"layers.2\", \"layers.3\"],"));
        QVERIFY(has(named.text, "\"layers.31\", \"norm\", \"output\"]"));
        QVERIFY(has(named.text, "local_batch_size = 8\nglobal_batch_size = 8\n"));
        for (const char *family : {"v-half", "v-min", "1f1b-v"}) {
            const Launch launch = launched("torchtitan", planOf(family));
            QVERIFY(has(launch.text, "pipeline_parallel_schedule = \"ZBVZeroBubble\""));
            QVERIFY(has(launch.text, "pipeline_parallel_schedule_csv = \"plan.csv\""));
            const auto csv = exchange::readTorchCsv(launch.scheduleCsv);
            QVERIFY(csv.ok() && exchange::scheduleOf(*csv).ok());
            QVERIFY2(!omits(launch, "schedule "), family);
        }
    }

    void formatsAndModelsAreNeeded()
    {
        model::Experiment experiment = planOf("1f1b");
        const auto schedule = schedule::makeSchedule(operators::resolved(experiment, 2));
        const auto unknown = exchange::launchOf("nemo", experiment, *schedule, 8, "plan.csv");
        QVERIFY(!unknown && has(unknown.error().text(), "choose megatron, torchtitan or deepspeed"));
        experiment.hasModel = false;
        const auto bare = exchange::launchOf("megatron", experiment, *schedule, 8, "plan.csv");
        QVERIFY(!bare && has(bare.error().text(), "model: is none"));
    }

private:
    static void checkMegatron(const std::string &text)
    {
        std::istringstream words(text);
        for (std::string word; words >> word;)
            if (word.starts_with("--"))
                QVERIFY2(kMegatron.contains(word), word.c_str());
    }
    static void checkTorchtitan(const Launch &launch)
    {
        std::istringstream lines(launch.text);
        std::string section;
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with('['))
                section = line.substr(1, line.size() - 2);
            const std::size_t equals = line.find(" = ");
            if (equals != std::string::npos && !line.starts_with(' ') && !line.starts_with('#'))
                QVERIFY2(kTorchtitan.contains(section + '.' + line.substr(0, equals)), line.c_str());
        }
    }
};

STAGELENS_TEST(ExchangeLaunch)

} // namespace unit_exchange_launch

#include "exchange/launch.moc"
