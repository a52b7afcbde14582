#include "kernels/include/attention.h"

#include "kernels/cuda/types.h"
#include "kernels/include/cudnn_attention.h"

#include <type_traits>

namespace stagelens::kernels::gpu {

struct Attentions::State {
    CudnnAttention cudnn;
};

Attentions::Attentions() = default;
Attentions::~Attentions() = default;

CudnnAttention *Attentions::cudnn()
{
    if (!cudnnProblem().empty())
        return nullptr;
    if (m_state == nullptr)
        m_state = std::make_unique<State>();
    return &m_state->cudnn;
}

const std::string &Attentions::cudnnProblem()
{
    return CudnnAttention::problem();
}

template <class T>
Status Attentions::forward(Stream stream, T *out, float *logSumExp, const T *qkv, const AttentionShape &shape,
                           const KeysOf<T> &keys)
{
    if constexpr (!std::is_same_v<T, float>)
        if (CudnnAttention *way = shape.keys == 0 ? cudnn() : nullptr)
            if (const Status status = way->forward(stream, out, logSumExp, qkv, shape); status.code != kUnsupported.code)
                return status;
    return attentionForward(stream, out, logSumExp, qkv, shape, keys);
}

template <class T>
Status Attentions::backward(Stream stream, T *qkvGradient, const T *outGradient, const T *qkv, const T *out,
                            const float *logSumExp, const AttentionShape &shape, float *scratch, const KeysOf<T> &keys)
{
    if constexpr (!std::is_same_v<T, float>)
        if (CudnnAttention *way = shape.keys == 0 ? cudnn() : nullptr)
            if (const Status status = way->backward(stream, qkvGradient, outGradient, qkv, out, logSumExp, shape);
                status.code != kUnsupported.code)
                return status;
    return attentionBackward(stream, qkvGradient, outGradient, qkv, out, logSumExp, shape, scratch, keys);
}

#define STAGELENS_ATTENTIONS_OF(T)                                                                                             \
    template Status Attentions::forward(Stream, T *, float *, const T *, const AttentionShape &, const KeysOf<T> &);           \
    template Status Attentions::backward(Stream, T *, const T *, const T *, const T *, const float *, const AttentionShape &,  \
                                         float *, const KeysOf<T> &);
STAGELENS_EVERY_TYPE(STAGELENS_ATTENTIONS_OF)
#undef STAGELENS_ATTENTIONS_OF

} // namespace stagelens::kernels::gpu
