// A driver for CUDA 11.4: older than any toolkit that compiles the kernels.
extern "C" int cuInit(unsigned /*flags*/)
{
    return 0;
}
extern "C" int cuDriverGetVersion(int *version)
{
    *version = 11040;
    return 0;
}
