#include "engine/backend/compute.h"

#include <stdexcept>

namespace stagelens::backend {
namespace {

[[noreturn]] void refuseExperts()
{
    throw std::logic_error("this backend has no kernels of experts; choose --backend cpu, or --experts 0");
}

} // namespace

void Compute::multiplyExperts(const ExpertProduct & /*product*/)
{
    refuseExperts();
}

void Compute::routeForward(float * /*gates*/, std::int32_t * /*routes*/, ConstValues /*logits*/, const float * /*bias*/,
                           const kernels::RoutingShape & /*shape*/, const kernels::RouterRule & /*rule*/)
{
    refuseExperts();
}

void Compute::routeBackward(Values /*logits*/, ConstValues /*gateGradient*/, const float * /*gates*/,
                            const std::int32_t * /*routes*/, const kernels::RoutingShape & /*shape*/,
                            const kernels::RouterRule & /*rule*/, const kernels::RouterLosses & /*losses*/)
{
    refuseExperts();
}

void Compute::addExcess(float * /*excess*/, const std::int32_t * /*routes*/, const kernels::RoutingShape & /*shape*/)
{
    refuseExperts();
}

void Compute::balanceStep(float * /*bias*/, const float * /*excess*/, float /*rate*/, std::int64_t /*count*/)
{
    refuseExperts();
}

void Compute::dispatchRows(Values /*out*/, ConstValues /*in*/, const std::int32_t * /*routes*/,
                           const kernels::RoutingShape & /*shape*/, std::int64_t /*width*/)
{
    refuseExperts();
}

void Compute::combineRows(Values /*out*/, ConstValues /*rows*/, ConstValues /*addend*/, const std::int32_t * /*routes*/,
                          const kernels::RoutingShape & /*shape*/, std::int64_t /*width*/)
{
    refuseExperts();
}

void Compute::expertSwigluForward(Values /*out*/, ConstValues /*gate*/, ConstValues /*up*/, const float * /*gates*/,
                                  const std::int32_t * /*routes*/, const kernels::RoutingShape & /*shape*/,
                                  std::int64_t /*width*/)
{
    refuseExperts();
}

void Compute::expertSwigluBackward(Values /*gate*/, Values /*up*/, Values /*gateGradient*/, ConstValues /*outGradient*/,
                                   const float * /*gates*/, const std::int32_t * /*routes*/,
                                   const kernels::RoutingShape & /*shape*/, std::int64_t /*width*/)
{
    refuseExperts();
}

} // namespace stagelens::backend
