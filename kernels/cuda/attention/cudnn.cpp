// Causal attention with the graph interface of cuDNN, on fused queries, keys and values. Graphs are built once per shape and
// cached. Loads libcudnn on first use.
#include "kernels/include/cudnn_attention.h"

#include "kernels/cuda/types.h"
#include "kernels/include/device.h"

#define NV_CUDNN_FRONTEND_USE_DYNAMIC_LOADING
#include <cudnn_frontend.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cudnn_frontend {
/// The handle of libcudnn for the frontend, which requires this name.
void *cudnn_dlhandle = nullptr; // NOLINT(readability-identifier-naming)
} // namespace cudnn_frontend

namespace stagelens::kernels::gpu {
namespace {

namespace fe = cudnn_frontend;
using Tensor = fe::graph::Tensor_attributes;
using TensorPtr = std::shared_ptr<Tensor>;

enum Uid : std::int64_t {
    kQueries = 1,
    kKeys,
    kValues,
    kOut,
    kStatistics,
    kOutGradient,
    kQueryGradient,
    kKeyGradient,
    kValueGradient
};

template <class T>
constexpr fe::DataType_t kNumbers = std::is_same_v<T, Bf16> ? fe::DataType_t::BFLOAT16 : fe::DataType_t::HALF;

struct Key {
    std::int64_t batch;
    std::int64_t sequence;
    std::int64_t heads;
    std::int64_t kvHeads;
    std::int64_t size;
    std::int64_t width; ///< of a fused row of all heads, from which the strides follow
    bool isBackward;
    fe::DataType_t numbers;
    auto operator<=>(const Key &) const = default;
};

/// The sequences and heads of one call, among those of the arrays.
struct Part {
    std::int64_t batch;
    std::int64_t heads;
    std::int64_t kvHeads;
};

using Lengths = std::vector<std::int64_t>;

/// [batch, heads, sequence, size] in token rows of `width`.
Lengths dimensions(const AttentionShape &shape, const Part &part, std::int64_t heads)
{
    return {part.batch, heads, shape.sequence, shape.size};
}
Lengths strides(const AttentionShape &shape, std::int64_t width)
{
    return {shape.sequence * width, shape.size, width, 1};
}
Lengths statisticsDimensions(const AttentionShape &shape, const Part &part)
{
    return {part.batch, part.heads, shape.sequence, 1};
}
/// Packed, which cuDNN's backward requires before 9.26. Those of a part of the heads, which is of one sequence, are too.
Lengths statisticsStrides(const AttentionShape &shape, const Part &part)
{
    return {part.heads * shape.sequence, shape.sequence, 1, 1};
}

float scaleOf(const AttentionShape &shape)
{
    return 1 / std::sqrt(static_cast<float>(shape.size));
}

/// Greatest workspace of a graph. A fixed bound, not the free memory, decides, so that equal shapes give equal bits.
constexpr std::int64_t kMostWorkspace = std::int64_t{2} << 30U;
constexpr std::int64_t kBytesOfScore = 2;

std::int64_t scoreBytes(const AttentionShape &shape, const Part &part)
{
    return kBytesOfScore * part.batch * part.heads * shape.sequence * shape.sequence;
}

/// Returns the part of the arrays that the backward computes at a time; parts of equal size make up the whole.
Part backwardPart(const AttentionShape &shape, std::int64_t most)
{
    Part part{shape.batch, shape.heads, shape.kvHeads};
    const auto isTooLarge = [&] { return scoreBytes(shape, part) > most; };
    while (part.batch > 1 && (isTooLarge() || shape.batch % part.batch != 0))
        --part.batch;
    while (part.kvHeads > 1 && (isTooLarge() || shape.kvHeads % part.kvHeads != 0)) {
        --part.kvHeads;
        part.heads = part.kvHeads * (shape.heads / shape.kvHeads);
    }
    return part;
}

/// Returns null if cuDNN supports no plan.
struct Graph {
    std::shared_ptr<fe::graph::Graph> graph;
    std::int64_t workspace = 0;
};

std::shared_ptr<fe::graph::Graph> emptyGraph(fe::DataType_t numbers)
{
    auto graph = std::make_shared<fe::graph::Graph>();
    graph->set_io_data_type(numbers)
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT);
    return graph;
}

TensorPtr input(fe::graph::Graph &graph, Uid uid, Lengths lengths, Lengths steps, fe::DataType_t type)
{
    return graph.tensor(Tensor().set_uid(uid).set_dim(lengths).set_stride(steps).set_data_type(type));
}
void setOutput(const TensorPtr &tensor, Uid uid, Lengths lengths, Lengths steps, fe::DataType_t type)
{
    tensor->set_output(true).set_uid(uid).set_dim(lengths).set_stride(steps).set_data_type(type);
}

void describeForward(fe::graph::Graph &graph, const AttentionShape &shape, const Part &part, fe::DataType_t numbers)
{
    const std::int64_t width = shape.qkvWidth();
    const auto all = dimensions(shape, part, part.heads), shared = dimensions(shape, part, part.kvHeads);
    const auto queries = input(graph, kQueries, all, strides(shape, width), numbers);
    const auto keys = input(graph, kKeys, shared, strides(shape, width), numbers);
    const auto values = input(graph, kValues, shared, strides(shape, width), numbers);
    const auto how = fe::graph::SDPA_attributes()
                         .set_name("attention forward")
                         .set_generate_stats(true)
                         .set_causal_mask(true)
                         .set_attn_scale(scaleOf(shape));
    const auto [out, statistics] = graph.sdpa(queries, keys, values, how);
    setOutput(out, kOut, all, strides(shape, shape.width()), numbers);
    setOutput(statistics, kStatistics, statisticsDimensions(shape, part), statisticsStrides(shape, part),
              fe::DataType_t::FLOAT);
}

void describeBackward(fe::graph::Graph &graph, const AttentionShape &shape, const Part &part, fe::DataType_t numbers)
{
    const std::int64_t width = shape.qkvWidth();
    const auto all = dimensions(shape, part, part.heads), shared = dimensions(shape, part, part.kvHeads);
    const auto fused = strides(shape, width), own = strides(shape, shape.width());
    const auto queries = input(graph, kQueries, all, fused, numbers);
    const auto keys = input(graph, kKeys, shared, fused, numbers);
    const auto values = input(graph, kValues, shared, fused, numbers);
    const auto out = input(graph, kOut, all, own, numbers);
    const auto outGradient = input(graph, kOutGradient, all, own, numbers);
    const auto statistics =
        input(graph, kStatistics, statisticsDimensions(shape, part), statisticsStrides(shape, part), fe::DataType_t::FLOAT);
    const auto how = fe::graph::SDPA_backward_attributes()
                         .set_name("attention backward")
                         .set_causal_mask(true)
                         .set_attn_scale(scaleOf(shape))
                         .set_deterministic_algorithm(true);
    const auto [queryGradient, keyGradient, valueGradient] =
        graph.sdpa_backward(queries, keys, values, out, outGradient, statistics, how);
    setOutput(queryGradient, kQueryGradient, all, fused, numbers);
    setOutput(keyGradient, kKeyGradient, shared, fused, numbers);
    setOutput(valueGradient, kValueGradient, shared, fused, numbers);
}

std::string load()
{
    for (const char *name : {"libcudnn.so.9", "libcudnn.so"})
        if (fe::cudnn_dlhandle == nullptr)
            fe::cudnn_dlhandle = ::dlopen(name, RTLD_NOW);
    if (fe::cudnn_dlhandle == nullptr)
        return "libcudnn cannot be loaded; install cuDNN 9";
    if (::dlsym(fe::cudnn_dlhandle, "cudnnCreate") == nullptr)
        return "libcudnn is not cuDNN 9; reinstall it";
    // The frontend loads the CUDA runtime, which this program contains, and prefers version 12 if present. It must be the
    // version of the headers of this build.
    constexpr const char *kVariable = "CUDNN_FRONTEND_CUDART_LIB_NAME";
    (void)::setenv(kVariable, ("libcudart.so." + std::to_string(STAGELENS_CUDA_MAJOR)).c_str(), 0);
    const std::string runtime = std::getenv(kVariable);
    return ::dlopen(runtime.c_str(), RTLD_NOW) != nullptr ? std::string()
                                                          : runtime + " cannot be loaded; cuDNN's frontend needs it";
}

} // namespace

