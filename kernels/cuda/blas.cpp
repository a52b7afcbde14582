// Products with cuBLASLt. It is column-major, so it computes the transpose, C^T = op(B)^T op(A)^T, and each row-major array
// here is a column-major array there.
//
// Sums are never split between thread blocks (CUBLASLT_REDUCTION_SCHEME_NONE), and beta does not affect the choice of the
// algorithm, so that the first product into a gradient and later ones that accumulate round alike. addColumnSums() computes
// bias gradients, because the epilogue of the library would use the type of C and overwrite the previous value.
//
// The first proposal of the library is up to a fifth slower than its best (H200, weight gradients of 2048 tokens). So large
// products are timed with each proposal when they first run, and a faster one is taken if its result has the same bits as that
// of the first: all 300 proposals for 46 products had on an H200. Two runs that time differently thus compute the same.
#include "kernels/cuda/plans.h"
#include "kernels/cuda/timed_alternatives.h"

#include <cublasLt.h>

#include <cstdlib>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace stagelens::kernels::gpu {
namespace {

/// Layouts and operations are plain bytes and may be copied.
struct Plan {
    cublasLtMatmulDescOpaque_t operation{};
    cublasLtMatrixLayoutOpaque_t left{};  ///< op(B)^T
    cublasLtMatrixLayoutOpaque_t right{}; ///< op(A)^T
    cublasLtMatrixLayoutOpaque_t out{};
    std::vector<cublasLtMatmulAlgo_t> proposals;   ///< the first is used; others are tried when the product first runs
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS; ///< of the algorithm search
};

constexpr int kMostProposals = 8;
/// FLOPs of a product that takes 2 us on the fastest GPUs; smaller ones are bound by their launch.
constexpr double kLeastTimedFlops = 2e9;
/// A later proposal must be this much faster than the one before.
constexpr float kWorthwhile = 0.99F;

/// Returns whether to time the proposals: STAGELENS_TIMED_PRODUCTS=0 takes the first of each product, to compare.
bool timesProducts()
{
    static const bool times = [] {
        const char *value = std::getenv("STAGELENS_TIMED_PRODUCTS");
        return value == nullptr || std::string_view(value) != "0";
    }();
    return times;
}

/// Returns the first status that is not a success.
class Steps {
public:
    void operator()(cublasStatus_t status)
    {
        if (m_status == CUBLAS_STATUS_SUCCESS)
            m_status = status;
    }
    [[nodiscard]] cublasStatus_t status() const { return m_status; }

private:
    cublasStatus_t m_status = CUBLAS_STATUS_SUCCESS;
};

cudaDataType typeOf(Number number)
{
    switch (number) {
    case Number::Bf16: return CUDA_R_16BF;
    case Number::Fp16: return CUDA_R_16F;
    case Number::Float: break;
    }
    return CUDA_R_32F;
}

cublasLtEpilogue_t epilogueOf(Epilogue epilogue)
{
    switch (epilogue) {
    case Epilogue::Bias: return CUBLASLT_EPILOGUE_BIAS;
    case Epilogue::Activation: return CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
    case Epilogue::ActivationBackward:
    case Epilogue::None: break;
    }
    return CUBLASLT_EPILOGUE_DEFAULT;
}

template <class T>
cublasStatus_t set(cublasLtMatmulDescOpaque_t &operation, cublasLtMatmulDescAttributes_t attribute, const T &value)
{
    return cublasLtMatmulDescSetAttribute(&operation, attribute, &value, sizeof(value));
}
template <class T>
cublasStatus_t set(cublasLtMatmulPreferenceOpaque_t &preference, cublasLtMatmulPreferenceAttributes_t attribute, const T &value)
{
    return cublasLtMatmulPreferenceSetAttribute(&preference, attribute, &value, sizeof(value));
}

/// Sets the arrays of an epilogue; the search depends on their alignment too.
cublasStatus_t setArrays(cublasLtMatmulDescOpaque_t &operation, const Call &call)
{
    Steps steps;
    if (call.key.epilogue == Epilogue::Bias || call.key.epilogue == Epilogue::Activation)
        steps(set(operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, call.bias));
    if (call.key.epilogue == Epilogue::Activation) {
        steps(set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, call.between));
        steps(set(operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, call.key.stride));
    }
    return steps.status();
}

