// `plan`: its best against a search of everything, the objectives, and what is refused.
#include "engine/service/search/plan_search.h"
#include "engine/base/random.h"
#include "engine/model/presets.h"
#include "engine/model/schema.h"
#include "engine/schedule/families.h"
#include "engine/service/search/search_space.h"
#include "engine/simulate/costs/device_share.h"
#include "engine/simulate/device_needs.h"
#include "tests/support/gpt_shape.h"
#include "tests/support/plan_space.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

namespace unit_service_plan_search {

using namespace stagelens;
using namespace Qt::StringLiterals;
using service::PlanAnswer;
using service::PlanQuery;

namespace {

PlanQuery smallQuery()
{
    PlanQuery query;
    query.experiment.model = test::gptOf(8, 1024, 8, 512, 65536, model::DataType::Fp16);
    query.experiment.cost.source = model::HardwarePreset{"a100-80gb"};
    query.gpus = 4;
    query.globalBatch = test::kIsSanitized ? 4 : 16;
    return query;
}

PlanAnswer answerTo(const PlanQuery &query)
{
    auto answer = service::searchPlan(query, 20);
    if (!answer)
        qFatal("%s", answer.error().text().c_str());
    return std::move(answer).value();
}

/// Searched once for each number of sequences: several tests look at the same answer.
const PlanAnswer &smallAnswer(std::int64_t batch = smallQuery().globalBatch)
{
    static std::map<std::int64_t, PlanAnswer> known;
    const auto found = known.find(batch);
    if (found != known.end())
        return found->second;
    PlanQuery query = smallQuery();
    query.globalBatch = batch;
    return known.emplace(batch, answerTo(query)).first->second;
}

base::Bytes peakOf(const service::PlannedRun &run)
{
    return std::ranges::max(run.prediction->metrics.peakMemory);
}

/// Every division of up to four GPUs with every schedule.
std::vector<model::Experiment> everyPlan(const PlanQuery &query)
{
    std::vector<model::Experiment> plans;
    for (const auto &[devices, tensor] : {std::pair(1, 1), {2, 1}, {4, 1}, {1, 2}, {2, 2}, {1, 4}}) {
        const int replicas = query.gpus / devices / tensor;
        if (replicas == 0)
            continue;
        for (int size = 1; size * replicas <= query.globalBatch; size *= 2) {
            for (const auto recompute : {model::Recompute::None, model::Recompute::Full}) {
                model::Experiment plan = query.experiment;
                plan.parallel.devices = devices;
                plan.parallel.tensor = tensor;
                plan.parallel.replicas = replicas;
                plan.parallel.zero = replicas > 1 ? 1 : 0;
                plan.parallel.microbatchSize = size;
                plan.parallel.microbatches = static_cast<int>(query.globalBatch) / replicas / size;
                plan.schedule.recompute = recompute;
                for (model::Experiment &each : service::plansOf(plan))
                    plans.push_back(std::move(each));
            }
        }
    }
    return plans;
}

} // namespace

class ServicePlanSearch : public QObject {
    Q_OBJECT

private slots:
    void itsBestIsThatOfAllWithinTwoPercent_data()
    {
        QTest::addColumn<int>("gpus");
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("vocabulary");
        QTest::addColumn<int>("batch");
        QTest::newRow("2 GPUs, best only with V-shaped chunks") << 2 << 4 << 65536 << 4;
        if (test::kIsSanitized)
            return;
        QTest::newRow("4 GPUs") << 4 << 8 << 65536 << 16;
        QTest::newRow("4 GPUs, few sequences, small vocabulary") << 4 << 4 << 2048 << 4;
    }
    void itsBestIsThatOfAllWithinTwoPercent()
    {
        QFETCH(const int, gpus);
        QFETCH(const int, layers);
        QFETCH(const int, vocabulary);
        QFETCH(const int, batch);
        PlanQuery query = smallQuery();
        query.experiment.model = test::gptOf(layers, 1024, 8, 512, vocabulary, model::DataType::Fp16);
        query.gpus = gpus;
        query.globalBatch = batch;
        const base::Nanos found = answerTo(query).plans.front().prediction->metrics.iteration;
        const base::Nanos best = service::searchPlans(everyPlan(query)).front.front().iteration;
        QVERIFY2(best <= found && static_cast<double>(found) <= 1.02 * static_cast<double>(best),
                 qPrintable(QString("%1 ns found, %2 ns of all").arg(found).arg(best)));
    }

