// Training with a short input table, of which each token adds up several rows: gradients of the float64 reference under every
// method, and the bits of a full table with one hash.
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

namespace integration_training_hashed_input {

using namespace stagelens;
using model::VocabularyMethod;
using test::smallExperiment;

namespace {

model::Experiment hashed(model::Experiment experiment, int hashes)
{
    experiment.model.inputHashes = hashes;
    return experiment;
}

} // namespace

class TrainingHashedInput : public QObject {
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
            if (turn % 4 == 0)
                experiment.model.vocabularyWidth = 6;
            test::verifyPlan(hashed(std::move(experiment), 1 + turn % 4)); // of 4: four tables of 4 rows
        });
    }

    /// One hash chooses the token's own row.
    void oneHashIsAFullTable()
    {
        for (const VocabularyMethod method : test::kAllMethods) {
            auto experiment = smallExperiment("1f1b", method, 2, 4);
            experiment.training.steps = 2;
            const auto one = hashed(experiment, 1);
            QCOMPARE(test::lossesOf(one), test::lossesOf(experiment));
            QVERIFY(test::sameBits(test::gradientsOf(one), test::gradientsOf(experiment)));
        }
    }

    void bitsDependOnNeitherModeNorSchedule()
    {
        test::verifySameBitsEverywhere([](const model::Experiment &plan) { return hashed(plan, 2); });
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
        test::addChange("bf16", [](auto &each) { each.model.dtype = model::DataType::Bf16; });
        test::addChange("adafactor", [](auto &each) { each.training.optimizer.name = "adafactor"; });
        test::addChange("adafactor, zero", [](auto &each) {
            each.training.optimizer.name = "adafactor";
            each.parallel.replicas = 2;
            each.parallel.zero = 1;
        });
    }
    void combinesWithOtherFeatures()
    {
        STAGELENS_NOT_UNDER_TSAN();

        QFETCH(test::PlanChange, change);
        for (const VocabularyMethod method : {VocabularyMethod::None, VocabularyMethod::Vocab1, VocabularyMethod::Vocab2}) {
            auto experiment = hashed(test::tinyExperiment("1f1b", method, 2, 4), 2);
            change(experiment);
            if (!test::refusedField(experiment.schedule.family, method, 2).empty())
                continue;
            test::verifyTraining(experiment, test::verifyPlan, 4);
            if (QTest::currentTestFailed())
                return;
        }
    }

private:
    QTemporaryDir m_folder;
};

STAGELENS_TEST(TrainingHashedInput)

} // namespace integration_training_hashed_input

#include "training/hashed_input.moc"
