// Training with narrow token tables and maps to the layers: gradients of the float64 reference under every method, full tables
// if the maps are identities, and bits that depend on neither schedule nor mode.
#include "engine/base/file.h"
#include "engine/exchange/huggingface_config.h"
#include "engine/exchange/huggingface_weights.h"
#include "engine/exchange/safetensors.h"
#include "engine/model/capabilities.h"
#include "engine/model/names.h"
#include "engine/runtime/training/training_run.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"
#include "tests/support/trained.h"
#include "tests/support/verify_matrix.h"

#include <QTemporaryDir>
#include <QtTest>

#include <fmt/format.h>
#include <functional>

namespace integration_training_factorised_vocabulary {

using namespace stagelens;
using model::VocabularyMethod;
using test::smallExperiment;

namespace {

model::Experiment factorised(model::Experiment experiment, int width)
{
    experiment.model.vocabularyWidth = width;
    return experiment;
}

using Tensor = std::vector<float>;
auto tensorsIn(const std::filesystem::path &folder)
{
    auto weights = exchange::HuggingFaceWeights::open(folder);
    if (!weights)
        qFatal("%s", weights.error().text().c_str());
    return [weights = std::move(weights).value()](const runtime::ParameterInfo &info) {
        auto values = weights.floats(info.name, info.dimensions());
        if (!values)
            qFatal("%s", values.error().text().c_str());
        return std::move(values).value();
    };
}
/// Returns the gradients that a run has dumped.
auto gradientsIn(const std::filesystem::path &folder)
{
    const std::filesystem::path place = folder / "gradients";
    std::filesystem::create_directories(place);
    std::filesystem::copy_file(folder / "gradients.safetensors", place / "model.safetensors");
    return tensorsIn(place);
}
/// Writes the parameters of a dump with full tables as those of a model whose maps are identities.
void writeWithIdentities(const std::filesystem::path &from, const std::filesystem::path &to, const model::ModelConfig &model)
{
    const auto read = tensorsIn(from);
    const auto list = runtime::parameterList(model);
    const auto first = static_cast<std::size_t>(runtime::firstVocabularyMap(model));
    std::vector<Tensor> values;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i != first && i != first + 1) {
            values.push_back(read(list[i]));
            continue;
        }
        Tensor &identity = values.emplace_back(static_cast<std::size_t>(list[i].count()));
        for (std::size_t at = 0; at < identity.size(); at += static_cast<std::size_t>(model.hidden) + 1)
            identity[at] = 1;
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

class TrainingFactorisedVocabulary : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_folder.isValid());
        qputenv("STAGELENS_DATA_DIR", m_folder.path().toUtf8());
    }

    void gradientsMatchTheReference_data() { test::addMethodRows(); }
    void gradientsMatchTheReference()
    {
        QFETCH(int, method);
        test::verifyEachFamily(method, [](model::Experiment experiment, int turn) {
            experiment.model.tied = turn % 4 == 0;
            test::verifyPlan(factorised(std::move(experiment), std::array{4, 1, 7, 16}[static_cast<std::size_t>(turn % 4)]));
        });
    }

    /// Tables of E = h columns with R = 1 are full tables, under every method.
    void identityMapsAreFullTables_data()
    {
        QTest::addColumn<int>("method");
        QTest::addColumn<bool>("tied");
        for (const VocabularyMethod method : test::kAllMethods)
            for (const bool tied : {false, true})
                QTest::addRow("%s%s", model::name(method).data(), tied ? " tied" : "") << static_cast<int>(method) << tied;
    }
    void identityMapsAreFullTables()
    {
        QFETCH(int, method);
        QFETCH(bool, tied);
        for (const bool isLlama : {false, true}) {
            auto full = smallExperiment("1f1b", static_cast<VocabularyMethod>(method), 2, 4);
            if (isLlama)
                full = test::asLlama(full, 2);
            full.model.tied = tied;
            full.training.steps = 1;
            const std::string name = fmt::format("{}{}{}", method, tied, isLlama);
            const std::filesystem::path folder(m_folder.filePath(QString::fromStdString(name)).toStdString());
            const test::Trained whole = test::trainedWithDump(full, folder);
            const auto square = factorised(full, full.model.hidden);
            const auto start = folder.string() + "-start";
            writeWithIdentities(folder, start, square.model);
            const test::Trained mapped =
                test::trainedWithDump(square, folder.string() + "-mapped", {.dump = {}, .init = start});
            QCOMPARE(mapped.losses, whole.losses);
            const auto expected = gradientsIn(folder);
            const auto found = gradientsIn(folder.string() + "-mapped");
            for (const runtime::ParameterInfo &info : runtime::parameterList(full.model)) {
                const double off = test::relativeDifference(found(info), expected(info));
                QVERIFY2(off < 1e-7, fmt::format("{} is off by {:.2e}", info.name, off).c_str());
            }
        }
    }

    void bitsDependOnNeitherModeNorSchedule()
    {
        test::verifySameBitsEverywhere([](const model::Experiment &plan) { return factorised(plan, 5); });
    }

    void combinesWithOtherFeatures_data()
    {
        QTest::addColumn<std::function<void(model::Experiment &)>>("change");
        const auto row = [](const char *name, std::function<void(model::Experiment &)> change) {
            QTest::newRow(name) << std::move(change);
        };
        row("tensor", [](auto &each) {
            each.parallel.tensor = 2;
            each.parallel.sequenceParallel = false;
        });
        row("sequence parallel", [](auto &each) { each.parallel.tensor = 2; });
        row("tensor, tied, in chunks", [](auto &each) {
            each.parallel.tensor = 2;
            each.model.tied = true;
            each.schedule.vocabularyKind = model::VocabularyKind::Chunked;
            each.schedule.logitChunks = 3;
        });
        row("context", [](auto &each) { each.parallel.context = 2; });
        for (const int zero : {0, 1, 2, 3})
            row(fmt::format("zero {}", zero).c_str(), [zero](auto &each) {
                each.parallel.replicas = 2;
                each.parallel.zero = zero;
            });
        row("slices", [](auto &each) { each.schedule.family = "seq1f1b"; });
        row("split slices", [](auto &each) { each.schedule.family = "seq1f1b-zb"; });
        row("weight versions", [](auto &each) { each.schedule.family = "pipedream-2bw"; });
        row("updates of microbatches", [](auto &each) { each.schedule.family = "pipedream"; });
        row("two directions", [](auto &each) { each.schedule.family = "dualpipe"; });
        row("recomputed layers", [](auto &each) { each.schedule.recompute = model::Recompute::Full; });
        row("recomputed logits", [](auto &each) { each.schedule.vocabularyKind = model::VocabularyKind::RecomputeLogits; });

        row("bf16", [](auto &each) { each.model.dtype = model::DataType::Bf16; });
        row("fp16", [](auto &each) { each.model.dtype = model::DataType::Fp16; });
        row("adafactor", [](auto &each) { each.training.optimizer.name = "adafactor"; });
        row("muon", [](auto &each) { each.training.optimizer.name = "muon"; });
    }
    void combinesWithOtherFeatures()
    {
        STAGELENS_NOT_UNDER_TSAN();
        using Change = std::function<void(model::Experiment &)>;
        QFETCH(Change, change);
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2}) {
            auto experiment = factorised(test::tinyExperiment("1f1b", method, 2, 4), 8);
            change(experiment);
            if (!test::refusedField(experiment.schedule.family, method, 2).empty())
                continue;
            test::verifyTraining(experiment, test::verifyPlan, 4);
            if (QTest::currentTestFailed())
                return;
        }
    }

    /// A run that continues has the losses of one that was not interrupted.
    void checkpointsHaveTheMaps()
    {
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1}) {
            auto experiment = factorised(smallExperiment("1f1b", method, 2, 4), 6);
            experiment.training.steps = 4;
            const std::vector<double> whole = test::lossesOf(experiment);
            const std::filesystem::path folder(m_folder.filePath(QString::number(static_cast<int>(method))).toStdString());
            const auto run = [&](const model::Experiment &plan, const runtime::RunFolders &folders) {
                std::vector<double> losses;
                const auto trained =
                    runtime::train(plan, test::scheduleOf(plan), folders,
                                   {[&](const runtime::StepReport &report) { losses.push_back(report.loss); }, {}}, {});
                if (!trained)
                    qFatal("%s", trained.error().text().c_str());
                return losses;
            };
            auto half = experiment;
            half.training.steps = 2;
            std::vector<double> losses =
                run(half, {.dump = {}, .init = {}, .checkpoints = folder / "first", .checkpointEvery = 2});
            const auto rest =
                run(experiment, {.dump = {}, .init = {}, .checkpoints = folder / "second", .resume = folder / "first"});
            losses.insert(losses.end(), rest.end() - 2, rest.end());
            QCOMPARE(losses, whole);
        }
    }

    void mapsAreInitialisedToKeepTheDeviation()
    {
        auto model = test::tinyModel();
        model.vocabularyWidth = 8;
        const auto list = runtime::parameterList(model);
        const auto first = static_cast<std::size_t>(runtime::firstVocabularyMap(model));
        QCOMPARE(list[first].name, std::string("vocabulary_map.input.weight"));
        QCOMPARE(list[first + 1].name, std::string("vocabulary_map.output.weight"));
        QCOMPARE(list[first].rows, 8);
        QCOMPARE(list[first].columns, 32);
        QVERIFY(std::abs(list[first].deviation * std::sqrt(8.0) - 1) < 1e-12);
        QCOMPARE(list.front().columns, 8);
        QCOMPARE(list.back().columns, 8);
        QCOMPARE(first + 3, list.size());
        const std::string config = exchange::huggingFaceConfig(model);
        QVERIFY(config.find("\"vocabulary_width\": 8") != std::string::npos);
        QVERIFY(config.find("GPT2LMHeadModel") == std::string::npos); // transformers has no such model
    }

private:
    QTemporaryDir m_folder;
};

STAGELENS_TEST(TrainingFactorisedVocabulary)

} // namespace integration_training_factorised_vocabulary

#include "training/factorised_vocabulary.moc"
