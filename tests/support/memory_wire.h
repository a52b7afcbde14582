// Wires between threads of one process, so that a group of processes can be tested, and disturbed, without any.
#pragma once

#include "engine/backend/process_frames.h"
#include "engine/backend/wire.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace stagelens::test {

/// What all wires of a group share.
struct WireHub {
    explicit WireHub(int size) : boxes(static_cast<std::size_t>(size)), allLeave(size) {}

    struct Letter {
        int from;
        backend::WireHeader header;
        std::vector<std::byte> bytes;
    };
    std::mutex mutex;
    std::vector<std::deque<Letter>> boxes;
    std::set<int> mute;  ///< ranks whose messages are dropped
    std::set<int> stuck; ///< ranks whose tensors are kept and never sent, as MPI keeps those to a lost process
    std::barrier<> allLeave;
    std::atomic<int> left = 0; ///< wires that left in good order
};

class MemoryWire final : public backend::Wire {
public:
    MemoryWire(std::shared_ptr<WireHub> hub, int rank) : m_hub(std::move(hub)), m_rank(rank) {}

    [[nodiscard]] int rank() const override { return m_rank; }
    [[nodiscard]] int size() const override { return static_cast<int>(m_hub->boxes.size()); }
    [[nodiscard]] std::string description() const override { return "memory"; }
    base::Result<> send(int to, const backend::WireHeader &header, backend::WirePayload payload) override
    {
        const std::scoped_lock lock(m_hub->mutex);
        if (m_hub->stuck.contains(m_rank) && backend::typeOf(header) == backend::MessageType::TensorData)
            m_unsent.push_back(std::move(payload));
        else if (!m_hub->mute.contains(m_rank))
            m_hub->boxes[static_cast<std::size_t>(to)].push_back(
                {m_rank, header, {payload.bytes.begin(), payload.bytes.end()}});
        return {};
    }
    base::Result<bool> progress(backend::WireSink &sink) override
    {
        std::deque<WireHub::Letter> letters;
        {
            const std::scoped_lock lock(m_hub->mutex);
            letters.swap(m_hub->boxes[static_cast<std::size_t>(m_rank)]);
        }
        for (const WireHub::Letter &letter : letters) {
            backend::WirePayload payload;
            if (!letter.bytes.empty()) {
                payload = sink.place(letter.from, letter.header);
                std::copy(letter.bytes.begin(), letter.bytes.end(), payload.bytes.begin());
            }
            sink.arrived(letter.from, letter.header, std::move(payload));
        }
        return !letters.empty();
    }
    [[nodiscard]] std::size_t unsent() const override { return m_unsent.size(); }
    void leave() override
    {
        m_hub->allLeave.arrive_and_wait();
        ++m_hub->left;
    }

private:
    std::shared_ptr<WireHub> m_hub;
    int m_rank;
    std::vector<backend::WirePayload> m_unsent;
};

} // namespace stagelens::test
