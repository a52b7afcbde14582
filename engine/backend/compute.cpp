#include "engine/backend/compute.h"

#include <stdexcept>

namespace stagelens::backend {
namespace {

[[noreturn]] void refuse()
{
    throw std::logic_error("this backend has kernels of adamw only; choose --optimizer adamw, or --backend cpu");
}

} // namespace

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
