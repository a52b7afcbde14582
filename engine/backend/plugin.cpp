#include "engine/backend/plugin.h"

#include "engine/base/environment.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

namespace stagelens::backend {
namespace {

/// Seconds without a sign of life after which a process counts as lost; STAGELENS_MPI_SILENCE_SECONDS overrides them.
constexpr double kMpiSilence = 30;

/// A plug-in: a library beside the program or in its installation.
struct Plugin {
    const char *file;
    const char *symbol;
    int flags;           ///< of dlopen
    const char *toBuild; ///< what to install before building
    const char *toLoad;  ///< what to install at run time
    const char *instead; ///< environment variable that overrides the file; may be null
};

constexpr Plugin kMpi{"libstagelens-mpi.so", kWireSymbol,
                      // RTLD_GLOBAL, because components that MPI loads look up its symbols globally. It cannot be unloaded.
                      RTLD_NOW | RTLD_GLOBAL, "install libopenmpi-dev and openmpi-bin, and build again", "install openmpi-bin",
                      nullptr};
constexpr Plugin kCuda{"libstagelens-cuda.so",
                       kGpusSymbol,
                       RTLD_NOW | RTLD_LOCAL,
                       "install the CUDA Toolkit, 12 or newer, and build again",
                       "install the libraries of the CUDA Toolkit that it was built with",
                       "STAGELENS_CUDA_PLUGIN"};

std::filesystem::path fileOf(const Plugin &plugin)
{
    if (const char *given = plugin.instead == nullptr ? nullptr : std::getenv(plugin.instead); given != nullptr)
        return given;
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    if (std::filesystem::path built = folder / plugin.file; std::filesystem::exists(built, error))
        return built;
    return folder / "../lib/stagelens" / plugin.file;
}

/// Returns the exported function of the plug-in. On failure returns null and sets `problem`.
template <class Function>
Function *load(const Plugin &plugin, std::string &problem)
{
    const std::filesystem::path file = fileOf(plugin);
    std::error_code error;
    if (!std::filesystem::exists(file, error)) {
        problem = fmt::format("there is no plug-in {}; {}", file.filename().string(), plugin.toBuild);
        return nullptr;
    }
    void *handle = ::dlopen(file.c_str(), plugin.flags);
    auto *function = handle == nullptr ? nullptr : reinterpret_cast<Function *>(::dlsym(handle, plugin.symbol));
    if (function == nullptr)
        problem = fmt::format("the plug-in cannot be loaded: {}; {}", ::dlerror(), plugin.toLoad);
    return function;
}

} // namespace

std::string mpiProblem()
{
    std::string problem;
    (void)load<OpenWire>(kMpi, problem);
    return problem;
}

base::Result<std::shared_ptr<ProcessGroup>> joinThroughMpi()
{
    std::string missing;
    OpenWire *open = load<OpenWire>(kMpi, missing);
    if (open == nullptr)
        return base::Error::failed(std::move(missing));
    const auto make = [open]() -> base::Result<std::unique_ptr<Wire>> {
        std::string problem;
        std::unique_ptr<Wire> wire(open(kWireVersion, &problem));
        return wire ? base::Result<std::unique_ptr<Wire>>(std::move(wire)) : base::Error::failed(std::move(problem));
    };
    return ProcessGroup::join(make, base::secondsFromEnvironment("STAGELENS_MPI_SILENCE_SECONDS", kMpiSilence));
}

Gpus *cudaGpus(std::string &problem)
{
    struct Known {
        std::string problem;
        Gpus *gpus = nullptr;
        Known()
        {
            if (OpenGpus *open = load<OpenGpus>(kCuda, problem); open != nullptr)
                gpus = open(kGpusVersion, &problem);
        }
    };
    static const Known known;
    problem = known.problem;
    return known.gpus;
}

} // namespace stagelens::backend
