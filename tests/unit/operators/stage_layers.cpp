// Cuts of layers and shards of the vocabulary, against the published allocations.
#include "engine/operators/stage_layers.h"
#include "tests/support/gpt_shape.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <numeric>

namespace unit_operators_stage_layers {

using namespace stagelens::model;
using namespace stagelens::operators;
using stagelens::test::paperModel;
using Cut = std::vector<int>;

class OperatorStageLayers : public QObject {
    Q_OBJECT
private slots:
    void evenCuts()
    {
        QCOMPARE(evenStageLayers(8, 4), (Cut{2, 2, 2, 2}));
        QCOMPARE(evenStageLayers(10, 4), (Cut{2, 3, 3, 2}));
        QCOMPARE(evenStageLayers(11, 4), (Cut{3, 3, 3, 2}));
        QCOMPARE(evenStageLayers(2, 4), (Cut{0, 1, 1, 0}));
        QCOMPARE(evenStageLayers(7, 1), (Cut{7}));
    }

    void publishedRedistribution_data()
    {
        QTest::addColumn<int>("sequence");
        QTest::addColumn<int>("vocabulary");
        QTest::addColumn<Cut>("cut");
        for (const int sequence : {2048, 4096}) {
            const auto row = [&](const char *name, int vocabulary, const Cut &cut) {
                QTest::addRow("%s at %d", name, sequence) << sequence << vocabulary << cut;
            };
            row("32k", 32000, {4, 4, 4, 4, 4, 4, 4, 4});
            row("64k", 64000, {4, 4, 4, 4, 4, 4, 5, 3});
            row("128k", 128000, {4, 4, 4, 4, 4, 5, 5, 2});
            row("256k", 256000, {4, 4, 4, 5, 5, 5, 5, 0});
            row("32Ki", 32768, {4, 4, 4, 4, 4, 4, 4, 4});
            row("64Ki", 65536, {4, 4, 4, 4, 4, 4, 5, 3});
            row("256Ki", 262144, {4, 4, 4, 5, 5, 5, 5, 0});
        }
    }
    void publishedRedistribution()
    {
        QFETCH(int, sequence);
        QFETCH(int, vocabulary);
        QFETCH(Cut, cut);
        QCOMPARE(redistributedStageLayers(paperModel(sequence, vocabulary), 8), cut);
    }

    void cutsOfAnySizeAddUp()
    {
        ModelConfig model = paperModel(2048, 128000);
        for (model.layers = 1; model.layers <= 40; ++model.layers) {
            for (int stages = 1; stages <= 17; ++stages) {
                for (const Cut &cut : {evenStageLayers(model.layers, stages), redistributedStageLayers(model, stages)}) {
                    QCOMPARE(cut.size(), static_cast<std::size_t>(stages));
                    QCOMPARE(std::accumulate(cut.begin(), cut.end(), 0), model.layers);
                    QVERIFY(*std::min_element(cut.begin(), cut.end()) >= 0);
                }
            }
        }
    }

    void experimentMeansItsOwnCutFirst()
    {
        Experiment experiment;
        QCOMPARE(stageLayers(experiment), (Cut{2, 2, 2, 2}));
        experiment.schedule.chunks = 2;
        QCOMPARE(stageLayers(experiment), Cut(8, 1));
        experiment.schedule.chunks = 1;
        experiment.schedule.vocabulary = VocabularyMethod::Redis;
        QCOMPARE(stageLayers(experiment), (Cut{2, 3, 3, 0}));
        experiment.parallel.stageLayers = {1, 2, 2, 3};
        QCOMPARE(stageLayers(experiment), (Cut{1, 2, 2, 3}));
        experiment.hasModel = false;
        QCOMPARE(stageLayers(experiment), Cut(4, 1));
    }
};

STAGELENS_TEST(OperatorStageLayers)

} // namespace unit_operators_stage_layers

#include "operators/stage_layers.moc"
