// Cost models: the rules of uniform costs and durations files, what they refuse, and the analytic model's plausibility.
#include "engine/model/family_shape.h"
#include "engine/model/presets.h"
#include "engine/operators/architecture.h"
#include "engine/operators/kinds.h"
#include "engine/operators/stage_layers.h"
#include "engine/simulate/metrics.h"
#include "tests/support/gpt_shape.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QtTest>

namespace unit_simulate_costs {

using namespace stagelens;
using base::kNanosPerMicro;
using base::kNanosPerMilli;
using model::VocabularyMethod;
using schedule::PassKind;
using schedule::Transfer;

namespace {

constexpr const char *kHeader = "device,stage,pass,duration_us\n";

schedule::Schedule plainSchedule(int devices = 4, VocabularyMethod method = VocabularyMethod::Vocab1)
{
    return *schedule::makeSchedule(test::teachingExperiment("1f1b", devices, 8, method, {}));
}

QString problemsOf(const std::string &csv)
{
    const auto costs = simulate::measuredCosts(csv, "d.csv", plainSchedule());
    return costs.ok() ? QString() : QString::fromStdString(costs.error().text());
}

} // namespace

class SimulateCosts : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder.path().toUtf8());
    }

    void uniformDefaults()
    {
        const schedule::Schedule schedule = plainSchedule();
        const auto fromHalves = simulate::uniformCosts({{{"I", 1.5}, {"W", 0.5}}}, schedule);
        QCOMPARE(fromHalves->pass(2, PassKind::B, 2).duration, 2 * kNanosPerMilli);
        QCOMPARE(fromHalves->pass(2, PassKind::F, 2).duration, 0);
        const auto fromWhole = simulate::uniformCosts({{{"B", 3}}}, schedule);
        QCOMPARE(fromWhole->pass(1, PassKind::I, 1).duration, 1'500'000);
        QCOMPARE(fromWhole->pass(1, PassKind::W, 1).duration, 1'500'000);
        const auto all = simulate::uniformCosts(
            {{{"S", .25}, {"send", .1}, {"c0", .2}, {"c1", .3}, {"c2", .4}, {"B", 3}, {"I", 1}}}, schedule);
        QCOMPARE(all->pass(3, PassKind::S, 3).vocabulary, 250'000);
        QCOMPARE(all->pass(3, PassKind::W, 3).duration, 0);
        QCOMPARE(all->transfer(Transfer::Send, 0, 1), 100'000);
        QCOMPARE(all->transfer(Transfer::Send, 1, 1), 0);
        QCOMPARE(all->transfer(Transfer::BroadcastX, 0, 1), 200'000);
        QCOMPARE(all->transfer(Transfer::Statistics, 0, 1), 300'000);
        QCOMPARE(all->transfer(Transfer::ReduceGradient, 0, 1), 400'000);
        QCOMPARE(all->transfer(Transfer::EmbedReduce, 0, 1), 0);
        QVERIFY(all->vocabularyKnown);
        const auto whole = simulate::uniformCosts({{{"S", 1}}}, plainSchedule(4, VocabularyMethod::None));
        QVERIFY(!whole->vocabularyKnown);
        QCOMPARE(whole->pass(0, PassKind::S, 0).duration, 0);
    }

    void uniformOfADeviceIsSharedByItsChunks_data()
    {
        QTest::addColumn<QString>("family");
        for (const char *family : {"1f1b", "interleaved-1f1b", "breadth-first", "interleaved-zb", "zb-v", "v-half", "v-min",
                                   "v-zb", "1f1b-v", "dualpipe-v", "hanayo", "chimera", "dualpipe", "gpipe", "zb-h1"})
            QTest::newRow(family) << family;
    }
    /// Every family has the same work then: 8 microbatches of 3 ms on each of 4 devices.
    void uniformOfADeviceIsSharedByItsChunks()
    {
        QFETCH(QString, family);
        model::Experiment experiment = test::teachingExperiment("1f1b", 4, 8, VocabularyMethod::None, {{"F", 1}, {"B", 2}});
        model::chooseFamily(experiment.schedule, family.toStdString());
        experiment.parallel.stageLayers.clear();
        std::get<model::UniformCosts>(experiment.cost.source).per = model::UniformPer::Device;
        experiment = operators::resolved(experiment, 2);
        const test::Plan plan = test::planOf(experiment);
        QVERIFY2(plan.error.empty(), plan.error.c_str());
        for (const timeline::Lane &lane : plan.timeline.lanes) {
            base::Nanos busy = 0;
            for (std::size_t i = 0; i < lane.size(); ++i)
                busy += lane.end[i] - lane.begin[i];
            QCOMPARE(busy, 24 * kNanosPerMilli);
        }
    }

    /// The legs of a pass grow with it.
    void aGapFollowsEachKernelOfALayer()
    {
        model::Experiment experiment;
        experiment.model = *model::modelPreset("gpt-4b");
        experiment.parallel = {8, 16, 1, {}};
        model::Hardware hardware = *model::hardwarePreset("a100-80gb");
        int forward = 0;
        int backward = 0;
        const operators::Block block = operators::blockOf(experiment.model, false);
        for (const operators::Operator &op : block.operators) {
            const operators::Launches launches = operators::launchesOf(op);
            forward += launches.forward;
            backward += launches.input + launches.weight;
        }
        const auto costsWith = [&](base::Nanos gap) {
            hardware.kernelGap = gap;
            experiment.cost.source = model::HardwarePreset{"mine", std::make_shared<model::Hardware>(hardware)};
            return test::planOf(experiment);
        };
        constexpr base::Nanos kGap = 10 * kNanosPerMicro;
        const test::Plan without = costsWith(0);
        const test::Plan with = costsWith(kGap);
        QVERIFY2(without.error.empty() && with.error.empty(), (without.error + with.error).c_str());
        const int layers = static_cast<int>(experiment.model.layers) / 8;
        for (const auto &[kind, kernels] : {std::pair(PassKind::F, forward), std::pair(PassKind::B, backward)}) {
            const base::Nanos longer = with.costs.pass(3, kind, 3).duration - without.costs.pass(3, kind, 3).duration;
            QVERIFY2(std::abs(longer - layers * kernels * kGap) <= 2, qPrintable(QString::number(longer)));
        }
    }

    /// Where nothing else takes time, a forward takes the time of 19 tensors [b s, h] a layer instead of 98.
    void fusedKernelsReadAndWriteOnce()
    {
        model::Experiment experiment;
        experiment.model = *model::modelPreset("gpt-4b");
        experiment.parallel = {8, 16, 1, {}};
        model::Hardware hardware = *model::hardwarePreset("a100-80gb");
        hardware.peakFlops = 1e18;
        hardware.launchInterval = hardware.passOverhead = 0;
        hardware.memoryBytesPerSecond = 1e12;
        const double tensor = 2.0 * experiment.model.sequence * experiment.model.hidden / 1e12 * 1e9;
        for (const bool fused : {false, true}) {
            hardware.hasFusedKernels = fused;
            experiment.cost.source = model::HardwarePreset{"mine", std::make_shared<model::Hardware>(hardware)};
            const test::Plan plan = test::planOf(experiment);
            QVERIFY2(plan.error.empty(), plan.error.c_str());
            const double each =
                static_cast<double>(plan.costs.pass(3, PassKind::F, 3).duration) / (experiment.model.layers / 8.0);
            const double expected = (fused ? 19 : 98) * tensor;
            QVERIFY2(std::abs(each / expected - 1) < 0.02, qPrintable(QString("%1 %2").arg(each).arg(expected)));
        }
    }

    /// Of 8 tensor ranks each sends an eighth to another node, whose ranks gather the message.
    void tensorRanksSplitMessages()
    {
        model::Experiment experiment;
        experiment.model = *model::modelPreset("gpt-4b");
        experiment.parallel = {4, 8, 1, {}};
        experiment.parallel.tensor = 8;
        model::Hardware hardware = *model::hardwarePreset("a100-80gb");
        hardware.betweenNodes.latency = hardware.insideNode.latency = 0;
        hardware.collectives.clear();
        const double bytes = 2.0 * experiment.model.sequence * experiment.model.hidden;
        const double whole = bytes / hardware.networkRate(8);
        const double gather = 7.0 / 8 * bytes / hardware.insideNode.bytesPerSecond;
        for (const bool isSequenceParallel : {false, true})
            for (const bool splits : {false, true}) {
                experiment.parallel.sequenceParallel = isSequenceParallel;
                hardware.splitsMessages = splits;
                experiment.cost.source = model::HardwarePreset{"mine", std::make_shared<model::Hardware>(hardware)};
                const test::Plan plan = test::planOf(experiment);
                QVERIFY2(plan.error.empty(), plan.error.c_str());
                const double expected = isSequenceParallel ? whole / 8 : splits ? whole / 8 + gather : whole;
                const double seconds = static_cast<double>(plan.costs.transfer(Transfer::Send, 0, 1)) / 1e9;
                QVERIFY2(std::abs(seconds / expected - 1) < 1e-3, qPrintable(QString("%1 %2").arg(seconds).arg(expected)));
            }
    }

    /// More devices than rows: shards of the frequent words, of a tail, or of the whole table have none, and take no time.
    void shardsWithoutRowsTakeNoTime()
    {
        for (const char *hardware : {"cpu-local", "a100-80gb"})
            for (const auto &cutoffs : {std::vector<int>{1}, {8}, {8, 10}, {}})
                for (const auto method : {VocabularyMethod::Naive, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2,
                                          VocabularyMethod::Interlaced}) {
                    model::Experiment experiment;
                    experiment.model = test::gptOf(16, 128, 4, 128, cutoffs.empty() ? 5 : 20, model::DataType::Fp32);
                    experiment.model.adaptiveCutoffs.assign(cutoffs.begin(), cutoffs.end());
                    experiment.parallel = {16, 16, 1, {}};
                    if (method == VocabularyMethod::Interlaced)
                        model::chooseFamily(experiment.schedule, "interlaced");
                    else
                        experiment.schedule.vocabulary = method;
                    experiment.cost.source = model::HardwarePreset{hardware};
                    const test::Plan plan = test::planOf(experiment);
                    QVERIFY2(plan.error.empty(), plan.error.c_str());
                    for (int device = 0; device < 16; ++device)
                        for (const PassKind kind : {PassKind::F, PassKind::B, PassKind::S, PassKind::T}) {
                            const base::Nanos time = plan.costs.pass(device, kind, device).duration;
                            QVERIFY2(time >= 0 && time < 100 * kNanosPerMilli, qPrintable(QString::number(time)));
                        }
                }
    }

    void vocabularyPassesBelongToADevice()
    {
        model::Experiment experiment =
            test::teachingExperiment("interleaved-1f1b", 4, 8, VocabularyMethod::Vocab1, {{"F", 1}, {"B", 2}, {"S", .5}});
        experiment.parallel.stageLayers.clear();
        auto &uniform = std::get<model::UniformCosts>(experiment.cost.source);
        uniform.per = model::UniformPer::Device;
        uniform.milliseconds["send"] = .1;
        const schedule::Schedule schedule = *schedule::makeSchedule(operators::resolved(experiment, 2));
        const auto costs = simulate::uniformCosts(uniform, schedule);
        QCOMPARE(costs->pass(1, PassKind::F, 1).duration, kNanosPerMilli / 2);
        QCOMPARE(costs->pass(1, PassKind::S, 1).duration, kNanosPerMilli / 2);
        QCOMPARE(costs->transfer(Transfer::Send, 0, 1), kNanosPerMilli / 10);
    }

    void uniformRefusals()
    {
        const auto refused = simulate::uniformCosts({{{"F", -1}, {"Q", 1}, {"B", 1e10}, {"W", 2}, {"O", 1}}}, plainSchedule());
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().kind, base::ErrorKind::InvalidInput);
        QCOMPARE(refused.error().problems.size(), 4U);
        QCOMPARE(refused.error().problems[0].field, "cost.uniform");
        QVERIFY(!simulate::uniformCosts({{{"F", std::numeric_limits<double>::quiet_NaN()}}}, plainSchedule()).ok());
    }

    void theMostSpecificRowWinsThenTheLater()
    {
        const std::string csv =
            std::string("\xEF\xBB\xBF") +
            "device,stage,pass,duration_us\r\n1,1,F,4.5\r\n*,*,F,1\r\n\r\n1,*,F,2\r\n*,2,F,7\r\n*,3,F,5\r\n3,*,F,6\r\n"
            "2,2,B,1\r\n2,2,B,9\r\n0,*,send,11\r\n*,*,send,12\r\n*,*,c1,3\r\n2,*,c1,8\r\n*,*,embed-reduce,2\r\n1,*,O,40\r\n";
        const auto costs = simulate::measuredCosts(csv, "d.csv", plainSchedule());
        QVERIFY2(costs.ok(), costs.ok() ? "" : costs.error().text().c_str());
        QCOMPARE(costs->pass(0, PassKind::F, 0).duration, 1 * kNanosPerMicro);
        QCOMPARE(costs->pass(1, PassKind::F, 1).duration, 4500);
        QCOMPARE(costs->pass(2, PassKind::F, 2).duration, 7 * kNanosPerMicro);
        QCOMPARE(costs->pass(3, PassKind::F, 3).duration, 6 * kNanosPerMicro);
        QCOMPARE(costs->pass(2, PassKind::B, 2).duration, 9 * kNanosPerMicro);
        QCOMPARE(costs->pass(2, PassKind::I, 2).duration, 4500);
        QCOMPARE(costs->transfer(Transfer::Send, 0, 1), 11 * kNanosPerMicro);
        QCOMPARE(costs->transfer(Transfer::Send, 1, 0), 12 * kNanosPerMicro);
        QCOMPARE(costs->transfer(Transfer::Statistics, 0, 0), 8 * kNanosPerMicro);
        QCOMPARE(costs->transfer(Transfer::EmbedReduce, 0, 0), 2 * kNanosPerMicro);
        QCOMPARE(costs->optimizer(1), 40 * kNanosPerMicro);
        QCOMPARE(costs->optimizer(0), 0);
    }

    void overlappedPairs()
    {
        const std::string csv = "device,stage,pass,duration_us\n*,*,*,50\n*,*,F,10\n*,*,B,30\n*,*,FB,32\n";
        const auto costs = simulate::measuredCosts(csv, "d.csv", plainSchedule());
        QVERIFY2(costs.ok(), costs.ok() ? "" : costs.error().text().c_str());
        QCOMPARE(costs->pairScale, 0.8);
        QCOMPARE(simulate::uniformCosts({{{"F", .01}, {"B", .03}, {"FB", .032}}}, plainSchedule())->pairScale, 0.8);
        // "Any pass" is no pair.
        QCOMPARE(simulate::measuredCosts(csv.substr(0, csv.find("*,*,FB")), "d.csv", plainSchedule())->pairScale, 1.0);
    }

    void badRows_data()
    {
        QTest::addColumn<QByteArray>("csv");
        QTest::addColumn<QString>("problem");
        const auto row = [](const char *name, const char *line, const char *problem) {
            QTest::newRow(name) << QByteArray(kHeader) + line << QString(problem);
        };
        QTest::newRow("empty") << QByteArray() << "line 1, column 1: the file is empty";
        QTest::newRow("header") << QByteArray("device,pass\n0,F\n") << "line 1, column 1: the header is 'device,pass'";
        row("columns", "0,0,F\n", "line 2, column 3: there are 3 columns");
        row("device", "*,*,F,1\n9,*,F,1\n", "line 3, column 1: device 9 is not in this plan; it has 0 to 3");
        row("stage", "*,-1,F,1\n", "line 2, column 2: stage -1");
        row("word", "*,*,Q,1\n", "line 2, column 3: there is no pass 'Q'");
        row("not a number", "*,*,F,fast\n", "line 2, column 4: the duration is 'fast'");
        row("nan", "*,*,F,nan\n", "line 2, column 4");
        row("infinite", "*,*,F,inf\n", "line 2, column 4");
        row("negative", "*,*,F,-1\n", "line 2, column 4");
        row("absurd", "*,*,F,1e13\n", "line 2, column 4");
        row("pair of one device", "0,*,FB,1\n", "line 2, column 1: FB is for all overlapped pairs of the plan");
        row("pair of one stage", "*,1,FB,1\n", "line 2, column 2: FB is for all overlapped pairs of the plan");
        row("elsewhere", "0,1,F,1\n", "line 2, column 2: stage 1 runs on device 1");
        QTest::newRow("nul") << QByteArray(kHeader) + QByteArray("*,*,F\0,1\n", 9) << "line 2, column 3: a NUL byte";
    }
    void badRows()
    {
        QFETCH(QByteArray, csv);
        QFETCH(QString, problem);
        const QString found = problemsOf(csv.toStdString());
        QVERIFY2(found.contains(problem), qPrintable(found));
        QVERIFY(found.startsWith("cost.durations: d.csv: "));
    }

    void everyProblemIsReported()
    {
        QCOMPARE(problemsOf(std::string(kHeader) + "9,9,Q,x\n*,*,F,-1\n").split('\n').size(), 5);
        std::string many = kHeader;
        for (int i = 0; i < 1000; ++i)
            many += "*,*,F,-1\n";
        QVERIFY(problemsOf(many).endsWith("950 more problems of this kind"));
    }

    void choiceOfTheExperiment()
    {
        model::Experiment experiment = test::teachingExperiment("1f1b", 4, 8, VocabularyMethod::None, {});
        const schedule::Schedule schedule = *schedule::makeSchedule(experiment);
        experiment.cost.source = model::DurationsFile{(m_folder.path() + "/absent.csv").toStdString()};
        const auto absent = simulate::makeCostModel(experiment, schedule);
        QVERIFY(!absent.ok());
        QCOMPARE(absent.error().problems[0].field, "cost.durations");
        experiment.cost.source = model::HardwarePreset{"abacus"};
        const auto unknown = simulate::makeCostModel(experiment, schedule);
        QVERIFY(!unknown.ok());
        QCOMPARE(unknown.error().problems[0].field, "cost.hardware");
        const QString file = m_folder.path() + "/d.csv";
        QVERIFY(base::writeFile(file.toStdString(), std::string(kHeader) + "*,*,F,5\n").ok());
        experiment.cost.source = model::DurationsFile{file.toStdString()};
        experiment.cost.collectives = model::Collectives::Blocking;
        const auto costs = simulate::makeCostModel(experiment, schedule);
        QVERIFY(costs.ok());
        QCOMPARE(costs->pass(0, PassKind::F, 0).duration, 5 * kNanosPerMicro);
        QCOMPARE(costs->collectives, model::Collectives::Blocking);
    }

    void absurdSumsAreRefused()
    {
        const test::Plan plan =
            test::planOf(test::teachingExperiment("1f1b", 2, 16, VocabularyMethod::None, {{"F", 9e8}, {"B", 9e8}}));
        QVERIFY2(QString::fromStdString(plan.error).contains("11 days"), plan.error.c_str());
    }

    void analyticModel()
    {
        const auto hardware = model::hardwarePreset("a100-80gb");
        QVERIFY(hardware.ok());
        test::MeasuredRun shape;
        shape.vocabularySize = 256000;
        model::Experiment experiment = test::measuredExperiment(shape, VocabularyMethod::None);
        const schedule::Schedule none = *schedule::makeSchedule(experiment);
        const simulate::CostModel whole = simulate::analyticCosts(experiment, *hardware, none);
        QVERIFY(whole.vocabularyKnown);
        QCOMPARE(whole.pass(3, PassKind::F, 3).vocabulary, 0);
        QVERIFY(whole.pass(7, PassKind::F, 7).vocabulary > whole.pass(3, PassKind::F, 3).duration);
        const base::Nanos halves = whole.pass(7, PassKind::I, 7).duration + whole.pass(7, PassKind::W, 7).duration;
        QVERIFY(std::abs(halves - whole.pass(7, PassKind::B, 7).duration - hardware->passOverhead) <= 3);
        QVERIFY(whole.optimizer(7) > whole.optimizer(3));

        experiment.schedule.vocabulary = VocabularyMethod::Vocab2;
        const schedule::Schedule sharded = *schedule::makeSchedule(experiment);
        const simulate::CostModel shards = simulate::analyticCosts(experiment, *hardware, sharded);
        QCOMPARE(shards.pass(7, PassKind::F, 7).duration, shards.pass(3, PassKind::F, 3).duration);
        QVERIFY(shards.pass(0, PassKind::S, 0).duration > shards.pass(0, PassKind::T, 0).duration);
        QVERIFY(shards.transfer(Transfer::Statistics, 0, 0) > shards.transfer(Transfer::BroadcastX, 0, 0));

        experiment.schedule.vocabulary = VocabularyMethod::Redis;
        experiment.parallel.stageLayers = {5, 5, 5, 5, 4, 4, 4, 0};
        const schedule::Schedule redis = *schedule::makeSchedule(experiment);
        const simulate::CostModel empty = simulate::analyticCosts(experiment, *hardware, redis);
        const simulate::PassCost &last = empty.pass(7, PassKind::F, 7);
        QCOMPARE(last.duration, last.vocabulary + hardware->passOverhead);
    }

    /// A factorised vocabulary: shorter products and messages, and two maps in the first and the last stage.
    void narrowTables()
    {
        const auto hardware = model::hardwarePreset("a100-80gb");
        QVERIFY(hardware.ok());
        test::MeasuredRun shape;
        shape.vocabularySize = 256000;
        for (const auto method : {VocabularyMethod::None, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2}) {
            model::Experiment experiment = test::measuredExperiment(shape, method);
            const schedule::Schedule order = *schedule::makeSchedule(experiment);
            const simulate::CostModel full = simulate::analyticCosts(experiment, *hardware, order);
            experiment.model.vocabularyWidth = experiment.model.hidden / 4;
            const simulate::CostModel narrow = simulate::analyticCosts(experiment, *hardware, order);
            if (method == VocabularyMethod::None) {
                QCOMPARE(narrow.pass(3, PassKind::F, 3).duration, full.pass(3, PassKind::F, 3).duration);
                QVERIFY(narrow.pass(7, PassKind::F, 7).duration < full.pass(7, PassKind::F, 7).duration);
                QVERIFY(narrow.pass(7, PassKind::B, 7).duration < full.pass(7, PassKind::B, 7).duration);
                continue;
            }
            // Shorter collectives slow other passes less.
            QVERIFY(narrow.pass(3, PassKind::F, 3).duration < full.pass(3, PassKind::F, 3).duration);
            QVERIFY(narrow.pass(3, PassKind::S, 3).duration < full.pass(3, PassKind::S, 3).duration);
            QVERIFY(narrow.pass(3, PassKind::T, 3).duration < full.pass(3, PassKind::T, 3).duration);
            QVERIFY(narrow.transfer(Transfer::BroadcastX, 0, 1) < full.transfer(Transfer::BroadcastX, 0, 1) / 2);
            QVERIFY(narrow.transfer(Transfer::EmbedReduce, 0, 1) < full.transfer(Transfer::EmbedReduce, 0, 1) / 2);
            for (const int stage : {0, 7}) { // a map in F, and two products with it in B
                const auto mapOf = [&](PassKind kind) { return narrow.pass(stage, kind, stage).vocabulary; };
                QVERIFY(mapOf(PassKind::F) > 0);
                QVERIFY(std::abs(mapOf(PassKind::B) - 2 * mapOf(PassKind::F)) <= 1);
                QCOMPARE(full.pass(stage, PassKind::F, stage).vocabulary, 0);
            }
        }
    }

    /// Its products run at the rate of matrices whose smallest dimension is a head, and its scores are traversed eight times in
    /// the forward.
    void materialisedAttention()
    {
        const auto hardware = model::hardwarePreset("a100-80gb");
        QVERIFY(hardware.ok());
        model::Experiment experiment = test::measuredExperiment({}, VocabularyMethod::None);
        const model::ModelConfig &model = experiment.model;
        const schedule::Schedule schedule = *schedule::makeSchedule(experiment);
        const auto forward = [&] {
            return static_cast<double>(
                simulate::analyticCosts(experiment, *hardware, schedule).pass(3, PassKind::F, 3).duration);
        };
        const double flash = forward();
        experiment.schedule.attention = model::Attention::Materialised;
        const double pairs = 1.0 * experiment.parallel.microbatchSize * model.sequence * model.sequence;
        const double flops = 4 * pairs * model.hidden;
        const double head = model.headSize();
        const double rate = hardware->peakFlops * hardware->matrixEfficiency * head / (head + hardware->halfSpeedDimension);
        const double seconds = flops / rate - flops / (hardware->peakFlops * hardware->attentionEfficiency) +
                               8 * 2 * pairs * model.heads / hardware->memoryBytesPerSecond;
        const int layers = model.layers / experiment.parallel.devices;
        QVERIFY(std::abs(forward() - flash - layers * seconds * 1e9) < 3);
    }

private:
    QTemporaryDir m_folder;
};

STAGELENS_TEST(SimulateCosts)

} // namespace unit_simulate_costs

#include "simulate/costs.moc"
