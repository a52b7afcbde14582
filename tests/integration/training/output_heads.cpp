// Training with several output heads, of which each predicts a token further ahead: gradients of the float64 reference under
// every method, the loss of the next token alone if the other heads know nothing, and bits that depend on neither schedule nor
// mode.
#include "engine/runtime/executor/output/output_heads.h"
#include "engine/base/file.h"
#include "engine/exchange/huggingface_config.h"
#include "engine/exchange/huggingface_weights.h"
#include "engine/exchange/safetensors.h"
#include "engine/model/capabilities.h"
#include "engine/model/names.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/combined_features.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/trained.h"
#include "tests/support/verify_matrix.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

namespace integration_training_output_heads {

using namespace stagelens;
using model::VocabularyMethod;
using test::smallExperiment;

namespace {

model::Experiment withHeads(model::Experiment experiment, int heads)
{
    experiment.model.outputHeads = heads;
    return experiment;
}

/// Writes the parameters of a dump of one head as those of several, of which the first has the identity as its map and the
/// others have zeros.
void writeWithSilentHeads(const std::filesystem::path &from, const std::filesystem::path &to, const model::ModelConfig &model)
{
    const auto weights = exchange::HuggingFaceWeights::open(from);
    if (!weights)
        qFatal("%s", weights.error().text().c_str());
    const auto list = runtime::parameterList(model);
    const auto map = static_cast<std::size_t>(runtime::firstVocabularyMap(model));
    std::vector<std::vector<float>> values;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i == map) {
            std::vector<float> &maps = values.emplace_back(static_cast<std::size_t>(list[i].count()));
            const auto hidden = static_cast<std::size_t>(model.hidden);
            for (std::size_t row = 0; row < hidden; ++row)
                maps[row * hidden + row] = 1;
            continue;
        }
        auto read = weights->floats(list[i].name, list[i].dimensions());
        if (!read)
            qFatal("%s", read.error().text().c_str());
        values.push_back(std::move(read).value());
    }
    std::vector<exchange::TensorView> views;
    for (std::size_t i = 0; i < list.size(); ++i)
        views.push_back({list[i].name, list[i].dimensions(), std::span<const float>(values[i])});
    std::filesystem::create_directories(to);
    if (auto written = exchange::writeSafetensors(to / "model.safetensors", views); !written)
        qFatal("%s", written.error().text().c_str());
    if (auto written = base::writeFile(to / "config.json", exchange::huggingFaceConfig(model)); !written)
        qFatal("%s", written.error().text().c_str());
}

} // namespace

