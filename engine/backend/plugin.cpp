#include "engine/backend/plugin.h"

#include "engine/base/text.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <system_error>

namespace stagelens::backend {
namespace {

/// The silence after which a process counts as lost: 30 s, or what STAGELENS_MPI_SILENCE_SECONDS says.
std::chrono::milliseconds silence()
{
    constexpr double kSeconds = 30;
    constexpr double kMost = 86400;
    const char *text = std::getenv("STAGELENS_MPI_SILENCE_SECONDS");
    const double seconds = text == nullptr ? kSeconds : base::parseNumber(text).value_or(kSeconds);
    return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * (seconds > 0 && seconds < kMost ? seconds : kSeconds)));
}

/// Null, with the reason in `problem`, where there is none.
OpenWire *loadMpi(std::string &problem)
{
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::filesystem::path file = program.parent_path() / "libstagelens-mpi.so";
    if (!std::filesystem::exists(file, error)) {
        problem = "this build has no plug-in for MPI; install libopenmpi-dev and openmpi-bin, and build again";
        return nullptr;
    }
    // MPI loads its own parts, which look for its names among the global ones. It cannot be unloaded.
    void *plugin = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    auto *open = plugin == nullptr ? nullptr : reinterpret_cast<OpenWire *>(::dlsym(plugin, kWireSymbol));
    if (open == nullptr)
        problem = base::concat("the plug-in cannot be loaded: ", ::dlerror(), "; install openmpi-bin");
    return open;
}

} // namespace

std::string mpiProblem()
{
    std::string problem;
    (void)loadMpi(problem);
    return problem;
}

base::Result<std::shared_ptr<ProcessGroup>> joinThroughMpi()
{
    std::string missing;
    OpenWire *open = loadMpi(missing);
    if (open == nullptr)
        return base::Error::failed(std::move(missing));
    const auto make = [open]() -> base::Result<std::unique_ptr<Wire>> {
        std::string problem;
        std::unique_ptr<Wire> wire(open(kWireVersion, &problem));
        return wire ? base::Result<std::unique_ptr<Wire>>(std::move(wire)) : base::Error::failed(std::move(problem));
    };
    return ProcessGroup::join(make, silence());
}

} // namespace stagelens::backend