/// [rows, columns] of a transposed operand whose stored row-major matrix is [height, width].
cublasStatus_t initialise(cublasLtMatrixLayoutOpaque_t &layout, const PlanKey &key, Form form, std::int64_t rows,
                          std::int64_t columns, std::int64_t stride)
{
    const bool isPlain = form == Form::Plain;
    return cublasLtMatrixLayoutInit(&layout, typeOf(key.operands), static_cast<std::uint64_t>(isPlain ? rows : columns),
                                    static_cast<std::uint64_t>(isPlain ? columns : rows), stride);
}

Status statusOf(cublasStatus_t status)
{
    return {status == CUBLAS_STATUS_SUCCESS ? 0 : kProductFault + static_cast<int>(status)};
}

} // namespace

struct Products::State::Library {
    void *workspace;
    std::size_t bytes;
    cublasLtHandle_t handle = nullptr;
    std::map<PlanKey, Plan> plans{};

    Plan &planOf(const Call &call);
    cublasStatus_t search(Plan &plan, const Call &call);
    cublasStatus_t multiply(Plan &plan, const cublasLtMatmulAlgo_t &algorithm, const Call &call, void *out,
                            cudaStream_t stream) const;
    void choose(Plan &plan, const Call &call, cudaStream_t stream) const;
};

namespace {

/// The algorithms that were chosen by time, of all devices of the process, by GPU.
class Choices {
public:
    /// Sets `algorithm` and returns true if there is one.
    bool find(cublasLtMatmulAlgo_t &algorithm, int gpu, const PlanKey &key)
    {
        const std::lock_guard lock(m_mutex);
        const std::map<PlanKey, cublasLtMatmulAlgo_t> &ofGpu = m_all[gpu];
        const auto found = ofGpu.find(key);
        if (found != ofGpu.end())
            algorithm = found->second;
        return found != ofGpu.end();
    }
    void add(int gpu, const PlanKey &key, const cublasLtMatmulAlgo_t &algorithm)
    {
        const std::lock_guard lock(m_mutex);
        m_all[gpu].insert_or_assign(key, algorithm);
    }

private:
    std::mutex m_mutex;
    std::map<int, std::map<PlanKey, cublasLtMatmulAlgo_t>> m_all;
};

Choices &choices()
{
    static Choices all;
    return all;
}

} // namespace