    /// The first stage examines 1F1B for every division, unsplit, rebalanced and with VOCAB-2; the second, everything for some.
    void nothingOf1F1BIsMissingFromTheFront_data()
    {
        QTest::addColumn<int>("hidden");
        QTest::newRow("narrow") << 128;
        if (!test::kIsSanitized)
            QTest::newRow("wide") << 1024;
    }
    void nothingOf1F1BIsMissingFromTheFront()
    {
        QFETCH(const int, hidden);
        PlanQuery query = smallQuery();
        query.experiment.model = test::gptOf(8, hidden, 4, 128, 8192, model::DataType::Fp32);
        const auto answer = service::searchPlan(query, std::numeric_limits<std::size_t>::max());
        QVERIFY(answer.ok());
        std::vector<model::Experiment> plans = everyPlan(query);
        std::erase_if(plans, [](const model::Experiment &each) {
            const model::ScheduleChoice &choice = each.schedule;
            return choice.family != "1f1b" || choice.vocabularyOrder != model::VocabularyOrder::Published ||
                   (traits(choice.vocabulary).isSharded && choice.vocabulary != model::VocabularyMethod::Vocab2);
        });
        for (const service::Candidate &each : service::searchPlans(plans).front)
            QVERIFY2(std::ranges::any_of(answer->plans,
                                         [&](const service::PlannedRun &plan) {
                                             return plan.prediction->metrics.iteration <= each.iteration &&
                                                    peakOf(plan) <= *each.peakMemory;
                                         }),
                     qPrintable(QString("%1 devices x %2 tensor: %3 ns, %4 B")
                                    .arg(each.parallel.devices)
                                    .arg(each.parallel.tensor)
                                    .arg(each.iteration)
                                    .arg(*each.peakMemory)));
    }

    /// On 64 GPUs: divisions drawn from all, each with every schedule, chunks, order and method. tests/bench/every_plan.cpp
    /// searches all of them.
    void noDrawnDivisionOf64GpusIsMuchFaster()
    {
        if (test::kIsSanitized)
            QSKIP("a search on one thread, and slow with sanitizers");
        const PlanQuery query = test::queryOf64Gpus(test::gptOf(8, 1024, 8, 512, 65536, model::DataType::Fp16));
        const base::Nanos found = answerTo(query).plans.front().prediction->metrics.iteration;
        const std::vector<model::Experiment> divisions = test::everyDivision(query);
        QVERIFY(divisions.size() > 500);
        constexpr unsigned kSeed = 64;
        constexpr int kDraws = 12;
        base::Random random(kSeed);
        int fitting = 0;
        for (int draw = 0; draw < kDraws; ++draw) {
            const model::Experiment &division = divisions[random.next() % divisions.size()];
            const model::ParallelPlan &plan = division.parallel;
            const auto best = test::fastestOf(division);
            fitting += best ? 1 : 0;
            QVERIFY2(!best || static_cast<double>(found) <= 1.02 * static_cast<double>(*best),
                     qPrintable(u"%1 ns found, %2 ns with p %3, t %4, c %5, b %6"_s.arg(found)
                                    .arg(best.value_or(0))
                                    .arg(plan.devices)
                                    .arg(plan.tensor)
                                    .arg(plan.context)
                                    .arg(plan.microbatchSize)));
        }
        QVERIFY(fitting > kDraws / 2);
    }

    void everyPlanIsWholeAndFits()
    {
        const PlanQuery query = smallQuery();
        const PlanAnswer &answer = smallAnswer();
        QVERIFY(answer.plans.size() > 1 && answer.isCapacity);
        QVERIFY(!answer.whySecondLost.empty() && !answer.notSearched.empty());
        for (const service::PlannedRun &run : answer.plans) {
            const model::ParallelPlan &plan = run.prediction->experiment.parallel;
            QCOMPARE(plan.ranks(plan.devices), std::int64_t{query.gpus});
            QCOMPARE(plan.stepMicrobatches() * plan.microbatchSize, query.globalBatch);
            QCOMPARE(*run.headroom, *answer.limit - peakOf(run));
            QVERIFY(*run.headroom >= 0);
            for (const service::PlannedRun &other : answer.plans)
                QVERIFY(&other == &run || other.prediction->metrics.iteration > run.prediction->metrics.iteration ||
                        peakOf(other) > peakOf(run));
        }
    }

