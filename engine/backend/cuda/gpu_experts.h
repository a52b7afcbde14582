// The kernels of mixtures of experts of a device on a GPU.
#pragma once

#include "engine/backend/cuda/gpu_rounding.h"

namespace stagelens::backend {

/// Enqueues the kernels of kernels/cuda/experts. None of them waits for the GPU, where the number of rows of an expert stays.
class GpuExperts : public GpuRounding {
public:
    using GpuRounding::GpuRounding;

    void multiplyExperts(const ExpertProduct &product) final;
    void routeForward(float *gates, std::int32_t *routes, ConstValues logits, const float *bias,
                      const kernels::RoutingShape &shape, const kernels::RouterRule &rule) final;
    void routeBackward(Values logits, ConstValues gateGradient, const float *gates, const std::int32_t *routes,
                       const kernels::RoutingShape &shape, const kernels::RouterRule &rule,
                       const kernels::RouterLosses &losses) final;
    void addExcess(float *excess, const std::int32_t *routes, const kernels::RoutingShape &shape) final;
    void balanceStep(float *bias, const float *excess, float rate, std::int64_t count) final;
    void addRouterTotals(double *totals, const std::int32_t *routes, ConstValues logits, const kernels::RoutingShape &shape,
                         bool isSigmoid) final;
    void dispatchRows(Values out, ConstValues in, const std::int32_t *routes, const kernels::RoutingShape &shape,
                      std::int64_t width) final;
    void combineRows(Values out, ConstValues rows, ConstValues addend, const std::int32_t *routes,
                     const kernels::RoutingShape &shape, std::int64_t width) final;
    void expertSwigluForward(Values out, ConstValues gate, ConstValues up, const float *gates, const std::int32_t *routes,
                             const kernels::RoutingShape &shape, std::int64_t width) final;
    void expertSwigluBackward(Values gate, Values up, Values gateGradient, ConstValues outGradient, const float *gates,
                              const std::int32_t *routes, const kernels::RoutingShape &shape, std::int64_t width) final;

private:
    /// Enqueues kernel(T()), where T are the numbers of the run.
    template <class Kernel>
    void runTyped(const Kernel &kernel, const char *name);
    [[nodiscard]] void *scratchFor(const kernels::RoutingShape &shape);
};

} // namespace stagelens::backend
