// Replaces cudnn.cpp if that is not built.
#include "kernels/include/cudnn_attention.h"

#include "kernels/cuda/types.h"

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

template <class T>
Status CudnnAttention::forward(Stream, T *, float *, const T *, const AttentionShape &)
{
    return kUnsupported;
}

template <class T>
Status CudnnAttention::backward(Stream, T *, const T *, const T *, const T *, const float *, const AttentionShape &)
{
    return kUnsupported;
}

#define STAGELENS_CUDNN_OF(T)                                                                                                  \
    template Status CudnnAttention::forward(Stream, T *, float *, const T *, const AttentionShape &);                          \
    template Status CudnnAttention::backward(Stream, T *, const T *, const T *, const T *, const float *,                      \
                                             const AttentionShape &);
STAGELENS_TYPES_OF_16_BITS(STAGELENS_CUDNN_OF)
#undef STAGELENS_CUDNN_OF

} // namespace stagelens::kernels::gpu
