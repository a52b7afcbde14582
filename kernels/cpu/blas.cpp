#include "kernels/cpu/blas.h"

#include <cstdlib>
#include <dlfcn.h>
#include <new>
#include <stdexcept>
#include <string>
#include <sys/mman.h>

namespace stagelens::kernels {
namespace {

#ifdef STAGELENS_OPENBLAS_LINKED

Blas load()
{
    return {::cblas_sgemm, ::cblas_dgemm, ::openblas_set_num_threads, ::openblas_get_config, ::openblas_get_corename,
            nullptr,       nullptr};
}

#else

/// Returns the library found at compile time, else the default of the system.
void *openLibrary()
{
    ::setenv("OPENBLAS_NUM_THREADS", "1", 1); // read when the library is loaded
    // Its initialisation writes to memory that it did not get, so a limit of memory is met before.
    constexpr std::size_t kItsMemory = std::size_t{64} << 20;
    void *const room = ::mmap(nullptr, kItsMemory, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        throw std::bad_alloc();
    ::munmap(room, kItsMemory);
    for (const char *name : {STAGELENS_OPENBLAS, "libopenblas.so.0"})
        if (void *const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL); library != nullptr)
            return library;
    throw std::runtime_error(std::string("OpenBLAS cannot be loaded (") + ::dlerror() + "); install libopenblas0-pthread");
}

template <class Function>
void find(void *library, const char *name, Function *&function)
{
    function = reinterpret_cast<Function *>(::dlsym(library, name));
}

template <class Function>
void require(void *library, const char *name, Function *&function)
{
    find(library, name, function);
    if (function == nullptr)
        throw std::runtime_error(std::string("OpenBLAS has no ") + name + "; install libopenblas0-pthread");
}

Blas load()
{
    void *const library = openLibrary();
    Blas found{};
    require(library, "cblas_sgemm", found.sgemm);
    require(library, "cblas_dgemm", found.dgemm);
    require(library, "openblas_set_num_threads", found.setThreads);
    require(library, "openblas_get_config", found.configuration);
    require(library, "openblas_get_corename", found.core);
    find(library, "blas_memory_alloc", found.allocate);
    find(library, "blas_memory_free", found.release);
    return found;
}

#endif

} // namespace

const Blas &blas()
{
    static const Blas library = load();
    return library;
}

} // namespace stagelens::kernels
