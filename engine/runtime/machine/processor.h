// This machine's processor and memory.
#pragma once

#include "engine/base/result.h"
#include "engine/base/units.h"

#include <string>

namespace stagelens::runtime {

/// Returns the name of the processor; "unknown processor" if it has none.
[[nodiscard]] std::string processorName();
/// Returns the number of its hardware threads.
[[nodiscard]] int coreCount();
/// Returns the installed memory.
[[nodiscard]] base::Bytes installedBytes();
/// Returns the free memory; 0: unknown.
[[nodiscard]] base::Bytes availableBytes();
/// Returns the BLAS library with its version, target core and thread model.
[[nodiscard]] std::string blasDescription();
/// Returns the vector instructions of the elementwise kernels and of attention: "baseline", "avx2" or "avx512".
[[nodiscard]] std::string vectorInstructions();
/// Prepares concurrent matrix products on `threads` threads: each runs on its caller's thread, and the BLAS library gets the
/// address space that it needs. Call before the first product.
[[nodiscard]] base::Result<> prepareProducts(int threads);
/// Measures the FLOP/s of a large single-precision product on one thread: the best of several products of 768^3. Takes about
/// 0.1 s.
[[nodiscard]] double matrixPeak();

} // namespace stagelens::runtime
