// Replaces nccl_library.cpp if the header of NCCL was not found.
#include "engine/backend/cuda/nccl.h"

namespace stagelens::backend {

Nccl *nccl(std::string &problem)
{
    problem = "the plug-in for GPUs was built without NCCL; install libnccl-dev, and build again";
    return nullptr;
}

} // namespace stagelens::backend
