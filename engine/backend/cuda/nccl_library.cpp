// Loads NCCL on first use, so that GPUs work without it.
#include "engine/backend/cuda/nccl.h"

#include "engine/base/text.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <nccl.h>

namespace stagelens::backend {
namespace {

static_assert(NCCL_UNIQUE_ID_BYTES == sizeof(NcclId));
static_assert(ncclSuccess == Nccl::kSuccess && ncclInProgress == Nccl::kInProgress);

constexpr int kMostBlocks = 8; ///< of 132 multiprocessors
/// The first version with the required finalize and abort of non-blocking communicators.
constexpr int kLeastVersion = NCCL_VERSION(2, 18, 0);

std::string ncclVersionText(int code)
{
    return fmt::format("{}.{}.{}", code / 10000, code % 10000 / 100, code % 100);
}

class NcclLibrary final : public Nccl {
public:
    /// Loads the library. Returns why it is not usable, or an empty string.
    [[nodiscard]] std::string load()
    {
        // Does not override values of the user. NVLS does not add in a fixed order. NCCL_LAUNCH_ORDER_IMPLICIT makes
        // communicators run in the order of the calls.
        ::setenv("NCCL_NVLS_ENABLE", "0", 0);
        ::setenv("NCCL_LAUNCH_ORDER_IMPLICIT", "1", 0);
        void *library = ::dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr)
            return fmt::format("NCCL cannot be loaded: {}; install libnccl2 {}.{}", ::dlerror(), NCCL_MAJOR, NCCL_MINOR);
        std::string missing;
        const auto find = [&](auto &function, const char *name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
            if (function == nullptr)
                missing = name;
        };
        find(m_getVersion, "ncclGetVersion");
        find(m_getUniqueId, "ncclGetUniqueId");
        find(m_commInitRankConfig, "ncclCommInitRankConfig");
        find(m_commGetAsyncError, "ncclCommGetAsyncError");
        find(m_groupStart, "ncclGroupStart");
        find(m_groupEnd, "ncclGroupEnd");
        find(m_send, "ncclSend");
        find(m_recv, "ncclRecv");
        find(m_commFinalize, "ncclCommFinalize");
        find(m_commDestroy, "ncclCommDestroy");
        find(m_commAbort, "ncclCommAbort");
        find(m_getErrorString, "ncclGetErrorString");
        find(m_getLastError, "ncclGetLastError");
        int code = 0;
        if (m_getVersion == nullptr || m_getVersion(&code) != ncclSuccess)
            return "libnccl.so.2 does not report its version; reinstall NCCL";
        m_version = ncclVersionText(code);
        if (code < kLeastVersion)
            return fmt::format("NCCL {} is too old, {} is needed; install libnccl2 {}.{}", m_version,
                               ncclVersionText(kLeastVersion), NCCL_MAJOR, NCCL_MINOR);
        return missing.empty()
                   ? std::string()
                   : fmt::format("NCCL {} has no {}; install libnccl2 {}.{}", m_version, missing, NCCL_MAJOR, NCCL_MINOR);
    }

    std::string version() override { return m_version; }
    int getUniqueId(NcclId &id) override
    {
        ncclUniqueId made{};
        const ncclResult_t result = m_getUniqueId(&made);
        std::memcpy(id.data(), made.internal, id.size());
        return result;
    }
    int commInitRankConfig(Comm &comm, int ranks, const NcclId &id, int rank) override
    {
        ncclUniqueId same{};
        std::memcpy(same.internal, id.data(), id.size());
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 0;
        // A receive that waits occupies its thread blocks: no more than the products can spare.
        config.maxCTAs = kMostBlocks;
        ncclComm_t made = nullptr;
        const ncclResult_t result = m_commInitRankConfig(&made, ranks, same, rank, &config);
        comm = made;
        return result;
    }
    int commGetAsyncError(Comm comm, int &state) override
    {
        ncclResult_t found = ncclSuccess;
        const ncclResult_t result = m_commGetAsyncError(native(comm), &found);
        state = found;
        return result;
    }
    int groupStart() override { return m_groupStart(); }
    int groupEnd() override { return m_groupEnd(); }
    int send(const void *data, std::size_t bytes, int peer, Comm comm, kernels::gpu::Stream stream) override
    {
        return m_send(data, bytes, ncclUint8, peer, native(comm), static_cast<cudaStream_t>(stream.handle));
    }
    int recv(void *data, std::size_t bytes, int peer, Comm comm, kernels::gpu::Stream stream) override
    {
        return m_recv(data, bytes, ncclUint8, peer, native(comm), static_cast<cudaStream_t>(stream.handle));
    }
    int commFinalize(Comm comm) override { return m_commFinalize(native(comm)); }
    int commDestroy(Comm comm) override { return m_commDestroy(native(comm)); }
    int commAbort(Comm comm) override { return m_commAbort(native(comm)); }
    std::string explain(int result, Comm comm) override
    {
        std::string text = m_getErrorString(static_cast<ncclResult_t>(result));
        if (const char *last = m_getLastError(native(comm)); last != nullptr && *last != '\0')
            text += fmt::format(" ({})", base::trim(last));
        return text;
    }

private:
    static ncclComm_t native(Comm comm) { return static_cast<ncclComm_t>(comm); }

    std::string m_version;
    decltype(&ncclGetVersion) m_getVersion = nullptr;
    decltype(&ncclGetUniqueId) m_getUniqueId = nullptr;
    decltype(&ncclCommInitRankConfig) m_commInitRankConfig = nullptr;
    decltype(&ncclCommGetAsyncError) m_commGetAsyncError = nullptr;
    decltype(&ncclGroupStart) m_groupStart = nullptr;
    decltype(&ncclGroupEnd) m_groupEnd = nullptr;
    decltype(&ncclSend) m_send = nullptr;
    decltype(&ncclRecv) m_recv = nullptr;
    decltype(&ncclCommFinalize) m_commFinalize = nullptr;
    decltype(&ncclCommDestroy) m_commDestroy = nullptr;
    decltype(&ncclCommAbort) m_commAbort = nullptr;
    decltype(&ncclGetErrorString) m_getErrorString = nullptr;
    decltype(&ncclGetLastError) m_getLastError = nullptr;
};

} // namespace

Nccl *nccl(std::string &problem)
{
    static NcclLibrary library;
    static const std::string found = library.load();
    problem = found;
    return found.empty() ? &library : nullptr;
}

} // namespace stagelens::backend
