// Parameters, FLOPs and bytes, against published models and the formulas of the literature.
#include "engine/operators/sizes.h"
#include "engine/model/presets.h"
#include "engine/operators/architecture.h"
#include "engine/operators/optimizers/optimizer.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace unit_operators_sizes {

using namespace stagelens::model;
using namespace stagelens::operators;

namespace {

ModelConfig preset(const char *name)
{
    const auto found = modelPreset(name);
    if (!found)
        qFatal("%s", found.error().text().c_str());
    return *found;
}

constexpr double kMebi = 1024.0 * 1024.0;

} // namespace

class OperatorSizes : public QObject {
    Q_OBJECT
private slots:
    void parametersOfPublishedModels()
    {
        // As counted from the state dictionaries of these models on Hugging Face.
        QCOMPARE(totalParameters(preset("gpt2-124m")), std::int64_t{124'439'808});
        QCOMPARE(totalParameters(preset("llama-3-8b")), std::int64_t{8'030'261'248});
    }

    void layerOfGptHasTheKnownForm()
    {
        const ModelConfig model = preset("gpt-4b");
        const std::int64_t h = model.hidden;
        QCOMPARE(layerParameters(model), 12 * h * h + 13 * h);
        QCOMPARE(embeddingParameters(model), 256000 * h);
        QCOMPARE(positionParameters(model), 2048 * h);
        QCOMPARE(inputMapParameters(model), 0);
        QCOMPARE(outputMapParameters(model), 0);
        QCOMPARE(finalNormParameters(model), 2 * h);
        ModelConfig tied = model;
        tied.tied = true;
        QCOMPARE(totalParameters(model) - totalParameters(tied), 256000 * h);
    }

    /// Shares of the parameters and FLOPs of a table of 256,000 x 4096 that tables of 128, 512 and 1024 columns and a map have.
    void factorisedTables()
    {
        ModelConfig model;
        model.vocabularySize = 256000;
        model.hidden = 4096;
        model.heads = 32;
        const auto parameters = static_cast<double>(embeddingParameters(model));
        const double flops = outputFlops(model, 1);
        const auto flopsOfIteration = [](const ModelConfig &of) {
            stagelens::model::Experiment experiment; // of 16 microbatches
            experiment.model = of;
            return iterationFlops(experiment);
        };
        const double iteration = flopsOfIteration(model);
        for (const auto &[width, percent] : {std::pair(128, 3.2), {512, 12.7}, {1024, 25.4}}) {
            ModelConfig narrow = model;
            narrow.vocabularyWidth = width;
            const auto both = static_cast<double>(embeddingParameters(narrow) + outputMapParameters(narrow));
            QVERIFY(std::abs(100 * both / parameters - percent) < 0.05);
            QVERIFY(std::abs(100 * outputFlops(narrow, 1) / flops - percent) < 0.05);
            QCOMPARE(totalParameters(model) - totalParameters(narrow), static_cast<std::int64_t>(2 * (parameters - both)));
            // The map after the look-up counts too.
            const double map = 2.0 * narrow.sequence * width * 4096;
            const double saved = 3.0 * 16 * (flops - outputFlops(narrow, 1) - map);
            QVERIFY(std::abs(iteration - flopsOfIteration(narrow) - saved) < 1e-9 * saved);
            QCOMPARE(tableRowBytes(narrow, 1), std::int64_t{4} * narrow.sequence * width);
        }
    }

    /// Every token has rows of its own: base B and K digits name B^K of them, and a smaller base too few.
    void hashedInputs()
    {
        ModelConfig model;
        for (const int vocabulary : {1, 2, 3, 97, 1000, 32768, 50257, 256000})
            for (int hashes = 1; hashes <= 8; ++hashes) {
                model.vocabularySize = vocabulary;
                model.inputHashes = hashes;
                const int base = model.hashBase();
                QVERIFY(std::pow(base, hashes) >= vocabulary);
                QVERIFY(base == 1 || std::pow(base - 1, hashes) < vocabulary);
                QCOMPARE(model.inputRows(), hashes * base);
            }
        model = preset("gpt-4b"); // 256,000 words
        const std::int64_t all = totalParameters(model);
        model.inputHashes = 2;
        QCOMPARE(model.hashBase(), 506);
        QCOMPARE(inputParameters(model), std::int64_t{1012} * model.hidden);
        QCOMPARE(embeddingParameters(model), std::int64_t{256000} * model.hidden);
        QCOMPARE(all - totalParameters(model), std::int64_t{256000 - 1012} * model.hidden);
    }

    /// Heads share the table and have a map each: K output layers, and K maps.
    void outputHeads()
    {
        ModelConfig model = preset("gpt-4b");
        const auto forward = [&model] { return outputFlops(model, 1); };
        const double one = forward();
        const std::int64_t all = totalParameters(model);
        model.outputHeads = 4;
        const double h = model.hidden;
        QCOMPARE(forward(), 4 * one + 2.0 * model.sequence * 4 * h * h);
        QCOMPARE(totalParameters(model), all + 4 * std::int64_t{model.hidden} * model.hidden);
        model.vocabularyWidth = 512;
        QCOMPARE(inputMapParameters(model), 512 * std::int64_t{model.hidden});
        QCOMPARE(outputMapParameters(model), 4 * 512 * std::int64_t{model.hidden});
    }

    /// N drawn words and the label of each token, of V words; the table is the same.
    void sampledSoftmax()
    {
        ModelConfig model = preset("gpt-4b");
        const double flops = outputFlops(model, 1);
        const std::int64_t parameters = totalParameters(model);
        model.sampledWords = 8191;
        QVERIFY(std::abs(outputFlops(model, 1) - flops * 8192 / model.vocabularySize) < 1e-9 * flops);
        QCOMPARE(totalParameters(model), parameters);
    }

    /// Shares of one softmax for 256,000 words and a width of 4096, with frequencies in proportion to 1 / rank.
    void adaptiveSoftmax()
    {
        ModelConfig model = preset("gpt-4b");
        model.hidden = 4096;
        model.vocabularySize = 256000;
        const double flops = outputFlops(model, 1);
        const auto parameters = static_cast<double>(outputTableParameters(model));
        const auto check = [&](std::vector<int> cutoffs, double ofFlops, double ofParameters) {
            model.adaptiveCutoffs = std::move(cutoffs);
            auto held = static_cast<double>(outputTableParameters(model));
            for (const VocabularyTail &tail : model.tails())
                held += static_cast<double>(tailParameters(model, tail));
            QVERIFY(std::abs(outputFlops(model, 1) / flops - ofFlops) < 5e-4);
            QVERIFY(std::abs(held / parameters - ofParameters) < 5e-3);
        };
        check({8192, 65536}, 0.047, 0.14);
        check({16384, 65536}, 0.0745, 0.16);
        check({32768, 131072}, 0.140, 0.26);
        const auto coverage = [&](int first) { return 1 - tailShare(model, {first, 256000, 1}); };
        const std::array covered{0.630, 0.683, 0.736, 0.789, 0.842, 0.895};
        for (std::size_t i = 0; i < covered.size(); ++i)
            QVERIFY(std::abs(coverage(2048 << i) - covered[i]) < 6e-4);
    }

    void flopsOfTheFourthTable()
    {
        ModelConfig model = preset("gpt-4b");
        model.sequence = 4096;
        const double b = 2;
        const double s = 4096;
        const double h = 3072;
        // Position i attends to i + 1 positions, itself among them.
        QCOMPARE(attentionFlops(model, 2, AttentionCount::Causal), 4 * b * h * s * (s + 1) / 2);
        QCOMPARE(3 * (layerMatrixFlops(model, 2) + attentionFlops(model, 2)), b * s * h * (72 * h + 12 * s));
        QCOMPARE(3 * outputFlops(model, 2), 6 * b * s * h * 256000);
    }

    void flopsOfAnIteration_data()
    {
        // FLOPs / (8 x 320e12) in ms, which the paper's 40 measured rows confirm.
        QTest::addColumn<int>("vocabulary");
        QTest::addColumn<double>("milliseconds");
        QTest::newRow("32k") << 32000 << 5563.4;
        QTest::newRow("64k") << 64000 << 5684.2;
        QTest::newRow("128k") << 128000 << 5925.8;
        QTest::newRow("256k") << 256000 << 6409.0;
    }
    void flopsOfAnIteration()
    {
        QFETCH(int, vocabulary);
        QFETCH(double, milliseconds);
        Experiment experiment;
        experiment.model = preset("gpt-4b");
        experiment.model.sequence = 4096;
        experiment.model.vocabularySize = vocabulary;
        experiment.parallel.devices = 8;
        experiment.parallel.microbatches = 128;
        const double found = iterationFlops(experiment) / (8 * 320e12) * 1e3;
        QVERIFY2(std::abs(found - milliseconds) < 0.1, qPrintable(QString::number(found)));
    }

    void groupedQueryAttentionAndSwiGlu()
    {
        const ModelConfig model = preset("llama-3-8b");
        const std::int64_t h = 4096;
        QCOMPARE(layerParameters(model), h * h * 2 + 2 * h * 1024 + 3 * h * 14336 + 2 * h);
        QCOMPARE(layerMatrixFlops(model, 1), 2.0 * 8192 * static_cast<double>(layerParameters(model) - 2 * h));
    }

    void bytesOfAParameter()
    {
        const auto sum = [](DataType type) {
            Experiment experiment;
            experiment.model.dtype = type;
            const ParameterBytes bytes = parameterBytes(experiment);
            const std::int64_t state = optimizerOf(experiment.training.optimizer).stateBytes(ParameterKind::Matrix, 1, 1);
            return bytes.parameter + bytes.gradient + bytes.master + static_cast<int>(state);
        };
        QCOMPARE(sum(DataType::Fp32), 16);
        QCOMPARE(sum(DataType::Fp16), 16);
        QCOMPARE(sum(DataType::Bf16), 18);
        QCOMPARE(elementBytes(DataType::Fp32), 4);
        QCOMPARE(elementBytes(DataType::Bf16), 2);
    }

    void activationsAsMeasured()
    {
        // vocab-1 minus vocab-2 of the paper's raw data is one microbatch of four layers.
        ModelConfig model = preset("gpt-4b");
        QVERIFY(std::abs(4 * static_cast<double>(layerActivationBytes(model, 1, Recompute::None)) / kMebi - 816.5) < 1);
        model.sequence = 4096;
        QVERIFY(std::abs(4 * static_cast<double>(layerActivationBytes(model, 1, Recompute::None)) / kMebi - 1633.9) < 2);
        QCOMPARE(layerActivationBytes(model, 3, Recompute::Selective), std::int64_t{34} * 3 * 4096 * 3072);
        QCOMPARE(layerActivationBytes(model, 3, Recompute::Full), std::int64_t{2} * 3 * 4096 * 3072);
        QCOMPARE(boundaryBytes(model, 3), std::int64_t{2} * 3 * 4096 * 3072);
    }

    void activationsOfTheCpuEngine()
    {
        const ModelConfig model = preset("gpt-demo");
        const std::int64_t perToken = 8 * 128 + 2 * 512 + 4 + 4; // eight of width h, two of ffn, statistics, log-sum-exp a head
        QCOMPARE(layerActivationBytes(model, 2, Recompute::None), 4 * 2 * 128 * perToken);
        QCOMPARE(layerActivationBytes(model, 2, Recompute::Full), std::int64_t{4} * 2 * 128 * 128);
    }

    void vocabularyTransients()
    {
        const ModelConfig model = preset("gpt-4b");
        const std::int64_t tokens = 2048;
        const std::int64_t x = tokens * 3072 * 2;
        const std::int64_t shard = tokens * (32000 * 6 + 16);
        QCOMPARE(vocabularyTransientBytes(model, 1, 32000, 0), shard + x);
        QCOMPARE(vocabularyTransientBytes(model, 1, 32000, 2), shard + 3 * x); // VOCAB-2
        QCOMPARE(vocabularyTransientBytes(model, 1, 256000, 0), tokens * (256000 * 6 + 16) + x);
        const ModelConfig demo = preset("gpt-demo");
        QCOMPARE(embeddingSumBytes(model, 1, true), x);
        QCOMPARE(embeddingSumBytes(demo, 1, true), 0);
    }

    /// Per token: h numbers are read and k h written to sort rows, and the reverse to sum them; SwiGLU reads 2 k f and writes k
    /// f.
    void rowsOfExpertsMoveWhatFusedKernelsMove()
    {
        const Block block = blockOf(preset("qwen3-30b-a3b")); // h 2048, k 8, f 768
        QCOMPARE(workOf(block).routedNumbers, 2.0 * (1 + 8) * 2048);
        QCOMPARE(workOf(block).gatedNumbers, 3.0 * 8 * 768);
        for (const Operator &op : block.operators) {
            const bool isOfRows = op.kind == OperatorKind::Dispatch || op.kind == OperatorKind::Combine;
            const OperatorWork work = workOf(block, op);
            QCOMPARE(work.routedNumbers, isOfRows ? 9.0 * 2048 : 0.0);
            QVERIFY(!isOfRows || work.residualNumbers == 0);
            QVERIFY(op.kind != OperatorKind::ExpertSwiGlu || work.innerNumbers == 0);
        }
        const OperatorWork dense = workOf(blockOf(preset("llama-3-8b")));
        QCOMPARE(dense.routedNumbers, 0.0);
        QCOMPARE(dense.gatedNumbers, 0.0);
        QCOMPARE(dense.innerNumbers, 3.0 * 14336);
    }
};

STAGELENS_TEST(OperatorSizes)

} // namespace unit_operators_sizes

#include "operators/sizes.moc"
