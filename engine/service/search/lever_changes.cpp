#include "engine/service/search/lever_changes.h"

#include "engine/base/text.h"
#include "engine/model/capabilities.h"
#include "engine/model/conditions.h"
#include "engine/model/family_shape.h"
#include "engine/model/names.h"
#include "engine/model/schema.h"
#include "engine/operators/optimizers/optimizer.h"
#include "engine/schedule/families.h"
#include "engine/service/search/even_cut.h"
#include "engine/service/search/recompute_advice.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace stagelens::service {
namespace {

using base::Bytes;
using model::Experiment;

std::string listText(const std::vector<int> &numbers)
{
    std::vector<std::string> words;
    for (const int number : numbers)
        words.push_back(std::to_string(number));
    return base::join(words, "/");
}

/// Collects the changes that a plan allows.
class Changes {
public:
    Changes(const Prediction &prediction, int cores, const std::stop_token &stop)
        : m_plan(prediction.experiment), m_prediction(prediction), m_cores(cores), m_stop(stop)
    {}

    [[nodiscard]] std::vector<LeverChange> all()
    {
        layers();
        operatorSets();
        stored();
        attention();
        offloads();
        microbatches();
        cut();
        families();
        pairs();
        vocabulary();
        logits();
        widths();
        replicas();
        tensor();
        context();
        optimizers();
        hosts();
        precisions();
        messages();
        compressions();
        averages();
        return std::move(m_changes);
    }

private:
    void add(LeverKind kind, std::string options, Numbers numbers, std::function<void(Experiment &)> apply)
    {
        m_changes.push_back({kind, std::move(options), numbers, std::move(apply)});
    }

    void addLayers(const std::string &words, model::Recompute policy, const std::vector<int> &list)
    {
        if (policy != m_plan.schedule.recompute || list != m_plan.schedule.recomputeLayers)
            add(LeverKind::Layers, "--recompute " + words, Numbers::SameBits, [=](Experiment &plan) {
                plan.schedule.recompute = policy;
                plan.schedule.recomputeLayers = list;
            });
    }

    void addLeast(Bytes limit)
    {
        const auto least = withLeastRecomputation(m_plan, m_cores, limit, m_stop);
        const auto isEvery = [this](const std::vector<int> &list) { // which "full" is
            const std::vector<int> &layers = m_plan.parallel.stageLayers;
            return list == layers || (list.size() == 1 && std::ranges::max(layers) <= list[0]);
        };
        if (least && !least->schedule.recomputeLayers.empty() && !isEvery(least->schedule.recomputeLayers) &&
            m_lists.insert(least->schedule.recomputeLayers).second)
            addLayers(listText(least->schedule.recomputeLayers), least->schedule.recompute, least->schedule.recomputeLayers);
    }

    /// None, some layers of every stage, the fewest layers that keep the limit, and those that save as much as all do.
    void layers()
    {
        const int most = std::ranges::max(m_plan.parallel.stageLayers);
        addLayers("none", model::Recompute::None, {});
        if (m_plan.schedule.attention == model::Attention::Materialised)
            addLayers("selective", model::Recompute::Selective, {});
        for (const int count : std::set<int>{1, most / 2})
            if (count > 0 && count < most)
                addLayers(std::to_string(count), model::Recompute::None, {count});
        if (const auto limit = memoryLimitOf(m_prediction))
            addLeast(*limit);
        Experiment full = m_plan;
        full.schedule.recompute = model::Recompute::Full;
        full.schedule.recomputeLayers.clear();
        full.schedule.memoryLimit.reset();
        if (const auto all = predict(full, m_cores, {m_stop, {}}); all && !(*all)->metrics.peakMemory.empty())
            addLeast(std::ranges::max((*all)->metrics.peakMemory));
        addLayers("full", model::Recompute::Full, {});
    }

