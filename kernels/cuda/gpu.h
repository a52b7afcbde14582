// The primitives of the GPU kernels. nvcc compiles them as CUDA; other compilers build the same source for the host, where
// tests/cuda_emulator runs each thread of a block as a fibre, so that tests need no GPU.
#pragma once

#if defined(__CUDACC__)
#include "kernels/cuda/gpu_device.h"
#else
#include <gpu_emulator.h> // of tests/cuda_emulator
#endif
