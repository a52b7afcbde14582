// Byte counts of buffers, and the in-process transport.
#include "engine/backend/compute.h"
#include "engine/backend/memory.h"
#include "engine/backend/transport.h"
#include "tests/support/test_program.h"

#include <QtTest>
#include <array>
#include <stdexcept>
#include <thread>

namespace unit_runtime_backend {

using namespace stagelens;
using namespace stagelens::backend;

namespace {

Tensor tensorOf(Pool &pool, std::initializer_list<float> values)
{
    auto tensor = std::make_shared<Buffer>(pool.allocate(values.size(), 0));
    std::copy(values.begin(), values.end(), tensor->data());
    return tensor;
}

std::vector<float> valuesOf(const Tensor &tensor)
{
    return {tensor->values().begin(), tensor->values().end()};
}

} // namespace

class RuntimeBackend : public QObject {
    Q_OBJECT

private slots:
    void buffersAreCounted()
    {
        Pool pool;
        {
            Buffer first = pool.allocate(10, 1);
            const Buffer second = pool.allocate(5, 2);
            QCOMPARE(reinterpret_cast<std::uintptr_t>(first.data()) % 64, std::uintptr_t{0});
            QCOMPARE(pool.meter().live()[1], 40);
            QCOMPARE(pool.meter().live()[2], 20);
            const Buffer moved = std::move(first);
            QCOMPARE(pool.meter().live()[1], 40);
        }
        QCOMPARE(pool.meter().live()[1], 0);
        QCOMPARE(pool.meter().atPeak()[1], 40);
        QCOMPARE(pool.meter().atPeak()[2], 20);
        pool.meter().restartPeak();
        QCOMPARE(pool.meter().atPeak()[1], 0);
    }

    void blocksAreUsedAgain()
    {
        Pool pool;
        const float *block = pool.allocate(100, 0).data();
        QCOMPARE(static_cast<const float *>(pool.allocate(100, 0).data()), block);
        Buffer kept = pool.allocate(100, 0);
        kept = pool.allocate(100, 0); // the first goes back when the second has come
        QVERIFY(kept.data() != block);
    }

    void messagesWaitOrAreWaitedFor()
    {
        Pool pool;
        std::stop_source stop;
        const auto transport = makeInProcessTransport(2, stop.get_token());
        const MessageKey early{1, 0, 0};
        const MessageKey late{1, 0, 1};
        transport->send(0, 1, early, tensorOf(pool, {1, 2}));
        std::vector<float> received;
        std::thread receiver([&] {
            received = valuesOf(transport->receive(0, 1, late));
            received.push_back(transport->receive(0, 1, early)->data()[1]);
        });
        transport->send(0, 1, late, tensorOf(pool, {3}));
        receiver.join();
        QCOMPARE(received, (std::vector<float>{3, 2}));
    }

    void stopWakesEveryWait()
    {
        Pool pool;
        std::stop_source stop;
        const auto transport = makeInProcessTransport(3, stop.get_token());
        transport->broadcast(0, {}, tensorOf(pool, {1}));
        std::vector<std::thread> waiting;
        std::array<bool, 3> nothing{};
        waiting.emplace_back([&] { nothing[0] = transport->receive(1, 0, {5, 0, 0}) == nullptr; });
        waiting.emplace_back([&] {
            std::vector<Tensor> parts;
            nothing[1] = !transport->gather(1, {}, parts);
        });
        waiting.emplace_back([&] { nothing[2] = transport->reduce(2, {6, 0, 0}, *makeCpuCompute()) == nullptr; });
        stop.request_stop();
        for (std::thread &thread : waiting)
            thread.join();
        QCOMPARE(nothing, (std::array<bool, 3>{true, true, true}));
    }