    void operatorSets()
    {
        if (m_plan.schedule.recompute == model::Recompute::Full)
            return;
        for (const char *words : {"none", "norms", "activation", "norms,activation", "attention", "norms,activation,attention"})
            if (const auto modules = model::parseModules(words); modules && *modules != m_plan.schedule.recomputeModules)
                add(LeverKind::Operators, fmt::format("--recompute-modules {}", words), Numbers::SameBits,
                    [modules](Experiment &plan) { plan.schedule.recomputeModules = *modules; });
    }

    void attention()
    {
        for (const model::Attention each : {model::Attention::Flash, model::Attention::Materialised})
            if (each != m_plan.schedule.attention)
                add(LeverKind::Attention, fmt::format("--attention {}", model::name(each)), Numbers::SameBits,
                    [each](Experiment &plan) { plan.schedule.attention = each; });
    }

    void logits()
    {
        const model::ScheduleChoice &own = m_plan.schedule;
        const auto addKind = [&](model::VocabularyKind kind, int chunks) {
            if (kind == own.vocabularyKind && chunks == own.logitChunks)
                return;
            model::ScheduleChoice chosen = own;
            chosen.vocabularyKind = kind;
            chosen.logitChunks = chunks;
            // Parts of the tokens add to the gradient of the matrix one after another.
            const Numbers numbers = chunks == own.logitChunks ? Numbers::SameBits : Numbers::SameMathematics;
            add(LeverKind::Logits, "--vocabulary-kind " + model::vocabularyKindText(chosen), numbers,
                [kind, chunks](Experiment &plan) {
                    plan.schedule.vocabularyKind = kind;
                    plan.schedule.logitChunks = chunks;
                });
        };
        for (const auto kind : {model::VocabularyKind::Full, model::VocabularyKind::RecomputeLogits})
            addKind(kind, 1);
        const std::int64_t tokens = std::int64_t{m_plan.parallel.microbatchSize} * m_plan.model.sequence;
        const bool isWhole = !m_prediction.schedule->runs(schedule::PassKind::S); // else one chunk is recompute-logits
        for (const int chunks : {1, 4, 16})
            if (chunks * m_plan.parallel.context <= tokens && (chunks > 1 || isWhole))
                addKind(model::VocabularyKind::Chunked, chunks);
    }

    /// Full tables, and narrower ones with maps to the layers.
    void widths()
    {
        const auto addWidth = [this](std::optional<int> width, const std::string &word) {
            if (width != m_plan.model.vocabularyWidth)
                add(LeverKind::Width, "--vocabulary-width " + word, Numbers::OtherModel, [width](Experiment &plan) {
                    plan.model.vocabularyWidth = width;
                    plan.model.preset = "custom";
                });
        };
        addWidth({}, "full");
        for (const int part : {8, 4})
            if (const int width = m_plan.model.hidden / part; width > 0)
                addWidth(width, std::to_string(width));
    }

    /// Of the same global batch.
    void microbatches()
    {
        const auto addSize = [this](int size, int count) {
            add(LeverKind::Microbatch, fmt::format("--microbatch-size {} --microbatches {}", size, count),
                Numbers::SameMathematics, [=](Experiment &plan) {
                    plan.parallel.microbatchSize = size;
                    plan.parallel.microbatches = count;
                });
        };
        const int size = m_plan.parallel.microbatchSize;
        const int count = m_plan.parallel.microbatches;
        if (m_plan.schedule.hasOwnOrder())
            return;
        if (size % 2 == 0)
            addSize(size / 2, count * 2);
        if (count % 2 == 0)
            addSize(size * 2, count / 2);
    }

    void cut()
    {
        if (const std::vector<int> even = evenCut(m_prediction); !even.empty())
            add(LeverKind::Cut, "--stage-layers " + listText(even), Numbers::SameBits,
                [even](Experiment &plan) { plan.parallel.stageLayers = even; });
    }

