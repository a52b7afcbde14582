#include "engine/runtime/architectures/architecture.h"

namespace stagelens::runtime {

const Architecture &architectureOf(model::ModelFamily family)
{
    return family == model::ModelFamily::Llama ? llamaArchitecture() : gptArchitecture();
}

} // namespace stagelens::runtime
