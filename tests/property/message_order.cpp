// The one order of a step's messages: it has what the passes really send, and no device waits for ever where each of its sends
// blocks until it is received.
#include "engine/runtime/executor/message_order.h"
#include "engine/base/random.h"
#include "engine/base/text.h"
#include "engine/model/names.h"
#include "engine/runtime/executor/evaluation.h"
#include "engine/runtime/executor/unit_of_work.h"
#include "engine/schedule/pass_index.h"
#include "tests/support/requirements.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

#include <QtTest>
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <mutex>

namespace property_message_order {

using namespace stagelens;
using backend::Message;
using runtime::size;
using schedule::Pass;

namespace {

std::uint64_t seed()
{
    bool given = false;
    const std::uint64_t own = qEnvironmentVariable("STAGELENS_SEED").toULongLong(&given);
    return given ? own : 20261122;
}

/// Carries everything in process, and writes down what goes from one device to another.
class Recorder final : public backend::Transport {
public:
    Recorder(int ranks, std::stop_token stop)
        : Transport(ranks), m_carrier(backend::makeInProcessTransport(ranks, std::move(stop)))
    {}
    void send(int from, int to, const backend::MessageKey &key, backend::Tensor tensor) override
    {
        if (from != to) {
            const std::scoped_lock lock(m_mutex);
            m_sent.push_back({from, to, key, static_cast<std::int64_t>(tensor->size())});
        }
        m_carrier->send(from, to, key, std::move(tensor));
    }
    backend::Tensor receive(int from, int to, const backend::MessageKey &key) override
    {
        return m_carrier->receive(from, to, key);
    }
    void join(int rank) override { m_carrier->join(rank); }
    void leave(int rank) override { m_carrier->leave(rank); }
    /// Since the last call, in any order.
    [[nodiscard]] std::vector<Message> takeSent() { return std::exchange(m_sent, {}); }

private:
    std::unique_ptr<backend::Transport> m_carrier;
    std::mutex m_mutex;
    std::vector<Message> m_sent;
};

/// Two microbatches to evaluate with.
class FewTokens final : public runtime::TokenSource {
public:
    explicit FewTokens(const runtime::Shape &shape) : m_sequences(2 * static_cast<int>(shape.batch)) {}
    void batch(std::int64_t /*step*/, int /*microbatch*/, std::span<std::int32_t> inputs,
               std::span<std::int32_t> labels) const override
    {
        std::ranges::fill(inputs, 1);
        std::ranges::fill(labels, 2);
    }
    void heldBack(int microbatch, std::span<std::int32_t> inputs, std::span<std::int32_t> labels) const override
    {
        batch(0, microbatch, inputs, labels);
    }
    [[nodiscard]] int heldBackSequences() const override { return m_sequences; }
    [[nodiscard]] std::string description() const override { return "few"; }

private:
    int m_sequences;
};

struct Sent {
    std::vector<Message> step;
    std::vector<Message> evaluation;
};

/// What the devices of a plan really send.
Sent messagesOfARun(const model::Experiment &experiment, const runtime::RunPlan &plan)
{
    std::stop_source halt;
    const int count = plan.schedule.devices();
    const auto plans = runtime::memoryPlan(experiment, plan.schedule);
    if (!plans)
        qFatal("%s", plans.error().text().c_str());
    std::vector<std::unique_ptr<runtime::DeviceMemory>> memories;
    const auto compute = backend::makeCpuCompute();
    Recorder transport(count, halt.get_token());
    const runtime::Batch batch(plan.shape);
    runtime::Devices devices;
    for (int rank = 0; rank < count; ++rank) {
        memories.push_back(std::make_unique<runtime::DeviceMemory>((*plans)[size(rank)], plan.schedule.device(rank), rank));
        devices.push_back(std::make_unique<runtime::Device>(
            plan, plan.placeOf(rank), *memories.back(),
            runtime::Device::Transports{transport, transport, transport, transport, transport, transport, transport, transport},
            *compute));
        devices.back()->beginStep(batch, 0, runtime::StepUse::Gradients);
    }
    const runtime::StepHooks hooks{.afterPass = [] {}};
    const auto run = runVirtualClock(plan, devices, hooks, halt.get_token());
    Sent sent{transport.takeSent(), {}};
    std::vector<runtime::Device *> all;
    for (const auto &device : devices)
        all.push_back(device.get());
    const auto evaluated = evaluateHeldBack(plan, all, FewTokens(plan.shape), 0, halt.get_token());
    sent.evaluation = transport.takeSent();
    devices.clear();
    if (!run || !evaluated)
        qFatal("%s", (run ? evaluated.error() : run.error()).text().c_str());
    return sent;
}

std::vector<Message> sorted(std::vector<Message> messages)
{
    std::ranges::sort(messages);
    return messages;
}

/// Carries a plan out without time, each device's messages one after the other in their order: a send is over when the receiver
/// has come to it as well.
class BlockingRun {
public:
    BlockingRun(const runtime::RunPlan &plan, const std::vector<Message> &order)
        : m_plan(plan), m_order(order), m_index(plan.schedule), m_own(size(plan.schedule.devices())),
          m_at(size(plan.schedule.devices())), m_next(size(plan.schedule.devices())), m_isDone(plan.schedule.passCount()),
          m_isMade(order.size()), m_hasCome(order.size())
    {
        for (std::size_t i = 0; i < order.size(); ++i) {
            m_own[size(order[i].from)].push_back(i);
            m_own[size(order[i].to)].push_back(i);
            m_place[order[i]] = i;
        }
        for (int device = 0; device < plan.schedule.devices(); ++device)
            for (std::size_t i = 0; i < plan.schedule.device(device).size(); ++i)
                m_index.add(plan.schedule.device(device)[i], device, plan.schedule.firstIndex(device) + i);
    }