    /// Families of synchronous updates with one direction add up gradients in the same order (interlaced and those of slices do
    /// not).
    void families()
    {
        const auto hasPlainBits = [](const schedule::Family *family) {
            return family != nullptr && family->synchronous && family->directions == 1 && family->name != "interlaced" &&
                   !model::cutsSequences(family->name);
        };
        const schedule::Family *const own = schedule::findFamily(m_plan.schedule.family);
        if (own == nullptr)
            return;
        for (const schedule::Family &family : schedule::families()) {
            if (family.name == own->name)
                continue;
            const Numbers numbers = family.synchronous != own->synchronous || !family.synchronous ? Numbers::OtherMathematics
                                    : hasPlainBits(&family) && hasPlainBits(own)                  ? Numbers::SameBits
                                                                                                  : Numbers::SameMathematics;
            add(LeverKind::Schedule, fmt::format("--schedule {}", family.name), numbers,
                [name = family.name](Experiment &plan) {
                    const int before = model::stagesPerDevice(plan.schedule);
                    model::chooseFamily(plan.schedule, name);
                    if (model::stagesPerDevice(plan.schedule) != before)
                        model::followStages(plan);
                });
        }
    }

    /// Adds a change that keeps the plan valid.
    void addIfValid(LeverKind kind, const std::string &options, const std::function<void(Experiment &)> &change)
    {
        Experiment plan = m_plan;
        change(plan);
        if (plan != m_plan && model::validate(plan).empty())
            add(kind, options, Numbers::SameBits, change);
    }

    /// Of activations, unless the family copies them itself.
    void offloads()
    {
        if (model::kHasFamilyOffload(m_plan))
            return;
        for (const auto &[word, choice] :
             {std::pair("none", model::OffloadChoice()), {"0.5", {false, 0.5}}, {"auto", {true, 0}}})
            addIfValid(LeverKind::Offload, fmt::format("--offload {}", word),
                       [choice](Experiment &plan) { plan.schedule.offload = choice; });
    }

    /// Of optimizer state, and of the weights of the layers with it.
    void hosts()
    {
        const bool isOn = m_plan.schedule.offloadOptimizer;
        for (const auto &[optimizer, parameters] : {std::pair(false, false), {true, false}, {true, true}})
            addIfValid(LeverKind::Host,
                       optimizer ? fmt::format("--offload-optimizer{}", parameters ? " --offload-parameters"
                                                                        : isOn     ? " --no-offload-parameters"
                                                                                   : "")
                                 : "--no-offload-optimizer --no-offload-parameters",
                       [optimizer, parameters](Experiment &plan) {
                           plan.schedule.offloadOptimizer = optimizer;
                           plan.schedule.offloadParameters = parameters;
                       });
    }

    void pairs()
    {
        Experiment paired = m_plan;
        paired.schedule.overlappedPairs = true;
        if (!model::leavesPairsOpen(m_plan.schedule.family) || model::kPairsHideNothing(paired))
            return;
        const bool turnsOn = !m_plan.schedule.overlappedPairs;
        add(LeverKind::Pairs, turnsOn ? "--overlapped-pairs" : "--no-overlapped-pairs", Numbers::SameBits,
            [turnsOn](Experiment &plan) { plan.schedule.overlappedPairs = turnsOn; });
    }

    void vocabulary()
    {
        for (const model::VocabularyTraits &method : model::kVocabularyChoices)
            if (method.method != m_plan.schedule.vocabulary && !m_plan.schedule.hasOwnOrder())
                add(LeverKind::Vocabulary, fmt::format("--vocabulary {}", method.name), Numbers::SameMathematics,
                    [each = method.method](Experiment &plan) { plan.schedule.vocabulary = each; });
    }

    void replicas()
    {
        constexpr int kStages = 4;
        for (int zero = 0; zero < kStages && m_plan.parallel.replicas > 1; ++zero)
            if (zero != m_plan.parallel.zero)
                add(LeverKind::Zero, fmt::format("--zero {}", zero), Numbers::SameBits,
                    [zero](Experiment &plan) { plan.parallel.zero = zero; });
    }

