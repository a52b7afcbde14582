#include "tests/cuda_emulator/fibres.h"

#include "tests/cuda_emulator/access_watch.h"
#include "tests/cuda_emulator/activity.h"
#include "tests/cuda_emulator/fibre.h"
#include "tests/cuda_emulator/shuffler.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace stagelens::kernels::gpu::host {
namespace {

/// Unwinds a fibre whose launch has failed.
struct Cancelled {};

enum class State : unsigned char { Ready, AtBarrier, InWarp, Ended };

struct Copy {
    void *to;
    const void *from;
    int group;
};

struct Thread {
    Fibre *fibre = nullptr;
    State state = State::Ended;
    std::source_location where;
    int exchanges = 0; ///< number of exchanges of its warp so far
    std::uint32_t warpBarriers = 0;
    int copyGroup = 0;
    std::vector<Copy> copies;
};

/// The exchanged values of a warp. A lane is at most one exchange ahead of the others, so two sets suffice.
struct Warp {
    Deposit deposits[2][kWarp];
    int arrived = 0;
};

thread_local std::uint64_t seedOfLaunches = 1;
thread_local std::size_t sharedLimitOfLaunches = std::size_t{227} * 1024;
thread_local std::string faultOfLaunch;
thread_local std::function<bool(const void *, std::size_t)> canReachElsewhere; ///< empty: accesses are not watched

std::string placeOf(const std::source_location &where)
{
    const std::string file = where.file_name();
    return file.substr(file.rfind('/') + 1) + ':' + std::to_string(where.line());
}

/// The fibres of a host thread, reused by all launches, because creating stacks costs more than most kernels.
class FibrePool {
public:
    FibrePool() = default;
    ~FibrePool();
    FibrePool(const FibrePool &) = delete;
    FibrePool &operator=(const FibrePool &) = delete;

    Fibre *at(std::size_t index);

private:
    static void live();

    std::vector<std::unique_ptr<Fibre>> m_fibres;
    Fibre *m_leaving = nullptr;
};

thread_local FibrePool fibres;

class Machine {
public:
    Machine(const Grid &grid, const std::function<void()> &kernel);

    bool runGrid();
    void runThread();
    void wait(State state, const std::source_location &where);
    const Deposit *exchange(const Deposit &mine, const std::source_location &where);
    [[noreturn]] void fail(const std::string &why, const std::source_location &where);
    Thread &self() { return m_threads[static_cast<std::size_t>(m_position.thread)]; }
    const Position &position() const { return m_position; }
    std::byte *shared() { return m_shared.get(); }
    void onAccess(const void *address, std::size_t bytes, bool isWrite);
    void queueCopy(void *to, const void *from);
    void finishCopies(int pendingGroups);

private:
    void resume(int thread);
    bool runBlock();
    bool sweep(bool far);
    bool runWarp(std::vector<int> &lanes, bool far);
    bool releaseBarrier();
    void reportStuck();
    void cancel();

