// Loads OpenBLAS on first use.
#pragma once

#include <cblas.h>

namespace stagelens::kernels {

/// The functions of the library in use.
struct Blas {
    decltype(&::cblas_sgemm) sgemm;
    decltype(&::cblas_dgemm) dgemm;
    decltype(&::openblas_set_num_threads) setThreads;
    decltype(&::openblas_get_config) configuration;
    decltype(&::openblas_get_corename) core;
    void *(*allocate)(int position); ///< the allocator of the library, which never frees; null if it has none
    void (*release)(void *buffer);
};

/// Loads the library on the first call, without its own threads. A program linked with OpenBLAS would start these threads
/// before main(), and each retries the allocation of 128 MiB forever if memory is exhausted. Thread-safe. Throws
/// std::runtime_error that names the package to install if the library cannot be loaded.
[[nodiscard]] const Blas &blas();

} // namespace stagelens::kernels