    void tensor()
    {
        if (m_plan.parallel.tensor == 1)
            return;
        const bool isOn = !m_plan.parallel.sequenceParallel;
        const bool isByTokens = m_plan.parallel.vocabularySharding == model::VocabularySharding::Device;
        const std::string rows = isByTokens ? " --vocabulary-sharding rank" : ""; // without it no rank has tokens of its own
        add(LeverKind::SequenceParallel, isOn ? "--sequence-parallel" : "--no-sequence-parallel" + rows,
            Numbers::SameMathematics, [isOn](Experiment &plan) {
                plan.parallel.sequenceParallel = isOn;
                plan.parallel.vocabularySharding = isOn ? plan.parallel.vocabularySharding : model::VocabularySharding::Rank;
            });
        const auto other = isByTokens ? model::VocabularySharding::Rank : model::VocabularySharding::Device;
        add(LeverKind::VocabularySharding, fmt::format("--vocabulary-sharding {}", model::name(other)),
            Numbers::SameMathematics, [other](Experiment &plan) { plan.parallel.vocabularySharding = other; });
    }

    /// Twice or half as many context ranks, with half or twice as many replicas, and another way to reach keys and values.
    /// A combination may have changed the microbatches before, so that their number is scaled.
    void context()
    {
        const model::ParallelPlan &parallel = m_plan.parallel;
        if (m_plan.schedule.hasOwnOrder())
            return;
        const auto addDegree = [&](int context, int replicas, int microbatches) {
            add(LeverKind::Context,
                fmt::format("--context {} --replicas {} --microbatches {}", context, replicas, microbatches),
                Numbers::SameMathematics, [=, before = parallel.replicas](Experiment &plan) {
                    plan.parallel.context = context;
                    plan.parallel.replicas = replicas;
                    plan.parallel.microbatches = plan.parallel.microbatches * before / replicas;
                });
        };
        constexpr int kMostMicrobatches = 1 << 16;
        if (parallel.replicas % 2 == 0 && parallel.microbatches <= kMostMicrobatches)
            addDegree(parallel.context * 2, parallel.replicas / 2, parallel.microbatches * 2);
        if (parallel.context % 2 == 0 && parallel.microbatches % 4 == 0) // another lever may halve them
            addDegree(parallel.context / 2, parallel.replicas * 2, parallel.microbatches / 2);
        for (const model::ContextMethod each : {model::ContextMethod::AllGather, model::ContextMethod::Ring})
            if (parallel.context > 1 && each != parallel.contextMethod)
                add(LeverKind::Context, fmt::format("--context-method {}", model::name(each)), Numbers::SameMathematics,
                    [each](Experiment &plan) { plan.parallel.contextMethod = each; });
    }

    void optimizers()
    {
        for (const operators::Optimizer *each : operators::optimizers())
            if (each->name != m_plan.training.optimizer.name)
                add(LeverKind::Optimizer, fmt::format("--optimizer {}", each->name), Numbers::OtherMathematics,
                    [name = std::string(each->name)](Experiment &plan) {
                        (void)model::edit(plan, model::schemaField("training.optimizer.name"), name);
                    });
    }

    /// Of plans for other machines: processors emulate 16 bits, in a time that is not predicted.
    void precisions()
    {
        const bool isHere = m_prediction.hardware && m_prediction.hardware->name == "cpu-local";
        for (const model::DataType type : {model::DataType::Fp32, model::DataType::Bf16, model::DataType::Fp16})
            if (type != m_plan.model.dtype && !isHere)
                add(LeverKind::Precision, fmt::format("--dtype {}", model::name(type)), Numbers::OtherMathematics,
                    [type](Experiment &plan) { plan.model.dtype = type; });
        if (m_plan.model.dtype != model::DataType::Fp8 && m_prediction.hardware && m_prediction.hardware->peakFlopsOf8Bits > 0)
            add(LeverKind::Precision, "--dtype fp8", Numbers::OtherMathematics,
                [](Experiment &plan) { plan.model.dtype = model::DataType::Fp8; });
    }

