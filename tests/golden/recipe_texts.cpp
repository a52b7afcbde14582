// The kernel calls of a layer of each architecture.
#include "engine/operators/architecture.h"
#include "engine/operators/recipe.h"
#include "tests/support/golden.h"

#include <QTest>

using namespace stagelens;

class RecipeTexts : public QObject {
    Q_OBJECT

private slots:
    void equalsGolden_data()
    {
        QTest::addColumn<bool>("isLlama");
        QTest::newRow("gpt") << false;
        QTest::newRow("llama") << true;
    }

    void equalsGolden()
    {
        QFETCH(bool, isLlama);
        model::ModelConfig model;
        if (isLlama) {
            model.family = model::ModelFamily::Llama;
            model.kvHeads = 2;
            model.ffn = 352;
        }
        const auto text = QByteArray::fromStdString(operators::text(operators::recipeOf(operators::blockOf(model))));
        test::compareWithGolden(text, QStringLiteral("recipes/") + QTest::currentDataTag() + QStringLiteral(".txt"));
    }
};

QTEST_GUILESS_MAIN(RecipeTexts)
#include "recipe_texts.moc"