    Grid m_grid;
    const std::function<void()> &m_kernel;
    Shuffler m_shuffler{seedOfLaunches};
    Position m_position;
    std::vector<Thread> m_threads;
    std::vector<Warp> m_warps;
    std::vector<std::vector<int>> m_lanes; ///< of each warp, shuffled
    std::vector<std::size_t> m_order;      ///< of warps
    std::unique_ptr<std::byte[]> m_shared;
    bool m_cancelled = false;
    // If accesses are watched.
    SharedAccesses m_accesses;
    std::uint32_t m_barriers = 0; ///< of the block so far
    std::string m_wrongAccess;    ///< the first
};

thread_local Machine *machine = nullptr;

FibrePool::~FibrePool()
{
    for (const auto &fibre : m_fibres) {
        m_leaving = fibre.get();
        fibre->resume();
    }
}

Fibre *FibrePool::at(std::size_t index)
{
    while (m_fibres.size() <= index)
        m_fibres.push_back(std::make_unique<Fibre>(&FibrePool::live));
    return m_fibres[index].get();
}

/// The main function of a fibre: runs one thread of a block after another, for all launches.
void FibrePool::live()
{
    const auto self = [] { return fibres.m_leaving != nullptr ? fibres.m_leaving : machine->self().fibre; };
    self()->begun();
    while (fibres.m_leaving == nullptr) {
        machine->runThread();
        self()->suspend();
    }
    self()->end();
}

Machine::Machine(const Grid &grid, const std::function<void()> &kernel)
    : m_grid(grid), m_kernel(kernel), m_threads(static_cast<std::size_t>(grid.threads)),
      m_warps(static_cast<std::size_t>((grid.threads + kWarp - 1) / kWarp)), m_lanes(m_warps.size()), m_order(m_warps.size())
{
    for (int i = 0; i < grid.threads; ++i)
        m_lanes[static_cast<std::size_t>(i / kWarp)].push_back(i);
    std::iota(m_order.begin(), m_order.end(), std::size_t{0});
    for (std::size_t i = 0; i < m_threads.size(); ++i)
        m_threads[i].fibre = fibres.at(i);
}

/// Runs a thread of a block on its fibre.
void Machine::runThread()
{
    try {
        if (!m_cancelled)
            m_kernel();
    } catch (const Cancelled &) {
    }
    self().state = State::Ended;
    self().copies.clear();
}

void Machine::resume(int thread)
{
    m_position.thread = thread;
    self().fibre->resume();
}

void Machine::wait(State state, const std::source_location &where)
{
    Thread &mine = self();
    mine.state = state;
    mine.where = where;
    if (!m_cancelled)
        mine.fibre->suspend();
    if (m_cancelled)
        throw Cancelled{};
}

const Deposit *Machine::exchange(const Deposit &mine, const std::source_location &where)
{
    const auto thread = static_cast<std::size_t>(m_position.thread);
    Warp &warp = m_warps[thread / kWarp];
    Thread &own = self();
    Deposit *deposits = warp.deposits[own.exchanges++ % 2];
    deposits[thread % kWarp] = mine;
    if (++warp.arrived < kWarp) {
        wait(State::InWarp, where);
        return deposits;
    }
    warp.arrived = 0;
    for (const int lane : m_lanes[thread / kWarp]) {
        Thread &other = m_threads[static_cast<std::size_t>(lane)];
        if (&other == &own)
            continue;
        if (other.where.line() != where.line() || std::strcmp(other.where.file_name(), where.file_name()) != 0)
            fail("is at " + placeOf(where) + " while thread " + std::to_string(lane) + " of its warp is at " +
                     placeOf(other.where),
                 where);
        other.state = State::Ready;
    }
    return deposits;
}

void Machine::fail(const std::string &why, const std::source_location &where)
{
    if (!m_cancelled)
        faultOfLaunch = m_grid.kernel + ", block " + std::to_string(m_position.block) + ": thread " +
                        std::to_string(m_position.thread) + ' ' + why + " (" + placeOf(where) + ')';
    m_cancelled = true;
    throw Cancelled{};
}

/// Resumes the lanes of a warp once, or until none can continue. Returns whether any ran.
bool Machine::runWarp(std::vector<int> &lanes, bool far)
{
    bool ran = false;
    bool again = true;
    while (again && !m_cancelled) {
        again = false;
        m_shuffler.shuffle(lanes);
        for (const int lane : std::vector<int>(lanes)) {
            if (m_threads[static_cast<std::size_t>(lane)].state != State::Ready || m_cancelled)
                continue;
            resume(lane);
            ran = true;
            again = far;
        }
    }
    return ran;
}

bool Machine::sweep(bool far)
{
    bool ran = false;
    m_shuffler.shuffle(m_order);
    for (const std::size_t warp : m_order)
        ran = runWarp(m_lanes[warp], far) || ran;
    return ran;
}

/// Opens the barrier of the block if all threads wait at the same one.
bool Machine::releaseBarrier()
{
    const std::source_location &where = m_threads.front().where;
    for (const Thread &thread : m_threads)
        if (thread.state != State::AtBarrier || thread.where.line() != where.line() ||
            std::strcmp(thread.where.file_name(), where.file_name()) != 0)
            return false;
    for (Thread &thread : m_threads)
        thread.state = State::Ready;
    ++m_barriers;
    return true;
}

/// Reports, for example, "threads 0-31 wait at the barrier a.cu:7, threads 32-63 have ended".
void Machine::reportStuck()
{
    const auto stateText = [](const Thread &thread) -> std::string {
        switch (thread.state) {
        case State::AtBarrier: return "at the barrier of " + placeOf(thread.where);
        case State::InWarp: return "for their warp at " + placeOf(thread.where);
        case State::Ready: return "nowhere";
        case State::Ended: break;
        }
        return "no more: they have ended";
    };
    faultOfLaunch = m_grid.kernel + ", block " + std::to_string(m_position.block) + ": ";
    for (std::size_t first = 0; first < m_threads.size();) {
        std::size_t last = first;
        while (last + 1 < m_threads.size() && stateText(m_threads[last + 1]) == stateText(m_threads[first]))
            ++last;
        faultOfLaunch += (first == 0 ? "threads " : ", threads ") + std::to_string(first) + '-' + std::to_string(last) +
                         " wait " + stateText(m_threads[first]);
        first = last + 1;
    }
    m_cancelled = true;
}

/// Unwinds every fibre inside the kernel.
void Machine::cancel()
{
    for (int i = 0; i < m_grid.threads; ++i)
        if (m_threads[static_cast<std::size_t>(i)].state != State::Ended)
            resume(i);
}

bool Machine::runBlock()
{
    m_shared = std::make_unique_for_overwrite<std::byte[]>(m_grid.sharedBytes);
    std::fill_n(m_shared.get(), m_grid.sharedBytes, std::byte{0xff});
    if (canReachElsewhere)
        m_accesses.begin(m_grid.sharedBytes);
    m_barriers = 0;
    for (Thread &thread : m_threads) {
        thread.state = State::Ready;
        thread.exchanges = 0;
        thread.warpBarriers = 0;
        thread.copyGroup = 0;
    }
    for (Warp &warp : m_warps)
        warp.arrived = 0;
    // Either all warps advance together, or each runs as far ahead as possible.
    const bool far = m_shuffler.next() % 2 == 0;
    const auto hasEnded = [](const Thread &thread) { return thread.state == State::Ended; };
    while (!m_cancelled && !std::all_of(m_threads.begin(), m_threads.end(), hasEnded)) {
        while (sweep(far)) {
        }
        if (!m_cancelled && !std::all_of(m_threads.begin(), m_threads.end(), hasEnded) && !releaseBarrier())
            reportStuck();
    }
    if (m_cancelled)
        cancel();
    return !m_cancelled;
}

bool Machine::runGrid()
{
    std::vector<std::int64_t> blocks(static_cast<std::size_t>(m_grid.blocks * m_grid.blocksY * m_grid.blocksZ));
    std::iota(blocks.begin(), blocks.end(), std::int64_t{0});
    m_shuffler.shuffle(blocks);
    for (const std::int64_t block : blocks) {
        m_position.block = static_cast<int>(block % m_grid.blocks);
        m_position.blockY = static_cast<int>(block / m_grid.blocks % m_grid.blocksY);
        m_position.blockZ = static_cast<int>(block / m_grid.blocks / m_grid.blocksY);
        m_position.threads = m_grid.threads;
        m_position.blocks = static_cast<int>(m_grid.blocks);
        m_position.blocksZ = static_cast<int>(m_grid.blocksZ);
        if (!runBlock())
            return false;
    }
    if (!m_wrongAccess.empty())
        faultOfLaunch = m_wrongAccess;
    return m_wrongAccess.empty();
}

/// The compiler does not expect an access to throw, so the first wrong one is kept until the end of the launch.
void Machine::onAccess(const void *address, std::size_t bytes, bool isWrite)
{
    if (!canReachElsewhere || m_cancelled || !m_wrongAccess.empty())
        return;
    const auto *const at = static_cast<const std::byte *>(address);
    std::string why;
    if (at >= m_shared.get() && at + bytes <= m_shared.get() + m_grid.sharedBytes) {
        why = m_accesses.add(static_cast<std::size_t>(at - m_shared.get()), bytes,
                             {m_position.thread, m_barriers, self().warpBarriers}, isWrite);
    } else {
        const auto *const warps = reinterpret_cast<const std::byte *>(m_warps.data());
        const bool isDeposit = at >= warps && at < warps + m_warps.size() * sizeof(Warp);
        if (!isDeposit && !self().fibre->hasOnStack(at) && !canReachElsewhere(at, bytes))
            why = "thread " + std::to_string(m_position.thread) + (isWrite ? " writes " : " reads ") + std::to_string(bytes) +
                  " bytes that are in no array of the GPU";
    }
    if (!why.empty())
        m_wrongAccess = m_grid.kernel + ", block " + std::to_string(m_position.block) + ": " + why;
}

void carryOut(const Copy &copy)
{
    if (copy.from != nullptr)
        std::memcpy(copy.to, copy.from, 16);
    else
        std::memset(copy.to, 0, 16);
}

/// The copy writes at some time from here on until it is waited for.
void Machine::queueCopy(void *to, const void *from)
{
    onAccess(to, 16, true);
    if (from != nullptr)
        onAccess(from, 16, false);
    const Copy copy{to, from, self().copyGroup};
    if (seedOfLaunches % 2 == 1)
        carryOut(copy);
    self().copies.push_back(copy);
}

void Machine::finishCopies(int pendingGroups)
{
    Thread &mine = self();
    const auto isDue = [&](const Copy &copy) { return copy.group < mine.copyGroup - pendingGroups; };
    for (const Copy &copy : mine.copies)
        if (isDue(copy)) {
            onAccess(copy.to, 16, true);
            if (seedOfLaunches % 2 == 0)
                carryOut(copy);
        }
    std::erase_if(mine.copies, isDue);
}

} // namespace