    /// Calls `visit` with the other precisions of numbers that are packed in fewer bits.
    template <class Visit>
    void eachPacked(model::PackedPrecision own, const Visit &visit) const
    {
        using Precision = model::PackedPrecision;
        for (const Precision each : {Precision::Same, Precision::Bf16, Precision::Fp8, Precision::Int8})
            if (each != own && (each != Precision::Bf16 || m_plan.model.dtype == model::DataType::Fp32))
                visit(each);
    }

    /// Of what layers keep for their backward.
    void stored()
    {
        eachPacked(m_plan.schedule.storedActivations, [this](model::PackedPrecision each) {
            add(LeverKind::Stored, fmt::format("--stored-activations {}", model::name(each)), Numbers::OtherMathematics,
                [each](Experiment &plan) { plan.schedule.storedActivations = each; });
        });
    }

    /// Of the messages between stages.
    void messages()
    {
        if (m_plan.parallel.devices == 1)
            return;
        eachPacked(m_plan.parallel.messagePrecision, [this](model::PackedPrecision each) {
            add(LeverKind::Messages, fmt::format("--message-precision {}", model::name(each)), Numbers::OtherMathematics,
                [each](Experiment &plan) { plan.parallel.messagePrecision = each; });
        });
    }

    /// Of the traffic between replicas; its residuals take memory.
    void compressions()
    {
        const model::CompressionChoice &own = m_plan.training.compression;
        if (m_plan.parallel.gradientRanks() == 1 || (m_plan.parallel.zero > 1 && !own.isOn()))
            return;
        for (const char *word : {"none", "powersgd=4", "sign", "top-k=0.01", "one-bit-adam"})
            if (const auto parsed = operators::parseCompression(word); parsed.choice != own && takes(parsed.choice))
                add(LeverKind::Compression, fmt::format("--gradient-compression {}", word), Numbers::OtherMathematics,
                    [choice = parsed.choice](Experiment &plan) { plan.training.compression = choice; });
    }

    /// Returns whether the plan may exchange momentum, if the method does.
    [[nodiscard]] bool takes(const model::CompressionChoice &choice) const
    {
        Experiment plan = m_plan;
        plan.training.compression = choice;
        return !operators::exchangesMomentum(choice) || model::unsupported(plan, model::Use::Predict).empty();
    }

    /// Of replicas that have the whole optimizer state and whole gradients, as local SGD needs.
    void averages()
    {
        const model::ParallelPlan &own = m_plan.parallel;
        if (own.replicas == 1 || own.context > 1 || own.replicasPerExpertGroup() > 1 || m_plan.training.compression.isOn())
            return;
        const std::string unsharded =
            fmt::format("{}{}", own.zero > 0 ? " --zero 0" : "", own.shardReplicas > 0 ? " --shard-replicas 0" : "");
        for (const int every : {1, 4, 16, 64})
            if (every != own.syncEvery)
                add(LeverKind::Averaging, fmt::format("--sync-every {}{}", every, unsharded), Numbers::OtherMathematics,
                    [every](Experiment &plan) {
                        plan.parallel.syncEvery = every;
                        plan.parallel.zero = 0;
                        plan.parallel.shardReplicas = 0;
                    });
    }

    const Experiment &m_plan;
    const Prediction &m_prediction;
    int m_cores;
    std::stop_token m_stop;
    std::set<std::vector<int>> m_lists; ///< of recomputed layers
    std::vector<LeverChange> m_changes;
};

} // namespace

std::vector<LeverChange> leverChanges(const Prediction &prediction, int cores, const std::stop_token &stop)
{
    return Changes(prediction, cores, stop).all();
}

std::optional<Bytes> memoryLimitOf(const Prediction &prediction)
{
    if (prediction.experiment.schedule.memoryLimit)
        return prediction.experiment.schedule.memoryLimit;
    return prediction.memoryCapacity > 0 ? std::optional(prediction.memoryCapacity) : std::nullopt;
}

} // namespace stagelens::service
