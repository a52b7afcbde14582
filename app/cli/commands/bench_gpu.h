// `bench --backend cuda`.
#pragma once

#include "engine/service/runs/gpu_bench.h"

namespace stagelens::cli {

/// Measures the first GPU and prints kernels and steps beside what it could reach; `isSmall` runs them with shapes whose times
/// mean nothing. The exit status.
int benchGpu(bool asJson, bool isSmall, service::BenchParts parts);

} // namespace stagelens::cli
