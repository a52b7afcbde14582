// The memory of a device in a step equals its plan to the byte, and the prediction.
#include "engine/model/names.h"
#include "engine/runtime/memory/device_memory.h"
#include "engine/runtime/plan/lowering.h"
#include "engine/runtime/training/training_run.h"
#include "engine/simulate/memory.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>
#include <cmath>
#include <fmt/format.h>

namespace integration_memory_plan {

using namespace stagelens;
using model::VocabularyMethod;
using runtime::DevicePlan;
using runtime::LifetimeError;
using schedule::makePass;
using schedule::PassKind;
using schedule::PassValue;
using test::scheduleOf;
using test::smallExperiment;
using test::tinyExperiment;

namespace {

constexpr auto kMessages = static_cast<std::size_t>(simulate::MemoryCategory::Communication);

std::vector<DevicePlan> planOf(const model::Experiment &experiment, const schedule::Schedule &schedule)
{
    auto plan = runtime::memoryPlan(experiment, runtime::lowered(schedule));
    if (!plan)
        qFatal("%s", plan.error().text().c_str());
    return std::move(plan).value();
}

/// Creates a schedule of one device without checking whether it can run.
schedule::Schedule ordered(const std::vector<schedule::Pass> &passes, int microbatches)
{
    return {"custom", schedule::Placement::linear(1), microbatches, VocabularyMethod::None, {passes}};
}

/// Returns why a plan is refused, or an empty string.
std::string refusalOf(const std::vector<schedule::Pass> &passes, int microbatches)
{
    const auto experiment = tinyExperiment("1f1b", VocabularyMethod::None, 1, microbatches);
    const auto plan = runtime::memoryPlan(experiment, ordered(passes, microbatches));
    return plan ? std::string() : plan.error().text();
}

template <class Work>
std::string lifetimeError(const Work &work)
{
    try {
        work();
    } catch (const LifetimeError &error) {
        return error.what();
    }
    return {};
}

} // namespace

class MemoryPlanTest : public QObject {
    Q_OBJECT

private slots:
    void measuredIsPlanned_data()
    {
        QTest::addColumn<bool>("tied");
        QTest::addColumn<int>("recompute");
        QTest::addColumn<int>("family");
        for (const bool tied : {false, true})
            for (const auto recompute : {model::Recompute::None, model::Recompute::Full})
                for (const auto family : {model::ModelFamily::Gpt, model::ModelFamily::Llama})
                    QTest::addRow("%s, %s, %s", tied ? "tied" : "untied",
                                  recompute == model::Recompute::Full ? "recomputed" : "kept",
                                  family == model::ModelFamily::Gpt ? "gpt" : "llama")
                        << tied << static_cast<int>(recompute) << static_cast<int>(family);
    }
    void measuredIsPlanned()
    {
        QFETCH(bool, tied);
        QFETCH(int, recompute);
        QFETCH(int, family);
        int turn = 0;
        for (const auto &[name, method] : test::allPlans()) {
            auto experiment = smallExperiment(name, method, 4, 8);
            experiment.model.family = static_cast<model::ModelFamily>(family);
            experiment.model.tied = tied;
            experiment.schedule.recompute = static_cast<model::Recompute>(recompute);
            experiment.schedule.attention = turn % 3 == 0 ? model::Attention::Materialised : model::Attention::Flash;
            experiment.training.mode = ++turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
            experiment.training.steps = 2;
            compare(experiment, name + " " + std::string(model::name(method)));
        }
    }

    /// Layers of each stage and operators that are recomputed.
    void recomputedParts()
    {
        int turn = 0;
        for (const auto &[name, method] : test::allPlans()) {
            auto experiment = smallExperiment(name, method, 4, 6);
            if (++turn % 3 == 0)
                experiment = test::asLlama(experiment, 1);
            experiment.schedule.attention = turn % 4 == 0 ? model::Attention::Materialised : model::Attention::Flash;
            experiment.training.mode = turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
            experiment.training.steps = 1;
            test::recomputeParts(experiment, turn);
            compare(experiment, name + " " + std::string(model::name(method)));
        }
    }

