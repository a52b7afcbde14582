#include "engine/backend/cpu/cpu_compute.h"

namespace stagelens::backend {

std::unique_ptr<Compute> makeCpuCompute(const kernels::Interrupt &interrupt)
{
    return std::make_unique<CpuCompute>(interrupt);
}

} // namespace stagelens::backend
