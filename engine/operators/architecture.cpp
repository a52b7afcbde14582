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

Block blockOf(const model::ModelConfig &model, bool hasExperts)
{
    model::ModelConfig same = model;
    if (!hasExperts)
        same.experts = 0;
    return blockOf(same);
}

} // namespace stagelens::operators
