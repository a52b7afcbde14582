// Rows on their way to experts, in 8 bits: what that changes, the bits that do not depend on expert ranks, schedule, mode and
// ZeRO, and memory.
#include "engine/runtime/training/training_run.h"
#include "tests/support/rank_runs.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <string_view>

namespace integration_ranks_expert_dispatch {

using namespace stagelens;
using model::DispatchPrecision;
using model::VocabularyMethod;
using test::scheduleOf;

namespace {

/// Eight experts of a layer, of which two compute a token, on `expert` ranks of four replicas.
model::Experiment dispatchPlan(const char *family, int expert, DispatchPrecision precision = DispatchPrecision::Fp8)
{
    auto experiment = test::tinyExperts(family, VocabularyMethod::None, 2);
    experiment.parallel.replicas = 4;
    experiment.parallel.expert = expert;
    experiment.parallel.expertHeadroom = 4;
    experiment.parallel.dispatchPrecision = precision;
    return operators::resolved(experiment, 2);
}

/// Returns whether the ratios of the numbers are those of numbers with four bits before their exponents.
bool haveFourBits(const std::vector<double> &values)
{
    const auto first = std::ranges::find_if(values, [](double value) { return value != 0; });
    return std::ranges::all_of(values, [&](double value) {
        int exponent = 0;
        const double ratio = std::frexp(std::abs(value / *first), &exponent);
        for (int i = 8; i < 16; ++i)
            for (int j = 8; j < 16; ++j)
                if (value == 0 || std::abs(std::frexp(static_cast<double>(i) / j, &exponent) - ratio) < 1e-6)
                    return true;
        return false;
    });
}

/// Returns how many experts of all layers have a gradient of one matrix in which each row of numbers along h has four bits.
int expertsOfFourBits(const model::Experiment &experiment, std::string_view matrix)
{
    const std::vector<float> gradients = test::gradientsOf(experiment);
    const auto hidden = static_cast<std::size_t>(experiment.model.hidden);
    const auto inner = static_cast<std::size_t>(experiment.model.expertWidth());
    std::size_t at = 0;
    int found = 0;
    for (const runtime::ParameterInfo &info : runtime::parameterList(experiment.model)) {
        const std::size_t end = at + static_cast<std::size_t>(info.count());
        for (; test::isOfExperts(info.name) && info.name.find(matrix) != std::string::npos && at < end; at += hidden * inner) {
            int rows = 0;
            bool areAll = true;
            for (std::size_t j = 0; j < inner; ++j) {
                std::vector<double> along; // h, in a matrix [h, inner] or [inner, h]
                for (std::size_t i = 0; i < hidden; ++i)
                    along.push_back(gradients[at + (matrix == "w2" ? i * inner + j : j * hidden + i)]);
                if (std::ranges::all_of(along, [](double value) { return value == 0; }))
                    continue;
                ++rows;
                areAll = areAll && haveFourBits(along);
            }
            found += rows > 0 && areAll ? 1 : 0;
        }
        at = end;
    }
    return found;
}

} // namespace

class ExpertDispatch : public QObject, test::RunFolder {
    Q_OBJECT

private slots:
    void initTestCase() { use(); }

    /// In all gradients less than e4m3's error of 2.6e-2 in each of four layers, because most are of other parameters.
    void errorsAreThoseOfTheFormat()
    {
        auto exact = dispatchPlan("1f1b", 2, DispatchPrecision::Same);
        auto rounded = dispatchPlan("1f1b", 2);
        exact.training.steps = rounded.training.steps = 1;
        const double error = test::relativeDifference(test::gradientsOf(rounded), test::gradientsOf(exact));
        QVERIFY2(error > 3e-4 && error < 0.05, qPrintable(QString::number(error)));
        const double loss = test::lossesOf(exact).front();
        const double change = std::abs(test::lossesOf(rounded).front() - loss);
        QVERIFY2(change > 0 && change < 0.01 * loss, qPrintable(QString::number(change)));
    }

    /// Rows for experts of the rank itself are rounded like those that it sends.
    void bitsDoNotDependOnExpertRanks()
    {
        for (const model::DataType dtype : {model::DataType::Fp32, model::DataType::Bf16}) {
            const auto planOf = [&](int expert, model::RunMode mode) {
                auto experiment = dispatchPlan("zb-h1", expert);
                experiment.model.dtype = dtype;
                experiment.model.capacityFactor = 1.5;
                experiment.training.steps = 1;
                experiment.training.mode = mode;
                return experiment;
            };
            const auto two = planOf(2, model::RunMode::VirtualClock);
            const std::vector<float> gradients = test::gradientsOf(two);
            const std::vector<double> losses = test::lossesOf(two);
            for (const model::RunMode mode : {model::RunMode::Live, model::RunMode::VirtualClock}) {
                const auto four = planOf(4, mode);
                test::compareGradients(two, gradients, test::gradientsOf(four));
                if (QTest::currentTestFailed())
                    return;
                QCOMPARE(test::lossesOf(four), losses);
            }
        }
    }