    /// Whether all passes run and all messages come.
    [[nodiscard]] bool ends()
    {
        for (bool moves = true; moves;) {
            moves = false;
            for (int device = 0; device < m_plan.schedule.devices(); ++device)
                moves = runUnit(device) || carry(device) || moves;
        }
        return std::ranges::count(m_isDone, true) == std::ssize(m_isDone) &&
               std::ranges::count(m_hasCome, true) == std::ssize(m_hasCome);
    }

private:
    bool carry(int device)
    {
        if (m_at[size(device)] == m_own[size(device)].size())
            return false;
        const std::size_t number = m_own[size(device)][m_at[size(device)]];
        const Message &message = m_order[number];
        const int other = message.from == device ? message.to : message.from;
        const std::size_t at = m_at[size(other)];
        if (!m_isMade[number] || at == m_own[size(other)].size() || m_own[size(other)][at] != number)
            return false;
        m_hasCome[number] = true;
        ++m_at[size(device)];
        ++m_at[size(other)];
        return true;
    }
    bool runUnit(int device)
    {
        const auto rest = m_plan.schedule.device(device).subspan(m_next[size(device)]);
        if (rest.empty())
            return false;
        const auto unit = schedule::unitOf(rest);
        for (const Pass &pass : unit)
            for (const schedule::Requirement &need : test::requirementsOf(m_plan.schedule, pass))
                if (!isThere(need, pass, device))
                    return false;
        for (const Pass &pass : unit) {
            m_isDone[m_plan.schedule.firstIndex(device) + m_next[size(device)]++] = true;
            for (const Message &message : messagesOf(m_plan, device, pass))
                if (message.from != message.to)
                    m_isMade[m_place.at(message)] = true;
        }
        return true;
    }
    /// Everything that the needed passes send to the device.
    [[nodiscard]] bool isThere(const schedule::Requirement &need, const Pass &pass, int device) const
    {
        const int first = need.allDevices ? 0 : need.stage;
        const int last = need.allDevices ? m_plan.schedule.devices() - 1 : need.stage;
        for (int unit = first; unit <= last; ++unit) {
            const std::uint32_t number = m_index.at(need.kind, unit, pass.microbatch);
            if (!m_isDone[number])
                return false;
            int on = 0;
            while (on + 1 < m_plan.schedule.devices() && m_plan.schedule.firstIndex(on + 1) <= number)
                ++on;
            const Pass &made = m_plan.schedule.device(on)[number - m_plan.schedule.firstIndex(on)];
            for (const Message &message : messagesOf(m_plan, on, made))
                if (on != device && message.to == device && !m_hasCome[m_place.at(message)])
                    return false;
        }
        return true;
    }

