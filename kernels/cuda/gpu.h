// The vocabulary of the GPU kernels. With nvcc it is CUDA; with any other compiler the same source runs on the host, where
// tests/cuda_emulator has a fibre for each thread of a block, so that tests need no GPU.
#pragma once

#if defined(__CUDACC__)
#include "kernels/cuda/gpu_device.h"
#else
#include <gpu_emulator.h> // of tests/cuda_emulator
#endif