    /// Exponentials that live only within the passes that use them.
    void rebuiltLogits()
    {
        int turn = 0;
        for (const auto &[name, method] : test::allPlans()) {
            auto experiment = smallExperiment(name, method, 4, 6);
            experiment.schedule.vocabularyKind = model::VocabularyKind::RecomputeLogits;
            experiment.training.mode = ++turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
            experiment.training.steps = 1;
            compare(experiment, name + " " + std::string(model::name(method)));
        }
    }

    /// Exponentials of a part of the tokens: 6 or 12 of them, in parts whose sizes differ.
    void chunkedLogits()
    {
        int turn = 0;
        for (const auto &[name, method] : test::allPlans()) {
            auto experiment = smallExperiment(name, method, 4, 6);
            experiment.parallel.microbatchSize = 1 + turn % 2;
            experiment.schedule.vocabularyKind = model::VocabularyKind::Chunked;
            experiment.schedule.logitChunks = 1 + turn % 5;
            experiment.training.mode = ++turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
            experiment.training.steps = 1;
            compare(experiment, name + " " + std::string(model::name(method)));
        }
        auto experiment = tinyExperiment("gpipe", VocabularyMethod::None, 2, 8);
        const auto peak = [&] {
            return planOf(experiment, scheduleOf(experiment))[1]
                .peak[static_cast<std::size_t>(simulate::MemoryCategory::Vocabulary)];
        };
        const base::Bytes rows = 97 * 4;
        const base::Bytes inputs = 8 * 16 * 32 * 4; // X of each microbatch
        QCOMPARE(peak(), inputs + 8 * 16 * (3 * 4 + rows));
        experiment.schedule.vocabularyKind = model::VocabularyKind::Chunked;
        for (const int chunks : {1, 4, 16}) {
            experiment.schedule.logitChunks = chunks;
            QCOMPARE(peak(), inputs + 16 * 3 * 4 + 16 / chunks * rows);
        }
    }

    /// Tables narrower than the layers: rows of them instead of rows of the layers, and what the maps keep.
    void factorisedVocabulary()
    {
        int turn = 0;
        for (const auto &[name, method] : test::allPlans()) {
            auto experiment = smallExperiment(name, method, 4, 6);
            experiment.model.vocabularyWidth = 5;
            experiment.model.tied = turn % 3 == 0;
            experiment.training.mode = ++turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
            experiment.training.steps = 1;
            compare(experiment, name + " " + std::string(model::name(method)));
        }
        auto experiment = tinyExperiment("gpipe", VocabularyMethod::None, 2, 8);
        const auto peak = [&](simulate::MemoryCategory category) {
            return planOf(experiment, scheduleOf(experiment))[1].peak[static_cast<std::size_t>(category)];
        };
        using simulate::MemoryCategory;
        const base::Bytes logits = 8 * 16 * (3 + 97) * 4;
        QCOMPARE(peak(MemoryCategory::Vocabulary), logits + 8 * 16 * 32 * 4);
        const base::Bytes activations = peak(MemoryCategory::Activations);
        const base::Bytes parameters = peak(MemoryCategory::Parameters);
        experiment.model.vocabularyWidth = 8;
        QCOMPARE(peak(MemoryCategory::Vocabulary), logits + 8 * 16 * 8 * 4);
        QCOMPARE(peak(MemoryCategory::Activations), activations + 8 * 16 * 32 * 4); // output of the final norm
        QCOMPARE(peak(MemoryCategory::Parameters), parameters - 97 * 24 * 4 + 8 * 32 * 4);
    }

    /// A short input table, cut otherwise than that of the output.
    void hashedInput()
    {
        int turn = 0;
        for (const auto &[name, method] : test::allPlans()) {
            auto experiment = smallExperiment(name, method, 4, 6);
            experiment.model.inputHashes = 1 + turn % 3;
            if (turn % 2 == 0)
                experiment.model.vocabularyWidth = 5;
            experiment.training.mode = ++turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
            experiment.training.steps = 1;
            compare(experiment, name + " " + std::string(model::name(method)));
        }
    }