    /// Offsets count numbers, and floats are values in fp32.
    void valuesKnowTheirPrecision()
    {
        std::array<float, 4> floats{1, 2, 3, 4};
        const Values inFloat = floats.data();
        QCOMPARE((inFloat + 3).floats(), floats.data() + 3);
        const ConstValues constant = inFloat;
        QCOMPARE(constant.floats(), floats.data());
        std::array<kernels::Bf16, 8> rounded{};
        const Values inBf16(rounded.data(), base::Precision::Bf16);
        QCOMPARE((inBf16 + 3).as<kernels::Bf16>(), rounded.data() + 3);
        QCOMPARE((ConstValues(inBf16) + 5).as<kernels::Bf16>(), rounded.data() + 5);
        QVERIFY_THROWS_EXCEPTION(std::logic_error, (void)inBf16.floats());
        QVERIFY_THROWS_EXCEPTION(std::logic_error, (void)constant.as<kernels::Bf16>());
        QVERIFY(!Values() && inBf16);
        QCOMPARE(Values().as<kernels::Bf16>(), nullptr); // nothing has no precision
        QCOMPARE(ConstValues(nullptr, base::Precision::Bf16).floats(), nullptr);
    }

    /// bf16 allocates in steps of 16 bytes; fp32 counts every number.
    void arraysTakeWholeVectors()
    {
        using base::floatsOf;
        for (const std::int64_t count : {0, 1, 5, 8, 9, 1000})
            QCOMPARE(floatsOf(count, base::Precision::Fp32), count);
        QCOMPARE(floatsOf(0, base::Precision::Bf16), std::int64_t{0});
        for (const std::int64_t count : {1, 7, 8})
            QCOMPARE(floatsOf(count, base::Precision::Bf16), std::int64_t{4});
        QCOMPARE(floatsOf(9, base::Precision::Bf16), std::int64_t{8});
        QCOMPARE(base::filledFloats(5, base::Precision::Bf16), std::int64_t{8});
        QCOMPARE(base::filledFloats(5, base::Precision::Fp32), std::int64_t{5});
    }

    void collectivesCombineInRankOrder()
    {
        Pool pool;
        const auto transport = makeInProcessTransport(3, {});
        const auto compute = makeCpuCompute();
        // In float 1e8 + 1 - 1e8 is 0 in this order and 1 in another; the parts arrive in reverse.
        for (const int rank : {2, 1, 0})
            transport->send(rank, 1, {1, 0, 0}, tensorOf(pool, {rank == 0 ? 1e8F : rank == 1 ? 1.0F : -1e8F}));
        QCOMPARE(valuesOf(transport->reduce(1, {1, 0, 0}, *compute)), std::vector<float>{0});
        for (const int rank : {1, 0, 2})
            transport->send(rank, 0, {2, 0, 0}, tensorOf(pool, {1, 2, 3, 4}));
        const std::vector<float> factors{1, 10, 2, 20, 3, 30};
        constexpr std::array kBlocks{RowBlock{2, 2}};
        QCOMPARE(valuesOf(transport->reduceScaled(0, {2, 0, 0}, factors.data(), kBlocks, *compute)),
                 (std::vector<float>{6, 12, 180, 240}));
        for (const int rank : {2, 0, 1})
            transport->broadcast(rank, {3, 0, 0}, tensorOf(pool, {static_cast<float>(rank)}));
        for (int rank = 0; rank < 3; ++rank) {
            std::vector<Tensor> parts;
            QVERIFY(transport->gather(rank, {3, 0, 0}, parts));
            QCOMPARE(parts.size(), std::size_t{3});
            QCOMPARE(parts[2]->data()[0], 2.0F);
        }
        transport->broadcast(2, {4, 0, 0}, tensorOf(pool, {7}));
        for (int rank = 0; rank < 3; ++rank)
            QCOMPARE(transport->receiveBroadcast(2, rank, {4, 0, 0})->data()[0], 7.0F);
        for (const auto bytes : pool.meter().live())
            QCOMPARE(bytes, 0);
    }
};

STAGELENS_TEST(RuntimeBackend)

} // namespace unit_runtime_backend

#include "runtime/backend.moc"
