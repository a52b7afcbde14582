// A process group whose processes are threads: exchange of data, leaving, and detection of lost processes.
#include "engine/backend/process_group.h"
#include "engine/backend/compute.h"
#include "engine/backend/memory.h"
#include "tests/support/memory_wire.h"
#include "tests/support/test_program.h"

#include <QtTest>
#include <functional>
#include <thread>

namespace unit_backend_process_group {

using namespace stagelens;
using namespace stagelens::backend;
using test::MemoryWire;
using test::WireHub;

namespace {

using namespace std::chrono_literals;

/// Connects `size` processes and runs `act` in each on a thread of its own.
std::shared_ptr<WireHub> together(int size, std::chrono::milliseconds silence,
                                  const std::function<void(ProcessGroup &, WireHub &)> &act)
{
    const auto hub = std::make_shared<WireHub>(size);
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size; ++rank) {
        threads.emplace_back([&, rank] {
            const auto wire = [&]() -> base::Result<std::unique_ptr<Wire>> {
                return std::unique_ptr<Wire>(std::make_unique<MemoryWire>(hub, rank));
            };
            auto group = ProcessGroup::join(wire, silence);
            if (!group)
                qFatal("%s", group.error().text().c_str());
            act(**group, *hub);
        });
    }
    threads.clear();
    return hub;
}

Tensor tensorOf(Pool &pool, std::initializer_list<float> values)
{
    auto tensor = std::make_shared<Buffer>(pool.allocate(values.size(), 0));
    std::copy(values.begin(), values.end(), tensor->data());
    return tensor;
}

Bytes bytesOf(int number)
{
    return {static_cast<std::byte>(number), static_cast<std::byte>(number)};
}

/// Blocks until a stop of `token`.
void awaitStop(std::stop_token token)
{
    std::atomic<bool> asked = false;
    const std::stop_callback wake(std::move(token), [&asked] {
        asked = true;
        asked.notify_one();
    });
    asked.wait(false);
}

} // namespace

class BackendProcessGroup : public QObject {
    Q_OBJECT

private slots:
    void collectiveCallsKeepTheirOrder()
    {
        const auto hub = together(3, 30s, [](ProcessGroup &group, WireHub & /*hub*/) {
            for (int round = 0; round < 20; ++round) {
                const auto all = group.gather(bytesOf(10 * round + group.rank()), {});
                QVERIFY(all.ok());
                QCOMPARE(all->size(), group.isFirst() ? std::size_t{3} : std::size_t{0});
                for (std::size_t rank = 0; rank < all->size(); ++rank)
                    QCOMPARE((*all)[rank], bytesOf(10 * round + static_cast<int>(rank)));
                QCOMPARE(*group.broadcast(bytesOf(group.isFirst() ? round : 99), {}), bytesOf(round));
            }
            QCOMPARE(group.leave(group.rank()), std::optional(0)); // the status of rank 0 is everybody's
        });
        QCOMPARE(hub->left.load(), 3);
    }

    void reductionsAreThoseOfOneProcess()
    {
        together(3, 30s, [](ProcessGroup &group, WireHub & /*hub*/) {
            const int rank = group.rank();
            Pool pool;
            {
                const auto transport = group.makeTransport({});
                // In floats 1e8 + 1 - 1e8 is 0 in this order and 1 in another.
                transport->send(rank, 1, {1, 0, 0}, tensorOf(pool, {rank == 0 ? 1e8F : rank == 1 ? 1.0F : -1e8F}));
                if (rank == 1) {
                    const Tensor sum = transport->reduce(1, {1, 0, 0}, *makeCpuCompute());
                    QCOMPARE(sum->data()[0], 0.0F);
                }
                transport->broadcast(rank, {3, 0, 0}, tensorOf(pool, {static_cast<float>(rank)}));
                std::vector<Tensor> parts;
                QVERIFY(transport->gather(rank, {3, 0, 0}, parts));
                QCOMPARE(parts.size(), std::size_t{3});
                QCOMPARE(parts[2]->data()[0], 2.0F);
            }
            for (const auto bytes : pool.meter().live())
                QCOMPARE(bytes, 0);
            QCOMPARE(group.leave(0), std::optional(0));
        });
    }