    /// Rows of the output layer for each head, in their sizes of messages, scratch and maps.
    void outputHeads()
    {
        int turn = 0;
        for (const auto &[name, method] : test::allPlans()) {
            auto experiment = smallExperiment(name, method, 4, 6);
            experiment.model.outputHeads = 2 + turn % 4;
            if (turn % 3 == 0)
                experiment.model.vocabularyWidth = 5;
            experiment.model.tied = turn % 4 == 0;
            experiment.training.mode = ++turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
            experiment.training.steps = 1;
            compare(experiment, name + " " + std::string(model::name(method)));
        }
        auto experiment = tinyExperiment("gpipe", VocabularyMethod::None, 2, 8);
        const auto peak = [&](simulate::MemoryCategory category) {
            return planOf(experiment, scheduleOf(experiment))[1].peak[static_cast<std::size_t>(category)];
        };
        using simulate::MemoryCategory;
        const base::Bytes activations = peak(MemoryCategory::Activations);
        const base::Bytes parameters = peak(MemoryCategory::Parameters);
        const base::Bytes output = peak(MemoryCategory::Vocabulary);
        QCOMPARE(output, 8 * 16 * (32 + 3 + 97) * 4);
        experiment.model.outputHeads = 3;
        QCOMPARE(peak(MemoryCategory::Vocabulary), 3 * output);
        QCOMPARE(peak(MemoryCategory::Activations), activations + 8 * 16 * 32 * 4); // output of the final norm
        QCOMPARE(peak(MemoryCategory::Parameters), parameters + 3 * 32 * 32 * 4);
    }

    /// The logits of drawn words; at least those of one token and all words, for evaluations.
    void sampledSoftmax()
    {
        int turn = 0;
        for (const auto &[name, method] : test::allPlans()) {
            auto experiment = smallExperiment(name, method, 4, 6);
            experiment.model.sampledWords = turn % 2 ? 1 : 40;
            experiment.training.mode = ++turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
            experiment.training.steps = 1;
            compare(experiment, name + " " + std::string(model::name(method)));
        }
        auto experiment = tinyExperiment("gpipe", VocabularyMethod::None, 2, 8);
        const auto vocabularyBytes = [&](int words) {
            experiment.model.sampledWords = words;
            return planOf(experiment, scheduleOf(experiment))[1]
                .peak[static_cast<std::size_t>(simulate::MemoryCategory::Vocabulary)];
        };
        QCOMPARE(vocabularyBytes(20), 8 * 16 * (32 + 3 + 21) * 4);
        QCOMPARE(vocabularyBytes(1), 8 * (16 * (32 + 3) + 97) * 4);
    }

