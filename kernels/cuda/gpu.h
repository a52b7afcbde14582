// The vocabulary of the GPU kernels. With nvcc it is CUDA; with any other compiler the same source runs on the host, a fibre
// for each thread of a block (resources/docs/gpu-kernels.md), so that tests need no GPU.
#pragma once

#if defined(__CUDACC__)
#include "kernels/cuda/gpu_device.h"
#else
#include "kernels/cuda/host/gpu_host.h"
#endif
