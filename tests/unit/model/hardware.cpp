// The a100-80gb preset against the paper that its figures were fitted to: 16 measured runs on one node and table 5's 36
// runs on four nodes (arXiv 2411.05288).
#include "engine/base/file.h"
#include "engine/model/family_shape.h"
#include "engine/model/hardware_json.h"
#include "engine/model/presets.h"
#include "engine/operators/sizes.h"
#include "engine/simulate/metrics.h"
#include "tests/support/gpt_shape.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>

namespace unit_model_hardware {

using namespace stagelens;
using model::VocabularyMethod;

namespace {

/// MFU in percent and greatest allocated memory in GiB of the 21B model on 32 devices with 32k, 64k, 128k and 256k vocabulary.
struct PublishedRow {
    int sequence;
    VocabularyMethod method;
    std::array<double, 4> mfu;
    std::array<double, 4> memory;
};
using enum VocabularyMethod;
constexpr std::array<PublishedRow, 9> kPublished{
    {{2048, None, {42.81, 37.28, 28.97, 20.86}, {33.45, 35.89, 41.17, 52.16}},
     {2048, Redis, {43.48, 37.29, 36.32, 29.16}, {33.45, 35.89, 41.17, 52.16}},
     {2048, Vocab1, {45.85, 45.92, 45.90, 46.11}, {33.38, 33.55, 33.86, 34.51}},
     {2048, Vocab2, {45.54, 45.86, 45.86, 46.16}, {32.72, 32.88, 33.20, 33.84}},
     {2048, Interlaced, {42.40, 42.43, 42.75, 43.25}, {42.94, 43.09, 43.40, 44.07}},
     {4096, None, {43.68, 38.11, 30.05, 21.63}, {54.97, 57.41, 62.29, 73.05}},
     {4096, Redis, {44.01, 38.12, 37.87, 31.03}, {54.97, 57.41, 62.29, 73.05}},
     {4096, Vocab1, {46.41, 46.44, 46.68, 46.83}, {57.41, 57.56, 57.88, 58.58}},
     {4096, Vocab2, {46.23, 46.35, 46.55, 46.84}, {56.09, 56.26, 56.61, 57.31}}}};

/// The plan of a row, with its vocabulary of 32000 << `doublings`.
model::Experiment publishedExperiment(const PublishedRow &row, std::size_t doublings)
{
    model::Experiment experiment;
    experiment.model = *model::modelPreset("gpt-21b");
    experiment.model.sequence = row.sequence;
    experiment.model.vocabularySize = 32000 << doublings;
    experiment.parallel = {32, 128, 1, {}};
    if (row.method == Interlaced)
        model::chooseFamily(experiment.schedule, "interlaced");
    else
        experiment.schedule.vocabulary = row.method;
    experiment.cost.source = model::HardwarePreset{"a100-80gb"};
    return experiment;
}

/// One pass over `b` sequences on one A100, MPT in bf16 (llm-foundry's published tables; 16 to 128 GPUs that share the batch).
struct SingleDeviceRow {
    int layers;
    int hidden;
    int heads;
    int microbatchSize;
    int microbatches;
    model::Recompute recompute;
    double seconds;
};
constexpr std::array<SingleDeviceRow, 12> kSingleDevice{{{80, 8192, 64, 8, 4, model::Recompute::Full, 159.8},
                                                         {80, 8192, 64, 4, 1, model::Recompute::Full, 21.79},
                                                         {48, 7168, 56, 4, 1, model::Recompute::Full, 9.559},
                                                         {40, 5120, 40, 16, 1, model::Recompute::Full, 16.58},
                                                         {32, 4096, 32, 18, 1, model::Recompute::Full, 10.17},
                                                         {32, 4096, 32, 16, 1, model::Recompute::Full, 8.99},
                                                         {32, 2560, 20, 6, 1, model::Recompute::None, 1.262},
                                                         {24, 2048, 16, 10, 1, model::Recompute::None, 1.098},
                                                         {24, 2048, 16, 10, 1, model::Recompute::None, 1.317},
                                                         {24, 1536, 12, 12, 1, model::Recompute::None, 0.8492},
                                                         {24, 1536, 12, 12, 1, model::Recompute::None, 0.8289},
                                                         {24, 1536, 12, 12, 1, model::Recompute::None, 0.8301}}};

/// A step of MPT in bf16 on H100s that share the batch (llm-foundry's published tables).
struct ReplicatedRow {
    int layers;
    int hidden;
    int heads;
    int replicas;
    int zero;
    int microbatchSize;
    int microbatches;
    model::Recompute recompute;
    double seconds;
};
constexpr std::array<ReplicatedRow, 17> kH100{{{80, 8192, 64, 256, 3, 8, 1, model::Recompute::Full, 15.83},
                                               {80, 8192, 64, 64, 3, 8, 4, model::Recompute::Full, 63.08},
                                               {48, 7168, 56, 512, 3, 8, 1, model::Recompute::Full, 7.747},
                                               {48, 7168, 56, 256, 3, 8, 1, model::Recompute::Full, 7.628},
                                               {48, 7168, 56, 128, 3, 8, 1, model::Recompute::Full, 7.451},
                                               {48, 7168, 56, 32, 3, 14, 3, model::Recompute::Full, 37.27},
                                               {48, 7168, 56, 16, 3, 10, 3, model::Recompute::Full, 27.15},
                                               {40, 5120, 40, 256, 3, 16, 1, model::Recompute::Full, 6.568},
                                               {40, 5120, 40, 64, 3, 2, 1, model::Recompute::None, 0.8533},
                                               {32, 4096, 32, 256, 3, 6, 1, model::Recompute::None, 1.214},
                                               {32, 4096, 32, 128, 3, 6, 1, model::Recompute::None, 1.173},
                                               {32, 2560, 20, 512, 2, 8, 1, model::Recompute::None, 0.7563},
                                               {32, 2560, 20, 128, 2, 8, 1, model::Recompute::None, 0.6995},
                                               {32, 2560, 20, 32, 3, 6, 3, model::Recompute::None, 1.601},
                                               {24, 2048, 16, 128, 2, 12, 1, model::Recompute::None, 0.557},
                                               {24, 2048, 16, 64, 3, 20, 1, model::Recompute::None, 0.9225},
                                               {24, 1536, 12, 16, 3, 24, 1, model::Recompute::None, 0.717}}};

/// A step of a GPT on A100 nodes of 8, sequence 2048, vocabulary 51,200, fp16: Narayanan et al. 2021 (arXiv 2104.04473, tables
/// 1 and 2) and Korthikanti et al. 2022 (arXiv 2205.05198, table 5).
struct TensorRow {
    int layers;
    int hidden;
    int heads;
    int tensor;
    int devices;
    int chunks;
    int replicas;
    int microbatchSize;
    int microbatches;
    bool isSequenceParallel; ///< with selective recomputation; else full
    double seconds;
};
constexpr std::array<TensorRow, 13> kTensorRanks{{{30, 3072, 32, 2, 1, 1, 32, 16, 1, false, 3.70},
                                                  {48, 8192, 64, 8, 2, 1, 32, 4, 12, false, 14.5},
                                                  {60, 10240, 80, 8, 4, 3, 32, 2, 28, false, 16.1},
                                                  {80, 12288, 96, 8, 8, 2, 24, 2, 48, false, 24.8},
                                                  {96, 16384, 128, 8, 16, 2, 15, 1, 144, false, 37.6},
                                                  {96, 12288, 96, 8, 12, 1, 4, 1, 384, false, 76.8},
                                                  {96, 12288, 96, 8, 12, 1, 16, 1, 96, false, 20.8},
                                                  {105, 20480, 128, 8, 35, 1, 8, 1, 280, false, 55.4},
                                                  {48, 6144, 64, 8, 1, 1, 1, 4, 1, false, 1.42},
                                                  {48, 6144, 64, 8, 1, 1, 1, 4, 1, true, 1.10},
                                                  {96, 12288, 96, 8, 8, 3, 1, 1, 64, true, 13.75},
                                                  {105, 20480, 128, 8, 35, 3, 1, 1, 280, false, 49.05},
                                                  {105, 20480, 128, 8, 35, 3, 8, 1, 280, true, 39.15}}};

/// The same on Jean Zay's A100 nodes, vocabulary 250,880, ZeRO-1 (BigScience's logbook): before a repair of the nodes 9 rows,
/// after it 17, and bf16 6.
constexpr std::array<TensorRow, 32> kBigScience{
    {{72, 14336, 64, 8, 12, 1, 4, 4, 128, false, 123.69}, {72, 14336, 64, 8, 6, 1, 8, 1, 256, false, 139.82},
     {72, 14336, 64, 8, 6, 1, 8, 2, 128, false, 131.02},  {72, 14336, 64, 8, 6, 1, 8, 4, 64, false, 121.48},
     {84, 13824, 64, 8, 6, 1, 8, 2, 128, false, 141.41},  {80, 13824, 64, 8, 10, 1, 4, 4, 128, false, 147.04},
     {96, 12288, 64, 8, 6, 1, 8, 2, 128, false, 136.73},  {96, 12288, 64, 8, 6, 1, 8, 4, 64, false, 122.96},
     {84, 13312, 64, 8, 6, 1, 8, 2, 128, false, 135.55},  {72, 14336, 64, 8, 12, 1, 4, 4, 98, false, 92.75},
     {72, 14336, 64, 8, 8, 1, 6, 4, 84, false, 113.16},   {72, 14336, 64, 8, 4, 1, 12, 2, 84, false, 125.52},
     {72, 14336, 64, 8, 2, 1, 24, 1, 84, false, 145.45},  {72, 14336, 64, 4, 12, 1, 8, 2, 128, false, 110.48},
     {72, 14336, 64, 4, 6, 1, 16, 2, 64, false, 111.71},  {72, 14336, 64, 2, 12, 1, 16, 2, 64, false, 112.5},
     {72, 14336, 64, 2, 24, 1, 8, 1, 256, false, 119.53}, {72, 14336, 64, 4, 24, 1, 4, 1, 512, false, 130.6},
     {96, 12288, 64, 1, 48, 1, 8, 1, 256, false, 142.17}, {78, 13824, 64, 4, 12, 1, 8, 2, 128, false, 103.51},
     {78, 13824, 64, 4, 12, 1, 8, 4, 64, false, 106.72},  {78, 13824, 96, 8, 6, 1, 8, 2, 128, false, 133.57},
     {84, 13312, 64, 4, 12, 1, 8, 2, 128, false, 103.82}, {78, 13824, 96, 4, 12, 1, 8, 2, 96, false, 83.11},
     {78, 13824, 96, 4, 12, 1, 8, 2, 128, false, 107.12}, {106, 12288, 96, 4, 12, 1, 8, 2, 128, false, 112.69},
     {100, 12288, 64, 8, 6, 1, 8, 2, 128, false, 139.72}, {100, 12288, 64, 8, 6, 1, 8, 4, 64, false, 120.96},
     {82, 13312, 64, 4, 12, 1, 8, 2, 128, false, 104.45}, {82, 13312, 64, 4, 12, 1, 8, 4, 64, false, 104.82},
     {70, 14336, 64, 4, 12, 1, 8, 2, 128, false, 102.03}, {70, 14336, 64, 4, 12, 1, 8, 4, 64, false, 102.27}}};

/// GPT on A100s in fp16 or bf16, tied.
model::Experiment gptOnA100(int layers, int hidden, int heads, int sequence, int vocabulary, model::DataType type)
{
    model::Experiment experiment;
    experiment.model = test::gptOf(layers, hidden, heads, sequence, vocabulary, type);
    experiment.model.tied = true;
    experiment.cost.source = model::HardwarePreset{"a100-80gb"};
    return experiment;
}

model::Experiment experimentOf(const TensorRow &row, int vocabulary)
{
    model::Experiment experiment = gptOnA100(row.layers, row.hidden, row.heads, 2048, vocabulary, model::DataType::Fp16);
    experiment.parallel = {row.devices, row.microbatches, row.microbatchSize, {}, row.tensor};
    experiment.parallel.sequenceParallel = row.isSequenceParallel;
    experiment.parallel.replicas = row.replicas;
    if (row.chunks > 1) {
        model::chooseFamily(experiment.schedule, "interleaved-1f1b");
        experiment.schedule.chunks = row.chunks;
    }
    experiment.schedule.attention = model::Attention::Materialised;
    experiment.schedule.recompute = row.isSequenceParallel ? model::Recompute::Selective : model::Recompute::Full;
    return experiment;
}

model::Experiment experimentOf(const ReplicatedRow &row)
{
    model::Experiment experiment = gptOnA100(row.layers, row.hidden, row.heads, 2048, 50368, model::DataType::Bf16);
    experiment.cost.source = model::HardwarePreset{"h100-sxm"};
    experiment.parallel = {1, row.microbatches, row.microbatchSize, {}};
    experiment.parallel.replicas = row.replicas;
    experiment.parallel.zero = row.zero;
    experiment.schedule.recompute = row.recompute;
    return experiment;
}

/// The hardware file of a cluster and software stack.
model::HardwarePreset stackNamed(const char *name)
{
    const auto cluster = model::loadCluster(base::resourceFolder() / "clusters" / (std::string(name) + ".json"));
    return {cluster->name, std::make_shared<model::Hardware>(*cluster)};
}

double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// Predicted over true iteration time, less one; NaN (which no bound accepts) where there is no prediction.
double error(const model::Experiment &experiment, double milliseconds)
{
    const test::Plan plan = test::planOf(experiment);
    if (!plan.error.empty()) {
        qWarning("%s", plan.error.c_str());
        return std::nan("");
    }
    return static_cast<double>(plan.timeline.iteration()) / 1e6 / milliseconds - 1;
}

} // namespace

class ModelHardware : public QObject {
    Q_OBJECT
private slots:
    void measuredRunsOfOneNode()
    {
        double squares = 0;
        int count = 0;
        for (const test::MeasuredRun &run : test::measuredRuns()) {
            const auto method = test::methodOf(run);
            if (!method)
                continue;
            const double off = error(test::measuredExperiment(run, *method), run.iterationMs);
            QVERIFY2(std::abs(off) < 0.04,
                     qPrintable(QString("%1 %2: %3").arg(run.method.c_str()).arg(run.vocabularySize).arg(off)));
            squares += off * off;
            ++count;
        }
        QCOMPARE(count, 16);
        QVERIFY2(std::sqrt(squares / count) < 0.025, qPrintable(QString::number(std::sqrt(squares / count))));
    }

