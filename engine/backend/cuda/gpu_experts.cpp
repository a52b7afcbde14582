#include "engine/backend/cuda/gpu_experts.h"

#include "kernels/include/experts.h"

namespace stagelens::backend {

namespace gpu = kernels::gpu;

namespace {

/// The product with operands of type T and a C of type Out.
template <class T, class Out>
gpu::ExpertProduct<T, Out> typed(const ExpertProduct &product)
{
    const Product &each = product.each;
    gpu::ExpertProduct<T, Out> same{product.of, {}, product.matrix, product.routes, product.shape};
    same.each.rows = each.rows;
    same.each.columns = each.columns;
    same.each.inner = each.inner;
    same.each.a = {each.a.data.as<T>(), each.a.stride, each.a.form};
    same.each.b = {each.b.data.as<T>(), each.b.stride, each.b.form};
    same.each.c = each.c.as<Out>();
    same.each.stride = each.stride;
    same.each.beta = each.beta;
    return same;
}

} // namespace

template <class Kernel>
void GpuExperts::runTyped(const Kernel &kernel, const char *name)
{
    const auto start = [&] {
        switch (precision()) {
        case base::Precision::Bf16: return kernel(kernels::Bf16());
        case base::Precision::Fp16: return kernel(kernels::Fp16());
        case base::Precision::Fp32: break;
        }
        return kernel(float());
    };
    run(start, name);
}

void *GpuExperts::scratchFor(const kernels::RoutingShape &shape)
{
    return scratchOf<std::byte>(gpu::expertScratch(shape));
}

void GpuExperts::multiplyExperts(const ExpertProduct &product)
{
    void *const scratch = scratchFor(product.shape);
    const ExpertProduct same = rounded(product, scratch);
    const auto multiply = [&]<class T>(T) {
        if (product.each.c.precision() == precision())
            return gpu::multiplyExperts(stream(), typed<T, T>(same), scratch);
        return gpu::multiplyExperts(stream(), typed<T, float>(same), scratch);
    };
    runTyped(multiply, "multiplyExperts");
}

void GpuExperts::routeForward(float *gates, std::int32_t *routes, ConstValues logits, const float *bias,
                              const kernels::RoutingShape &shape, const kernels::RouterRule &rule)
{
    void *const scratch = scratchFor(shape);
    const auto route = [&]<class T>(T) {
        return gpu::routeForward(stream(), gates, routes, logits.as<T>(), bias, shape, rule, scratch);
    };
    runTyped(route, "routeForward");
}

void GpuExperts::routeBackward(Values logits, ConstValues gateGradient, const float *gates, const std::int32_t *routes,
                               const kernels::RoutingShape &shape, const kernels::RouterRule &rule,
                               const kernels::RouterLosses &losses)
{
    void *const scratch = scratchFor(shape);
    const auto route = [&]<class T>(T) {
        return gpu::routeBackward(stream(), logits.as<T>(), gateGradient.as<T>(), gates, routes, shape, rule, losses, scratch);
    };
    runTyped(route, "routeBackward");
}

void GpuExperts::addExcess(float *excess, const std::int32_t *routes, const kernels::RoutingShape &shape)
{
    run([&] { return gpu::addExcess(stream(), excess, routes, shape); }, "addExcess");
}

void GpuExperts::balanceStep(float *bias, const float *excess, float rate, std::int64_t count)
{
    run([&] { return gpu::balanceStep(stream(), bias, excess, rate, count); }, "balanceStep");
}

void GpuExperts::addRouterTotals(double *totals, const std::int32_t *routes, ConstValues logits,
                                 const kernels::RoutingShape &shape, bool isSigmoid)
{
    void *const scratch = scratchFor(shape);
    const auto add = [&]<class T>(T) {
        return gpu::addRouterTotals(stream(), totals, routes, logits.as<T>(), shape, isSigmoid, scratch);
    };
    runTyped(add, "addRouterTotals");
}

void GpuExperts::dispatchRows(Values out, ConstValues in, const std::int32_t *routes, const kernels::RoutingShape &shape,
                              std::int64_t width)
{
    const auto dispatch = [&]<class T>(T) {
        return gpu::dispatchRows(stream(), out.as<T>(), in.as<T>(), routes, shape, width);
    };
    runTyped(dispatch, "dispatchRows");
}

void GpuExperts::combineRows(Values out, ConstValues rows, ConstValues addend, const std::int32_t *routes,
                             const kernels::RoutingShape &shape, std::int64_t width)
{
    const auto combine = [&]<class T>(T) {
        return gpu::combineRows(stream(), out.as<T>(), rows.as<T>(), addend.as<T>(), routes, shape, width);
    };
    runTyped(combine, "combineRows");
}

void GpuExperts::expertSwigluForward(Values out, ConstValues gate, ConstValues up, const float *gates,
                                     const std::int32_t *routes, const kernels::RoutingShape &shape, std::int64_t width)
{
    const auto activate = [&]<class T>(T) {
        return gpu::expertSwigluForward(stream(), out.as<T>(), gate.as<T>(), up.as<T>(), gates, routes, shape, width);
    };
    runTyped(activate, "expertSwigluForward");
}

void GpuExperts::expertSwigluBackward(Values gate, Values up, Values gateGradient, ConstValues outGradient, const float *gates,
                                      const std::int32_t *routes, const kernels::RoutingShape &shape, std::int64_t width)
{
    const auto activate = [&]<class T>(T) {
        return gpu::expertSwigluBackward(stream(), gate.as<T>(), up.as<T>(), gateGradient.as<T>(), outGradient.as<T>(), gates,
                                         routes, shape, width);
    };
    runTyped(activate, "expertSwigluBackward");
}

} // namespace stagelens::backend
