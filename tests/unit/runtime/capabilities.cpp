// The capability table: each row and each pair of rows is predicted, run or refused as the table says.
#include "engine/model/capabilities.h"
#include "engine/model/family_shape.h"
#include "engine/runtime/training/run_check.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>

#include <map>
#include <set>
#include <string>

namespace unit_runtime_capabilities {

using namespace stagelens;
using model::Capability;
using model::Experiment;

namespace {

void useExperts(Experiment &experiment)
{
    experiment.model.family = model::ModelFamily::Llama;
    experiment.model.experts = 4;
}

void useExpertRanks(Experiment &experiment)
{
    useExperts(experiment);
    experiment.parallel.replicas = 4;
    experiment.parallel.expert = 2;
}

void useCompression(Experiment &experiment)
{
    experiment.parallel.replicas = 2;
    experiment.training.compression = {"sign", 0};
}

void useMomentum(Experiment &experiment)
{
    experiment.parallel.replicas = 2;
    experiment.training.compression = {"one-bit-adam", 0};
}

void usePackedMessages(Experiment &experiment)
{
    experiment.parallel.devices = 2;
    experiment.parallel.messagePrecision = model::PackedPrecision::Fp8;
}

void useAverages(Experiment &experiment)
{
    experiment.parallel.replicas = 2;
    experiment.parallel.syncEvery = 4;
}

void reduceInPasses(Experiment &experiment, int replicas = 2)
{
    experiment.parallel.replicas = replicas;
    experiment.parallel.zero = 2;
    experiment.parallel.zero2 = model::ZeroGradients::Eager;
}

void gatherInPasses(Experiment &experiment, model::ZeroParameters how)
{
    experiment.parallel.replicas = 2;
    experiment.parallel.zero = 3;
    experiment.parallel.zero3 = how;
}

/// Turns a feature on.
const std::map<std::string_view, void (*)(Experiment &)> kUses{
    {"pipeline", [](Experiment &e) { e.parallel.devices = 2; }},
    {"vocabulary-parallelism", [](Experiment &e) { e.schedule.vocabulary = model::VocabularyMethod::Vocab1; }},
    {"tensor-parallelism", [](Experiment &e) { e.parallel.tensor = 2; }},
    {"vocabulary-by-tokens",
     [](Experiment &e) {
         e.parallel.tensor = 2;
         e.schedule.vocabulary = model::VocabularyMethod::Vocab1;
         e.parallel.vocabularySharding = model::VocabularySharding::Device;
     }},
    {"vocabulary-by-tokens-without-sequence-parallelism",
     [](Experiment &e) {
         e.parallel.tensor = 2;
         e.parallel.sequenceParallel = false;
         e.parallel.vocabularySharding = model::VocabularySharding::Device;
     }},
    {"context-parallelism", [](Experiment &e) { e.parallel.context = 2; }},
    {"context-parallelism-by-a-ring",
     [](Experiment &e) {
         e.parallel.context = 2;
         e.parallel.contextMethod = model::ContextMethod::Ring;
     }},
    {"ring-with-kept-probabilities",
     [](Experiment &e) {
         e.parallel.context = 2;
         e.parallel.contextMethod = model::ContextMethod::Ring;
         e.schedule.attention = model::Attention::Materialised;
     }},
    {"context-parallelism-by-heads",
     [](Experiment &e) {
         e.parallel.context = 2;
         e.parallel.contextMethod = model::ContextMethod::Ulysses;
     }},
    {"data-parallelism", [](Experiment &e) { e.parallel.replicas = 2; }},
    {"expert-parallelism", useExpertRanks},
    {"expert-parallelism-over-tensor-ranks",
     [](Experiment &e) {
         useExpertRanks(e);
         e.parallel.tensor = 2;
     }},
    {"expert-parallelism-without-sequence-parallelism",
     [](Experiment &e) {
         useExpertRanks(e);
         e.parallel.tensor = 2;
         e.parallel.sequenceParallel = false;
     }},
    {"expert-parallelism-with-context-ranks",
     [](Experiment &e) {
         useExpertRanks(e);
         e.parallel.context = 2;
     }},
    {"expert-parallelism-with-shard-groups",
     [](Experiment &e) {
         useExpertRanks(e);
         e.parallel.zero = 1;
         e.parallel.shardReplicas = 2;
     }},
    {"dispatch-per-node",
     [](Experiment &e) {
         useExpertRanks(e);
         e.parallel.expertDispatch = model::ExpertDispatch::PerNode;
     }},
    {"dispatch-in-8-bits",
     [](Experiment &e) {
         useExpertRanks(e);
         e.parallel.dispatchPrecision = model::DispatchPrecision::Fp8;
     }},
    {"expert-skew",
     [](Experiment &e) {
         useExpertRanks(e);
         e.whatIf.expertSkew = 0.5;
     }},
    {"local-sgd", useAverages},
    {"local-sgd-with-zero",
     [](Experiment &e) {
         useAverages(e);
         e.parallel.zero = 1;
     }},
    {"local-sgd-with-context-ranks",
     [](Experiment &e) {
         useAverages(e);
         e.parallel.context = 2;
     }},
    {"local-sgd-with-expert-ranks",
     [](Experiment &e) {
         useExpertRanks(e);
         e.parallel.syncEvery = 4;
     }},
    {"local-sgd-with-compression",
     [](Experiment &e) {
         useCompression(e);
         e.parallel.syncEvery = 4;
     }},
    {"local-sgd-with-jitter",
     [](Experiment &e) {
         useAverages(e);
         e.whatIf.jitter = 0.1;
     }},
    {"packed-messages", usePackedMessages},
    {"packed-activations", [](Experiment &e) { e.schedule.storedActivations = model::PackedPrecision::Int8; }},
    {"packed-activations-of-experts",
     [](Experiment &e) {
         useExperts(e);
         e.schedule.storedActivations = model::PackedPrecision::Fp8;
     }},
    {"gradient-compression", useCompression},
    {"one-bit-adam", useMomentum},
    {"one-bit-adam-with-zero",
     [](Experiment &e) {
         useMomentum(e);
         e.parallel.zero = 1;
     }},
    {"one-bit-adam-with-other-optimizers",
     [](Experiment &e) {
         useMomentum(e);
         e.training.optimizer.name = "lion";
     }},
    {"one-bit-adam-with-clip",
     [](Experiment &e) {
         useMomentum(e);
         e.training.optimizer.clip = 1;
     }},
    {"one-bit-adam-with-optimizer-offload",
     [](Experiment &e) {
         useMomentum(e);
         e.schedule.offloadOptimizer = true;
     }},
    {"gradient-compression-with-sharded-gradients",
     [](Experiment &e) {
         useCompression(e);
         e.parallel.zero = 2;
     }},
    {"gradient-compression-with-shard-groups",
     [](Experiment &e) {
         useCompression(e);
         e.parallel.replicas = 4;
         e.parallel.zero = 1;
         e.parallel.shardReplicas = 2;
     }},
    {"gradient-compression-of-experts",
     [](Experiment &e) {
         useCompression(e);
         useExperts(e);
     }},
    {"zero-1", [](Experiment &e) { e.parallel.zero = 1; }},
    {"zero-2",
     [](Experiment &e) {
         e.parallel.replicas = 2;
         e.parallel.zero = 2;
     }},
    {"zero-3",
     [](Experiment &e) {
         e.parallel.replicas = 2;
         e.parallel.zero = 3;
     }},
    {"eager-zero-2", [](Experiment &e) { reduceInPasses(e); }},
    {"resharded-zero-3", [](Experiment &e) { gatherInPasses(e, model::ZeroParameters::Reshard); }},
    {"exchanges-in-passes-on-gpus",
     [](Experiment &e) {
         reduceInPasses(e);
         e.training.backend = "cuda";
     }},
    {"exchanges-in-passes-with-uneven-tables",
     [](Experiment &e) {
         reduceInPasses(e);
         e.parallel.tensor = 2;
         e.model.vocabularySize = 97;
     }},
    {"gpt-with-groups", [](Experiment &e) { e.model.kvHeads = e.model.heads / 2; }},
    {"zero-3-kept-until-backward", [](Experiment &e) { gatherInPasses(e, model::ZeroParameters::KeepUntilBackward); }},
    {"zero-3-kept-until-backward-in-a-pipeline",
     [](Experiment &e) {
         e.parallel.devices = 2;
         gatherInPasses(e, model::ZeroParameters::KeepUntilBackward);
     }},
    {"shard-groups",
     [](Experiment &e) {
         e.parallel.replicas = 4;
         e.parallel.zero = 1;
         e.parallel.shardReplicas = 2;
     }},
    {"exchanges-in-passes-with-shard-groups",
     [](Experiment &e) {
         reduceInPasses(e, 4);
         e.parallel.shardReplicas = 2;
     }},
    {"shard-groups-with-context-ranks",
     [](Experiment &e) {
         e.parallel.context = 2;
         e.parallel.replicas = 4;
         e.parallel.zero = 1;
         e.parallel.shardReplicas = 2;
     }},
    {"exchanges-in-passes-with-context-ranks",
     [](Experiment &e) {
         e.parallel.context = 2;
         e.parallel.zero = 3;
         e.parallel.zero3 = model::ZeroParameters::Reshard;
     }},
    {"exchanges-in-passes-with-sharded-vocabulary",
     [](Experiment &e) {
         reduceInPasses(e);
         e.schedule.vocabulary = model::VocabularyMethod::Vocab1;
     }},
    {"exchanges-in-passes-with-given-durations",
     [](Experiment &e) {
         reduceInPasses(e);
         e.cost.source = model::UniformCosts();
     }},
    {"exchanges-in-passes-of-unequal-microbatches",
     [](Experiment &e) {
         reduceInPasses(e);
         e.whatIf.jitter = 0.1;
     }},
    {"eager-zero-2-of-unequal-replicas",
     [](Experiment &e) {
         reduceInPasses(e);
         e.whatIf.slow = "replica=1:1.5";
     }},
    {"zero-3-kept-until-backward-with-sharded-vocabulary",
     [](Experiment &e) {
         gatherInPasses(e, model::ZeroParameters::KeepUntilBackward);
         e.schedule.vocabulary = model::VocabularyMethod::Vocab1;
     }},
    {"other-optimizers", [](Experiment &e) { e.training.optimizer.name = "sgd"; }},
    {"whole-rows-with-tensor-ranks",
     [](Experiment &e) {
         e.parallel.tensor = 2;
         e.training.optimizer.name = "adafactor";
     }},
    {"bf16",
     [](Experiment &e) {
         e.training.backend = "cpu"; // on GPUs it is no feature of its own
         e.model.dtype = model::DataType::Bf16;
     }},
    {"fp16", [](Experiment &e) { e.model.dtype = model::DataType::Fp16; }},
    {"fp8", [](Experiment &e) { e.model.dtype = model::DataType::Fp8; }},
    {"materialised-attention-on-gpus",
     [](Experiment &e) {
         e.training.backend = "cuda";
         e.schedule.attention = model::Attention::Materialised;
     }},
    {"factorised-vocabulary", [](Experiment &e) { e.model.vocabularyWidth = 8; }},
    {"hashed-input", [](Experiment &e) { e.model.inputHashes = 2; }},
    {"output-heads", [](Experiment &e) { e.model.outputHeads = 2; }},
    {"adaptive-softmax", [](Experiment &e) { e.model.adaptiveCutoffs = {10}; }},
    {"adaptive-softmax-sharded",
     [](Experiment &e) {
         e.model.adaptiveCutoffs = {10};
         e.schedule.vocabulary = model::VocabularyMethod::Vocab1;
     }},
    {"adaptive-softmax-with-tensor-ranks",
     [](Experiment &e) {
         e.model.adaptiveCutoffs = {10};
         e.parallel.tensor = 2;
     }},
    {"adaptive-softmax-with-sequence-parallelism",
     [](Experiment &e) {
         e.model.adaptiveCutoffs = {10};
         e.schedule.vocabulary = model::VocabularyMethod::Vocab1;
         e.parallel.tensor = 2;
         e.parallel.sequenceParallel = true;
     }},
    {"adaptive-softmax-without-logits",
     [](Experiment &e) {
         e.model.adaptiveCutoffs = {10};
         e.schedule.vocabularyKind = model::VocabularyKind::RecomputeLogits;
     }},
    {"adaptive-softmax-with-maps",
     [](Experiment &e) {
         e.model.adaptiveCutoffs = {10};
         e.model.outputHeads = 2;
     }},
    {"adaptive-softmax-in-16-bits",
     [](Experiment &e) {
         e.model.adaptiveCutoffs = {10};
         e.model.dtype = model::DataType::Bf16;
     }},
    {"adaptive-softmax-on-gpus",
     [](Experiment &e) {
         e.model.adaptiveCutoffs = {10};
         e.training.backend = "cuda";
     }},
    {"sampled-softmax", [](Experiment &e) { e.model.sampledWords = 10; }},
    {"sampled-softmax-with-heads",
     [](Experiment &e) {
         e.model.sampledWords = 10;
         e.model.outputHeads = 2;
     }},
    {"sampled-softmax-in-16-bits",
     [](Experiment &e) {
         e.model.sampledWords = 10;
         e.model.dtype = model::DataType::Bf16;
     }},
    {"sampled-softmax-on-gpus",
     [](Experiment &e) {
         e.model.sampledWords = 10;
         e.training.backend = "cuda";
     }},
    {"recompute-layers", [](Experiment &e) { e.schedule.recomputeLayers = {1}; }},
    {"recompute-modules", [](Experiment &e) { e.schedule.recomputeModules.norms = true; }},
    {"recompute-gelu-on-gpus",
     [](Experiment &e) {
         e.training.backend = "cuda";
         e.schedule.recomputeModules.activation = true;
     }},
    {"experts", useExperts},
    {"shared-experts",
     [](Experiment &e) {
         useExperts(e);
         e.model.sharedExperts = 1;
     }},
    {"sigmoid-routers",
     [](Experiment &e) {
         useExperts(e);
         e.model.router = model::RouterScore::Sigmoid;
     }},
    {"expert-capacity",
     [](Experiment &e) {
         useExperts(e);
         e.model.capacityFactor = 1.25;
     }},
    {"mixed-layers",
     [](Experiment &e) {
         useExperts(e);
         e.model.denseLayers = 1;
     }},
    {"mixed-layers-redistributed",
     [](Experiment &e) {
         useExperts(e);
         e.model.denseLayers = 1;
         e.schedule.vocabulary = model::VocabularyMethod::Redis;
     }},
    {"latent-attention",
     [](Experiment &e) {
         e.model.family = model::ModelFamily::Llama;
         e.model.latentAttention = {16, 8, 8, 4, 8};
     }},
    {"latent-attention-split",
     [](Experiment &e) {
         e.model.family = model::ModelFamily::Llama;
         e.model.latentAttention = {16, 8, 8, 4, 8};
         e.schedule.attention = model::Attention::Materialised;
     }},
    {"experts-with-tensor-ranks",
     [](Experiment &e) {
         useExperts(e);
         e.parallel.tensor = 2;
     }},
    {"experts-with-context-ranks",
     [](Experiment &e) {
         useExperts(e);
         e.parallel.context = 2;
     }},
    {"expert-capacity-with-context-ranks",
     [](Experiment &e) {
         useExperts(e);
         e.parallel.context = 2;
         e.model.capacityFactor = 1.25;
     }},
    {"expert-capacity-with-expert-ranks-of-tensor-ranks",
     [](Experiment &e) {
         useExpertRanks(e);
         e.parallel.tensor = 2;
         e.model.capacityFactor = 1.25;
     }},
    {"experts-with-whole-matrices",
     [](Experiment &e) {
         useExperts(e);
         e.training.optimizer.name = "muon";
     }},
    {"activation-offload", [](Experiment &e) { e.schedule.offload.isAuto = true; }},
    {"activation-offload-with-sequence-slices",
     [](Experiment &e) {
         e.schedule.offload.fraction = 0.5;
         model::chooseFamily(e.schedule, "seq1f1b");
     }},
    {"activation-offload-with-jitter",
     [](Experiment &e) {
         e.schedule.offload.isAuto = true;
         e.whatIf.jitter = 0.1;
     }},
    {"family-offload", [](Experiment &e) { model::chooseFamily(e.schedule, "po-h"); }},
    {"family-offload-with-jitter",
     [](Experiment &e) {
         model::chooseFamily(e.schedule, "po-f");
         e.whatIf.jitter = 0.1;
     }},
    {"optimizer-offload", [](Experiment &e) { e.schedule.offloadOptimizer = true; }},
    {"optimizer-offload-of-rows",
     [](Experiment &e) {
         e.schedule.offloadOptimizer = true;
         e.training.optimizer.name = "adafactor";
     }},
    {"optimizer-offload-with-zero-3",
     [](Experiment &e) {
         e.schedule.offloadOptimizer = true;
         e.parallel.replicas = 2;
         e.parallel.zero = 3;
     }},
    {"optimizer-offload-with-eager-zero-2",
     [](Experiment &e) {
         e.schedule.offloadOptimizer = true;
         reduceInPasses(e);
     }},
    {"optimizer-offload-with-sigmoid-routers",
     [](Experiment &e) {
         useExperts(e);
         e.model.router = model::RouterScore::Sigmoid;
         e.schedule.offloadOptimizer = true;
     }},
    {"parameter-offload", [](Experiment &e) { e.schedule.offloadOptimizer = e.schedule.offloadParameters = true; }},
    {"parameter-offload-without-optimizer", [](Experiment &e) { e.schedule.offloadParameters = true; }},
    {"parameter-offload-with-experts",
     [](Experiment &e) {
         useExperts(e);
         e.schedule.offloadOptimizer = e.schedule.offloadParameters = true;
     }},
    {"parameter-offload-with-activation-offload",
     [](Experiment &e) {
         e.schedule.offloadOptimizer = e.schedule.offloadParameters = true;
         e.schedule.offload.isAuto = true;
     }},
    {"overlapped-pairs",
     [](Experiment &e) {
         model::chooseFamily(e.schedule, "1f1b");
         e.schedule.overlappedPairs = true;
     }},
    {"iterations", [](Experiment &e) { e.schedule.iterations = 2; }},
    {"iterations-with-jitter",
     [](Experiment &e) {
         e.schedule.iterations = 2;
         e.whatIf.jitter = 0.1;
     }},
    {"iterations-with-local-sgd",
     [](Experiment &e) {
         e.schedule.iterations = 2;
         useAverages(e);
     }},
    {"sequence-slices", [](Experiment &e) { model::chooseFamily(e.schedule, "seq1f1b"); }},
    {"sequence-slices-with-tensor-ranks",
     [](Experiment &e) {
         model::chooseFamily(e.schedule, "seq1f1b");
         e.parallel.tensor = 2;
     }},
    {"sequence-slices-with-experts",
     [](Experiment &e) {
         model::chooseFamily(e.schedule, "seq1f1b");
         useExperts(e);
     }},
    {"sequence-slices-materialised-attention",
     [](Experiment &e) {
         model::chooseFamily(e.schedule, "seq1f1b");
         e.schedule.attention = model::Attention::Materialised;
     }},
    {"sequence-slices-with-context-ranks",
     [](Experiment &e) {
         model::chooseFamily(e.schedule, "seq1f1b");
         e.parallel.context = 2;
     }},
    {"sequence-slices-of-lengths",
     [](Experiment &e) {
         model::chooseFamily(e.schedule, "seq1f1b");
         e.whatIf.lengths = "lengths.csv";
     }},
    {"slow-devices", [](Experiment &e) { e.whatIf.slow = "0=1.5"; }},
    {"slow-links",
     [](Experiment &e) {
         e.parallel.devices = 2;
         e.whatIf.slowLink = "0-1=2";
     }},
    {"jitter", [](Experiment &e) { e.whatIf.jitter = 0.1; }},
    {"sequence-lengths", [](Experiment &e) { e.whatIf.lengths = "lengths.csv"; }},
    {"failures",
     [](Experiment &e) {
         e.whatIf.failureInterval = 10;
         e.whatIf.checkpointSeconds = 30;
     }},
};

std::set<std::string> fieldsOf(const base::Problems &problems)
{
    std::set<std::string> fields;
    for (const base::Problem &problem : problems)
        fields.insert(problem.field);
    return fields;
}

} // namespace

class RuntimeCapabilities : public QObject {
    Q_OBJECT

private slots:
    void eachRowIsRefusedWithAReasonOrSupported()
    {
        QCOMPARE(kUses.size(), model::capabilities().size());
        for (const Capability &row : model::capabilities()) {
            QVERIFY(!row.isRun || row.isPredicted);
            QCOMPARE(row.reason.empty(), row.isRun && row.isPredicted);
            QCOMPARE(row.remedy.empty(), row.reason.empty());
            Experiment experiment = oneDevice();
            QVERIFY2(!row.isUsed(experiment), row.name.data());
            kUses.at(row.name)(experiment);
            QVERIFY2(row.isUsed(experiment), row.name.data());
        }
    }