class TrainingOutputHeads : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder.path().toUtf8());
    }

    void labelsEndWithTheSequence()
    {
        const std::vector<std::int32_t> next{1, 2, 3, 4, 5, 6}; // two sequences
        QCOMPARE(runtime::headLabels(next, 3, 1), next);
        QCOMPARE(runtime::headLabels(next, 3, 2), (std::vector<std::int32_t>{1, 2, 2, 3, 3, 0, 4, 5, 5, 6, 6, 0}));
        model::ModelConfig model;
        model.sequence = 16;
        for (const auto &[heads, labels] : {std::pair(1, 16), {2, 31}, {4, 58}, {16, 136}}) {
            model.outputHeads = heads;
            QCOMPARE(model.labelsOfSequence(), labels);
        }
    }

    void gradientsMatchTheReference_data() { test::addMethodRows(); }
    void gradientsMatchTheReference()
    {
        QFETCH(int, method);
        test::verifyEachFamily(method, [](model::Experiment experiment, int turn) {
            experiment.model.tied = turn % 4 == 0;
            if (turn % 5 == 0)
                experiment.model.vocabularyWidth = 6;
            const int heads = std::array{2, 3, 4, experiment.model.sequence}[static_cast<std::size_t>(turn % 4)];
            test::verifyPlan(withHeads(std::move(experiment), heads));
        });
    }

    /// With the identity as the first map and zeros as the others, the first head computes what one head does, and the others
    /// give every word the same probability.
    void silentHeadsHaveTheLossOfChance()
    {
        for (const VocabularyMethod method : test::kAllMethods) {
            auto one = smallExperiment("1f1b", method, 2, 4);
            one.training.steps = 1;
            const std::string name(model::name(method));
            const std::filesystem::path folder(m_folder.filePath(QString::fromStdString(name)).toStdString());
            const double alone = test::trainedWithDump(one, folder).losses.front();
            const auto several = withHeads(one, 3);
            const std::string start = folder.string() + "-start";
            writeWithSilentHeads(folder, start, several.model);
            const double found =
                test::trainedWithDump(several, folder.string() + "-heads", {.dump = {}, .init = start}).losses.front();
            const double sequence = one.model.sequence;
            const double chance = std::log(static_cast<double>(one.model.vocabularySize));
            const double expected = (sequence * alone + (2 * sequence - 3) * chance) / (3 * sequence - 3);
            QVERIFY2(std::abs(found - expected) < 1e-6, name.c_str());
        }
    }

    void bitsDependOnNeitherModeNorSchedule()
    {
        test::verifySameBitsEverywhere([](const model::Experiment &plan) { return withHeads(plan, 3); });
    }

    void combinesWithOtherFeatures_data()
    {
        QTest::addColumn<test::PlanChange>("change");
        test::addCommonChanges();
        test::addChange("tensor", [](auto &each) {
            each.parallel.tensor = 2;
            each.parallel.sequenceParallel = false;
        });
        test::addChange("sequence parallel", [](auto &each) { each.parallel.tensor = 2; });
        test::addChange("sequence parallel, tied, in chunks", [](auto &each) {
            each.parallel.tensor = 2;
            each.model.tied = true;
            each.schedule.vocabularyKind = model::VocabularyKind::Chunked;
            each.schedule.logitChunks = 5;
        });
        test::addChange("head by head", [](auto &each) {
            each.schedule.vocabularyKind = model::VocabularyKind::Chunked;
            each.schedule.logitChunks = 3;
        });
        test::addChange("factorised", [](auto &each) { each.model.vocabularyWidth = 8; });
        test::addChange("hashed input", [](auto &each) { each.model.inputHashes = 2; });
        test::addChange("split slices", [](auto &each) { each.schedule.family = "seq1f1b-zb"; });
        test::addChange("recomputed layers", [](auto &each) { each.schedule.recompute = model::Recompute::Full; });
        test::addChange("recomputed logits",
                        [](auto &each) { each.schedule.vocabularyKind = model::VocabularyKind::RecomputeLogits; });
        test::addChange("bf16", [](auto &each) { each.model.dtype = model::DataType::Bf16; });
        test::addChange("fp16", [](auto &each) { each.model.dtype = model::DataType::Fp16; });
        test::addChange("adafactor", [](auto &each) { each.training.optimizer.name = "adafactor"; });
        test::addChange("muon", [](auto &each) { each.training.optimizer.name = "muon"; });
        test::addChange("experts", [](auto &each) {
            each = test::asLlama(each, 2);
            each.model.experts = 4;
            each.model.auxLoss = 0.01;
        });
    }
    void combinesWithOtherFeatures()
    {
        STAGELENS_NOT_UNDER_TSAN();

        QFETCH(test::PlanChange, change);
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2}) {
            auto experiment = withHeads(test::tinyExperiment("1f1b", method, 2, 4), 3);
            change(experiment);
            if (!test::refusedField(experiment.schedule.family, method, 2).empty())
                continue;
            test::verifyTraining(experiment, test::verifyPlan, 4);
            if (QTest::currentTestFailed())
                return;
        }
    }

    void mapsAreAmongTheParameters()
    {
        auto model = test::tinyModel();
        model.outputHeads = 4;
        const auto list = runtime::parameterList(model);
        const auto map = static_cast<std::size_t>(runtime::firstVocabularyMap(model));
        QCOMPARE(list[map].name, std::string("vocabulary_map.output.weight"));
        QCOMPARE(list[map].rows, 4 * 32);
        QCOMPARE(list[map].columns, 32);
        QCOMPARE(map + 2, list.size());
        const std::string config = exchange::huggingFaceConfig(model);
        QVERIFY(config.find("\"output_heads\": 4") != std::string::npos);
        QVERIFY(config.find("GPT2LMHeadModel") == std::string::npos); // transformers has no such model
    }

private:
    QTemporaryDir m_folder;
};

STAGELENS_TEST(TrainingOutputHeads)

} // namespace integration_training_output_heads

#include "training/output_heads.moc"
