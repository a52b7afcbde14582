#include "engine/operators/optimizers/optimizer.h"

#include "engine/base/text.h"

#include <algorithm>
#include <vector>

namespace stagelens::operators {

bool Optimizer::reads(std::string_view option) const
{
    return std::ranges::find(options, option) != options.end();
}

std::string optimizerNames(std::string_view separator)
{
    std::vector<std::string> names;
    for (const Optimizer *optimizer : optimizers())
        names.emplace_back(optimizer->name);
    return base::join(names, separator);
}

const Optimizer *findOptimizer(std::string_view name)
{
    const auto found = std::ranges::find(optimizers(), name, &Optimizer::name);
    return found == optimizers().end() ? nullptr : *found;
}

const Optimizer &optimizerOf(const OptimizerChoice &choice)
{
    const Optimizer *const found = findOptimizer(choice.name);
    return found != nullptr ? *found : *findOptimizer(OptimizerChoice().name);
}

} // namespace stagelens::operators
