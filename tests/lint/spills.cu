// A kernel that cannot do without spilling: what the assembler's warnings must refuse (tests/lint/CMakeLists.txt).
__global__ void __launch_bounds__(1024, 2) spillingKernel(float *values)
{
    float all[128];
    for (int i = 0; i < 128; ++i)
        all[i] = values[threadIdx.x + i * 1024];
    __syncthreads();
    for (int i = 0; i < 128; ++i)
        values[threadIdx.x + i * 1024] = all[127 - i] * all[i];
}
