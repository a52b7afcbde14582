// Every impossible plan is refused with its field, the numbers and a remedy; no sound one is.
#include "engine/model/experiment.h"
#include "engine/model/family_shape.h"
#include "engine/model/presets.h"
#include "engine/model/schema.h"
#include "engine/operators/stage_layers.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace unit_model_validate {

using namespace stagelens::model;
using stagelens::base::Problem;
using stagelens::base::Problems;

namespace {

struct Case {
    const char *name;
    std::function<void(Experiment &)> spoil;
    const char *field;
    const char *part; ///< of the message
};

const Problem *find(const Problems &problems, const std::string &field)
{
    const auto found =
        std::find_if(problems.begin(), problems.end(), [&](const Problem &problem) { return problem.field == field; });
    return found == problems.end() ? nullptr : &*found;
}

const std::vector<Case> &modelCases()
{
    static const std::vector<Case> cases{
        {"no layers", [](Experiment &e) { e.model.layers = 0; }, "model.layers", "choose 1 to"},
        {"negative hidden", [](Experiment &e) { e.model.hidden = -128; }, "model.hidden", "is -128"},
        {"a sample of no words", [](Experiment &e) { e.model.sampledWords = 0; }, "model.sampled_softmax", "choose 1 to"},
        {"a sample of more words than there are", [](Experiment &e) { e.model.sampledWords = e.model.vocabularySize + 1; },
         "model.sampled_softmax", "choose at most"},
        {"no heads", [](Experiment &e) { e.model.heads = 0; }, "model.heads", "is 0"},
        {"heads do not divide", [](Experiment &e) { e.model.heads = e.model.kvHeads = 5; }, "model.heads",
         "5 heads do not divide hidden 128"},
        {"head_dim of gpt", [](Experiment &e) { e.model.headDim = 40; }, "model.head_dim", "choose family llama"},
        {"odd head_dim",
         [](Experiment &e) {
             e.model.family = ModelFamily::Llama;
             e.model.headDim = 31;
         },
         "model.head_dim", "even width"},
        {"wide heads",
         [](Experiment &e) {
             e.model.family = ModelFamily::Llama;
             e.model.heads = e.model.kvHeads = 1 << 20;
             e.model.headDim = 1 << 20;
         },
         "model.head_dim", "wider than"},
        {"no epsilon", [](Experiment &e) { e.model.rmsNormEpsilon = 0; }, "model.rms_norm_eps", "choose"},
        {"no theta", [](Experiment &e) { e.model.ropeTheta = std::nan(""); }, "model.rope_theta", "choose"},
        {"crossed factors",
         [](Experiment &e) {
             e.model.ropeScaling = RopeScaling{8, 4, 4, 8192};
         },
         "model.rope_scaling.high_freq_factor", "choose more than low_freq_factor"},
        {"gpt with kv heads that do not divide", [](Experiment &e) { e.model.kvHeads = 3; }, "model.kv_heads",
         "choose a divisor of 4"},
        {"kv heads do not divide",
         [](Experiment &e) {
             e.model.family = ModelFamily::Llama;
             e.model.kvHeads = 3;
         },
         "model.kv_heads", "3 key and value heads do not divide 4 heads"},
        {"odd head of llama",
         [](Experiment &e) {
             e.model.family = ModelFamily::Llama;
             e.model.hidden = 20;
         },
         "model.heads", "even width"},
        {"negative ffn", [](Experiment &e) { e.model.ffn = -1; }, "model.ffn", "is -1"},
        {"no sequence", [](Experiment &e) { e.model.sequence = 0; }, "model.sequence", "is 0"},
        {"huge vocabulary", [](Experiment &e) { e.model.vocabularySize = std::numeric_limits<int>::max(); },
         "model.vocabulary_size", "16777216"},
        {"vocabulary below devices", [](Experiment &e) { e.model.vocabularySize = 3; }, "model.vocabulary_size",
         "less than the 4 devices"},
        {"overflow-sized",
         [](Experiment &e) {
             e.model.hidden = e.model.ffn = 1 << 24;
             e.model.layers = 1 << 16;
         },
         "model", "parameters"},
        {"overflow-sized activations",
         [](Experiment &e) {
             e.model.sequence = 1 << 24;
             e.parallel.microbatchSize = 1 << 20;
             e.parallel.microbatches = 1'000'000;
         },
         "parallel.microbatch_size", "bytes"},
        {"overflow-sized probabilities",
         [](Experiment &e) {
             e.model.sequence = 1 << 24;
             e.model.heads = e.model.kvHeads = 128;
             e.schedule.attention = Attention::Materialised;
         },
         "parallel.microbatch_size", "bytes"},
    };
    return cases;
}

const std::vector<Case> &planCases()
{
    static const std::vector<Case> cases{
        {"no devices", [](Experiment &e) { e.parallel.devices = 0; }, "parallel.devices", "choose 1 to 1024"},
        {"too many devices", [](Experiment &e) { e.parallel.devices = 1025; }, "parallel.devices", "choose 1 to 1024"},
        {"more devices than layers", [](Experiment &e) { e.parallel.devices = 16; }, "parallel.devices",
         "lower devices to 8 or choose redis"},
        {"more stages than layers",
         [](Experiment &e) {
             e.parallel.devices = 8;
             e.schedule.family = "interleaved-1f1b";
         },
         "parallel.devices", "lower devices to 4 or choose redis"},
        {"no microbatch", [](Experiment &e) { e.parallel.microbatches = 0; }, "parallel.microbatches", "is 0"},
        {"too many microbatches", [](Experiment &e) { e.parallel.microbatches = 1'000'001; }, "parallel.microbatches",
         "1000000"},
        {"too many passes",
         [](Experiment &e) {
             e.model.layers = e.parallel.devices = 1024;
             e.parallel.microbatches = 100'000;
         },
         "parallel.microbatches", "lower microbatches to 9765"},
        {"no microbatch size", [](Experiment &e) { e.parallel.microbatchSize = 0; }, "parallel.microbatch_size", "is 0"},
        {"cut too short",
         [](Experiment &e) {
             e.parallel.stageLayers = {4, 4};
         },
         "parallel.stage_layers", "2 entries for 4 stages"},
        {"cut of another sum",
         [](Experiment &e) {
             e.parallel.stageLayers = {2, 2, 2, 1};
         },
         "parallel.stage_layers", "adds up to 7"},
        {"cut with overflow",
         [](Experiment &e) { e.parallel.stageLayers = std::vector<int>(4, std::numeric_limits<int>::max()); },
         "parallel.stage_layers", "8589934588"},
        {"stage without a layer",
         [](Experiment &e) {
             e.parallel.stageLayers = {3, 3, 2, 0};
         },
         "parallel.stage_layers", "choose redis"},
        {"negative stage under redis",
         [](Experiment &e) {
             e.schedule.vocabulary = VocabularyMethod::Redis;
             e.parallel.stageLayers = {3, 3, 3, -1};
         },
         "parallel.stage_layers", "negative"},
        {"no chunk",
         [](Experiment &e) {
             e.schedule.family = "breadth-first";
             e.schedule.chunks = 0;
         },
         "schedule.chunks", "is 0; choose 1 to 64"},
        {"chunks of a family without", [](Experiment &e) { e.schedule.chunks = 2; }, "schedule.chunks",
         "1f1b has 1 chunk a device, and 2 are given"},
        {"groups of a family without", [](Experiment &e) { e.schedule.groupSize = 2; }, "schedule.group_size",
         "choose interleaved-1f1b"},
        {"waves of a family without", [](Experiment &e) { e.schedule.waves = 2; }, "schedule.waves", "choose hanayo"},
        {"too many waves",
         [](Experiment &e) {
             e.schedule.family = "hanayo";
             e.schedule.waves = 33;
         },
         "schedule.waves", "choose 1 to 32"},
        {"tables wider than the layers", [](Experiment &e) { e.model.vocabularyWidth = e.model.hidden + 1; },
         "model.vocabulary_width", "choose at most"},
        {"tables without columns", [](Experiment &e) { e.model.vocabularyWidth = 0; }, "model.vocabulary_width", "choose 1"},
        {"hashes of a tied table",
         [](Experiment &e) {
             e.model.inputHashes = 2;
             e.model.tied = true;
         },
         "model.input_hashes", "choose 0, or untied weights"},
        {"too many hashes", [](Experiment &e) { e.model.inputHashes = 9; }, "model.input_hashes", "choose 0 to 8"},
        {"cut-offs that fall",
         [](Experiment &e) {
             e.model.adaptiveCutoffs = {20, 10};
         },
         "model.adaptive_softmax", "do not rise"},
        {"too many cut-offs",
         [](Experiment &e) {
             e.model.adaptiveCutoffs = {1, 2, 3, 4, 5};
         },
         "model.adaptive_softmax", "choose at most 4"},
        {"a cut-off beyond all words", [](Experiment &e) { e.model.adaptiveCutoffs = {e.model.vocabularySize + 1}; },
         "model.adaptive_softmax", "beyond the"},
        {"an adaptive softmax of a tied table",
         [](Experiment &e) {
             e.model.adaptiveCutoffs = {10};
             e.model.tied = true;
         },
         "model.adaptive_softmax", "choose untied weights"},
        {"no heads", [](Experiment &e) { e.model.outputHeads = 0; }, "model.output_heads", "choose 1 to 16"},
        {"heads beyond the sequence",
         [](Experiment &e) {
             e.model.sequence = 4;
             e.model.outputHeads = 5;
         },
         "model.output_heads", "choose at most 4"},
        {"chunks without tokens",
         [](Experiment &e) {
             e.schedule.vocabularyKind = VocabularyKind::Chunked;
             e.schedule.logitChunks = 1 << 20;
         },
         "schedule.vocabulary_kind", "is chunked=1048576, but a microbatch has"},
        {"no memory", [](Experiment &e) { e.schedule.memoryLimit = 0; }, "schedule.memory_limit", "choose 1 or more"},
        {"interlaced as a method", [](Experiment &e) { e.schedule.vocabulary = VocabularyMethod::Interlaced; },
         "schedule.vocabulary", "choose the schedule interlaced"},
        {"no family", [](Experiment &e) { e.schedule.family.clear(); }, "schedule.family", "empty"},
        {"teaching example on hardware", [](Experiment &e) { e.hasModel = false; }, "cost.hardware", "needs a model"},
        {"unknown pass",
         [](Experiment &e) {
             e.cost.source = UniformCosts{{{"Q", 1}}};
         },
         "cost.uniform.Q", "is no pass"},
        {"negative cost",
         [](Experiment &e) {
             e.cost.source = UniformCosts{{{"F", -1}}};
         },
         "cost.uniform.F", "is -1"},
        {"no number",
         [](Experiment &e) {
             e.cost.source = UniformCosts{{{"F", std::nan("")}}};
         },
         "cost.uniform.F", "nan"},
        {"endless cost",
         [](Experiment &e) {
             e.cost.source = UniformCosts{{{"F", 1e300}}};
         },
         "cost.uniform.F", "1e+300"},
        {"no durations file", [](Experiment &e) { e.cost.source = DurationsFile{}; }, "cost.durations", "empty"},
        {"name that is no text", [](Experiment &e) { e.training.data = "\xff.txt"; }, "training.data", "UTF-8"},
        {"unknown backend", [](Experiment &e) { e.training.backend = "tpu"; }, "training.backend", "choose cpu or cuda"},
        {"no step", [](Experiment &e) { e.training.steps = 0; }, "training.steps", "is 0"},
        {"unknown optimizer", [](Experiment &e) { e.training.optimizer.name = "adagrad"; }, "training.optimizer.name", "adamw"},
        {"negative rate", [](Experiment &e) { e.training.optimizer.learningRate = -1; }, "training.optimizer.lr", "is -1"},
        {"rate that is no number", [](Experiment &e) { e.training.optimizer.learningRate = std::nan(""); },
         "training.optimizer.lr", "nan"},
        {"beta of one", [](Experiment &e) { e.training.optimizer.beta2 = 1; }, "training.optimizer.betas", "less than 1"},
        {"endless decay", [](Experiment &e) { e.training.optimizer.weightDecay = std::numeric_limits<double>::infinity(); },
         "training.optimizer.weight_decay", "inf"},
        {"momentum of one", [](Experiment &e) { e.training.optimizer.momentum = 1; }, "training.optimizer.momentum",
         "less than 1"},
        {"clip of zero", [](Experiment &e) { e.training.optimizer.clip = 0; }, "training.optimizer.clip", "null"},
    };
    return cases;
}

} // namespace