    const runtime::RunPlan &m_plan;
    const std::vector<Message> &m_order;
    schedule::PassIndex m_index;
    std::map<Message, std::size_t> m_place;
    std::vector<std::vector<std::size_t>> m_own; ///< places in the order, of each device
    std::vector<std::size_t> m_at;               ///< how many of them are over
    std::vector<std::size_t> m_next;             ///< pass of each device
    std::vector<bool> m_isDone;                  ///< pass, by number
    std::vector<bool> m_isMade;                  ///< message, by its place
    std::vector<bool> m_hasCome;
};

std::string nameOf(const model::Experiment &experiment)
{
    return fmt::format("{} under {}, p={}, m={}", experiment.schedule.family, model::name(experiment.schedule.vocabulary),
                       experiment.parallel.devices, experiment.parallel.microbatches);
}

/// A plan of that family and method, of any shape; nothing where the family refuses it.
std::optional<model::Experiment> randomPlan(base::Random &random, std::string_view family, model::VocabularyMethod method,
                                            int mostDevices)
{
    const int devices = static_cast<int>(random.nextInteger(1, mostDevices));
    const int microbatches = static_cast<int>(random.nextInteger(1, 9));
    model::Experiment experiment = test::smallExperiment(std::string(family), method, devices, microbatches);
    if (random.nextInteger(0, 1) == 0)
        experiment = test::asLlama(experiment, 1);
    return schedule::makeSchedule(experiment).ok() ? std::optional(experiment) : std::nullopt;
}

} // namespace

class MessageOrder : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { qInfo("STAGELENS_SEED=%llu", static_cast<unsigned long long>(seed())); }

    void hasWhatARunSends_data() { addPlans(); }
    void hasWhatARunSends()
    {
        QFETCH(QByteArray, family);
        QFETCH(int, method);
        base::Random random(seed());
        int tried = 0;
        for (int i = 0; i < 8 && tried < 2; ++i) {
            const auto experiment = randomPlan(random, family.constData(), static_cast<model::VocabularyMethod>(method), 4);
            if (!experiment || experiment->parallel.devices == 1)
                continue;
            ++tried;
            const runtime::RunPlan plan(*experiment, test::scheduleOf(*experiment));
            const Sent sent = messagesOfARun(*experiment, plan);
            QVERIFY2(sorted(messageOrder(plan)) == sorted(sent.step), nameOf(*experiment).c_str());
            const std::vector<Message> once = forwardMessageOrder(plan);
            std::vector<Message> twice = once;
            twice.insert(twice.end(), once.begin(), once.end());
            QVERIFY2(sorted(twice) == sorted(sent.evaluation), nameOf(*experiment).c_str());
        }
        QVERIFY(tried > 0);
    }

    void neverDeadLocks_data() { addPlans(); }
    void neverDeadLocks()
    {
        QFETCH(QByteArray, family);
        QFETCH(int, method);
        base::Random random(seed());
        int tried = 0;
        for (int i = 0; i < (test::kIsSanitized ? 8 : 40); ++i) {
            const auto experiment = randomPlan(random, family.constData(), static_cast<model::VocabularyMethod>(method), 8);
            if (!experiment)
                continue;
            ++tried;
            const runtime::RunPlan plan(*experiment, test::scheduleOf(*experiment));
            const std::vector<Message> order = messageOrder(plan);
            QVERIFY2(BlockingRun(plan, order).ends(), nameOf(*experiment).c_str());
            QVERIFY2(order == messageOrder(plan), nameOf(*experiment).c_str());
        }
        QVERIFY(tried > 0);
    }

    /// The test would see an order that does not suit.
    void anOrderThatDoesNotSuitDeadLocks()
    {
        const model::Experiment experiment = test::smallExperiment("1f1b", model::VocabularyMethod::None, 2, 4);
        const runtime::RunPlan plan(experiment, test::scheduleOf(experiment));
        std::vector<Message> order = messageOrder(plan);
        QVERIFY(BlockingRun(plan, order).ends());
        QCOMPARE(messageText(plan, order.front()), std::string("the output of F0@0 from device 0 to device 1"));
        QCOMPARE(messageText(plan, order.back()), std::string("the gradient of B3@1 from device 1 to device 0"));
        std::ranges::reverse(order);
        QVERIFY(!BlockingRun(plan, order).ends());
    }

private:
    static void addPlans()
    {
        QTest::addColumn<QByteArray>("family");
        QTest::addColumn<int>("method");
        for (const auto &[family, method] : test::allPlans())
            QTest::addRow("%s %s", family.c_str(), model::name(method).data())
                << QByteArray::fromStdString(family) << static_cast<int>(method);
    }
};

STAGELENS_TEST(MessageOrder)

} // namespace property_message_order

#include "message_order.moc"
