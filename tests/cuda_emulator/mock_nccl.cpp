// A mock of NCCL for emulated GPUs, as strict as NCCL may be: a rank executes its operations in order, one group after another;
// a send completes when its receive reaches the front on the other rank; each call leaves the communicator busy until its state
// is queried. Ranks whose fronts wait for each other in a cycle get a deadlock error.
#include "tests/cuda_emulator/mock_nccl.h"

#include "engine/backend/cuda/nccl.h"
#include "tests/cuda_emulator/streams.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace stagelens::backend {
namespace {

using kernels::gpu::Stream;
using kernels::gpu::host::Queue;
using kernels::gpu::host::queueOf;

// Of ncclResult_t.
constexpr int kInternalError = 3;
constexpr int kInvalidArgument = 4;
constexpr int kInvalidUsage = 5;
constexpr int kRemoteError = 6;

struct Operation {
    bool isSend = false;
    void *data = nullptr;
    std::size_t bytes = 0;
    int peer = 0;
    bool isOver = false;
};
struct Group {
    std::vector<Operation> operations;
    Queue *stream = nullptr;
};
struct World;
/// The object behind a ncclComm_t.
struct Member {
    World *world = nullptr;
    int rank = 0;
    std::deque<Group> queue;
    bool isBusy = true; ///< until the next query of its state
    int failure = 0;
    std::string why;
    bool isFinal = false;
};
struct World {
    std::vector<std::unique_ptr<Member>> members; ///< null before they join and after they leave
    int joined = 0;
};
struct Fault {
    int operationsLeft = -1;
    int kind = 0;
};

struct Mock {
    std::mutex mutex;
    std::map<NcclId, World> worlds;
    std::map<int, Fault> faults; ///< by rank
    std::uint64_t ids = 0;
    std::int64_t messages = 0;
    int open = 0;
};
Mock &mock()
{
    static Mock one;
    return one;
}

/// Per thread, as the groups of NCCL.
struct OpenGroup {
    int depth = 0;
    Member *member = nullptr;
    Group group;
};
thread_local OpenGroup openGroup;

void fail(Member &member, int failure, const std::string &why)
{
    if (member.failure != 0)
        return;
    member.failure = failure;
    member.why = why;
}
void failAll(World &world, int failure, const std::string &why)
{
    for (const auto &member : world.members)
        if (member)
            fail(*member, failure, why);
}

bool hangs(int rank)
{
    const auto found = mock().faults.find(rank);
    return found != mock().faults.end() && found->second.operationsLeft == 0 && found->second.kind == kMockHung;
}

/// Returns the first open operation of that direction with a peer in the front group, or null.
Operation *openAt(Member *member, bool isSend, int peer)
{
    if (member == nullptr || member->queue.empty() || hangs(member->rank))
        return nullptr;
    auto &operations = member->queue.front().operations;
    const auto found = std::ranges::find_if(
        operations, [&](const Operation &each) { return !each.isOver && each.isSend == isSend && each.peer == peer; });
    return found == operations.end() ? nullptr : &*found;
}

void endIfOver(Member &member)
{
    Group &front = member.queue.front();
    if (!std::ranges::all_of(front.operations, &Operation::isOver))
        return;
    front.stream->end();
    member.queue.pop_front();
}

/// Executes all possible operations; returns whether there were any.
bool carry(World &world)
{
    for (const auto &sender : world.members) {
        for (std::size_t to = 0; sender && to < world.members.size(); ++to) {
            Operation *send = openAt(sender.get(), true, static_cast<int>(to));
            Operation *receive = openAt(world.members[to].get(), false, sender->rank);
            if (send == nullptr || receive == nullptr)
                continue;
            if (send->bytes != receive->bytes) {
                failAll(world, kInvalidArgument,
                        fmt::format("rank {} sends {} bytes where rank {} receives {}", sender->rank, send->bytes, to,
                                    receive->bytes));
                return false;
            }
            std::memcpy(receive->data, send->data, send->bytes);
            send->isOver = receive->isOver = true;
            ++mock().messages;
            endIfOver(*sender);
            endIfOver(*world.members[to]);
            return true;
        }
    }
    return false;
}

/// Returns the chain of ranks from `at` to `start` in which each front waits for the next rank, whose front waits for something
/// else; empty if there is none.
std::string wayTo(const World &world, int start, int at, std::vector<bool> &seen)
{
    const Member *member = world.members[static_cast<std::size_t>(at)].get();
    if (member == nullptr || member->queue.empty() || hangs(at) || seen[static_cast<std::size_t>(at)])
        return {};
    seen[static_cast<std::size_t>(at)] = true;
    for (const Operation &each : member->queue.front().operations) {
        if (each.isOver)
            continue;
        const std::string step = fmt::format("rank {}{}{}", at, each.isSend ? " sends to " : " receives from ", each.peer);
        if (each.peer == start && !world.members[static_cast<std::size_t>(start)]->queue.empty())
            return step;
        if (const std::string way = wayTo(world, start, each.peer, seen); !way.empty())
            return step + ", " + way;
    }
    return {};
}

void findDeadlock(World &world)
{
    for (int start = 0; start < static_cast<int>(world.members.size()); ++start) {
        std::vector<bool> seen(world.members.size());
        if (const std::string circle = wayTo(world, start, start, seen); !circle.empty())
            return failAll(world, kInternalError, "dead-lock: " + circle);
    }
}

void countDown(Member &member, std::size_t operations)
{
    const auto found = mock().faults.find(member.rank);
    if (found == mock().faults.end() || found->second.operationsLeft <= 0)
        return;
    int &left = found->second.operationsLeft;
    left = std::max(0, left - static_cast<int>(operations));
    if (left > 0 || found->second.kind != kMockLost)
        return;
    fail(member, kInternalError, "the link is gone");
    failAll(*member.world, kRemoteError, fmt::format("rank {} has closed its connection", member.rank));
}

class MockNccl final : public Nccl {
public:
    std::string version() override { return "2.99.0"; }
    int getUniqueId(NcclId &id) override
    {
        const std::scoped_lock lock(mock().mutex);
        id = {};
        const std::uint64_t number = ++mock().ids;
        std::memcpy(id.data(), &number, sizeof(number));
        return kSuccess;
    }
    int commInitRankConfig(Comm &comm, int ranks, const NcclId &id, int rank) override
    {
        const std::scoped_lock lock(mock().mutex);
        World &world = mock().worlds[id];
        world.members.resize(static_cast<std::size_t>(ranks));
        auto &member = world.members[static_cast<std::size_t>(rank)];
        if (member)
            return kInvalidUsage;
        member = std::make_unique<Member>();
        member->world = &world;
        member->rank = rank;
        ++world.joined;
        ++mock().open;
        comm = member.get();
        return kInProgress;
    }
    int commGetAsyncError(Comm comm, int &state) override
    {
        const std::scoped_lock lock(mock().mutex);
        Member &member = memberOf(comm);
        const bool areThere = member.world->joined == static_cast<int>(member.world->members.size());
        state = member.failure != 0 ? member.failure : member.isBusy || !areThere ? kInProgress : kSuccess;
        member.isBusy = false;
        return kSuccess;
    }
    int groupStart() override
    {
        ++openGroup.depth;
        return kSuccess;
    }
    int groupEnd() override
    {
        if (--openGroup.depth > 0)
            return kSuccess;
        const std::scoped_lock lock(mock().mutex);
        Group group = std::exchange(openGroup.group, {});
        Member *member = std::exchange(openGroup.member, nullptr);
        if (member == nullptr)
            return kSuccess;
        member->isBusy = true;
        ++group.stream->queued;
        countDown(*member, group.operations.size());
        member->queue.push_back(std::move(group));
        while (carry(*member->world)) {
        }
        findDeadlock(*member->world);
        return kInProgress;
    }
    int send(const void *data, std::size_t bytes, int peer, Comm comm, Stream stream) override
    {
        return add({true, const_cast<void *>(data), bytes, peer}, comm, stream);
    }
    int recv(void *data, std::size_t bytes, int peer, Comm comm, Stream stream) override
    {
        return add({false, data, bytes, peer}, comm, stream);
    }
    int commFinalize(Comm comm) override
    {
        const std::scoped_lock lock(mock().mutex);
        Member &member = memberOf(comm);
        if (member.isBusy || !member.queue.empty())
            return kInvalidUsage;
        member.isFinal = member.isBusy = true;
        return kInProgress;
    }
    int commDestroy(Comm comm) override { return remove(comm); }
    int commAbort(Comm comm) override { return remove(comm); }
    std::string explain(int result, Comm comm) override
    {
        const std::scoped_lock lock(mock().mutex);
        if (comm != nullptr && !memberOf(comm).why.empty())
            return memberOf(comm).why;
        return result == kInvalidUsage ? "invalid usage" : fmt::format("result {}", result);
    }

private:
    static Member &memberOf(Comm comm) { return *static_cast<Member *>(comm); }

