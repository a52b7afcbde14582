// Which plans do the same work, so that one may be called faster than the other.
#include "engine/service/search/equal_work.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QTest>

namespace unit_service_equal_work {

using namespace stagelens;
using model::VocabularyMethod;

class EqualWork : public QObject {
    Q_OBJECT

private slots:
    /// Methods, and what is kept of the logits, are ways to train the same model.
    void waysToTrainAModel()
    {
        const auto plan = test::smallExperiment("1f1b", VocabularyMethod::None, 2, 4);
        auto other = test::smallExperiment("zb-h1", VocabularyMethod::Vocab1, 2, 4);
        other.schedule.vocabularyKind = model::VocabularyKind::RecomputeLogits;
        other.model.dtype = model::DataType::Bf16;
        QCOMPARE(service::workDifference(plan, other), std::string());
    }

    /// Narrower and hashed tables, and several heads, are of another model, and nothing that they save is called faster.
    void otherTablesAreOtherModels()
    {
        const auto plan = test::smallExperiment("1f1b", VocabularyMethod::None, 2, 4);
        auto factorised = plan;
        factorised.model.vocabularyWidth = 4;
        auto hashed = plan;
        hashed.model.inputHashes = 2;
        const std::string different = "they train different models";
        QCOMPARE(service::workDifference(plan, factorised), different);
        QCOMPARE(service::workDifference(plan, hashed), different);
        QCOMPARE(service::workDifference(factorised, hashed), different);
        auto heads = plan;
        heads.model.outputHeads = 2;
        QCOMPARE(service::workDifference(plan, heads), different);
        auto adaptive = plan;
        adaptive.model.adaptiveCutoffs = {8};
        QCOMPARE(service::workDifference(plan, adaptive), different);
        auto sampled = plan;
        sampled.model.sampledWords = 8;
        QCOMPARE(service::workDifference(plan, sampled), different);
        QCOMPARE(service::workDifference(factorised, factorised), std::string());
    }
};

STAGELENS_TEST(EqualWork)

} // namespace unit_service_equal_work

#include "service/equal_work.moc"