    /// Every division once: those that fit by time, with the figures of a prediction, then those that do not, with the reason.
    void everyShapeHasItsBestPlan()
    {
        PlanQuery query = smallQuery();
        query.globalBatch = 4;
        const PlanAnswer &answer = smallAnswer(4);
        std::set<std::array<int, 4>> shapes;
        base::Nanos before = 0;
        for (const service::PlannedShape &shape : answer.shapes) {
            const model::ParallelPlan &plan = shape.experiment.parallel;
            QVERIFY(shapes.insert({plan.devices, plan.tensor, plan.context, plan.replicas}).second);
            QCOMPARE(plan.ranks(plan.devices), std::int64_t{query.gpus});
            QCOMPARE(plan.stepMicrobatches() * plan.microbatchSize, query.globalBatch);
            QVERIFY(shape.refusal.empty() && shape.fits && shape.metrics.has_value());
            QVERIFY(shape.metrics->iteration >= before);
            before = shape.metrics->iteration;
            const auto prediction = service::predict(shape.experiment, 1);
            QVERIFY(prediction.ok());
            QCOMPARE((*prediction)->metrics.iteration, shape.metrics->iteration);
        }
        QCOMPARE(shapes.size(), std::size_t{6}); // 1, 2, 4 devices x 1, 2, 4 tensor ranks
        QVERIFY(answer.plans.front().prediction->metrics.iteration <= answer.shapes.front().metrics->iteration);
    }

    void whatDoesNotFitSaysWhatItNeeds()
    {
        PlanQuery query = smallQuery();
        query.globalBatch = 4;
        const PlanAnswer &all = smallAnswer(4);
        base::Bytes least = *all.shapes.front().memory;
        for (const service::PlannedShape &shape : all.shapes)
            least = std::min(least, *shape.memory);
        query.experiment.schedule.memoryLimit = least; // some hold less under other schedules
        const PlanAnswer some = answerTo(query);
        QCOMPARE(some.shapes.size(), all.shapes.size());
        QVERIFY(some.shapes.front().fits && !some.shapes.back().fits);
        for (const service::PlannedShape &shape : some.shapes)
            if (!shape.refusal.empty()) // what it is refused for may need more than its least memory
                QVERIFY(!shape.fits);
            else
                QVERIFY2((*shape.memory <= *query.experiment.schedule.memoryLimit) == shape.fits,
                         qPrintable(u"p %1 t %2 d %3: %4 bytes; %5"_s.arg(shape.experiment.parallel.devices)
                                        .arg(shape.experiment.parallel.tensor)
                                        .arg(shape.experiment.parallel.replicas)
                                        .arg(*shape.memory)
                                        .arg(QString::fromStdString(shape.refusal))));
    }

    /// Eight devices of a long sequence hold it with offload and a sharded output layer alone, of which 1F1B says nothing. What
    /// does not fit shows its smallest attempt, and only plans that fit are the shortest so far.
    void aShapeIsTriedWithWhatHoldsLeast()
    {
        if (test::kIsSanitized)
            QSKIP("a search on one thread, and slow with sanitizers");
        PlanQuery query;
        query.experiment.model = *model::modelPreset("llama-3-8b");
        query.experiment.model.sequence = 1 << 17;
        query.experiment.cost.source = model::HardwarePreset{"h100-sxm"};
        query.gpus = 8;
        query.globalBatch = 8;
        query.fixed = {{"tensor", 1}, {"context", 1}};
        service::SearchProgress last;
        bool isSteady = true;
        const auto answer = service::searchPlan(query, 20, {{}, [&](const service::SearchProgress &now) {
                                                                isSteady = isSteady && now.done >= last.done &&
                                                                           now.done <= now.total &&
                                                                           (!last.shortest || now.shortest <= last.shortest);
                                                                last = now;
                                                            }});
        QVERIFY2(answer.ok(), answer ? "" : answer.error().text().c_str());
        QVERIFY(isSteady);
        const auto ofDevices = [&](int devices) -> const service::PlannedShape & {
            return *std::ranges::find_if(answer->shapes, [devices](const service::PlannedShape &shape) {
                return shape.experiment.parallel.devices == devices;
            });
        };
        const service::PlannedShape &eight = ofDevices(8);
        QVERIFY(eight.fits && eight.experiment.parallel.microbatchSize == 1);
        QVERIFY(eight.experiment.schedule.recompute == model::Recompute::Full);
        QVERIFY(std::ranges::any_of(
            answer->plans, [](const service::PlannedRun &run) { return run.prediction->experiment.parallel.devices == 8; }));
        const service::PlannedShape &one = ofDevices(1);
        QVERIFY(!one.fits && one.metrics && *one.memory > *answer->limit);
        model::Experiment plain = one.experiment;
        plain.schedule = query.experiment.schedule;
        plain.schedule.family = "1f1b";
        plain.schedule.recompute = model::Recompute::Full;
        plain.parallel.stageLayers.clear();
        const auto prediction = service::predict(plain, 1);
        QVERIFY(prediction.ok());
        QVERIFY(*one.memory <= std::ranges::max((*prediction)->metrics.peakMemory));
        // Replicas that shard parameters hold less than any schedule of those that do not.
        QCOMPARE(one.experiment.parallel.zero, 3);
        for (const char *family : {"1f1b", "po-h", "po-f"}) {
            plain.schedule.family = family;
            plain.parallel.zero = 1;
            model::followStages(plain);
            if (const auto other = service::predict(plain, 1))
                QVERIFY2(*one.memory <= std::ranges::max((*other)->metrics.peakMemory), family);
        }
        for (const service::PlannedRun &run : answer->plans)
            QVERIFY(!last.shortest || run.prediction->metrics.iteration >= *last.shortest);
    }