    /// The room of the head's logits, in which the tails are computed, and their parameters. Shards have twice as many
    /// statistics, the shard's own maxima of the tails and narrow rows of X.
    void adaptiveSoftmax()
    {
        int turn = 0;
        for (const auto &[name, method] : test::allPlans()) {
            auto experiment = smallExperiment(name, method, 4, 6);
            experiment.model.adaptiveCutoffs = turn % 2 ? std::vector{1} : std::vector{10, 40};
            experiment.training.mode = ++turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
            experiment.training.steps = 1;
            compare(experiment, name + " " + std::string(model::name(method)));
        }
        auto experiment = tinyExperiment("gpipe", VocabularyMethod::None, 2, 8);
        experiment.model.adaptiveCutoffs = {10, 40};
        const auto peak = planOf(experiment, scheduleOf(experiment))[1].peak;
        QCOMPARE(peak[static_cast<std::size_t>(simulate::MemoryCategory::Vocabulary)], 8 * 16 * (32 + 3 + 12) * 4);
        for (const VocabularyMethod method : {VocabularyMethod::Naive, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2}) {
            for (const char *const family : {"1f1b", "seq1f1b"}) {
                auto few = smallExperiment(family, method, 4, 6);
                few.model.adaptiveCutoffs = {20, 95}; // the last shards have no row of the second tail
                few.training.steps = 1;
                if (method == VocabularyMethod::Vocab1)
                    few.training.optimizer.name = "adafactor";
                compare(few, fmt::format("{} {}, few rows", family, model::name(method)));
            }
            auto ranks = smallExperiment("1f1b", method, 2, 4);
            ranks.model.vocabularySize = 96; // equal shards
            ranks.model.adaptiveCutoffs = {20, 40, 60, 80};
            ranks.parallel.tensor = 2;
            ranks.parallel.sequenceParallel = false;
            ranks.training.steps = 1;
            compare(ranks, fmt::format("{}, tensor ranks", model::name(method)));
        }
        experiment = tinyExperiment("gpipe", VocabularyMethod::Vocab1, 2, 1);
        experiment.model.adaptiveCutoffs = {10, 40};
        const auto ofShard = planOf(experiment, scheduleOf(experiment))[1].peak;
        QCOMPARE(ofShard[static_cast<std::size_t>(simulate::MemoryCategory::Vocabulary)],
                 16 * (32 + 8 + 2 * 2 * 3 + 1 + 6) * 4);
    }

    /// Messages in fewer bits: what is packed ends with its pass, and the message is shorter.
    void packedMessages()
    {
        constexpr std::array kPrecisions{model::PackedPrecision::Bf16, model::PackedPrecision::Fp8,
                                         model::PackedPrecision::Int8};
        std::size_t turn = 0;
        for (const auto &[name, method] : test::allPlans()) {
            auto experiment = smallExperiment(name, method, 4, 6);
            experiment.parallel.messagePrecision = kPrecisions[turn % 3];
            experiment.training.mode = ++turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
            experiment.training.steps = 1;
            compare(experiment, name + " " + std::string(model::name(method)));
        }
        auto experiment = tinyExperiment("gpipe", VocabularyMethod::None, 4, 16); // many messages in flight
        const auto whole = planOf(experiment, scheduleOf(experiment));
        experiment.parallel.messagePrecision = model::PackedPrecision::Int8;
        const auto packed = planOf(experiment, scheduleOf(experiment));
        QVERIFY(2 * packed[0].peak[kMessages] < whole[0].peak[kMessages]);
        QVERIFY(packed[0].slabFloats < whole[0].slabFloats);
    }

    /// What layers keep in fewer bits, with parts of it recomputed.
    void packedActivations()
    {
        constexpr std::array kPrecisions{model::PackedPrecision::Bf16, model::PackedPrecision::Fp8,
                                         model::PackedPrecision::Int8};
        int turn = 0;
        for (const auto &[name, method] : test::allPlans()) {
            auto experiment = smallExperiment(name, method, 4, 6);
            if (++turn % 3 == 0)
                experiment = test::asLlama(experiment, 1);
            experiment.schedule.storedActivations = kPrecisions[static_cast<std::size_t>(turn) % 3];
            experiment.training.mode = turn % 2 ? model::RunMode::Live : model::RunMode::VirtualClock;
            experiment.training.steps = 1;
            if (turn % 4 == 1)
                test::recomputeParts(experiment, turn);
            if (turn % 4 == 2)
                experiment.schedule.recompute = model::Recompute::Full;
            compare(experiment, name + " " + std::string(model::name(method)));
        }
        auto experiment = tinyExperiment("gpipe", VocabularyMethod::None, 4, 16); // many microbatches in flight
        const auto activationsOf = [](const model::Experiment &each) {
            return planOf(each, scheduleOf(each))[0].peak[static_cast<std::size_t>(simulate::MemoryCategory::Activations)];
        };
        const base::Bytes whole = activationsOf(experiment);
        experiment.schedule.storedActivations = model::PackedPrecision::Int8;
        QVERIFY(3 * activationsOf(experiment) < whole);
    }

