// The a100-80gb preset against the paper that its figures were fitted to: 16 measured runs on one node and table 5's 32 runs
// on four nodes (arXiv 2411.05288).
#include "engine/model/accounting.h"
#include "engine/model/presets.h"
#include "tests/support/simulate_support.h"

#include <QTest>
#include <array>
#include <cmath>

using namespace stagelens;
using model::VocabularyMethod;

namespace {

/// MFU in percent of the 21B model on 32 devices with 32k, 64k, 128k and 256k vocabulary.
struct PublishedRow {
    int sequence;
    VocabularyMethod method;
    std::array<double, 4> mfu;
};
constexpr std::array<PublishedRow, 8> kPublished{{{2048, VocabularyMethod::None, {42.81, 37.28, 28.97, 20.86}},
                                                  {2048, VocabularyMethod::Redis, {43.48, 37.29, 36.32, 29.16}},
                                                  {2048, VocabularyMethod::Vocab1, {45.85, 45.92, 45.90, 46.11}},
                                                  {2048, VocabularyMethod::Vocab2, {45.54, 45.86, 45.86, 46.16}},
                                                  {4096, VocabularyMethod::None, {43.68, 38.11, 30.05, 21.63}},
                                                  {4096, VocabularyMethod::Redis, {44.01, 38.12, 37.87, 31.03}},
                                                  {4096, VocabularyMethod::Vocab1, {46.41, 46.44, 46.68, 46.83}},
                                                  {4096, VocabularyMethod::Vocab2, {46.23, 46.35, 46.55, 46.84}}}};

/// Predicted over true makespan, less one; NaN (which no bound accepts) where there is no prediction.
double error(const model::Experiment &experiment, double milliseconds)
{
    const test::Plan plan = test::planOf(experiment);
    if (!plan.error.empty()) {
        qWarning("%s", plan.error.c_str());
        return std::nan("");
    }
    return static_cast<double>(plan.timeline.makespan()) / 1e6 / milliseconds - 1;
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
        QVERIFY2(std::sqrt(squares / count) < 0.02, qPrintable(QString::number(std::sqrt(squares / count))));
    }

    void publishedRunsOfFourNodes()
    {
        for (const PublishedRow &row : kPublished) {
            for (std::size_t i = 0; i < row.mfu.size(); ++i) {
                model::Experiment experiment;
                experiment.model = *model::modelPreset("gpt-21b");
                experiment.model.sequence = row.sequence;
                experiment.model.vocabularySize = 32000 << i;
                experiment.parallel = {32, 128, 1, {}};
                experiment.schedule.vocabulary = row.method;
                experiment.cost.source = model::HardwarePreset{"a100-80gb"};
                // The paper divides by 320 TFLOP/s.
                const double seconds = model::iterationFlops(experiment) / (32 * 320e12 * row.mfu[i] / 100);
                const double off = error(experiment, 1e3 * seconds);
                QVERIFY2(std::abs(off) < 0.04, qPrintable(QString("s %1, method %2, V %3: %4")
                                                              .arg(row.sequence)
                                                              .arg(static_cast<int>(row.method))
                                                              .arg(experiment.model.vocabularySize)
                                                              .arg(off)));
            }
        }
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

QTEST_GUILESS_MAIN(ModelHardware)
#include "model_hardware.moc"
