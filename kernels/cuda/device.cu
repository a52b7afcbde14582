#include "kernels/include/device.h"

#include "kernels/cuda/free_memory.h"
#include "kernels/cuda/gpu.h"

namespace stagelens::kernels::gpu {
namespace {

cudaStream_t native(Stream stream)
{
    return static_cast<cudaStream_t>(stream.handle);
}
cudaEvent_t native(Event event)
{
    return static_cast<cudaEvent_t>(event.handle);
}

} // namespace

Status countDevices(int &count)
{
    return statusOf(cudaGetDeviceCount(&count));
}

Status describe(int device, DeviceInfo &info)
{
    cudaDeviceProp properties{};
    if (const Status status = statusOf(cudaGetDeviceProperties(&properties, device)); status.failed())
        return status;
    info.name = properties.name;
    char address[32] = {};
    if (cudaDeviceGetPCIBusId(address, sizeof(address), device) == cudaSuccess)
        info.address = address;
    info.major = properties.major;
    info.minor = properties.minor;
    info.multiprocessors = properties.multiProcessorCount;
    info.totalBytes = properties.totalGlobalMem;
    if (!hasContext(device)) {
        if (const auto bytes = freeBytesByNvml(device, info.totalBytes)) {
            info.freeBytes = *bytes;
            return {};
        }
    }
    // CUDA reports the selected GPU, so the selection is restored afterwards.
    int before = 0;
    if (const Status status = statusOf(cudaGetDevice(&before)); status.failed())
        return status;
    if (const Status status = use(device); status.failed())
        return status;
    const Status queried = statusOf(cudaMemGetInfo(&info.freeBytes, &info.totalBytes));
    const Status restored = use(before);
    return queried.failed() ? queried : restored;
}

Status versions(int &driver, int &runtime)
{
    if (const Status status = statusOf(cudaDriverGetVersion(&driver)); status.failed())
        return status;
    return statusOf(cudaRuntimeGetVersion(&runtime));
}

Status use(int device)
{
    return statusOf(cudaSetDevice(device));
}

Status reach(int device)
{
    const cudaError_t code = cudaDeviceEnablePeerAccess(device, 0);
    const Status status = statusOf(code);
    return code == cudaErrorPeerAccessAlreadyEnabled ? Status{} : status;
}

Status allocate(void *&data, std::size_t bytes)
{
    data = nullptr;
    return statusOf(cudaMalloc(&data, bytes));
}

void release(void *data) noexcept
{
    (void)cudaFree(data);
}

Status allocatePinned(void *&data, std::size_t bytes)
{
    data = nullptr;
    return statusOf(cudaMallocHost(&data, bytes));
}

void releasePinned(void *data) noexcept
{
    (void)cudaFreeHost(data);
}

Status pin(void *data, std::size_t bytes)
{
    return statusOf(cudaHostRegister(data, bytes, cudaHostRegisterDefault));
}

void unpin(void *data) noexcept
{
    (void)cudaHostUnregister(data);
}

Status makeStream(Stream &stream)
{
    cudaStream_t made = nullptr;
    const Status status = statusOf(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
    stream.handle = made;
    return status;
}

void destroy(Stream stream) noexcept
{
    (void)cudaStreamDestroy(native(stream));
}

Status finish(Stream stream)
{
    return statusOf(cudaStreamSynchronize(native(stream)));
}

Status copy(Stream stream, void *to, const void *from, std::size_t bytes)
{
    return statusOf(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, native(stream)));
}

Status copyRows(Stream stream, void *to, std::size_t toStride, const void *from, std::size_t fromStride, std::size_t rows,
                std::size_t bytes)
{
    return statusOf(cudaMemcpy2DAsync(to, toStride, from, fromStride, bytes, rows, cudaMemcpyDefault, native(stream)));
}

Status setBytes(Stream stream, void *to, int byte, std::size_t bytes)
{
    return statusOf(cudaMemsetAsync(to, byte, bytes, native(stream)));
}

Status makeEvent(Event &event)
{
    cudaEvent_t made = nullptr;
    const Status status = statusOf(cudaEventCreate(&made));
    event.handle = made;
    return status;
}

void destroy(Event event) noexcept
{
    (void)cudaEventDestroy(native(event));
}

Status record(Event event, Stream stream)
{
    return statusOf(cudaEventRecord(native(event), native(stream)));
}

Status wait(Stream stream, Event event)
{
    return statusOf(cudaStreamWaitEvent(native(stream), native(event), 0));
}

Status query(bool &happened, Event event)
{
    const cudaError_t code = cudaEventQuery(native(event));
    happened = code == cudaSuccess;
    if (code != cudaErrorNotReady)
        return statusOf(code);
    (void)cudaGetLastError();
    return {};
}

Status elapsed(double &seconds, Event from, Event to)
{
    float milliseconds = 0;
    const Status status = statusOf(cudaEventElapsedTime(&milliseconds, native(from), native(to)));
    seconds = 1e-3 * static_cast<double>(milliseconds);
    return status;
}

} // namespace stagelens::kernels::gpu
