// Replaces cudnn.cpp if that is not built.
#include "kernels/include/cudnn_attention.h"

namespace stagelens::kernels::gpu {

struct CudnnAttention::State {};

CudnnAttention::CudnnAttention(std::int64_t scoreBytes) : m_scoreBytes(scoreBytes) {}
CudnnAttention::~CudnnAttention() = default;

const std::string &CudnnAttention::problem()
{
    static const std::string why = "Stagelens was built without cuDNN's frontend";
    return why;
}

std::int64_t CudnnAttention::workspace(const AttentionShape &)
{
    return 0;
}

Status CudnnAttention::forward(Stream, Bf16 *, float *, const Bf16 *, const AttentionShape &)
{
    return kUnsupported;
}

Status CudnnAttention::backward(Stream, Bf16 *, const Bf16 *, const Bf16 *, const Bf16 *, const float *, const AttentionShape &)
{
    return kUnsupported;
}

} // namespace stagelens::kernels::gpu