struct CudnnAttention::State {
    cudnnHandle_t handle = nullptr;
    std::map<Key, Graph> graphs;
    void *workspace = nullptr;
    std::int64_t workspaceBytes = 0;
    std::vector<void *> outgrown; ///< not freed in a run: freeing waits for all work of the GPU, including NCCL kernels

    State() = default;
    State(const State &) = delete;
    State &operator=(const State &) = delete;
    ~State()
    {
        graphs.clear();
        if (handle != nullptr)
            (void)fe::detail::destroy_handle(handle);
        release(workspace);
        for (void *before : outgrown)
            release(before);
    }
    Graph built(const AttentionShape &shape, const Part &part, bool isBackward, fe::DataType_t numbers);
    Status run(Stream stream, const AttentionShape &shape, const Part &part, bool isBackward, fe::DataType_t numbers,
               std::unordered_map<std::int64_t, void *> arrays);
    Status makeRoom(std::int64_t bytes);
};

Graph CudnnAttention::State::built(const AttentionShape &shape, const Part &part, bool isBackward, fe::DataType_t numbers)
{
    Graph made{emptyGraph(numbers)};
    isBackward ? describeBackward(*made.graph, shape, part, numbers) : describeForward(*made.graph, shape, part, numbers);
    if (made.graph->build(handle, {fe::HeurMode_t::A}).is_bad() || made.graph->get_workspace_size(made.workspace).is_bad())
        return {};
    if (made.workspace > kMostWorkspace)
        return {};
    return made;
}

