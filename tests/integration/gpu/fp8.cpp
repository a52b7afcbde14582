// Training in fp8 on GPUs without a GPU: products of rounded operands are the processor's, gradients those of the float64
// reference within the format's error, losses near the processor's, bits, and planned memory.
#include "engine/backend/memory.h"
#include "engine/model/capabilities.h"
#include "tests/support/fibre_gpus.h"
#include "tests/support/fibre_plans.h"
#include "tests/support/held_memory.h"
#include "tests/support/kernel_numbers.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"

#include <functional>

namespace integration_gpu_fp8 {

using namespace stagelens;
using kernels::Form;
using model::VocabularyMethod;
using test::lossesOf;

namespace {

using Change = std::function<void(model::Experiment &)>;

/// Two layers on two devices, whose products have several tiles.
model::Experiment planOf(VocabularyMethod method, bool isLlama = false, const Change &change = {})
{
    model::Experiment plan = test::onGpu("1f1b", method, isLlama);
    plan.model.dtype = model::DataType::Fp8;
    plan.model.layers = 2;
    plan.model.hidden = 64;
    plan.model.ffn = 136;
    plan.model.sequence = 16;
    plan.parallel.stageLayers.clear();
    if (change)
        change(plan);
    return operators::resolved(plan, 2);
}

struct Sizes {
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t inner;
};

/// A product of random operands with a float C, on the device of the plan.
std::vector<float> productOn(const char *backend, const Sizes &sizes, Form aForm, Form bForm, backend::Rounding rounding)
{
    model::Experiment plan = planOf(VocabularyMethod::None);
    plan.training.backend = backend;
    const auto computes = runtime::makeComputes(plan, {0}, {0}, {});
    if (!computes)
        qFatal("%s", computes.error().text().c_str());
    backend::Compute &compute = *computes->front();
    backend::Pool pool({}, compute.memory());
    const auto filled = [&](std::int64_t count, std::uint64_t stream) {
        backend::Buffer buffer = pool.allocate(base::floatsOf(count, base::Precision::Bf16), 0);
        const std::vector<float> numbers = test::randomValues(static_cast<std::size_t>(count), stream);
        compute.write({buffer.data(), base::Precision::Bf16}, count, [&](std::span<float> block, std::int64_t first) {
            std::copy_n(numbers.begin() + first, block.size(), block.begin());
        });
        return buffer;
    };
    backend::Buffer a = filled(sizes.rows * sizes.inner, 1);
    backend::Buffer b = filled(sizes.inner * sizes.columns, 2);
    backend::Buffer c = pool.allocate(sizes.rows * sizes.columns, 0);
    compute.zero(c.data(), sizes.rows * sizes.columns);
    compute.multiply({.rows = sizes.rows,
                      .columns = sizes.columns,
                      .inner = sizes.inner,
                      .a = {{a.data(), base::Precision::Bf16}, aForm == Form::Plain ? sizes.inner : sizes.rows, aForm},
                      .b = {{b.data(), base::Precision::Bf16}, bForm == Form::Plain ? sizes.columns : sizes.inner, bForm},
                      .c = c.data(),
                      .stride = sizes.columns,
                      .beta = 1,
                      .rounding = rounding});
    std::vector<float> values(static_cast<std::size_t>(sizes.rows * sizes.columns));
    compute.read(values, c.data());
    return values;
}

} // namespace

class GpuFp8 : public QObject, test::OneFibreGpu {
    Q_OBJECT

private slots:
    void initTestCase() { load(); }
    void init() { begin(); }
    void cleanup() { end(); }

