// OpenBLAS, loaded when it is first needed.
#pragma once

#include <cblas.h>

namespace stagelens::kernels {

/// The functions of the library that are used here.
struct Blas {
    decltype(&::cblas_sgemm) sgemm;
    decltype(&::cblas_dgemm) dgemm;
    decltype(&::openblas_set_num_threads) setThreads;
    decltype(&::openblas_get_config) configuration;
    decltype(&::openblas_get_corename) core;
    void *(*allocate)(int position); ///< the library's own allocator, which keeps what it has taken; null if it has none
    void (*release)(void *buffer);
};

/// Loads the library at the first call, without threads of its own. A program that is linked with OpenBLAS starts those threads
/// before main(), and each asks for a buffer of 128 MiB again and again, for ever, if there is no memory. Thread-safe. Throws
/// std::runtime_error with what to install if the library cannot be loaded.
[[nodiscard]] const Blas &blas();

} // namespace stagelens::kernels
