// The cut of the layers that evens out the work of the devices.
#include "engine/service/search/even_cut.h"
#include "engine/operators/stage_layers.h"
#include "engine/service/search/advise.h"
#include "engine/service/search/levers.h"
#include "tests/support/gpt_shape.h"
#include "tests/support/sanitized.h"
#include "tests/support/simulate_support.h"
#include "tests/support/test_program.h"

#include <QtTest>

#include <algorithm>
#include <numeric>

namespace unit_service_even_cut {

using namespace stagelens;
using Cut = std::vector<int>;

namespace {

model::Experiment planOf(int devices, int layers, const char *family = "1f1b", int vocabulary = 131072)
{
    model::Experiment plan;
    plan.model = test::gptOf(layers, 1024, 16, 1024, vocabulary, model::DataType::Fp16);
    plan.parallel.devices = devices;
    plan.parallel.microbatches = 4;
    plan.schedule.family = family;
    plan.cost.source = model::HardwarePreset{"a100-80gb"};
    return plan;
}

service::PredictionPtr predicted(const model::Experiment &plan)
{
    auto found = service::predict(plan, 2);
    if (!found)
        qFatal("%s", found.error().text().c_str());
    return std::move(found).value();
}

base::Nanos greatestWork(const service::Prediction &prediction)
{
    return std::ranges::max(prediction.metrics.busyPerDevice);
}

/// Every cut into stages of at least one layer.
std::vector<Cut> everyCut(int layers, std::size_t stages)
{
    if (stages == 1)
        return {{layers}};
    std::vector<Cut> all;
    for (int first = 1; first <= layers - static_cast<int>(stages) + 1; ++first)
        for (Cut rest : everyCut(layers - first, stages - 1)) {
            rest.insert(rest.begin(), first);
            all.push_back(std::move(rest));
        }
    return all;
}

} // namespace

class ServiceEvenCut : public QObject {
    Q_OBJECT

private slots:
    void noOtherCutHasLessWorkOnItsBusiestDevice_data()
    {
        QTest::addColumn<model::Experiment>("plan");
        QTest::newRow("the output layer") << planOf(3, 9);
        QTest::newRow("no great vocabulary") << planOf(4, 9, "1f1b", 512);
        auto slow = planOf(3, 9, "zb-h1", 512);
        slow.whatIf.slow = "1=2";
        QTest::newRow("a slow device") << slow;
        auto split = planOf(3, 9);
        split.schedule.vocabulary = model::VocabularyMethod::Vocab2;
        split.whatIf.slow = "2=1.5";
        QTest::newRow("a slow device with VOCAB-2") << split;
        QTest::newRow("two chunks of each device") << planOf(2, 9, "v-half");
    }
    void noOtherCutHasLessWorkOnItsBusiestDevice()
    {
        QFETCH(model::Experiment, plan);
        const service::PredictionPtr now = predicted(plan);
        const std::size_t stages = now->experiment.parallel.stageLayers.size();
        plan.parallel.stageLayers = service::evenCut(*now);
        base::Nanos own = greatestWork(plan.parallel.stageLayers.empty() ? *now : *predicted(plan));
        base::Nanos least = own;
        for (const Cut &cut : everyCut(9, stages)) {
            plan.parallel.stageLayers = cut;
            least = std::min(least, greatestWork(*predicted(plan)));
        }
        // A pass has fixed times too, so that a layer's share of it depends a little on their number.
        QVERIFY2(static_cast<double>(own) <= 1.005 * static_cast<double>(least),
                 qPrintable(QString("%1 ns, %2 ns of another").arg(own).arg(least)));
    }

    void aSlowDeviceReceivesFewerLayers()
    {
        auto plan = planOf(4, 16, "1f1b", 512);
        plan.whatIf.slow = "2=2";
        plan.parallel.microbatches = 32;
        const service::PredictionPtr now = predicted(plan);
        const Cut cut = service::evenCut(*now);
        QCOMPARE(std::accumulate(cut.begin(), cut.end(), 0), 16);
        QCOMPARE(cut[2], std::ranges::min(cut));
        const service::Advice advice = service::advise(*now, 2);
        QVERIFY(advice.cut);
        QCOMPARE(advice.cut->stageLayers, cut);
        plan.parallel.stageLayers = cut;
        const service::PredictionPtr then = predicted(plan);
        QCOMPARE(*advice.cut->iteration, then->metrics.iteration);
        QVERIFY(static_cast<double>(then->metrics.iteration) < 0.8 * static_cast<double>(now->metrics.iteration));
        QVERIFY(service::evenCut(*then).empty()); // it is this cut already
        QVERIFY(!service::advise(*then, 2).cut);
    }

    void theLeverBoardHasIt()
    {
        const service::PredictionPtr now = predicted(planOf(3, 9));
        const auto board = service::leverBoard(*now, 2);
        QVERIFY(board.ok());
        const auto lever = std::ranges::find(board->levers, service::LeverKind::Cut, &service::Lever::kind);
        QVERIFY(lever != board->levers.end());
        QCOMPARE(lever->experiment.parallel.stageLayers, service::evenCut(*now));
        QVERIFY(lever->options.starts_with("--stage-layers ") && lever->numbers == service::Numbers::SameBits);
        QVERIFY(lever->iteration && *lever->iteration < now->metrics.iteration);
    }

    void somePlansHaveNone()
    {
        QVERIFY(service::evenCut(*predicted(planOf(1, 4))).empty());
        QVERIFY(service::evenCut(*predicted(planOf(4, 4))).empty()); // every stage has its least
        QVERIFY(service::evenCut(
                    *predicted(test::teachingExperiment("1f1b", 4, 4, model::VocabularyMethod::None, {{"F", 1.0}, {"B", 2.0}})))
                    .empty());
    }
};

STAGELENS_TEST(ServiceEvenCut)

} // namespace unit_service_even_cut

#include "service/even_cut.moc"
