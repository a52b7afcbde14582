// The kernel calls of a layer of each architecture, and the recipes of the passes of each vocabulary method.
#include "engine/operators/architecture.h"
#include "engine/operators/partition.h"
#include "engine/operators/recipe.h"
#include "engine/passes/recipe_book.h"
#include "tests/support/golden.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace golden_recipe_texts {

using namespace stagelens;
using model::VocabularyKind;

class RecipeTexts : public QObject {
    Q_OBJECT

private slots:
    void equalsGolden_data()
    {
        QTest::addColumn<bool>("isLlama");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<bool>("isSequenceParallel");
        QTest::addColumn<int>("context");
        QTest::newRow("gpt") << false << 1 << false << 1;
        QTest::newRow("gpt-materialised") << false << 1 << false << 1;
        QTest::newRow("llama") << true << 1 << false << 1;
        QTest::newRow("experts") << true << 1 << false << 1;
        QTest::newRow("experts-on-2-ranks") << true << 1 << false << 1;
        QTest::newRow("experts-on-4-ranks-tensor-2") << true << 2 << true << 1;
        QTest::newRow("gpt-tensor-2") << false << 2 << false << 1;
        QTest::newRow("gpt-tensor-2-sequence-parallel") << false << 2 << true << 1;
        QTest::newRow("llama-tensor-4-sequence-parallel") << true << 4 << true << 1;
        QTest::newRow("gpt-context-2") << false << 1 << false << 2;
        QTest::newRow("llama-context-4-tensor-2") << true << 2 << true << 4;
        QTest::newRow("gpt-ring-3") << false << 1 << false << 3;
        QTest::newRow("llama-heads-2-tensor-2") << true << 2 << true << 2;
    }

    void equalsGolden()
    {
        QFETCH(bool, isLlama);
        QFETCH(int, tensor);
        QFETCH(bool, isSequenceParallel);
        QFETCH(int, context);
        model::ModelConfig model;
        if (isLlama) {
            model.family = model::ModelFamily::Llama;
            model.kvHeads = QByteArray(QTest::currentDataTag()).contains("heads") ? 4 : 2;
            model.ffn = 352;
        }
        const QByteArray tag = QTest::currentDataTag();
        if (tag.startsWith("experts"))
            model.experts = 8;
        const int expert = tag == "experts-on-2-ranks" ? 2 : tag == "experts-on-4-ranks-tensor-2" ? 4 : 1;
        model.sharedExperts = expert == 4 ? 1 : 0;
        operators::Block block = operators::blockOf(model);
        if (QTest::currentDataTag() == QByteArray("gpt-materialised"))
            block = operators::withProbabilities(std::move(block), model);
        const auto how = tag.contains("ring")    ? model::ContextMethod::Ring
                         : tag.contains("heads") ? model::ContextMethod::Ulysses
                                                 : model::ContextMethod::AllGather;
        block = operators::partitioned(std::move(block), {tensor, isSequenceParallel, context, how, expert});
        const auto text = QByteArray::fromStdString(operators::text(operators::recipeOf(std::move(block))));
        test::compareWithGolden(text, QStringLiteral("recipes/") + QTest::currentDataTag() + QStringLiteral(".txt"));
    }

    /// With a capacity, ranks that route parts of a microbatch drop rows between router and dispatch, also in what is rebuilt.
    void rowsAreDroppedBeforeTheDispatch()
    {
        model::ModelConfig model;
        model.family = model::ModelFamily::Llama;
        model.experts = 8;
        const auto steps = [&](const operators::TensorSplit &split) {
            const auto text = operators::text(operators::recipeOf(operators::partitioned(operators::blockOf(model), split)));
            const QString step = QStringLiteral("gates, routes = route(logits)\n    routes = drop-rows(gates)\n    ");
            return QString::fromStdString(text).count(step);
        };
        const operators::TensorSplit context{1, false, 2};
        const operators::TensorSplit folded{2, true, 1, model::ContextMethod::AllGather, 4};
        QCOMPARE(steps(context), qsizetype{0});
        model.capacityFactor = 1.25;
        QCOMPARE(steps(context), qsizetype{2});
        QCOMPARE(steps(folded), qsizetype{2});
        QCOMPARE(steps({}), qsizetype{0});
        QCOMPARE(steps({2, true}), qsizetype{0}); // tensor ranks that route the same tokens
    }

