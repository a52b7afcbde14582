#include "kernels/include/libraries.h"

#include "kernels/include/cudnn_attention.h"

#include <cstddef>
#include <cublasLt.h>
#include <dlfcn.h>

namespace stagelens::kernels::gpu {
namespace {

constexpr const char *kCudnn = "libcudnn.so.9";

std::string fileWith(const void *function)
{
    Dl_info info{};
    return function != nullptr && ::dladdr(function, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

void *functionOf(const char *library, const char *function)
{
    void *handle = ::dlopen(library, RTLD_NOW | RTLD_NOLOAD);
    return handle != nullptr ? ::dlsym(handle, function) : nullptr;
}

/// For versions that count major * 10000 + minor * 100 + patch.
std::string versionText(std::size_t code)
{
    return std::to_string(code / 10000) + '.' + std::to_string(code % 10000 / 100) + '.' + std::to_string(code % 100);
}

} // namespace

std::vector<Library> libraries()
{
    Library cudnn{"cuDNN", "attention", {}, {}, CudnnAttention::problem()};
    if (cudnn.problem.empty()) {
        if (void *version = functionOf(kCudnn, "cudnnGetVersion"))
            cudnn.version = versionText(reinterpret_cast<std::size_t (*)()>(version)());
        cudnn.file = fileOf(kCudnn, "cudnnGetVersion");
    } else {
        cudnn.problem += "; Stagelens's own kernels compute attention, at half its speed";
    }
    return {
        {"cuBLASLt", "products", versionText(cublasLtGetVersion()), fileWith(reinterpret_cast<void *>(&cublasLtCreate)), {}},
        std::move(cudnn)};
}

std::string fileOf(const char *library, const char *function)
{
    return fileWith(functionOf(library, function));
}

} // namespace stagelens::kernels::gpu