/// Describes the product and selects the first proposal of the library.
cublasStatus_t Products::State::Library::search(Plan &plan, const Call &call)
{
    const PlanKey &key = call.key;
    Steps steps;
    if (handle == nullptr)
        steps(cublasLtCreate(&handle));
    steps(cublasLtMatmulDescInit(&plan.operation, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    const auto operationOf = [](Form form) { return form == Form::Plain ? CUBLAS_OP_N : CUBLAS_OP_T; };
    steps(set(plan.operation, CUBLASLT_MATMUL_DESC_TRANSA, operationOf(key.bForm)));
    steps(set(plan.operation, CUBLASLT_MATMUL_DESC_TRANSB, operationOf(key.aForm)));
    steps(set(plan.operation, CUBLASLT_MATMUL_DESC_EPILOGUE, epilogueOf(key.epilogue)));
    steps(setArrays(plan.operation, call));
    steps(initialise(plan.left, key, key.bForm, key.columns, key.inner, key.bStride));
    steps(initialise(plan.right, key, key.aForm, key.inner, key.rows, key.aStride));
    steps(cublasLtMatrixLayoutInit(&plan.out, typeOf(key.out), static_cast<std::uint64_t>(key.columns),
                                   static_cast<std::uint64_t>(key.rows), key.stride));
    cublasLtMatmulPreferenceOpaque_t preference{};
    steps(cublasLtMatmulPreferenceInit(&preference));
    steps(set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{bytes}));
    steps(set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, std::uint32_t{CUBLASLT_REDUCTION_SCHEME_NONE}));
    for (const auto attribute : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                                 CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
        steps(set(preference, attribute, std::uint32_t{key.alignment}));
    if (steps.status() != CUBLAS_STATUS_SUCCESS)
        return steps.status();
    cublasLtMatmulHeuristicResult_t results[kMostProposals]{};
    int found = 0;
    steps(cublasLtMatmulAlgoGetHeuristic(handle, &plan.operation, &plan.left, &plan.right, &plan.out, &plan.out, &preference,
                                         kMostProposals, results, &found));
    if (steps.status() == CUBLAS_STATUS_SUCCESS)
        steps(found > 0 ? results[0].state : CUBLAS_STATUS_NOT_SUPPORTED);
    for (int i = 0; i < found; ++i)
        if (results[i].state == CUBLAS_STATUS_SUCCESS)
            plan.proposals.push_back(results[i].algo);
    return steps.status();
}

cublasStatus_t Products::State::Library::multiply(Plan &plan, const cublasLtMatmulAlgo_t &algorithm, const Call &call,
                                                  void *out, cudaStream_t stream) const
{
    return cublasLtMatmul(handle, &plan.operation, &call.alpha, call.b, &plan.left, call.a, &plan.right, &call.beta,
                          call.addend, &plan.out, out, &plan.out, &algorithm, workspace, bytes, stream);
}

/// Leaves the fastest of the proposals that give the bits of the first. The results go to an array of their own, because the
/// product may add to C; without memory for it the first proposal stays.
void Products::State::Library::choose(Plan &plan, const Call &call, cudaStream_t stream) const
{
    const std::vector<cublasLtMatmulAlgo_t> proposals = plan.proposals;
    plan.proposals.resize(1);
    const PlanKey &key = call.key;
    const double flops =
        2.0 * static_cast<double>(key.rows) * static_cast<double>(key.columns) * static_cast<double>(key.inner);
    int gpu = 0;
    if (proposals.size() == 1 || flops < kLeastTimedFlops || !timesProducts() || cudaGetDevice(&gpu) != cudaSuccess)
        return;
    if (choices().find(plan.proposals.front(), gpu, key))
        return;
    const auto outBytes = static_cast<std::size_t>((key.rows - 1) * key.stride + key.columns) *
                          (key.out == Number::Float ? sizeof(float) : sizeof(Bf16));
    TimedAlternatives timed(stream, outBytes);
    std::optional<float> least;
    for (const cublasLtMatmulAlgo_t &proposal : proposals) {
        const auto runs = [&](void *out) { return multiply(plan, proposal, call, out, stream) == CUBLAS_STATUS_SUCCESS; };
        const std::optional<float> time = timed.time(runs);
        if (time && (!least || *time < *least * kWorthwhile)) {
            least = time;
            plan.proposals.front() = proposal;
        }
    }
    if (least)
        choices().add(gpu, key, plan.proposals.front());
}

Plan &Products::State::Library::planOf(const Call &call)
{
    const auto [place, isNew] = plans.try_emplace(call.key);
    if (isNew)
        place->second.status = search(place->second, call);
    return place->second;
}

Products::State::State(void *workspace, std::int64_t bytes)
    : m_library(std::make_unique<Library>(workspace, static_cast<std::size_t>(bytes)))
{}

Products::State::~State()
{
    if (m_library->handle != nullptr)
        static_cast<void>(cublasLtDestroy(m_library->handle));
}

int Products::State::plans() const
{
    return static_cast<int>(m_library->plans.size());
}

bool Products::State::isFused(const Call &call)
{
    if (call.key.epilogue == Epilogue::None)
        return true;
    // The derivative as an epilogue more than doubles the time of a product on Hopper (8192 x 8192 x 2048: 0.95 ms, and 0.35 ms
    // without it; our kernel takes 0.1 ms).
    if (call.key.epilogue == Epilogue::ActivationBackward)
        return false;
    const bool hasActivation = call.key.epilogue != Epilogue::Bias;
    const bool isGelu = call.activation == Activation::Gelu;
    if (hasActivation && (!isGelu || call.key.out == Number::Float || call.key.stride % 8 != 0))
        return false;
    // The library reports unsupported epilogues with several codes. A real fault occurs again in the product without epilogue.
    return m_library->planOf(call).status == CUBLAS_STATUS_SUCCESS;
}

Status Products::State::run(Stream stream, const Call &call)
{
    Plan &plan = m_library->planOf(call);
    Steps steps;
    steps(plan.status);
    steps(setArrays(plan.operation, call));
    if (steps.status() != CUBLAS_STATUS_SUCCESS)
        return statusOf(steps.status());
    auto *const native = static_cast<cudaStream_t>(stream.handle);
    if (plan.proposals.size() > 1)
        m_library->choose(plan, call, native);
    return statusOf(m_library->multiply(plan, plan.proposals.front(), call, call.c, native));
}

std::string explain(Status status)
{
    if (status.code == kAttentionFault.code)
        return "cuDNN's attention failed";
    if (status.code >= kProductFault)
        return cublasLtGetStatusString(static_cast<cublasStatus_t>(status.code - kProductFault));
    return cudaGetErrorString(static_cast<cudaError_t>(status.code));
}

} // namespace stagelens::kernels::gpu
