// The GPUs of this machine, as the plug-in for them answers. Included by the engine and by the plug-in, which must be of one
// build.
#pragma once

#include "engine/backend/communicator.h"
#include "engine/backend/compute.h"
#include "engine/base/units.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace stagelens::backend {

struct Gpu {
    std::string name;
    std::string architecture; ///< "sm_90"
    int multiprocessors = 0;
    base::Bytes totalBytes = 0;
    base::Bytes freeBytes = 0; ///< now
    std::string problem;       ///< why it cannot train; empty where it can
};

/// How far a kernel's output on a GPU is from the processor's (kernels/cuda/selftest/selftest.h).
struct KernelCheck {
    std::string kernel;
    std::string type;
    std::string shape;
    double error = 0;
    double bound = 0;
    std::string fault; ///< why nothing could be compared, or that a second run gave other bits
    [[nodiscard]] bool holds() const { return fault.empty() && error <= bound; }
};

/// What a kernel's time is held against.
enum class FigureGroup : unsigned char {
    Ceiling,        ///< itself: what the others are held against
    OutputProduct,  ///< products of S and T
    LayerProduct,   ///< products of the layers' linear maps
    WeightGradient, ///< products that add bfloat16 products into float
    Memory,         ///< bound by the memory's bandwidth
    Attention,
    OutputLayer, ///< S, T and both, kernel after kernel as the runtime queues them
};

/// What a benchmark of a kernel measured.
struct KernelFigure {
    FigureGroup group = FigureGroup::Memory;
    std::string name;
    std::string type = {};  ///< of the elements
    std::string shape = {}; ///< its lengths, each with its letter
    double flops = 0;       ///< of one run
    double bytes = 0;       ///< that one run must read and write at least; 0 where arithmetic bounds it
    /// Of one run; each sample is the mean of a few runs in a row, by the GPU's own clock.
    std::vector<double> seconds = {};
    std::string fault = {}; ///< why there are none
};

/// A kernel or copy of a pass.
struct KernelRun {
    std::uint64_t owner = 0; ///< PassLabel::owner
    std::string name;
    base::Nanos begin = 0; ///< by the steady clock
    base::Nanos end = 0;
};

/// Small shapes are for tests: their times mean nothing.
enum class BenchShapes : unsigned char { Small, Real };

class Gpus {
public:
    virtual ~Gpus() = default;
    /// In CUDA's order. Empty, with the reason in `problem`, where there is none.
    [[nodiscard]] virtual std::vector<Gpu> list(std::string &problem) = 0;
    /// What one device of a run computes with, on that GPU of the list; several may share one. Throws as Compute does.
    [[nodiscard]] virtual std::unique_ptr<Compute> makeCompute(int gpu, base::Precision precision,
                                                               const kernels::Interrupt &interrupt) = 0;
    /// Runs every kernel on that GPU with small shapes, and where it is asked for with those of a large model. Throws as
    /// Compute does.
    [[nodiscard]] virtual std::vector<KernelCheck> checkKernels(int gpu, bool large) = 0;
    /// Times every kernel on that GPU, which nobody else should use meanwhile; fewer figures once the interrupt says yes.
    /// Throws as Compute does.
    [[nodiscard]] virtual std::vector<KernelFigure> benchKernels(int gpu, BenchShapes shapes,
                                                                 const kernels::Interrupt &interrupt) = 0;
    /// Records from now on which kernels the GPUs of this process run, which costs time; why not, where that cannot be.
    [[nodiscard]] virtual std::string startRecording() = 0;
    /// When all work is done: that of passes, by begin. Recording ends.
    [[nodiscard]] virtual std::vector<KernelRun> stopRecording() = 0;
    /// Takes this process's context on each GPU of `gpus`, and lets it read the memory of the others if that is wanted; throws
    /// where two cannot.
    virtual void open(const std::vector<int> &gpus, bool readEachOther) = 0;

    /// Version of the NCCL that is there; empty, with the reason in `problem`, where none can be used.
    [[nodiscard]] virtual std::string ncclVersion(std::string &problem) = 0;
    /// What the ranks of a run find each other by: made once and given to all. These two throw as Communicator does, and only
    /// where ncclVersion() found one may they be called.
    [[nodiscard]] virtual std::vector<std::byte> newNcclId() = 0;
    /// Begins to connect that rank, whose tensors are on that GPU. Each rank needs a GPU of its own.
    [[nodiscard]] virtual std::unique_ptr<Communicator> joinNccl(std::span<const std::byte> id, int ranks, int rank,
                                                                 int gpu) = 0;
};

/// What the plug-in exports under kGpusSymbol: the one object that it has, or null with the reason in `problem` where it is of
/// another version.
using OpenGpus = Gpus *(std::uint32_t version, std::string *problem);
inline constexpr const char *kGpusSymbol = "stagelensGpus";
inline constexpr std::uint32_t kGpusVersion = 5;

} // namespace stagelens::backend