    void publishedRunsOfFourNodes()
    {
        std::vector<double> times;
        std::vector<double> memories;
        for (const PublishedRow &row : kPublished) {
            for (std::size_t i = 0; i < row.mfu.size(); ++i) {
                const model::Experiment experiment = publishedExperiment(row, i);
                // The paper divides by 320 TFLOP/s.
                const double seconds = operators::iterationFlops(experiment) / (32 * 320e12 * row.mfu[i] / 100);
                const test::Plan plan = test::planOf(experiment);
                QVERIFY2(plan.error.empty(), plan.error.c_str());
                const simulate::Metrics metrics =
                    simulate::computeMetrics(plan.experiment, plan.schedule, plan.timeline, &plan.costs, 0);
                const auto peak = static_cast<double>(std::ranges::max(metrics.peakMemory)) / (1 << 30);
                times.push_back(std::abs(static_cast<double>(metrics.iteration) / 1e9 / seconds - 1));
                memories.push_back(std::abs(peak / row.memory[i] - 1));
                QVERIFY2(times.back() < (row.method == Interlaced ? 0.06 : 0.04) && memories.back() < 0.04,
                         qPrintable(QString("s %1, method %2, V %3: time off by %4, memory by %5")
                                        .arg(row.sequence)
                                        .arg(static_cast<int>(row.method))
                                        .arg(experiment.model.vocabularySize)
                                        .arg(times.back())
                                        .arg(memories.back())));
            }
        }
        QCOMPARE(times.size(), 36U);
        QVERIFY2(median(times) < 0.02, qPrintable(QString::number(median(times))));
        QVERIFY2(median(memories) < 0.01, qPrintable(QString::number(median(memories))));
    }

