#include "engine/runtime/machine/accelerators.h"

#include "engine/backend/plugin.h"
#include "engine/base/text.h"
#include "engine/operators/sizes.h"

#include <algorithm>
#include <fmt/format.h>
#include <new>
#include <set>

namespace stagelens::runtime {
namespace {

using backend::Gpu;

/// Returns the indices of the GPUs that can train.
std::vector<int> usable(const std::vector<Gpu> &gpus)
{
    std::vector<int> places;
    for (std::size_t i = 0; i < gpus.size(); ++i)
        if (gpus[i].problem.empty())
            places.push_back(static_cast<int>(i));
    return places;
}

base::Error missing(const std::string &problem)
{
    return base::Error::invalid("training.backend", fmt::format("cuda is not available: {}; choose cpu", problem));
}

/// Returns the result of `work`; turns exceptions of a GPU into errors.
template <class Work>
auto onGpus(const Work &work) -> base::Result<decltype(work())>
{
    try {
        return work();
    } catch (const std::bad_alloc &) {
        return base::Error::failed("a GPU is out of memory; end other programs that use it");
    } catch (const std::exception &error) {
        return base::Error::failed(error.what());
    }
}

} // namespace

std::vector<kernels::gpu::Library> gpuLibraries()
{
    std::string problem;
    backend::Gpus *all = backend::cudaGpus(problem);
    return all != nullptr ? all->libraries() : std::vector<kernels::gpu::Library>{};
}

base::Bytes attentionWorkspace(const kernels::AttentionShape &shape, base::Precision precision)
{
    std::string problem;
    backend::Gpus *all = backend::cudaGpus(problem);
    return all != nullptr ? all->attentionWorkspace(shape, precision) : 0;
}

GpuList gpus()
{
    GpuList found;
    backend::Gpus *all = backend::cudaGpus(found.problem);
    if (all == nullptr)
        return found;
    found.gpus = all->list(found.problem);
    if (found.problem.empty() && usable(found.gpus).empty())
        found.problem = found.gpus.empty()
                            ? "CUDA sees no GPU; CUDA_VISIBLE_DEVICES may hide it"
                            : fmt::format("GPU 0, {}, cannot train: {}", found.gpus.front().name, found.gpus.front().problem);
    return found;
}

std::string gpusText(const std::vector<Gpu> &gpus)
{
    std::string text;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        const Gpu &gpu = gpus[i];
        const std::string state =
            gpu.problem.empty() ? fmt::format("{} of {} free", base::bytesText(gpu.freeBytes), base::bytesText(gpu.totalBytes))
                                : gpu.problem;
        text += fmt::format("{}{} {} ({}, {})", i == 0 ? "" : ", ", i, gpu.name, gpu.architecture, state);
    }
    return text;
}

std::string backendProblem(const std::string &backend)
{
    return backend == "cuda" ? gpus().problem : std::string();
}

std::vector<int> gpuOfRank(const std::vector<Gpu> &gpus, int ranks)
{
    const std::vector<int> places = usable(gpus);
    std::vector<int> chosen;
    for (int rank = 0; rank < ranks && !places.empty(); ++rank)
        chosen.push_back(places[static_cast<std::size_t>(rank) * std::min(places.size(), static_cast<std::size_t>(ranks)) /
                                static_cast<std::size_t>(ranks)]);
    return chosen;
}

std::vector<std::optional<int>> gpuOfProcess(const std::vector<std::vector<std::string>> &visible)
{
    std::set<std::string> taken;
    std::vector<std::optional<int>> chosen;
    for (const std::vector<std::string> &gpus : visible) {
        const auto isFree = [&taken](const std::string &address) { return taken.insert(address).second; };
        const auto found = std::ranges::find_if(gpus, isFree);
        chosen.push_back(found == gpus.end() ? std::nullopt : std::optional(static_cast<int>(found - gpus.begin())));
    }
    return chosen;
}

std::string mappingText(const std::vector<Gpu> &gpus, int ranks, bool isLive)
{
    std::vector<int> places = gpuOfRank(gpus, ranks);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    if (places.empty())
        return {};
    const int count = static_cast<int>(places.size());
    const std::string text = fmt::format("{}{}{} x {}", ranks, ranks == 1 ? " rank on " : " ranks on ", count,
                                         gpus[static_cast<std::size_t>(places.front())].name);
    if (count == ranks || !isLive)
        return text;
    return text + ", at once: they share its multiprocessors and memory, so that bubbles can be compared, but absolute times "
                  "cannot";
}

base::Result<std::vector<backend::KernelCheck>> checkKernels(bool large)
{
    const GpuList found = gpus();
    if (!found.problem.empty())
        return missing(found.problem);
    std::string problem;
    return onGpus([&] { return backend::cudaGpus(problem)->checkKernels(usable(found.gpus).front(), large); });
}

base::Result<std::vector<backend::KernelFigure>> benchKernels(backend::BenchShapes shapes, backend::BenchKernels kernels,
                                                              std::stop_token stop)
{
    const GpuList found = gpus();
    if (!found.problem.empty())
        return missing(found.problem);
    const auto asked = [](const void *token) { return static_cast<const std::stop_token *>(token)->stop_requested(); };
    std::string problem;
    return onGpus([&] {
        return backend::cudaGpus(problem)->benchKernels(usable(found.gpus).front(), shapes, kernels, {asked, &stop});
    });
}

base::Result<> openGpus(const std::vector<int> &ranks, const std::vector<int> &places, bool hasNetwork)
{
    const GpuList found = gpus();
    if (!found.problem.empty())
        return missing(found.problem);
    std::vector<int> distinct;
    for (const int rank : ranks)
        distinct.push_back(places[static_cast<std::size_t>(rank)]);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    const auto opened = onGpus([&] {
        std::string problem;
        backend::cudaGpus(problem)->open(distinct, !hasNetwork);
        return true;
    });
    return opened ? base::Result<>() : opened.error();
}

base::Result<std::vector<std::unique_ptr<backend::Compute>>> makeComputes(const model::Experiment &experiment,
                                                                          const std::vector<int> &ranks,
                                                                          const std::vector<int> &places,
                                                                          const kernels::Interrupt &interrupt)
{
    std::vector<std::unique_ptr<backend::Compute>> made;
    if (experiment.training.backend != "cuda") {
        const base::Precision precision = operators::enginePrecision(experiment);
        for (std::size_t i = 0; i < ranks.size(); ++i)
            made.push_back(precision == base::Precision::Fp32 ? backend::makeCpuCompute(interrupt)
                                                              : backend::makeNarrowCpuCompute(precision, interrupt));
        return made;
    }
    return onGpus([&]() -> std::vector<std::unique_ptr<backend::Compute>> {
        std::string problem;
        for (const int rank : ranks)
            made.push_back(backend::cudaGpus(problem)->makeCompute(places[static_cast<std::size_t>(rank)],
                                                                   operators::enginePrecision(experiment), interrupt));
        return std::move(made);
    });
}

} // namespace stagelens::runtime