    /// Stages without layers, shards without rows.
    void emptyStagesAndShards()
    {
        for (const auto &[name, method] : test::allPlans()) {
            auto experiment = smallExperiment(name, method, 4, 6);
            experiment.parallel.stageLayers.assign(static_cast<std::size_t>(scheduleOf(experiment).stages()), 0);
            experiment.parallel.stageLayers[1] = 8;
            experiment.model.vocabularySize = 5;
            experiment.training.steps = 1;
            compare(experiment, name + " " + std::string(model::name(method)));
        }
    }

    void livingBuffersLieApart()
    {
        double worst = 1;
        for (const auto &[name, method] : test::allPlans()) {
            const auto experiment = tinyExperiment(name, method, 4, 12);
            for (const DevicePlan &plan : planOf(experiment, scheduleOf(experiment))) {
                const auto buffers = plan.buffers.buffers();
                for (std::size_t i = 0; i < buffers.size(); ++i) {
                    QVERIFY(plan.places[i] % 16 == 0 && plan.places[i] + buffers[i].floats <= plan.bufferFloats);
                    for (std::size_t j = 0; j < i; ++j) {
                        const bool areApart = plan.places[i] >= plan.places[j] + buffers[j].floats ||
                                              plan.places[j] >= plan.places[i] + buffers[i].floats;
                        QVERIFY(areApart || buffers[j].last < buffers[i].first);
                    }
                }
                QVERIFY(plan.bufferFloats >= plan.mostLive);
                worst = std::max(worst, static_cast<double>(plan.bufferFloats) / static_cast<double>(plan.mostLive));
            }
        }
        qInfo("the largest slab is %.3f of what lives at once", worst);
        QVERIFY(worst < 1.25);
    }

    /// In 1F1B sent gradients are received long before the end of the step, and the plan accounts for that.
    void messagesEndBeforeTheStep()
    {
        const auto few = tinyExperiment("1f1b", VocabularyMethod::Vocab2, 4, 8);
        const auto many = tinyExperiment("1f1b", VocabularyMethod::Vocab2, 4, 64);
        const auto fewPlans = planOf(few, scheduleOf(few));
        const auto manyPlans = planOf(many, scheduleOf(many));
        for (std::size_t device = 0; device < 4; ++device)
            QVERIFY(manyPlans[device].peak[kMessages] <= 2 * fewPlans[device].peak[kMessages]);
    }

    void wrongOrdersAreExplained()
    {
        const auto f = [](int microbatch) { return makePass(PassKind::F, 0, microbatch); };
        const auto b = [](int microbatch) { return makePass(PassKind::B, 0, microbatch); };
        const auto i = [](int microbatch) { return makePass(PassKind::I, 0, microbatch); };
        const auto w = [](int microbatch) { return makePass(PassKind::W, 0, microbatch); };
        QCOMPARE(refusalOf({f(0), b(0), f(1), i(1), w(1)}, 2), std::string());
        const std::string early = refusalOf({b(0), f(0)}, 1);
        QVERIFY2(early.find("position 0: B0@0 needs the input of the stage of microbatch 0, which no earlier pass") !=
                     std::string::npos,
                 early.c_str());
        const std::string freed = refusalOf({f(0), i(0), w(0), w(0)}, 1);
        QVERIFY2(freed.find("position 3: W0@0") != std::string::npos &&
                     freed.find("was freed by W0@0 at position 2") != std::string::npos,
                 freed.c_str());
        QVERIFY(!refusalOf({f(0), f(0)}, 1).empty());
        QVERIFY(!refusalOf({f(7)}, 1).empty());
        QVERIFY(!refusalOf({makePass(PassKind::F, 3, 0)}, 1).empty());
    }