    void runsOfOneDevice()
    {
        std::vector<double> errors;
        for (const SingleDeviceRow &row : kSingleDevice) {
            model::Experiment experiment = gptOnA100(row.layers, row.hidden, row.heads, 2048, 50368, model::DataType::Bf16);
            experiment.parallel = {1, row.microbatches, row.microbatchSize, {}};
            experiment.schedule.recompute = row.recompute;
            errors.push_back(std::abs(error(experiment, row.seconds * 1000)));
            QVERIFY2(errors.back() < 0.18, qPrintable(QString("hidden %1: %2").arg(row.hidden).arg(errors.back())));
        }
        QVERIFY2(median(errors) < 0.035, qPrintable(QString::number(median(errors))));
    }

    /// The preset h100-sxm was not fitted to these. Its rates predict small models (760M and 1B: 20 to 28 %) worse than others.
    void runsOfOneDeviceOnH100()
    {
        std::vector<double> errors;
        for (const ReplicatedRow &row : kH100) {
            errors.push_back(std::abs(error(experimentOf(row), row.seconds * 1000)));
            QVERIFY2(errors.back() < 0.3, qPrintable(QString("hidden %1: %2").arg(row.hidden).arg(errors.back())));
        }
        QVERIFY2(median(errors) < 0.1, qPrintable(QString::number(median(errors))));
    }