    /// A sequence of which each of two ranks has enough tokens is also cut into two, with microbatches of one sequence.
    void longSequencesHaveContextRanks()
    {
        PlanQuery query = smallQuery();
        query.gpus = 2;
        query.globalBatch = 2;
        query.experiment.model.layers = 2;
        query.experiment.model.sequence = 2 * service::kLeastTokensOfContextRank;
        const auto hasContext = [](const service::PlannedShape &shape) { return shape.experiment.parallel.context == 2; };
        PlanAnswer answer = answerTo(query);
        const auto found = std::ranges::find_if(answer.shapes, hasContext);
        QVERIFY(found != answer.shapes.end() && found->metrics.has_value());
        QCOMPARE(found->experiment.parallel.microbatchSize, 1);
        query.experiment.model.sequence /= 2;
        answer = answerTo(query);
        QVERIFY(std::ranges::none_of(answer.shapes, hasContext));
        query.fixed = {{"context", 2}}; // as asked
        answer = answerTo(query);
        QVERIFY(!answer.shapes.empty() && std::ranges::all_of(answer.shapes, hasContext));
        model::ModelConfig &model = query.experiment.model; // of experts too
        model.family = model::ModelFamily::Llama;
        model.experts = 4;
        model.expertFfn = model.ffn;
        answer = answerTo(query);
        QVERIFY(!answer.shapes.empty() && std::ranges::all_of(answer.shapes, hasContext));
        QVERIFY(answer.shapes.front().metrics.has_value());
    }

    void theLeastMemoryAmongTheFast()
    {
        PlanQuery query = smallQuery();
        const PlanAnswer &fast = smallAnswer();
        query.objective = service::Objective::Memory;
        query.atMost = 0.2;
        const PlanAnswer small = answerTo(query);
        const auto iteration = [](const service::PlannedRun &run) {
            return static_cast<double>(run.prediction->metrics.iteration);
        };
        QVERIFY(iteration(small.plans.front()) <= 1.2 * iteration(fast.plans.front()));
        for (const service::PlannedRun &run : fast.plans)
            QVERIFY(iteration(run) > 1.2 * iteration(fast.plans.front()) || peakOf(run) >= peakOf(small.plans.front()));
    }