    void passesEqualGolden_data()
    {
        QTest::addColumn<model::VocabularyMethod>("method");
        QTest::addColumn<bool>("recomputes");
        QTest::addColumn<model::VocabularyKind>("kind");
        QTest::addColumn<bool>("isFactorised");
        QTest::addColumn<schedule::Sharing>("sharing");
        constexpr auto kAlone = schedule::Sharing::None;
        for (const model::VocabularyTraits &each : model::kVocabularyMethods) {
            if (each.redistributesLayers) // same passes
                continue;
            const std::string name(each.name);
            QTest::newRow(name.c_str()) << each.method << false << VocabularyKind::Full << false << kAlone;
            QTest::newRow((name + "-rebuilt-logits").c_str())
                << each.method << false << VocabularyKind::RecomputeLogits << false << kAlone;
            QTest::newRow((name + "-chunked-logits").c_str())
                << each.method << false << VocabularyKind::Chunked << false << kAlone;
            QTest::newRow((name + "-factorised").c_str()) << each.method << false << VocabularyKind::Full << true << kAlone;
        }
        QTest::newRow("none-recomputed") << model::VocabularyMethod::None << true << VocabularyKind::Full << false << kAlone;
        for (const auto method : {model::VocabularyMethod::None, model::VocabularyMethod::Vocab1}) {
            const std::string name(model::name(method));
            QTest::newRow((name + "-factorised-tensor").c_str())
                << method << false << VocabularyKind::Full << true << schedule::Sharing::Tensor;
            QTest::newRow((name + "-factorised-sequence-parallel").c_str())
                << method << false << VocabularyKind::Chunked << true << schedule::Sharing::Sequence;
        }
    }

    void passesEqualGolden()
    {
        QFETCH(model::VocabularyMethod, method);
        QFETCH(bool, recomputes);
        QFETCH(model::VocabularyKind, kind);
        QFETCH(bool, isFactorised);
        QFETCH(schedule::Sharing, sharing);
        const auto text = QByteArray::fromStdString(schedule::text(schedule::recipeBook(method, {.recomputes = recomputes,
                                                                                                 .sharing = sharing,
                                                                                                 .kind = kind,
                                                                                                 .mapsInput = isFactorised,
                                                                                                 .mapsOutput = isFactorised})));
        test::compareWithGolden(text, QStringLiteral("recipes/passes-") + QTest::currentDataTag() + QStringLiteral(".txt"));
    }
    void passesOfHeadsEqualGolden_data()
    {
        QTest::addColumn<model::VocabularyMethod>("method");
        QTest::addColumn<schedule::Sharing>("sharing");
        QTest::newRow("none-output-heads") << model::VocabularyMethod::None << schedule::Sharing::None;
        QTest::newRow("vocab-2-output-heads-sequence-parallel")
            << model::VocabularyMethod::Vocab2 << schedule::Sharing::Sequence;
    }

    /// Heads map the output of the final norm, and leave the input as it is.
    void passesOfHeadsEqualGolden()
    {
        QFETCH(model::VocabularyMethod, method);
        QFETCH(schedule::Sharing, sharing);
        const auto text =
            QByteArray::fromStdString(schedule::text(schedule::recipeBook(method, {.sharing = sharing, .mapsOutput = true})));
        test::compareWithGolden(text, QStringLiteral("recipes/passes-") + QTest::currentDataTag() + QStringLiteral(".txt"));
    }
};

STAGELENS_TEST(RecipeTexts)

} // namespace golden_recipe_texts

#include "recipe_texts.moc"