    /// Nothing of the preset was fitted to them: collectives come from tables of nccl-tests.
    void runsWithTensorRanks()
    {
        std::vector<double> errors;
        for (const TensorRow &row : kTensorRanks) {
            model::Experiment experiment = experimentOf(row, 51200);
            const int stages = row.devices * row.chunks;
            experiment.parallel.stageLayers.assign(static_cast<std::size_t>(stages), row.layers / stages);
            errors.push_back(std::abs(error(experiment, 1000 * row.seconds)));
            QVERIFY2(
                errors.back() < 0.24,
                qPrintable(
                    QString("%1 layers, t %2, p %3: %4").arg(row.layers).arg(row.tensor).arg(row.devices).arg(errors.back())));
        }
        QVERIFY2(median(errors) < 0.06, qPrintable(QString::number(median(errors))));
    }

    /// The files of clusters and software stacks were fitted to these rows, with four or five constants each.
    void stacksAreAsTheirFilesSay()
    {
        const auto compare = [](const char *name, auto &&experiments, double mostMedian, double most) {
            const model::HardwarePreset stack = stackNamed(name);
            std::vector<double> errors;
            for (auto &[experiment, seconds] : experiments) {
                experiment.cost.source = stack;
                errors.push_back(std::abs(error(experiment, 1000 * seconds)));
                QVERIFY2(errors.back() < most, qPrintable(QString("%1, %2 s: %3").arg(name).arg(seconds).arg(errors.back())));
            }
            QVERIFY2(median(errors) < mostMedian, qPrintable(QString("%1: %2").arg(name).arg(median(errors))));
        };
        using Rows = std::vector<std::pair<model::Experiment, double>>;
        Rows megatron;
        for (const TensorRow &row : kTensorRanks)
            megatron.emplace_back(experimentOf(row, 51200), row.seconds);
        compare("megatron-2021", megatron, 0.025, 0.055);
        Rows bigScience;
        for (const TensorRow &row : kBigScience) {
            bigScience.emplace_back(experimentOf(row, 250880), row.seconds);
            bigScience.back().first.parallel.zero = 1;
        }
        compare("megatron-deepspeed-2022", bigScience, 0.035, 0.105);
        Rows foundry;
        for (const ReplicatedRow &row : kH100) {
            foundry.emplace_back(experimentOf(row), row.seconds);
            // FSDP's SHARD_GRAD_OP gathers a layer in the forward and keeps it for the backward.
            foundry.back().first.parallel.zero = 3;
            foundry.back().first.parallel.zero3 =
                row.zero == 3 ? model::ZeroParameters::Reshard : model::ZeroParameters::KeepUntilBackward;
        }
        compare("llm-foundry-h100", foundry, 0.04, 0.105);
    }

