// The interface of the CUDA plug-in. The engine and the plug-in include it, so both must come from the same build.
#pragma once

#include "engine/backend/communicator.h"
#include "engine/backend/compute.h"
#include "engine/base/units.h"
#include "kernels/include/libraries.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace stagelens::backend {

struct Gpu {
    std::string name;
    std::string address = {};      ///< on the bus, "0000:1B:00.0": the same for all processes, whichever GPUs they see
    std::string architecture = {}; ///< "sm_90"
    int multiprocessors = 0;
    base::Bytes totalBytes = 0;
    base::Bytes freeBytes = 0; ///< when the list was made
    std::string problem;       ///< why it cannot train; empty if it can
};

/// The difference between the output of a kernel on the GPU and on the processor (kernels/cuda/selftest/selftest.h).
struct KernelCheck {
    std::string kernel;
    std::string type;
    std::string shape;
    double error = 0;
    double bound = 0;
    std::string fault; ///< why the comparison failed, or that a second run returned different bits
    [[nodiscard]] bool holds() const { return fault.empty() && error <= bound; }
};

/// The figure that a kernel's time is compared with.
enum class FigureGroup : unsigned char {
    Ceiling,        ///< a reference for the others
    OutputProduct,  ///< products of S and T
    LayerProduct,   ///< products of the layers' linear maps
    WeightGradient, ///< bfloat16 products that accumulate in float
    Memory,         ///< bound by memory bandwidth
    Attention,
    OutputLayer, ///< S, T and both, with the kernels in the order in which the runtime launches them
    HostLink,    ///< copies between the GPU and pinned memory of its host: references for predictions
    Experts,     ///< the kernels of a mixture of experts
};

/// The result of one kernel benchmark.
struct KernelFigure {
    FigureGroup group = FigureGroup::Memory;
    std::string name;
    std::string type = {};  ///< of the elements
    std::string shape = {}; ///< "N 4096, h 3072"
    double flops = 0;       ///< of one run
    double bytes = 0;       ///< least bytes that one run reads and writes; 0 if arithmetic bounds it
    /// Time of one run. Each sample is the mean of a few consecutive runs, by the GPU's clock.
    std::vector<double> seconds = {};
    std::string fault = {}; ///< why `seconds` is empty
};

/// A kernel or copy that a pass launched.
struct KernelRun {
    std::uint64_t owner = 0; ///< PassLabel::owner
    std::string name;
    base::Nanos begin = 0; ///< by the steady clock
    base::Nanos end = 0;
};

/// Small shapes are for tests; their times have no meaning.
enum class BenchShapes : unsigned char { Small, Real };
/// All kernels, or those alone that others are compared with.
enum class BenchKernels : unsigned char { All, Ceilings };

class Gpus {
public:
    virtual ~Gpus() = default;
    /// Loads the libraries and returns their versions, or why they cannot be used.
    [[nodiscard]] virtual std::vector<kernels::gpu::Library> libraries() = 0;
    /// Lists the GPUs in CUDA's order. On failure returns none and sets `problem`.
    [[nodiscard]] virtual std::vector<Gpu> list(std::string &problem) = 0;
    /// Creates the Compute of a device on GPU number `gpu`; several may share a GPU. Throws like Compute.
    [[nodiscard]] virtual std::unique_ptr<Compute> makeCompute(int gpu, base::Precision precision,
                                                               const kernels::Interrupt &interrupt) = 0;
    /// Returns the bytes that attention of this shape takes in addition to its arrays.
    [[nodiscard]] virtual base::Bytes attentionWorkspace(const kernels::AttentionShape &shape, base::Precision precision) = 0;
    /// Compares every kernel on that GPU with the processor, with small shapes and, if `large`, also with those of a large
    /// model. Throws like Compute.
    [[nodiscard]] virtual std::vector<KernelCheck> checkKernels(int gpu, bool large) = 0;
    /// Times the kernels on that GPU, which should be idle. Returns early with fewer figures if interrupted. Throws like
    /// Compute.
    [[nodiscard]] virtual std::vector<KernelFigure> benchKernels(int gpu, BenchShapes shapes, BenchKernels kernels,
                                                                 const kernels::Interrupt &interrupt) = 0;
    /// Starts recording the kernels of this process on all GPUs, which costs time. Returns an error message, or an empty
    /// string.
    [[nodiscard]] virtual std::string startRecording() = 0;
    /// Stops recording and returns the kernels of passes, sorted by begin. All work must have completed.
    [[nodiscard]] virtual std::vector<KernelRun> stopRecording() = 0;
    /// Creates a context on each GPU of `gpus`; with `readEachOther` enables access to each other's memory. Throws if two of
    /// them have no such access.
    virtual void open(const std::vector<int> &gpus, bool readEachOther) = 0;

    /// Returns the version of NCCL. If NCCL is not usable returns an empty string and sets `problem`.
    [[nodiscard]] virtual std::string ncclVersion(std::string &problem) = 0;
    /// Creates the id by which the ranks of a run connect; one rank creates it and sends it to the others. This function and
    /// joinNccl() require that ncclVersion() succeeded, and throw like Communicator.
    [[nodiscard]] virtual std::vector<std::byte> newNcclId() = 0;
    /// Starts to connect `rank`, whose tensors are on that GPU. Each rank needs a GPU of its own.
    [[nodiscard]] virtual std::unique_ptr<Communicator> joinNccl(std::span<const std::byte> id, int ranks, int rank,
                                                                 int gpu) = 0;
};

/// The function that the plug-in exports as kGpusSymbol. Returns its only object; if the versions differ, returns null and sets
/// `problem`.
using OpenGpus = Gpus *(std::uint32_t version, std::string *problem);
inline constexpr const char *kGpusSymbol = "stagelensGpus";
inline constexpr std::uint32_t kGpusVersion = 8;

} // namespace stagelens::backend
