// `bench --backend cuda`.
#pragma once

namespace stagelens::cli {

/// Measures the first GPU and prints kernels and steps beside what it could reach; `isSmall` runs everything with shapes whose
/// times mean nothing. The exit status.
int benchGpu(bool asJson, bool isSmall);

} // namespace stagelens::cli
