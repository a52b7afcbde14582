// The second arena of a device: what it holds when, that values on it do not overlap, and the threads that copy to it.
#include "engine/runtime/offload/host_arena.h"
#include "engine/runtime/offload/copy_thread.h"
#include "engine/simulate/offload/offload_plan.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>

#include <cmath>
#include <stdexcept>

namespace unit_runtime_host_arena {

using namespace stagelens;

class RuntimeHostArena : public QObject {
    Q_OBJECT

private slots:
    /// Follows device 0 of 1F1B with all activations offloaded.
    void holdsValuesFromLaunchToJoin()
    {
        auto experiment = test::tinyExperiment("1f1b", model::VocabularyMethod::None, 4, 8);
        experiment.schedule.offload.fraction = 1;
        const auto schedule = simulate::withOffload(experiment, test::scheduleOf(experiment)).value();
        const auto plans = runtime::memoryPlan(experiment, schedule).value();
        const runtime::DevicePlan &plan = plans.front();
        const auto all = plan.buffers.hostBuffers();
        QVERIFY(!all.empty());
        QCOMPARE(plan.hostPlaces.size(), all.size());
        runtime::HostArena arena(plan, backend::hostMemory());
        for (int step = 0; step < 2; ++step) {
            arena.begin();
            QCOMPARE(arena.live(), base::Bytes{0});
            for (std::uint32_t position = 0; position < schedule.device(0).size(); ++position) {
                arena.enter(position);
                base::Bytes held = 0;
                for (std::size_t i = 0; i < all.size(); ++i) {
                    if (all[i].first == position)
                        std::ranges::fill(arena.values(i), static_cast<float>(i));
                    if (all[i].first > position || all[i].last < position)
                        continue;
                    held += static_cast<base::Bytes>(arena.values(i).size_bytes());
                    QVERIFY(std::ranges::all_of(arena.values(i), [i](float each) { return each == static_cast<float>(i); }));
                }
                QCOMPARE(arena.live(), held);
            }
            QCOMPARE(arena.peak(), plan.hostPeak);
        }
        arena.begin();
        if (backend::checksMemory())
            QVERIFY(std::isnan(arena.values(0).front()));
    }

    void planWithoutOffloadHasNoArena()
    {
        const auto experiment = test::tinyExperiment("1f1b", model::VocabularyMethod::None, 2, 4);
        for (const runtime::DevicePlan &plan : runtime::memoryPlan(experiment, test::scheduleOf(experiment)).value()) {
            QVERIFY(plan.hostPlaces.empty());
            QCOMPARE(plan.hostBytes(), base::Bytes{0});
            runtime::HostArena arena(plan, backend::hostMemory());
            arena.begin();
            arena.enter(0);
            QCOMPARE(arena.peak(), base::Bytes{0});
        }
    }

    void threadCopiesInOrderAndIsDroppedAtOnce()
    {
        std::vector<float> from(1000, 1);
        std::vector<float> between(1000);
        std::vector<float> to(1000);
        runtime::CopyThread fast(0);
        (void)fast.launch({runtime::Move{between, from}, {}});
        const std::size_t last = fast.launch({runtime::Move{to, between}, {}});
        QVERIFY(fast.wait(last, {}));
        QVERIFY(to == from);
        QVERIFY(fast.times(0).end <= fast.times(last).begin);

        runtime::CopyThread broken(0, [](const runtime::Moves &) { throw std::runtime_error("lost"); });
        const std::size_t lost = broken.launch({});
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, (void)broken.wait(lost, {}));
        broken.drop();

        runtime::CopyThread slow(1e-3); // 46 days for the first
        const std::size_t never = slow.launch({runtime::Move{to, from}, {}});
        (void)slow.launch({runtime::Move{to, from}, {}});
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!slow.wait(never, stop.get_token()));
        slow.drop();
        QCOMPARE(slow.launch({}), std::size_t{0}); // nothing is left
        QVERIFY(slow.wait(0, {}));
    }
};

STAGELENS_TEST(RuntimeHostArena)

} // namespace unit_runtime_host_arena

#include "runtime/host_arena.moc"