    void bitsDependOnNeitherModeNorScheduleNorZero()
    {
        haveTheSameBits([](const char *family) { return dispatchPlan(family, 2); }, 3);
    }

    /// Tensor ranks with experts of their own, on their own tokens.
    void foldedRanksHaveTheSameBits()
    {
        const auto planOf = [](const char *family) {
            auto experiment = dispatchPlan(family, 4);
            experiment.parallel.tensor = experiment.parallel.replicas = 2;
            return experiment;
        };
        haveTheSameBits(planOf, 2);
    }

    /// Products in 8 bits round the same numbers in the same tiles. The gradients of experts, whose products round along
    /// tokens, could change in numbers that are far smaller than others of their tile.
    void productsIn8BitsReadTheSameNumbers()
    {
        const auto planOf = [](DispatchPrecision precision) {
            auto experiment = dispatchPlan("1f1b", 4, precision);
            experiment.model.dtype = model::DataType::Fp8;
            experiment.training.steps = 1;
            return experiment;
        };
        const auto exact = planOf(DispatchPrecision::Same);
        const auto rounded = planOf(DispatchPrecision::Fp8);
        QCOMPARE(test::lossesOf(rounded), test::lossesOf(exact));
        test::eachDifference(exact, test::gradientsOf(exact), test::gradientsOf(rounded),
                             [](const std::string &name, double relative) {
                                 QVERIFY2(relative <= (test::isOfExperts(name) ? 1e-3 : 0),
                                          qPrintable(QString("%1 differs by %2").arg(name.c_str()).arg(relative)));
                             });
    }

    /// The gradients of an expert with one row are products of a number of that row and one that all of its columns share. The
    /// ratios of the former are those of numbers of four bits, for the tokens (w1, w3) and for the gradients (w2).
    void rowsHaveFourBits()
    {
        const auto planOf = [](DispatchPrecision precision) {
            auto experiment = dispatchPlan("1f1b", 2, precision);
            experiment.model.experts = 64;
            experiment.model.topK = 1;
            experiment.parallel.replicas = 2;
            experiment.parallel.microbatches = 1;
            experiment.parallel.expertHeadroom = 64;
            experiment.training.steps = 1;
            return experiment;
        };
        for (const char *matrix : {"w1", "w2", "w3"}) {
            QCOMPARE(expertsOfFourBits(planOf(DispatchPrecision::Same), matrix), 0);
            const int found = expertsOfFourBits(planOf(DispatchPrecision::Fp8), matrix);
            QVERIFY2(found >= 8, qPrintable(QString("%1 of %2").arg(found).arg(matrix)));
        }
    }

    /// One rank has all experts and sends nothing.
    void oneRankRoundsNothing()
    {
        auto experiment = dispatchPlan("1f1b", 1);
        experiment.training.steps = 2;
        const std::vector<double> losses = test::lossesOf(experiment);
        experiment.parallel.dispatchPrecision = DispatchPrecision::Same;
        QCOMPARE(test::lossesOf(experiment), losses);
    }

    void memoryIsPlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        for (const model::DataType dtype : {model::DataType::Fp32, model::DataType::Bf16}) {
            auto experiment = dispatchPlan("zb-h1", 4);
            experiment.model.dtype = dtype;
            experiment.schedule.recompute = model::Recompute::Full;
            experiment.training.steps = 2;
            test::checkMemory(experiment);
            if (QTest::currentTestFailed())
                return;
        }
    }

    void verifyIsRefused()
    {
        const auto experiment = dispatchPlan("1f1b", 2);
        const auto found = runtime::verify(experiment, scheduleOf(experiment), {});
        QVERIFY(!found.ok());
        QCOMPARE(found.error().problems.front().field, std::string("parallel.dispatch_precision"));
        const auto alone = dispatchPlan("1f1b", 1);
        const auto held = runtime::verify(alone, scheduleOf(alone), {});
        QVERIFY2(held.ok(), held ? "" : held.error().text().c_str());
        QVERIFY(held->holds());
    }
};

STAGELENS_TEST(ExpertDispatch)

} // namespace integration_ranks_expert_dispatch

#include "ranks/expert_dispatch.moc"
