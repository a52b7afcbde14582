#include "engine/backend/compute.h"

#include <stdexcept>

namespace stagelens::backend {
namespace {

[[noreturn]] void refuse()
{
    throw std::logic_error("this backend has kernels of adamw, lion and sgd only; choose --optimizer adamw, or --backend cpu");
}

[[noreturn]] void refuseExperts()
{
    throw std::logic_error("this backend has no kernels of experts; choose --backend cpu, or --experts 0");
}

[[noreturn]] void refuseCodecs()
{
    throw std::logic_error(
        "this backend has no kernels that pack numbers; choose --backend cpu, or leave --message-precision and "
        "--stored-activations out");
}

} // namespace

void Compute::pack(float * /*to*/, ConstValues /*from*/, std::int64_t /*rows*/, std::int64_t /*columns*/,
                   kernels::Codec /*codec*/)
{
    refuseCodecs();
}

void Compute::unpack(Values /*to*/, const float * /*from*/, std::int64_t /*rows*/, std::int64_t /*columns*/,
                     kernels::Codec /*codec*/)
{
    refuseCodecs();
}

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

void Compute::sgdStep(float * /*values*/, float * /*gradient*/, float * /*momentum*/, const kernels::Sgd & /*settings*/,
                      std::int64_t /*count*/)
{
    refuse();
}

void Compute::lionStep(float * /*values*/, float * /*gradient*/, float * /*momentum*/, const kernels::Lion & /*settings*/,
                       std::int64_t /*count*/)
{
    refuse();
}

void Compute::adam8bitStep(float * /*values*/, float * /*gradient*/, const kernels::CodedMoments & /*moments*/,
                           std::int64_t /*rows*/, std::int64_t /*columns*/, const kernels::AdamW & /*settings*/)
{
    refuse();
}

void Compute::adafactorSums(double * /*sums*/, const kernels::AdafactorRows & /*part*/, const kernels::Adafactor & /*settings*/)
{
    refuse();
}

void Compute::adafactorStep(const kernels::AdafactorRows & /*part*/, double * /*sums*/, const kernels::Adafactor & /*settings*/)
{
    refuse();
}

void Compute::adafactorVectorSums(double * /*sums*/, const float * /*values*/, const float * /*gradient*/, float * /*moments*/,
                                  std::int64_t /*count*/, const kernels::Adafactor & /*settings*/)
{
    refuse();
}

void Compute::adafactorVectorStep(float * /*values*/, float * /*gradient*/, const float * /*moments*/, std::int64_t /*count*/,
                                  const double * /*sums*/, const kernels::Adafactor & /*settings*/)
{
    refuse();
}

} // namespace stagelens::backend
