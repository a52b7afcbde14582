// Facts about the machine that the CPU engine runs on.
#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"

#include <string>

namespace stagelens::runtime {

/// Name of the processor as it gives it itself; "unknown processor" if it does not.
[[nodiscard]] std::string processorName();
/// Installed memory.
[[nodiscard]] base::Bytes installedBytes();
/// The BLAS library with its version, target core and thread model.
[[nodiscard]] std::string blasDescription();
/// The vector instructions of the elementwise kernels and of attention: "baseline", "avx2" or "avx512".
[[nodiscard]] std::string vectorInstructions();
/// Prepares matrix products on so many threads at once: each on its caller's thread, with the address space that the BLAS
/// library needs. Call before the first product.
[[nodiscard]] base::Result<> prepareProducts(int threads);
/// FLOP/s of a large single-precision matrix product on one thread: the best of several products of 768^3, measured now (about
/// 0.1 s).
[[nodiscard]] double matrixPeak();

} // namespace stagelens::runtime
