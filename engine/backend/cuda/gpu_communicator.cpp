#include "engine/backend/cuda/gpu_communicator.h"

#include "engine/backend/cuda/gpu_memory.h"

#include <deque>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>
#include <vector>

namespace stagelens::backend {
namespace {

namespace gpu = kernels::gpu;

class GpuCommunicator final : public Communicator {
public:
    GpuCommunicator(Nccl &nccl, const NcclId &id, int ranks, int rank, int gpu)
        : m_nccl(nccl), m_rank(rank), m_gpu(gpu), m_stream(gpu)
    {
        useGpu(gpu);
        check(m_nccl.commInitRankConfig(m_comm, ranks, id, rank), "joining");
    }
    ~GpuCommunicator() override
    {
        if (m_comm != nullptr && m_isFinal)
            m_nccl.commDestroy(m_comm);
        else
            cancel();
        for (const gpu::Event event : m_spare)
            gpu::destroy(event);
        for (const gpu::Event event : m_pending)
            gpu::destroy(event);
    }

    bool isReady() override
    {
        int state = Nccl::kSuccess;
        check(m_nccl.commGetAsyncError(m_comm, state), "looking for errors");
        check(state, "a message");
        if (state == Nccl::kInProgress)
            return false;
        // NCCL has enqueued the operations only now, so the event recorded here follows them on the stream.
        if (std::exchange(m_isPosting, false)) {
            const gpu::Event event = takeEvent();
            m_pending.push_back(event);
            require(gpu::record(event, m_stream.get()), "recording an event");
        }
        return true;
    }
    void post(std::span<const PointToPoint> operations) override
    {
        useGpu(m_gpu);
        check(m_nccl.groupStart(), "beginning a group");
        for (const PointToPoint &each : operations)
            check(each.isSend ? m_nccl.send(each.data, each.bytes, each.peer, m_comm, m_stream.get())
                              : m_nccl.recv(each.data, each.bytes, each.peer, m_comm, m_stream.get()),
                  each.isSend ? "sending" : "receiving");
        check(m_nccl.groupEnd(), "ending a group");
        m_isPosting = true;
    }
    std::int64_t completed() override
    {
        for (bool happened = true; happened && !m_pending.empty();) {
            require(gpu::query(happened, m_pending.front()), "a message");
            if (!happened)
                break;
            m_spare.push_back(m_pending.front());
            m_pending.pop_front();
            ++m_completed;
        }
        return m_completed;
    }
    void finalize() override
    {
        check(m_nccl.commFinalize(m_comm), "ending");
        m_isFinal = true;
    }
    void cancel() noexcept override
    {
        if (m_comm == nullptr)
            return;
        (void)gpu::use(m_gpu); // called on another thread than the other functions
        m_nccl.commAbort(std::exchange(m_comm, nullptr));
    }

private:
    void check(int result, const char *what)
    {
        if (result != Nccl::kSuccess && result != Nccl::kInProgress)
            throw std::runtime_error(
                fmt::format("NCCL failed on device {} in {}: {}", m_rank, what, m_nccl.explain(result, m_comm)));
    }
    gpu::Event takeEvent()
    {
        if (m_spare.empty())
            require(gpu::makeEvent(m_spare.emplace_back()), "making an event");
        const gpu::Event event = m_spare.back();
        m_spare.pop_back();
        return event;
    }

    Nccl &m_nccl;
    int m_rank;
    int m_gpu;
    GpuStream m_stream;
    Nccl::Comm m_comm = nullptr;
    bool m_isPosting = false;
    bool m_isFinal = false;
    std::deque<gpu::Event> m_pending; ///< one per post(), in order
    std::vector<gpu::Event> m_spare;
    std::int64_t m_completed = 0;
};

} // namespace

std::unique_ptr<Communicator> makeGpuCommunicator(Nccl &nccl, const NcclId &id, int ranks, int rank, int gpu)
{
    return std::make_unique<GpuCommunicator>(nccl, id, ranks, rank, gpu);
}

} // namespace stagelens::backend