    void freedMemoryIsOutOfReach()
    {
        const auto experiment = tinyExperiment("1f1b", VocabularyMethod::None, 1, 2);
        const auto schedule = scheduleOf(experiment);
        const auto plans = planOf(experiment, schedule);
        const auto order = schedule.device(0); // F0 B0 F1 B1
        runtime::DeviceMemory memory(plans[0], order, 0);
        // Represents the parameters, which a device allocates before its first step.
        std::vector<backend::Buffer> fixed;
        for (std::size_t i = 0; i < plans[0].buffers.fixed().size(); ++i)
            fixed.push_back(memory.pool().allocate(static_cast<std::size_t>(plans[0].buffers.fixed()[i]) / sizeof(float),
                                                   static_cast<backend::Category>(i)));
        memory.begin(runtime::DeviceMemory::Order::Planned);
        const auto input = [&](int microbatch) { return memory.at(PassValue::StageInput, 0, microbatch); };
        const std::string wrong = lifetimeError([&] { memory.enter(order[1]); });
        QVERIFY2(wrong.find("runs B0@0, but its memory is planned for F0@0") != std::string::npos, wrong.c_str());
        memory.enter(order[0]);
        float *const kept = input(0);
        kept[0] = 1;
        const std::string early = lifetimeError([&] { (void)input(1); });
        QVERIFY2(early.find("which F1@0 at position 2 writes later") != std::string::npos, early.c_str());
        memory.leave();
        memory.enter(order[1]);
        QCOMPARE(input(0), kept);
        QCOMPARE(kept[0], 1.0F);
        memory.leave();
        if (backend::checksMemory())
            QVERIFY(std::isnan(kept[0]));
        const std::string late = lifetimeError([&] { (void)input(0); });
        QVERIFY2(late.find("which B0@0 at position 1 has freed") != std::string::npos, late.c_str());
        if (backend::checksMemory()) {
            memory.enter(order[2]);
            const auto more = memory.pool().allocate(1, static_cast<backend::Category>(simulate::MemoryCategory::Activations));
            const std::string unplanned = lifetimeError([&] { memory.leave(); });
            QVERIFY2(unplanned.find("of activations after F1@0 at position 2, but ") != std::string::npos &&
                         unplanned.find(" are planned") != std::string::npos,
                     unplanned.c_str());
        }
    }

private:
    /// Compares the peak of every step and device with the plan and with the prediction.
    static void compare(const model::Experiment &experiment, const std::string &what)
    {
        static test::Sample sample;
        if (sample.leavesOut())
            return;
        const auto schedule = scheduleOf(experiment);
        const auto plans = planOf(experiment, schedule);
        const auto onStep = [&](const runtime::StepReport &report) {
            for (int device = 0; device < experiment.parallel.devices; ++device) {
                const auto &measured = report.peakMemory[static_cast<std::size_t>(device)];
                const auto &planned = plans[static_cast<std::size_t>(device)].peak;
                const auto predicted = simulate::memoryPeak(experiment, schedule, *report.timeline, device).byCategory;
                for (std::size_t i = 0; i < measured.size(); ++i) {
                    const std::string name(simulate::name(static_cast<simulate::MemoryCategory>(i)));
                    const auto text = [&](base::Bytes expected) {
                        return QString("%1, device %2, %3: %4 measured, %5 expected")
                            .arg(what.c_str())
                            .arg(device)
                            .arg(name.c_str())
                            .arg(measured[i])
                            .arg(expected);
                    };
                    const bool mayBeLess =
                        i == kMessages || (i == 0 && plans[static_cast<std::size_t>(device)].weightVersions > 1);
                    QVERIFY2(mayBeLess ? measured[i] <= planned[i] : measured[i] == planned[i], qPrintable(text(planned[i])));
                    QVERIFY2(i == kMessages || predicted[i] == planned[i], qPrintable(text(predicted[i])));
                }
            }
        };
        const auto trained = runtime::train(experiment, schedule, {}, {onStep, {}}, {});
        QVERIFY2(trained.ok(), trained ? "" : qPrintable(QString("%1: %2").arg(what.c_str(), trained.error().text().c_str())));
    }
};

STAGELENS_TEST(MemoryPlanTest)

} // namespace integration_memory_plan

#include "memory_plan.moc"
