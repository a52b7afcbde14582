// A step in the steady state makes no heap allocations that grow with its passes.
#include "engine/runtime/training/training_run.h"
#include "tests/support/tiny_model.h"

#include <QtTest>
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> g_allocations = 0;

} // namespace

void *operator new(std::size_t size, const std::nothrow_t & /*tag*/) noexcept
{
    ++g_allocations;
    return std::malloc(size > 0 ? size : 1);
}

void *operator new(std::size_t size)
{
    if (void *const memory = operator new(size, std::nothrow))
        return memory;
    throw std::bad_alloc();
}

void operator delete(void *memory) noexcept
{
    std::free(memory);
}

void operator delete(void *memory, std::size_t /*size*/) noexcept
{
    std::free(memory);
}

using namespace stagelens;
using model::VocabularyMethod;

namespace {

/// Counts those of the last of several steps.
std::size_t allocationsOfAStep(const char *family, VocabularyMethod method, int microbatches, model::RunMode mode)
{
    auto experiment = test::smallExperiment(family, method, 2, microbatches);
    experiment.training.steps = 5;
    experiment.training.mode = mode;
    std::vector<std::size_t> marks;
    marks.reserve(8);
    const auto onStep = [&marks](const runtime::StepReport &) { marks.push_back(g_allocations); };
    const auto trained = runtime::train(experiment, test::scheduleOf(experiment), {}, {onStep, {}}, {});
    return trained && marks.size() == 5 ? marks[4] - marks[3] : 0;
}

} // namespace

class StepAllocations : public QObject {
    Q_OBJECT

private slots:
    void passesAskForNothing_data()
    {
        QTest::addColumn<QString>("family");
        QTest::addColumn<int>("method");
        QTest::addColumn<int>("mode");
        for (const auto mode : {model::RunMode::Live, model::RunMode::VirtualClock}) {
            const char *of = mode == model::RunMode::Live ? "live" : "virtual clock";
            for (const VocabularyMethod method : test::kAllMethods)
                QTest::addRow("1f1b, method %d, %s", static_cast<int>(method), of)
                    << QString("1f1b") << static_cast<int>(method) << static_cast<int>(mode);
            QTest::addRow("zb-h1, %s", of) << QString("zb-h1") << static_cast<int>(VocabularyMethod::None)
                                           << static_cast<int>(mode);
        }
    }
    void passesAskForNothing()
    {
        QFETCH(QString, family);
        QFETCH(int, method);
        QFETCH(int, mode);
        const auto of = [&](int microbatches) {
            return allocationsOfAStep(family.toUtf8().constData(), static_cast<VocabularyMethod>(method), microbatches,
                                      static_cast<model::RunMode>(mode));
        };
        const std::size_t few = of(8);
        const std::size_t many = of(64);
        qInfo("%zu allocations in a step of 8 microbatches, %zu in one of 64", few, many);
        QVERIFY(few > 0);
        // 56 microbatches are hundreds of passes. Lists of a step may double a few times, and the number of queued messages
        // varies.
        QVERIFY(many <= few + 32);
    }
};

QTEST_GUILESS_MAIN(StepAllocations)
#include "step_allocations.moc"
