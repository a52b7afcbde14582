// The weight version of each pass under PipeDream, and which versions are kept.
#include "engine/runtime/state/weight_versions.h"
#include "engine/backend/compute.h"
#include "engine/runtime/plan/shape.h"
#include "engine/schedule/weight_versions.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>
#include <algorithm>

namespace unit_runtime_weight_versions {

using namespace stagelens;
using runtime::Parameter;
using runtime::WeightStash;

class RuntimeWeightVersions : public QObject {
    Q_OBJECT

private slots:
    /// Stage s of p has p - s microbatches in flight: a forward follows the updates of all earlier microbatches but the last p
    /// - 1 - s.
    void areThoseOfThePaper()
    {
        for (const int stages : {1, 2, 4}) {
            const auto experiment = test::tinyExperiment("pipedream", model::VocabularyMethod::None, stages, 9);
            const auto versions = schedule::weightVersionsUsed(test::scheduleOf(experiment));
            QCOMPARE(versions.size(), static_cast<std::size_t>(stages));
            for (int stage = 0; stage < stages; ++stage)
                for (int microbatch = 0; microbatch < 9; ++microbatch)
                    QCOMPARE(versions[runtime::size(stage)][runtime::size(microbatch)],
                             std::max(0, microbatch - (stages - 1 - stage)));
        }
    }

    void aMicrobatchKeepsItsVersionUntilItIsThrough()
    {
        constexpr auto kUse = runtime::category(simulate::MemoryCategory::Parameters);
        backend::Pool pool;
        const auto compute = backend::makeCpuCompute();
        Parameter parameter;
        parameter.rows = 1;
        parameter.columns = 1;
        parameter.value = pool.allocate(1, kUse);
        parameter.value.data()[0] = 0;
        WeightStash stash;
        stash.add(parameter);
        const auto valueOf = [&](int microbatch) {
            stash.swap(microbatch);
            const float value = parameter.value.data()[0];
            stash.swap(microbatch);
            return value;
        };
        const auto update = [&](float value) {
            stash.keepNewest(pool, *compute);
            parameter.value.data()[0] = value;
        };
        stash.keep(0);
        stash.keep(1);
        QCOMPARE(pool.meter().live()[kUse], base::Bytes{4});
        stash.release(0);
        update(10);
        QCOMPARE(pool.meter().live()[kUse], base::Bytes{8}); // microbatch 1 is still on its way with the first version
        stash.keep(2);
        QCOMPARE(valueOf(1), 0.0F);
        QCOMPARE(valueOf(2), 10.0F);
        QCOMPARE(parameter.value.data()[0], 10.0F);
        stash.release(1);
        QCOMPARE(pool.meter().live()[kUse], base::Bytes{4});
        update(20);
        QCOMPARE(valueOf(2), 10.0F);
        stash.release(2);
        update(30); // nobody has the newest: it changes in place
        QCOMPARE(pool.meter().live()[kUse], base::Bytes{4});
        QCOMPARE(stash.updates(), 3);
        stash.clear();
        QCOMPARE(stash.updates(), 0);
        QCOMPARE(parameter.value.data()[0], 30.0F);
    }
};

STAGELENS_TEST(RuntimeWeightVersions)

} // namespace unit_runtime_weight_versions

#include "runtime/weight_versions.moc"