    /// Two A100 ran 16 microbatches of one sequence in 717 ms and 2 of eight sequences in 372 ms: the host launches the kernels
    /// of a small microbatch more slowly than the GPU computes them. Their attention kept its probabilities.
    void smallMicrobatchesAreBoundByLaunches()
    {
        model::Experiment experiment = gptOnA100(24, 1024, 16, 1024, 51200, model::DataType::Fp16);
        experiment.schedule.attention = model::Attention::Materialised;
        experiment.parallel = {2, 16, 1, {}};
        const double small = error(experiment, 717);
        QVERIFY2(std::abs(small) < 0.02, qPrintable(QString::number(small)));
        experiment.parallel = {2, 2, 8, {}};
        const double large = error(experiment, 372);
        QVERIFY2(std::abs(large) < 0.1, qPrintable(QString::number(large)));
    }

    void passesOfTheMiddleStages()
    {
        test::MeasuredRun shape;
        shape.vocabularySize = 256000;
        const test::Plan plan = test::planOf(test::measuredExperiment(shape, VocabularyMethod::Vocab1));
        const auto milliseconds = [&](schedule::PassKind kind) {
            return static_cast<double>(plan.costs.pass(3, kind, 3).duration) / 1e6;
        };
        using schedule::PassKind;
        const double output = milliseconds(PassKind::S) + milliseconds(PassKind::T);
        QVERIFY2(std::abs(milliseconds(PassKind::F) / 25 - 1) < 0.1, qPrintable(QString::number(milliseconds(PassKind::F))));
        QVERIFY2(std::abs(milliseconds(PassKind::B) / 49 - 1) < 0.1, qPrintable(QString::number(milliseconds(PassKind::B))));
        QVERIFY2(std::abs(output / 15.3 - 1) < 0.12, qPrintable(QString::number(output)));
    }
};

STAGELENS_TEST(ModelHardware)

} // namespace unit_model_hardware

#include "model/hardware.moc"