    void stopWakesAWaitForAnotherProcess()
    {
        together(2, 30s, [](ProcessGroup &group, WireHub & /*hub*/) {
            std::stop_source stop;
            const auto transport = group.makeTransport(stop.get_token());
            std::jthread waiting([&] { QVERIFY(transport->receive(1 - group.rank(), group.rank(), {}) == nullptr); });
            std::jthread collecting([&] {
                if (group.isFirst())
                    QCOMPARE(group.gather({}, stop.get_token()).error().kind, base::ErrorKind::Cancelled);
            });
            stop.request_stop();
            waiting.join();
            collecting.join();
            QCOMPARE(group.leave(0), std::optional(0));
        });
    }

    /// If one gives up, the others report its reason, and all leave in order.
    void oneThatGivesUpEndsAll()
    {
        const auto hub = together(3, 30s, [](ProcessGroup &group, WireHub & /*hub*/) {
            if (group.rank() == 2) {
                group.giveUp(base::Error::invalid("model.layers", "are 0; give at least 1"));
                group.giveUp(base::Error::cancelled());
            } else {
                QVERIFY(!group.gather({}, group.broken()).ok() || !group.isFirst());
                awaitStop(group.broken());
                const auto why = group.failure();
                QVERIFY(why.has_value());
                QCOMPARE(why->kind, base::ErrorKind::InvalidInput);
                QCOMPARE(why->text(), std::string("model.layers: process 2: are 0; give at least 1"));
            }
            QCOMPARE(group.leave(group.rank() == 2 ? 1 : 2), std::optional(2));
        });
        QCOMPARE(hub->left.load(), 3);
    }

    void silenceIsALoss()
    {
        const auto hub = together(3, 400ms, [](ProcessGroup &group, WireHub &wires) {
            QVERIFY(group.gather({}, {}).ok());
            QVERIFY(group.broadcast({}, {}).ok());
            if (group.rank() == 1) {
                const std::scoped_lock lock(wires.mutex);
                wires.mute.insert(1);
            } else {
                QVERIFY(!group.isFirst() || group.gather({}, group.broken()).error().kind == base::ErrorKind::Cancelled);
                awaitStop(group.broken());
                const std::string why = group.failure()->text();
                QVERIFY2(why.find("process 1") != std::string::npos, why.c_str());
                QVERIFY2(why.find("has not answered for 0.4 s; it was last seen in step") != std::string::npos, why.c_str());
            }
            QVERIFY(!group.leave(1));
        });
        QCOMPARE(hub->left.load(), 0);
    }

    /// A lost process never receives what is on its way to it; the memory of the run is freed all the same.
    void aLossFreesWhatIsUnsent()
    {
        together(2, 400ms, [](ProcessGroup &group, WireHub &wires) {
            QVERIFY(group.gather({}, {}).ok());
            QVERIFY(group.broadcast({}, {}).ok());
            if (group.rank() == 1) {
                {
                    const std::scoped_lock lock(wires.mutex);
                    wires.mute.insert(1);
                }
                QVERIFY(!group.leave(1));
                return;
            }
            {
                const std::scoped_lock lock(wires.mutex);
                wires.stuck.insert(0);
            }
            Pool pool;
            std::weak_ptr<Buffer> onItsWay;
            {
                const auto transport = group.makeTransport({});
                Tensor tensor = tensorOf(pool, {1, 2, 3});
                onItsWay = tensor;
                transport->send(0, 1, {1, 0, 0}, std::move(tensor));
                awaitStop(group.broken());
                transport->send(0, 1, {2, 0, 0}, tensorOf(pool, {4}));
            }
            QVERIFY(onItsWay.expired());
            for (const auto bytes : pool.meter().live())
                QCOMPARE(bytes, 0);
            QVERIFY(!group.leave(1));
        });
    }

    void clocksAreReadAcrossTheQuickestRound()
    {
        const ClockOffset offset = clockOffset({{100, 5000, 300}, {400, 5242, 420}, {500, 5900, 900}});
        QCOMPARE(offset.offset, 5242 - 410);
        QCOMPARE(offset.error, 10);
        QCOMPARE(clockOffset({}).offset, 0);
    }
};

STAGELENS_TEST(BackendProcessGroup)

} // namespace unit_backend_process_group

#include "backend/process_group.moc"