class ModelValidate : public QObject {
    Q_OBJECT
private slots:
    void soundPlans()
    {
        QCOMPARE(validate(Experiment{}), Problems{});
        Experiment redis;
        redis.parallel.devices = 16;
        redis.schedule.vocabulary = VocabularyMethod::Redis;
        QCOMPARE(validate(redis), Problems{});
        redis.parallel.stageLayers = std::vector<int>(16, 0);
        redis.parallel.stageLayers[3] = 8;
        QCOMPARE(validate(redis), Problems{});
        Experiment teaching;
        teaching.hasModel = false;
        teaching.parallel.devices = 32;
        teaching.parallel.microbatches = 512;
        teaching.cost.source = UniformCosts{{{"F", 1}, {"B", 2}, {"EF", 0}, {"send", .5}}};
        QCOMPARE(validate(teaching), Problems{});
    }

    void presetsAreSound()
    {
        const auto presets = modelPresets();
        QVERIFY2(presets.ok(), presets.ok() ? "" : presets.error().text().c_str());
        for (const ModelPreset &preset : *presets) {
            Experiment experiment;
            experiment.model = preset.model;
            QCOMPARE(validate(experiment), Problems{});
        }
    }

    void impossiblePlans_data()
    {
        QTest::addColumn<const Case *>("example");
        for (const auto *cases : {&modelCases(), &planCases()}) {
            for (const Case &example : *cases)
                QTest::newRow(example.name) << &example;
        }
    }
    void impossiblePlans()
    {
        QFETCH(const Case *, example);
        Experiment experiment;
        example->spoil(experiment);
        const Problems problems = validate(experiment);
        const Problem *problem = find(problems, example->field);
        QVERIFY2(problem != nullptr, stagelens::base::Error::invalid(problems).text().c_str());
        QVERIFY2(problem->message.find(example->part) != std::string::npos, problem->message.c_str());
        QCOMPARE(problems.size(), std::size_t{1});
    }