    /// The family interlaced shards the vocabulary whatever the method is: rows about shards see it.
    void aFamilysOwnMethodIsSeen()
    {
        for (const std::string_view row :
             {"vocabulary-by-tokens", "exchanges-in-passes-with-sharded-vocabulary", "adaptive-softmax-sharded"}) {
            Experiment experiment = oneDevice();
            kUses.at(row)(experiment);
            experiment.schedule.family = "interlaced";
            experiment.schedule.vocabulary = model::VocabularyMethod::None;
            const auto found = std::ranges::find(model::capabilities(), row, &Capability::name);
            QVERIFY2(found != model::capabilities().end() && found->isUsed(experiment), row.data());
        }
    }

    void pairsAreRefusedForTheirOwnFields()
    {
        for (const Capability &one : model::capabilities()) {
            for (const Capability &other : model::capabilities()) {
                Experiment experiment = oneDevice();
                kUses.at(one.name)(experiment);
                kUses.at(other.name)(experiment);
                std::set<std::string> notPredicted;
                std::set<std::string> notRun;
                // The other one may have set the same field, and some rows are of two features.
                for (const Capability &row : model::capabilities()) {
                    if (!row.isUsed(experiment))
                        continue;
                    if (!row.isPredicted)
                        notPredicted.emplace(row.field);
                    else if (!row.isRun)
                        notRun.emplace(row.field);
                }
                const base::Problems problems = model::validate(experiment);
                QVERIFY2(fieldsOf(problems) == notPredicted,
                         problems.empty() ? one.name.data() : base::Error::invalid(problems).text().c_str());
                for (const base::Problem &problem : problems)
                    QVERIFY(problem.message.find("; choose ") != std::string::npos);
                if (!problems.empty())
                    continue;
                const auto run = runtime::checkRun(experiment, test::scheduleOf(experiment), {});
                const auto refused = run ? std::set<std::string>() : fieldsOf(run.error().problems);
                for (const std::string &field : notRun)
                    QVERIFY(refused.contains(field));
                if (refused == std::set<std::string>{"training.backend"}) // there is no GPU here
                    QCOMPARE(experiment.training.backend, std::string("cuda"));
                else if (notRun.empty())
                    QVERIFY2(run.ok(), run ? "" : run.error().text().c_str());
            }
        }
    }