    /// But for the order of their sums: the products of a forward, of a gradient of an input, and of a weight.
    void productsAreTheProcessors()
    {
        using backend::Rounding;
        const Sizes sizes{136, 72, 264};
        for (const auto &[aForm, bForm, rounding] : {std::tuple(Form::Plain, Form::Plain, Rounding::ByWeight),
                                                     {Form::Plain, Form::Transposed, Rounding::ByWeight},
                                                     {Form::Transposed, Form::Plain, Rounding::OfTokens}}) {
            const std::vector<float> found = productOn("cuda", sizes, aForm, bForm, rounding);
            const std::vector<float> expected = productOn("cpu", sizes, aForm, bForm, rounding);
            const std::vector<float> exact = productOn("cpu", sizes, aForm, bForm, Rounding::None);
            QVERIFY(test::relativeDifference(found, expected) < 1e-6);
            QVERIFY(test::relativeDifference(exact, expected) > 1e-2);
        }
    }

    void trainsLikeTheReference_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<int>("method");
        QTest::addColumn<bool>("isLlama");
        test::Sample sample;
        const auto row = [&sample](const char *name, VocabularyMethod method, bool isLlama, Change change) {
            if (!sample.leavesOut())
                QTest::newRow(name) << std::move(change) << static_cast<int>(method) << isLlama;
        };
        row("vocab-2", VocabularyMethod::Vocab2, false, [](model::Experiment &) {});
        row("llama, zb-h1, recomputed", VocabularyMethod::None, true, [](model::Experiment &plan) {
            plan.schedule.family = "zb-h1";
            plan.schedule.recompute = model::Recompute::Full;
        });
        row("tensor ranks, replicas", VocabularyMethod::Vocab1, false, [](model::Experiment &plan) {
            plan.model.ffn = 144;
            plan.parallel.tensor = plan.parallel.replicas = 2;
            plan.parallel.sequenceParallel = true;
            plan.parallel.zero = 1;
        });
    }
    void trainsLikeTheReference()
    {
        QFETCH(Change, change);
        QFETCH(int, method);
        QFETCH(bool, isLlama);
        test::verifyPlan(planOf(static_cast<VocabularyMethod>(method), isLlama, change));
    }

    void losesLikeTheProcessor_data()
    {
        QTest::addColumn<bool>("hasExperts");
        QTest::newRow("gpt") << false;
        QTest::newRow("experts") << true;
    }
    /// Twice the same bits, and near the processor.
    void losesLikeTheProcessor()
    {
        STAGELENS_NOT_SANITIZED();
        QFETCH(bool, hasExperts);
        model::Experiment plan = planOf(VocabularyMethod::Vocab2, hasExperts, [&](model::Experiment &each) {
            each.training.steps = 3;
            each.parallel.replicas = 2;
            if (!hasExperts)
                return;
            each.model.experts = 4;
            each.model.topK = 2;
            each.model.expertFfn = 24;
            each.model.auxLoss = 0.01;
            each.parallel.expert = 2;
            each.parallel.expertHeadroom = 4;
        });
        for (const base::Problem &problem : model::unsupported(plan, model::Use::Run))
            QFAIL(problem.message.c_str());
        const std::vector<double> losses = lossesOf(plan);
        QCOMPARE(losses.size(), std::size_t{3});
        model::Experiment other = plan;
        other.training.mode = model::RunMode::Live;
        QCOMPARE(lossesOf(other), losses);
        other.model.dtype = model::DataType::Bf16;
        QVERIFY(lossesOf(other) != losses);
        other = plan;
        other.training.backend = "cpu";
        test::compareLosses(losses, lossesOf(other), 2e-2);
    }

    /// The slabs are those of bf16, and what the operands take beside them is planned too.
    void holdsWhatIsPlanned()
    {
        STAGELENS_NOT_UNDER_TSAN();
        model::Experiment plan = planOf(VocabularyMethod::Vocab1, true);
        test::verifyHeldMemory(plan);
        runtime::TrainingObserver observer;
        std::string memory;
        observer.onStep = [&](const runtime::StepReport &report) { memory = report.facts.at("gpu memory"); };
        plan.training.steps = 1;
        QVERIFY(runtime::train(plan, test::scheduleOf(plan), {}, observer, {}).ok());
        QVERIFY2(!memory.empty() && memory.find("more than planned") == std::string::npos, memory.c_str());
    }
};

STAGELENS_TEST(GpuFp8)

} // namespace integration_gpu_fp8

#include "gpu/fp8.moc"