    /// Of all degrees up to the one that was typed it is the largest that leaves no problem.
    void theTensorDegreeToChooseIsTheNearestSoundOne()
    {
        for (const ModelFamily family : {ModelFamily::Gpt, ModelFamily::Llama}) {
            for (const int heads : {6, 8, 12}) {
                for (const int tensor : {2, 3, 5, 7, 8, 9, 16, 65'536}) {
                    Experiment experiment;
                    experiment.model.family = family;
                    experiment.model.heads = heads;
                    experiment.model.kvHeads = family == ModelFamily::Gpt ? heads : heads / 2;
                    experiment.model.headDim.reset();
                    experiment.model.hidden = 16 * heads;
                    experiment.model.ffn = 60 * heads;
                    const auto refusal = [&experiment](int degree) {
                        experiment.parallel.tensor = degree;
                        const Problems problems = validate(experiment);
                        const Problem *problem = find(problems, "parallel.tensor");
                        return problem != nullptr ? problem->message : std::string();
                    };
                    int nearest = std::min(tensor, heads);
                    while (!refusal(nearest).empty())
                        --nearest;
                    const std::string said = refusal(tensor);
                    const std::string choice = "; choose " + std::to_string(nearest);
                    QVERIFY2(nearest == tensor ? said.empty() : said.ends_with(choice), (said + " | " + choice).c_str());
                }
            }
        }
    }

    void everyProblemIsReported()
    {
        Experiment experiment;
        experiment.model.hidden = 0;
        experiment.model.ffn = -4;
        experiment.parallel.devices = -2;
        experiment.parallel.microbatches = 0;
        experiment.training.steps = 0;
        const Problems problems = validate(experiment);
        for (const char *field : {"model.hidden", "model.ffn", "parallel.devices", "parallel.microbatches", "training.steps"})
            QVERIFY2(find(problems, field) != nullptr, field);
    }

    /// The window asks for them while somebody types the degrees.
    void productsOfDegreesStayWithinAnInt()
    {
        constexpr int kGreatest = std::numeric_limits<int>::max();
        ParallelPlan plan;
        plan.devices = plan.tensor = plan.context = plan.replicas = 999'999'999;
        QCOMPARE(plan.gradientRanks(), kGreatest);
        QCOMPARE(plan.shardGroup(), kGreatest);
        QCOMPARE(plan.ranks(plan.devices), std::int64_t{kGreatest} * kGreatest);
        plan.devices = plan.tensor = plan.context = plan.replicas = 30;
        QCOMPARE(plan.ranks(plan.devices), 810'000);
    }

    /// Conditions of fields are asked of plans that are not valid yet, and validation reads all numbers.
    void anyNumberCanBeTyped()
    {
        for (const char *preset : {"gpt-demo", "moe-demo"}) {
            Experiment demo;
            demo.model = *modelPreset(preset);
            for (const Field &typed : schema()) {
                if (typed.kind != Field::Kind::Integer && typed.kind != Field::Kind::Size)
                    continue;
                for (const char *number : {"0", "1", "-1", "7", "999999999", "2147483647"}) {
                    const ParsedField parsed = parseField(typed, number);
                    Experiment experiment = demo;
                    if (!parsed.fault.empty() || !typed.assign(experiment, parsed.value).empty())
                        continue;
                    QCOMPARE(typed.value(experiment), parsed.value);
                    for (const Field &asked : schema())
                        if (asked.applies)
                            (void)asked.applies(experiment);
                    (void)validate(experiment);
                    Experiment edited = demo; // with what follows from it
                    QCOMPARE(edit(edited, typed, parsed.value), std::string());
                    (void)validate(edited);
                }
            }
        }
    }

    void resolvedFillsWhatIsAbsent()
    {
        const Experiment live = stagelens::operators::resolved(Experiment{}, 4);
        QCOMPARE(live.training.mode, std::optional(RunMode::Live));
        QCOMPARE(live.parallel.stageLayers, (std::vector<int>{2, 2, 2, 2}));
        QCOMPARE(stagelens::operators::resolved(live, 1), live);
        QCOMPARE(stagelens::operators::resolved(Experiment{}, 3).training.mode, std::optional(RunMode::VirtualClock));
        Experiment teaching;
        teaching.hasModel = false;
        teaching.parallel.devices = 3;
        teaching.schedule.family = "v-half";
        teaching = stagelens::operators::resolved(teaching, 8);
        QCOMPARE(teaching.model.layers, 6);
        QCOMPARE(teaching.schedule.chunks, std::optional(2));
        chooseFamily(teaching.schedule, "v-half");
        QCOMPARE(teaching.schedule.chunks, std::optional(2));
        chooseFamily(teaching.schedule, "1f1b");
        QCOMPARE(teaching.schedule.chunks, std::optional<int>());
        QCOMPARE(teaching.parallel.stageLayers, std::vector<int>(6, 1));
    }
};

STAGELENS_TEST(ModelValidate)

} // namespace unit_model_validate

#include "model/validate.moc"