    void messagesSayWhatIsSupported()
    {
        Experiment experiment = oneDevice();
        experiment.parallel.context = 3;
        experiment.parallel.rankOrder = "tp-pp";
        const base::Problems problems = model::validate(experiment);
        QCOMPARE(problems.size(), std::size_t{2});
        QCOMPARE(problems[0].field, std::string("parallel.rank_order"));
        QVERIFY(problems[0].message.find("such as tp-cp-dp-pp") != std::string::npos);
        QCOMPARE(problems[1].field, std::string("parallel.context"));
        QCOMPARE(problems[1].message, std::string("is 3, but a sequence of 16 tokens is not a multiple of 6 chunks (2 for "
                                                  "each rank); choose 2, or a model.sequence of 18"));
        experiment = oneDevice();
        experiment.parallel.tensor = 0; // out of range, and nothing else
        QCOMPARE(model::validate(experiment).size(), std::size_t{1});
    }

private:
    static Experiment oneDevice()
    {
        Experiment experiment = test::tinyExperiment("1f1b", model::VocabularyMethod::None, 1, 2);
        experiment.parallel.stageLayers.clear();
        return experiment;
    }
};

STAGELENS_TEST(RuntimeCapabilities)

} // namespace unit_runtime_capabilities

#include "runtime/capabilities.moc"
