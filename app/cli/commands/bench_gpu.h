// `bench --backend cuda`.
#pragma once

#include "engine/service/runs/gpu_bench.h"

namespace stagelens::cli {

/// Returns the error with the option that the user gave instead of the field of a plan.
[[nodiscard]] base::Error namedByOption(base::Error error);

/// Measures the first GPU and prints kernels and steps beside what it could reach; `isSmall` runs them with shapes whose times
/// mean nothing. The exit status.
int benchGpu(bool asJson, bool isSmall, service::BenchParts parts);

} // namespace stagelens::cli