    /// What is asked once for devices alike is what each needs, for any cut.
    void devicesAlikeNeedTheSame_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("vocabulary");
        QTest::addColumn<int>("dtype");
        QTest::addColumn<int>("zero");
        const auto row = [](const char *name, const char *family, model::VocabularyMethod method, model::DataType type,
                            int zero) {
            QTest::newRow(name) << QString(family) << static_cast<int>(method) << static_cast<int>(type) << zero;
        };
        row("1f1b", "1f1b", model::VocabularyMethod::None, model::DataType::Fp16, 1);
        row("1f1b of the engine", "1f1b", model::VocabularyMethod::Vocab1, model::DataType::Fp32, 1);
        row("interleaved", "interleaved-1f1b", model::VocabularyMethod::Vocab2, model::DataType::Bf16, 0);
        row("v-half", "v-half", model::VocabularyMethod::None, model::DataType::Fp16, 2);
        row("dualpipe", "dualpipe", model::VocabularyMethod::None, model::DataType::Fp16, 0);
        row("pipedream", "pipedream", model::VocabularyMethod::None, model::DataType::Fp16, 0);
    }
    void devicesAlikeNeedTheSame()
    {
        QFETCH(QString, family);
        QFETCH(int, vocabulary);
        QFETCH(int, dtype);
        QFETCH(int, zero);
        model::Experiment plan;
        plan.model = test::gptOf(16, 64, 4, 32, 1001, static_cast<model::DataType>(dtype));
        plan.parallel.devices = 4;
        plan.parallel.replicas = zero > 0 ? 6 : 1;
        plan.parallel.zero = zero;
        plan.parallel.microbatches = 8;
        plan.schedule.family = family.toStdString();
        plan.schedule.vocabulary = static_cast<model::VocabularyMethod>(vocabulary);
        plan.schedule.recomputeLayers = {1, 0, 2, 5, 0, 1, 2, 0};
        const auto schedule = schedule::makeSchedule(plan);
        QVERIFY2(schedule.ok(), schedule ? "" : schedule.error().text().c_str());
        plan.schedule.recomputeLayers.resize(static_cast<std::size_t>(schedule->stages()));
        simulate::DeviceNeeds known(plan, *schedule);
        constexpr unsigned kSeed = 7;
        base::Random random(kSeed);
        for (int round = 0; round < 20; ++round) {
            std::vector<int> cut(static_cast<std::size_t>(schedule->stages()), 1);
            for (int left = plan.model.layers - schedule->stages(); left > 0; --left)
                ++cut[random.next() % cut.size()];
            plan.parallel.stageLayers = cut;
            for (int device = 0; device < schedule->devices(); ++device) {
                const simulate::MemoryNeeds asked = known.of(device, cut);
                const simulate::MemoryNeeds each = simulate::memoryNeeds(plan, *schedule, device);
                QCOMPARE(asked.parameters, each.parameters);
                QCOMPARE(asked.fixed, each.fixed);
                QCOMPARE(asked.activation, each.activation);
            }
        }
    }

    /// The greatest state of a share is that of some replica, also where shares are empty.
    void theFullestShareIsThatOfAReplica()
    {
        for (const char *optimizer : {"adamw", "adafactor", "muon", "adam8bit"})
            for (const int replicas : {2, 5, 64}) {
                model::Experiment plan;
                plan.model = test::gptOf(2, 64, 4, 32, 1001, model::DataType::Fp32);
                plan.parallel.devices = 2;
                plan.parallel.replicas = replicas;
                plan.parallel.zero = 1;
                plan.schedule.family = "1f1b";
                plan.training.optimizer.name = optimizer;
                const auto schedule = schedule::makeSchedule(plan);
                QVERIFY(schedule.ok());
                for (int device = 0; device < 2; ++device) {
                    base::Bytes most = 0;
                    for (int replica = 0; replica < replicas; ++replica)
                        most = std::max(most, simulate::optimizerBytes(plan, *schedule, device, replica).state);
                    QCOMPARE(simulate::optimizerBytes(plan, *schedule, device).state, most);
                }
            }
    }

    void fixedValuesAreKept()
    {
        PlanQuery query = smallQuery();
        query.fixed = {{"devices", 2}, {"microbatch_size", 4}, {"zero", 0}};
        query.experiment.schedule.family = "gpipe";
        query.keepsFamily = true;
        for (const service::PlannedRun &run : answerTo(query).plans) {
            QCOMPARE(run.prediction->experiment.parallel.devices, 2);
            QCOMPARE(run.prediction->experiment.parallel.microbatchSize, 4);
            QCOMPARE(run.prediction->experiment.parallel.zero, 0);
            QCOMPARE(run.prediction->experiment.schedule.family, std::string("gpipe"));
        }
    }

    void whatCannotBeIsSaid()
    {
        const auto messageOf = [](const PlanQuery &query) {
            const auto answer = service::searchPlan(query, 1);
            return answer ? std::string() : answer.error().text();
        };
        PlanQuery query = smallQuery();
        query.fixed = {{"expert", 2}, {"zero", 4}, {"devices", 3}};
        const std::string refused = messageOf(query);
        for (const char *part : {"expert is 2, but", "zero is 4, but", "devices is 3, which does not divide 4 GPUs"})
            QVERIFY2(refused.find(part) != std::string::npos, refused.c_str());
        query = smallQuery();
        query.experiment.schedule.memoryLimit = 1 << 20;
        QVERIFY(messageOf(query).find("4 GPUs hold no plan of this model within 1.00 MiB a rank") != std::string::npos);
        query = smallQuery();
        std::stop_source stop;
        stop.request_stop();
        const auto cancelled = service::searchPlan(query, 1, {stop.get_token(), {}});
        QVERIFY(!cancelled.ok() && cancelled.error().kind == base::ErrorKind::Cancelled);
    }
};

STAGELENS_TEST(ServicePlanSearch)

} // namespace unit_service_plan_search

#include "service/plan_search.moc"