    static int add(const Operation &operation, Comm comm, Stream stream)
    {
        const std::scoped_lock lock(mock().mutex);
        Member &member = memberOf(comm);
        if (openGroup.depth == 0 || member.isBusy || member.isFinal || queueOf(stream) == nullptr ||
            operation.peer == member.rank)
            return kInvalidUsage;
        openGroup.member = &member;
        openGroup.group.stream = queueOf(stream);
        openGroup.group.operations.push_back(operation);
        return member.failure;
    }
    static int remove(Comm comm)
    {
        const std::scoped_lock lock(mock().mutex);
        Member &member = memberOf(comm);
        World &world = *member.world;
        for (const Group &group : member.queue)
            group.stream->end();
        --mock().open;
        world.members[static_cast<std::size_t>(member.rank)].reset();
        if (std::ranges::all_of(world.members, [](const auto &each) { return each == nullptr; }))
            std::erase_if(mock().worlds, [&world](const auto &each) { return &each.second == &world; });
        return kSuccess;
    }
};

} // namespace

Nccl *nccl(std::string & /*problem*/)
{
    static MockNccl all;
    return &all;
}

} // namespace stagelens::backend

using stagelens::backend::mock;

void stagelensFailMockNccl(int rank, int operations, int fault)
{
    const std::scoped_lock lock(mock().mutex);
    mock().faults[rank] = {operations, fault};
}

std::int64_t stagelensMockNcclMessages()
{
    const std::scoped_lock lock(mock().mutex);
    return mock().messages;
}

int stagelensMockNcclOpen()
{
    const std::scoped_lock lock(mock().mutex);
    return mock().open;
}
