// The MPI plug-in, the only part of Stagelens that is linked with MPI.
#include "engine/backend/wire.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <mpi.h>
#include <utility>
#include <vector>

namespace stagelens::backend {
namespace {

/// MPI counts bytes in int.
constexpr std::size_t kMostBytes = std::size_t{1} << 30U;
/// Header and payload are separate messages, so that the payload is sent and received in place. MPI preserves the order per
/// tag.
enum Tag : int { kHeader = 1, kPayload = 2 };

std::string problemOf(int code)
{
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(code, text, &length);
    return std::string("mpi: ") + text;
}

bool isDone(std::vector<MPI_Request> &requests, int &code)
{
    int done = 0;
    code = MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
}

class MpiWire final : public Wire {
public:
    explicit MpiWire(MPI_Comm all) : m_all(all)
    {
        MPI_Comm_rank(all, &m_rank);
        MPI_Comm_size(all, &m_size);
        m_isPending.resize(static_cast<std::size_t>(m_size));
        listen();
    }

    [[nodiscard]] int rank() const override { return m_rank; }
    [[nodiscard]] int size() const override { return m_size; }
    [[nodiscard]] std::string description() const override
    {
        char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
        int length = 0;
        MPI_Get_library_version(text, &length);
        return {text, std::find(text, text + length, ',')}; // the rest describes its build
    }

    base::Result<> send(int to, const WireHeader &header, WirePayload payload) override
    {
        Sending &sending = m_sending.emplace_back();
        sending.header = header;
        sending.payload = std::move(payload);
        MPI_Request request = MPI_REQUEST_NULL;
        int code = MPI_Isend(&sending.header, sizeof(WireHeader), MPI_BYTE, to, kHeader, m_all, &request);
        sending.requests.push_back(request);
        forEachPart(sending.payload.bytes, [&](std::byte *bytes, int count) {
            if (code == MPI_SUCCESS)
                code = MPI_Isend(bytes, count, MPI_BYTE, to, kPayload, m_all, &sending.requests.emplace_back(MPI_REQUEST_NULL));
        });
        return outcome(code);
    }

    base::Result<bool> progress(WireSink &sink) override
    {
        bool hasMoved = false;
        int code = MPI_SUCCESS;
        for (auto sending = m_sending.begin(); sending != m_sending.end() && code == MPI_SUCCESS;) {
            const bool done = isDone(sending->requests, code);
            sending = done ? m_sending.erase(sending) : std::next(sending);
            hasMoved |= done;
        }
        while (code == MPI_SUCCESS && takeHeader(sink, code))
            hasMoved = true;
        // The messages of a process are delivered in the order of their sending, whichever is complete first.
        m_isPending.assign(m_isPending.size(), 0);
        for (auto coming = m_coming.begin(); coming != m_coming.end() && code == MPI_SUCCESS;) {
            char &isPending = m_isPending[static_cast<std::size_t>(coming->from)];
            if (isPending != 0 || !isDone(coming->requests, code)) {
                isPending = 1;
                ++coming;
                continue;
            }
            sink.arrived(coming->from, coming->header, std::move(coming->payload));
            coming = m_coming.erase(coming);
            hasMoved = true;
        }
        if (code != MPI_SUCCESS)
            return outcome(code).error();
        return hasMoved;
    }

    [[nodiscard]] std::size_t unsent() const override { return m_sending.size(); }

    void leave() override
    {
        MPI_Cancel(&m_listening);
        MPI_Wait(&m_listening, MPI_STATUS_IGNORE);
        MPI_Comm_free(&m_all);
        MPI_Finalize();
    }

private:
    struct Sending {
        WireHeader header;
        WirePayload payload;
        std::vector<MPI_Request> requests;
    };
    struct Coming {
        int from;
        WireHeader header;
        WirePayload payload;
        std::vector<MPI_Request> requests;
    };

    static base::Result<> outcome(int code)
    {
        return code == MPI_SUCCESS ? base::Result<>() : base::Error::failed(problemOf(code));
    }

    template <class Use>
    static void forEachPart(std::span<std::byte> bytes, const Use &use)
    {
        for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), kMostBytes)))
            use(bytes.data(), static_cast<int>(std::min(bytes.size(), kMostBytes)));
    }

    void listen() { MPI_Irecv(&m_header, sizeof(WireHeader), MPI_BYTE, MPI_ANY_SOURCE, kHeader, m_all, &m_listening); }

    /// Receives the next header if one has arrived. Starts to receive its payload, or delivers a message without payload.
    bool takeHeader(WireSink &sink, int &code)
    {
        int done = 0;
        MPI_Status status;
        code = MPI_Test(&m_listening, &done, &status);
        if (code != MPI_SUCCESS || done == 0)
            return false;
        const WireHeader header = m_header;
        const int from = status.MPI_SOURCE;
        listen();
        if (header.bytes == 0) {
            sink.arrived(from, header, {});
            return true;
        }
        Coming &coming = m_coming.emplace_back(Coming{from, header, sink.place(from, header), {}});
        forEachPart(coming.payload.bytes, [&](std::byte *bytes, int count) {
            if (code == MPI_SUCCESS)
                code =
                    MPI_Irecv(bytes, count, MPI_BYTE, from, kPayload, m_all, &coming.requests.emplace_back(MPI_REQUEST_NULL));
        });
        return true;
    }

    MPI_Comm m_all;
    int m_rank = 0;
    int m_size = 0;
    WireHeader m_header; ///< receive buffer of m_listening
    MPI_Request m_listening = MPI_REQUEST_NULL;
    std::list<Sending> m_sending;  ///< lists, because MPI holds pointers to the headers
    std::list<Coming> m_coming;    ///< in the order of their headers
    std::vector<char> m_isPending; ///< by process: whether an earlier message is not complete
};

} // namespace
} // namespace stagelens::backend

extern "C" stagelens::backend::Wire *stagelensOpenWire(std::uint32_t version, std::string *problem)
{
    using namespace stagelens::backend;
    if (version != kWireVersion) {
        *problem = "the MPI plug-in is from another build; rebuild it";
        return nullptr;
    }
    int provided = 0;
    MPI_Comm all = MPI_COMM_NULL;
    int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_dup(MPI_COMM_WORLD, &all);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
    if (code != MPI_SUCCESS)
        *problem = problemOf(code);
    else if (provided < MPI_THREAD_FUNNELED)
        *problem = "mpi: this library does not support threads (MPI_THREAD_FUNNELED); install another MPI";
    return problem->empty() ? new MpiWire(all) : nullptr;
}