Status CudnnAttention::State::makeRoom(std::int64_t bytes)
{
    if (bytes <= workspaceBytes)
        return {};
    void *larger = nullptr;
    if (const Status status = allocate(larger, static_cast<std::size_t>(bytes)); status.failed())
        return status;
    outgrown.push_back(std::exchange(workspace, larger));
    workspaceBytes = bytes;
    return {};
}

Status CudnnAttention::State::run(Stream stream, const AttentionShape &shape, const Part &part, bool isBackward,
                                  fe::DataType_t numbers, std::unordered_map<std::int64_t, void *> arrays)
{
    if (!problem().empty() || shape.size % 8 != 0)
        return kUnsupported;
    // The frontend throws if a library that it loads is missing.
    try {
        if (handle == nullptr && fe::detail::create_handle(&handle) != CUDNN_STATUS_SUCCESS)
            return kUnsupported;
        const Key key{part.batch, shape.sequence, part.heads, part.kvHeads, shape.size, shape.qkvWidth(), isBackward, numbers};
        const auto [place, isNew] = graphs.try_emplace(key);
        if (isNew)
            place->second = built(shape, part, isBackward, numbers);
        const Graph &graph = place->second;
        if (graph.graph == nullptr)
            return kUnsupported;
        if (const Status status = makeRoom(graph.workspace); status.failed())
            return status;
        if (fe::detail::set_stream(handle, static_cast<cudaStream_t>(stream.handle)) != CUDNN_STATUS_SUCCESS)
            return kAttentionFault;
        return graph.graph->execute(handle, arrays, workspace).is_bad() ? kAttentionFault : Status{};
    } catch (const std::exception &) {
        return kUnsupported;
    }
}

CudnnAttention::CudnnAttention(std::int64_t scoreBytes) : m_scoreBytes(scoreBytes), m_state(std::make_unique<State>()) {}
CudnnAttention::~CudnnAttention() = default;

const std::string &CudnnAttention::problem()
{
    static const std::string why = load();
    return why;
}

std::int64_t CudnnAttention::workspace(const AttentionShape &shape)
{
    return problem().empty() && shape.size % 8 == 0
               ? std::min(scoreBytes(shape, backwardPart(shape, kScoreBytes)), kMostWorkspace)
               : 0;
}

template <class T>
Status CudnnAttention::forward(Stream stream, T *out, float *logSumExp, const T *qkv, const AttentionShape &shape)
{
    auto *rows = const_cast<T *>(qkv); // read alone; the interface knows no const
    return m_state->run(stream, shape, {shape.batch, shape.heads, shape.kvHeads}, false, kNumbers<T>,
                        {{kQueries, rows},
                         {kKeys, rows + shape.width()},
                         {kValues, rows + shape.width() + shape.kvWidth()},
                         {kOut, out},
                         {kStatistics, logSumExp}});
}

template <class T>
Status CudnnAttention::backward(Stream stream, T *qkvGradient, const T *outGradient, const T *qkv, const T *out,
                                const float *logSumExp, const AttentionShape &shape)
{
    const Part part = backwardPart(shape, m_scoreBytes);
    const std::int64_t group = shape.heads / shape.kvHeads;
    for (std::int64_t sequence = 0; sequence < shape.batch; sequence += part.batch)
        for (std::int64_t kvHead = 0; kvHead < shape.kvHeads; kvHead += part.kvHeads) {
            const std::int64_t token = sequence * shape.sequence, head = kvHead * group;
            const auto fusedAt = [&](T *rows, std::int64_t element) { return rows + token * shape.qkvWidth() + element; };
            const auto ownAt = [&](const T *rows) { return const_cast<T *>(rows) + token * shape.width() + head * shape.size; };
            const std::int64_t queries = head * shape.size, keys = shape.width() + kvHead * shape.size,
                               values = keys + shape.kvWidth();
            auto *const fused = const_cast<T *>(qkv);
            const std::int64_t statistics = (sequence * shape.heads + head) * shape.sequence;
            const Status status = m_state->run(stream, shape, part, true, kNumbers<T>,
                                               {{kQueries, fusedAt(fused, queries)},
                                                {kKeys, fusedAt(fused, keys)},
                                                {kValues, fusedAt(fused, values)},
                                                {kOut, ownAt(out)},
                                                {kStatistics, const_cast<float *>(logSumExp) + statistics},
                                                {kOutGradient, ownAt(outGradient)},
                                                {kQueryGradient, fusedAt(qkvGradient, queries)},
                                                {kKeyGradient, fusedAt(qkvGradient, keys)},
                                                {kValueGradient, fusedAt(qkvGradient, values)}});
            if (status.failed())
                return status;
        }
    return {};
}

#define STAGELENS_CUDNN_OF(T)                                                                                                  \
    template Status CudnnAttention::forward(Stream, T *, float *, const T *, const AttentionShape &);                          \
    template Status CudnnAttention::backward(Stream, T *, const T *, const T *, const T *, const float *,                      \
                                             const AttentionShape &);
STAGELENS_TYPES_OF_16_BITS(STAGELENS_CUDNN_OF)
#undef STAGELENS_CUDNN_OF

} // namespace stagelens::kernels::gpu