void setSeed(std::uint64_t seed)
{
    seedOfLaunches = seed;
}

void setSharedLimit(std::size_t bytes)
{
    sharedLimitOfLaunches = bytes;
}

std::size_t sharedLimit()
{
    return sharedLimitOfLaunches;
}

const std::string &lastFault()
{
    return faultOfLaunch;
}

bool run(const Grid &grid, const std::function<void()> &kernel)
{
    if (grid.threads <= 0 || grid.threads % kWarp != 0) {
        faultOfLaunch = grid.kernel + ": " + std::to_string(grid.threads) + " threads are no whole number of warps";
        return false;
    }
    if (grid.blocksY > kMostBlocks || grid.blocksZ > kMostBlocks) {
        faultOfLaunch = grid.kernel + ": " + std::to_string(grid.blocksY) + " by " + std::to_string(grid.blocksZ) +
                        " blocks in y and z are more than " + std::to_string(kMostBlocks);
        return false;
    }
    if (grid.sharedBytes > sharedLimitOfLaunches) {
        faultOfLaunch = grid.kernel + ": " + std::to_string(grid.sharedBytes) + " bytes of shared memory are more than " +
                        std::to_string(sharedLimitOfLaunches);
        return false;
    }
    const std::int64_t begin = now();
    Machine each(grid, kernel);
    machine = &each;
    const bool isWhole = each.runGrid();
    machine = nullptr;
    note(grid.kernel, begin);
    return isWhole;
}

const Position &position()
{
    return machine->position();
}

std::byte *sharedMemory()
{
    return machine->shared();
}

void waitForBlock(const std::source_location &where)
{
    machine->wait(State::AtBarrier, where);
}

const Deposit *exchange(const Deposit &mine, const std::source_location &where)
{
    return machine->exchange(mine, where);
}

void countWarpBarrier()
{
    ++machine->self().warpBarriers;
}

void onAccess(const void *address, std::size_t bytes, bool isWrite)
{
    if (machine != nullptr)
        machine->onAccess(address, bytes, isWrite);
}

void watchAccesses(std::function<bool(const void *, std::size_t)> canReach)
{
    canReachElsewhere = std::move(canReach);
}

void queueCopy(void *to, const void *from)
{
    machine->queueCopy(to, from);
}

void endCopyGroup()
{
    ++machine->self().copyGroup;
}

void finishCopies(int pendingGroups)
{
    machine->finishCopies(pendingGroups);
}

void fail(const std::string &why, const std::source_location &where)
{
    machine->fail(why, where);
}

} // namespace stagelens::kernels::gpu::host
