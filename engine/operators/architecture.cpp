#include "engine/operators/architecture.h"

namespace stagelens::operators {

const Architecture &architectureOf(model::ModelFamily family)
{
    return family == model::ModelFamily::Llama ? kLlama : kGpt;
}

Block blockOf(const model::ModelConfig &model)
{
    return architectureOf(model.family).block(model);
}

} // namespace stagelens::operators
